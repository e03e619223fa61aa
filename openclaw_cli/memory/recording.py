"""Counting what was met: searches, ingestion, grounded backfill (``memory.md`` 4).

``add`` changes a store in memory and decides everything. ``recall`` does it for a search,
``claim_credit`` decides which claim gets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from openclaw_cli.memory import grounded_share, junk
from openclaw_cli.memory.concepts import derive_tags
from openclaw_cli.memory.entries import (
    MAX_DAYS,
    MAX_QUERIES,
    Entry,
    claim_hash,
    clamp,
    entry_key,
    normalize_snippet,
    query_hash,
)
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.similarity import is_same_claim
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.workspace import is_short_term, normalize_path
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

Kind = Literal["recall", "daily", "grounded"]
_COUNTERS = {"recall": "recallCount", "daily": "dailyCount", "grounded": "groundedCount"}


class Signal(NamedTuple):
    """One meeting with a piece of a memory file.

    ``query`` is what met it, ``day`` the bucket ``YYYY-MM-DD``; ``times`` is how many
    signals it stands for (grounded only, else 1); ``score`` is 0..1 for each of them.
    """

    path: str
    start_line: int
    end_line: int
    snippet: str
    score: float
    query: str
    day: str
    times: int = 1


@dataclass
class Recorded:
    """What ``add`` did: keys that counted, keys met again without counting, refusals.

    ``refused`` pairs a signal with a reason word (``not-short-term``, ``empty``, or one of
    ``junk.refusal``). ``changed`` tells whether the store differs now.
    """

    counted: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    refused: list[tuple[Signal, str]] = field(default_factory=list)
    changed: bool = False


def add(store: RecallStore, signals: Iterable[Signal], *, kind: Kind, now_ms: int) -> Recorded:
    """Count ``signals`` into ``store`` in their order.

    Daily and grounded signals count once per entry, query and day; recalls always count.
    """
    done = Recorded()
    now_iso = clock.iso(now_ms)
    for signal in signals:
        signal = signal._replace(path=normalize_path(signal.path))
        snippet = normalize_snippet(signal.snippet)
        reason = _refusal(signal, snippet, kind)
        if reason is not None:
            done.refused.append((signal, reason))
            continue
        key, claim = _key(store, signal, kind)
        entry = store.entries.get(key)
        if entry is None:
            store.invalid.pop(key, None)  # the row is usable now
            entry = store.entries[key] = _new_entry(key, signal.path, now_iso)
        before = dict(entry)
        counted = _count(entry, signal, snippet, kind=kind, now_iso=now_iso)
        if claim is not None:
            entry["claimHash"] = claim
            grounded_share.note_grounded(before, entry)
        elif counted and grounded_share.SHARE in entry:
            _note_live(entry, signal)
        done.changed = done.changed or entry != before
        (done.counted if counted else done.repeated).append(key)
    return done


def _refusal(signal: Signal, snippet: str, kind: Kind) -> str | None:
    """Why a signal is not counted.

    Backfill takes turns of a conversation: what it stages was chosen by its extraction.
    """
    if not is_short_term(signal.path):
        return "not-short-term"
    if not snippet:
        return "empty"
    lines = max(1, signal.end_line - signal.start_line + 1)
    reason = junk.refusal(snippet, signal.path, line_count=lines)
    return None if kind == "grounded" and reason == "transcript" else reason


def _key(store: RecallStore, signal: Signal, kind: Kind) -> tuple[str, str | None]:
    """The key that a signal counts for, and the claim hash to store with it.

    A range whose entry is another statement keeps that entry: evidence belongs to the text.
    """
    place = (signal.path, signal.start_line, signal.end_line)
    claim = claim_hash(collapse(signal.snippet))
    with_claim = entry_key(*place, claim)
    if kind == "grounded":
        return with_claim, claim
    plain = entry_key(*place)
    there: str = store.entries.get(plain, {}).get("snippet", "")
    is_other = bool(there) and not is_same_claim(there, signal.snippet)
    return (with_claim if is_other or with_claim in store.entries else plain), None


def on_known_day(store: RecallStore, signal: Signal) -> Signal:
    """A daily signal on the day on which its query has counted for the text, if it has.

    So a text counts once for as long as it stands in its file, not once a night.
    """
    entry = store.entries.get(_key(store, signal, "daily")[0])
    if entry is None or query_hash(signal.query) not in entry["queryHashes"]:
        return signal
    return signal._replace(day=entry["recallDays"][-1]) if entry["recallDays"] else signal


def _new_entry(key: str, path: str, now_iso: str) -> Entry:
    return {
        "key": key,
        "path": path,
        "startLine": 1,
        "endLine": 1,
        "source": "memory",
        "snippet": "",
        "recallCount": 0,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": 0,
        "maxScore": 0,
        "firstRecalledAt": now_iso,
        "lastRecalledAt": now_iso,
        "queryHashes": [],
        "recallDays": [],
        "conceptTags": [],
    }


def count_elsewhere(entry: Entry, signal: Signal, *, kind: Kind, now_iso: str) -> bool:
    """Add a signal of a re-phrasing to the entry of its claim, which stays where it is.

    False when it had been counted before.
    """
    if _is_repeated(entry, signal, kind):
        return False
    _add_evidence(entry, signal, kind)
    entry["lastRecalledAt"] = now_iso
    if grounded_share.SHARE in entry:
        _note_live(entry, signal)
    return True


def _is_repeated(entry: Entry, signal: Signal, kind: Kind) -> bool:
    known = query_hash(signal.query) in entry["queryHashes"] and signal.day in entry["recallDays"]
    return kind != "recall" and known


def _add_evidence(entry: Entry, signal: Signal, kind: Kind) -> None:
    score = clamp(signal.score)
    entry[_COUNTERS[kind]] += signal.times
    entry["totalScore"] += score * signal.times
    entry["maxScore"] = max(entry["maxScore"], score)
    query = query_hash(signal.query)
    entry["queryHashes"] = _with_newest(entry["queryHashes"], query, MAX_QUERIES)
    entry["recallDays"] = _with_newest(entry["recallDays"], signal.day, MAX_DAYS)


def _note_live(entry: Entry, signal: Signal) -> None:
    grounded_share.note_live(
        entry, query=query_hash(signal.query), day=signal.day, score=clamp(signal.score)
    )


def _count(entry: Entry, signal: Signal, snippet: str, *, kind: Kind, now_iso: str) -> bool:
    """Add one signal to its entry; False when it had been counted before."""
    repeated = _is_repeated(entry, signal, kind)
    if repeated and snippet == entry["snippet"]:
        return False
    if not repeated:
        _add_evidence(entry, signal, kind)
    entry["path"] = signal.path
    entry["startLine"], entry["endLine"] = signal.start_line, signal.end_line
    entry["snippet"] = snippet
    entry["lastRecalledAt"] = now_iso
    entry["conceptTags"] = derive_tags(signal.path, snippet) or entry["conceptTags"]
    return not repeated


def _with_newest(values: list[str], value: str, limit: int) -> list[str]:
    """``values`` with ``value`` at the end, unless it is there already; the newest are kept."""
    return values if value in values else [*values, value][-limit:]
