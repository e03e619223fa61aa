"""``openclaw sessions copies``: where a conversation is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, completed, store_option
from openclaw_cli.state.amounts import counted, size_label


@command("copies")
@click.argument("key", shell_complete=completed("session_keys"))
@agent_option
@store_option
@click.pass_obj
def cli(app: App, key: str, agent: str | None, store: str | None, as_json: bool) -> None:
    """Tell where copies of a conversation are: every file that holds or names it.

    Looked through are the state directory and, of each workspace, its Markdown files and
    memory/: transcripts, archives, backups, the change log, what dreaming has read (there
    personal data is redacted) and what came of it, follow-ups and deliveries. What the
    agent wrote down in words of its own names no session and cannot be found.

    \b
    Examples:
      openclaw sessions copies telegram:direct:123
      openclaw sessions copies main --json | jq -r '.copies[].path'
    """
    from openclaw_cli.sessions import copies

    document = copies.find(app.config, app.paths, key, agent=agent, store=store)
    app.emit(document, as_json=as_json, render=lambda found: render(found, app))
    for path in document["unreadable"]:
        app.warn(f"{path} cannot be read; what it holds is not known")
    app.finish(failed=bool(document["unreadable"]))


def render(document: dict[str, Any], app: App) -> Iterator[str]:
    """The files for people, with how often each names the conversation."""
    from pathlib import Path

    from openclaw_cli.cli.output import Column, cell, table

    places = counted(document["count"], "place")
    yield cell(f"{document['key']}: {places}, {size_label(document['bytes'])} in all")
    if not document["copies"]:
        return
    columns = [Column("Kind"), Column("Size", right=True), Column("Mentions", right=True),
               Column("File")]  # fmt: skip
    yield from table(
        columns,
        [
            (
                copy["kind"] + (" (redacted)" if copy["redacted"] else ""),
                size_label(copy["bytes"]),
                str(copy["mentions"]),
                app.paths.display(Path(copy["path"])),
            )
            for copy in document["copies"]
        ],
    )
