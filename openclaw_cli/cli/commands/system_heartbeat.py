"""The switches of all heartbeats: ``system heartbeat last|enable|disable``."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, group


@command("last")
@click.pass_obj
def last(app: App, *, as_json: bool) -> None:
    """Print the last heartbeat event as JSON, null when there was none."""
    from openclaw_cli.heartbeat import state

    app.out.document(state.read(app.paths).get("lastEvent"))


@command("enable")
@click.pass_obj
def enable(app: App, *, as_json: bool) -> None:
    """Let the heartbeats of all agents run again."""
    _switch(app, on=True)


@command("disable")
@click.pass_obj
def disable(app: App, *, as_json: bool) -> None:
    """Pause the heartbeats of all agents until they are enabled again."""
    _switch(app, on=False)


@group("heartbeat")
def cli(as_json: bool) -> None:
    """The last heartbeat event, and the switch for all heartbeats."""


for _command in (last, enable, disable):
    cli.add_command(_command)


def _switch(app: App, *, on: bool) -> None:
    from openclaw_cli.heartbeat import state

    state.change(app.paths, lambda known: known.update(enabled=on))
    app.out.document({"ok": True, "enabled": on})
