"""The background jobs: what starts them, when they last ran, how that ended."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient, unreadable_json
from openclaw_cli.jobs import records
from openclaw_cli.jobs.look import BUDGET
from openclaw_cli.state import clock

TICK_LATE_MS = 15 * clock.MINUTE_MS
CLEANUP = "cleanup"  # on by default; by itself no reason to want a scheduler


def check_scheduler(patient: Patient) -> Iterator[Finding]:
    """Whether anything starts the tick, and when it last did."""
    host = patient.scheduler
    tick = host["lastTickAtMs"]
    age_ms = None if tick is None else patient.now_ms - tick
    if age_ms is not None and 0 <= age_ms <= TICK_LATE_MS:
        return
    last = "there was no tick yet" if tick is None else f"the last tick was at {clock.iso(tick)}"
    if host["installed"]:
        message = f"the background jobs are installed ({host['kind']}), but {last}"
        fix = "is that scheduler running? openclaw jobs print shows what it should start"
        yield Finding("tick-late", WARN, message, fix=fix)
        return
    wanted = [view.name for view in patient.jobs if view.facts.on and view.name != CLEANUP]
    message = f"nothing starts the background jobs; {last}"
    if wanted:
        message += f" (switched on: {', '.join(wanted)})"
    severity = WARN if wanted else INFO
    yield Finding("scheduler-missing", severity, message, fix="openclaw jobs install")


def check_jobs(patient: Patient) -> Iterator[Finding]:
    """How the last run of each job ended."""
    then = "every job counts as never run"
    path = patient.paths.job(records.NAME)
    yield from unreadable_json("job-records-unreadable", path, what="job records", then=then)
    for view in patient.jobs:
        log = f"openclaw jobs log {view.name}"
        if view.facts.error is not None:
            message = f"job {view.name} cannot be judged: {view.facts.error.message}"
            yield Finding("job-unclear", WARN, message, view.facts.error.path, "openclaw jobs list")
        if view.record.was_interrupted:
            message = f"the last run of job {view.name} was interrupted"
            yield Finding("job-interrupted", WARN, message, fix=log)
        elif view.record.fields.get("outcome") == records.FAILED:
            message = f"the last run of job {view.name} failed: {view.record.fields.get('error')}"
            yield Finding("job-failed", WARN, message, fix=log)
        if view.reason == BUDGET:
            message = f"job {view.name} waits: the tokens of today are spent"
            yield Finding("budget-spent", INFO, message, fix="openclaw usage")


CHECKS = (check_scheduler, check_jobs)
