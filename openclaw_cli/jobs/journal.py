"""One line per run of a job: ``logs/jobs.jsonl`` (``design.md`` 3, "Logging")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from openclaw_cli.state import clock, jsonl, lock
from openclaw_cli.state.paths import Paths

ROTATE_BYTES = 5 * 1024 * 1024


def record(
    paths: Paths, job: str, *, started_ms: int, ended_ms: int | None, outcome: str,
    counts: dict[str, Any] | None = None, error: str | None = None, warnings: Sequence[str] = (),
) -> None:  # fmt: skip
    """Append the line of one run; ``ended_ms`` None when nobody saw its end."""
    line = {
        "ts": clock.iso(started_ms if ended_ms is None else ended_ms),
        "job": job,
        "start": clock.iso(started_ms),
        "end": None if ended_ms is None else clock.iso(ended_ms),
        "durationMs": None if ended_ms is None else max(0, ended_ms - started_ms),
        "outcome": outcome,
        "counts": counts or {},
        "error": error,
        "warnings": list(warnings) or None,
    }
    path = paths.log("jobs")
    with lock.file_lock(path):
        jsonl.rotate(path, ROTATE_BYTES)
        jsonl.append(path, [{name: v for name, v in line.items() if v is not None}])


def read(
    paths: Paths, *, job: str | None = None, since_ms: int | None = None, limit: int | None = None
) -> list[dict[str, Any]]:
    """The runs, newest first, the earlier generation of the file included.

    Lines that are no run are passed over.
    """
    path = paths.log("jobs")
    lines = [
        line
        for generation in (path.with_name(path.name + ".1"), path)
        for line in jsonl.read_objects(generation, what="job log")
        if _is_run(line) and (job is None or line["job"] == job) and _is_since(line, since_ms)
    ]
    lines.reverse()
    return lines if limit is None else lines[:limit]


def _is_run(line: dict[str, Any]) -> bool:
    texts = (line.get("job"), line.get("outcome"), line.get("start", ""), line.get("error", ""))
    return all(isinstance(t, str) for t in texts) and isinstance(line.get("counts", {}), dict)


def _is_since(line: dict[str, Any], since_ms: int | None) -> bool:
    if since_ms is None:
        return True
    stamp = line.get("ts")
    at = clock.parse_iso(stamp) if isinstance(stamp, str) else None
    return at is not None and at >= since_ms
