"""What ``doctor --fix`` does: only what loses nothing, and what any next run would do.

Each remedy looks again under the lock before it acts; what it changes is a line in the
trail of changes. A remedy that is no longer needed does nothing.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openclaw_cli.doctor import torn
from openclaw_cli.doctor.finding import Finding, Patient, Remedy
from openclaw_cli.state import changes, lock
from openclaw_cli.state.changes import Change

COMMAND = "doctor"

Fixed = dict[str, Any]


def planned(finding: Finding) -> Fixed:
    """What ``apply`` would put right about ``finding``."""
    remedy = finding.remedy
    assert remedy is not None  # noqa: S101 - asked only about findings that have one
    return _fixed(finding, str(remedy.path))


def apply(patient: Patient, finding: Finding) -> list[Fixed]:
    """Put right what ``finding`` says; what was done, nothing when there is no need any more.

    Raises ``OpenClawError`` and ``OSError``.
    """
    remedy = finding.remedy
    if remedy is None:
        return []
    done = KINDS[remedy.kind](patient, finding, remedy)
    return [] if done is None else [done]


def _modes(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    trail = []
    for path, mode in remedy.subject:
        before = stat.S_IMODE(path.lstat().st_mode)
        if before == mode or path.is_symlink():
            continue
        path.chmod(mode)
        undo = f"chmod {before:o} {shlex.quote(str(path))}"
        trail.append(_change(finding, "mode", path, row={"mode": f"{before:o}"}, undo=undo))
    changes.record(patient.paths, trail, patient.now_ms)
    return _fixed(finding, str(remedy.path)) if trail else None


def _lock(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    owner = lock.owner(remedy.path)
    if owner is None or not lock.remove_stale(remedy.path):
        return None
    row = {"pid": owner.pid, "ageMs": owner.age_ms}
    _record(patient, _change(finding, "lock", remedy.path, row=row))
    return _fixed(finding, str(remedy.path))


def _store_journal(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.sessions import transaction

    if not transaction.recover(remedy.path, paths=patient.paths, now_ms=patient.now_ms):
        return None
    _record(patient, _change(finding, "journal", remedy.path))
    return _fixed(finding, str(remedy.path))


def _sweep_journal(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.dreaming import workspace_sweep

    config, paths = patient.config, patient.paths
    if not workspace_sweep.finish(config, paths, remedy.subject, now_ms=patient.now_ms):
        return None
    _record(patient, _change(finding, "journal", remedy.path))
    return _fixed(finding, str(remedy.path))


def _transcript(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.sessions import repair

    path = remedy.path
    with lock.run_lock(path.with_name(path.name + ".lock")):
        if torn.find(path) is None:
            return None
        plan = repair.plan(path, session_id=path.stem, now_ms=patient.now_ms, cwd="")
        if plan is None:
            return None
        kept = repair.apply(path, plan, now_ms=patient.now_ms)
    _record(patient, _change(finding, "transcript", path, moved_to=kept))
    return _fixed(finding, str(path), kept)


def _torn_line(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.memory import recall_store

    path, owner = remedy.path, remedy.subject
    with recall_store.lock(owner) if owner is not None else lock.file_lock(path):
        kept = torn.cut(path, patient.now_ms)
    if kept is None:
        return None
    _record(patient, _change(finding, "log-line", path, moved_to=kept))
    return _fixed(finding, str(path), kept)


def _recall_store(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.memory import repair
    from openclaw_cli.memory.recall_store import Writer

    writer = Writer(patient.paths, patient.now_ms, COMMAND)
    done = repair.repair(remedy.subject, writer)
    if not done.changed:
        return None
    kept = Path(done.moved_aside) if done.moved_aside else None
    _record(patient, _change(finding, "recall-store", remedy.path, moved_to=kept))
    return _fixed(finding, str(remedy.path), kept)


def _session_corpus(patient: Patient, finding: Finding, remedy: Remedy) -> Fixed | None:
    from openclaw_cli.memory import artifacts

    done = artifacts.repair(remedy.subject, patient.now_ms)
    if done.archive_dir is None:
        return None
    kept = Path(done.archive_dir)
    _record(patient, _change(finding, "session-corpus", remedy.path, moved_to=kept))
    return _fixed(finding, str(remedy.path), kept)


KINDS: dict[str, Callable[[Patient, Finding, Remedy], Fixed | None]] = {
    "modes": _modes,
    "lock": _lock,
    "store-journal": _store_journal,
    "sweep-journal": _sweep_journal,
    "transcript": _transcript,
    "torn-line": _torn_line,
    "recall-store": _recall_store,
    "session-corpus": _session_corpus,
}


def _fixed(finding: Finding, path: str, kept: Path | None = None) -> Fixed:
    done = {"id": finding.id, "area": finding.area, "path": path, "message": finding.message}
    return done if kept is None else done | {"movedTo": str(kept)}


def _record(patient: Patient, change: Change) -> None:
    changes.record(patient.paths, [change], patient.now_ms)


def _change(
    finding: Finding,
    what: str,
    path: Path,
    *,
    moved_to: Path | None = None,
    row: Any = None,
    undo: str | None = None,
) -> Change:
    return Change(
        command=COMMAND,
        rule=finding.id,
        what=what,
        path=str(path),
        moved_to=None if moved_to is None else str(moved_to),
        row=row,
        undo=undo,
    )
