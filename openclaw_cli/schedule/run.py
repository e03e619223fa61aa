"""Running scheduled tasks: claim, execute, deliver, record (``scheduled-tasks.md`` 3).

A task is claimed under the lock of the state file, run without any lock, and its result is
written to the row as it is then. What executes a task (an agent's turn, a heartbeat, the
sweep) is passed in, since it belongs to the layers above. ``<state>/jobs/cron.lock`` lets one
``run_due`` work at a time, on ``cron.maxConcurrentRuns`` tasks at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from openclaw_cli.errors import Interrupted, OpenClawError, UnknownName
from openclaw_cli.schedule import (
    announce,
    due,
    history,
    job,
    managed,
    outcome,
    plan,
    retention,
    store,
)
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome, Run
from openclaw_cli.state import changes, clock, lock
from openclaw_cli.state.timer import time_limit
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.settings import Settings
    from openclaw_cli.state.paths import Paths

T = TypeVar("T")

GRACE_S = 5.0  # a turn keeps its time by itself, more gently; the alarm is for what cannot


@dataclass
class Host:
    """What runs need from outside.

    ``execute`` runs one claimed task (``started_ms`` is the start) and tells how it ended;
    ``notify`` queues a line for the main session of the task's agent.
    """

    paths: Paths
    config: Config
    settings: Settings
    zone: ZoneInfo
    execute: Callable[[Task, int], Outcome]
    notify: Callable[[Task, str], None]

    def moment(self) -> Moment:
        """Now, and the host's zone."""
        return Moment(clock.now_ms(), self.zone)


class TimeUp(Interrupted):
    """The run took as long as it may. Unwinds like a signal, but ends at its task."""

    def __init__(self) -> None:
        super().__init__(1)


class Finished(NamedTuple):
    """One run that took place."""

    task: Task
    run: Run
    result: Outcome

    def to_json(self) -> dict[str, Any]:
        """The run as ``cron run-due`` tells it."""
        document = {
            "id": self.task.id,
            "name": self.task.name,
            "runId": history.run_id(self.task.id, self.run.started_ms),
            "status": self.result.status,
            "error": self.result.error,
            "deliveryStatus": self.result.delivery_status or announce.NOT_REQUESTED,
            "durationMs": max(0, self.run.ended_ms - self.run.started_ms),
        }
        return {name: value for name, value in document.items() if value is not None}


def run_due(host: Host, *, limit: int | None = None) -> dict[str, Any]:
    """Run everything that is due; the report of it.

    Raises ``Busy`` when another process does the same, having claimed nothing.
    """
    if not host.settings.enabled:
        return {"enabled": False, "ran": [], "skipped": [], "nextWakeAtMs": None}
    with lock.run_lock(host.paths.job("cron.lock")):
        found = _look(host)
        todo = [task.id for task in found.due]
        skipped = [{"id": task.id, "reason": reason} for task, reason in found.skipped]
        if limit is not None:
            skipped += [{"id": task_id, "reason": "limit"} for task_id in todo[limit:]]
            todo = todo[:limit]
        ran = []
        for task_id, row in _run_all(host, todo, may_grow=limit is None):
            if "reason" in row:
                skipped.append({"id": task_id, "reason": row["reason"]})
            else:
                ran.append(row)
        if ran:
            retention.purge(host.config, host.paths, host.settings, clock.now_ms())
        wake = plan.next_wake_ms(store.load(host.settings.store_path))
    return {"enabled": True, "ran": ran, "skipped": skipped, "nextWakeAtMs": wake}


def _run_all(
    host: Host, task_ids: list[str], *, may_grow: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run tasks in their order, several at once where that is allowed; a row for each.

    A row of ``reason`` alone tells why a task did not run. ``may_grow`` lets those join that
    become due while others run.
    """
    if host.settings.max_runs == 1:
        yield from ((task_id, _run_if_due(host, task_id)) for task_id in task_ids)
        return
    from openclaw_cli.schedule import workers

    def become_due() -> list[str]:
        return [task.id for task in _look(host).due] if may_grow else []

    results = workers.run_all(
        task_ids, host.settings.max_runs, lambda task_id: _run_if_due(host, task_id),
        more=become_due,
    )  # fmt: skip
    for task_id, row in results:
        yield task_id, _killed(host, task_id) if row is None else row


def _killed(host: Host, task_id: str) -> dict[str, Any]:
    """The row of a task whose process died; the claim that it left is recorded as well."""
    _look(host)
    task = store.load(host.settings.store_path).find(task_id)
    row = {"id": task_id, "name": task.name if task else task_id, "status": outcome.ERROR}
    return {**row, "error": "its process was killed"}


def _run_if_due(host: Host, task_id: str) -> dict[str, Any]:
    """Run one task; its row of the report, or only the ``reason`` why it does not run."""
    claimed = _claim(host, task_id, forced=False)
    if isinstance(claimed, str):
        return {"reason": claimed}
    return _run_claimed(host, claimed, forced=False).to_json()


def preview(host: Host, *, limit: int | None = None) -> dict[str, Any]:
    """What ``run_due`` would do now; changes nothing."""
    if not host.settings.enabled:
        return {"enabled": False, "ran": [], "skipped": [], "nextWakeAtMs": None, "dryRun": True}
    found = store.load(host.settings.store_path)
    seen = plan.look(found, host.moment(), host.settings)
    todo = seen.due if limit is None else seen.due[:limit]
    return {
        "enabled": True,
        "ran": [{"id": t.id, "name": t.name, "status": "due", "dueAtMs": t.next_run_ms}
                for t in todo],
        "skipped": [{"id": task.id, "reason": reason} for task, reason in seen.skipped],
        "nextWakeAtMs": plan.next_wake_ms(found),
        "dryRun": True,
    }  # fmt: skip


def run_one(host: Host, task_id: str, *, only_due: bool = False) -> dict[str, Any]:
    """Run one task now, due or not; ``{ok, ran, reason}`` when it does not run.

    Raises ``UnknownName`` for an id that there is not.
    """
    if not host.settings.enabled:
        return {"ok": True, "ran": False, "reason": "disabled"}
    _require(host, task_id)
    _look(host)
    claimed = _claim(host, task_id, forced=not only_due)
    if isinstance(claimed, str):
        return {"ok": True, "ran": False, "reason": claimed}
    finished = _run_claimed(host, claimed, forced=not only_due)
    document = {
        "ok": finished.result.status == outcome.OK,
        "ran": True,
        "enqueued": True,
        "runId": history.run_id(task_id, finished.run.started_ms),
        "status": finished.result.status,
        "error": finished.result.error,
        "deliveryStatus": finished.result.delivery_status or announce.NOT_REQUESTED,
    }
    return {name: value for name, value in document.items() if value is not None}


def preview_one(host: Host, task_id: str, *, only_due: bool = False) -> dict[str, Any]:
    """What ``run_one`` would do now, ``wouldRun`` and else the ``reason``; changes nothing."""
    reason: str | None = "disabled"
    if host.settings.enabled:
        moment = host.moment()
        task = due.refreshed(_require(host, task_id), moment)
        reason = _refusal(task, moment.now_ms, forced=not only_due)
    document = {"ok": True, "ran": False, "dryRun": True, "wouldRun": reason is None}
    return document if reason is None else {**document, "reason": reason}


def _require(host: Host, task_id: str) -> Task:
    task = store.load(host.settings.store_path).find(task_id)
    if task is None:
        raise UnknownName(
            f"no task {task_id!r}", hint="openclaw cron list --all", code="unknown-task"
        )
    return task


def _refusal(task: Task, now_ms: int, *, forced: bool) -> str | None:
    """Why a task is not started, ``forced``: due or not; None when it is."""
    if job.foreign(task.row) is not None:
        return "invalid-spec"
    if due.claim(task, now_ms) == due.RUNNING:
        return "already-running"
    return None if forced else due.reason_not_due(task, now_ms)


def _look(host: Host) -> plan.Plan:
    """Bring all tasks up to date on disk, and record what ended meanwhile."""
    moment = host.moment()
    seen = _update(host, lambda found: plan.look(found, moment, host.settings))
    for ended in seen.ended:
        _record(host, ended.task, ended.result, ended.run, ended.after)
    for task in seen.given_up:
        host.notify(
            task,
            f'Scheduled task "{task.name}" was switched off: its schedule cannot be evaluated '
            f"({task.state.get('lastError')}).",
        )
    return seen


def _claim(host: Host, task_id: str, *, forced: bool) -> Task | str:
    """Mark a task as running; the task, or the reason why it does not run."""
    moment = host.moment()

    def change(found: store.Store) -> Task | str:
        task = found.find(task_id)
        if task is None:
            return "gone"
        reason = _refusal(task, moment.now_ms, forced=forced)
        if reason is not None:
            return reason
        claimed = Task(task.row, _claimed_state(task, moment.now_ms), moment.now_ms, task.identity)
        found.tasks[found.tasks.index(task)] = claimed
        return claimed

    return _update(host, change)


def _claimed_state(task: Task, now_ms: int) -> dict[str, Any]:
    pid = os.getpid()
    state = {**task.state, "runningAtMs": now_ms, "runningPid": pid}
    ticks = lock.start_ticks(pid)
    return state if ticks is None else {**state, "runningStarttime": ticks}


def _run_claimed(host: Host, task: Task, *, forced: bool) -> Finished:
    """Execute a claimed task, deliver its answer, and write down how it went."""
    started_ms = job.whole(task.state.get("runningAtMs")) or clock.now_ms()
    result = _executed(host, task, started_ms)
    so_far = Run(started_ms, clock.now_ms(), forced)
    line = history.entry(task.id, result, so_far, now_ms=so_far.ended_ms, next_run_ms=None)
    result = _delivered(task, result, line, _around(host))
    run = Run(started_ms, max(started_ms, clock.now_ms()), forced)
    after = _settle(host, task.id, result, run)
    _record(host, task, result, run, after)
    return Finished(task, run, result)


def _executed(host: Host, task: Task, started_ms: int) -> Outcome:
    if not task.text.strip():
        return Outcome(outcome.SKIPPED, error="its text is empty", reason="empty-text")
    # The sweep that a managed task stands for is journaled and bounds itself.
    limit_s = None if managed.is_managed(task.row) else task.limit_s
    try:
        with time_limit(limit_s and limit_s + GRACE_S, TimeUp):
            return host.execute(task, started_ms)
    except TimeUp:
        return Outcome(outcome.ERROR, error=f"timed out after {limit_s} s", reason="timeout")
    except OpenClawError as error:
        return Outcome(outcome.ERROR, error=error.message, reason=error.code)
    except Exception as error:  # noqa: BLE001 - one task's fault must not stop the others
        return Outcome(outcome.ERROR, error=f"internal error: {type(error).__name__}: {error}")


def _delivered(
    task: Task, result: Outcome, line: dict[str, Any], around: announce.Surroundings
) -> Outcome:  # fmt: skip
    try:
        return announce.deliver(task, result, line, around)
    except OpenClawError as error:
        result.status, result.error = outcome.ERROR, f"delivery failed: {error.message}"
        result.delivery_status = announce.NOT_DELIVERED
        return result


def _settle(host: Host, task_id: str, result: Outcome, run: Run) -> outcome.After | None:
    """Write the result to the task as it is now; None when it is gone meanwhile."""
    moment = host.moment()

    def change(found: store.Store) -> outcome.After | None:
        task = found.find(task_id)
        if task is None:
            return None
        after = outcome.settle(task, result, run, moment, host.settings)
        place = found.tasks.index(task)
        if after.task is None:
            del found.tasks[place]
        else:
            found.tasks[place] = after.task
        return after

    return _update(host, change)


def _record(
    host: Host, task: Task, result: Outcome, run: Run, after: outcome.After | None
) -> None:  # fmt: skip
    """Send the failure notice that is due, and append the run to its history."""
    notice = None
    if after is not None and after.alert is not None:
        notice = _alerted(host, after.task or task, after.alert)
    following = after.task.next_run_ms if after is not None and after.task is not None else None
    line = history.entry(
        task.id, result, run, now_ms=clock.now_ms(), next_run_ms=following, alert=notice
    )
    path = history.path_of(store.files_of(host.settings.store_path).runs, task.id)
    history.append(path, line, host.settings)
    if after is not None and after.task is None:
        gone = changes.Change(
            "cron run-due", "it ran, and is deleted after its run", "task", key=task.id,
            path=str(host.settings.store_path), row=task.row,
        )  # fmt: skip
        changes.record(host.paths, [gone], clock.now_ms())


def _update(host: Host, change: Callable[[store.Store], T]) -> T:
    return store.update(
        host.settings.store_path, change, paths=host.paths, command="cron run-due",
        now_ms=clock.now_ms(),
    )  # fmt: skip


def _alerted(host: Host, task: Task, text: str) -> dict[str, Any]:
    try:
        return announce.alert(task, text, _around(host))
    except OpenClawError as error:
        return {"status": announce.NOT_DELIVERED, "error": error.message}


def _around(host: Host) -> announce.Surroundings:
    return announce.Surroundings(host.paths, host.config, host.settings, clock.now_ms())
