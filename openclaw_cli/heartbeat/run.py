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
from openclaw_cli.errors import Busy, OpenClawError
from openclaw_cli.heartbeat import beat as beats
from openclaw_cli.heartbeat import followups, look, settings, state
from openclaw_cli.heartbeat.beat import FAILED, SKIPPED, Beat, Outcome
from openclaw_cli.state import clock, lock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.heartbeat.look import Look, Wish

# Skips that leave the slot for a later try.
_UNUSED = (look.IN_FLIGHT, look.BUDGET, look.NO_MODEL)


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
            beats.note_once(found, beat, found.reason)
        elif found.reason is None:
            _count_slot(found, started_ms)
            try:
                _ordinary(found, beat)
            except Busy:
                # The session was taken in between.
                beat.end(SKIPPED, look.IN_FLIGHT)
            except OpenClawError as error:
                beat.end(FAILED, error.message)
            else:
                _follow_ups(found, beat)
            if beat.status == SKIPPED and beat.reason in _UNUSED:
                _count_slot(found, found.last_run_ms)
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
    return look.next_due_ms(found.config, found.settings, last, now_ms)


# One ordinary run


def _ordinary(found: Look, beat: Beat) -> None:
    held_back = _held_back(found) or look.unasked_reason(found, found.row)
    if held_back is None:
        # Most runs have nothing to do: they never load what talks to a model.
        from openclaw_cli.heartbeat import answering

        answering.ask_and_act(found, beat)
        return
    beat.end(SKIPPED, held_back)
    if held_back in _UNUSED:
        beats.note_once(found, beat, held_back)
    elif held_back != look.NO_TASKS:
        beats.note(found, beat, Outcome("skipped", reason=held_back))


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


def _follow_ups(found: Look, beat: Beat) -> None:
    """Deliver what is due of the follow-ups, in calls of their own."""
    sessions = followups.sessions_due(found)
    if sessions:
        from openclaw_cli.heartbeat import followup_run

        followup_run.deliver_due(found, beat, sessions)


def _count_slot(found: Look, started_ms: int | None) -> None:
    """Count the slot as used before anything can go wrong; None: as never used."""

    def write(known: dict[str, Any]) -> None:
        own = state.agent_state(known, found.agent_id)
        own.pop("lastRunStartedAtMs", None)
        if started_ms is not None:
            own["lastRunStartedAtMs"] = started_ms

    state.change(found.config.paths, write)
