"""What an agent's heartbeat says, and what that makes happen (``heartbeat.md`` 8 and 9).

Loaded only by runs that ask a model. Nothing is marked as done when the model or the
delivery failed: the next slot repeats it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_cli.delivery import outbox, send
from openclaw_cli.heartbeat import alerts, events, look, poll, reply, state
from openclaw_cli.heartbeat import beat as beats
from openclaw_cli.heartbeat.beat import FAILED, RAN, SKIPPED, Beat, Outcome
from openclaw_cli.model.failures import BudgetSpent, ModelFailure
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.heartbeat.look import Look
    from openclaw_cli.heartbeat.reply import Reply

DUPLICATE = "duplicate"


def ask_and_act(found: Look, beat: Beat) -> None:
    """Ask the model and act on its answer; ``Busy`` when the session's turn is taken."""
    began = time.monotonic()
    try:
        reading, answer = poll.ask(found)
    except BudgetSpent:  # by the calls of this very exchange
        beat.end(SKIPPED, look.BUDGET)
        beats.note(found, beat, Outcome("skipped", reason=look.BUDGET))
        return
    except ModelFailure as failure:
        beat.end(FAILED, failure.message)
        took = time.monotonic() - began
        beats.note(found, beat, Outcome("failed", reason=failure.message, took=took))
        return
    beat.add_usage(answer.usage)
    beat.stripped_chars = reading.stripped_chars
    _act(found, beat, reading, answer.reasoning, took=time.monotonic() - began)
    if beat.status != FAILED:
        _finish_tasks(found, beat)
        events.consume(found.config.paths, found.session_key, found.events)


def _act(found: Look, beat: Beat, reading: Reply, reasoning: Sequence[str], *, took: float) -> None:
    if not reading.is_alert:
        sent = _acknowledge(found, beat, reading)
        beat.end(RAN, reading.status)
        beats.note(
            found,
            beat,
            Outcome(reading.status, took=took, preview=reading.preview, silent=not sent),
        )
        return
    place = poll.place_of(found)
    problem = found.target.problem
    if problem is None and alerts.is_repeat(place, reading.text, found.target):
        problem = DUPLICATE
    if problem is None and not found.visibility.show_alerts:
        problem = look.ALERTS_OFF
    if problem is not None:
        beat.end(RAN, problem)
        beats.note(found, beat, Outcome("skipped", reason=problem, took=took, preview=reading.text))
        return
    if found.settings.block.get("includeReasoning") is True and reasoning:
        # Beside the point: whether it arrives changes nothing of what the alert counts for.
        _send(found, beat, "Reasoning:\n" + "\n\n".join(reasoning))
    record = _send(found, beat, reading.text)
    if record["status"] not in outbox.HANDED_OVER:
        reason = str(record.get("error") or record["status"])
        beat.end(FAILED, reason)
        beats.note(found, beat, Outcome("failed", reason=reason, took=took, preview=reading.text))
        return
    beat.sent = True
    alerts.remember(place, reading.text, found.target)
    beat.end(RAN, None)
    beats.note(found, beat, Outcome("sent", took=took, preview=reading.text, silent=reading.silent))


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
