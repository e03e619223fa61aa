"""The heartbeat's memory between runs: ``heartbeat/state.json`` (``heartbeat.md`` 2, 10).

``{"version": 1, "enabled": bool, "agents": {<id>: {"lastRunStartedAtMs": ms, ...}}}``.
Unknown fields are kept by whoever writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.state import files
from openclaw_cli.state.paths import Paths


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
    agents = state.get("agents")
    entry = agents.get(agent_id) if isinstance(agents, dict) else None
    at = entry.get("lastRunStartedAtMs") if isinstance(entry, dict) else None
    return int(at) if isinstance(at, int | float) and not isinstance(at, bool) else None
