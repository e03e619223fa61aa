"""``openclaw dreaming diary``: the dream diary for reading (``dreaming.md`` 10.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, limit_option, option

KINDS = {"diary": "", "backfill": " (backfill)", "fallback": " (no words were found)"}


@command("diary")
@agent_option
@limit_option(help="Show at most N entries.")
@option("--raw", is_flag=True, help="Show the file as it is, your own text included.")
@click.pass_obj
def cli(app: App, agent: str | None, *, limit: int | None, raw: bool, as_json: bool) -> None:
    """Read the dream diary, newest entry first.

    Entries come from DREAMS.md and from the yearly files that older ones were moved to.

    \b
    Examples:
      openclaw dreaming diary --limit 3
      openclaw dreaming diary --json | jq '.entries[] | select(.kind == "backfill")'
      openclaw dreaming diary --raw > dreams-copy.md
    """
    from openclaw_cli.dreaming import actions

    target = actions.find_target(
        app.config, app.paths, app.now_ms(), agent=agent, command="dreaming diary"
    )
    document = actions.read_diary(target) if raw else actions.list_diary(target, limit=limit)
    if "problem" in document:
        app.warn(document["problem"])
    app.emit(document, as_json=as_json, render=render_file if raw else render)


def render(document: dict[str, Any]) -> Iterable[str]:
    """The entries as text."""
    if not document["entries"]:
        yield "No diary entries."
    for number, entry in enumerate(document["entries"]):
        if number:
            yield ""
        yield f"{entry['date'] or 'Undated'}{KINDS[entry['kind']]}"
        yield ""
        yield from entry["text"].split("\n")
    left = document["count"] - len(document["entries"])
    if left:
        yield ""
        yield f"{left} older entries; a larger --limit shows them."


def render_file(document: dict[str, Any]) -> Iterable[str]:
    """The file as text."""
    if not document["found"]:
        return ["No diary."]
    lines: list[str] = document["content"].split("\n")
    return lines[:-1] if lines[-1] == "" else lines
