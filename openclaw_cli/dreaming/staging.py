"""Grounded statements in the recall store: put in by a backfill, taken out by a rollback.

Works on a loaded store, in memory (``dreaming.md`` 8.4, 12.9).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from openclaw_cli.dreaming import history
from openclaw_cli.dreaming.grounded import DURABLE, Grounded, Item
from openclaw_cli.dreaming.history import Source
from openclaw_cli.memory import grounded_share, recording
from openclaw_cli.memory.entries import Entry
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.text import same_claim_form
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.tuples import NamedTuple

QUERY = "__dreaming_grounded_backfill__:"
UPDATE_SCORE, UPDATE_SIGNALS = 0.92, 2
CANDIDATE_SCORE, CANDIDATE_SIGNALS = 0.82, 1
OTHER_NOTE = "other-note"

Grounding = tuple[Source, Grounded]


class Staged(NamedTuple):
    """How many statements count now, and those that do not, each with a reason word."""

    counted: int
    refused: list[tuple[Signal, str]]


def stage(
    store: RecallStore, workspace: Workspace, notes: Iterable[Grounding], now_ms: int
) -> Staged:
    """Count what ``notes`` say for good into ``store``.

    A note that lies elsewhere counts under the name it would have in the workspace. Where
    a note of that name is there already, only what that one says too counts, at its lines;
    the rest is refused as ``other-note``, for its entries would point at another text.
    """
    wanted: list[Signal] = []
    refused: list[tuple[Signal, str]] = []
    for source, found in notes:
        namesake = _namesake(source, workspace)
        if namesake is None:
            wanted += _signals(source, found)
            continue
        known = {_identity(signal): signal for signal in _signals(source, namesake)}
        for signal in _signals(source, found):
            own = known.get(_identity(signal))
            if own is None:
                refused.append((signal, OTHER_NOTE))
            else:
                wanted.append(own)
    done = recording.add(store, wanted, kind="grounded", now_ms=now_ms)
    return Staged(len(done.counted), refused + done.refused)


def take_out(store: RecallStore) -> dict[str, Entry]:
    """Undo all staging in ``store``; the entries that are gone, by key.

    Entries that only a backfill has met leave; of the others its share leaves. What was
    promoted keeps its mark, without evidence, so that it is not promoted once more.
    """
    gone: dict[str, Entry] = {}
    kept: dict[str, Entry] = {}
    for key, entry in store.entries.items():
        if not grounded_share.is_grounded_only(entry):
            kept[key] = grounded_share.take_out(entry) or entry
            continue
        gone[key] = entry
        if "promotedAt" in entry:
            kept[key] = grounded_share.without_evidence(entry)
    store.entries = kept
    return gone


def drop_replaced(store: RecallStore) -> dict[str, Entry]:
    """Make room for a new staging: the entries that only an earlier one has met leave."""
    gone = {k: e for k, e in store.entries.items() if grounded_share.is_grounded_only(e)}
    for key, entry in gone.items():
        if "promotedAt" in entry:
            store.entries[key] = grounded_share.without_evidence(entry)
        else:
            del store.entries[key]
    return gone


def is_inside(source: Source, workspace: Workspace) -> bool:
    """Whether a note lies where its references say: directly in ``memory/``."""
    return os.path.realpath(source.path.parent) == os.path.realpath(workspace.memory_dir)


def _signals(source: Source, found: Grounded) -> Iterator[Signal]:
    for item in found.updates:
        yield _signal(
            source, item, query="lasting-update", score=UPDATE_SCORE, times=UPDATE_SIGNALS
        )
    for item in found.candidates:
        if item.lean == DURABLE:
            yield _signal(
                source, item, query="candidate", score=CANDIDATE_SCORE, times=CANDIDATE_SIGNALS
            )


def _signal(source: Source, item: Item, *, query: str, score: float, times: int) -> Signal:
    first, _, last = item.refs[0].rpartition(":")[2].partition("-")
    start, end = int(first), int(last or first)
    return Signal(source.key, start, end, item.text, score, QUERY + query, source.day, times)


def _namesake(source: Source, workspace: Workspace) -> Grounded | None:
    """What the workspace's own note of that name says, for a note that lies elsewhere."""
    if is_inside(source, workspace):
        return None
    own = Source(workspace.root / source.key, source.day)
    return history.ground(history.read(own), own.key) if own.path.is_file() else None


def _identity(signal: Signal) -> tuple[str, str]:
    return signal.query, same_claim_form(signal.snippet)
