"""The last sweep of each workspace: ``<state>/jobs/dreaming.json``.

Maps the workspace's path to ``slotMs``, ``startedAtMs``, ``finishedAtMs``, ``outcome``
(``ok`` or ``failed``) and the outcome of each phase. Written last, so that a sweep with a
record is a finished one; rows of other workspaces survive. Links in the path are resolved:
a workspace has one record, however it is reached.
"""

from __future__ import annotations

import os
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files, lock
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

NAME = "dreaming.json"
WHAT = "record of sweeps"

Row = dict[str, Any]

_KINDS = {"slotMs": int, "startedAtMs": int, "finishedAtMs": int, "outcome": str}


def load(paths: Paths) -> dict[str, Row]:
    """The rows by workspace path; a missing or broken file has none, a broken field is left out."""
    return {key: _usable(row) for key, row in (_read(paths) or {}).items()}


def row_of(records: dict[str, Row], workspace: Workspace) -> Row:
    """The row of a workspace; empty without one."""
    return records.get(_key(workspace)) or records.get(str(workspace.root), {})


def slot_of(row: Row) -> int | None:
    """The slot that the last finished sweep counted for."""
    value: int | None = _usable(row).get("slotMs")
    return value


def save(paths: Paths, workspace: Workspace, row: Row) -> None:
    """Put one row into the file; a broken file is kept under another name."""
    path = paths.job(NAME)
    files.make_dir(path.parent)
    with lock.file_lock(path):
        records = _read(paths)
        if records is None:
            _keep_aside(paths, int(row.get("finishedAtMs") or 0))
        others = {key: kept for key, kept in (records or {}).items() if key != str(workspace.root)}
        records = {**others, _key(workspace): row}
        files.write_if_changed(path, dumps(records) + "\n")


def _usable(row: Row) -> Row:
    def fits(name: str, value: Any) -> bool:
        kind = _KINDS.get(name, object)
        return isinstance(value, kind) and not (kind is int and isinstance(value, bool))

    return {name: value for name, value in row.items() if fits(name, value)}


def _key(workspace: Workspace) -> str:
    return os.path.realpath(workspace.root)


def _read(paths: Paths) -> dict[str, Row] | None:
    """The rows; empty when the file is missing, None when it cannot be used."""
    try:
        document = files.load_json(paths.job(NAME), what=WHAT)
    except UnreadableFile:
        return None
    if document is None:
        return {}
    if not isinstance(document, dict):
        return None
    return {key: row for key, row in document.items() if isinstance(row, dict)}


def _keep_aside(paths: Paths, at_ms: int) -> None:
    path = paths.job(NAME)
    aside = path.with_name(f"{NAME}.corrupt-{clock.archive_stamp(at_ms)}")
    if not aside.exists():
        files.rename_durable(path, aside)
