"""The state of the search index, and bringing it up to date (``memory.md`` 2.8, 3)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from openclaw_cli.config.load import Config
from openclaw_cli.errors import ModelUnavailable, OpenClawError
from openclaw_cli.memory import index_build, index_schema
from openclaw_cli.memory.access import Memory
from openclaw_cli.memory.index import make_plan
from openclaw_cli.memory.search_settings import KEYWORD_ONLY
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3

BATCH = {
    "enabled": False,
    "failures": 0,
    "limit": 2,
    "wait": True,
    "concurrency": 2,
    "pollIntervalMs": 2000,
    "timeoutMs": 3_600_000,
}


class _Counts(NamedTuple):
    """What is in an index; ``identity`` None when there is none, ``dims`` of its vectors.

    ``by_source`` counts files and chunks.
    """

    by_source: Mapping[str, tuple[int, int]] = MappingProxyType({})
    cached: int = 0
    vectors: int = 0
    identity: dict[str, Any] | None = None
    dims: int | None = None
    dirty: bool = True
    mismatch: str | None = None
    problem: str | None = None


def status(config: Config, paths: Paths, agent_id: str) -> dict[str, Any]:
    """The ``status`` object of one agent; looks only, and never at the provider."""
    memory = Memory(config, paths, agent_id, now_ms=0)
    settings = memory.settings
    counts = _count(memory)
    keyword_only = settings.keyword_only
    model = settings.model if config_names_model(memory) else None
    if model is None and counts.identity and not keyword_only:
        stored = counts.identity.get("model")
        model = stored if stored != index_schema.KEYWORD_MODEL else None
    cache: dict[str, Any] = {"enabled": settings.cache_enabled}
    if settings.cache_enabled:
        cache["entries"] = counts.cached
    if settings.cache_limit is not None:
        cache["maxEntries"] = settings.cache_limit
    fts: dict[str, Any] = {"enabled": keyword_only or settings.query.hybrid, "available": True}
    missing = _missing_search()
    if missing:
        fts |= {"available": False, "error": missing}
    return {
        "backend": "builtin",
        "files": sum(files for files, _chunks in counts.by_source.values()),
        "chunks": sum(chunks for _files, chunks in counts.by_source.values()),
        "dirty": counts.dirty,
        "workspaceDir": str(memory.workspace.root),
        "dbPath": str(memory.index_path),
        "provider": settings.provider,
        **({"model": model} if model and not keyword_only else {}),
        "requestedProvider": settings.requested_provider,
        "sources": list(settings.sources),
        "extraPaths": list(settings.extra_paths),
        "sourceCounts": [
            {"source": source, "files": files, "chunks": chunks}
            for source in settings.sources
            for files, chunks in [counts.by_source.get(source, (0, 0))]
        ],
        "cache": cache,
        "fts": fts,
        "vector": _vector(memory, counts),
        "batch": dict(BATCH),
        "custom": _custom(memory, counts),
    }


def config_names_model(memory: Memory) -> bool:
    """Whether the settings say which embedding model to use."""
    from openclaw_cli.config import agents

    block = agents.agent_block(memory.config, memory.agent_id, "memorySearch", deep=True)
    return isinstance(block.get("model"), str) and bool(block["model"].strip())


def probe(config: Config, paths: Paths, agent_id: str) -> dict[str, Any]:
    """Whether the embedding provider answers: ``ok`` and, if not, ``error``."""
    from openclaw_cli.memory import vectors
    from openclaw_cli.state import clock

    memory = Memory(config, paths, agent_id, clock.now_ms())
    if memory.settings.keyword_only:
        return {"ok": False, "error": "keyword-only search needs no embeddings"}
    try:
        embedder = vectors.find_embedder(config, agent_id, memory.settings, memory.now_ms)
        if embedder is None:
            provider = memory.settings.provider
            return {"ok": False, "error": f"no API key for provider {provider!r}"}
        embedder.query("ping")
    except ModelUnavailable as error:
        return {"ok": False, "error": error.message}
    return {"ok": True}


def update(config: Config, paths: Paths, agent_id: str, now_ms: int) -> None:
    """Bring the index of one agent up to date; raises ``OpenClawError``."""
    update_index(Memory(config, paths, agent_id, now_ms), force=False)


def update_index(memory: Memory, *, force: bool) -> dict[str, Any]:
    """Bring an index up to date, ``force`` anew: counts, and ``warnings`` for people."""
    warnings: list[str] = []
    embedder = memory.embedder(warnings)
    try:
        with memory.opened(embedder, force=force, asked_for=True) as (db, report):
            files, chunks = _rows(db)
    except ModelUnavailable as error:
        if memory.settings.explicit:
            raise
        warnings.append(f"indexed without embeddings: {error.message}")
        with memory.opened(None, force=force, asked_for=True) as (db, report):
            files, chunks = _rows(db)
    return {
        "agentId": memory.agent_id,
        "files": files,
        "chunks": chunks,
        "changed": report.changed,
        "removed": report.removed,
        **({"rebuilt": report.rebuilt} if report.rebuilt else {}),
        "warnings": warnings + report.warnings,
    }


def _rows(db: sqlite3.Connection) -> tuple[int, int]:
    files: int = db.execute("SELECT count(*) FROM files").fetchone()[0]
    chunks: int = db.execute("SELECT count(*) FROM chunks").fetchone()[0]
    return files, chunks


def _rows_by_source(db: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    chunks = dict(db.execute("SELECT source, count(*) FROM chunks GROUP BY source").fetchall())
    files = db.execute("SELECT source, count(*) FROM files GROUP BY source").fetchall()
    return {source: (count, chunks.get(source, 0)) for source, count in files}


def _count(memory: Memory) -> _Counts:
    """Count what is in the index file; an unusable one is a problem, not an error."""
    import contextlib
    import sqlite3

    if not memory.index_path.is_file():
        return _Counts()
    try:
        with contextlib.closing(index_build.connect(memory.index_path)) as db:
            meta = index_schema.read_meta(db)
            identity = index_schema.stored_identity(meta)
            if identity is None:
                return _Counts(problem="not an index of this program")
            by_source = _rows_by_source(db)
            cached = db.execute("SELECT count(*) FROM embedding_cache").fetchone()[0]
            if meta.get(index_schema.OWN_KEY) is None:
                return _Counts(by_source, cached, identity=identity)
            return _own_counts(memory, db, _Counts(by_source, cached, identity=identity))
    except (sqlite3.DatabaseError, OpenClawError) as error:
        return _Counts(problem=str(error))


def _own_counts(memory: Memory, db: sqlite3.Connection, counts: _Counts) -> _Counts:
    vectors, size = db.execute("SELECT count(*), max(length(data)) FROM vectors").fetchone()
    try:
        embedder = memory.embedder([])
    except ModelUnavailable:
        embedder = None
    plan = make_plan(db, memory.index_file(embedder), memory.notes(), force=False)
    return counts._replace(
        vectors=vectors,
        dims=size // 8 if size else None,
        dirty=plan.work,
        mismatch=plan.rebuild,
    )


def _vector(memory: Memory, counts: _Counts) -> dict[str, Any]:
    if memory.settings.keyword_only:
        return {"enabled": False}
    found: dict[str, Any] = {"enabled": True}
    if counts.vectors:
        found |= {"storeAvailable": True, "semanticAvailable": True, "available": True}
        found["dims"] = counts.dims
    return found


def _custom(memory: Memory, counts: _Counts) -> dict[str, Any]:
    settings = memory.settings
    mode = "active" if counts.vectors else "pending"
    search_mode = "hybrid" if settings.query.hybrid else "vector-only"
    if settings.keyword_only:
        mode = search_mode = "fts-only"
    found: dict[str, Any] = {
        "searchMode": search_mode,
        "providerState": {"mode": mode, "requestedProvider": settings.requested_provider},
        "readonlyRecovery": {"attempts": 0, "successes": 0, "failures": 0},
    }
    if settings.keyword_only and settings.provider == KEYWORD_ONLY:
        found["providerUnavailableReason"] = "keyword-only search was chosen"
    found["indexIdentity"] = _identity(counts)
    return found


def _identity(counts: _Counts) -> dict[str, str]:
    if counts.problem is not None:
        return {"status": "mismatched", "reason": f"index unusable: {counts.problem}"}
    if counts.identity is None:
        return {"status": "missing"}
    if counts.mismatch is not None:
        return {"status": "mismatched", "reason": counts.mismatch}
    return {"status": "valid"}


def _missing_search() -> str | None:
    """Why this Python's SQLite cannot search text, None when it can."""
    import sqlite3

    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
    except sqlite3.OperationalError as error:
        return str(error)
    finally:
        db.close()
    return None
