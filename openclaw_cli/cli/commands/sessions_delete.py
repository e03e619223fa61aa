"""``openclaw sessions delete``: single sessions, archived (``sessions.md`` 16)."""

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
    require_words,
    store_option,
)


@command("delete")
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
    """Delete sessions; their transcripts become archives.

    KEY is a full key, a key without its agent:<id>: (then of --agent, else of the default
    agent), or a session id. The main session is refused (use 'sessions reset'), a session
    whose turn is going on is busy; the other keys are still done.

    \b
    Examples:
      openclaw sessions delete agent:main:telegram:direct:123
      openclaw sessions delete cron:old-report --agent work --dry-run
      openclaw sessions restore agent:main:telegram:direct:123     take it back
    """
    require_words(keys, "session")
    run_removal(
        app, "delete", keys,
        agent=agent, store=store, dry_run=dry_run, exit_code=exit_code, as_json=as_json,
    )  # fmt: skip


def run_removal(
    app: App,
    operation: str,
    keys: tuple[str, ...],
    *,
    as_json: bool,
    dry_run: bool,
    exit_code: bool,
    **place: str | None,
) -> None:
    """The body that delete and reset share."""
    from openclaw_cli.sessions.removal import Removal

    removal = Removal(app.config, app.paths, operation, app.now_ms(), dry_run)
    document = removal.run(keys, **place)
    app.emit(document, as_json=as_json, render=render)
    for result in document["results"]:
        if "error" in result:
            app.warn(result["error"])
    app.finish(failed=not document["ok"])
    if dry_run:
        app.finish_dry_run(work=True, exit_code=exit_code)


def render(document: dict[str, Any]) -> Iterator[str]:
    """One line per key, and one per archive."""
    from openclaw_cli.cli.output import cell

    would = "would be " if document["dryRun"] else ""
    for result in document["results"]:
        key = cell(result["key"])
        # A trial's session id is not the one that the run will draw.
        drawn = "" if document["dryRun"] else f" (new session id {result.get('sessionId')})"
        yield {
            "deleted": f"{key}: {would}deleted",
            "reset": f"{key}: {would}reset{drawn}",
            "unknown": f"{key}: no such session",
            "protected": f"{key}: the main session is not deleted; use 'openclaw sessions reset'",
            "busy": f"{key}: in use right now; try again when its turn has finished",
            "unusable": f"{key}: the row is no object and cannot be reset",
            "failed": f"{key}: its transcript could not be archived; it stays",
        }[result["status"]]
        for path in result["archived"]:
            yield f"  {would}archived: {path}"
