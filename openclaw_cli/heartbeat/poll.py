"""Asking the model: the turn of a heartbeat, and the reading of its answer.

The transcript keeps an alert behind a fixed marker, and nothing of an acknowledgement
(``heartbeat.md`` 5, 6.3, 8 and 9).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, opening, session, tools, turn
from openclaw_cli.agent.session import Place, patch
from openclaw_cli.agent.speech import Speech
from openclaw_cli.config import agents
from openclaw_cli.heartbeat import prompt, reply, settings
from openclaw_cli.heartbeat.history import RESPOND
from openclaw_cli.sessions import entry, keys

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.heartbeat.look import Look
    from openclaw_cli.heartbeat.reply import Reply
    from openclaw_cli.sessions.entry import Row

DEFAULT_TIMEOUT_S = 600
_RESPOND_TOOL = {
    "type": "function",
    "function": {
        "name": RESPOND,
        "description": "Say how the poll ended, instead of answering with text.",
        "parameters": {
            "type": "object",
            "required": ["outcome", "notify", "summary"],
            "properties": {
                "outcome": {"type": "string", "enum": list(reply.OUTCOMES)},
                "notify": {"type": "boolean"},
                "summary": {"type": "string"},
                "notificationText": {"type": "string"},
            },
        },
    },
}


def ask(found: Look) -> tuple[Reply, Answer]:
    """The model's answer to the poll, read; ``Busy`` when the session's turn is taken."""
    block = found.settings.block
    structured: list[Reply] = []

    def respond(arguments: dict[str, Any]) -> str:
        reading = reply.read_structured(arguments, prefix=prefix_of(found))
        if reading is None:
            return "not valid: outcome, notify and summary are needed"
        structured.append(reading)
        return "noted"

    def reading_of(answer: Answer) -> Reply:
        return structured[-1] if structured else read(found, answer.texts)

    speech = Speech(
        text=prompt.MARKER,
        purpose="heartbeat",
        prompt=text(found),
        record_first=False,
        sections=[prompt.SECTION] if found.settings.has_section else [],
        only_files=["HEARTBEAT.md"] if block.get("lightContext") is True else bootstrap.NAMES,
        offer=[*tools.DEFINITIONS, _RESPOND_TOOL],
        extra_tools={RESPOND: respond},
        is_over=lambda: bool(structured),
        model=model(found),
        timeout_s=timeout_s(found),
        is_person=False,
        keep=lambda answer: reading_of(answer).is_alert,
    )
    place, row = _session(found)
    with session.turn(place, row, wait_s=0) as (held, path):
        spoken = turn.speak(place, held, path, speech)
    return reading_of(spoken.answer), spoken.answer


def read(found: Look, texts: Iterable[str]) -> Reply:
    """The reading of plain answers under the agent's settings."""
    limit = found.settings.block.get("ackMaxChars")
    ack = limit if isinstance(limit, int) else settings.DEFAULT_ACK_CHARS
    return reply.read_all(texts, ack_max_chars=ack, prefix=prefix_of(found))


def prefix_of(found: Look) -> str:
    """``messages.responsePrefix``: what every message begins with."""
    prefix = found.config.get("messages", "responsePrefix")
    return prefix.strip() if isinstance(prefix, str) else ""


def text(found: Look) -> str:
    """The prompt of the run."""
    return prompt.compose(
        found.checklist,
        found.tasks,
        base=_text(found.settings.block.get("prompt")) or prompt.BASE,
        events=found.events,
        path=found.heartbeat_file,
        now_ms=found.now_ms,
        zone=agents.user_zone(found.config),
    )


def model(found: Look) -> str | None:
    """The model for heartbeat calls; None: the session's or agent's."""
    return _text(found.settings.block.get("model"))


def timeout_s(found: Look) -> float:
    """The limit of a call in seconds (``heartbeat.md`` 1)."""
    own = found.settings.block.get("timeoutSeconds")
    if isinstance(own, int) and own > 0:
        return float(own)
    shared = found.config.get("agents", "defaults", "timeoutSeconds")
    if isinstance(shared, int | float) and not isinstance(shared, bool):
        return float(max(1, int(shared)))
    every = found.settings.every_ms or settings.DEFAULT_EVERY_MS
    return float(min(DEFAULT_TIMEOUT_S, -(-every // 1000)))


def place_of(found: Look, key: str | None = None) -> Place:
    """The session of the run, or another one of the agent, for reading and writing."""
    wanted = found.session_key if key is None else key
    where = found.store_path if wanted == found.session_key else None
    return Place(
        found.config, found.agent_id, wanted, found.now_ms, command="heartbeat run", store=where
    )


def fresh_row(place: Place) -> Row:
    """A row that is not stored: for runs in sessions that do not exist (yet)."""
    new_id = place.new_id()
    return entry.merged(None, {"sessionId": new_id}, now_ms=place.now_ms, new_id=new_id)


def stored_row(place: Place) -> tuple[Row, Path] | None:
    """The row of a session that exists and can be continued, and its transcript."""
    row = place.row()
    if row is None or not session.usable(row):
        return None
    return row, place.transcript_path(row)


def _session(found: Look) -> tuple[Place, Row]:
    """Where the run takes place; an isolated run gets a session of its own each time."""
    place = place_of(found)
    if found.is_isolated:
        place = place_of(found, keys.heartbeat_key(found.session_key))
        row = opening.isolate(place, place.new_id())
        base = {"heartbeatIsolatedBaseSessionKey": found.session_key}
        return place, place.change(lambda known, _draft: patch(known or row, base)) or row
    stored = place.row()
    if stored is None:
        # A row that nobody needs is not made: it appears with the first alert that is kept.
        return place, fresh_row(place)
    if not session.usable(stored):
        stored = opening.renew(place, stored, place.new_id(), rule="unusable-id", pin=None)
    return place, stored


def _text(value: object) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None
