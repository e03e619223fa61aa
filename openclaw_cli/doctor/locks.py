"""Lock files: held by a live process, or left by one that is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient, Remedy, of_error
from openclaw_cli.doctor.places import state_files
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state import lock


def check_locks(patient: Patient) -> Iterator[Finding]:
    """Every lock file of the tree."""
    told_elsewhere = {target.workspace.lock_path for target in patient.workspaces}
    for path in state_files(patient):
        if path.name.endswith(".lock") and path not in told_elsewhere:
            yield from _lock(path)


CHECKS = (check_locks,)


def _lock(path: Path) -> Iterator[Finding]:
    try:
        holder = lock.owner(path)
    except OpenClawError as error:
        yield of_error("lock-unreadable", WARN, error)
        return
    if holder is None:
        return
    who = "an unknown process" if holder.pid is None else f"process {holder.pid}"
    age = f"for {holder.age_ms // 1000} s"
    if holder.stale:
        message = f"the lock of {who}, which is gone, was left {age}"
        remedy = Remedy("lock", path)
        yield Finding("lock-stale", WARN, message, str(path), "openclaw doctor --fix", remedy)
    else:
        fix = "nothing to do unless it stays: then look at that process"
        yield Finding("lock-held", INFO, f"held by {who} {age}", str(path), fix)
