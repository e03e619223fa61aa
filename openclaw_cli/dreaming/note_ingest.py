"""Ingests the daily notes of a look-back (``dreaming.md`` 3.2, 12.1, 12.5).

A piece of a note counts one signal for as long as its text stands in that note: lying
there for another night is no new evidence. ``daily-ingestion.json`` remembers one row per
note; rows of both look-backs are kept, so that neither phase undoes the other's.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming.bench import Bench, keep_aside
from openclaw_cli.dreaming.days import Lookback
from openclaw_cli.dreaming.draft import Step
from openclaw_cli.dreaming.evidence import settle
from openclaw_cli.dreaming.snippets import cut_note
from openclaw_cli.dreaming.workspaces import NOTE_CHECKPOINT, note_checkpoint_path
from openclaw_cli.memory import recording
from openclaw_cli.memory.entries import day_number
from openclaw_cli.memory.recording import Signal
from openclaw_cli.state import jsontext, redact
from openclaw_cli.state.files import Stat
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.tuples import NamedTuple

QUERY = "__dreaming_daily__:"
SCORE = 0.62
LEAST_TOTAL = 20
LEAST_PER_FILE = 6

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md", re.IGNORECASE)

Row = dict[str, Any]


class NoteFile(NamedTuple):
    """A daily note: its day, its name, where it is."""

    day: str
    name: str
    path: Path

    @property
    def key(self) -> str:
        """The note's path in entries and checkpoint."""
        return f"memory/{self.name}"


@dataclass
class Checkpoint:
    """What was ingested of which note; ``read`` are those of this sweep."""

    rows: dict[str, Row] = field(default_factory=dict)
    broken: bool = False
    read: set[str] = field(default_factory=set)


class Ingested(NamedTuple):
    """How many notes were read, and how many new signals they gave."""

    notes: int
    signals: int


def load(bench: Bench) -> Checkpoint:
    """The checkpoint; one that cannot be used counts as empty and is kept aside."""
    path = note_checkpoint_path(bench.workspace)
    text = bench.draft.hold(path, what=NOTE_CHECKPOINT)
    if text is None:
        return Checkpoint()
    try:
        document = jsontext.loads(text)
        rows = document["files"]
        return Checkpoint({key: row for key, row in rows.items() if _is_row(row)})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        note = f"{NOTE_CHECKPOINT} {path} is unusable; it is kept aside and started anew"
        bench.warnings.append(note)
        keep_aside(bench.draft, path, what=NOTE_CHECKPOINT)
        return Checkpoint(broken=True)


def save(bench: Bench, checkpoint: Checkpoint) -> None:
    """Put the checkpoint into the draft, when it has or had anything to say."""
    path = note_checkpoint_path(bench.workspace)
    if not checkpoint.rows and not checkpoint.broken and not bench.draft.exists(path):
        return
    document = {"version": 1, "files": checkpoint.rows}
    bench.draft.write(path, dumps(document) + "\n", Step.CHECKPOINT)


def ingest(bench: Bench, checkpoint: Checkpoint, lookback: Lookback, limit: int) -> Ingested:
    """Count the pieces of new and changed notes of ``lookback``; ``limit`` is the phase's."""
    notes = list_notes(bench, lookback.has_note)
    total = max(LEAST_TOTAL, 4 * limit)
    per_file = max(LEAST_PER_FILE, math.ceil(total / max(1, len(notes))))
    done, read, counted = 0, 0, 0
    for note in notes:
        if done >= total:
            break
        stat = bench.draft.stat(note.path)
        if stat is None or _is_known(checkpoint.rows.get(note.key), stat, bench.today):
            continue
        pieces, new = _read_note(bench, checkpoint, note, min(per_file, total - done))
        done, read, counted = done + pieces, read + 1, counted + new
        row: Row = {"mtimeMs": stat.mtime_ms, "size": stat.size}
        if pieces:
            row["lastDreamingDayIngested"] = bench.today
        checkpoint.rows[note.key] = row
    return Ingested(read, counted)


def prune(bench: Bench, checkpoint: Checkpoint) -> None:
    """Drop the rows of notes that no phase looks at any more."""
    spans = bench.lookbacks()
    notes = list_notes(bench, lambda day: any(span.has_note(day) for span in spans))
    wanted = {note.key for note in notes}
    checkpoint.rows = {key: row for key, row in checkpoint.rows.items() if key in wanted}


def list_notes(bench: Bench, wanted: Callable[[str], bool]) -> list[NoteFile]:
    """The daily notes of ``wanted`` days, newest day first, the plain name before slugged ones.

    A file of another day is not looked at: a workspace keeps the notes of years.
    """
    found = []
    names = {path.name for path in bench.draft.pending() if path.parent == _folder(bench)}
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        names |= set(os.listdir(_folder(bench)))
    for name in names:
        match = _NAME.fullmatch(name)
        if match is None or not wanted(match[1]) or day_number(match[1]) is None:
            continue
        path = _folder(bench) / name
        if bench.draft.exists(path):
            found.append(NoteFile(match[1], name, path))
    found.sort(key=lambda note: (len(note.name) > len("YYYY-MM-DD.md"), note.name))
    found.sort(key=lambda note: note.day, reverse=True)
    return found


def warn_of_future_notes(bench: Bench) -> None:
    """Notes dated after today are left alone until their day comes; say so."""
    names = [note.name for note in list_notes(bench, lambda day: day > bench.today)]
    if names:
        shown = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
        bench.warnings.append(f"{len(names)} note(s) dated after today are left alone: {shown}")


def _folder(bench: Bench) -> Path:
    return bench.workspace.memory_dir


def _read_note(bench: Bench, checkpoint: Checkpoint, note: NoteFile, limit: int) -> tuple[int, int]:
    """Ingest one note; how many pieces it has and how many of them counted.

    A note that this sweep has changed itself is read again as it stands; what moved in it
    is joined by the next sweep.
    """
    text = bench.draft.read(note.path, what="note", strict=False) or ""
    pieces = [
        piece._replace(text=redact.secrets(piece.text))
        for piece in cut_note(text.removeprefix("\ufeff"), limit)
    ]
    if note.key not in checkpoint.read:
        checkpoint.read.add(note.key)
        gone = settle(
            bench.store, bench.signals.entries, note.key, snippets=pieces, reader=bench.reader()
        )
        bench.remove(gone.items(), "claim-changed")
    if not pieces:
        return 0, 0
    query = f"{QUERY}{note.day}"
    signals = (
        Signal(note.key, piece.start, piece.end, piece.text, SCORE, query, bench.today)
        for piece in pieces
    )
    batch = [recording.on_known_day(bench.store, signal) for signal in signals]
    return len(pieces), bench.record(query, batch)


def _is_known(row: Row | None, stat: Stat, today: str) -> bool:
    return (
        row is not None
        and row.get("mtimeMs") == stat.mtime_ms
        and row.get("size") == stat.size
        and row.get("lastDreamingDayIngested") == today
    )


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("mtimeMs"), int | float)
        and isinstance(row.get("size"), int | float)
        and not isinstance(row["mtimeMs"], bool)
    )
