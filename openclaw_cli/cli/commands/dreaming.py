"""``openclaw dreaming``: the group; without a subcommand the overview (``dreaming.md`` 10.1)."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import command, group

INDEX = {
    "sweep": Entry("dreaming_sweep", "Run light, REM and deep sleep over the workspaces."),
    "status": Entry("dreaming_status", "Show settings, counts, next and last sweep."),
    "on": Entry("dreaming_switch", "Switch dreaming on.", "on"),
    "off": Entry("dreaming_switch", "Switch dreaming off.", "off"),
    "help": Entry("dreaming", "Explain the phases and show the settings.", "help_"),
    "diary": Entry("dreaming_diary", "Read the dream diary."),
    "scene": Entry("dreaming_scene", "Show what waits, what is staged, what was promoted."),
    "backfill-diary": Entry(
        "dreaming_actions", "Write diary entries for the workspace's notes.", "backfill_diary"
    ),
    "reset-diary": Entry("dreaming_actions", "Take backfilled entries out.", "reset_diary"),
    "dedupe-diary": Entry("dreaming_actions", "Remove repeated diary entries.", "dedupe_diary"),
    "reset-grounded": Entry("dreaming_actions", "Take staged evidence out.", "reset_grounded"),
    "repair": Entry("dreaming_actions", "Move the corpus of conversations away.", "repair"),
    "shadow-trial": Entry("dreaming_shadow_trial", "Try what a candidate would change."),
    "reconcile": Entry("dreaming_reconcile", "Put the sweep's scheduled task right."),
}


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


def _overview(app: App, *, as_json: bool) -> None:
    from openclaw_cli.dreaming import control

    document = control.settings_document(app.config)
    lines = control.help_lines(app.config, "openclaw dreaming")
    app.emit(document, as_json=as_json, render=lambda _shown: lines)
