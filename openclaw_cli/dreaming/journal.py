"""Carrying out a planned sweep so that a crash at any point can be finished.

The whole plan is written to ``memory/.dreams/sweep-journal.json`` before the first file is
touched, and removed after the last one. Every action can be repeated: a replaced file is
known by its digest before or its text after, an appended one by its size. Whoever finds a
journal carries it out first (``dreaming.md`` 12.13).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming.draft import Action, Step, digest
from openclaw_cli.dreaming.workspaces import journal_path
from openclaw_cli.errors import NotWritable, UnreadableFile
from openclaw_cli.memory import events, recall_store
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import changes, files
from openclaw_cli.state.changes import Change
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

VERSION = 1


@dataclass
class Journal:
    """A sweep that is decided. ``report`` is what it answers, ``record`` its run record.

    ``changes`` are the lines for the change log, for what leaves the store.
    """

    now_ms: int
    report: dict[str, Any]
    record: dict[str, Any]
    actions: list[Action]
    changes: list[Change] = field(default_factory=list)


class Outdated(Exception):
    """A file is neither as the plan found it nor as the plan leaves it."""


def write(workspace: Workspace, journal: Journal) -> None:
    """Make the plan durable."""
    recall_store.make_dreams_dir(workspace)
    document = {
        "version": VERSION,
        "nowMs": journal.now_ms,
        "report": journal.report,
        "record": journal.record,
        "actions": [action._asdict() for action in journal.actions],
        "changes": [vars(change) for change in journal.changes],
    }
    text = dumps(document, indent=None) + "\n"
    files.write_atomic(journal_path(workspace), text, force_mode=True)


def read(workspace: Workspace) -> Journal | None:
    """The open journal of a workspace; None when there is none or it is not one of ours."""
    path = journal_path(workspace)
    files.refuse_link(path, what="sweep journal")
    try:
        text = files.read_text(path, what="sweep journal")
        return None if text is None else _parse(json.loads(text))
    except (UnreadableFile, ValueError, KeyError, TypeError, RecursionError):
        return None


def forget(workspace: Workspace) -> None:
    """Remove the journal of a sweep that is done, or given up.

    Not flushed: should it come back after a power loss, there is nothing left to do in it.
    """
    journal_path(workspace).unlink(missing_ok=True)


def apply(workspace: Workspace, journal: Journal, paths: Paths, *, again: bool = False) -> None:
    """Carry the plan out. The caller holds the recall store's lock.

    ``again`` tells that an earlier run may have done a part of it. Raises ``Outdated``
    before the first action when a file was changed by others, ``NotWritable`` when the
    system refuses a write: then the journal stays.
    """
    if again:
        for action in journal.actions:
            _check(action)
    _record_changes(paths, journal, again=again)
    for action in journal.actions:
        _carry_out(workspace, action, again=again)


def _parse(document: Any) -> Journal:
    if document["version"] != VERSION:
        raise ValueError(f"version {document['version']!r}")
    return Journal(
        int(document["nowMs"]),
        dict(document["report"]),
        dict(document["record"]),
        [Action(**action) for action in document["actions"]],
        [Change(**change) for change in document["changes"]],
    )


def _record_changes(paths: Paths, journal: Journal, *, again: bool) -> None:
    rows = journal.changes
    if again and rows:
        known = [line for line in changes.read(paths) if line.get("ts")]
        rows = [row for row in rows if row.to_json(journal.now_ms) not in known]
    changes.record(paths, rows, journal.now_ms)


def _check(action: Action) -> None:
    """Whether the action is still to be done or done already; ``Outdated`` for neither."""
    if action.step == Step.EVENTS:
        return  # a log only grows; what is missing is added at its end
    present = _present(action)
    if action.append:
        added = action.text.encode("utf-8", "surrogatepass")
        tail = (present or b"")[action.size :]
        if len(present or b"") < action.size or not (
            added.startswith(tail) or tail.startswith(added)
        ):
            raise Outdated(action.path)
    elif digest(present) != action.before and present != _data(action):
        raise Outdated(action.path)


def _carry_out(workspace: Workspace, action: Action, *, again: bool) -> None:
    path = Path(action.path)
    if action.step == Step.EVENTS:
        _append_events(workspace, action, again=again)
    elif action.append:
        _append(action, _present(action) or b"")
    elif not again or _present(action) != _data(action):
        files.write_atomic(
            path, action.text, mode=action.mode, force_mode=action.force_mode, follow_link=True
        )


def _append(action: Action, present: bytes) -> None:
    """Add what is missing of the text behind ``size``."""
    missing = _data(action)[max(0, len(present) - action.size) :]
    if missing:
        _add(Path(action.path), missing)


def _append_events(workspace: Workspace, action: Action, *, again: bool) -> None:
    """Log the events; after a crash only those that were not logged yet.

    A log that is shorter than it was has been rotated: then all of it is new.
    """
    lines = action.text.split("\n")
    if again:
        present = _present(action) or b""
        added = present[action.size :] if len(present) >= action.size else present
        logged = Counter(added.decode("utf-8", "replace").split("\n"))
        lines = [line for line in lines if not _taken(logged, line)]
    records = [json.loads(line) for line in lines if line.strip()]
    if records:
        events.append(workspace, records)


def _taken(logged: Counter[str], line: str) -> bool:
    """Whether ``line`` is one of those logged; each of them counts for one equal line."""
    logged[line] -= 1
    return logged[line] >= 0


def _add(path: Path, data: bytes) -> None:
    files.refuse_link(path, what="corpus file")
    files.make_dir(path.parent)
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        descriptor = os.open(path, flags, files.PRIVATE_FILE)
        with open(descriptor, "ab", buffering=0) as out:
            out.write(data)
            os.fsync(out.fileno())
    except OSError as error:
        raise NotWritable(
            f"cannot append to {path}: {error.strerror or error}", path=path
        ) from error
    files.sync_dir(path.parent)


def _present(action: Action) -> bytes | None:
    try:
        return Path(action.path).read_bytes()
    except FileNotFoundError:
        return None


def _data(action: Action) -> bytes:
    return action.text.encode("utf-8", "surrogatepass")
