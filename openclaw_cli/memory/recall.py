"""Recording what a search found: lock, load, credit, save, log (``memory.md`` 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openclaw_cli.memory import events, recall_store
from openclaw_cli.memory.claim_credit import credit
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.recall_store import Writer
from openclaw_cli.memory.recording import Recorded, Signal
from openclaw_cli.memory.workspace import Workspace, is_short_term, normalize_path
from openclaw_cli.state import clock


def record(
    workspace: Workspace,
    query: str,
    hits: Sequence[dict[str, Any]],
    *,
    day: str,
    writer: Writer,
) -> Recorded:
    """Record the hits of one search: short-term ones in the store, all in the event log.

    ``hits`` are in result order with the keys of search results (``path``, ``startLine``,
    ``endLine``, ``score``, ``snippet``, ``source``). Raises ``Busy``, ``UnreadableFile``,
    ``NotWritable``; the caller turns that into a warning, a search never fails by it.
    """
    hits = [hit for hit in hits if hit.get("source", "memory") == "memory"]
    tracked = [hit for hit in hits if is_short_term(normalize_path(hit["path"]))]
    skipped = [hit for hit in hits if not is_short_term(normalize_path(hit["path"]))]
    if not hits or not query.strip():
        return Recorded()
    signals = [
        Signal(
            hit["path"], hit["startLine"], hit["endLine"], hit["snippet"], hit["score"],
            query, day,
        )
        for hit in tracked
    ]  # fmt: skip
    now_iso = clock.iso(writer.now_ms)
    log = []
    if tracked:
        log.append(events.recall_recorded(now_iso, query, [_place(hit) for hit in tracked]))
    if skipped:
        places = [_place(hit) for hit in skipped]
        log.append(events.recall_skipped(now_iso, query, len(tracked), places))
    with recall_store.lock(workspace):
        done = Recorded()
        if signals:
            store = recall_store.load(workspace, writer.now_ms)
            done = credit(store, signals, NoteReader(workspace), writer.now_ms)
            if done.changed:
                recall_store.save(workspace, store, writer)
        events.append(workspace, log)
    return done


def _place(hit: dict[str, Any]) -> dict[str, Any]:
    return {
        "path": normalize_path(hit["path"]),
        "startLine": hit["startLine"],
        "endLine": hit["endLine"],
        "score": hit["score"],
    }
