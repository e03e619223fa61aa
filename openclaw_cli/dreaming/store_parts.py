"""What a plan does about recall store and phase signals: staging, and taking it back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from openclaw_cli.dreaming import staging
from openclaw_cli.dreaming.originals import Texts
from openclaw_cli.dreaming.rewriting import Part, Place, Write
from openclaw_cli.dreaming.staging import Grounding
from openclaw_cli.memory import recall_store, signals
from openclaw_cli.memory.entries import Entry, retain
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.repair import OVERFLOW_RULE
from openclaw_cli.memory.signals import PhaseSignals
from openclaw_cli.state import clock, files
from openclaw_cli.state.changes import Change


def staged(place: Place, notes: Sequence[Grounding]) -> Part:
    """What the notes say for good, counted in place of all earlier staging."""
    store = recall_store.load(place.workspace, place.now_ms)
    before, text_before = dict(store.entries), recall_store.dumps(store, "")
    replaced = staging.drop_replaced(store)
    done = staging.stage(store, place.workspace, notes, place.now_ms)
    store.entries, dropped = retain(store.entries)
    removed = {key: entry for key, entry in before.items() if key not in store.entries}
    writes = []
    if recall_store.dumps(store, "") != text_before:
        writes = _writes(place, store, signals.load(place.workspace), pruned=bool(replaced))
    counts = {"stagedShortTermEntries": done.counted, "replacedShortTermEntries": len(replaced)}
    surplus = [key for key in dropped if key not in before]
    if surplus:
        counts["surplusShortTermEntries"] = len(surplus)
    return Part(
        counts,
        writes,
        [
            _change(place, key, entry, OVERFLOW_RULE if key in dropped else "staging-replaced")
            for key, entry in removed.items()
        ],
        done.refused,
    )


def unstaged(place: Place, remembered: Texts) -> Part:
    """The store without what backfills staged; remembered texts where they say the same."""
    workspace = place.workspace
    store = recall_store.load(workspace, place.now_ms)
    text_before = recall_store.dumps(store, "")
    gone = staging.take_out(store)
    counts = {
        "shortTermStorePath": str(workspace.recall_path),
        "removedShortTermEntries": len(gone),
    }
    if recall_store.dumps(store, "") == text_before:
        return Part(counts)
    hits = signals.load(workspace)
    writes = {write.path: write for write in _writes(place, store, hits, pruned=bool(gone))}
    path = workspace.recall_path
    if path in remembered and _is_same_store(remembered[path], store, place):
        writes[path] = Write(path, remembered[path])
    path = workspace.signals_path
    if path in remembered and _are_same_signals(remembered[path], hits):
        writes.pop(path, None)
        if files.read_text(path, what=signals.WHAT) != remembered[path]:
            writes = {path: Write(path, remembered[path]), **writes}
    removed = [_change(place, key, entry, "backfill-rollback") for key, entry in gone.items()]
    return Part(counts, list(writes.values()), removed)


def to_remember(place: Place, known: Texts) -> Texts:
    """``known`` with today's texts of store and signals, unless earlier ones still fit."""
    workspace = place.workspace
    store = recall_store.load(workspace, place.now_ms)
    today = store.text if store.exists else None
    staging.take_out(store)
    hits = signals.load(workspace)
    hits.prune(store.entries)
    wanted = dict(known)
    path = workspace.recall_path
    if path not in known or not _is_same_store(known[path], store, place):
        wanted[path] = today
    path = workspace.signals_path
    if hits.problem is not None:
        wanted.pop(path, None)
    elif path not in known or not _are_same_signals(known[path], hits):
        wanted[path] = files.read_text(path, what=signals.WHAT)
    return wanted


def _writes(place: Place, store: RecallStore, hits: PhaseSignals, *, pruned: bool) -> list[Write]:
    """The store, and with ``pruned`` the phase signals before it.

    Signals that cannot be read stay as they are: the next sweep keeps them aside.
    """
    workspace = place.workspace
    found = [Write(workspace.recall_path, recall_store.dumps(store, clock.iso(place.now_ms)))]
    if pruned and hits.problem is None:
        hits.prune(store.entries)
        found.insert(0, Write(workspace.signals_path, signals.dumps(hits, place.now_ms)))
    return found


def _is_same_store(original: str | None, store: RecallStore, place: Place) -> bool:
    if original is None:
        return not store.entries and not store.invalid
    before = recall_store.parse(original, place.workspace, place.now_ms)
    same_rows = (store.entries, store.invalid) == (before.entries, before.invalid)
    return same_rows and _beside_time(store.extra) == _beside_time(before.extra)


def _are_same_signals(original: str | None, hits: PhaseSignals) -> bool:
    if hits.problem is not None:
        return False
    if original is None:
        return not hits.entries
    try:
        document = json.loads(original)
    except ValueError:
        return False
    return isinstance(document, dict) and document.get("entries") == hits.entries


def _beside_time(extra: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in extra.items() if name != "updatedAt"}


def _change(place: Place, key: str, entry: Entry, rule: str) -> Change:
    path = str(place.workspace.recall_path)
    return Change(place.command, rule, "recall-entry", key=key, path=path, row=entry)
