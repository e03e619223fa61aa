"""The heartbeat's memory between runs: ``heartbeat/state.json`` (``heartbeat.md`` 2, 10).

``{"version": 1, "enabled": bool, "agents": {<id>: {"lastRunStartedAtMs": ms, "lastEvent":
{...}}}, "lastEvent": {...}, "events": {<session key>: [...]}}``. Unknown fields are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.state import files, lock
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

T = TypeVar("T")

VERSION = 1


def path_of(paths: Paths) -> Path:
    """Where the state file is."""
    return paths.under("heartbeat", "state.json")


def read(paths: Paths) -> dict[str, Any]:
    """The state, empty when there is none; raises ``UnreadableFile`` for a damaged file."""
    path = path_of(paths)
    found = files.load_json(path, what="heartbeat state")
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise UnreadableFile(f"heartbeat state {path} holds no object", path=path)
    return found


def is_switched_on(state: dict[str, Any]) -> bool:
    """The global switch; on unless it was switched off."""
    return state.get("enabled") is not False


def last_run_started_ms(state: dict[str, Any], agent_id: str) -> int | None:
    """When the last run of an agent started, epoch ms; None when it never ran."""
    at = peek(state, agent_id).get("lastRunStartedAtMs")
    if not isinstance(at, int | float) or isinstance(at, bool) or not isfinite(at):
        return None
    return int(at)


def change(paths: Paths, edit: Callable[[dict[str, Any]], T]) -> T:
    """Change the state in place under its lock; what ``edit`` returns."""
    path = path_of(paths)
    with lock.file_lock(path):
        state = read(paths)
        result = edit(state)
        files.write_if_changed(path, dumps({"version": VERSION} | state) + "\n")
    return result


def peek(state: dict[str, Any], agent_id: str) -> dict[str, Any]:
    """The part of an agent as it stands; empty when there is none."""
    known = state.get("agents")
    entry = known.get(agent_id) if isinstance(known, dict) else None
    return entry if isinstance(entry, dict) else {}


def agent_state(state: dict[str, Any], agent_id: str) -> dict[str, Any]:
    """The part of an agent inside ``state``, made where it is missing."""
    known = state.setdefault("agents", {})
    if not isinstance(known, dict):
        known = state["agents"] = {}
    entry = known.setdefault(agent_id, {})
    if not isinstance(entry, dict):
        entry = known[agent_id] = {}
    return entry
