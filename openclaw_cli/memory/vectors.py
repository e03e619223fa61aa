"""Embeddings of chunks: making, keeping and searching them (``memory.md`` 2.2, 2.3).

Vectors are compared one by one, exactly. What was embedded once is kept by its text, so a
rebuild pays for nothing twice. No lock is held while the provider works.
"""

from __future__ import annotations

import contextlib
import heapq
import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING

from openclaw_cli.config.load import Config
from openclaw_cli.memory.index_schema import NO_EMBEDDING, sha256
from openclaw_cli.memory.search_settings import SearchSettings

if TYPE_CHECKING:
    import sqlite3

    from openclaw_cli.model.refs import Endpoint

BATCH_BYTES = 8_000
QUERY_TIMEOUT_S = 60.0

Guard = Callable[[], AbstractContextManager[None]]


@dataclass
class Embedder:
    """A usable embedding provider of one agent."""

    config: Config
    agent_id: str
    settings: SearchSettings
    place: Endpoint
    model: str
    now_ms: int

    @property
    def key(self) -> str:
        """A hash of what decides which vectors come back, secrets left out."""
        parts = [self.place.base_url, sorted(self.place.headers), self.settings.input_types]
        return sha256(json.dumps(parts))

    def query(self, text: str) -> list[float]:
        """The vector of a query."""
        kind = self.settings.input_types[0]
        return self._embed([text], kind, QUERY_TIMEOUT_S)[0]

    def documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of chunks."""
        return self._embed(texts, self.settings.input_types[1], self.settings.batch_timeout_s)

    def _embed(self, texts: list[str], kind: str | None, timeout_s: float) -> list[list[float]]:
        from openclaw_cli.model import client

        request = client.EmbedRequest(
            self.place, self.model, texts, agent_id=self.agent_id, input_type=kind,
            timeout_s=timeout_s,
        )  # fmt: skip
        return client.embed(self.config, request, now_ms=self.now_ms)


def find_embedder(
    config: Config, agent_id: str, settings: SearchSettings, now_ms: int
) -> Embedder | None:
    """The provider to use; None for keywords only, by wish or because there is no key.

    Raises ``ModelUnavailable`` when a provider is named that cannot be used.
    """
    if settings.keyword_only:
        return None
    from openclaw_cli.model import embeddings

    found = embeddings.resolve(config, agent_id)
    if found is None:
        return None
    place, model = found
    return Embedder(config, agent_id, settings, place, model, now_ms)


def embed_missing(db: sqlite3.Connection, embedder: Embedder, guard: Guard) -> int:
    """Give every chunk without a vector its own; how many there were.

    ``guard`` makes the context that a write happens in. Each batch is kept as it comes, so
    that an interrupted run goes on where it stopped.
    """
    missing = db.execute(
        "SELECT id, hash, text FROM chunks WHERE embedding = ?", (NO_EMBEDDING,)
    ).fetchall()
    if not missing:
        return 0
    cached = _cached(db, embedder, {row[1] for row in missing})
    known = [(chunk, hash_, cached[hash_]) for chunk, hash_, _text in missing if hash_ in cached]
    if known:
        with guard():
            _store(db, embedder, known, fresh=False)
    todo = {hash_: text for _chunk, hash_, text in missing if hash_ not in cached}
    for batch in batches(list(todo.items())):
        vectors = embedder.documents([text for _hash, text in batch])
        made = {hash_: vector for (hash_, _text), vector in zip(batch, vectors, strict=True)}
        rows = [(chunk, hash_, made[hash_]) for chunk, hash_, _text in missing if hash_ in made]
        with guard():
            _store(db, embedder, rows, fresh=True)
    return len(missing)


def batches(items: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """``items`` (hash, text) in groups of at most ``BATCH_BYTES`` bytes of text."""
    group: list[tuple[str, str]] = []
    size = 0
    for item in items:
        weight = len(item[1].encode())
        if group and size + weight > BATCH_BYTES:
            yield group
            group, size = [], 0
        group.append(item)
        size += weight
    if group:
        yield group


def nearest(db: sqlite3.Connection, query: Sequence[float], limit: int) -> list[tuple[str, float]]:
    """The ``limit`` chunks most similar to ``query`` by cosine, best first.

    A query of zeros is similar to nothing, and so is a vector of another length.
    """
    if not _length(query):
        return []
    found = []
    for chunk, data in db.execute("SELECT chunk, data FROM vectors"):
        vector = array("d")
        vector.frombytes(data)
        if len(vector) == len(query):
            found.append((chunk, cosine(query, vector)))
    return heapq.nsmallest(limit, found, key=lambda pair: (-pair[1], pair[0]))


def closest(embedder: Embedder, query: Sequence[float], texts: list[str]) -> int | None:
    """The index of the text most similar to ``query``; None when nothing is."""
    if not texts or not _length(query):
        return None
    vectors: list[list[float]] = []
    for batch in batches([("", text) for text in texts]):
        vectors += embedder.documents([text for _hash, text in batch])
    scores = [cosine(query, vector) for vector in vectors]
    best = max(range(len(scores)), key=scores.__getitem__)
    return best if scores[best] > 0 else None


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine similarity; 0 for vectors of different lengths or of zeros."""
    lengths = _length(one) * _length(other)
    if len(one) != len(other) or not lengths:
        return 0.0
    return float(sum(map(mul, one, other)) / lengths)


def _length(vector: Sequence[float]) -> float:
    return float(sum(map(mul, vector, vector)) ** 0.5)


def _cached(db: sqlite3.Connection, embedder: Embedder, hashes: set[str]) -> dict[str, list[float]]:
    if not embedder.settings.cache_enabled:
        return {}
    rows = db.execute(
        "SELECT hash, embedding FROM embedding_cache"
        " WHERE provider = ? AND model = ? AND provider_key = ?",
        (embedder.place.provider, embedder.model, embedder.key),
    )
    return {hash_: json.loads(text) for hash_, text in rows if hash_ in hashes}


def _store(
    db: sqlite3.Connection,
    embedder: Embedder,
    rows: Sequence[tuple[str, str, list[float]]],
    *,
    fresh: bool,
) -> None:
    """Write vectors (chunk id, text hash, vector); ``fresh`` ones go to the cache as well."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for chunk, hash_, vector in rows:
            text = json.dumps(vector, separators=(",", ":"))
            changed = db.execute("UPDATE chunks SET embedding = ? WHERE id = ?", (text, chunk))
            if changed.rowcount:  # the note may have changed while the provider worked
                data = array("d", vector).tobytes()
                db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (chunk, data))
            if fresh and embedder.settings.cache_enabled:
                db.execute(
                    "INSERT OR REPLACE INTO embedding_cache VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (embedder.place.provider, embedder.model, embedder.key, hash_, text,
                     len(vector), embedder.now_ms),
                )  # fmt: skip
        _prune_cache(db, embedder.settings.cache_limit)
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(Exception):
            db.execute("ROLLBACK")
        raise


def _prune_cache(db: sqlite3.Connection, limit: int | None) -> None:
    if limit is not None:
        db.execute(
            "DELETE FROM embedding_cache WHERE rowid IN (SELECT rowid FROM embedding_cache"
            " ORDER BY updated_at DESC, rowid DESC LIMIT -1 OFFSET ?)",
            (limit,),
        )
