"""Carrying a change of a store out, so that a crash cannot split it.

Under the store's lock: finish an open journal, read, decide, write the journal, write the
store (only while it is the file that was read), rename, delete, record, remove the
journal. A crash at any point ends in the old or the new state; every action may run twice
(``sessions-maintenance.md`` 7).
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import Busy, OpenClawError
from openclaw_cli.sessions import file_actions, journal, store, store_text
from openclaw_cli.sessions.discovery import TranscriptFinder
from openclaw_cli.sessions.effects import Effects, Failure
from openclaw_cli.sessions.file_actions import Acted
from openclaw_cli.sessions.store import StoreFile
from openclaw_cli.state import changes, files, jsonl, lock

if TYPE_CHECKING:
    from openclaw_cli.state.paths import Paths

TRIES = 3
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV, errno.ENOSYS)


class _ChangedMeanwhile(Exception):
    """Another program replaced the store after it was read."""


@dataclass
class Done:
    """How a change went: what it was based on, and what could not be done to files.

    ``kept`` are the keys of rows that stay because their transcript could not be archived.
    """

    before: StoreFile
    effects: Effects
    failures: list[Failure] = field(default_factory=list)
    kept: frozenset[str] = frozenset()

    @property
    def row_count(self) -> int:
        """How many rows the store has now."""
        return len(self.effects.rows.keys() | (self.kept & self.before.rows.keys()))


def transact(
    path: Path, decide: Callable[[StoreFile], Effects], *, paths: Paths, now_ms: int
) -> Done:
    """Read the store under its lock, let ``decide`` say what becomes of it, and do that.

    ``decide`` may run again when the store changed meanwhile; after three tries ``Busy``.
    """
    with locked(path):
        for _ in range(TRIES):
            finish(path, paths=paths, now_ms=now_ms)
            found = store.load(path)
            try:
                return _carry_out(found, decide(found), paths, now_ms)
            except _ChangedMeanwhile:
                continue
    raise Busy(
        f"session store {path} kept changing while it was being written",
        path=path,
        hint="another program writes it without the lock; try again",
    )


def recover(path: Path, *, paths: Paths, now_ms: int) -> bool:
    """Finish a change of the store at ``path`` that was interrupted; False without one."""
    if not os.path.lexists(journal.path_of(path)):
        return False
    with locked(path):
        return finish(path, paths=paths, now_ms=now_ms)


def finish(path: Path, *, paths: Paths, now_ms: int) -> bool:
    """Finish the journal that an interrupted change left; False when there is none.

    The caller holds the lock of the store. A change whose store was never written is
    dropped; files that a row points at by now stay where they are.
    """
    open_journal = journal.read(path)
    if open_journal is None:
        return False
    if open_journal.rewrites and store.stamp_of(path) == open_journal.before:
        _drop_backup(path, open_journal.backup)
        journal.remove(path)
        return True
    found = store.load(path)
    acted = file_actions.act(
        os.fspath(path.parent), open_journal.moves, open_journal.removals,
        wanted=_referenced(found, paths),
    )  # fmt: skip
    kept = _kept_keys(open_journal, acted)
    if kept:
        recorded = {c.get("key"): c.get("row") for c in map(json.loads, open_journal.changes)}
        missing = {key: recorded[key] for key in kept - found.rows.keys() if key in recorded}
        _put_back(path, missing, order=(), without=frozenset())
    for failure in acted.failures:
        logging.getLogger(__name__).warning("%s", failure.text())
    _record(paths, _lines(open_journal, path, acted), fresh=False)
    journal.remove(path)
    return True


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of the store, and of the file it links to, in this order."""
    with contextlib.ExitStack() as held:
        held.enter_context(lock.file_lock(path, renew=True))
        if path.is_symlink():
            target = Path(os.path.realpath(path))
            if target.parent.is_dir():
                held.enter_context(lock.file_lock(target, renew=True))
        yield


def replace_unreadable(path: Path, rows: dict[str, Any], aside: Path | None) -> None:
    """Write a store anew in the place of one that cannot be read, which stays as ``aside``.

    The caller holds the lock. The name is never without a file, unless something that is
    no file has it.
    """
    if aside is not None:
        if Path(os.path.realpath(path)).is_file():
            _back_up(path, aside.name)
        else:
            files.rename_durable(path, aside)
    files.write_atomic(path, store_text.render(rows), follow_link=True)


def _carry_out(found: StoreFile, effects: Effects, paths: Paths, now_ms: int) -> Done:
    text = effects.text if effects.text is not None else store_text.render(effects.rows)
    rewrites = text != found.text if found.exists else bool(effects.rows)
    if not effects.touches_files:
        if rewrites:
            _commit(found, text, None)
        return Done(found, effects)
    plan = journal.Journal(
        before=found.stamp,
        rewrites=rewrites,
        backup=effects.backup,
        moves=effects.moves,
        removals=effects.removals,
        changes=[jsonl.line_of(change.to_json(now_ms)) for change in effects.changes],
    )
    journal.write(found.path, plan)
    try:
        if rewrites:
            _commit(found, text, effects.backup)
        elif effects.backup:
            _back_up(found.path, effects.backup)
            files.sync_dir(found.sessions_dir)
    except Exception:
        _withdraw(found, plan)
        raise
    acted = file_actions.act(os.fspath(found.sessions_dir), plan.moves, plan.removals)
    kept = _kept_keys(plan, acted)
    if kept:
        earlier = store_text.parse(found.text) if found.exists else {}
        rows = {key: earlier[key] for key in kept if key in earlier}
        _put_back(found.path, rows, order=earlier, without=kept - rows.keys())
    _record(paths, _lines(plan, found.path, acted), fresh=True)
    _close(found.path, acted)
    return Done(found, effects, acted.failures, kept)


def _close(path: Path, acted: Acted) -> None:
    """Remove the journal; deletions that failed stay in it, for one more try by the next run."""
    again = [failure.path for failure in acted.failures if failure.deleting]
    if again:
        stamp = store.stamp_of(path)
        journal.write(path, journal.Journal(before=stamp, rewrites=False, removals=again))
    else:
        journal.remove(path)


def _commit(found: StoreFile, text: bytes, backup: str | None) -> None:
    """Replace the store, if it is still the one that was read; keep it as ``backup``."""

    def last_moment() -> None:
        if store.stamp_of(found.path) != found.stamp:
            raise _ChangedMeanwhile
        if backup:
            _back_up(found.path, backup)

    files.write_atomic(found.path, text, follow_link=True, before_rename=last_moment)


def _back_up(path: Path, name: str) -> None:
    """Keep the store as it is under ``name``: a second link, or a copy where none can be."""
    target = path.with_name(name)
    source = os.path.realpath(path)
    try:
        os.link(source, target)
    except OSError as error:
        if target.exists() and target.samefile(source):
            return  # an interrupted run came this far
        if error.errno not in _NO_LINKS:
            raise
        info = os.stat(source)
        files.write_atomic(target, Path(source).read_bytes(), mode=stat.S_IMODE(info.st_mode))
        os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))


def _withdraw(found: StoreFile, plan: journal.Journal) -> None:
    """Undo what a change did before its store was written."""
    _drop_backup(found.path, plan.backup)
    with contextlib.suppress(OpenClawError, OSError):  # the next run drops it as well
        journal.remove(found.path)


def _drop_backup(path: Path, name: str | None) -> None:
    if name is None:
        return
    target = path.with_name(name)
    with contextlib.suppress(OSError):
        if os.path.samefile(path, target) and not target.is_symlink():
            target.unlink()


def _put_back(
    path: Path, rows: dict[str, Any], *, order: Iterable[str], without: frozenset[str]
) -> None:
    """Give ``rows`` back to the store, at their places in ``order``; drop those ``without``."""
    for _ in range(TRIES):
        found = store.load(path)
        merged: dict[str, Any] = {}
        for key in order:
            if key in rows:
                merged[key] = rows[key]
            elif key in found.rows:
                merged[key] = found.rows[key]
        for source in (found.rows, rows):
            for key, row in source.items():
                if key not in without:
                    merged.setdefault(key, row)
        try:
            _commit(found, store_text.render(merged), None)
        except _ChangedMeanwhile:
            continue
        return
    raise Busy(f"session store {path} kept changing while it was being written", path=path)


def _kept_keys(plan: journal.Journal, acted: Acted) -> frozenset[str]:
    """The rows that stay because one of their transcripts could not be archived."""
    failed = acted.failed_paths
    return frozenset(key for move in plan.moves if move.source in failed for key in move.keys)


def _lines(plan: journal.Journal, path: Path, acted: Acted) -> list[bytes]:
    """The lines of the trail that came true, with the names that files really got."""
    if not acted.failures and not acted.renamed:
        return plan.changes
    folder = path.parent
    kept = _kept_keys(plan, acted)
    failed = {os.fspath(folder / name) for name in acted.failed_paths}
    renamed = {
        os.fspath(folder / wanted): os.fspath(folder / got) for wanted, got in acted.renamed.items()
    }
    lines = []
    for line in plan.changes:
        change = json.loads(line)
        if change["key"] in kept or change["path"] in failed:
            continue
        got = renamed.get(change["movedTo"] or "")
        if got is not None:
            old = change["movedTo"]
            undo = change["undo"]
            change |= {"movedTo": got, "undo": undo and undo.replace(old, got)}
        lines.append(jsonl.line_of(change))
    return lines


def _record(paths: Paths, lines: list[bytes], *, fresh: bool) -> None:
    """Append ``lines`` to the trail; a change that is finished late may have done so before."""
    if not fresh and lines:
        known = {_identity(line) for line in changes.read(paths)}
        lines = [line for line in lines if _identity(json.loads(line)) not in known]
    changes.append(paths, lines)


def _identity(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(str(line.get(part)) for part in ("ts", "command", "rule", "what", "key", "path"))


def _referenced(found: StoreFile, paths: Paths) -> frozenset[str]:
    """The transcript paths that the rows of ``found`` point at."""
    finder = TranscriptFinder(found.sessions_dir, paths.state_dir)
    resolved = (finder.resolve_text(row) for row in found.rows.values() if isinstance(row, dict))
    return frozenset(path for path in resolved if path is not None)
