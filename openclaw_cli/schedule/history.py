"""The run history of each task, ``cron/runs/<jobId>.jsonl`` (``scheduled-tasks.md`` 4).

One line per finished run, newest last; lines that are no run are passed over when reading
and kept when writing. Pruned after an append: the last lines remain, and both limits count.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed
from openclaw_cli.schedule import job
from openclaw_cli.state import files, jsonl
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.schedule.outcome import Outcome, Run
    from openclaw_cli.schedule.settings import Settings

DEFAULT_PAGE, LARGEST_PAGE = 50, 200
MISSED = "missed"  # why a reminder that was found too late was skipped


class Query(NamedTuple):
    """Which entries of a history are wanted; None means any."""

    run_id: str | None = None
    status: str | None = None
    delivery_status: str | None = None
    text: str | None = None
    limit: int = DEFAULT_PAGE
    offset: int = 0


def path_of(runs: Path, task_id: str) -> Path:
    """The history file of a task; ``NotAllowed`` for an id that would leave the folder."""
    name = task_id.strip()
    if not job.is_file_name(name):
        raise NotAllowed(f"task id {task_id!r} cannot be a file name", code="bad-task-id")
    return runs / f"{name}.jsonl"


def run_id(task_id: str, started_ms: int) -> str:
    """The id of a run: ``cron:<jobId>:<startMs>``."""
    return f"cron:{task_id}:{started_ms}"


def entry(
    task_id: str, outcome: Outcome, run: Run, *, now_ms: int, next_run_ms: int | None,
    alert: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The line of a finished run; undefined fields are left out."""
    line = {
        "ts": now_ms,
        "jobId": task_id,
        "action": "finished",
        "status": outcome.status,
        "error": outcome.error,
        "errorReason": outcome.reason,
        "summary": outcome.summary,
        "runId": run_id(task_id, run.started_ms),
        "diagnostics": outcome.diagnostics or None,
        "delivered": outcome.delivered,
        "deliveryStatus": outcome.delivery_status or "not-requested",
        "deliveryError": outcome.delivery_error,
        "failureNotificationDelivery": alert,
        "delivery": outcome.delivery,
        "sessionId": outcome.session_id,
        "sessionKey": outcome.session_key,
        "runAtMs": run.started_ms,
        "durationMs": max(0, run.ended_ms - run.started_ms),
        "nextRunAtMs": next_run_ms,
        "model": outcome.model,
        "provider": outcome.provider,
        "usage": outcome.usage,
    }
    return {name: value for name, value in line.items() if value is not None}


def append(path: Path, line: dict[str, Any], settings: Settings) -> None:
    """Add one line, then prune the file when it is larger than allowed."""
    from openclaw_cli.state import lock

    with lock.file_lock(path):
        jsonl.append(path, [line])
        _prune(path, settings.log_bytes, settings.log_lines)


def read(path: Path) -> list[dict[str, Any]]:
    """The runs in the file, oldest first."""
    return [line for line in jsonl.read_objects(path, what="run history") if _is_run(line)]


def page(path: Path, query: Query) -> dict[str, Any]:
    """One page of the history, newest first."""
    found = [line for line in reversed(read(path)) if _matches(line, query)]
    limit = min(max(query.limit, 1), LARGEST_PAGE)
    end = query.offset + limit
    has_more = end < len(found)
    return {
        "entries": found[query.offset : end],
        "total": len(found),
        "offset": query.offset,
        "limit": limit,
        "hasMore": has_more,
        "nextOffset": end if has_more else None,
    }


def _is_run(line: dict[str, Any]) -> bool:
    return (
        line.get("action") == "finished"
        and job.text(line.get("jobId")) is not None
        and job.whole(line.get("ts")) is not None
    )


def _matches(line: dict[str, Any], query: Query) -> bool:
    exact = (
        ("runId", query.run_id),
        ("status", query.status),
        ("deliveryStatus", query.delivery_status),
    )
    if any(wanted is not None and line.get(name) != wanted for name, wanted in exact):
        return False
    if query.text is None:
        return True
    needle = query.text.casefold()
    fields = (line.get("summary"), line.get("error"), line.get("jobId"))
    return any(isinstance(value, str) and needle in value.casefold() for value in fields)


def _prune(path: Path, limit_bytes: int, keep_lines: int) -> None:
    """Keep the last lines: as many as allowed, and not more than fit."""
    if path.stat().st_size <= limit_bytes:
        return
    kept: list[bytes] = []
    size = 0
    for line in reversed(path.read_bytes().splitlines(keepends=True)):
        if len(kept) == keep_lines or (kept and size + len(line) > limit_bytes):
            break
        kept.append(line)
        size += len(line)
    files.write_atomic(path, b"".join(reversed(kept)))
