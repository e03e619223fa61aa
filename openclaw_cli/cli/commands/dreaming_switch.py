"""``openclaw dreaming on|off``: the one switch, with the scheduled task kept in step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, dry_run_options


@command("on")
@dry_run_options
@click.pass_obj
def on(app: App, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Switch dreaming on: searches are remembered, and sweeps run at their time.

    Only this value of the configuration changes; comments and order stay.

    \b
    Examples:
      openclaw dreaming on
      openclaw dreaming on && openclaw jobs install
    """
    _switch(app, True, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@command("off")
@dry_run_options
@click.pass_obj
def off(app: App, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Switch dreaming off: no sweep runs any more; nothing that was found is removed.

    \b
    Examples:
      openclaw dreaming off
      openclaw dreaming off --dry-run
    """
    _switch(app, False, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


def _switch(app: App, enabled: bool, *, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    from openclaw_cli.config.load import load
    from openclaw_cli.dreaming import control

    edit = control.switch(app.paths, enabled=enabled, now_ms=app.now_ms(), dry_run=dry_run)
    document: dict[str, Any] = {"enabled": enabled, "changed": edit.changed, "path": str(edit.path)}
    if dry_run:
        app.emit(document | {"dryRun": True}, as_json=as_json, render=render)
        app.finish_dry_run(work=edit.changed, exit_code=exit_code)
        return
    from openclaw_cli.jobs import reconcile

    config = load(app.paths)
    task = reconcile.reconcile(config)
    document["job"] = {name: task[name] for name in ("status", "jobId", "removedIds")}
    document["settings"] = control.settings_document(config)
    app.emit(document, as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterable[str]:
    """What was switched, and how dreaming is set now."""
    from openclaw_cli.dreaming.control import settings_lines

    word = "enabled" if document["enabled"] else "disabled"
    if document.get("dryRun"):
        yield f"Dreaming would be {word}." if document["changed"] else f"Dreaming is {word}."
        return
    yield f"Dreaming {word}."
    yield ""
    yield from settings_lines(document["settings"])
