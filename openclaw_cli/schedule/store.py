"""The files of scheduled tasks: definitions, run state, quarantine (``scheduled-tasks.md`` 1).

Definitions are in ``jobs.json``, run state beside it in ``jobs-state.json``; the older
single-file layout (state inside the rows) is read when there is no state file and split at
the next save. A row that cannot be used moves to the quarantine whole; rows of later
releases and unknown fields survive. Every change is one ``update``: read again under the
lock of the state file, change, write what differs. No lock is held while a task runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.schedule import job, settings
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import files, jsonnum, jsontext
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.state.paths import Paths

T = TypeVar("T")
VERSION = 1
_INLINE = ("state", "updatedAtMs")


class Files(NamedTuple):
    """Where the files of one store are."""

    jobs: Path
    state: Path
    backup: Path
    quarantine: Path
    runs: Path


class Rejected(NamedTuple):
    """A row that cannot be used: where it stood, why, and its run state if there was any."""

    place: int
    row: Any
    reason: str
    state: Any


@dataclass
class Store:
    """What the files hold. ``tasks`` may be changed; ``update`` writes what differs.

    A changed row is a new object, never the old one altered: ``document`` is what was read.
    """

    files: Files
    tasks: list[Task]
    rejected: list[Rejected] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)
    state_document: dict[str, Any] = field(default_factory=dict)
    text: str | None = None

    def find(self, task_id: str) -> Task | None:
        """The task with that id."""
        return next((task for task in self.tasks if task.id == task_id), None)

    @property
    def runnable(self) -> list[Task]:
        """The tasks that can run here; of several with one id the first."""
        first: dict[str, Task] = {}
        for task in self.tasks:
            first.setdefault(task.id, task)
        return [task for task in first.values() if job.foreign(task.row) is None]


def files_of(path: Path) -> Files:
    """The files that belong to the definitions at ``path``."""
    stem = path.name.removesuffix(".json")
    return Files(
        path,
        settings.state_path(path),
        path.with_name(path.name + ".bak"),
        path.with_name(f"{stem}-quarantine.json"),
        path.parent / "runs",
    )


def load(path: Path) -> Store:
    """Read the store without a lock; missing files are an empty one.

    Raises ``UnreadableFile`` for definitions that are no JSON or of another shape. A state
    file that cannot be read counts as absent: everything in it can be found anew.
    """
    where = files_of(path)
    text = files.read_text(path, what="task list")
    document = _parse(path, text) if text is not None and text.strip() else {}
    if isinstance(document, list):
        document = {"jobs": document}
    if not isinstance(document, dict):
        raise UnreadableFile(f"task list {path} holds neither an object nor a list", path=path)
    rows = document.get("jobs", [])
    if not isinstance(rows, list):
        raise UnreadableFile(f"task list {path}: 'jobs' is no list", path=path)
    state_document = _load_state(where.state)
    found = Store(where, [], document=document, state_document=state_document or {}, text=text)
    states = _states(state_document)
    for index, row in enumerate(rows):
        reason = job.problem(row)
        if reason is None:
            found.tasks.append(_task(row, states))
        else:
            found.rejected.append(Rejected(index, row, reason, _old_state(row, states)))
    return found


def update(
    path: Path, change: Callable[[Store], T], *, paths: Paths, command: str, now_ms: int
) -> T:
    """Read the store under its lock, let ``change`` alter its tasks, write what differs.

    ``command`` is named in the trail of changes for rows that go into quarantine.
    """
    from openclaw_cli.state import changes, lock

    where = files_of(path)
    files.make_dir(where.jobs.parent)
    with lock.file_lock(where.state):
        found = load(path)
        result = change(found)
        save(found, now_ms)
    changes.record(paths, [_quarantined(found, row, command) for row in found.rejected], now_ms)
    return result


def save(found: Store, now_ms: int) -> None:
    """Write the files that differ; the caller holds the lock.

    A crash in between must not run a task twice, nor lose a row: the quarantine comes
    first, then the definitions, then the state. Only where the state still stands inside
    the definitions it has to be beside them before it is taken out.
    """
    if found.rejected:
        _add_to_quarantine(found, now_ms)
    steps = [_write_definitions, _write_state]
    if not found.state_document:
        steps.reverse()
    for write in steps:
        write(found)


def _write_definitions(found: Store) -> None:
    rows = [{**_without_inline(task.row), "state": {}} for task in found.tasks]
    document = {**found.document, "version": VERSION, "jobs": rows}
    if found.text is None and not rows:
        return
    text = jsonnum.dumps(document)
    if found.text is not None:
        # By meaning: comments and layout of a file edited by hand stay until a row changes.
        if text == jsonnum.dumps(found.document):
            return
        _write_private(found.files.backup, found.text)
    # Behind a link is what was just read as definitions; of the other files nobody knows.
    _write_private(found.files.jobs, text, follow_link=True)


def _write_state(found: Store) -> None:
    """Write the state of all tasks; what belongs to ids we do not know goes with them."""
    entries: dict[str, Any] = {}
    stored = found.state_document.get("jobs")
    known = stored if isinstance(stored, dict) else {}
    for task in found.tasks:
        before = known.get(task.id)
        entry = dict(before) if isinstance(before, dict) else {}
        for name, value in (
            ("updatedAtMs", task.updated_at_ms),
            ("scheduleIdentity", task.identity),
        ):
            if value is not None:
                entry[name] = value
        entries.setdefault(task.id, {**entry, "state": task.state})
    if not entries and not found.files.state.exists():
        return
    document = {**found.state_document, "version": VERSION, "jobs": entries}
    _write_private(found.files.state, jsonnum.dumps(document))


def _add_to_quarantine(found: Store, now_ms: int) -> None:
    path = found.files.quarantine
    document = files.load_json(path, what="task quarantine")
    if not isinstance(document, dict):
        document = {"version": VERSION, "jobs": document if isinstance(document, list) else []}
    kept = document.get("jobs")
    entries = kept if isinstance(kept, list) else []
    for rejected in found.rejected:
        entry = {"reason": rejected.reason, "sourceIndex": rejected.place, "job": rejected.row}
        if rejected.state is not None:
            entry["state"] = rejected.state
        if not any(_same_entry(entry, other) for other in entries):
            entries.append({"quarantinedAtMs": now_ms, **entry})
    _write_private(path, jsonnum.dumps({**document, "jobs": entries}))


def _write_private(path: Path, text: str, *, follow_link: bool = False) -> None:
    files.write_if_changed(path, text, force_mode=True, follow_link=follow_link)


def _quarantined(found: Store, rejected: Rejected, command: str) -> Any:
    from openclaw_cli.state.changes import Change

    key = job.row_id(rejected.row) if isinstance(rejected.row, dict) else None
    return Change(
        command=command,
        rule=f"unusable task: {rejected.reason}",
        what="task",
        key=key,
        path=str(found.files.jobs),
        moved_to=str(found.files.quarantine),
        row=rejected.row,
    )


def _same_entry(entry: dict[str, Any], other: Any) -> bool:
    """Whether two entries hold the same row for the same reason, whenever and wherever found."""
    return isinstance(other, dict) and all(
        entry.get(name) == other.get(name) for name in ("reason", "job")
    )


def _task(row: dict[str, Any], states: dict[str, Any] | None) -> Task:
    if states is None:
        inline = row.get("state")
        state = dict(inline) if isinstance(inline, dict) else {}
        return Task(row, state, job.whole(row.get("updatedAtMs")))
    entry = states.get(job.row_id(row) or "")
    if not isinstance(entry, dict):
        return Task(row, {}, job.whole(row.get("updatedAtMs")))
    stored = entry.get("state")
    return Task(
        row,
        dict(stored) if isinstance(stored, dict) else {},
        job.whole(entry.get("updatedAtMs")),
        job.text(entry.get("scheduleIdentity")),
    )


def _old_state(row: Any, states: dict[str, Any] | None) -> Any:
    if not isinstance(row, dict):
        return None
    entry = (states or {}).get(job.row_id(row) or "")
    return entry if entry is not None else row.get("state") or None


def _without_inline(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _INLINE}


def _load_state(path: Path) -> dict[str, Any] | None:
    """The state file; None when it is missing or damaged."""
    try:
        text = files.read_text(path, what="task state")
        found = None if text is None else _parse(path, text)
    except UnreadableFile:
        return None
    return found if isinstance(found, dict) else None


def _states(document: dict[str, Any] | None) -> dict[str, Any] | None:
    jobs = None if document is None else document.get("jobs")
    return jobs if isinstance(jobs, dict) else None


def _parse(path: Path, text: str) -> Any:
    """JSON, with a JSON5 reader for files edited by hand."""
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):
        from openclaw_cli.config import json5

        try:
            return json5.parse(text).value
        except json5.Json5Error as error:
            raise UnreadableFile(
                f"task list {path}:{error.line}:{error.column}: {error.reason}",
                path=path,
                hint="correct that line; the version before is in " + path.name + ".bak",
            ) from error
