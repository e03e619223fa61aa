"""One look over all tasks: what is due, what ended without its process, what came too late.

Pure apart from asking whether a process lives. ``look`` alters the tasks of a store that
was just read; ``run`` writes it and carries on (``scheduled-tasks.md`` 3, "Stateless rules").
"""

from __future__ import annotations

from openclaw_cli.schedule import due, history, job, outcome
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome, Run
from openclaw_cli.schedule.settings import Settings
from openclaw_cli.schedule.store import Store
from openclaw_cli.state.tuples import NamedTuple


class Ended(NamedTuple):
    """A run that ended without our doing, and the task before and after it."""

    task: Task
    result: Outcome
    run: Run
    after: outcome.After


class Plan(NamedTuple):
    """``due`` in the order of their times; ``skipped`` with reasons; ``given_up`` switched off.

    ``changed`` are the ids of tasks that are not as they stand in the files.
    """

    due: list[Task]
    skipped: list[tuple[Task, str]]
    ended: list[Ended]
    given_up: list[Task]
    changed: list[str]

    @property
    def has_work(self) -> bool:
        """Whether a run now would do or write anything."""
        return bool(self.due or self.changed)


def look(found: Store, moment: Moment, settings: Settings) -> Plan:
    """Bring every task up to date in ``found`` and say what is to be done."""
    plan = Plan([], [], [], [], [])
    runnable = {id(task) for task in found.runnable}
    for place, task in enumerate(found.tasks):
        if id(task) in runnable:
            after = _looked_at(task, moment, settings, plan)
            if after is not task:
                found.tasks[place] = after
                plan.changed.append(after.id)
    plan.due.sort(key=lambda task: (task.next_run_ms or 0, task.id))
    return plan


def next_wake_ms(found: Store) -> int | None:
    """The earliest next run of the tasks that may run."""
    times = [task.next_run_ms for task in found.runnable if task.enabled]
    return min((at for at in times if at is not None), default=None)


def _looked_at(task: Task, moment: Moment, settings: Settings, plan: Plan) -> Task:
    now_ms = moment.now_ms
    if due.claim(task, now_ms) == due.ABANDONED:
        task = _interrupted(task, moment, settings, plan)
    if due.claim(task, now_ms) == due.RUNNING:
        plan.skipped.append((task, "already-running"))
        return task
    task = due.refreshed(task, moment)
    if due.has_given_up(task):
        off = outcome.switched_off(task)
        plan.given_up.append(off)
        plan.skipped.append((off, "invalid-spec"))
        return off
    reason = due.reason_not_due(task, now_ms)
    if reason == "invalid-spec":
        plan.skipped.append((task, reason))
    if reason is not None:
        return task
    if due.is_too_late(task, now_ms):
        return _missed(task, moment, settings, plan)
    plan.due.append(task)
    return task


def _interrupted(task: Task, moment: Moment, settings: Settings, plan: Plan) -> Task:
    """Record a run whose process is gone as the error that it was."""
    since = job.whole(task.state.get("runningAtMs")) or moment.now_ms
    result = outcome.interrupted(since)
    return _ended(task, result, Run(since, max(since, moment.now_ms)), (moment, settings, plan))


def _missed(task: Task, moment: Moment, settings: Settings, plan: Plan) -> Task:
    hours = (moment.now_ms - (task.next_run_ms or 0)) // 3_600_000
    result = Outcome(
        outcome.SKIPPED,
        error=f"missed: found {hours} hours after its time",
        reason=history.MISSED,
    )
    plan.skipped.append((task, history.MISSED))
    run = Run(moment.now_ms, moment.now_ms)
    return _ended(task, result, run, (moment, settings, plan))


def _ended(
    task: Task, result: Outcome, run: Run, around: tuple[Moment, Settings, Plan]
) -> Task:  # fmt: skip
    moment, settings, plan = around
    after = outcome.settle(task, result, run, moment, settings)
    plan.ended.append(Ended(task, result, run, after))
    return after.task or task
