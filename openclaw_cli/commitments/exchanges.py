"""Exchanges in a transcript: a user line and the visible answer up to the next one. Pure.

``commitments.md`` 4 and 11 ("Stateless extraction"). What clocks, hooks, other agents and
hidden runs wrote is no exchange, and neither is a turn without a visible answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.commitments.settings import MIN_AGE_MS
from openclaw_cli.memory.spoken import NARRATIVE, spoken
from openclaw_cli.sessions import keys, transcript
from openclaw_cli.state.clock import parse_iso
from openclaw_cli.state.tuples import NamedTuple

POLL_MARKER = "[OpenClaw heartbeat poll]"

_HIDDEN_SOURCES = ("cron", "hook", "subagent")
_UNFINISHED = ("error", "aborted")


class Exchange(NamedTuple):
    """One exchange: its texts, the ids of its user line and of its last line, and when.

    ``at_ms`` is when the answer stood. ``is_last`` tells that no user line follows it.
    """

    user_id: str
    end_id: str
    at_ms: int
    user_text: str
    assistant_text: str
    message_id: str | None
    sender_id: str | None
    is_last: bool


class Found(NamedTuple):
    """Exchanges to handle, in order; ``end_id`` is the last line that they cover.

    ``waiting`` tells that another one is not finished or not old enough.
    """

    exchanges: list[Exchange]
    end_id: str | None
    waiting: bool


@dataclass
class _Open:
    """An exchange that is being read."""

    user: dict[str, Any]
    text: str
    at_ms: int
    end_id: str
    answers: list[str] = field(default_factory=list)


def is_conversation(key: str, row: Mapping[str, Any]) -> bool:
    """Whether the session of ``key`` is one that people talk in."""
    rest = keys.rest_of(key)
    return not (
        keys.source_of(key) in _HIDDEN_SOURCES
        or rest.endswith(":heartbeat")
        or rest.startswith(("commitments:", NARRATIVE))
        or row.get("spawnedBy")
        or row.get("heartbeatIsolatedBaseSessionKey")
    )


def find(
    entries: list[dict[str, Any]],
    after: tuple[str | None, int],
    *,
    now_ms: int,
    min_age_ms: int = MIN_AGE_MS,
    prompts: Sequence[str] = (),
) -> Found:
    """The finished exchanges after a cursor, which is a line id and an instant.

    The instant counts where the id is not in the transcript (it was cut or rewritten).
    ``prompts`` are configured heartbeat prompts.
    """
    path = transcript.active_path(entries)
    start = _start(path, after)
    known = (POLL_MARKER, *(" ".join(prompt.split()) for prompt in prompts))
    said = {found.line: found for found in spoken(enumerate(path[start:], start), known)}
    closed: list[Exchange] = []
    current: _Open | None = None
    end_id: str | None = None
    for place, entry in enumerate(path[start:], start):
        message = transcript.message_of(entry)
        role = message.get("role") if message else None
        if message is not None and role == "user":
            closed += _close(current, is_last=False)
            current = None
            if place in said:
                at_ms = said[place].at_ms or _time(entry) or 0
                current = _Open(entry, said[place].text, at_ms, entry["id"])
        elif message is not None and current and place in said and _is_answer(message):
            current.answers.append(said[place].text)
            current.at_ms = said[place].at_ms or _time(entry) or current.at_ms
        if current is not None:
            current.end_id = entry["id"]
        else:
            end_id = entry["id"]
    if current is None:
        return Found(closed, end_id, False)
    last = _close(current, is_last=True)
    if not last or now_ms - current.at_ms < min_age_ms:
        return Found(closed, closed[-1].end_id if closed else None, True)
    return Found([*closed, *last], current.end_id, False)


def _start(path: list[dict[str, Any]], after: tuple[str | None, int]) -> int:
    """Index of the first line after the cursor."""
    line_id, after_ms = after
    for place, entry in enumerate(path):
        if line_id is not None and entry.get("id") == line_id:
            return place + 1
    for place, entry in enumerate(path):
        if (_time(entry) or 0) > after_ms:
            return place
    return len(path)


def _close(current: _Open | None, *, is_last: bool) -> list[Exchange]:
    answer = "\n".join(current.answers).strip() if current else ""
    if current is None or not answer:
        return []
    message = transcript.message_of(current.user) or {}
    return [
        Exchange(
            current.user["id"],
            current.end_id,
            current.at_ms,
            current.text,
            answer,
            _text(message.get("idempotencyKey")) or current.user["id"],
            _text(message.get("senderId")) or _text(current.user.get("senderId")),
            is_last,
        )
    ]


def _is_answer(message: Mapping[str, Any]) -> bool:
    """Whether an assistant line is a visible answer: no mirror, no broken run."""
    is_mirror = transcript.is_mirror(dict(message))
    return not is_mirror and message.get("stopReason") not in _UNFINISHED


def _time(entry: Mapping[str, Any]) -> int | None:
    stamp = entry.get("timestamp")
    return parse_iso(stamp) if isinstance(stamp, str) else transcript.timestamp_of(dict(entry))


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
