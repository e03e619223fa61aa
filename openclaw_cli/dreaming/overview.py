"""How dreaming stands: next and last sweep, counts, and what keeps it from running.

``dreaming status`` (``dreaming.md`` 10.1). Read only; what starts the tick is told by the
caller, since that is a matter of the host.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import run_record, slots, statistics, workspaces
from openclaw_cli.dreaming.blocks import DIARY_WARN_BYTES
from openclaw_cli.dreaming.settings import Dreaming, resolve
from openclaw_cli.dreaming.statistics import ManagedJob
from openclaw_cli.dreaming.workspaces import Target
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory.artifacts import find_diary
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import lock
from openclaw_cli.state.paths import Paths

MIGRATED = ".migrated"

Row = dict[str, Any]


def document(
    config: Config, paths: Paths, now_ms: int, *, agent: str | None, scheduler: Row
) -> Row:
    """The document of ``dreaming status --json``.

    ``scheduler`` is what starts the tick, with ``installed``. Raises ``InvalidConfig`` and
    ``UnknownName``.
    """
    settings = resolve(config)
    job = managed_job(config, paths)
    records = run_record.load(paths)
    targets = workspaces.find(config, paths, agent)
    rows = [_workspace_row(target, settings, now_ms, records) for target in targets]
    last = [row["lastRun"] for row in rows if row["lastRun"]]
    newest = max(last, key=lambda row: row.get("finishedAtMs") or 0, default=None)
    report = {
        "enabled": settings.enabled,
        "frequency": settings.frequency,
        "timezone": settings.timezone,
        "nextRunAtMs": slots.next_run_ms(settings, now_ms),
        "lastRun": newest,
        "scheduler": scheduler,
        "managedJob": {"present": job.present, "enabled": job.enabled},
        "phases": statistics.settings_block(settings, job)["phases"],
        "storageMode": settings.storage_mode,
        "workspaces": rows,
    }
    return report | {"blocked": _blocked(settings, report, job, now_ms)}


def managed_job(config: Config, paths: Paths) -> ManagedJob:
    """The scheduled task that stands for the sweep, as the store of tasks has it."""
    from openclaw_cli.schedule import settings as schedule_settings

    path = schedule_settings.store_path(config, paths)
    if not schedule_settings.has_store(path):
        return ManagedJob()
    from openclaw_cli.schedule import managed, store

    try:
        found = store.load(path)
    except OpenClawError:
        return ManagedJob()  # the store is somebody else's trouble: 'cron list' tells it
    tasks = [task for task in found.tasks if managed.is_managed(task.row)]
    enabled = [task for task in tasks if task.row.get("enabled", True) is not False]
    times = [task.state.get("nextRunAtMs") for task in enabled]
    known = [at for at in times if isinstance(at, int)]
    return ManagedJob(bool(tasks), bool(enabled), min(known, default=None))


def _workspace_row(target: Target, settings: Dreaming, now_ms: int, records: dict[str, Row]) -> Row:
    workspace = target.workspace
    last = run_record.row_of(records, workspace)
    return {
        "workspaceDir": str(workspace.root),
        "agentIds": target.agent_ids,
        **statistics.counts([workspace], settings, now_ms),
        "lastRun": last or None,
        "sweeping": lock.is_held(workspaces.lock_path(workspace)),
        "interrupted": workspaces.journal_path(workspace).exists(),
        "diary": _diary(workspace),
        "warnings": _warnings(workspace),
    }


def _diary(workspace: Workspace) -> Row | None:
    path = find_diary(workspace)
    if path is None or not path.is_file():
        return None
    return {"path": str(path), "bytes": path.stat().st_size}


def _warnings(workspace: Workspace) -> list[str]:
    found = []
    for path in (workspace.recall_path, workspace.signals_path, workspace.session_ingestion_path):
        moved = path.with_name(path.name + MIGRATED)
        if moved.exists() and not path.exists():
            found.append(
                f"{path.name} was moved into a database by a newer release ({moved.name}); "
                "this program starts from nothing"
            )
    diary = _diary(workspace)
    if diary is not None and diary["bytes"] > DIARY_WARN_BYTES:
        found.append(f"{diary['path']} has {diary['bytes']} bytes; it is loaded and read by people")
    return found


def _blocked(settings: Dreaming, report: Row, job: ManagedJob, now_ms: int) -> Row | None:
    """What keeps the next sweep from happening, or shows that the last did not."""
    if not settings.enabled:
        return None
    for row in report["workspaces"]:
        if row["lastRun"] and row["lastRun"].get("outcome") == "failed":
            detail = row["lastRun"].get("error") or "see 'openclaw jobs log sweep'"
            return _reason("last-sweep-failed", f"{row['workspaceDir']}: {detail}")
    late = _missed_ms(settings, report["workspaces"], now_ms)
    if late is not None:
        from openclaw_cli.state.clock import iso

        return _reason("overdue", f"no sweep since the slot of {iso(late)}")
    if report["scheduler"]["installed"]:
        return None
    if job.present and not job.enabled:
        return _reason("job-disabled", "the scheduled task of the sweep is disabled")
    if report["lastRun"] is not None:
        return None  # something of the owner's own starts it: the last slot was kept
    return _reason("no-scheduler", "nothing starts it: run 'openclaw jobs install'")


def _missed_ms(settings: Dreaming, rows: list[Row], now_ms: int) -> int | None:
    """The last slot that was swept, when at least one whole period passed since unused."""
    latest = slots.latest_ms(settings, now_ms)
    before = None if latest is None else slots.latest_ms(settings, latest - 1)
    swept = [run_record.slot_of(row["lastRun"]) for row in rows if row["lastRun"]]
    known = [slot for slot in swept if slot is not None]
    if before is None or not known or min(known) >= before:
        return None
    return min(known)


def _reason(reason: str, detail: str) -> Row:
    return {"reason": reason, "detail": detail}
