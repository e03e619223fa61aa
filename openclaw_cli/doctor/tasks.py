"""Scheduled tasks: definitions, run state, quarantine, what is late and what cannot work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from openclaw_cli.config import agents
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
from openclaw_cli.schedule import announce, due, job, settings, store
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.store import Store
from openclaw_cli.state import clock, files
from openclaw_cli.state.amounts import counted

FAILING = 3  # errors in a row
LATE_MS = 15 * clock.MINUTE_MS
RUN_DUE = "openclaw cron run-due"


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
        fix = "correct them in the file before that"
        yield Finding("tasks-unusable", WARN, message, str(path), fix)
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


def check_times(patient: Patient) -> Iterator[Finding]:
    """Tasks that were due and did not run, that nobody finished, or that never come due."""
    path = settings.store_path(patient.config, patient.paths)
    if not settings.has_store(path) or not settings.is_enabled(patient.config, patient.environ):
        return
    try:
        found = store.load(path)
    except OpenClawError:
        return  # told above
    moment = Moment(patient.now_ms, clock.host_zone())
    late: list[Task] = []
    for task in found.runnable:
        if due.claim(task, patient.now_ms) == due.ABANDONED:
            message = f"the process that ran task {task.name!r} is gone; the next run records that"
            yield Finding("task-interrupted", WARN, message, str(path), RUN_DUE)
        if not task.enabled:
            continue
        yield from _schedule(task, moment, str(path))
        following = due.refreshed(task, moment).next_run_ms
        if following is not None and patient.now_ms - following > LATE_MS:
            late.append(task)
    if late:
        names = ", ".join(task.name for task in late[:3]) + (", ..." if len(late) > 3 else "")
        message = f"{counted(len(late), 'task')} should have run by now ({names})"
        yield Finding("task-overdue", WARN, message, str(path), RUN_DUE)


def check_places(patient: Patient) -> Iterator[Finding]:
    """Tasks of agents that there are not, and answers with nowhere to go."""
    path = settings.store_path(patient.config, patient.paths)
    if not settings.has_store(path):
        return
    try:
        found = store.load(path)
    except OpenClawError:
        return  # told above
    known = agents.agent_ids(patient.config)
    around = announce.Surroundings(
        patient.paths,
        patient.config,
        settings.from_config(patient.config, patient.paths, patient.environ),
        patient.now_ms,
    )
    for task in (task for task in found.runnable if task.enabled):
        owner = announce.agent_of(task, patient.config)
        if owner not in known:
            message = f"task {task.name!r} is for agent {owner}, which is not configured"
            fix = f"openclaw cron edit {task.id} --agent {known[0]}"
            yield Finding("task-agent-unknown", WARN, message, str(path), fix)
        elif announce.is_explicit(task) and announce.wanted_mode(task) == "announce":
            problem = announce.destination(task, task.delivery, around).problem
            if problem is not None:
                message = f"the answer of task {task.name!r} has nowhere to go ({problem})"
                fix = f"openclaw cron edit {task.id} --channel CHANNEL --to RECIPIENT"
                yield Finding("task-undeliverable", WARN, message, str(path), fix)


CHECKS = (check_store, check_state, check_times, check_places)


def _schedule(task: Task, moment: Moment, where: str) -> Iterator[Finding]:
    """What keeps a task that repeats itself from ever coming due."""
    if task.kind == job.AT:
        return
    edit = f"openclaw cron edit {task.id} --cron EXPR --tz ZONE"
    try:
        if due.next_run_ms(task, moment) is None:
            message = f"task {task.name!r} never comes due: {task.schedule.get('expr')}"
            yield Finding("task-never-due", WARN, message, where, edit)
    except due.BadSchedule as error:
        message = f"the schedule of task {task.name!r} cannot be used: {error.message}"
        yield Finding("task-schedule-unusable", WARN, message, where, edit)


def _each(found: Store) -> Iterator[Finding]:
    where = str(found.files.jobs)
    ids = Counter(task.id for task in found.tasks)
    for task_id, number in ids.items():
        if number > 1:
            message = f"{number} tasks have the id {task_id}; only the first one runs"
            fix = "give each an id of its own in the file"
            yield Finding("task-id-twice", WARN, message, where, fix)
    for task in found.tasks:
        reason = job.foreign(task.row)
        if reason is not None and task.enabled:
            message = f"task {task.name!r} is never run here: {reason}"
            fix = f"openclaw cron disable {task.id}"
            yield Finding("task-foreign", INFO, message, where, fix)
        errors = job.whole(task.state.get("consecutiveErrors")) or 0
        if errors >= FAILING:
            last = job.text(task.state.get("lastError")) or "no reason given"
            message = f"task {task.name!r} failed {errors} times in a row: {last}"
            fix = f"openclaw cron runs --id {task.id}"
            yield Finding("task-failing", WARN, message, where, fix)
