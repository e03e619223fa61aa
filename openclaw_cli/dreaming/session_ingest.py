"""Ingests what was said in transcripts (``dreaming.md`` 3.4, 12.6, 12.7).

New pieces go, redacted, to ``session-corpus/<day>.txt`` and count one signal each. A cursor
per transcript and the hashes of what was seen tell what is new; both lie in
``session-ingestion.json``. The cursor stops before anything that a later phase still has to
look at, and a transcript that only grew goes on at it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from typing import Any

from openclaw_cli.dreaming.bench import Bench, keep_aside
from openclaw_cli.dreaming.days import Lookback
from openclaw_cli.dreaming.draft import Step
from openclaw_cli.dreaming.snippets import LONGEST, split_text
from openclaw_cli.dreaming.workspaces import CHAT_CHECKPOINT
from openclaw_cli.memory import recording
from openclaw_cli.memory.chats import Chat, Chats, Piece
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.text import collapse, encode_like_javascript, utf16_length
from openclaw_cli.state import clock, jsontext
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.tuples import NamedTuple

VERSION = 3
QUERY = "__dreaming_sessions__:"
SCORE = 0.58
SHORTEST = 12
MOST_MESSAGES = 240
MOST_PER_FILE = 80
LEAST_PER_FILE = 12
MOST_HASHES = 4096
MOST_SCOPES = 2048

Row = dict[str, Any]


@dataclass
class Checkpoint:
    """How far each transcript was read, and what was seen in each session.

    After a failure it says more than was stored, and is not saved.
    """

    rows: dict[str, Row] = field(default_factory=dict)
    seen: dict[str, dict[str, None]] = field(default_factory=dict)
    broken: bool = False
    changed: bool = False
    failed: bool = False


class Ingested(NamedTuple):
    """How many messages were taken, and how many new signals they gave."""

    messages: int
    signals: int


class _Line(NamedTuple):
    """A line for the corpus of ``day``."""

    day: str
    reference: str
    text: str


def load(bench: Bench) -> Checkpoint:
    """The checkpoint; one that cannot be used counts as empty and is kept aside."""
    path = bench.workspace.session_ingestion_path
    text = bench.draft.hold(path, what=CHAT_CHECKPOINT)
    if text is None:
        return Checkpoint()
    try:
        document = jsontext.loads(text)
        rows, seen = document.get("files", {}), document.get("seenMessages", {})
        return Checkpoint(
            {key: row for key, row in rows.items() if _is_row(row)},
            {
                scope: dict.fromkeys(h for h in hashes if isinstance(h, str))
                for scope, hashes in seen.items()
                if isinstance(hashes, list)
            },
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        note = f"{CHAT_CHECKPOINT} {path} is unusable; it is kept aside and started anew"
        bench.warnings.append(note)
        keep_aside(bench.draft, path, what=CHAT_CHECKPOINT)
        return Checkpoint(broken=True)


def save(bench: Bench, checkpoint: Checkpoint, chats: Chats) -> None:
    """Put the checkpoint into the draft; rows of vanished transcripts are dropped."""
    if checkpoint.failed:
        return
    there = {chat.key for chat in chats.found}
    kept = {key: row for key, row in checkpoint.rows.items() if key in there}
    if not checkpoint.changed and not checkpoint.broken and len(kept) == len(checkpoint.rows):
        return
    scopes = sorted(scope for scope, hashes in checkpoint.seen.items() if hashes)[-MOST_SCOPES:]
    document = {
        "version": VERSION,
        "files": kept,
        "seenMessages": {scope: list(checkpoint.seen[scope])[-MOST_HASHES:] for scope in scopes},
    }
    path = bench.workspace.session_ingestion_path
    bench.draft.write(path, dumps(document) + "\n", Step.CHECKPOINT)


def ingest(
    bench: Bench, checkpoint: Checkpoint, chats: Chats, *, now: Lookback, later: list[Lookback]
) -> Ingested:
    """Take the new messages of the look-back ``now``, up to the caps of one call.

    What is outside of it but inside one of ``later`` stays in front of the cursor.
    """
    per_file = min(
        MOST_PER_FILE, max(LEAST_PER_FILE, math.ceil(MOST_MESSAGES / max(1, len(chats.found))))
    )
    lines: list[_Line] = []
    taken = 0
    checkpoint.failed = True
    for chat in chats.found:
        room = min(per_file, MOST_MESSAGES - taken)
        if room <= 0:
            break
        taken += _Reading(bench, checkpoint, chats, now, later).read(chat, room, lines)
    counted = _record(bench, lines)
    checkpoint.failed = False
    return Ingested(taken, counted)


@dataclass
class _Reading:
    """One pass over transcripts on behalf of a phase."""

    bench: Bench
    checkpoint: Checkpoint
    chats: Chats
    now: Lookback
    later: list[Lookback]

    def read(self, chat: Chat, room: int, lines: list[_Line]) -> int:
        """Take up to ``room`` messages of ``chat`` into ``lines``; how many were taken."""
        row = self.checkpoint.rows.get(chat.key)
        unchanged = row is not None and _is_unchanged(row, chat)
        if row is not None and unchanged and row["lastContentLine"] >= row["lineCount"]:
            return 0
        pieces = [] if chat.excluded else self.chats.pieces(chat)
        start = _start(row, pieces, unchanged=unchanged)
        taken, cursor = self._take(chat, pieces, start, room, lines)
        new: Row = {
            "mtimeMs": chat.stat.mtime_ms,
            "size": chat.stat.size,
            "contentHash": content_hash(pieces),
            "lineCount": len(pieces),
            "lastContentLine": cursor,
        }
        if new != row:
            self.checkpoint.rows[chat.key] = new
            self.checkpoint.changed = True
        return taken

    def _take(
        self, chat: Chat, pieces: list[Piece], start: int, room: int, lines: list[_Line]
    ) -> tuple[int, int]:
        """Number of messages taken, and the cursor behind what every phase is done with."""
        seen = self.checkpoint.seen.setdefault(chat.scope, {})
        taken, held = 0, None
        for index in range(start, len(pieces)):
            piece = pieces[index]
            at_ms = piece.at_ms if piece.at_ms is not None else chat.stat.mtime_ms
            if not self.now.has_time(at_ms):
                wanted_later = any(span.has_time(at_ms) for span in self.later)
                held = index if held is None and wanted_later else held
                continue
            snippets = [s for s in _snippets(piece) if _mark(chat, piece, s) not in seen]
            if not snippets:
                continue
            if taken >= room:
                return taken, index if held is None else held
            taken += 1
            self.checkpoint.changed = True
            for snippet in snippets:
                seen[_mark(chat, piece, snippet)] = None
                day = clock.day_in(at_ms, self.bench.settings.zone)
                reference = f"{chat.agent_id}/{chat.reference}#L{piece.line}"
                lines.append(_Line(day, reference, snippet))
        return taken, len(pieces) if held is None else held


def content_hash(pieces: list[Piece]) -> str:
    """What tells one content of a transcript from another."""
    parts = (
        "\n".join(piece.text for piece in pieces),
        ",".join(str(piece.line) for piece in pieces),
        ",".join(str(piece.at_ms or 0) for piece in pieces),
    )
    return sha256(encode_like_javascript("\n".join(parts))).hexdigest()


def _start(row: Row | None, pieces: list[Piece], *, unchanged: bool) -> int:
    """Where to go on: at the cursor when everything before it is as it was."""
    if row is None:
        return 0
    known = row["lineCount"]
    same = unchanged or (
        0 < known <= len(pieces) and content_hash(pieces[:known]) == row["contentHash"]
    )
    return min(row["lastContentLine"], len(pieces)) if same else 0


def _is_unchanged(row: Row, chat: Chat) -> bool:
    return bool(row["mtimeMs"] == chat.stat.mtime_ms and row["size"] == chat.stat.size)


def _snippets(piece: Piece) -> list[str]:
    """The piece in snippets of the store's length, each with the speaker in front."""
    label, _, said = collapse(piece.text).partition(": ")
    parts = split_text(said, LONGEST - len(label) - 2)
    return [text for part in parts if utf16_length(text := f"{label}: {part}") >= SHORTEST]


def _mark(chat: Chat, piece: Piece, snippet: str) -> str:
    when = f"line:{piece.line}" if piece.at_ms is None else f"ts:{piece.at_ms}"
    text = f"{chat.scope}\n{when}\n{snippet}"
    return sha1(encode_like_javascript(text), usedforsecurity=False).hexdigest()


def _record(bench: Bench, lines: list[_Line]) -> int:
    """Append the lines to the corpus, by day, and count their signals."""
    counted = 0
    for day in sorted({line.day for line in lines}):
        numbers = _append(bench, day, [line for line in lines if line.day == day])
        query = f"{QUERY}{day}"
        path = f"memory/.dreams/session-corpus/{day}.txt"
        signals = (
            Signal(path, number, number, text, SCORE, query, bench.today)
            for number, text in numbers
        )
        batch = [recording.on_known_day(bench.store, signal) for signal in signals]
        counted += bench.record(query, batch)
    return counted


def _append(bench: Bench, day: str, lines: list[_Line]) -> list[tuple[int, str]]:
    """The corpus line number of each line; those that are there already stay as they are.

    A sweep that died after it wrote the corpus has left its lines behind.
    """
    path = bench.workspace.corpus_dir / f"{day}.txt"
    text = bench.draft.read(path, what="corpus file", strict=False) or ""
    present = text.removesuffix("\n").split("\n") if text else []
    places = {whole: number for number, whole in enumerate(present, 1)}
    added = []
    numbers = []
    for line in lines:
        whole = f"[{line.reference}] {line.text}"
        if whole not in places:
            added.append(whole)
            places[whole] = len(present) + len(added)
        numbers.append((places[whole], line.text))
    if added:
        block = "".join(f"{whole}\n" for whole in added)
        bench.draft.append(path, block, Step.CORPUS, what="corpus file")
    return numbers


def _is_row(row: Any) -> bool:
    numbers = ("mtimeMs", "size", "lineCount", "lastContentLine")
    return (
        isinstance(row, dict)
        and all(type(row.get(name)) is int and row[name] >= 0 for name in numbers)
        and isinstance(row.get("contentHash"), str)
    )
