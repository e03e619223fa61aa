"""``openclaw memory``: the group, and what its commands share. Each command is its own module."""

from __future__ import annotations

import re
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import group

INDEX = {
    "status": Entry("memory_status", "Show index, recall store and dreaming state."),
    "index": Entry("memory_index", "Bring the search index up to date."),
    "search": Entry("memory_search", "Search the memory files."),
    "get": Entry("memory_get", "Print a memory file or some of its lines."),
    "promote": Entry("memory_promote", "Rank what was recalled; write the best to MEMORY.md."),
    "promote-explain": Entry("memory_explain", "Say why one candidate passes or not."),
    "rem-harness": Entry("memory_rem_harness", "Preview what REM sleep would say."),
    "rem-backfill": Entry("memory_rem_backfill", "Write diary entries for old daily notes."),
}


@group("memory", index=INDEX, invoke_without_command=True)
@click.pass_context
def cli(ctx: click.Context, as_json: bool) -> None:
    """Search, rank and promote memory.

    Notes live in memory/ of an agent's workspace, what lasts in its MEMORY.md.

    \b
    Examples:
      openclaw memory search "router vlan"      find a note
      openclaw memory promote                   what would be promoted, and its score
      openclaw memory promote --apply           write it to MEMORY.md
      openclaw memory status --fix              check and repair the recall store
    """
    if ctx.invoked_subcommand is None:
        if as_json:
            raise click.UsageError("Missing command.", ctx)
        app: App = ctx.obj
        app.out.lines(ctx.get_help().split("\n"))


class Share(click.ParamType[float]):
    """A decimal number from 0 to 1, written without an exponent."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float | int):
            return float(value)
        text = str(value).strip()
        if not re.fullmatch(r"\+?(?:\d+(?:\.\d*)?|\.\d+)", text) or float(text) > 1:
            self.fail(f"{value!r} is not a decimal number from 0 to 1", param, ctx)
        return float(text)


SHARE = Share()
