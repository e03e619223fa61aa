"""Running the heartbeats: gates, one model call, one answer, what it leaves behind.

The turn of an agent runs under its own run lock; due follow-ups are delivered afterwards
in calls of their own (``heartbeat.md`` 4-9). An acknowledgement leaves no line in the
transcript and no trace in the session's clocks.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, session, tools, turn
from openclaw_cli.agent.session import Place, patch
from openclaw_cli.agent.speech import Speech
from openclaw_cli.config import agents
from openclaw_cli.delivery import outbox, send
from openclaw_cli.errors import Busy, OpenClawError
from openclaw_cli.heartbeat import events, look, prompt, reply, settings, state
from openclaw_cli.heartbeat.look import Look, Wish
from openclaw_cli.model.failures import BudgetSpent, ModelFailure, NoModel
from openclaw_cli.state import clock, lock

if TYPE_CHECKING:
    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.config.load import Config
    from openclaw_cli.heartbeat.reply import Reply
    from openclaw_cli.sessions.entry import Row

RAN, SKIPPED, FAILED = "ran", "skipped", "failed"
BUDGET, NO_MODEL, DUPLICATE = "budget", "no-model", "duplicate"
RESPOND = "heartbeat_respond"
REPEAT_MS = clock.DAY_MS
PREVIEW_UNITS = 200
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


@dataclass
class Beat:
    """The heartbeat of one agent, as it is told afterwards."""

    agent_id: str
    status: str = SKIPPED
    reason: str | None = None
    sent: bool = False
    duration_ms: int = 0
    next_due_ms: int | None = None
    event: dict[str, Any] | None = None
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    commitments: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    stripped_chars: int = 0

    def to_json(self) -> dict[str, Any]:
        """The agent's part of the report of ``heartbeat run`` (``design.md`` 3.1)."""
        shown = {k: v for k, v in (self.event or {}).items() if k != "preview"}
        return {
            "agentId": self.agent_id,
            "status": self.status,
            "reason": self.reason,
            "sent": self.sent,
            "durationMs": self.duration_ms,
            "nextDueAtMs": self.next_due_ms,
            "event": shown or None,
            "deliveries": self.deliveries,
            "commitments": self.commitments,
            "tasks": self.tasks,
            "problems": self.problems,
            "usage": self.usage,
            "strippedChars": self.stripped_chars,
        }


def run_agents(config: Config, agent_ids: list[str], wish: Wish) -> list[Beat]:
    """Run the heartbeats of these agents one after another; a failure does not stop the rest."""
    beats = []
    for agent_id in agent_ids:
        try:
            beats.append(run_agent(config, agent_id, wish))
        except OpenClawError as error:
            beats.append(Beat(agent_id, FAILED, error.message))
    return beats


def run_agent(config: Config, agent_id: str, wish: Wish) -> Beat:
    """Run the heartbeat of one agent (a configured id)."""
    from openclaw_cli.heartbeat import followup_run

    started_ms, began = clock.now_ms(), time.monotonic()
    with contextlib.ExitStack() as held:
        found = look.at(config, agent_id, wish, now_ms=started_ms)
        if found.reason is None:
            try:
                held.enter_context(lock.run_lock(look.run_lock_path(config, agent_id)))
            except Busy:
                found.reason = look.IN_FLIGHT
        beat = Beat(agent_id, reason=found.reason, tasks=_tasks(found), problems=_problems(found))
        if found.reason is None:
            _mark_started(found)
            _ordinary(found, beat)
            followup_run.deliver_due(found, beat)
        elif found.reason == look.CRON_BUSY or found.reason == look.LANES_BUSY:
            _note_event(found, beat, _event(found, "skipped", reason=found.reason))
    beat.duration_ms = int((time.monotonic() - began) * 1000)
    beat.next_due_ms = look.at(config, agent_id, Wish(), now_ms=started_ms).next_due_ms
    return beat


def chosen_agents(config: Config, wanted: str | None) -> list[str]:
    """The agents that a run covers: the one asked for, else all whose heartbeat runs."""
    if wanted is not None:
        return [agents.require_agent(config, wanted)]
    known = agents.agent_ids(config)
    return [agent_id for agent_id in known if agent_id in settings.running_agents(config)]


# One ordinary run


def _ordinary(found: Look, beat: Beat) -> None:
    idle = look.idle_reason(found)
    if idle is not None:
        event = _event(found, "skipped", reason=idle) if idle != look.NO_TASKS else None
        _end(found, beat, SKIPPED, idle, event)
        return
    if found.target.problem not in (None, "target-none"):
        problem = found.target.problem
        _end(found, beat, SKIPPED, problem, _event(found, "skipped", reason=problem))
        return
    if found.target.problem is None and found.visibility.shows_nothing:
        event = _event(found, "skipped", reason=look.ALERTS_OFF)
        _end(found, beat, SKIPPED, look.ALERTS_OFF, event)
        return
    began = time.monotonic()
    try:
        reading, answer = _ask(found)
    except Busy:
        _end(found, beat, SKIPPED, look.IN_FLIGHT, None)
        return
    except (BudgetSpent, NoModel) as failure:
        reason = BUDGET if isinstance(failure, BudgetSpent) else NO_MODEL
        _end(found, beat, SKIPPED, reason, _event(found, "skipped", reason=reason))
        return
    except ModelFailure as failure:
        event = _event(found, "failed", reason=failure.message, took=time.monotonic() - began)
        _end(found, beat, FAILED, failure.message, event)
        return
    beat.usage = dict(answer.usage)
    beat.stripped_chars = reading.stripped_chars
    _act(found, beat, reading, took=time.monotonic() - began)
    if beat.status != FAILED:
        _finish_tasks(found, beat)
        events.consume(found.config.paths, found.session_key, found.events)


def _ask(found: Look) -> tuple[Reply, Answer]:
    """The model's answer to the poll, read; the transcript keeps alerts only."""
    config, block = found.config, found.settings.block
    place, row, path = _session(found)
    readings: list[Reply] = []

    def respond(arguments: dict[str, Any]) -> str:
        reading = reply.read_structured(arguments)
        if reading is None:
            return "not valid: outcome, notify and summary are needed"
        readings.append(reading)
        return "noted"

    def read(answer: Answer) -> Reply:
        limit = block.get("ackMaxChars")
        ack = limit if isinstance(limit, int) else settings.DEFAULT_ACK_CHARS
        prefix = config.get("messages", "responsePrefix")
        texts = reply.read_all(
            answer.texts, ack_max_chars=ack, prefix=prefix if isinstance(prefix, str) else ""
        )
        return readings[-1] if readings else texts

    speech = Speech(
        text=prompt.MARKER,
        purpose="heartbeat",
        prompt=_prompt(found),
        record_first=False,
        sections=[] if block.get("includeSystemPromptSection") is False else [prompt.SECTION],
        only_files=["HEARTBEAT.md"] if block.get("lightContext") is True else bootstrap.NAMES,
        offer=[*tools.DEFINITIONS, _RESPOND_TOOL],
        extra_tools={RESPOND: respond},
        model=_text(block.get("model")),
        timeout_s=timeout_s(found),
        is_person=False,
        keep=lambda answer: read(answer).is_alert,
    )
    with session.turn(place, row, wait_s=0) as (held_row, held_path):
        spoken = turn.speak(place, held_row, held_path if held_path == path else path, speech)
    return read(spoken.answer), spoken.answer


def _session(found: Look) -> tuple[Place, Row, Path]:
    """Where the run takes place; an isolated run gets a session of its own each time."""
    from openclaw_cli.agent import opening
    from openclaw_cli.sessions import keys

    key = found.session_key
    if found.settings.block.get("isolatedSession") is True:
        key = keys.heartbeat_key(key)
        place = Place(found.config, found.agent_id, key, found.now_ms, command="heartbeat run")
        row = opening.isolate(place, place.new_id())
        base = {"heartbeatIsolatedBaseSessionKey": found.session_key}
        row = place.change(lambda stored, _draft: patch(stored or row, base)) or row
        return place, row, place.transcript_path(row)
    place = Place(found.config, found.agent_id, key, found.now_ms, command="heartbeat run")
    stored = place.row()
    # A row that nobody needs is not made: it appears with the first alert that is kept.
    row = stored if session.usable(stored) and stored is not None else fresh_row(place)
    return place, row, place.transcript_path(row)


def fresh_row(place: Place) -> Row:
    """A row that is not stored: for runs in sessions that do not exist (yet)."""
    from openclaw_cli.sessions import entry

    new_id = place.new_id()
    return entry.merged(None, {"sessionId": new_id}, now_ms=place.now_ms, new_id=new_id)


def _prompt(found: Look) -> str:
    block = found.settings.block
    return prompt.compose(
        found.checklist,
        found.tasks,
        base=_text(block.get("prompt")) or prompt.BASE,
        events=found.events,
        path=found.heartbeat_file,
        now_ms=found.now_ms,
        zone=agents.user_zone(found.config),
    )


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


# Acting on the answer


def _act(found: Look, beat: Beat, reading: Reply, *, took: float) -> None:
    if not reading.is_alert:
        sent = _acknowledge(found, beat, reading)
        event = _event(
            found, reading.status, took=took, preview=reading.preview, silent=not sent,
        )  # fmt: skip
        _end(found, beat, RAN, reading.status, event)
        return
    problem = found.target.problem
    if problem is None and is_repeat(found, reading.text, found.target.channel, found.target.to):
        problem = DUPLICATE
    if problem is None and not found.visibility.show_alerts:
        problem = look.ALERTS_OFF
    if problem is not None:
        event = _event(found, "skipped", reason=problem, took=took, preview=reading.text)
        _end(found, beat, RAN, problem, event)
        return
    record = _send(found, beat, reading.text)
    if record["status"] not in outbox.HANDED_OVER:
        reason = str(record.get("error") or record["status"])
        event = _event(found, "failed", reason=reason, took=took, preview=reading.text)
        _end(found, beat, FAILED, reason, event)
        return
    beat.sent = True
    remember_alert(found, reading.text, str(found.target.channel), str(found.target.to))
    event = _event(found, "sent", took=took, preview=reading.text, silent=reading.silent)
    _end(found, beat, RAN, None, event)


def _acknowledge(found: Look, beat: Beat, reading: Reply) -> bool:
    """Send the token where the channel wants to see it; whether it went out."""
    if found.target.problem is not None or not found.visibility.show_ok or reading.silent:
        return False
    return _send(found, beat, reply.TOKEN)["status"] in outbox.HANDED_OVER


def _send(found: Look, beat: Beat, text: str) -> outbox.Record:
    target = found.target
    record = send.deliver(
        found.config.paths,
        found.config,
        outbox.Message(
            text=text,
            channel=str(target.channel),
            to=str(target.to),
            source="heartbeat",
            account_id=target.account_id,
            thread_id=target.thread_id,
            agent_id=found.agent_id,
            session_key=found.session_key,
        ),
        now_ms=clock.now_ms(),
    )
    note_delivery(beat, record)
    return record


def note_delivery(beat: Beat, record: outbox.Record) -> None:
    """Tell of a delivery; its text only where it was handed over."""
    shown = {name: record.get(name) for name in ("id", "channel", "to", "status", "error")}
    if record["status"] in outbox.HANDED_OVER:
        shown["text"] = record["text"]
    beat.deliveries.append({k: v for k, v in shown.items() if v is not None})


def is_repeat(found: Look, text: str, channel: str | None, to: str | None) -> bool:
    """Whether the same words went to the same recipient within a day."""
    last = _last_alert(found)
    at = last.get("lastHeartbeatSentAt")
    if not isinstance(at, int | float) or not 0 <= found.now_ms - at < REPEAT_MS:
        return False
    where = last.get("lastHeartbeatTo")
    same_place = not isinstance(where, str) or where == _place_name(channel, to)
    return same_place and str(last.get("lastHeartbeatText") or "").strip() == text.strip()


def remember_alert(found: Look, text: str, channel: str, to: str) -> None:
    """Remember the last alert: in the session's row, in our file while there is none."""
    told = {
        "lastHeartbeatText": text,
        "lastHeartbeatSentAt": found.now_ms,
        "lastHeartbeatTo": _place_name(channel, to),
    }
    place = Place(
        found.config, found.agent_id, found.session_key, found.now_ms, command="heartbeat run"
    )
    if place.row() is not None:
        place.change(lambda row, _draft: None if row is None else row | told)
        return
    state.change(
        found.config.paths,
        lambda known: state.agent_state(known, found.agent_id).update(lastAlert=told),
    )


def _last_alert(found: Look) -> dict[str, Any]:
    if found.row is not None and "lastHeartbeatSentAt" in found.row:
        return found.row
    own = state.peek(state.read(found.config.paths), found.agent_id).get("lastAlert")
    return own if isinstance(own, dict) else {}


def _place_name(channel: str | None, to: str | None) -> str:
    from openclaw_cli.delivery import recipients

    return f"{channel}:{recipients.strip_channel(channel or '', to or '')}"


# What is remembered


def _mark_started(found: Look) -> None:
    """Count the slot as used before anything can go wrong."""
    state.change(
        found.config.paths,
        lambda known: state.agent_state(known, found.agent_id).update(
            lastRunStartedAtMs=found.now_ms
        ),
    )


def _end(
    found: Look, beat: Beat, status: str, reason: str | None, event: dict[str, Any] | None
) -> None:
    beat.status, beat.reason = status, reason
    if event is not None:
        _note_event(found, beat, event)


def _note_event(found: Look, beat: Beat, event: dict[str, Any]) -> None:
    beat.event = event

    def write(known: dict[str, Any]) -> None:
        known["lastEvent"] = event | {"agentId": found.agent_id}
        state.agent_state(known, found.agent_id)["lastEvent"] = event

    state.change(found.config.paths, write)


def _event(
    found: Look,
    status: str,
    *,
    reason: str | None = None,
    took: float | None = None,
    preview: str = "",
    silent: bool = False,
) -> dict[str, Any]:
    from openclaw_cli.memory.text import cut_utf16

    target, visible = found.target, found.visibility
    kinds = {"sent": "alert", "ok-token": "ok", "ok-empty": "ok", "failed": "error"}
    kind = "alert" if reason == look.ALERTS_OFF and not visible.shows_nothing else None
    known = {
        "ts": clock.now_ms(),
        "status": status,
        "reason": reason,
        "to": target.to,
        "preview": cut_utf16(preview, PREVIEW_UNITS) or None,
        "durationMs": None if took is None else int(took * 1000),
        "hasMedia": False,
        "channel": target.channel,
        "accountId": target.account_id,
        "silent": silent,
        "indicatorType": kinds.get(status, kind) if visible.use_indicator else None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _finish_tasks(found: Look, beat: Beat) -> None:
    """The due tasks ran with this run's start; entries of removed tasks go."""
    if not found.tasks or found.checklist is None:
        return
    names = {task.name for task in found.checklist.tasks}
    times = {name: at for name, at in found.task_state.items() if name in names}
    times |= {task.name: found.now_ms for task in found.tasks}
    for told in beat.tasks:
        told["ran"] = told["due"]
    place = Place(
        found.config, found.agent_id, found.session_key, found.now_ms, command="heartbeat run"
    )
    if place.row() is not None:
        place.change(lambda row, _d: None if row is None else row | {"heartbeatTaskState": times})
        return
    state.change(
        found.config.paths,
        lambda known: state.agent_state(known, found.agent_id).update(taskState=times),
    )


def _tasks(found: Look) -> list[dict[str, Any]]:
    listed = found.checklist.tasks if found.checklist else []
    due = {id(task) for task in found.tasks}
    return [{"name": task.name, "due": id(task) in due, "ran": False} for task in listed]


def _problems(found: Look) -> list[dict[str, Any]]:
    return [problem._asdict() for problem in found.checklist.problems] if found.checklist else []


def _text(value: object) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None
