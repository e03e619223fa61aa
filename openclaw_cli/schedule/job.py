"""One scheduled task: its definition as stored, read without changing it.

The row of ``jobs.json`` is kept as it is, unknown fields included; properties give the
meaning (legacy spellings too). ``problem`` names why a row cannot be used at all,
``foreign`` why one of a later release is kept but never run (``scheduled-tasks.md`` 1.1-1.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.state import clock

MAIN, ISOLATED, CURRENT, SESSION_PREFIX = "main", "isolated", "current", "session:"
SYSTEM_EVENT, AGENT_TURN = "systemEvent", "agentTurn"
AT, EVERY, CRON = "at", "every", "cron"

TURN_LIMIT_S, OTHER_LIMIT_S = 3600, 600

_FOREIGN_PAYLOADS = {"command": "it runs a command"}
_FOREIGN_SCHEDULES = {"on-exit": "it waits for a program to end"}
_CONDITIONS = ("trigger", "condition", "conditionScript")
_PAYLOAD_KINDS = {"systemevent": SYSTEM_EVENT, "agentturn": AGENT_TURN}


@dataclass
class Task:
    """A task: ``row`` from ``jobs.json``, the rest from ``jobs-state.json``.

    ``identity`` is the schedule that the stored next run belongs to, None when unknown.
    """

    row: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    updated_at_ms: int | None = None
    identity: str | None = None

    @property
    def id(self) -> str:
        """The id; legacy rows spell it ``jobId``."""
        return row_id(self.row) or ""

    @property
    def name(self) -> str:
        """The trimmed name, else the id."""
        return text(self.row.get("name")) or self.id

    @property
    def enabled(self) -> bool:
        """Whether it may run; true unless it says no."""
        return self.row.get("enabled") is not False

    @property
    def agent_id(self) -> str | None:
        """The agent as written, None for the default one."""
        return text(self.row.get("agentId"))

    @property
    def session_key(self) -> str | None:
        """The session that it was made in or for."""
        return text(self.row.get("sessionKey"))

    @property
    def schedule(self) -> dict[str, Any]:
        """The schedule with its kind spelled out."""
        return schedule_of(self.row)

    @property
    def kind(self) -> str:
        """``at``, ``every``, ``cron``, or a kind of a later release."""
        return str(self.schedule.get("kind"))

    @property
    def payload(self) -> dict[str, Any]:
        """The payload with its kind spelled out."""
        return payload_of(self.row)

    @property
    def is_turn(self) -> bool:
        """Whether it asks an agent (else it is a system event)."""
        return self.payload.get("kind") == AGENT_TURN

    @property
    def text(self) -> str:
        """What it says: the message of an agent turn, the text of an event."""
        payload = self.payload
        found = payload.get("message") if self.is_turn else payload.get("text")
        return found if isinstance(found, str) else ""

    @property
    def limit_s(self) -> int | None:
        """How many seconds a run may take: its ``timeoutSeconds``; None where that is 0."""
        own = whole(self.payload.get("timeoutSeconds"))
        if own is None or own < 0:
            return TURN_LIMIT_S if self.is_turn else OTHER_LIMIT_S
        return own or None

    @property
    def target(self) -> str:
        """``main``, ``isolated``, ``current`` or ``session:<id>``."""
        return text(self.row.get("sessionTarget")) or (ISOLATED if self.is_turn else MAIN)

    @property
    def wakes_now(self) -> bool:
        """Whether an event starts a heartbeat at once."""
        return self.row.get("wakeMode") != "next-heartbeat"

    @property
    def delete_after_run(self) -> bool:
        """Whether it goes once it ran; so do one-shots that do not say."""
        own = self.row.get("deleteAfterRun")
        return own if isinstance(own, bool) else self.kind == AT

    @property
    def delivery(self) -> dict[str, Any]:
        """The delivery block; an isolated agent turn without one announces."""
        own = self.row.get("delivery")
        if isinstance(own, dict):
            return own
        return {"mode": "announce"} if self.is_turn and self.target != MAIN else {"mode": "none"}

    @property
    def created_at_ms(self) -> int | None:
        """When it was made."""
        return whole(self.row.get("createdAtMs"))

    @property
    def next_run_ms(self) -> int | None:
        """The stored next run."""
        return whole(self.state.get("nextRunAtMs"))

    @property
    def last_run_ms(self) -> int | None:
        """When the last run started."""
        return whole(self.state.get("lastRunAtMs"))

    @property
    def last_status(self) -> str | None:
        """``ok``, ``error``, ``skipped`` or None."""
        return text(self.state.get("lastRunStatus")) or text(self.state.get("lastStatus"))

    def to_json(self) -> dict[str, Any]:
        """The task as commands print it: the row, with its state in it."""
        shown = {"id": self.id, **self.row}
        if self.updated_at_ms is not None:
            shown["updatedAtMs"] = self.updated_at_ms
        return {**shown, "state": self.state}


def problem(row: Any) -> str | None:
    """Why a row cannot be used, as the quarantine names it; None when it can."""
    if not isinstance(row, dict):
        return "non-object-row"
    if row_id(row) is None:
        return "missing-id"
    for name, is_usable in (("schedule", _usable_schedule), ("payload", _usable_payload)):
        if row.get(name) is None:
            return f"missing-{name}"
        if not is_usable(row):
            return f"invalid-{name}"
    return None


def foreign(row: Mapping[str, Any]) -> str | None:
    """Why a usable row is never run here, in words; None when it is."""
    payload, schedule = payload_of(row).get("kind"), schedule_of(row).get("kind")
    if payload in _FOREIGN_PAYLOADS:
        return _FOREIGN_PAYLOADS[payload]
    if schedule in _FOREIGN_SCHEDULES:
        return _FOREIGN_SCHEDULES[schedule]
    if any(row.get(name) not in (None, False) for name in _CONDITIONS):
        return "it runs on a condition script"
    if not is_file_name(row_id(row) or ""):
        return "its id cannot be a file name"
    return None


def row_id(row: Mapping[str, Any]) -> str | None:
    """``id``, else the legacy ``jobId``, trimmed; None when there is neither."""
    return text(row.get("id")) or text(row.get("jobId"))


def schedule_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule with ``kind`` filled in from its fields; empty when there is none."""
    found = row.get("schedule")
    if not isinstance(found, dict):
        return {}
    kind = text(found.get("kind"))
    if kind is None:
        fields = (("at", AT), ("atMs", AT), ("everyMs", EVERY), ("expr", CRON))
        kind = next((kind for name, kind in fields if found.get(name) is not None), "")
    return {**found, "kind": kind.lower()}


def payload_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The payload with ``kind`` in its usual spelling; empty when there is none."""
    found = row.get("payload")
    if not isinstance(found, dict):
        return {}
    kind = text(found.get("kind"))
    if kind is None:
        kind = AGENT_TURN if found.get("message") is not None else SYSTEM_EVENT
    return {**found, "kind": _PAYLOAD_KINDS.get(kind.lower(), kind)}


def at_ms(schedule: Mapping[str, Any]) -> int | None:
    """The instant of an ``at`` schedule; a time without an offset is UTC."""
    at = schedule.get("at")
    if isinstance(at, str):
        return clock.parse_iso(at) or clock.parse_iso(at.strip() + "Z")
    return whole(schedule.get("atMs")) or whole(at)


def every_ms(schedule: Mapping[str, Any]) -> int | None:
    """The interval of an ``every`` schedule, None when it is no positive number."""
    found = whole(schedule.get("everyMs"))
    return found if found is not None and found > 0 else None


def is_file_name(task_id: str) -> bool:
    """Whether an id can name a history file without leaving its folder."""
    return task_id not in ("", ".", "..") and not any(sign in task_id for sign in "/\\\0")


def names_session(value: str) -> bool:
    """Whether a session target names a session: ``session:<id>`` with an id."""
    return value.startswith(SESSION_PREFIX) and bool(value[len(SESSION_PREFIX) :].strip())


def text(value: Any) -> str | None:
    """A non-blank string, trimmed; None for anything else."""
    return value.strip() or None if isinstance(value, str) else None


def whole(value: Any) -> int | None:
    """A finite number as a whole one; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 10**18 else None


def _usable_schedule(row: Mapping[str, Any]) -> bool:
    schedule = schedule_of(row)
    kind = schedule.get("kind")
    if kind == AT:
        return at_ms(schedule) is not None
    if kind == EVERY:
        return every_ms(schedule) is not None
    if kind == CRON:
        return text(schedule.get("expr")) is not None
    return kind in _FOREIGN_SCHEDULES


def _usable_payload(row: Mapping[str, Any]) -> bool:
    payload = payload_of(row)
    kind = payload.get("kind")
    if kind == SYSTEM_EVENT:
        return isinstance(payload.get("text"), str)
    if kind == AGENT_TURN:
        return isinstance(payload.get("message"), str)
    return kind in _FOREIGN_PAYLOADS
