"""``/stop``: end the running turn of a session, in whatever process it runs.

The running turn is the owner of the session's turn lock. Only an owner that marked itself
as a turn of ours, on this host, with the right start time, is signalled; a gateway never.
Sub-agents whose ``spawnedBy`` chain leads here are stopped as well (``sessions.md`` 10.3).
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent.session import Place, patch, turn_lock_path, usable
from openclaw_cli.heartbeat import events
from openclaw_cli.sessions import store
from openclaw_cli.state import lock

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 10.0
_LOOK_EVERY_S = 0.05


def stop(place: Place, *, by_ms: int, message_id: str | None = None) -> str:
    """Stop the session of ``place`` and its sub-agents; the sentence to answer with.

    ``by_ms`` and ``message_id`` are the cutoff: messages up to there end unanswered.
    """
    keys = [place.key, *children(place)]
    marks: dict[str, Any] = {"abortedLastRun": True, "abortCutoffTimestamp": by_ms}
    if message_id:
        marks["abortCutoffMessageSid"] = message_id
    stopped = [key for key in keys if _stop_one(place, key, marks)]
    events.clear(place.paths, place.key)
    count = len([key for key in stopped if key != place.key])
    tail = f" Stopped {count} sub-agent{'' if count == 1 else 's'}." if count else ""
    return f"⚙️ Agent was aborted.{tail}"


def _stop_one(place: Place, key: str, marks: dict[str, Any]) -> bool:
    """Mark the session as stopped and end its turn; whether one was running or the row is ours."""
    there = place if key == place.key else Place(place.config, place.agent_id, key, place.now_ms)
    row = there.row()
    if row is None or not usable(row):
        return False
    there.change(lambda found, _draft: None if found is None else patch(found, marks))
    ended = _end_turn(turn_lock_path(there.transcript_path(row)))
    return ended or row.get("status") == "running"


def _end_turn(lock_path: Path) -> bool:
    """Signal the owner of a turn lock and wait until it let go; whether there was one."""
    found = lock.owner(lock_path)
    if found is None or found.pid is None or not found.alive or found.pid == os.getpid():
        return False
    if found.extra.get("run") != "agent" or found.starttime is None:
        return False
    try:
        os.kill(found.pid, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return False
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        now = lock.owner(lock_path)
        if now is None or now.pid != found.pid or not now.alive:
            break
        time.sleep(_LOOK_EVERY_S)
    return True


def children(place: Place) -> list[str]:
    """Keys of the rows whose ``spawnedBy`` chain leads to the session, nearest first."""
    rows = store.load(place.store_path).rows
    parents = {
        key: row["spawnedBy"]
        for key, row in rows.items()
        if isinstance(row, dict) and isinstance(row.get("spawnedBy"), str)
    }
    found: list[str] = []
    wanted = {place.key}
    while True:
        fresh = [k for k, parent in parents.items() if parent in wanted and k not in found]
        if not fresh:
            return found
        found += fresh
        wanted = set(fresh)
