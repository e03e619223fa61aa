"""Who gets the credit when a claim was met again (``memory.md`` 12.21).

A search credits the line that answered, if that line is a claim. A re-phrasing in another
note or chat counts for the entry that the claim already has, so that its evidence is in
one place; of two values the newer one takes the entry over. Where else a claim was met is
kept in the entry's ``restated``, the promoted entry that it corrects in ``supersedes``, the
days of the searches in ``askedDays``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from openclaw_cli.memory import claim_matching, recording
from openclaw_cli.memory.claim_matching import Likeness, Weights
from openclaw_cli.memory.claim_places import (
    is_one_claim,
    is_searched,
    noted_day,
    refusal_at,
    windows_within,
)
from openclaw_cli.memory.entries import (
    ASKED_DAYS,
    MAX_DAYS,
    RESTATED,
    SUPERSEDES,
    Entry,
    entry_key,
    normalize_snippet,
    query_hash,
)
from openclaw_cli.memory.joining import join
from openclaw_cli.memory.notes import Note, NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Kind, Recorded, Signal
from openclaw_cli.memory.similarity import is_same_claim
from openclaw_cli.memory.words import fold
from openclaw_cli.memory.workspace import is_corpus, is_short_term, normalize_path
from openclaw_cli.state import clock, redact
from openclaw_cli.state.tuples import NamedTuple

MOST_RESTATED = 12
CREDITED_SHARE = 0.8  # of the best score: what only shares a word with the query is no answer
REPLACING = 0.4  # likeness from which a phrasing that is found more often stands for the claim

Row = dict[str, Any]


def credit(
    store: RecallStore, signals: Iterable[Signal], reader: NoteReader, now_ms: int
) -> Recorded:
    """Count the hits of one search, best first, for the claims that they are.

    A claim counts once however many of its phrasings were found. Refused are lines that
    are no claims, several claims at once, and lines with a credential.
    """
    book = _Book(store, searched_only=False)
    done = Recorded()
    met: set[str] = set()
    signals = list(signals)
    least = CREDITED_SHARE * max((signal.score for signal in signals), default=0)
    for signal in signals:
        if signal.score < least:
            done.refused.append((signal, "beside-the-point"))
            continue
        signal = signal._replace(path=normalize_path(signal.path))
        reason = _refusal(signal, reader)
        if reason is not None:
            done.refused.append((signal, reason))
            continue
        key = book.home_of(signal)
        if key in met:
            done.repeated.append(key)
            continue
        met.add(key)
        if book.is_elsewhere(key, signal):
            _count_for(store.entries[key], signal, "recall", now_ms)
            done.counted.append(key)
            done.changed = True
        else:
            one = recording.add(store, [signal], kind="recall", now_ms=now_ms)
            for name in ("counted", "repeated", "refused"):
                getattr(done, name).extend(getattr(one, name))
            done.changed = done.changed or one.changed
            for counted in one.counted:
                _note_asked(store.entries[counted], signal.day)
                met.add(counted)
                book.note(counted)
    return done


def spread(store: RecallStore, pieces: Sequence[Signal], reader: NoteReader, now_ms: int) -> int:
    """Give the claims that ingested ``pieces`` hold their daily signal; how many got one.

    For claims that were searched for or staged and have an entry of their own; each note
    or day of chats counts once for a claim.
    """
    book = _Book(store, searched_only=True)
    if not book:
        return 0
    counted = 0
    for piece in pieces:
        query = query_hash(piece.query)
        for signal in _claims_of(piece, reader):
            key = book.home_of(signal)
            entry = store.entries.get(key)
            own = entry_key(piece.path, piece.start_line, piece.end_line)
            if entry is None or key == own or not is_searched(entry):
                continue  # a piece has had its own signal
            if query not in entry["queryHashes"]:
                _count_for(entry, signal, "daily", now_ms)
                counted += 1
    return counted


def newer(one: Entry, other_path: str) -> bool:
    """Whether the note ``other_path`` is of a later day than that of the entry."""
    was, now = noted_day(one["path"]), noted_day(other_path)
    return was is not None and now is not None and was < now


class _Match(NamedTuple):
    key: str
    likeness: Likeness


class _Book:
    """The claims of a store, by what they say."""

    def __init__(self, store: RecallStore, *, searched_only: bool) -> None:
        self._store = store
        self._texts: dict[str, str] = {}
        self._places: dict[tuple[str, int, int], str] = {}
        for key, entry in store.entries.items():
            if not searched_only or is_searched(entry):
                self.note(key)
        self._weights = Weights(self._texts.values())

    def __bool__(self) -> bool:
        return bool(self._texts)

    def note(self, key: str) -> None:
        """Take an entry in, as it is now."""
        entry = self._store.entries[key]
        if not entry["snippet"] or not is_short_term(entry["path"]) or not is_one_claim(entry):
            return
        self._texts[key] = fold(entry["snippet"])
        for row in entry.get(RESTATED, ()):
            self._places[(row["path"], row["startLine"], row["endLine"])] = key

    def home_of(self, signal: Signal) -> str:
        """The key of the entry that a claim counts for: its own, or that of its like.

        Where the claim is the newer or the more asked-for statement, the entry moves to it.
        """
        own = entry_key(signal.path, signal.start_line, signal.end_line)
        entry = self._store.entries.get(own)
        if entry is not None and own in self._texts and is_searched(entry):
            return own
        known = self._places.get((signal.path, signal.start_line, signal.end_line))
        match = self._best(signal, own)
        if match is None or (known and known in self._store.entries and known != match.key):
            return known if known and known in self._store.entries else own
        holder = self._store.entries[match.key]
        other_value = match.likeness.relation == "other-value"
        later = newer(holder, signal.path)
        if "promotedAt" in holder:
            return self._correct(match.key, own, signal) if other_value and later else match.key
        outdone = (
            match.likeness.strength >= REPLACING
            and not other_value
            and _tally(holder, signal) > _own_tally(holder)
        )
        if (other_value and later) or outdone:
            return self._move(match.key, own, signal)
        return match.key

    def is_elsewhere(self, key: str, signal: Signal) -> bool:
        """Whether the entry ``key`` exists and stands at another place than the claim."""
        entry = self._store.entries.get(key)
        place = (signal.path, signal.start_line, signal.end_line)
        return entry is not None and (
            (entry["path"], entry["startLine"], entry["endLine"]) != place
        )

    def _best(self, signal: Signal, own: str) -> _Match | None:
        said = claim_matching.read(normalize_snippet(signal.snippet))
        best: _Match | None = None
        for key, text in self._texts.items():
            entry = self._store.entries.get(key)
            if key == own or entry is None or not any(head in text for head in said.heads):
                continue
            other = claim_matching.read(entry["snippet"])
            pair = (other, said) if not _is_older(signal, entry) else (said, other)
            likeness = claim_matching.compare(*pair, self._weights)
            corrected = "promotedAt" in entry and self._is_corrected(key)
            if likeness is None or corrected:
                continue
            if best is None or likeness.strength > best.likeness.strength:
                best = _Match(key, likeness)
        return best

    def _is_corrected(self, key: str) -> bool:
        return any(e.get(SUPERSEDES) == key for e in self._store.entries.values())

    def _move(self, key: str, own: str, signal: Signal) -> str:
        """Let the entry ``key`` stand where the claim stands, under ``own``."""
        entries = self._store.entries
        there = entries.get(own)
        if there is not None and not is_same_claim(there["snippet"], signal.snippet):
            return key
        holder = entries[key]
        moved = _standing_at(holder, own, signal)
        moved[RESTATED] = _with_row(holder, _row(holder, _own_tally(holder)), signal)
        if there is not None:
            join(moved, there)
        self._store.entries = {
            (own if at == key else at): (moved if at == key else entry)
            for at, entry in entries.items()
            if at != own
        }
        self._texts.pop(key, None)
        self.note(own)
        return own

    def _correct(self, key: str, own: str, signal: Signal) -> str:
        """A claim with the evidence of the promoted one that it corrects, under ``own``."""
        holder = self._store.entries[key]
        made = _standing_at(holder, own, signal)
        made.pop("promotedAt", None)
        made.pop(SUPERSEDES, None)
        made[RESTATED] = _with_row(holder, _row(holder, _own_tally(holder)), signal)
        made[SUPERSEDES] = key
        there = self._store.entries.get(own)
        if there is not None:
            join(made, there)
        self._store.entries[own] = made
        self.note(own)
        return own


def _refusal(signal: Signal, reader: NoteReader) -> str | None:
    if redact.holds_secret(signal.snippet):
        return "secret"
    note = reader.read(signal.path)
    if not isinstance(note, Note):
        return None
    windows = windows_within(note, signal.path, signal.start_line, signal.end_line)
    if len(windows) > 1:
        return "several-claims"
    return refusal_at(note, signal.start_line, signal.end_line, signal.snippet)


def _claims_of(piece: Signal, reader: NoteReader) -> Iterator[Signal]:
    """The claims in an ingested piece, as signals of their own."""
    note = reader.read(piece.path)
    if not isinstance(note, Note):
        return
    noted = noted_day(piece.path)
    day = noted.isoformat() if noted else piece.day
    for window in windows_within(note, piece.path, piece.start_line, piece.end_line):
        text = window.text
        if refusal_at(note, window.start, window.end, text) is None and not redact.holds_secret(
            text
        ):
            yield piece._replace(
                start_line=window.start, end_line=window.end, snippet=text, day=day
            )


def _is_older(signal: Signal, entry: Entry) -> bool:
    was, now = noted_day(entry["path"]), noted_day(signal.path)
    return was is not None and now is not None and now < was


def _count_for(entry: Entry, signal: Signal, kind: Kind, now_ms: int) -> None:
    """Count a meeting at another place; the entry stays where it is."""
    recording.count_elsewhere(entry, signal, kind=kind, now_iso=clock.iso(now_ms))
    if kind == "recall":
        _note_asked(entry, signal.day)
    place = (signal.path, signal.start_line, signal.end_line)
    if (entry["path"], entry["startLine"], entry["endLine"]) == place:
        return
    rows: list[Row] = entry.setdefault(RESTATED, [])
    row = _row_at(rows, signal)
    if row is None:
        row = _row(
            {"path": signal.path, "startLine": signal.start_line, "endLine": signal.end_line,
             "snippet": normalize_snippet(signal.snippet)},
            0,
        )  # fmt: skip
        rows.append(row)
        del rows[:-MOST_RESTATED]
    row["recalls"] += kind == "recall"


def _note_asked(entry: Entry, day: str) -> None:
    """Keep the days of searches apart from those that ingestion brings.

    Only where all searches are known: in an entry that another program has counted for,
    nobody can tell which of its days were asked for.
    """
    days = entry.get(ASKED_DAYS, [] if entry["recallCount"] == 1 else None)
    if days is not None:
        entry[ASKED_DAYS] = sorted({*days, day})[-MAX_DAYS:]


def _row(place: Entry, recalls: int) -> Row:
    shown = {name: place[name] for name in ("path", "startLine", "endLine", "snippet")}
    return shown | {"recalls": recalls}


def _row_at(rows: Iterable[Row], signal: Signal) -> Row | None:
    place = (signal.path, signal.start_line, signal.end_line)
    return next((r for r in rows if (r["path"], r["startLine"], r["endLine"]) == place), None)


def _with_row(holder: Entry, row: Row, signal: Signal) -> list[Row]:
    """The other phrasings once the entry has moved to that of ``signal``."""
    mine = _row_at(holder.get(RESTATED, ()), signal)
    return [*(r for r in holder.get(RESTATED, ()) if r is not mine), row][-MOST_RESTATED:]


def _tally(entry: Entry, signal: Signal) -> int:
    """How often the phrasing of ``signal`` was the one that a search found, until now."""
    if is_corpus(signal.path):
        return -1
    row = _row_at(entry.get(RESTATED, ()), signal)
    return int(row["recalls"]) if row else 0


def _own_tally(entry: Entry) -> int:
    others: int = sum(row["recalls"] for row in entry.get(RESTATED, ()))
    return int(entry["recallCount"]) - others


def _standing_at(holder: Entry, key: str, signal: Signal) -> Entry:
    """A copy of an entry that stands where ``signal`` was met."""
    return {
        name: value for name, value in holder.items() if name != "claimHash"
    } | {
        "key": key,
        "path": signal.path,
        "startLine": signal.start_line,
        "endLine": signal.end_line,
        "snippet": normalize_snippet(signal.snippet),
    }  # fmt: skip
