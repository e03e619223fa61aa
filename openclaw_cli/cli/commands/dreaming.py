"""``openclaw dreaming``: the group; without a subcommand the overview (``dreaming.md`` 10.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import Entry, command, group

INDEX = {
    "sweep": Entry("dreaming_sweep", "Run light, REM and deep sleep over the workspaces."),
    "status": Entry("dreaming_status", "Show settings, counts, next and last sweep."),
    "on": Entry("dreaming_switch", "Switch dreaming on.", "on"),
    "off": Entry("dreaming_switch", "Switch dreaming off.", "off"),
    "reconcile": Entry("dreaming_reconcile", "Put the sweep's task right in the task list."),
    "help": Entry("dreaming", "Explain the phases and show the settings.", "help_"),
}

USAGE = (
    "Usage: openclaw dreaming status|on|off|help",
    "       openclaw dreaming sweep [--if-due] [--force] [--agent ID] [--dry-run] [--no-diary]",
)
PHASES = (
    "Phases:",
    "- light, REM and deep sleep run one after the other in every sweep.",
    "- Only deep sleep writes lasting memory: MEMORY.md.",
    "- DREAMS.md is for reading: the diary and the summary of the last deep sleep.",
)


@group("dreaming", index=INDEX, invoke_without_command=True)
@click.pass_context
def cli(ctx: click.Context, as_json: bool) -> None:
    """Run and inspect the nightly sweep that turns recent notes into lasting memory.

    \b
    Examples:
      openclaw dreaming                      the settings at a glance
      openclaw dreaming on                   switch it on
      openclaw dreaming sweep --dry-run      what tonight's sweep would do, and why
      openclaw dreaming sweep --if-due       what a crontab line runs
      openclaw dreaming status --json        counts, next run, what blocks it
    """
    if ctx.invoked_subcommand is None:
        _overview(ctx.obj, as_json=as_json)


@command("help")
@click.pass_obj
def help_(app: App, as_json: bool) -> None:
    """Explain the phases and show the settings.

    \b
    Example:
      openclaw dreaming help
    """
    _overview(app, as_json=as_json)


def settings_document(app: App) -> dict[str, Any]:
    """The settings that people ask for first."""
    from openclaw_cli.dreaming.settings import resolve

    settings = resolve(app.config)
    gates = settings.deep.gates
    return {
        "enabled": settings.enabled,
        "frequency": settings.frequency,
        "timezone": settings.timezone,
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recall_count,
        "minUniqueQueries": gates.min_unique_queries,
    }


def settings_lines(document: dict[str, Any]) -> list[str]:
    """``settings_document`` as text."""
    switch = "on" if document["enabled"] else "off"
    zone = f" ({document['timezone']})" if document["timezone"] else ""
    return [
        "Dreaming status:",
        f"- enabled: {switch}{zone}",
        f"- sweep cadence: {document['frequency']}",
        f"- promotion policy: score>={document['minScore']:g}, "
        f"recalls>={document['minRecallCount']}, uniqueQueries>={document['minUniqueQueries']}",
    ]


def _overview(app: App, *, as_json: bool) -> None:
    app.emit(settings_document(app), as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterable[str]:
    """Usage, settings and what the phases do."""
    yield from USAGE
    yield ""
    yield from settings_lines(document)
    yield ""
    yield from PHASES
