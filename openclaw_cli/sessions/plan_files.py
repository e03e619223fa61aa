"""What maintenance does to the files of a sessions folder: archive, purge, rotate, sweep.

Each step plans on a ``Folder`` and simulates its actions there, so that the next step, and
a dry run, see what it would have left. ``sessions-maintenance.md`` 4.5-4.7, 4.9.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import names, store
from openclaw_cli.sessions.effects import Departure, Move
from openclaw_cli.sessions.folder import Folder, list_folder
from openclaw_cli.sessions.maintenance_settings import Settings
from openclaw_cli.sessions.references import (
    TRAJECTORY_SUFFIXES,
    References,
    Resolver,
    session_id_of,
    trajectories_of,
)
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

BACKUPS_KEPT = 3
TEMPORARY_AGE_MS = 5 * clock.MINUTE_MS

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TEMPORARY = rf"(?:\.maintenance)?\.(?:(?:[0-9]+\.)?{_UUID}|[0-9]+\.[0-9a-f]{{12}})\.tmp"


class FileAction(NamedTuple):
    """One file that changes its name or goes. ``keys`` are the rows that depend on it."""

    path: str
    rule: str
    size: int
    target: str | None = None
    keys: tuple[str, ...] = ()

    @property
    def move(self) -> Move | None:
        """The rename, None for a deletion."""
        return None if self.target is None else Move(self.path, self.target, self.keys)


@dataclass(eq=False, repr=False)
class Archived:
    """The file actions for departed sessions; ``targets`` are their new archives by key."""

    actions: list[FileAction] = field(default_factory=list)
    targets: dict[str, list[str]] = field(default_factory=dict)


def is_temporary(name: str, store_name: str) -> bool:
    """Whether ``name`` is a temporary file of a store that was being written."""
    if not (name.startswith(store_name) and name.endswith(".tmp")):
        return False
    return re.fullmatch(_TEMPORARY, name.removeprefix(store_name)) is not None


def plan_archives(
    folder: Folder,
    departures: Iterable[Departure],
    *,
    references: References,
    resolver: Resolver,
    now_ms: int,
) -> Archived:
    """Archive the transcripts of ``departures`` that no row of ``references`` needs (4.5).

    One id is handled once, with the ``sessionFile`` of the last row that had one.
    """
    groups: dict[tuple[str, str], list[Departure]] = {}
    for departure in departures:
        if departure.archive is not None:
            identity = session_id_of(departure.row) or f"\0{departure.key}"
            groups.setdefault((identity, departure.archive), []).append(departure)
    planned = Archived()
    beside = any(name.endswith(TRAJECTORY_SUFFIXES) for name in folder.files)
    reasons = {reason for _, reason in groups}
    suffixes = {reason: names.archive_name("", reason, now_ms) for reason in reasons}
    for (identity, reason), group in groups.items():
        if references.needs_id(identity):
            continue
        keys = tuple(departure.key for departure in group)
        candidates = _candidates([departure.row for departure in group], resolver)
        for name in candidates:
            spared = references.needs(name) or references.is_linked(name)
            info = None if spared else folder.info(name)
            if info is None:
                continue
            target = _free_name(folder, name + suffixes[reason])
            folder.rename(name, target)
            planned.actions.append(FileAction(name, reason, info.size, target, keys))
            for key in keys:
                planned.targets.setdefault(key, []).append(target)
        if candidates and (beside or os.sep in candidates[0]):
            for name in trajectories_of(candidates[0]):
                info = None if references.needs(name) else folder.info(name)
                if info is not None:
                    folder.remove(name)
                    planned.actions.append(FileAction(name, "trajectory", info.size, None, keys))
    return planned


def plan_purge(
    folder: Folder, settings: Settings, *, archived: Iterable[str], now_ms: int
) -> list[FileAction]:
    """Delete archives whose time is over (4.6), by the time in their names.

    The folder itself, and the subfolders where ``archived`` files went.
    """
    places = {"": folder}
    for target in archived:
        below = os.path.dirname(target)
        if below and below not in places:
            places[below] = list_folder(Path(folder.path, below))
    ages = {"deleted": settings.prune_after_ms, "reset": settings.reset_retention_ms}
    fresh = clock.archive_stamp(now_ms)
    found = []
    for below, place in places.items():
        dated = [name for name in place.files if name[-1] == "Z" and not name.endswith(fresh)]
        for name in sorted(dated):
            archive = names.parse_archive(name)
            age = ages.get(archive.reason) if archive else None
            if archive is not None and age is not None and now_ms - archive.at_ms > age:
                path = os.path.join(below, name)
                found.append(FileAction(path, f"expired-{archive.reason}", place.files[name].size))
                place.remove(name)
    return found


def plan_backup(
    folder: Folder,
    found: store.StoreFile,
    new_text: bytes,
    *,
    limit: int,
    now_ms: int,
) -> tuple[str | None, list[FileAction]]:
    """Keep a store that is over ``limit`` bytes under a backup name; the newest three stay.

    Only when its content is not the newest backup already, and it is about to change or
    stays too large (4.7).
    """
    name = found.path.name
    size = len(found.text)
    if size <= limit or (new_text == found.text and len(new_text) <= limit):
        return None, []
    earlier = store.backups(name, folder.files)
    if earlier and _same_content(Path(folder.path, earlier[0]), found.text):
        return None, []
    backup = _free_name(folder, f"{name}{store.BACKUP_MARK}{now_ms}")
    if name in folder.files:
        folder.files[backup] = folder.files[name]
    surplus = store.backups(name, [*earlier, backup])[BACKUPS_KEPT:]
    actions = []
    for old in surplus:
        actions.append(FileAction(old, "backup", folder.files[old].size))
        folder.remove(old)
    return backup, actions


def plan_sweep(
    folder: Folder,
    settings: Settings,
    *,
    store_name: str,
    spared: Callable[[str], bool],
    waiting: Callable[[], Collection[str]],
    now_ms: int,
) -> list[FileAction]:
    """Clear away old files that are not ``spared``: no row needs them (4.9).

    Conversations with content become archives; empty, trajectory and temporary files go.
    ``waiting`` tells the files that a row of this very run pointed at.
    """
    cutoff = now_ms - settings.prune_after_ms
    suffix = names.archive_name("", "deleted", now_ms)
    actions = []
    for name in sorted(folder.files):
        info = folder.files[name]
        if is_temporary(name, store_name):
            if info.mtime_ms <= now_ms - TEMPORARY_AGE_MS:
                actions.append(FileAction(name, "temporary", info.size))
            continue
        if not name.endswith((names.SUFFIX, TRAJECTORY_SUFFIXES[1])) or info.mtime_ms > cutoff:
            continue
        if spared(name):
            continue
        keep = info.size > 0 and not names.is_trajectory(name)
        target = _free_name(folder, name + suffix) if keep else None
        actions.append(FileAction(name, "unreferenced", info.size, target))
    pointed_at = waiting() if actions else ()
    actions = [action for action in actions if action.path not in pointed_at]
    for action in actions:
        if action.target is None:
            folder.remove(action.path)
        else:
            folder.rename(action.path, action.target)
    return actions


def files_of(row: Any, resolver: Resolver) -> set[str]:
    """Every file that ``row`` pointed at: its transcripts and their trajectory files."""
    transcripts = _candidates([row], resolver)
    return {*transcripts, *(name for t in transcripts for name in trajectories_of(t))}


def _candidates(rows: list[Any], resolver: Resolver) -> list[str]:
    """Transcripts of rows with one session id: the named one, then the default one."""
    found: list[str] = []
    for row in reversed(rows):
        named = resolver.named(row)
        if named is not None:
            found.append(named)
            break
    default = resolver.default(rows[-1])
    if default is not None and default not in found:
        found.append(default)
    return found


def _free_name(folder: Folder, target: str) -> str:
    while folder.taken(target):
        from openclaw_cli.sessions import file_actions

        target = file_actions.next_name(target)
    return target


def _same_content(path: Path, text: bytes) -> bool:
    try:
        return path.stat().st_size == len(text) and path.read_bytes() == text
    except OSError:
        return False
