"""``HEARTBEAT.md``: whether it asks for anything, and its periodic tasks. Pure.

Follows ``heartbeat.md`` 6. A file that holds only headings, comments and empty list items
asks for nothing, so that a heartbeat costs nothing until its owner edits it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from openclaw_cli.config import units
from openclaw_cli.state.tuples import NamedTuple

_COMMENT = re.compile(r"^[ \t]*<!--.*?-->", re.DOTALL | re.MULTILINE)
_NOTHING = re.compile(r"#{1,6}(?:\s.*)?|[-*+]\s*(?:\[[ xX]?\])?\s*|```[\w-]*")
_NAME = re.compile(r"- name:(.*)")
_FIELD = re.compile(r"([A-Za-z][\w-]*):(.*)")


class Task(NamedTuple):
    """A periodic task: its name, interval and prompt as written, and the line it starts on."""

    name: str
    interval: str
    prompt: str
    line: int

    @property
    def interval_ms(self) -> int | None:
        """The interval (a bare number counts minutes), None where it cannot be read."""
        try:
            return units.parse_duration_ms(self.interval, "m")
        except ValueError:
            return None


class Problem(NamedTuple):
    """Something in the ``tasks:`` block that will never run, and why."""

    name: str
    line: int
    reason: str


class Checklist(NamedTuple):
    """What ``HEARTBEAT.md`` holds; ``rest`` is its text without the ``tasks:`` block."""

    is_empty: bool
    tasks: list[Task]
    problems: list[Problem]
    rest: str


def parse(text: str) -> Checklist:
    """Read the file's text."""
    text = text.removeprefix("\ufeff")
    visible = _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), text)
    lines = _lines(visible)
    start = next((i for i, line in enumerate(lines) if line.strip() == "tasks:"), None)
    is_empty = all(_is_nothing(line) for line in lines)
    if start is None:
        return Checklist(is_empty, [], [], text.strip())
    end = _block_end(lines, start)
    tasks, problems = _read_tasks(lines[start + 1 : end], first_line=start + 2)
    problems += [
        Problem(_unquote(found[1]), number, "stands outside the tasks: block")
        for number, line in enumerate(lines[end:], end + 1)
        if (found := _NAME.fullmatch(line.strip()))
    ]
    problems += [
        Problem(task.name, task.line, f"its interval {task.interval!r} cannot be read")
        for task in tasks
        if task.interval_ms is None
    ]
    # The block is cut out of the text as it stands, so that comments around it survive.
    original = _lines(text)
    rest = "\n".join(original[:start] + original[end:]).strip()
    return Checklist(is_empty, tasks, sorted(problems, key=lambda p: p.line), rest)


def _lines(text: str) -> list[str]:
    """The lines as an editor counts them: other separators of Unicode are no line ends."""
    return text.replace("\r\n", "\n").split("\n")


def due_tasks(tasks: list[Task], last_run_ms: Mapping[str, object], now_ms: int) -> list[Task]:
    """The tasks that are due now, in file order.

    Never run means due; a last run in the future, or an interval that cannot be read,
    means not due. ``last_run_ms`` is ``heartbeatTaskState`` of the session row.
    """
    return [task for task in tasks if _is_due(task, last_run_ms.get(task.name), now_ms)]


def _is_due(task: Task, last: object, now_ms: int) -> bool:
    interval = task.interval_ms
    if interval is None:
        return False
    if not isinstance(last, int | float) or isinstance(last, bool):
        return True
    return last <= now_ms and now_ms - last >= interval


def _is_nothing(line: str) -> bool:
    stripped = line.strip()
    return not stripped or _NOTHING.fullmatch(stripped) is not None


def _block_end(lines: list[str], start: int) -> int:
    """Index of the first line behind the block: neither blank, indented, nor a task."""
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if line.strip() and not line[0].isspace() and not _NAME.fullmatch(line.strip()):
            break
        end += 1
    return end


def _read_tasks(lines: list[str], *, first_line: int) -> tuple[list[Task], list[Problem]]:
    tasks: list[Task] = []
    problems: list[Problem] = []
    name, begun, fields = "", 0, {}  # type: str, int, dict[str, str]

    def finish() -> None:
        if not begun:
            return
        missing = [key for key in ("interval", "prompt") if not fields.get(key)]
        if not name or missing:
            lacks = "name" if not name else " and ".join(missing)
            problems.append(Problem(name, begun, f"has no {lacks}"))
            return
        tasks.append(Task(name, fields["interval"], fields["prompt"], begun))

    for number, line in enumerate(lines, first_line):
        stripped = line.strip()
        opening = _NAME.fullmatch(stripped)
        if opening:
            finish()
            name, begun, fields = _unquote(opening[1]), number, {}
            continue
        field = _FIELD.fullmatch(stripped)
        if field and begun and line[0].isspace():
            fields[field[1]] = _unquote(field[2])
        elif stripped:
            problems.append(Problem(stripped[:60], number, "is no part of a task"))
    finish()
    return tasks, problems


def _unquote(text: str) -> str:
    value = text.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
