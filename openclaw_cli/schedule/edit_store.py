"""Adding, changing and removing tasks in the store files (``scheduled-tasks.md`` 1, 5)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnknownName
from openclaw_cli.schedule import due, store
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.edit import Wish, edited_row, new_row
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import changes

if TYPE_CHECKING:
    from openclaw_cli.schedule.store import Store
    from openclaw_cli.state.paths import Paths


def new_id() -> str:
    """A random UUID."""
    import uuid

    return str(uuid.uuid4())


def add(
    path: Path, wish: Wish, moment: Moment, *, default_agent: str, paths: Paths,
    dry_run: bool = False,
) -> Task:  # fmt: skip
    """Add the task that ``wish`` describes; it comes back with its next run."""
    row = new_row(wish, task_id=new_id(), now_ms=moment.now_ms, default_agent=default_agent)
    task = due.refreshed(Task(row, {}, moment.now_ms), moment)
    if not dry_run:
        store.update(
            path, lambda found: found.tasks.append(task), paths=paths, command="cron add",
            now_ms=moment.now_ms,
        )  # fmt: skip
    return task


def change(
    path: Path, task_id: str, wish: Wish, moment: Moment, *, default_agent: str, paths: Paths,
    dry_run: bool = False,
) -> tuple[Task, bool]:  # fmt: skip
    """Change a task; as it is then, and whether its row differs. ``UnknownName``."""

    def apply(found: Store) -> tuple[Task, bool]:
        task = require(found, task_id)
        row = edited_row(task.row, wish, now_ms=moment.now_ms, default_agent=default_agent)
        if row == task.row:
            return task, False
        after = due.refreshed(Task(row, task.state, moment.now_ms, task.identity), moment)
        found.tasks[found.tasks.index(task)] = after
        return after, True

    if dry_run:
        return apply(store.load(path))
    return store.update(path, apply, paths=paths, command="cron edit", now_ms=moment.now_ms)


def remove(path: Path, task_id: str, *, paths: Paths, now_ms: int, dry_run: bool = False) -> bool:
    """Remove a task, recorded with its row; whether there was one."""
    known = store.load(path).find(task_id)
    if known is None or dry_run:
        return known is not None

    def apply(found: Store) -> bool:
        task = found.find(task_id)
        if task is None:
            return False
        # Before the row goes: a crash in between may tell of it twice, but never of nothing.
        record_removed(paths, path, [task.row], command="cron rm", now_ms=now_ms)
        found.tasks.remove(task)
        return True

    return store.update(path, apply, paths=paths, command="cron rm", now_ms=now_ms)


def record_removed(
    paths: Paths, path: Path, rows: list[dict[str, Any]], *, command: str, now_ms: int
) -> None:
    """Put removed rows into the trail of changes."""
    lines = [
        changes.Change(command, "removed", "task", key=Task(row).id, path=str(path), row=row)
        for row in rows
    ]
    changes.record(paths, lines, now_ms)


def require(found: Store, task_id: str) -> Task:
    """The task with that id; ``UnknownName``."""
    task = found.find(task_id.strip())
    if task is None:
        raise UnknownName(
            f"no task {task_id!r}", hint="openclaw cron list --all", code="unknown-task"
        )
    return task
