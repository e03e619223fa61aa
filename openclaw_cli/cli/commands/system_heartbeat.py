"""The switches of all heartbeats: ``system heartbeat last|enable|disable``."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, dry_run_options, group


@command("last")
@click.pass_obj
def last(app: App, *, as_json: bool) -> None:
    """Print the last heartbeat event as JSON, null when there was none.

    \b
    Example:
      openclaw heartbeat last | jq -r .status
    """
    from openclaw_cli.heartbeat import state

    app.out.document(state.read(app.paths).get("lastEvent"))


@command("enable")
@dry_run_options
@click.pass_obj
def enable(app: App, *, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Let the heartbeats of all agents run again.

    \b
    Example:
      openclaw heartbeat enable
    """
    _switch(app, on=True, dry_run=dry_run, exit_code=exit_code)


@command("disable")
@dry_run_options
@click.pass_obj
def disable(app: App, *, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Pause the heartbeats of all agents until they are enabled again.

    \b
    Examples:
      openclaw heartbeat disable
      openclaw heartbeat disable --dry-run --exit-code    3 when they run now
    """
    _switch(app, on=False, dry_run=dry_run, exit_code=exit_code)


@group("heartbeat")
def cli(as_json: bool) -> None:
    """The last heartbeat event, and the switch for all heartbeats.

    \b
    Examples:
      openclaw system heartbeat last
      openclaw system heartbeat disable
    """


for _command in (last, enable, disable):
    cli.add_command(_command)


def _switch(app: App, *, on: bool, dry_run: bool, exit_code: bool) -> None:
    from openclaw_cli.heartbeat import state

    was_on = state.is_switched_on(state.read(app.paths))
    document = {"ok": True, "enabled": on}
    if dry_run:
        app.out.document(document | {"changed": was_on is not on, "dryRun": True})
        app.finish_dry_run(work=was_on is not on, exit_code=exit_code)
        return
    state.change(app.paths, lambda known: known.update(enabled=on))
    app.out.document(document)
