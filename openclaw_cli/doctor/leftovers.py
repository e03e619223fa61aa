"""Files that lie about: state of later releases, copies of damaged files, broken-off writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient
from openclaw_cli.doctor.places import state_files
from openclaw_cli.state import clock
from openclaw_cli.state.amounts import counted

_MIGRATED = re.compile(r"(.+)\.migrated(?:\.\d+)?")
_ASIDE = re.compile(r".+\.(?:corrupt|torn)-[0-9TZ.:-]+(?:-[0-9a-f]{8}\.jsonl)?")
_TEMPORARY = re.compile(r".+\.tmp")
_TEMPORARY_AGE_MS = clock.HOUR_MS


def check_leftovers(patient: Patient) -> Iterator[Finding]:
    """Files that no part of the program reads."""
    aside: list[Path] = []
    broken_off: list[Path] = []
    for path in state_files(patient):
        migrated = _MIGRATED.fullmatch(path.name)
        if migrated:
            yield _migrated(path, path.with_name(migrated[1]))
        elif _ASIDE.fullmatch(path.name):
            aside.append(path)
        elif _TEMPORARY.fullmatch(path.name) and _is_old(path, patient.now_ms):
            broken_off.append(path)
    if aside:
        message = f"{counted(len(aside), 'copy', 'copies')} of damaged files, kept aside"
        fix = "look at them, then delete them"
        yield Finding("kept-aside", INFO, f"{message}: {_some(aside)}", str(aside[0]), fix)
    if broken_off:
        message = f"{counted(len(broken_off), 'temporary file')} of writes that did not finish"
        fix = "delete them"
        place = str(broken_off[0])
        yield Finding("temporary-files", INFO, f"{message}: {_some(broken_off)}", place, fix)


CHECKS = (check_leftovers,)


def _migrated(path: Path, original: Path) -> Finding:
    message = f"{original.name} was moved into a database by release 2026.6 or later"
    if original.exists():
        message += "; a new one was started here since"
        return Finding("migrated-state", INFO, message, str(path))
    message += "; this program does not read that and starts from nothing"
    fix = f"to go on with it here: mv {path.name} {original.name}, with no gateway running"
    return Finding("migrated-state", WARN, message, str(path), fix)


def _is_old(path: Path, now_ms: int) -> bool:
    try:
        return now_ms - path.stat().st_mtime_ns // 1_000_000 > _TEMPORARY_AGE_MS
    except OSError:
        return False


def _some(paths: list[Path]) -> str:
    return ", ".join(path.name for path in paths[:3]) + (", ..." if len(paths) > 3 else "")
