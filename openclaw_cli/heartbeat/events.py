"""System events: lines queued for a session until a run of it uses them.

Kept in ``heartbeat/state.json`` below ``events``, at most 20 a session, the oldest dropped
(``heartbeat.md`` 10). What a person could forge, tags of the system, is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from openclaw_cli.heartbeat import state as heartbeat_state
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

LIMIT = 20
_FORGED = re.compile(
    r"^[ \t]*(?:\[?system(?:[ \t]*\(untrusted\))?\]?[ \t]*:[ \t]*)+",
    re.IGNORECASE | re.MULTILINE,
)


class Event(NamedTuple):
    """One queued line; ``context_key`` such as ``cron:<job id>`` tells who queued it."""

    text: str
    context_key: str | None
    queued_at_ms: int

    @property
    def is_cron(self) -> bool:
        """Whether a scheduled task queued it."""
        return (self.context_key or "").startswith("cron:")


def cleaned(text: str) -> str:
    """``text`` without tags that only the system writes, at the start of any line."""
    return _FORGED.sub("", text.strip()).strip()


def queue(paths: Paths, session_key: str, text: str, *, context_key: str | None = None) -> bool:
    """Queue a line for a session; False when it is blank or already waiting.

    An identical neighbour, or with a context key any identical entry, is not added twice.
    """
    line = cleaned(text)
    if not line:
        return False

    def add(state: dict[str, Any]) -> bool:
        waiting = _waiting(state, session_key)
        known = waiting if context_key else waiting[-1:]
        if any(e.get("text") == line and e.get("contextKey") == context_key for e in known):
            return False
        added = {"text": line, "contextKey": context_key, "queuedAtMs": clock.now_ms()}
        _store(state, session_key, [*waiting, added][-LIMIT:])
        return True

    return heartbeat_state.change(paths, add)


def waiting(paths: Paths, session_key: str) -> list[Event]:
    """What waits for a session, oldest first."""
    return [_event(entry) for entry in _waiting(heartbeat_state.read(paths), session_key)]


def consume(paths: Paths, session_key: str, used: Sequence[Event]) -> None:
    """Take out what a run used; lines that came meanwhile stay."""
    if not used:
        return
    spent = {(event.text, event.context_key, event.queued_at_ms) for event in used}

    def remove(state: dict[str, Any]) -> None:
        kept = [e for e in _waiting(state, session_key) if tuple(_event(e)) not in spent]
        _store(state, session_key, kept)

    heartbeat_state.change(paths, remove)


def clear(paths: Paths, session_key: str) -> int:
    """Drop everything that waits for a session; how many lines."""
    if not waiting(paths, session_key):
        return 0

    def drop(state: dict[str, Any]) -> int:
        count = len(_waiting(state, session_key))
        _store(state, session_key, [])
        return count

    return heartbeat_state.change(paths, drop)


def _waiting(state: dict[str, Any], session_key: str) -> list[dict[str, Any]]:
    queues = state.get("events")
    entries = queues.get(session_key) if isinstance(queues, dict) else None
    return [e for e in entries if _is_event(e)] if isinstance(entries, list) else []


def _store(state: dict[str, Any], session_key: str, entries: list[dict[str, Any]]) -> None:
    queues = state.get("events")
    queues = dict(queues) if isinstance(queues, dict) else {}
    queues.pop(session_key, None)
    if entries:
        queues[session_key] = entries
    state["events"] = queues


def _is_event(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("text"), str)


def _event(entry: dict[str, Any]) -> Event:
    at = entry.get("queuedAtMs")
    key = entry.get("contextKey")
    return Event(
        entry["text"], key if isinstance(key, str) else None, at if isinstance(at, int) else 0
    )
