"""``openclaw memory search``: find notes by words, questions and meaning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.memory import SHARE
from openclaw_cli.cli.options import WholeNumber, agent_option, command, option

if TYPE_CHECKING:
    from openclaw_cli.memory.search import Outcome

DISABLED = "Memory search disabled."
MISSING_QUERY = "Missing search query. Provide a positional query or use --query <text>."


@command("search")
@click.argument("query", nargs=-1, metavar="[QUERY]")
@option("--query", "asked", metavar="TEXT", help="The query; wins over the argument.")
@option("--max-results", metavar="N", type=WholeNumber(1), help="Show at most N hits (default 6).")
@option("--min-score", metavar="X", type=SHARE, help="Leave out hits below this score (0 to 1).")
@option("--explain", is_flag=True, help="Say how each score came about, or what was tried.")
@agent_option
@click.pass_obj
def cli(
    app: App, query: tuple[str, ...], asked: str | None, *, max_results: int | None,
    min_score: float | None, explain: bool, agent: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Search MEMORY.md, the notes and the extra paths; conversations, too, if so configured.

    A query whose words all stand in one place finds that place. Any other is taken as a
    question: word forms, misspellings and dates ("last May", "2026-05") are understood, and
    the lines that answer best are shown. With dreaming on, what was found counts as recalled.

    \b
    Examples:
      openclaw memory search "router vlan"
      openclaw memory search "what did we decide about backups last May?"
      openclaw memory search 备份方案 --max-results 3
      openclaw memory search --query "router vlan" --explain --json
    """
    if len(query) > 1:
        raise click.UsageError(f"Put a query of several words in quotes: {' '.join(query)!r}.")
    text = asked if asked is not None else "".join(query)
    if not text.strip():
        raise click.UsageError(MISSING_QUERY)
    from openclaw_cli.config import agents
    from openclaw_cli.memory.access import Memory
    from openclaw_cli.memory.search import Query, record, search

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    memory = Memory(config, app.paths, agent_id, app.now_ms())
    if not memory.settings.enabled:
        say_disabled(app, as_json=as_json)
        if as_json:
            app.out.document({"results": [], "disabled": True})
        return
    outcome = search(memory, Query(text, max_results, min_score))
    for warning in outcome.warnings:
        app.warn(warning)
    if as_json:
        app.out.document(outcome.to_json(explain=explain))
    else:
        app.out.lines(render(outcome, explain=explain))
    told = len(outcome.warnings)
    record(memory, outcome)  # after the answer, which must not wait for the store's lock
    for warning in outcome.warnings[told:]:
        app.warn(warning)


def say_disabled(app: App, *, as_json: bool) -> None:
    """Tell that search is switched off; with ``--json`` on stderr."""
    if as_json:
        app.out.note(DISABLED)
    else:
        app.out.lines([DISABLED])


def render(outcome: Outcome, *, explain: bool) -> Iterator[str]:
    """A block for each hit: score and place, the text, and how the score came about."""
    from openclaw_cli.memory.text import fixed

    if not outcome.hits:
        yield "No matches."
        if explain:
            yield from _tried(outcome.tried)
        return
    for number, hit in enumerate(outcome.hits):
        if number:
            yield ""
        yield f"{fixed(hit.score, 3)} {hit.path}:{hit.start}-{hit.end}"
        if explain:
            yield f"  {_explained(hit.to_json(explain=True)['explain'])}"
        last = number == len(outcome.hits) - 1
        yield hit.snippet.rstrip() if last else hit.snippet
        if hit.duplicates:
            places = (f"{d['path']}:{d['startLine']}-{d['endLine']}" for d in hit.duplicates)
            yield f"  also in {', '.join(places)}"


def _explained(parts: dict[str, Any]) -> str:
    """The parts of a score on one line."""
    words = []
    for name, value in parts.items():
        if isinstance(value, dict):
            inner = " ".join(f"{key}={_number(part)}" for key, part in value.items())
            words.append(f"{name}({inner})")
        else:
            words.append(f"{name}={_number(value)}")
    return " ".join(words)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tried(tried: dict[str, Any]) -> Iterator[str]:
    if "tokens" in tried:
        yield f"  tokens: {', '.join(tried['tokens']) or 'none'}"
    if "keywords" in tried:
        yield f"  keywords: {', '.join(tried['keywords']) or 'none'}"
    for word, forms in tried.get("forms", {}).items():
        yield f"  {word}: {', '.join(forms) or 'no such word in any note'}"
    for days in tried.get("days", ()):
        yield f"  days: {days[0]} to {days[1]}"
