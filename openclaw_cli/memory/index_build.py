"""Building a whole index file, aside or in memory (``memory.md`` 2.3).

A rebuild is made in a file beside the index and renamed over it, so that nobody ever reads
half of one. The caller holds the index's lock.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_cli.errors import NotWritable
from openclaw_cli.memory import index_schema as schema
from openclaw_cli.memory.index_notes import NoteState, read_note
from openclaw_cli.memory.index_schema import Identity
from openclaw_cli.state import files

if TYPE_CHECKING:
    import sqlite3

BUSY_TIMEOUT_S = 10.0


@dataclass
class IndexFile:
    """Where an index lies and what it is for.

    ``keep_embeddings`` lets a keyword-only run use an index that has embeddings: what is
    added meanwhile gets its embeddings by a later run that has a provider. ``asked_for``:
    the index itself is what is wanted, not only an answer; so embeddings that were paid for
    may be replaced when the settings have changed, and a file that cannot be written fails.
    """

    path: Path
    identity: Identity
    now_ms: int
    keep_embeddings: bool = False
    asked_for: bool = False


@dataclass
class Report:
    """What a synchronisation did, in notes; ``warnings`` are for people."""

    changed: int = 0
    removed: int = 0
    rebuilt: str | None = None
    warnings: list[str] = field(default_factory=list)


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing index file, in autocommit mode."""
    import sqlite3

    return sqlite3.connect(
        f"file:{_quoted(path)}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None
    )


def discard(path: Path) -> None:
    """Remove an index file with its journals."""
    for suffix in ("-journal", "-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


def rebuild(index: IndexFile, notes: list[NoteState], report: Report) -> None:
    """Build the index aside and put it in place of the old one; caller holds the lock."""
    files.make_dir(index.path.parent)
    _sweep_leftovers(index.path)
    aside = index.path.with_name(f"{index.path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with contextlib.closing(connect(aside)) as db:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            _fill(db, index, notes, report)
            _carry_cache(db, index.path)
        _flush(aside)
        for suffix in ("-journal", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{index.path}{suffix}")
        os.replace(aside, index.path)
    except OSError as error:
        raise NotWritable(
            f"cannot write {index.path}: {error.strerror or error}", path=index.path
        ) from error
    finally:
        discard(aside)
    files.sync_dir(index.path.parent)


def in_memory(index: IndexFile, notes: list[NoteState], report: Report) -> sqlite3.Connection:
    import sqlite3

    db = sqlite3.connect(":memory:", isolation_level=None)
    _fill(db, index, notes, report)
    return db


def _fill(db: sqlite3.Connection, index: IndexFile, notes: list[NoteState], report: Report) -> None:
    from openclaw_cli.memory import index_rows as rows

    synced_ms = time.time_ns() // 1_000_000
    schema.create(db, index.identity)
    db.execute("BEGIN")
    for note in notes:
        text = read_note(note, report.warnings)
        if text is not None:
            rows.add_note(db, text, index.identity, index.now_ms)
            report.changed += 1
    schema.set_meta(db, schema.SYNCED_KEY, str(synced_ms))
    db.execute("COMMIT")


def _carry_cache(db: sqlite3.Connection, old: Path) -> None:
    """Take the embeddings that were paid for over into the new file, if they can be read."""
    import sqlite3

    if not old.is_file():
        return
    try:
        db.execute("ATTACH DATABASE ? AS old", (f"file:{_quoted(old)}?mode=ro",))
    except sqlite3.DatabaseError:
        return
    with contextlib.suppress(sqlite3.DatabaseError):
        db.execute(
            "INSERT OR IGNORE INTO main.embedding_cache"
            " SELECT provider, model, provider_key, hash, embedding, dims, updated_at"
            " FROM old.embedding_cache"
        )
    db.execute("DETACH DATABASE old")


def _sweep_leftovers(path: Path) -> None:
    """Remove files that killed rebuilds left aside; the caller holds the lock."""
    for leftover in path.parent.glob(f"{path.name}.*.tmp"):
        discard(leftover)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(os.fspath(path))
