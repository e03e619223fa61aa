"""``openclaw usage``: tokens spent and the budget left (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, since_option
from openclaw_cli.state.amounts import counted

BY = ("purpose", "model", "day")


@command()
@since_option(help="Count from then on: a duration back from now (24h) or a time; default 30d.")
@click.option("--by", type=click.Choice(BY), help="Show only this table.")
@click.pass_obj
def cli(app: App, since_ms: int | None, by: str | None, as_json: bool) -> None:
    """Show the tokens that model calls spent, and what is left of the day's budget.

    The budget is cli.budget.maxTokensPerDay. It stops background calls for the rest of
    the day, never an answer to a person.

    \b
    Examples:
      openclaw usage --since 24h
      openclaw usage --by model --json
    """
    from openclaw_cli.model import usage as core

    now = app.now_ms()
    since = now - core.DEFAULT_SPAN_MS if since_ms is None else since_ms
    document = core.report(app.config, since, now)
    app.emit(document, as_json=as_json, render=lambda shown: render_usage(shown, by))


def render_usage(document: dict[str, Any], by: str | None) -> Iterable[str]:
    """Totals, one table for each grouping, and the budget."""
    from openclaw_cli.state import clock

    totals = document["totals"]
    yield (
        f"Since {clock.iso(document['sinceMs'])}: {counted(totals['calls'], 'call')} "
        f"({totals['failed']} failed), {counted(totals['inputTokens'], 'token')} in, "
        f"{totals['outputTokens']} out"
    )
    for label in BY if by is None else (by,):
        rows = document[f"by{label.capitalize()}"]
        if rows:
            yield ""
            yield from _table(label, rows)
    yield ""
    yield render_budget(document["budget"])


def render_budget(budget: dict[str, int | None]) -> str:
    """The day's budget in one line."""
    if budget["maxTokensPerDay"] is None:
        used = counted(budget["usedToday"] or 0, "token")
        return f"Today: {used}, no budget (cli.budget.maxTokensPerDay)"
    return (
        f"Today: {budget['usedToday']} of {counted(budget['maxTokensPerDay'], 'token')}, "
        f"{budget['left']} left for background calls"
    )


def _table(label: str, rows: list[dict[str, Any]]) -> list[str]:
    from openclaw_cli.cli.output import Column, table

    columns = [Column(label.capitalize())]
    columns += [Column(title, right=True) for title in ("Calls", "Failed", "In", "Out")]
    keys = ("calls", "failed", "inputTokens", "outputTokens")
    return table(columns, [[row[label], *(str(row[key]) for key in keys)] for row in rows])
