"""Keeping the managed task of the nightly sweep in ``cron/jobs.json`` (``dreaming.md`` 2.3).

Run by ``dreaming reconcile``, by ``dreaming on|off`` and at the start of ``cron run-due``; the
decision is ``schedule.managed``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.schedule import due, managed, store
from openclaw_cli.schedule import settings as schedule_settings
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.managed import Reconciled
    from openclaw_cli.schedule.store import Store

COMMAND = "dreaming reconcile"


def reconcile(config: Config, *, dry_run: bool = False) -> dict[str, Any]:
    """Make the store hold the managed task as the settings say; ``{status, jobId, ...}``.

    Nothing is written when it does already.
    """
    paths = config.paths
    path = schedule_settings.store_path(config, paths)
    wanted = wanted_job(config)
    moment = Moment(clock.now_ms(), clock.host_zone())
    planned = managed.reconcile(_rows(store.load(path)), wanted)
    if planned.status == managed.NOOP or not (planned.added or planned.patch or planned.removed):
        return _document(planned, planned.rows)
    if dry_run:
        return {**_document(planned, planned.rows), "dryRun": True}
    from openclaw_cli.schedule import edit_store

    new_id = edit_store.new_id()

    def change(found: Store) -> dict[str, Any]:
        result = managed.reconcile(_rows(found), wanted)
        gone = _carry_out(found, result, new_id, moment)
        edit_store.record_removed(paths, path, gone, command=COMMAND, now_ms=moment.now_ms)
        if result.added is not None:
            result = result._replace(kept_id=new_id)
        return _document(result, _rows(found))

    return store.update(path, change, paths=paths, command=COMMAND, now_ms=moment.now_ms)


def wanted_job(config: Config) -> dict[str, Any] | None:
    """The managed task for these settings; None while dreaming is off."""
    from openclaw_cli.dreaming import settings as dreaming_settings

    dreaming = dreaming_settings.resolve(config)
    if not dreaming.enabled:
        return None
    gates = dreaming.deep.gates
    limits = managed.Limits(
        dreaming.deep.limit, gates.min_score, gates.min_recall_count, gates.min_unique_queries,
        gates.half_life_days, gates.max_age_days,
    )  # fmt: skip
    return managed.wanted_job(limits, frequency=dreaming.frequency, timezone=dreaming.timezone)


def _rows(found: Store) -> list[Any]:
    """All rows in the order of the file, also those that cannot be used as tasks."""
    rows: list[Any] = [task.row for task in found.tasks]
    for rejected in found.rejected:
        rows.insert(rejected.place, rejected.row)
    return rows


def _carry_out(
    found: Store, result: Reconciled, new_id: str, moment: Moment
) -> list[dict[str, Any]]:  # fmt: skip
    """Make the tasks of ``found`` what ``result`` says; the removed rows."""
    tasks, gone = [], []
    for task in found.tasks:
        if any(task.row is row for row in result.rows):
            tasks.append(task)
        elif result.kept is not None and task.row is result.kept:
            row = {**task.row, **result.patch}
            tasks.append(due.refreshed(Task(row, task.state, moment.now_ms, task.identity), moment))
        else:
            gone.append(task.row)
    if result.added is not None:
        row = {"id": new_id, "createdAtMs": moment.now_ms, **result.added}
        tasks.append(due.refreshed(Task(row, {}, moment.now_ms), moment))
    # A predecessor may lack what a task needs: it is removed like the others, not set aside.
    unusable = [r for r in found.rejected if not any(r.row is row for row in result.rows)]
    gone += [rejected.row for rejected in unusable]
    found.rejected[:] = [r for r in found.rejected if r not in unusable]
    found.tasks[:] = tasks
    return gone


def _document(result: Reconciled, rows: list[Any]) -> dict[str, Any]:
    return {
        "status": result.status,
        "jobId": result.kept_id,
        "removedIds": result.removed,
        "jobs": rows,
    }
