"""Scheduled tasks: definitions, run state, quarantine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from openclaw_cli.doctor.finding import (
    ERROR,
    INFO,
    WARN,
    Finding,
    Patient,
    of_error,
    unreadable_json,
)
from openclaw_cli.errors import OpenClawError
from openclaw_cli.schedule import job, settings, store
from openclaw_cli.schedule.store import Store
from openclaw_cli.state import files
from openclaw_cli.state.amounts import counted

FAILING = 3  # errors in a row


def check_store(patient: Patient) -> Iterator[Finding]:
    """The definitions of tasks and what is wrong with single ones."""
    path = settings.store_path(patient.config, patient.paths)
    try:
        found = store.load(path)
    except OpenClawError as error:
        yield of_error("tasks-unreadable", ERROR, error)
        return
    if found.rejected:
        reasons = Counter(row.reason for row in found.rejected)
        words = ", ".join(f"{number} {reason}" for reason, number in sorted(reasons.items()))
        message = f"{counted(len(found.rejected), 'task')} cannot be used ({words}); the next "
        message += f"change moves them to {found.files.quarantine.name}"
        yield Finding("tasks-unusable", WARN, message, str(path))
    yield from _each(found)
    if found.tasks and not settings.is_enabled(patient.config, patient.environ):
        message = "scheduled tasks are switched off (cron.enabled, or OPENCLAW_SKIP_CRON)"
        yield Finding("cron-off", INFO, message, fix="openclaw config set cron.enabled true")


def check_state(patient: Patient) -> Iterator[Finding]:
    """Run state and quarantine of the tasks."""
    where = store.files_of(settings.store_path(patient.config, patient.paths))
    then = "it counts as absent, and every task as never run"
    yield from unreadable_json("tasks-state-unreadable", where.state, what="task state", then=then)
    try:
        document = files.load_json(where.quarantine, what="task quarantine")
    except OpenClawError as error:
        fix = "move it away: no further task can be put there"
        yield of_error("tasks-quarantine-unreadable", WARN, error, fix)
        return
    rows = document.get("jobs") if isinstance(document, dict) else document
    if isinstance(rows, list) and rows:
        message = f"{counted(len(rows), 'unusable task')} in quarantine"
        fix = "correct them there and put them back into the task list, or delete the file"
        yield Finding("tasks-quarantined", INFO, message, str(where.quarantine), fix)


CHECKS = (check_store, check_state)


def _each(found: Store) -> Iterator[Finding]:
    where = str(found.files.jobs)
    ids = Counter(task.id for task in found.tasks)
    for task_id, number in ids.items():
        if number > 1:
            message = f"{number} tasks have the id {task_id}; only the first one runs"
            yield Finding("task-id-twice", WARN, message, where)
    for task in found.tasks:
        reason = job.foreign(task.row)
        if reason is not None and task.enabled:
            message = f"task {task.name or task.id} is never run here: {reason}"
            yield Finding("task-foreign", INFO, message, where)
        errors = job.whole(task.state.get("consecutiveErrors")) or 0
        if errors >= FAILING:
            last = job.text(task.state.get("lastError")) or "no reason given"
            message = f"task {task.name or task.id} failed {errors} times in a row: {last}"
            fix = f"openclaw cron runs --id {task.id}"
            yield Finding("task-failing", WARN, message, where, fix)
