"""``openclaw sessions restore``: bring an archived session back (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    agent_option,
    command,
    completed,
    dry_run_options,
    option,
    store_option,
)


@command("restore")
@click.argument("what", metavar="ARCHIVE|KEY", shell_complete=completed("archives"))
@option(
    "--as",
    "as_key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="Restore under this session key.",
)
@option(
    "--replace",
    is_flag=True,
    help="Archive the conversation that has the session now, and restore in its place.",
)
@agent_option
@store_option
@dry_run_options
@click.pass_obj
def cli(
    app: App,
    /,
    what: str,
    as_key: str | None,
    replace: bool,
    agent: str | None,
    store: str | None,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Bring an archived session back: its transcript and its row.

    ARCHIVE is a path or a name as 'openclaw sessions archives' shows it; KEY means the
    newest archive of that session. A session that has another conversation by now is left
    alone unless --replace.

    \b
    Examples:
      openclaw sessions restore agent:main:telegram:direct:123
      openclaw sessions restore main --replace --dry-run
      openclaw sessions restore 4c1e.jsonl.deleted.2026-11-20T03-00-00.000Z --as old-talk
    """
    from openclaw_cli.sessions import restore

    options = restore.Options(as_key=as_key, replace=replace, dry_run=dry_run)
    document = restore.run(
        app.config, app.paths, what, options, agent=agent, store=store, now_ms=app.now_ms()
    )
    app.emit(document, as_json=as_json, render=render)
    if dry_run:
        app.finish_dry_run(work=True, exit_code=exit_code)


def render(document: dict[str, Any]) -> Iterator[str]:
    """What came back, for people."""
    verb = "Would restore" if document["dryRun"] else "Restored"
    yield f"{verb} {document['key']} (session id {document['sessionId']})"
    if document["from"] is None:
        yield "  the row only: there is no archive of its transcript"
    else:
        yield f"  from: {document['from']}"
        yield f"  to:   {document['to']}"
    if document["replaced"]:
        yield f"  the newer conversation: {document['replaced']}"
