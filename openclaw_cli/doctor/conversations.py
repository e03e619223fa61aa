"""Session stores and transcripts: readable, complete, referenced, within their limits.

What maintenance would do is asked of maintenance itself, by the plan of a dry run.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.doctor import torn
from openclaw_cli.doctor.finding import (
    ERROR,
    INFO,
    WARN,
    Finding,
    Patient,
    Remedy,
    of_error,
)
from openclaw_cli.errors import OpenClawError
from openclaw_cli.sessions import (
    cleanup_report,
    discovery,
    journal,
    maintenance,
    maintenance_settings,
    names,
    references,
    repair,
    store,
    survey,
)
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.maintenance import Plan
from openclaw_cli.sessions.maintenance_settings import ENFORCE, Settings
from openclaw_cli.sessions.store import StoreFile
from openclaw_cli.sessions.survey import Survey
from openclaw_cli.state import clock
from openclaw_cli.state.amounts import counted

MANY_ARCHIVES = 1000
WIDE_ROWS = 5000
WIDE_AGE_MS = 365 * clock.DAY_MS


def check_stores(patient: Patient) -> Iterator[Finding]:
    """Each session store with its folder."""
    for target in patient.stores:
        yield from _store(patient, target, patient.agent_flag(target.agent_id))


def check_unconfigured(patient: Patient) -> Iterator[Finding]:
    """Stores of agents that the configuration does not name."""
    if patient.agent is not None:
        return
    for target in discovery.unconfigured_stores(patient.config, patient.paths):
        shown = shlex.quote(str(target.store_path))
        yield Finding(
            "store-unconfigured",
            INFO,
            f"agent {target.agent_id} has a store, but the configuration does not name it",
            str(target.store_path),
            f"openclaw sessions --store {shown}",
        )
        yield from _store(patient, target, f" --store {shown}")


CHECKS = (check_stores, check_unconfigured)


def _store(patient: Patient, target: Target, flag: str) -> Iterator[Finding]:
    path = target.store_path
    yield from _open_journal(path)
    try:
        found = store.load(path)
    except OpenClawError as error:
        yield of_error("store-unreadable", ERROR, error, f"openclaw sessions rebuild{flag}")
        return
    upkeep = maintenance_settings.from_config(patient.config, target.agent_id)
    budget = upkeep.settings.max_disk_bytes is not None
    facts = survey.take(
        found,
        patient.paths.state_dir,
        neighbours=upkeep.neighbours,
        fix_missing=True,
        budget=budget,
    )
    live = sorted(name for name in facts.folder.files if names.is_live(name))
    if not found.exists and live:
        yield Finding(
            "store-missing",
            ERROR,
            f"there is no session store, but {counted(len(live), 'transcript')} in {path.parent}",
            str(path),
            f"openclaw sessions rebuild{flag}",
        )
        return
    yield from _rows(patient, found, facts, flag)
    yield from _advice(found, facts, upkeep.settings, flag)
    yield from _transcripts(patient, found, facts, live)
    # Last: a plan simulates what it does in the listing of the folder.
    request = maintenance.Request(mode=ENFORCE, dry_run=True, fix_missing=True)
    plan = maintenance.make_plan(found, facts, upkeep, request, now_ms=patient.now_ms)
    yield from _limits(plan, target, upkeep, flag)


def _open_journal(path: Path) -> Iterator[Finding]:
    place = journal.path_of(path)
    if not os.path.lexists(place):
        return
    try:
        journal.read(path)
    except OpenClawError as error:
        yield of_error("store-journal-unreadable", ERROR, error)
        return
    yield Finding(
        "store-journal-open",
        WARN,
        "a change of the session store was interrupted; the next change finishes it first",
        str(place),
        "openclaw doctor --fix",
        Remedy("store-journal", path),
    )


def _rows(patient: Patient, found: StoreFile, facts: Survey, flag: str) -> Iterator[Finding]:
    """Rows that are none, that lost their conversation, or that point out of the folder."""
    where = str(found.path)
    odd = [key for key, row in found.rows.items() if not isinstance(row, dict)]
    if odd:
        message = f"{counted(len(odd), 'row')} cannot be read ({_some(odd)}); kept as they are"
        yield Finding("store-rows-unreadable", WARN, message, where, "correct them in the file")
    if facts.missing:
        yield Finding(
            "transcript-missing",
            WARN,
            f"{counted(len(facts.missing), 'session')} without a transcript that holds messages "
            f"({_some(sorted(facts.missing))})",
            where,
            f"openclaw sessions cleanup --fix-missing --dry-run{flag}",
        )
    if facts.repaired:
        yield Finding(
            "transcript-misnamed",
            WARN,
            f"{counted(len(facts.repaired), 'session')} whose sessionFile is wrong while its own "
            f"transcript is there ({_some(sorted(facts.repaired))})",
            where,
            f"openclaw sessions cleanup --fix-missing{flag}",
        )
    finder = discovery.TranscriptFinder(found.sessions_dir, patient.paths.state_dir)
    outside = [
        key
        for key, row in found.rows.items()
        if isinstance(row, dict) and row.get("sessionFile") and finder.resolve(row).refused
    ]
    if outside:
        message = (
            f"{counted(len(outside), 'session')} whose sessionFile lies outside the sessions "
            f"folder and is not used ({_some(outside)})"
        )
        fix = f"openclaw sessions cleanup --fix-missing --dry-run{flag}"
        yield Finding("session-file-outside", WARN, message, where, fix)


def _limits(
    plan: Plan, target: Target, upkeep: maintenance_settings.Upkeep, flag: str
) -> Iterator[Finding]:
    """What ``cleanup --enforce`` would do: rows past the limits, orphans, an overfull disk."""
    told = cleanup_report.summary(plan, target, upkeep)
    enforced = upkeep.settings.mode == ENFORCE
    command = f"openclaw sessions cleanup{'' if enforced else ' --enforce'}{flag}"
    where = str(target.store_path)
    stale, capped = told["pruned"], told["capped"]
    if stale or capped:
        yield Finding(
            "store-over-limits",
            INFO if enforced else WARN,
            f"{counted(stale + capped, 'row')} past the limits ({stale} older than pruneAfter, "
            f"{capped} over maxEntries)" + ("" if enforced else "; mode warn keeps them"),
            where,
            command,
        )
    orphans = told["unreferencedArtifacts"]
    if orphans["removedFiles"]:
        yield Finding(
            "files-unreferenced",
            INFO,
            f"{counted(orphans['removedFiles'], 'file')} that no session needs, unchanged for "
            f"longer than pruneAfter ({orphans['freedBytes']} bytes)",
            str(target.sessions_dir),
            f"{command} --dry-run",
        )
    disk = told["diskBudget"]
    if disk and disk.get("overBudget"):
        message = f"the sessions folder is over its budget of {disk['maxBytes']} bytes"
        yield Finding("disk-over-budget", WARN, message, str(target.sessions_dir), command)


def _advice(found: StoreFile, facts: Survey, limits: Settings, flag: str) -> Iterator[Finding]:
    """What makes stores slow (``sessions-maintenance.md`` 1.5), where the state shows it."""
    look = f"openclaw sessions cleanup --enforce --dry-run{flag}"
    size = len(found.text)
    if size > limits.rotate_bytes:
        message = f"the session store has {size} bytes; each message reads and writes it whole"
        yield Finding("store-large", WARN, message, str(found.path), look)
    archives = sum(1 for name in facts.folder.files if names.parse_archive(name))
    if archives > MANY_ARCHIVES:
        message = f"{archives} archives in the sessions folder; a shorter pruneAfter purges more"
        yield Finding("archives-many", INFO, message, str(found.sessions_dir), look)
    wide = limits.max_entries > WIDE_ROWS or limits.prune_after_ms > WIDE_AGE_MS
    if wide and len(found.rows) > WIDE_ROWS // 2:
        message = (
            f"{len(found.rows)} rows under wide limits (maxEntries {limits.max_entries}, "
            f"pruneAfter {limits.prune_after_ms / clock.DAY_MS:g} days): each message pays for them"
        )
        yield Finding("limits-wide", INFO, message, str(found.path), look)


def _transcripts(
    patient: Patient, found: StoreFile, facts: Survey, live: list[str]
) -> Iterator[Finding]:
    """Transcripts that no row points at, and those that are damaged."""
    needed = references.References(found.rows, facts.resolver)
    orphans = [
        name
        for name in live
        if not needed.needs(name) and not needed.needs_id(names.session_id_of(name) or "")
    ]
    if orphans:
        size = sum(facts.folder.files[name].size for name in orphans)
        message = (
            f"{counted(len(orphans), 'transcript')} that no session points at "
            f"({size} bytes: {_some(orphans)})"
        )
        fix = "they are kept; cleanup archives them once they are older than pruneAfter"
        yield Finding("transcripts-orphaned", INFO, message, str(found.sessions_dir), fix)
    for name in live:
        if not facts.is_busy(name):
            yield from _damage(found.sessions_dir / name, patient.now_ms)


def _damage(path: Path, now_ms: int) -> Iterator[Finding]:
    planned = repair.plan(path, session_id=path.stem, now_ms=now_ms, cwd="")
    if planned is None or not (planned.dropped or planned.no_header):
        return
    if planned.no_header and not planned.lines and not planned.dropped:
        return  # empty: nothing was ever said in it
    if planned.dropped == 1 and not planned.no_header and torn.find(path) is not None:
        yield Finding(
            "transcript-torn",
            WARN,
            "the last line was cut off by a crash",
            str(path),
            "openclaw doctor --fix",
            Remedy("transcript", path),
        )
        return
    parts = [f"{counted(planned.dropped, 'line')} cannot be read"] if planned.dropped else []
    parts += ["its first line is no header"] if planned.no_header else []
    yield Finding(
        "transcript-damaged",
        WARN,
        f"transcript {path.name}: {' and '.join(parts)}",
        str(path),
        "the next message in that session repairs it and keeps the file as it was beside it",
    )


def _some(items: list[str]) -> str:
    """A few of many, for people."""
    return ", ".join(items[:3]) + (", ..." if len(items) > 3 else "")
