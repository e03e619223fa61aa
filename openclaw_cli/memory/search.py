"""Searching the memory of an agent (``memory.md`` 2).

``search`` brings the index up to date, asks both sides, merges, ages, orders and selects.
It writes nothing but the index; ``record`` is what a caller does afterwards to have the
search counted as a recall.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import ModelUnavailable, OpenClawError
from openclaw_cli.memory import index, merging
from openclaw_cli.memory.access import Memory
from openclaw_cli.memory.hits import Hit
from openclaw_cli.memory.keyword_search import Asked, Found, keyword_hits
from openclaw_cli.memory.settings import dreaming_enabled, dreaming_zone
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3

    from openclaw_cli.memory.vectors import Embedder

__all__ = ["Memory", "Outcome", "Query", "SearchFailed", "record", "search"]


class SearchFailed(OpenClawError):
    """A search that cannot answer: "nothing found" would be a lie."""

    code = "search-failed"


class Query(NamedTuple):
    """A search: blank text finds nothing. ``min_score`` given is a floor, else a wish.

    ``max_results`` and ``min_score`` None take the settings'.
    """

    text: str
    max_results: int | None = None
    min_score: float | None = None


@dataclass
class Outcome:
    """What a search found; ``warnings`` are for people, ``tried`` explains an empty result."""

    query: str
    hits: list[Hit] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    tried: dict[str, Any] = field(default_factory=dict)

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """The document of ``memory search --json``."""
        document: dict[str, Any] = {"results": [hit.to_json(explain=explain) for hit in self.hits]}
        if explain:
            document["explain"] = self.tried
        return document


def search(memory: Memory, query: Query) -> Outcome:
    """Search the memory of one agent.

    Raises ``SearchFailed`` when it cannot be told what is there: the provider that was
    named does not answer, or the index does not fit and only ``memory index`` may rebuild
    it; ``Busy`` when another process keeps the index from being built.
    """
    outcome = Outcome(query.text.strip())
    if not outcome.query:
        return outcome
    try:
        embedder = memory.embedder(outcome.warnings)
        try:
            _search(memory, query, embedder, outcome)
        except ModelUnavailable as error:
            if memory.settings.explicit:
                raise
            outcome.warnings.append(f"searched by keywords only: {error.message}")
            _search(memory, query, None, outcome)
    except (ModelUnavailable, index.IndexMismatch) as error:
        raise SearchFailed(
            f"Memory search failed: {error.message}", path=error.path, hint=error.hint
        ) from error
    return outcome


def record(memory: Memory, outcome: Outcome, *, command: str = "memory search") -> None:
    """Count a search as a recall of the windows that answered, when dreaming is on.

    ``command`` is on whose behalf the store is written. Never fails: what went wrong is one
    more of the outcome's warnings.
    """
    if not outcome.hits or not dreaming_enabled(memory.config):
        return
    from openclaw_cli.memory import recall
    from openclaw_cli.memory.recall_store import Writer

    writer = Writer(memory.paths, memory.now_ms, command)
    day = clock.day_in(memory.now_ms, dreaming_zone(memory.config))
    hits = merging.recalls(outcome.hits)
    try:
        recall.record(memory.workspace, outcome.query, hits, day=day, writer=writer)
    except (OpenClawError, OSError) as error:
        outcome.warnings.append(f"the search was not recorded: {error}")


def _search(memory: Memory, query: Query, embedder: Embedder | None, outcome: Outcome) -> None:
    """One try; an index that turns out to be damaged is built anew and asked again."""
    import sqlite3

    sync = memory.settings.sync_on_search
    try:
        with memory.opened(embedder, sync=sync) as (db, report):
            hits = _ask_both(memory, query, embedder, db, outcome)
    except sqlite3.DatabaseError:
        with memory.opened(embedder, force=True) as (db, report):
            hits = _ask_both(memory, query, embedder, db, outcome)
    outcome.warnings += report.warnings
    if not hits:  # then what could not be looked at matters
        outcome.warnings += memory.issues()
    outcome.hits = hits


def _ask_both(
    memory: Memory,
    query: Query,
    embedder: Embedder | None,
    db: sqlite3.Connection,
    outcome: Outcome,
) -> list[Hit]:
    settings = memory.settings.query
    if query.max_results is not None:
        settings = settings._replace(max_results=query.max_results)
    found = Found()
    if embedder is None or settings.hybrid:
        asked = Asked(
            outcome.query, settings.max_results, settings.candidates(),
            memory.settings.tokenizer, memory.today, answers=dreaming_enabled(memory.config),
        )  # fmt: skip
        found = keyword_hits(db, asked)
    outcome.tried = found.tried
    hits = found.hits
    vector: list[float] = []
    if embedder is not None:
        vector = embedder.query(outcome.query)
        hits = merging.merge(db, hits, vector, settings, query=outcome.query)
    if settings.decay:
        merging.age(db, hits, memory.now_ms, settings.half_life_days)
    hits.sort(key=lambda hit: -hit.score)
    if settings.mmr:
        hits = merging.diversify(hits, settings.mmr_lambda)
    floor = settings.min_score if query.min_score is None else query.min_score
    strict = query.min_score is not None
    chosen = merging.select(hits, settings.max_results, floor, strict=strict)
    if embedder is not None and dreaming_enabled(memory.config):
        merging.find_answers(db, chosen, embedder, vector)
    return chosen
