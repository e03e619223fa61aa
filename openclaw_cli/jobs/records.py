"""What is remembered of each job: ``<state>/jobs/state.json`` (``scheduled-tasks.md`` 6).

``{"version": 1, "jobs": {<name>: {startedAtMs, finishedAtMs, slotMs, outcome, error?, pid,
starttime, ...}}}``, written before and after a run. A record without an end whose process is
gone is an interrupted run. A record in the future (the clock was set back) counts as none.
"""

from __future__ import annotations

import os
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.state import clock, files, lock
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

NAME = "state.json"
WAITS_MS = tuple(minutes * clock.MINUTE_MS for minutes in (1, 5, 15, 60))
INTERRUPTIONS = 3

OK, FAILED, LOCKED, INTERRUPTED = "ok", "failed", "locked", "interrupted"


class Record(NamedTuple):
    """The last run of one job; ``fields`` are those of the file."""

    fields: dict[str, Any]

    def number(self, name: str) -> int | None:
        """A whole number of the record."""
        value = self.fields.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def started_ms(self) -> int | None:
        """When the last run started."""
        return self.number("startedAtMs")

    @property
    def finished_ms(self) -> int | None:
        """When it ended; None while it runs, or when its process died."""
        return self.number("finishedAtMs")

    @property
    def slot_ms(self) -> int | None:
        """The regular time that the last successful run counted for."""
        return self.number("slotMs")

    @property
    def is_running(self) -> bool:
        """Whether the process that started it is alive and has not finished."""
        pid = self.number("pid")
        if self.started_ms is None or self.finished_ms is not None or pid is None:
            return False
        return lock.is_running(pid, self.number("starttime"))

    @property
    def was_interrupted(self) -> bool:
        """Whether the run has no end and its process is gone."""
        return self.started_ms is not None and self.finished_ms is None and not self.is_running

    @property
    def interruptions(self) -> int:
        """How many runs in a row were interrupted, the last one included."""
        return (self.number("interruptions") or 0) + (1 if self.was_interrupted else 0)

    @property
    def failures(self) -> int:
        """How many runs in a row failed."""
        return self.number("failures") or 0

    def retry_ms(self) -> int | None:
        """Until when a failed job waits: 1, 5, 15, then 60 minutes; None when it need not."""
        if self.fields.get("outcome") != FAILED or self.finished_ms is None:
            return None
        return self.finished_ms + WAITS_MS[min(max(self.failures, 1), len(WAITS_MS)) - 1]

    def to_json(self) -> dict[str, Any] | None:
        """The run as ``jobs list`` tells it; None when there was none."""
        if self.started_ms is None:
            return None
        shown: dict[str, Any] = {
            name: number
            for name in ("startedAtMs", "finishedAtMs", "slotMs")
            if (number := self.number(name)) is not None
        }
        shown |= {
            name: text
            for name in ("outcome", "error")
            if isinstance(text := self.fields.get(name), str)
        }
        if self.was_interrupted:
            shown["outcome"] = INTERRUPTED
        elif self.finished_ms is None:
            shown["outcome"] = "running"
        return shown


NEVER = Record({})


def load(paths: Paths, name: str, now_ms: int) -> Record:
    """The record of a job; an empty one when it never ran, or only in the future."""
    found = _jobs(paths).get(name)
    record = Record(found if isinstance(found, dict) else {})
    return NEVER if (record.started_ms or 0) > now_ms else record


def begin(paths: Paths, name: str, before: Record, now_ms: int) -> Record:
    """Write down that a run starts; what the last one achieved stays in the record."""
    kept = {
        field: value
        for field in ("slotMs", "failures", "stamps", "pendingAtMs")
        if (value := before.fields.get(field)) is not None
    }
    pid = os.getpid()
    started = {**kept, "startedAtMs": now_ms, "pid": pid}
    if before.interruptions:
        started["interruptions"] = before.interruptions
    ticks = lock.start_ticks(pid)
    if ticks is not None:
        started["starttime"] = ticks
    _write(paths, name, started)
    return Record(started)


def finish(paths: Paths, name: str, started: Record, ended: dict[str, Any]) -> Record:
    """Write down how it ended; ``ended`` has ``finishedAtMs``, ``outcome`` and more."""
    dropped = ("interruptions", "failures", "error")
    fields = {n: v for n, v in started.fields.items() if n not in dropped} | ended
    if ended["outcome"] == FAILED:
        fields["failures"] = started.failures + 1
    fields = {name: value for name, value in fields.items() if value is not None}
    _write(paths, name, fields)
    return Record(fields)


def _write(paths: Paths, name: str, fields: dict[str, Any]) -> None:
    path = paths.job(NAME)
    files.make_dir(path.parent)
    with lock.file_lock(path):
        jobs = {**_jobs(paths), name: fields}
        files.write_if_changed(path, dumps({"version": 1, "jobs": jobs}) + "\n")


def _jobs(paths: Paths) -> dict[str, Any]:
    """All records; a damaged file holds none: whatever is due then runs once more."""
    try:
        document = files.load_json(paths.job(NAME), what="job records")
    except UnreadableFile:
        return {}
    jobs = document.get("jobs") if isinstance(document, dict) else None
    return jobs if isinstance(jobs, dict) else {}
