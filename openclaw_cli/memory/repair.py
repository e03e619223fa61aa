"""Putting the recall store right: ``memory status --fix`` (``memory.md`` 9.2).

What is taken out of the store goes to the change log, what cannot be read is moved aside.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openclaw_cli.memory import recall_store
from openclaw_cli.memory.audit import STALE_LOCK, lock_issues
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


def repair(workspace: Workspace, writer: Writer, *, dry_run: bool = False) -> Repair:
    """Remove a stale lock and rewrite the store in its right form.

    A file that is no JSON is moved to ``short-term-recall.json.corrupt-<time>`` and an
    empty store takes its place. With ``dry_run`` only the report is made. Raises ``Busy``,
    ``NotWritable``, ``NotAllowed``.
    """
    done = Repair(removed_lock=_has_stale_lock(workspace))
    exists = os.path.lexists(workspace.recall_path)
    if dry_run or not (exists or done.removed_lock):
        if exists:
            _put_right(workspace, writer.now_ms, done)
        return done
    with recall_store.lock(workspace):  # taking over a stale one removes it safely
        if not exists:
            return done
        store, removed = _put_right(workspace, writer.now_ms, done)
        if done.moved_aside:
            _set_aside(workspace.recall_path, Path(done.moved_aside))
        for rule, rows in removed.items():
            recall_store.record_removed(workspace, rows, writer, rule=rule)
        if done.rewrote:
            text = recall_store.dumps(store, clock.iso(writer.now_ms))
            recall_store.write_document(workspace, text)
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


def _put_right(
    workspace: Workspace, now_ms: int, done: Repair
) -> tuple[RecallStore, dict[str, dict[str, Any]]]:
    """The store as it should be, in memory, and the rows that leave it by rule.

    Notes in ``done`` what that means for the file.
    """
    try:
        store = recall_store.load(workspace, now_ms)
    except DamagedStore as error:
        store = RecallStore(updated_at=clock.iso(now_ms))
        if not error.blank:
            path = workspace.recall_path
            aside = path.with_name(f"{path.name}.corrupt-{clock.archive_stamp(now_ms)}")
            done.moved_aside = str(aside)
    invalid, overflow = tidy(store, now_ms)
    done.removed_invalid, done.removed_overflow = len(invalid), len(overflow)
    present = store.extra.get("updatedAt")
    in_form = isinstance(present, str) and recall_store.dumps(store, present) == store.text
    done.rewrote = not in_form
    return store, {INVALID_RULE: invalid, OVERFLOW_RULE: overflow}


def _has_stale_lock(workspace: Workspace) -> bool:
    return any(one["code"] == STALE_LOCK for one in lock_issues(workspace))


def _set_aside(path: Path, aside: Path) -> None:
    """Keep a broken file under another name; it stays in place until it is replaced.

    So a run that dies in between finds it still broken and does the same again.
    """
    if aside.exists():
        return
    try:
        os.link(path, aside)
    except OSError:  # a file system without hard links
        files.write_atomic(aside, path.read_bytes())
    files.sync_dir(path.parent)


def _refresh(entry: Entry, now_ms: int) -> None:
    """Derive the tags anew, and count the day of the last meeting among the days."""
    from openclaw_cli.memory.concepts import derive_tags

    entry["conceptTags"] = derive_tags(entry["path"], entry["snippet"]) or entry["conceptTags"]
    last = stamp_ms(entry["lastRecalledAt"])
    day = clock.iso(now_ms if last is None else last)[:10]
    if day not in entry["recallDays"]:
        entry["recallDays"] = [*entry["recallDays"], day][-MAX_DAYS:]
