"""Writing notes into an index and taking them out again.

Everything here happens inside the caller's transaction.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from openclaw_cli.memory.chunks import chunk_text
from openclaw_cli.memory.index_schema import NO_EMBEDDING, Identity, sha256
from openclaw_cli.memory.text import bare_claim, encode_like_javascript
from openclaw_cli.memory.windows import Window, split_windows, window_label
from openclaw_cli.memory.words import index_text
from openclaw_cli.memory.workspace import source_of

if TYPE_CHECKING:
    import sqlite3

    from openclaw_cli.memory.index_notes import NoteText

REPORTS = "memory/dreaming/"
_LOST_WINDOWS = """
SELECT w.id, w.text FROM windows w JOIN notes n ON n.id = w.note
WHERE n.path IN (SELECT path FROM temp.gone)"""
_REMOVALS = (
    "DELETE FROM windows WHERE note IN"
    " (SELECT id FROM notes WHERE path IN (SELECT path FROM temp.gone))",
    "DELETE FROM vectors WHERE chunk IN"
    " (SELECT id FROM chunks WHERE path IN (SELECT path FROM temp.gone))",
    "DELETE FROM notes WHERE path IN (SELECT path FROM temp.gone)",
    "DELETE FROM chunks_fts WHERE path IN (SELECT path FROM temp.gone)",
    "DELETE FROM chunks WHERE path IN (SELECT path FROM temp.gone)",
    "DELETE FROM files WHERE path IN (SELECT path FROM temp.gone)",
)
_DATED_NAME = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})(?:-[^/]*)?\.[a-z]+$")


def chunk_id(path: str, start: int, end: int, text_hash: str, model: str) -> str:
    """The id of a chunk, the same in every program that shares the index format."""
    return sha256(f"{source_of(path)}:{path}:{start}:{end}:{text_hash}:{model}")


def day_of_path(path: str) -> str | None:
    """The date in the name of a dated note."""
    found = _DATED_NAME.search(path)
    return found.group(1) if found else None


def add_note(db: sqlite3.Connection, note: NoteText, identity: Identity, now_ms: int) -> int:
    """Index one note that is not in the index; how many chunks it has."""
    db.execute(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
        (note.path, source_of(note.path), sha256(note.text), note.mtime_ms, note.size),
    )
    _add_windows(db, note)
    return _add_chunks(db, note, identity, now_ms)


def remove_notes(db: sqlite3.Connection, paths: Collection[str]) -> None:
    """Take notes out of every table; embeddings stay in the cache."""
    if not paths:
        return
    db.execute("CREATE TEMP TABLE IF NOT EXISTS gone (path TEXT PRIMARY KEY)")
    db.execute("DELETE FROM gone")
    db.executemany("INSERT OR IGNORE INTO gone VALUES (?)", [(path,) for path in paths])
    words = db.execute(_LOST_WINDOWS).fetchall()
    db.executemany(
        "INSERT INTO windows_fts(windows_fts, rowid, words) VALUES ('delete', ?, ?)",
        [(row, index_text(bare_claim(text))) for row, text in words],
    )
    for statement in _REMOVALS:
        db.execute(statement)


def touch_note(db: sqlite3.Connection, path: str, stamp: str, mtime_ms: float) -> None:
    """Remember the new state of a file whose text is the same."""
    db.execute("UPDATE notes SET stamp = ? WHERE path = ?", (stamp, path))
    db.execute("UPDATE files SET mtime = ? WHERE path = ?", (mtime_ms, path))


def _add_chunks(db: sqlite3.Connection, note: NoteText, identity: Identity, now_ms: int) -> int:
    rows = {}
    source = source_of(note.path)
    for start, end, text in chunk_text(
        note.text, tokens=identity.chunk_tokens, overlap=identity.chunk_overlap
    ):
        if note.messages:
            start, end = note.messages[start - 1].line, note.messages[end - 1].line
        text_hash = sha256(text)
        row_id = chunk_id(note.path, start, end, text_hash, identity.model)
        rows[row_id] = (start, end, text_hash, _storable(text))
    db.executemany(
        "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (row, note.path, source, start, end, hash_, identity.model, text, NO_EMBEDDING, now_ms)
            for row, (start, end, hash_, text) in rows.items()
        ],
    )
    db.executemany(
        "INSERT INTO chunks_fts VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (text, row, note.path, source, identity.model, start, end)
            for row, (start, end, _hash, text) in rows.items()
        ],
    )
    return len(rows)


def _add_windows(db: sqlite3.Connection, note: NoteText) -> None:
    windows = _windows_of(note)
    texts = [_storable(window.text) for window in windows]
    indexed = [index_text(bare_claim(text)) for text in texts]
    derived = None if note.messages else _derived_lines(note)
    sizes = [words.count(" ") + 1 for words in indexed]
    first = db.execute("SELECT coalesce(max(id), 0) + 1 FROM windows").fetchone()[0]
    cursor = db.execute(
        "INSERT INTO notes(path, stamp, day, windows, words) VALUES (?, ?, ?, ?, ?)",
        (note.path, note.stamp, day_of_path(note.path), len(windows), sum(sizes)),
    )
    number = cursor.lastrowid
    db.executemany(
        "INSERT INTO windows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (first + at, number, window.start, window.end, sizes[at],
             None if window.heading is None else first + window.heading,
             window.is_heading, derived is not None and derived[window.start - 1],
             window.day, window_label(texts[at]), texts[at])
            for at, window in enumerate(windows)
        ],
    )  # fmt: skip
    db.executemany(
        "INSERT INTO windows_fts(rowid, words) VALUES (?, ?)",
        [(first + at, words) for at, words in enumerate(indexed)],
    )


def _windows_of(note: NoteText) -> list[Window]:
    """The windows of a note; in a conversation each message is one."""
    if note.messages is None:
        return split_windows(note.text)
    return [
        Window(message.line, message.line, message.text, day=message.day)
        for message in note.messages
    ]


def _derived_lines(note: NoteText) -> list[bool] | None:
    """Which lines dreaming wrote, from what other notes say; None when it wrote none."""
    if note.path.startswith(REPORTS):
        return [True] * (note.text.count("\n") + 1)
    if "openclaw:dreaming:" not in note.text:
        return None
    from openclaw_cli.memory.notes import managed_lines, split_lines

    return managed_lines(split_lines(note.text))


def _storable(text: str) -> str:
    """``text`` as SQLite can hold it: lone halves of surrogate pairs replaced."""
    return encode_like_javascript(text).decode("utf-8") if not text.isascii() else text
