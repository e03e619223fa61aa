"""Running the heartbeats: gates, one model call, one answer, what it leaves behind.

The turn of an agent runs under its own run lock; due follow-ups are delivered afterwards
in calls of their own (``heartbeat.md`` 4-9). An acknowledgement leaves no line in the
transcript and no trace in the session's clocks.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents
from openclaw_cli.delivery import outbox, send
from openclaw_cli.errors import Busy, OpenClawError
from openclaw_cli.heartbeat import alerts, due, events, look, poll, reply, settings, state
from openclaw_cli.heartbeat import beat as beats
from openclaw_cli.heartbeat.beat import FAILED, RAN, SKIPPED, Beat
from openclaw_cli.model.failures import BudgetSpent, ModelFailure, NoModel
from openclaw_cli.state import clock, lock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.heartbeat.look import Look, Wish
    from openclaw_cli.heartbeat.reply import Reply

BUDGET, NO_MODEL, DUPLICATE = "budget", "no-model", "duplicate"


def run_agents(config: Config, agent_ids: list[str], wish: Wish) -> list[Beat]:
    """Run the heartbeats of these agents one after another; a failure does not stop the rest."""
    told = []
    for agent_id in agent_ids:
        try:
            told.append(run_agent(config, agent_id, wish))
        except OpenClawError as error:
            told.append(Beat(agent_id, FAILED, error.message))
    return told


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
        beat = beats.begin(found)
        if found.reason is not None and found.is_noted:
            beats.note_busy(found, beat)
        elif found.reason is None:
            _count_slot(found, started_ms)
            try:
                _ordinary(found, beat)
            except Busy:
                # The session was taken in between: the slot is not used up.
                _count_slot(found, found.last_run_ms)
                beat.end(SKIPPED, look.IN_FLIGHT)
            else:
                followup_run.deliver_due(found, beat)
    beat.duration_ms = int((time.monotonic() - began) * 1000)
    beat.next_due_ms = _next_due_ms(found, started_ms)
    return beat


def chosen_agents(config: Config, wanted: str | None) -> list[str]:
    """The agents that a run covers: the one asked for, else all whose heartbeat runs."""
    if wanted is not None:
        return [agents.require_agent(config, wanted)]
    known = agents.agent_ids(config)
    return [agent_id for agent_id in known if agent_id in settings.running_agents(config)]


def _next_due_ms(found: Look, now_ms: int) -> int | None:
    known = state.read(found.config.paths)
    if not state.is_switched_on(known):
        return None
    last = state.last_run_started_ms(known, found.agent_id)
    return due.next_due_ms(found.settings, last, now_ms, agents.user_zone(found.config))


# One ordinary run


def _ordinary(found: Look, beat: Beat) -> None:
    held_back = _held_back(found)
    if held_back is not None:
        beat.end(SKIPPED, held_back)
        if held_back != look.NO_TASKS:
            beats.note(found, beat, "skipped", reason=held_back)
        return
    began = time.monotonic()
    try:
        reading, answer = poll.ask(found)
    except (BudgetSpent, NoModel) as failure:
        reason = BUDGET if isinstance(failure, BudgetSpent) else NO_MODEL
        beat.end(SKIPPED, reason)
        beats.note(found, beat, "skipped", reason=reason)
        return
    except ModelFailure as failure:
        beat.end(FAILED, failure.message)
        took = time.monotonic() - began
        beats.note(found, beat, "failed", reason=failure.message, took=took)
        return
    beat.add_usage(answer.usage)
    beat.stripped_chars = reading.stripped_chars
    _act(found, beat, reading, took=time.monotonic() - began)
    if beat.status != FAILED:
        _finish_tasks(found, beat)
        events.consume(found.config.paths, found.session_key, found.events)


def _held_back(found: Look) -> str | None:
    """Why the model is not asked: nothing to do, or nowhere to tell it."""
    idle = look.idle_reason(found)
    if idle is not None:
        return idle
    if found.target.problem not in (None, "target-none"):
        return found.target.problem
    if found.target.problem is None and found.visibility.shows_nothing:
        return look.ALERTS_OFF
    return None


# Acting on the answer


def _act(found: Look, beat: Beat, reading: Reply, *, took: float) -> None:
    if not reading.is_alert:
        sent = _acknowledge(found, beat, reading)
        beat.end(RAN, reading.status)
        beats.note(found, beat, reading.status, took=took, preview=reading.preview, silent=not sent)
        return
    place = poll.place_of(found)
    problem = found.target.problem
    if problem is None and alerts.is_repeat(place, reading.text, found.target):
        problem = DUPLICATE
    if problem is None and not found.visibility.show_alerts:
        problem = look.ALERTS_OFF
    if problem is not None:
        beat.end(RAN, problem)
        beats.note(found, beat, "skipped", reason=problem, took=took, preview=reading.text)
        return
    record = _send(found, beat, reading.text)
    if record["status"] not in outbox.HANDED_OVER:
        reason = str(record.get("error") or record["status"])
        beat.end(FAILED, reason)
        beats.note(found, beat, "failed", reason=reason, took=took, preview=reading.text)
        return
    beat.sent = True
    alerts.remember(place, reading.text, found.target)
    beat.end(RAN, None)
    beats.note(found, beat, "sent", took=took, preview=reading.text, silent=reading.silent)


def _acknowledge(found: Look, beat: Beat, reading: Reply) -> bool:
    """Send the token where the channel wants to see it; whether it went out."""
    if found.target.problem is not None or not found.visibility.show_ok or reading.silent:
        return False
    text = f"{poll.prefix_of(found)} {reply.TOKEN}".strip()
    return _send(found, beat, text)["status"] in outbox.HANDED_OVER


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
    beat.add_delivery(record)
    return record


# What is remembered


def _count_slot(found: Look, started_ms: int | None) -> None:
    """Count the slot as used before anything can go wrong; None: as never used."""

    def write(known: dict[str, Any]) -> None:
        own = state.agent_state(known, found.agent_id)
        own.pop("lastRunStartedAtMs", None)
        if started_ms is not None:
            own["lastRunStartedAtMs"] = started_ms

    state.change(found.config.paths, write)


def _finish_tasks(found: Look, beat: Beat) -> None:
    """The due tasks ran with this run's start; a task that is away for now keeps its time."""
    if not found.tasks:
        return
    times = found.task_state | {task.name: found.now_ms for task in found.tasks}
    for told in beat.tasks:
        told["ran"] = told["due"]
    place = poll.place_of(found)
    if place.row() is not None:
        place.change(lambda row, _d: None if row is None else row | {"heartbeatTaskState": times})
        return
    state.change(
        found.config.paths,
        lambda known: state.agent_state(known, found.agent_id).update(taskState=times),
    )
