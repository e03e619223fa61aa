"""Scheduled tasks for display: order, computed status, cells (``scheduled-tasks.md`` 5). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.schedule import due, job, stagger
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.spans import relative, span
from openclaw_cli.schedule.store import Store
from openclaw_cli.state import clock

COLUMNS = (
    ("ID", 36), ("Name", 24), ("Schedule", 32), ("Next", 10), ("Last", 10), ("Status", 9),
    ("Target", 9), ("Delivery", 64), ("Agent ID", 10), ("Model", 20),
)  # fmt: skip
# On a narrow terminal these may be cut to so many characters, and those left out, in order.
NARROWEST = {"Name": 11, "Schedule": 12, "Delivery": 20}
LESS_NEEDED = ("Model", "Agent ID", "Target", "Delivery", "Last")


def shown(found: Store, moment: Moment) -> list[Task]:
    """All tasks with the next run that holds now, by next run, then id."""
    tasks = [due.refreshed(task, moment) for task in found.tasks]
    return sorted(tasks, key=_order)


def choose(
    tasks: Sequence[Task], *, show_all: bool, agent: str | None, default_agent: str
) -> list[Task]:
    """The tasks that are listed: enabled ones unless ``show_all``, of one agent or of all."""
    return [
        task
        for task in tasks
        if (show_all or task.enabled) and (agent is None or agent == _agent(task, default_agent))
    ]


def document(
    tasks: Sequence[Task], moment: Moment, *, limit: int | None = None, offset: int = 0
) -> dict[str, Any]:
    """The list document: one page of ``tasks``, all of them without a ``limit``."""
    end = len(tasks) if limit is None else offset + limit
    has_more = end < len(tasks)
    return {
        "jobs": [to_json(task, moment) for task in tasks[offset:end]],
        "total": len(tasks),
        "offset": offset,
        "limit": limit,
        "hasMore": has_more,
        "nextOffset": end if has_more else None,
    }


def to_json(task: Task, moment: Moment) -> dict[str, Any]:
    """One task with its state and its computed ``status``."""
    return {**task.to_json(), "status": status(task, moment.now_ms)}


def status(task: Task, now_ms: int) -> str:
    """``disabled``, ``running``, else how the last run ended, else ``idle``."""
    if not task.enabled:
        return "disabled"
    if due.claim(task, now_ms) == due.RUNNING:
        return "running"
    return task.last_status or "idle"


def cells(row: Mapping[str, Any], now_ms: int) -> list[str]:
    """The cells of one row of the list document, cut to the widths of ``COLUMNS`` at most."""
    task = Task(dict(row), row["state"])
    values = (
        task.id,
        task.name,
        schedule_text(task),
        relative(task.next_run_ms, now_ms),
        relative(task.last_run_ms, now_ms, past=True),
        str(row["status"]),
        task.target,
        delivery_text(task),
        task.agent_id or "-",
        job.text(task.payload.get("model")) or "-",
    )
    pairs = zip(values, COLUMNS, strict=True)
    return [cut(" ".join(value.split()), width) for value, (_, width) in pairs]


def schedule_text(task: Task) -> str:
    """The schedule in a few words."""
    schedule = task.schedule
    if task.kind == job.AT:
        at = job.at_ms(schedule)
        return "at " + ("?" if at is None else clock.iso(at)[:16].replace("T", " ") + "Z")
    if task.kind == job.EVERY:
        return f"every {span(job.every_ms(schedule) or 0)}"
    if task.kind != job.CRON:
        return task.kind
    zone = job.text(schedule.get("tz"))
    window = stagger.window_ms(schedule)
    spread = f"(stagger {span(window)})" if window else "(exact)"
    return f"cron {schedule.get('expr')}{f' @ {zone}' if zone else ''} {spread}"


def delivery_text(task: Task) -> str:
    """Where the answer goes."""
    block = task.delivery
    mode = job.text(block.get("mode")) or "announce"
    if not task.is_turn or mode == "none":
        return "-"
    to = job.text(block.get("to"))
    if mode == "webhook":
        return f"webhook {to or '?'}"
    channel = job.text(block.get("channel")) or "last"
    return f"{mode} {channel}" + (f" {to}" if to else "")


def cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` characters, the end replaced by dots."""
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def _order(task: Task) -> tuple[bool, int, str]:
    following = task.next_run_ms
    return (following is None, following or 0, task.id)


def _agent(task: Task, default_agent: str) -> str:
    own = task.agent_id
    return agents.normalize_agent_id(own) if own else default_agent
