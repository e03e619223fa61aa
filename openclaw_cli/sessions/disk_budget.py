"""The disk budget of a sessions folder: what it measures and what it gives up. Pure.

First artifacts (prompt blobs that no row needs, then archives, backups and files without a
row, oldest first), then rows with their transcripts, oldest first, until the high water is
reached. Files that it may never reclaim do not count. ``sessions-maintenance.md`` 4.8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import names, plan_files, protection, store_text
from openclaw_cli.sessions.folder import FileInfo, Folder, list_folder
from openclaw_cli.sessions.plan_files import TEMPORARY_AGE_MS, FileAction
from openclaw_cli.sessions.plan_rows import BUDGET
from openclaw_cli.sessions.references import (
    References,
    session_id_of,
    trajectories_of,
)
from openclaw_cli.sessions.store import JOURNAL_SUFFIX, backups

BLOBS = ("skills-prompts", "sha256")
SMALLEST_STORE = 2  # "{}"

_MIGRATED = re.compile(r".+\.migrated(?:\.\d+)?", re.DOTALL)
_DIGEST = re.compile(rb"[0-9a-f]{64}")


@dataclass(eq=False, repr=False)
class BudgetPlan:
    """What the budget found and would remove. ``evicted`` are keys of rows."""

    before: int
    after: int
    max_bytes: int
    high_water: int
    files: list[FileAction] = field(default_factory=list)
    evicted: list[str] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the folder was above its limit."""
        return self.before > self.max_bytes

    @cached_property
    def evicted_keys(self) -> frozenset[str]:
        """``evicted`` for looking keys up, once the plan is complete."""
        return frozenset(self.evicted)

    def to_json(self, lost: Collection[str] = ()) -> dict[str, Any]:
        """The ``diskBudget`` object; ``lost`` are files whose deletion failed."""
        gone = [action for action in self.files if action.path not in lost]
        stayed = sum(action.size for action in self.files if action.path in lost)
        return {
            "totalBytesBefore": self.before,
            "totalBytesAfter": self.after + stayed,
            "removedFiles": len(gone),
            "removedEntries": len(self.evicted),
            "freedBytes": sum(action.size for action in gone),
            "maxBytes": self.max_bytes,
            "highWaterBytes": self.high_water,
            "overBudget": self.over,
        }


@dataclass(eq=False, repr=False)
class Household:
    """What the budget decides on: rows, their text, and the files as they will be."""

    rows: dict[str, Any]
    text: bytes
    store_name: str
    folder: Folder
    references: References
    is_spared: Callable[[str], bool]
    is_busy: Callable[[str], bool]
    now_ms: int
    blobs: dict[str, FileInfo] = field(default_factory=dict)


def plan_budget(house: Household, *, max_bytes: int, high_water: int, enforce: bool) -> BudgetPlan:
    """Measure the folder and, with ``enforce``, bring it down to ``high_water``.

    Simulates its removals on the folder and the references of ``house``.
    """
    total = len(house.text) + sum(
        info.size for name, info in house.folder.files.items() if _counts(name, house)
    )
    total += sum(info.size for info in house.blobs.values())
    plan = BudgetPlan(total, total, max_bytes, high_water)
    if not enforce or not plan.over:
        return plan
    for name, info in _artifacts(house):
        if plan.after <= high_water:
            return plan
        _remove(plan, house, FileAction(name, BUDGET, info.size))
    store_size = len(house.text)
    for key in _oldest_first(house):
        if plan.after <= high_water:
            break
        row = house.rows[key]
        chunk = store_text.row_size(key, row) + len(",\n")
        shrunk = max(SMALLEST_STORE, store_size - chunk)
        plan.after -= store_size - shrunk
        store_size = shrunk
        _evict(plan, house, key, row)
    return plan


def list_blobs(sessions_dir: Path) -> dict[str, FileInfo]:
    """The prompt blobs of the folder, by relative path; usually none."""
    root = list_folder(sessions_dir.joinpath(*BLOBS))
    found = {}
    for shard in sorted(root.others):
        place = sessions_dir.joinpath(*BLOBS, shard)
        if place.is_dir() and not place.is_symlink():
            for name, info in list_folder(place).files.items():
                found["/".join((*BLOBS, shard, name))] = info
    return found


def unneeded_blobs(
    blobs: dict[str, FileInfo], text: bytes, *, older_than_ms: int, now_ms: int
) -> list[str]:
    """Blobs whose digest no row mentions, last written more than ``older_than_ms`` ago."""
    if not blobs:
        return []
    needed = {digest.decode() for digest in _DIGEST.findall(text)}
    return [
        path
        for path, info in sorted(blobs.items())
        if path.rpartition("/")[2].partition(".")[0] not in needed
        and info.mtime_ms <= now_ms - older_than_ms
    ]


def _counts(name: str, house: Household) -> bool:
    """Whether a file counts: not the store (its new text does), nor what is ours or foreign."""
    store_name = house.store_name
    if name == store_name or _MIGRATED.fullmatch(name):
        return False
    if name in (store_name + ".lock", store_name + JOURNAL_SUFFIX):
        return False
    return not (
        plan_files.is_temporary(name, store_name)
        and house.folder.files[name].mtime_ms > house.now_ms - TEMPORARY_AGE_MS
    )


def _artifacts(house: Household) -> list[tuple[str, FileInfo]]:
    """What goes before any row, in order."""
    blobs = unneeded_blobs(
        house.blobs, house.text, older_than_ms=TEMPORARY_AGE_MS, now_ms=house.now_ms
    )
    kept = set(backups(house.store_name, house.folder.files))
    found = [
        (name, info)
        for name, info in house.folder.files.items()
        if (name in kept or _is_artifact(name, house)) and _counts(name, house)
    ]
    found.sort(key=lambda item: (item[1].mtime_ns, item[0]))
    return [(path, house.blobs[path]) for path in blobs] + found


def _is_artifact(name: str, house: Household) -> bool:
    if name.endswith("Z") and names.parse_archive(name) is not None:
        return True
    if name.endswith(names.SUFFIX) or names.is_trajectory(name):
        return not house.references.needs(name) and not house.is_busy(name)
    return plan_files.is_temporary(name, house.store_name)


def _oldest_first(house: Household) -> list[str]:
    keys = [key for key in house.rows if not house.is_spared(key)]
    keys.sort(key=lambda key: protection.updated_at(house.rows[key]) or 0)
    return keys


def _evict(plan: BudgetPlan, house: Household, key: str, row: Any) -> None:
    plan.evicted.append(key)
    transcript = house.references.transcript_of.get(key)
    house.references.drop(key, row)
    session_id = session_id_of(row)
    if transcript is None or house.references.is_linked(transcript):
        return
    if session_id and house.references.needs_id(session_id):
        return
    for name in (transcript, *trajectories_of(transcript)):
        info = None if house.references.needs(name) else house.folder.info(name)
        if info is not None:
            _remove(plan, house, FileAction(name, BUDGET, info.size, None, (key,)))


def _remove(plan: BudgetPlan, house: Household, action: FileAction) -> None:
    plan.files.append(action)
    if action.path in house.folder.files or action.path in house.blobs:
        plan.after -= action.size  # files in other subfolders were never counted
    house.folder.remove(action.path)
    house.blobs.pop(action.path, None)
