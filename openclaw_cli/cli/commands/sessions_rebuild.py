"""``openclaw sessions rebuild``: a lost store, from its transcripts (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, store_option
from openclaw_cli.state.amounts import counted


@command("rebuild")
@agent_option
@store_option
@dry_run_options
@click.pass_obj
def cli(
    app: App,
    /,
    agent: str | None,
    store: str | None,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Re-create a session store that is missing or unreadable from its transcripts.

    The damaged file is moved aside, not deleted. A session gets the key that the change
    log or a backup of the store knows for it, else agent:<id>:explicit:<session id>.

    \b
    Examples:
      openclaw sessions rebuild --dry-run
      openclaw sessions rebuild --agent work --json
    """
    from openclaw_cli.sessions import discovery, rebuild

    target = discovery.targets(app.config, app.paths, agent=agent, store=store)[0]
    document = rebuild.run(target, app.paths, now_ms=app.now_ms(), dry_run=dry_run)
    app.emit(document, as_json=as_json, render=render)
    if dry_run:
        app.finish_dry_run(work=True, exit_code=exit_code)


def render(document: dict[str, Any]) -> Iterator[str]:
    """What was rebuilt, for people."""
    verb = "Would rebuild" if document["dryRun"] else "Rebuilt"
    yield f"{verb} {document['storePath']}: {counted(document['rows'], 'session')}"
    yield f"Keys known: {document['keysFound']}; made from the session id: {document['keysMade']}"
    if document["movedAside"]:
        yield f"The damaged store: {document['movedAside']}"
    for skipped in document["skipped"]:
        yield f"Skipped: {skipped['path']} ({skipped['reason']})"
