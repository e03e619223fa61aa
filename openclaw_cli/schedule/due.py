"""When a scheduled task runs next, and whether it is due. Pure (``scheduled-tasks.md`` 2, 3).

The stored next run is trusted while it belongs to the present definition, the present host
zone (where the task names none) and a clock that was not set back; else it is found anew.
A slot that passed meanwhile is caught up once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.schedule import job, stagger
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import clock, lock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

CLAIM_KEYS = ("runningAtMs", "runningPid", "runningStarttime")
BASIS = "nextRunBasis"  # ours: when and in which host zone the next run was found
FOREIGN_CLAIM_MS = 2 * clock.HOUR_MS
LATE_REMINDER_MS = clock.DAY_MS
SCHEDULE_ERRORS = 3
_FIELDS = ("at", "atMs", "everyMs", "anchorMs", "expr", "tz", "staggerMs")

FREE, RUNNING, ABANDONED = "free", "running", "abandoned"


class Moment(NamedTuple):
    """The instant and the host's zone that decisions are made for."""

    now_ms: int
    zone: ZoneInfo


class BadSchedule(OpenClawError):
    """A schedule that has the right form and still cannot be evaluated."""

    code = "bad-schedule"


def next_run_ms(task: Task, moment: Moment) -> int | None:
    """The next run from now on, epoch ms; None when there is none.

    A one-shot keeps its own instant until it succeeded. Raises ``BadSchedule``.
    """
    schedule, last = task.schedule, task.last_run_ms
    if task.kind == job.AT:
        at = job.at_ms(schedule)
        is_done = task.last_status == "ok" and at is not None and (last or 0) >= at
        return None if is_done else at
    if task.kind == job.EVERY:
        return _next_interval(task, schedule, last, moment.now_ms)
    from openclaw_cli.schedule import expression

    offset = _offset(task, schedule)
    zone, expr = _zone(schedule, moment), str(schedule.get("expr"))
    try:
        match = expression.next_after(expr, zone, moment.now_ms - offset)
    except expression.BadExpression as error:
        raise BadSchedule(error.message, hint=error.hint) from error
    return None if match is None else match + offset


def latest_slot_ms(task: Task, moment: Moment) -> int | None:
    """The last instant not after now at which a ``cron`` task was to run."""
    from openclaw_cli.schedule import expression

    schedule = task.schedule
    offset = _offset(task, schedule)
    expr = str(schedule.get("expr"))
    try:
        match = expression.latest_at_or_before(
            expr, _zone(schedule, moment), moment.now_ms - offset
        )
    except expression.BadExpression as error:
        raise BadSchedule(error.message, hint=error.hint) from error
    return None if match is None else match + offset


def aligned_ms(anchor_ms: int, every_ms: int, now_ms: int) -> int:
    """The next multiple of an interval: the anchor itself before it, never in the past.

    Exactly on a multiple (but not on the anchor) it is now.
    """
    if now_ms < anchor_ms:
        return anchor_ms
    return anchor_ms + max(1, -((anchor_ms - now_ms) // every_ms)) * every_ms


def identity(task: Task) -> str:
    """The text that tells whether a stored next run belongs to the definition."""
    schedule = {"kind": task.kind} | {
        name: value for name in _FIELDS if (value := task.schedule.get(name)) is not None
    }
    return json.dumps(
        {"version": 1, "enabled": task.enabled, "schedule": schedule},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def refreshed(task: Task, moment: Moment) -> Task:
    """The task with a next run that can be trusted; the same object when nothing changes.

    Claims are left alone, except that a disabled task loses one nobody holds.
    """
    present = identity(task)
    if not task.enabled:
        gone = {"nextRunAtMs", BASIS}
        if claim(task, moment.now_ms) != RUNNING:
            gone.update(CLAIM_KEYS)
        state = {name: value for name, value in task.state.items() if name not in gone}
        return _changed(task, state, present)
    same = task.identity is None or _same(task.identity, task)
    if same and _is_trusted(task, moment):
        return _changed(task, task.state, present)
    try:
        following = _found_anew(task, moment, edited=not same)
    except BadSchedule as error:
        return _with_schedule_error(task, error, present)
    kept = {name: v for name, v in task.state.items() if name != "scheduleErrorCount"}
    return _changed(task, with_next(kept, task, following, moment), present)


def with_next(
    state: Mapping[str, Any], task: Task, following: int | None, moment: Moment
) -> dict[str, Any]:
    """``state`` with that next run and what it was based on."""
    rest = {name: v for name, v in state.items() if name not in ("nextRunAtMs", BASIS)}
    if following is None:
        return rest
    basis: dict[str, Any] = {"atMs": moment.now_ms}
    if _needs_host_zone(task):
        basis["zone"] = moment.zone.key
    return {**rest, "nextRunAtMs": following, BASIS: basis}


def claim(task: Task, now_ms: int) -> str:
    """Whether somebody runs the task: ``free``, ``running``, or ``abandoned`` by its process.

    A claim without a process is the gateway's; it counts for two hours.
    """
    since = job.whole(task.state.get("runningAtMs"))
    if since is None:
        return FREE
    pid, ticks = (job.whole(task.state.get(name)) for name in CLAIM_KEYS[1:])
    if pid is not None:
        return RUNNING if pid > 0 and lock.is_running(pid, ticks) else ABANDONED
    return RUNNING if now_ms - since < FOREIGN_CLAIM_MS else ABANDONED


def reason_not_due(task: Task, now_ms: int) -> str | None:
    """Why a (refreshed) task does not run now; None when it does."""
    if not task.enabled:
        return "disabled"
    if job.foreign(task.row) is not None:
        return "unsupported"
    if claim(task, now_ms) == RUNNING:
        return "already-running"
    following = task.next_run_ms
    if following is not None and following <= now_ms:
        return None
    if following is None and job.whole(task.state.get("scheduleErrorCount")):
        return "invalid-spec"
    return "not-due"


def is_too_late(task: Task, now_ms: int) -> bool:
    """Whether a one-shot is found so late that its reminder is worth nothing any more."""
    following = task.next_run_ms
    return task.kind == job.AT and following is not None and now_ms - following > LATE_REMINDER_MS


def has_given_up(task: Task) -> bool:
    """Whether the schedule failed so often in a row that the task is to be switched off."""
    errors = job.whole(task.state.get("scheduleErrorCount")) or 0
    return task.enabled and errors >= SCHEDULE_ERRORS


def _next_interval(
    task: Task, schedule: Mapping[str, Any], last: int | None, now_ms: int
) -> int | None:
    every = job.every_ms(schedule)
    if every is None:
        raise BadSchedule(f"task {task.id}: everyMs is no positive number")
    if last is not None and last <= now_ms < last + every:
        return last + every
    anchor = job.whole(schedule.get("anchorMs"))
    if anchor is None:
        anchor = task.created_at_ms
    return aligned_ms(now_ms if anchor is None else anchor, every, now_ms)


def _zone(schedule: Mapping[str, Any], moment: Moment) -> ZoneInfo:
    name = job.text(schedule.get("tz"))
    zone = moment.zone if name is None else clock.find_zone(name)
    if zone is None:
        raise BadSchedule(f"unknown time zone {name!r}")
    return zone


def _offset(task: Task, schedule: Mapping[str, Any]) -> int:
    return stagger.offset_ms(task.id, stagger.window_ms(schedule))


def _needs_host_zone(task: Task) -> bool:
    return task.kind == job.CRON and job.text(task.schedule.get("tz")) is None


def _same(stored: str, task: Task) -> bool:
    """Whether a stored identity means the present definition, however it is spelled."""
    try:
        found = json.loads(stored)
        schedule = found["schedule"]
        enabled = found.get("enabled", True)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False
    if not isinstance(schedule, dict) or (enabled is not False) != task.enabled:
        return False
    mine, theirs = task.schedule, job.schedule_of({"schedule": schedule})
    if theirs["kind"] != mine["kind"]:
        return False
    if mine["kind"] == job.AT:
        return job.at_ms(mine) == job.at_ms(theirs)
    return all(mine.get(name) == theirs.get(name) for name in _FIELDS)


def _is_trusted(task: Task, moment: Moment) -> bool:
    """Whether the stored next run still holds: same host zone, no clock set back."""
    if task.next_run_ms is None:
        return False
    basis = task.state.get(BASIS)
    if not isinstance(basis, dict):
        return (task.last_run_ms or 0) <= moment.now_ms
    if (job.whole(basis.get("atMs")) or 0) > moment.now_ms:
        return False
    zone = basis.get("zone")
    return zone is None or not _needs_host_zone(task) or zone == moment.zone.key


def _found_anew(task: Task, moment: Moment, *, edited: bool) -> int | None:
    """The next run, or the latest slot when it passed since the last run and nobody ran it.

    An edited schedule starts afresh: its past slots were never promised.
    """
    last = task.last_run_ms
    if task.kind == job.CRON and not edited and last is not None and last <= moment.now_ms:
        latest = latest_slot_ms(task, moment)
        pending = task.next_run_ms
        # A wait after an error outlasts a slot that passed meanwhile.
        is_waiting = task.last_status == "error" and (pending or 0) > moment.now_ms
        if latest is not None and latest > last and not is_waiting:
            return latest
    return next_run_ms(task, moment)


def _with_schedule_error(task: Task, error: BadSchedule, present: str) -> Task:
    state = {name: v for name, v in task.state.items() if name not in ("nextRunAtMs", BASIS)}
    count = (job.whole(state.get("scheduleErrorCount")) or 0) + 1
    state |= {"scheduleErrorCount": count, "lastError": error.message}
    return _changed(task, state, present)


def _changed(task: Task, state: dict[str, Any], present: str) -> Task:
    if state == task.state and task.identity is not None and _same(task.identity, task):
        return task
    return Task(task.row, dict(state), task.updated_at_ms, present)
