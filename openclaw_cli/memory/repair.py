"""Putting the recall store right: ``memory status --fix`` (``memory.md`` 9.2).

What is taken out of the store goes to the change log, what cannot be read is moved aside.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openclaw_cli.memory import recall_store
from openclaw_cli.memory.audit import lock_issues
from openclaw_cli.memory.entries import MAX_DAYS, Entry, retain, stamp_ms
from openclaw_cli.memory.recall_store import DamagedStore, RecallStore, Writer
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files

INVALID_RULE = "invalid-entry"
OVERFLOW_RULE = "recall-store-limit"


@dataclass
class Repair:
    """What ``--fix`` did to the store. ``moved_aside`` is where a broken file went."""

    removed_invalid: int = 0
    removed_overflow: int = 0
    rewrote: bool = False
    removed_lock: bool = False
    moved_aside: str | None = None

    @property
    def changed(self) -> bool:
        """Whether anything is different now."""
        return self.rewrote or self.removed_lock

    def to_json(self) -> dict[str, Any]:
        """The ``repair`` object of reports."""
        report = {
            "changed": self.changed,
            "removedInvalidEntries": self.removed_invalid,
            "removedOverflowEntries": self.removed_overflow,
            "rewroteStore": self.rewrote,
            "removedStaleLock": self.removed_lock,
        }
        return report | {"movedAside": self.moved_aside} if self.moved_aside else report


def repair(workspace: Workspace, writer: Writer) -> Repair:
    """Remove a stale lock and rewrite the store in its right form.

    A file that is no JSON is moved to ``short-term-recall.json.corrupt-<time>`` and an
    empty store takes its place. Raises ``Busy``, ``NotWritable``, ``NotAllowed``.
    """
    done = Repair(removed_lock=_remove_stale_lock(workspace))
    if not workspace.recall_path.exists() and not workspace.recall_path.is_symlink():
        return done
    with recall_store.lock(workspace):
        store = _load_or_start_anew(workspace, writer.now_ms, done)
        invalid, overflow = tidy(store, writer.now_ms)
        done.removed_invalid, done.removed_overflow = len(invalid), len(overflow)
        recall_store.record_removed(workspace, invalid, writer, rule=INVALID_RULE)
        recall_store.record_removed(workspace, overflow, writer, rule=OVERFLOW_RULE)
        done.rewrote = _write_if_different(workspace, store, writer.now_ms) or done.rewrote
    return done


def tidy(store: RecallStore, now_ms: int) -> tuple[dict[str, Any], dict[str, Entry]]:
    """Put the rows of ``store`` right in memory; the unusable and the surplus ones taken out.

    Tags are derived anew, and the day of the last meeting counts among an entry's days.
    """
    for entry in store.entries.values():
        _refresh(entry, now_ms)
    kept, dropped = retain(store.entries)
    invalid, overflow = store.invalid, {key: store.entries[key] for key in dropped}
    store.invalid, store.entries = {}, kept
    return invalid, overflow


def _remove_stale_lock(workspace: Workspace) -> bool:
    if not lock_issues(workspace):
        return False
    with recall_store.lock(workspace):  # taking it over removes the old one safely
        return True


def _load_or_start_anew(workspace: Workspace, now_ms: int, done: Repair) -> RecallStore:
    try:
        return recall_store.load(workspace, now_ms)
    except DamagedStore as error:
        if not error.blank:
            done.moved_aside = str(_set_aside(workspace.recall_path, now_ms))
    return RecallStore(updated_at=clock.iso(now_ms))


def _set_aside(path: Path, now_ms: int) -> Path:
    """Keep a broken file under another name; it stays in place until it is replaced.

    So a run that dies in between finds it still broken and does the same again.
    """
    aside = path.with_name(f"{path.name}.corrupt-{clock.archive_stamp(now_ms)}")
    if aside.exists():
        return aside
    try:
        os.link(path, aside)
    except OSError:  # a file system without hard links
        files.write_atomic(aside, path.read_bytes())
    files.sync_dir(path.parent)
    return aside


def _refresh(entry: Entry, now_ms: int) -> None:
    """Derive the tags anew, and count the day of the last meeting among the days."""
    from openclaw_cli.memory.concepts import derive_tags

    entry["conceptTags"] = derive_tags(entry["path"], entry["snippet"]) or entry["conceptTags"]
    last = entry["lastRecalledAt"]
    day = (last if stamp_ms(last) is not None else clock.iso(now_ms))[:10]
    if day not in entry["recallDays"]:
        entry["recallDays"] = [*entry["recallDays"], day][-MAX_DAYS:]


def _write_if_different(workspace: Workspace, store: RecallStore, now_ms: int) -> bool:
    """Write the store unless its file holds the same already, ``updatedAt`` aside."""
    present = store.extra.get("updatedAt")
    if isinstance(present, str) and recall_store.dumps(store, present) == store.text:
        return False
    recall_store.write_document(workspace, recall_store.dumps(store, clock.iso(now_ms)))
    return True
