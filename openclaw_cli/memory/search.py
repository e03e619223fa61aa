"""Searching the memory of an agent (``memory.md`` 2).

``search`` brings the index up to date, asks both sides, merges, ages, orders and selects.
It writes nothing but the index; ``record`` is what a caller does afterwards to have the
search counted as a recall.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import ModelUnavailable, OpenClawError
from openclaw_cli.memory import index, scoring
from openclaw_cli.memory.hits import Hit
from openclaw_cli.memory.index_build import IndexFile, NoteState, Report, state_of
from openclaw_cli.memory.index_schema import KEYWORD_MODEL, Identity
from openclaw_cli.memory.keyword_search import (
    Asked,
    Found,
    answering_window,
    keyword_hits,
    windows_of_range,
)
from openclaw_cli.memory.search_settings import KEYWORD_ONLY, SearchSettings, search_settings
from openclaw_cli.memory.settings import dreaming_enabled, dreaming_zone
from openclaw_cli.memory.workspace import Scan, Workspace, scan_memory
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    import sqlite3
    from datetime import date

    from openclaw_cli.memory.vectors import Embedder


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


@dataclass
class Memory:
    """The searchable memory of one agent (its normalised id)."""

    config: Config
    paths: Paths
    agent_id: str
    now_ms: int

    def __post_init__(self) -> None:
        self.settings = search_settings(self.config, self.agent_id)
        root = agents.workspace_dir(self.config, self.paths, self.agent_id)
        self.workspace = Workspace(root)

    @property
    def index_path(self) -> Path:
        """Where the index is."""
        return self.paths.under("memory", f"{self.agent_id}.sqlite")

    def scan(self) -> Scan:
        """The memory files that there are."""
        extra = self.settings.extra_dirs(self.workspace.root, self.paths)
        return scan_memory(self.workspace, extra, display=self.paths.display)

    def notes(self) -> list[NoteState]:
        """The memory files as they are now."""
        return state_of(self.scan().files)

    def today(self) -> date:
        """The user's day."""
        return clock.local(self.now_ms, agents.user_zone(self.config)).date()

    def embedder(self, warnings: list[str]) -> Embedder | None:
        """The embedding provider; None for keywords only. A missing one is warned of once.

        Raises ``ModelUnavailable`` when a provider that was named cannot be used.
        """
        if self.settings.keyword_only:
            return None
        from openclaw_cli.memory import vectors

        try:
            return vectors.find_embedder(self.config, self.agent_id, self.settings, self.now_ms)
        except ModelUnavailable as error:
            if self.settings.explicit:
                raise
            warnings.append(f"searched by keywords only: {error.message}")
            return None

    def index_file(self, embedder: Embedder | None, *, may_renew: bool = False) -> IndexFile:
        """The index for a search with or without embeddings."""
        return IndexFile(
            self.index_path,
            make_identity(self.settings, embedder),
            self.now_ms,
            keep_embeddings=embedder is None and self.settings.provider != KEYWORD_ONLY,
            may_renew=may_renew,
        )

    @contextlib.contextmanager
    def opened(
        self,
        embedder: Embedder | None,
        *,
        sync: bool = True,
        force: bool = False,
        may_renew: bool = False,
    ) -> Iterator[tuple[sqlite3.Connection, Report]]:
        """The index with every wanted embedding in it; for the options see ``index.opened``."""
        from openclaw_cli.state import lock

        place = self.index_file(embedder, may_renew=may_renew)
        with index.opened(place, self.notes(), sync=sync, force=force) as (db, report):
            if embedder is not None:
                from openclaw_cli.memory import vectors

                vectors.embed_missing(db, embedder, lambda: lock.file_lock(place.path))
            yield db, report


def make_identity(settings: SearchSettings, embedder: Embedder | None) -> Identity:
    """What an index has to be built for."""
    scope = ""
    if settings.extra_paths:
        from openclaw_cli.memory.index_rows import sha256

        scope = sha256("\n".join(settings.extra_paths))
    return Identity(
        model=embedder.model if embedder else KEYWORD_MODEL,
        provider=embedder.place.provider if embedder else KEYWORD_ONLY,
        provider_key=embedder.key if embedder else KEYWORD_ONLY,
        sources=settings.sources,
        scope_hash=scope,
        chunk_tokens=settings.chunk_tokens,
        chunk_overlap=settings.chunk_overlap,
        tokenizer=settings.tokenizer,
    )


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
    from openclaw_cli.memory import recording
    from openclaw_cli.memory.recall_store import Writer

    writer = Writer(memory.paths, memory.now_ms, command)
    day = clock.day_in(memory.now_ms, dreaming_zone(memory.config))
    hits = [hit.to_recall() for hit in outcome.hits]
    try:
        recording.record_recall(memory.workspace, outcome.query, hits, day=day, writer=writer)
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
        outcome.warnings += memory.scan().issues
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
        hits = _merge(db, hits, vector, memory.settings, outcome.query)
    if settings.decay:
        _age(db, hits, memory.now_ms, settings.half_life_days)
    hits.sort(key=lambda hit: -hit.score)
    if settings.mmr:
        order = scoring.pick_diverse(
            [hit.score for hit in hits], [hit.snippet for hit in hits], settings.mmr_lambda
        )
        hits = [hits[position] for position in order]
        for position, hit in enumerate(hits, 1):
            hit.explain["mmr"] = {"position": position, "byScore": order[position - 1] + 1}
    floor = settings.min_score if query.min_score is None else query.min_score
    chosen = select(hits, settings.max_results, floor, strict=query.min_score is not None)
    if embedder is not None and dreaming_enabled(memory.config):
        _find_answers(db, chosen, embedder, vector)
    return chosen


def select(hits: list[Hit], max_results: int, floor: float, *, strict: bool) -> list[Hit]:
    """The first hits that reach ``floor``; when none does and it is only a wish, the best.

    Of hits below it only those that the keyword side found are taken.
    """
    good = [hit for hit in hits if hit.score >= floor]
    if not good and not strict:
        good = [hit for hit in hits if hit.keyword]
    return good[:max_results]


def _merge(
    db: sqlite3.Connection,
    keyword: list[Hit],
    vector: list[float],
    settings: SearchSettings,
    query: str,
) -> list[Hit]:
    """The union of both sides by chunk, scored by their weights."""
    from openclaw_cli.memory import vectors

    near = vectors.nearest(db, vector, settings.query.candidates())
    merged: dict[str, Hit] = {}
    for hit in keyword:
        best = merged.setdefault(hit.chunk_id, hit)
        if best.text_score < hit.text_score:
            merged[hit.chunk_id] = hit
    tokens = scoring.query_tokens(query)
    for chunk, similarity in near:
        if chunk not in merged:
            merged[chunk] = _vector_hit(db, chunk, tokens)
        merged[chunk].vector_score = similarity
    weights = settings.query
    for hit in merged.values():
        hit.vector_score = hit.vector_score or 0.0
        hit.score = (
            weights.vector_weight * hit.vector_score + weights.text_weight * hit.text_score
        )
        hit.explain |= {"vectorScore": hit.vector_score, "textScore": hit.text_score}
        if not near:  # no vectors to compare with: the merged score is all there is
            hit.boosted = 0.0
    return list(merged.values())


def _vector_hit(db: sqlite3.Connection, chunk: str, tokens: list[str]) -> Hit:
    path, start, end, text = db.execute(
        "SELECT path, start_line, end_line, text FROM chunks WHERE id = ?", (chunk,)
    ).fetchone()
    answer = answering_window(db, path, (start, end), tokens)
    return Hit(
        chunk, path, start, end, text, score=0.0, keyword=False, answer=answer,
        explain={"mode": "vector"},
    )  # fmt: skip


def _find_answers(
    db: sqlite3.Connection, hits: list[Hit], embedder: Embedder, vector: list[float]
) -> None:
    """Tell by meaning which window answered where no word of the query does."""
    from openclaw_cli.memory import vectors

    for hit in hits:
        if hit.answer is None:
            windows = windows_of_range(db, hit.path, (hit.start, hit.end))
            best = vectors.closest(embedder, vector, [window.text for window in windows])
            hit.answer = None if best is None else windows[best]


def _age(db: sqlite3.Connection, hits: list[Hit], now_ms: int, half_life_days: int) -> None:
    times = dict(db.execute("SELECT path, mtime FROM files").fetchall())
    for hit in hits:
        factor = scoring.decay(hit.path, times.get(hit.path, now_ms), now_ms, half_life_days)
        hit.score *= factor
        hit.boosted *= factor
        hit.explain["decay"] = factor
