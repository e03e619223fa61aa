"""The text of a heartbeat call (``heartbeat.md`` 6.3). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_cli.heartbeat.reply import TOKEN
from openclaw_cli.model import prompts
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from pathlib import Path
    from zoneinfo import ZoneInfo

    from openclaw_cli.heartbeat.checklist import Checklist, Task
    from openclaw_cli.heartbeat.events import Event

MARKER = "[OpenClaw heartbeat poll]"
BASE = (
    "This is a regular look around; nobody wrote. Read HEARTBEAT.md if it is there and do what "
    "it asks for. Do not take up old tasks from earlier talk again. If nothing needs attention, "
    f"answer {TOKEN}."
)
SECTION = (
    "Now and then you are polled without anybody having written. Answer such a poll with "
    f"{TOKEN} alone when nothing needs attention; otherwise write the message itself, without "
    "that word."
)
_TASKS = "These periodic tasks are due:"
_TASKS_DONE = f"When they are done and nothing is to be told, answer {TOKEN}."
_REST = "The rest of HEARTBEAT.md:"
_TIMES = re.compile(r"^Current time: .*\nReference UTC: .* UTC$", re.MULTILINE)
_REMINDER = (
    "A scheduled reminder came due. Pass it on to the user in your own words, or deal with it "
    "silently when there is nobody to tell:"
)


def compose(
    checklist: Checklist | None,
    due: Sequence[Task],
    *,
    base: str,
    events: Sequence[Event],
    path: Path,
    now_ms: int,
    zone: ZoneInfo,
) -> str:
    """The prompt: due tasks, reminders, else the base prompt; then the file and the time.

    ``checklist`` None means that HEARTBEAT.md is missing, or plays no part; ``base`` is the
    configured or built-in prompt.
    """
    reminders = [event.text for event in events if event.is_cron]
    others = [f"System: {event.text}" for event in events if not event.is_cron]
    if due:
        lines = [f"- {task.name}: {task.prompt}" for task in due]
        parts = ["\n".join([_TASKS, *lines, _TASKS_DONE])]
    else:
        parts = []
    if reminders:
        parts += [prompts.with_untrusted(_REMINDER, reminder="\n".join(reminders))]
    if not parts:
        parts = [_TIMES.sub("", base).strip()]
        if "HEARTBEAT.md" in base:
            parts.append(f"HEARTBEAT.md is {path}.")
    parts[:0] = ["\n".join(others)] if others else []
    rest = checklist.rest if checklist is not None and not (reminders and not due) else ""
    if rest and rest not in "\n".join(parts):
        parts.append(f"{_REST}\n{rest}")
    return "\n\n".join([*parts, time_lines(now_ms, zone)])


def time_lines(now_ms: int, zone: ZoneInfo) -> str:
    """The local time and the same instant in UTC, a line each."""
    at = clock.local(now_ms, zone)
    utc = clock.iso(now_ms)
    return (
        f"Current time: {at:%A, %B} {at.day}, {at.year} - {at:%H:%M} ({zone.key})\n"
        f"Reference UTC: {utc[:10]} {utc[11:16]} UTC"
    )
