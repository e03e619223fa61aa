"""``openclaw sessions reset``: begin sessions anew (``sessions.md`` 16)."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.sessions_delete import run_removal
from openclaw_cli.cli.options import (
    agent_option,
    command,
    completed,
    dry_run_options,
    require_words,
    store_option,
)


@command("reset")
@click.argument("keys", metavar="KEY...", nargs=-1, shell_complete=completed("session_keys"))
@agent_option
@store_option
@dry_run_options
@click.pass_obj
def cli(
    app: App,
    /,
    keys: tuple[str, ...],
    agent: str | None,
    store: str | None,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Begin sessions anew: a new session id, the old transcript becomes an archive.

    Switches, overrides, labels and routing stay; counters and what belongs to the old
    conversation go. KEY is a full key, a key without its agent:<id>:, or a session id.

    \b
    Examples:
      openclaw sessions reset main
      openclaw sessions reset agent:work:slack:channel:c1 --json
      openclaw sessions archives --reason reset              what was there before
    """
    require_words(keys, "session")
    run_removal(
        app, "reset", keys,
        agent=agent, store=store, dry_run=dry_run, exit_code=exit_code, as_json=as_json,
    )  # fmt: skip
