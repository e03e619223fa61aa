"""``openclaw changes``: what was removed, and how to undo it (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, completed, limit_option, option, since_option


@command("changes")
@since_option()
@option("--command", "wanted", metavar="C", help="Only what this command did, e.g. cleanup.")
@option(
    "--key",
    metavar="K",
    shell_complete=completed("session_keys"),
    help="Only this session key, entry key or id.",
)
@limit_option(help="Show at most N changes.")
@option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON row a line.")
@click.pass_obj
def cli(
    app: App,
    /,
    since_ms: int | None,
    wanted: str | None,
    key: str | None,
    limit: int | None,
    as_jsonl: bool,
    as_json: bool,
) -> None:
    """Show what was removed, archived, restored or dropped, newest first.

    Each line says what it was, by which rule it went, where it is now, and the command
    that brings it back.

    \b
    Examples:
      openclaw changes --since 24h
      openclaw changes --command "sessions cleanup" --json
      openclaw changes --key agent:main:telegram:direct:123
    """
    from openclaw_cli.state import changes

    found = changes.find(app.paths, since_ms=since_ms, command=wanted, key=key, limit=limit)
    document = {"count": len(found), "changes": found}
    if as_jsonl:
        app.out.json_lines(found)
    else:
        app.emit(document, as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterator[str]:
    """The changes for people: what, why, where to, and the way back."""
    from openclaw_cli.cli.output import cell

    if not document["changes"]:
        yield "No changes found."
        return
    yield f"Changes: {document['count']}"
    for change in document["changes"]:
        name = change.get("key") or change.get("path") or ""
        yield ""
        when, command, what, rule = (
            change.get(part) or "-" for part in ("ts", "command", "what", "rule")
        )
        yield cell(f"{when}  {command}: {what} {name} [{rule}]")
        if change.get("key") and change.get("path"):
            yield cell(f"  was:  {change['path']}")
        if change.get("movedTo"):
            yield cell(f"  now:  {change['movedTo']}")
        if change.get("undo"):
            yield cell(f"  undo: {change['undo']}")
