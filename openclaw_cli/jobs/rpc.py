"""Gateway methods of scheduled tasks: ``cron.*`` (``sessions.md`` 13, ``scheduled-tasks.md`` 5).

Each is the command of the same name under the protocol's own words: whole definitions come
in as objects, and are held to the same rules as ``cron add`` and ``cron edit``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents
from openclaw_cli.errors import UsageProblem
from openclaw_cli.jobs import execute
from openclaw_cli.schedule import (
    due,
    edit,
    edit_store,
    history,
    job,
    listing,
    settings,
    store,
    times,
)
from openclaw_cli.schedule import run as running
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.store import Store
    from openclaw_cli.state.paths import Paths

Params = dict[str, Any]
_MERGED = ("payload", "delivery")  # of these a patch names the parts that change


def list_(config: Config, paths: Paths, params: Params, now_ms: int) -> Any:
    """``cron.list``."""
    moment = Moment(now_ms, clock.host_zone())
    agent = params.get("agentId")
    chosen = listing.choose(
        listing.shown(store.load(_path(config, paths)), moment),
        show_all=params.get("includeDisabled") is True,
        agent=agents.normalize_agent_id(agent) if agent else None,
        default_agent=agents.default_agent_id(config),
    )
    return listing.document(
        chosen, moment, limit=params.get("limit"), offset=params.get("offset", 0)
    )


def status(config: Config, paths: Paths, _params: Params, now_ms: int) -> Any:
    """``cron.status``."""
    path = _path(config, paths)
    tasks = listing.shown(store.load(path), Moment(now_ms, clock.host_zone()))
    times = [task.next_run_ms for task in tasks if task.enabled and task.next_run_ms is not None]
    return {
        "enabled": settings.is_enabled(config, config.environ),
        "storePath": str(path),
        "jobs": len(tasks),
        "nextWakeAtMs": min(times, default=None),
    }


def get(config: Config, paths: Paths, params: Params, now_ms: int) -> Any:
    """``cron.get``; ``UnknownName``."""
    moment = Moment(now_ms, clock.host_zone())
    task = edit_store.require(store.load(_path(config, paths)), _id(params))
    return listing.to_json(due.refreshed(task, moment), moment)


def add(config: Config, paths: Paths, params: Params, now_ms: int) -> Any:
    """``cron.add``: a whole definition, without id and times."""
    row: Params = {
        "id": edit_store.new_id(),
        "enabled": True,
        "createdAtMs": now_ms,
        "wakeMode": "now",
        **{name: value for name, value in params.items() if value is not None},
    }
    task = Task(row)
    row["sessionTarget"] = task.target
    if task.kind == job.AT:
        row.setdefault("deleteAfterRun", True)
    if task.is_turn:
        row.setdefault("delivery", {"mode": "announce"})
    _check(row, config)
    _require_ahead(row, now_ms)
    moment = Moment(now_ms, clock.host_zone())
    added = due.refreshed(Task(row, {}, now_ms), moment)
    _update(config, paths, lambda found: found.tasks.append(added), now_ms)
    return listing.to_json(added, moment)


def update(config: Config, paths: Paths, params: Params, now_ms: int) -> Any:
    """``cron.update``: the fields of ``patch`` replace those of the task; null removes one."""
    moment = Moment(now_ms, clock.host_zone())

    def change(found: Store) -> Task:
        task = edit_store.require(found, _id(params))
        row = _patched(task.row, params["patch"])
        _check(row, config)
        if row["schedule"] != task.row.get("schedule"):
            _require_ahead(row, now_ms)
        after = due.refreshed(Task(row, task.state, now_ms, task.identity), moment)
        found.tasks[found.tasks.index(task)] = after
        return after

    return listing.to_json(_update(config, paths, change, now_ms), moment)


def remove(config: Config, paths: Paths, params: Params, now_ms: int) -> Any:
    """``cron.remove``: ``{ok, removed}``."""
    path = _path(config, paths)
    removed = edit_store.remove(path, _id(params), paths=paths, now_ms=now_ms)
    return {"ok": True, "removed": removed}


def run(config: Config, _paths: Paths, params: Params, _now_ms: int) -> Any:
    """``cron.run``: in the foreground; ``mode`` ``due`` or ``force``."""
    host = execute.make_host(config)
    return running.run_one(host, _id(params), only_due=params.get("mode") == "due")


def runs(config: Config, paths: Paths, params: Params, _now_ms: int) -> Any:
    """``cron.runs``: one page of a task's history."""
    file = history.path_of(store.files_of(_path(config, paths)).runs, _id(params))
    query = history.Query(
        run_id=params.get("runId"),
        status=params.get("status"),
        delivery_status=params.get("deliveryStatus"),
        text=params.get("query"),
        limit=params.get("limit", history.DEFAULT_PAGE),
        offset=params.get("offset", 0),
    )
    return history.page(file, query)


def _patched(row: Params, patch: Params) -> Params:
    after = dict(row)
    for name, value in patch.items():
        present = row.get(name)
        if value is None:
            after.pop(name, None)
        elif name in _MERGED and isinstance(present, dict) and isinstance(value, dict):
            same = value.get("kind", present.get("kind")) == present.get("kind")
            after[name] = {**present, **value} if same else value
        else:
            after[name] = value
    after["id"] = row.get("id", row.get("jobId"))
    return after


def _check(row: Params, config: Config) -> None:
    """``UsageProblem`` for a definition that cannot be used, or whose parts do not fit."""
    if not job.text(row.get("name")):
        raise UsageProblem("a task needs a name")
    problem = job.problem(row)
    if problem is not None:
        raise UsageProblem(f"no usable task: {problem}")
    edit.check(row, agents.default_agent_id(config))
    try:
        due.next_run_ms(Task(row), Moment(clock.now_ms(), clock.host_zone()))
    except due.BadSchedule as error:
        raise UsageProblem(error.message, hint=error.hint) from error


def _require_ahead(row: Params, now_ms: int) -> None:
    schedule = job.schedule_of(row)
    at_ms = job.at_ms(schedule) if schedule["kind"] == job.AT else None
    if at_ms is not None:
        times.require_ahead(at_ms, str(schedule.get("at", at_ms)), now_ms)


def _update(config: Config, paths: Paths, change: Any, now_ms: int) -> Any:
    return store.update(
        _path(config, paths), change, paths=paths, command="gateway call cron", now_ms=now_ms
    )


def _path(config: Config, paths: Paths) -> Path:
    return settings.store_path(config, paths)


def _id(params: Params) -> str:
    found = job.row_id(params)
    if found is None:
        raise UsageProblem("'id' is required")
    return found
