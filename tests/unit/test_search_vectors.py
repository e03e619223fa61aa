"""Embeddings: batches, cache, nearest chunks."""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from openclaw_cli.memory import index_rows as rows
from openclaw_cli.memory import index_schema as schema
from openclaw_cli.memory import vectors
from openclaw_cli.memory.index_notes import NoteText
from openclaw_cli.memory.index_schema import Identity
from openclaw_cli.memory.vectors import Embedder


@dataclass
class FakeEmbedder:
    """Answers the length of a text; fails after ``good`` calls."""

    model: str = "m"
    key: str = "k"
    now_ms: int = 0
    good: int = 99
    place: Any = field(default_factory=lambda: SimpleNamespace(provider="p"))
    settings: Any = field(
        default_factory=lambda: SimpleNamespace(cache_enabled=True, cache_limit=None)
    )
    asked: list[list[str]] = field(default_factory=list)

    def documents(self, texts: list[str]) -> list[list[float]]:
        if len(self.asked) >= self.good:
            raise ConnectionError("down")
        self.asked.append(texts)
        return [[float(len(text)), 1.0] for text in texts]


def embedder(**how: Any) -> Any:
    return cast(Embedder, FakeEmbedder(**how))


IDENTITY = Identity("m", "p", "k", ("memory",), "", 100, 0, "unicode61")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    found = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(found, IDENTITY)
    for number in range(30):
        text = f"note {number} " + "x" * 390
        rows.add_note(found, NoteText(f"memory/{number}.md", text, "", 0, 0.0), IDENTITY, 0)
    yield found
    found.close()


def guard() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def test_batches_stay_below_their_bytes() -> None:
    items = [(str(n), "é" * 1500) for n in range(7)] + [("big", "x" * 9000), ("last", "y")]
    sizes = [[len(text.encode()) for _hash, text in batch] for batch in vectors.batches(items)]
    assert sizes == [[3000, 3000], [3000, 3000], [3000, 3000], [3000], [9000], [1]]


def test_an_interrupted_run_goes_on_where_it_stopped(db: sqlite3.Connection) -> None:
    broken = embedder(good=1)
    with pytest.raises(ConnectionError):
        vectors.embed_missing(db, broken, guard)
    (done,) = db.execute("SELECT count(*) FROM vectors").fetchone()
    assert 0 < done < 30
    rest = embedder()
    assert vectors.embed_missing(db, rest, guard) == 30 - done
    assert sum(map(len, rest.asked)) == 30 - done
    assert vectors.embed_missing(db, rest, guard) == 0


def test_equal_texts_are_embedded_once(db: sqlite3.Connection) -> None:
    vectors.embed_missing(db, embedder(), guard)
    text = "note 3 " + "x" * 390
    rows.add_note(db, NoteText("memory/copy.md", text, "", 0, 0.0), IDENTITY, 0)
    again = embedder()
    vectors.embed_missing(db, again, guard)
    assert again.asked == []


def test_the_cache_is_pruned_oldest_first(db: sqlite3.Connection) -> None:
    limited = embedder(settings=SimpleNamespace(cache_enabled=True, cache_limit=5))
    vectors.embed_missing(db, limited, guard)
    assert db.execute("SELECT count(*) FROM embedding_cache").fetchone() == (5,)
    off = embedder(settings=SimpleNamespace(cache_enabled=False, cache_limit=None))
    db.execute("DELETE FROM embedding_cache")
    db.execute("UPDATE chunks SET embedding = '[]'")
    vectors.embed_missing(db, off, guard)
    assert db.execute("SELECT count(*) FROM embedding_cache").fetchone() == (0,)


def test_a_note_that_changed_meanwhile_gets_no_vector(db: sqlite3.Connection) -> None:
    class Slow(FakeEmbedder):
        def documents(self, texts: list[str]) -> list[list[float]]:
            rows.remove_notes(db, ["memory/0.md"])
            return super().documents(texts)

    vectors.embed_missing(db, cast(Any, Slow()), guard)
    assert db.execute("SELECT count(*) FROM vectors").fetchone() == (29,)


def test_nearest_is_exact_and_skips_what_cannot_be_compared() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE vectors (chunk TEXT, data BLOB)")
    stored = {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 0.0], "d": [1.0, 0.0, 0.0]}
    for chunk, vector in stored.items():
        db.execute("INSERT INTO vectors VALUES (?, ?)", (chunk, array("d", vector).tobytes()))
    found = vectors.nearest(db, [2.0, 0.0], 2)
    assert [(chunk, round(score, 9)) for chunk, score in found] == [("a", 1.0), ("b", 0.707106781)]
    assert vectors.nearest(db, [0.0, 0.0], 2) == []
    assert len(vectors.nearest(db, [2.0, 0.0], 9)) == 3
    db.close()


def test_the_closest_text() -> None:
    assert vectors.closest(embedder(), [1.0, 0.0], ["a", "abc", "ab"]) == 1
    assert vectors.closest(embedder(), [1.0, 0.0], []) is None
    assert vectors.closest(embedder(), [0.0, 0.0], ["a"]) is None
