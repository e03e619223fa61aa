"""A scheduled task as an agent's turn (``scheduled-tasks.md`` 3, "Detached").

``isolated`` starts a new session each time under ``agent:<id>:cron:<jobId>``, and leaves a row of
the run beside it; ``session:<id>`` goes on in that session. The answer is handed back:
delivery is ``schedule.announce``'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, opening, session, tools, turn
from openclaw_cli.agent.session import Place
from openclaw_cli.agent.speech import Speech
from openclaw_cli.heartbeat import reply
from openclaw_cli.model.failures import BudgetSpent, ModelFailure, NoModel
from openclaw_cli.schedule import announce, job, outcome
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.sessions import keys, silence
from openclaw_cli.sessions.routing import Inbound

if TYPE_CHECKING:
    from openclaw_cli.agent.turn import Spoken
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.job import Task
    from openclaw_cli.sessions.entry import Row

NO_LIMIT_S = 7 * 86_400.0
LIGHT_FILES = ("AGENTS.md", "SOUL.md")
ACK_CHARS = 0  # an ordinary answer: only the bare token is an acknowledgement
SUMMARY_CHARS = 2_000


def run(config: Config, task: Task, started_ms: int) -> Outcome:
    """Hold the turn; how it ended, with the answer to hand over (None: nothing to say)."""
    agent_id = announce.agent_of(task, config)
    model = job.text(task.payload.get("model"))
    place = Place(config, agent_id, _key(task, agent_id), started_ms, command="cron run-due")
    try:
        turn.require_model(place, model)
        spoken, row = _speak(place, task, model)
    except (NoModel, BudgetSpent) as failure:
        return Outcome(outcome.SKIPPED, error=failure.message, reason=failure.code)
    except ModelFailure as failure:
        return Outcome(
            outcome.ERROR, error=failure.message, reason=failure.code, session_key=place.key
        )
    return _outcome(place, spoken, row)


def _speak(place: Place, task: Task, model: str | None) -> tuple[Spoken, Row]:
    row = _opened(place, task)
    timeout_s = float(task.limit_s or NO_LIMIT_S)
    speech = Speech(
        text=f"[cron:{task.id} {task.name}] {task.text}",
        purpose="cron",
        offer=_offer(task),
        model=model,
        timeout_s=timeout_s,
        is_person=False,
        only_files=LIGHT_FILES if task.payload.get("lightContext") is True else bootstrap.NAMES,
    )
    with session.turn(place, row, wait_s=timeout_s) as (present, path):
        return turn.speak(place, present, path, speech), present


def _opened(place: Place, task: Task) -> Row:
    """The row to run in: a new session for an isolated task, else the one that is there."""
    if not job.names_session(task.target):
        row = opening.isolate(place, place.new_id())
        label = {"label": f"Cron: {task.name}"}
        written = place.change(lambda present, _draft: {**(present or row), **label})
        _leave_run_row(place, task, written or row)
        return written or row
    present = place.row()
    if present is not None and session.usable(present):
        return present
    return opening.received(place, Inbound(system=True))


def _leave_run_row(place: Place, task: Task, row: Row) -> None:
    """The row of this one run, which ``cron.sessionRetention`` removes later."""
    key = keys.cron_key(place.agent_id, task.id, run=str(row["sessionId"]))
    of_run = Place(place.config, place.agent_id, key, place.now_ms, command=place.command)
    of_run.change(lambda _present, _draft: dict(row))


def _key(task: Task, agent_id: str) -> str:
    if not job.names_session(task.target):
        return keys.cron_key(agent_id, task.id)
    named = task.target[len(job.SESSION_PREFIX) :].strip()
    return named if keys.parse(named) is not None else keys.for_agent(agent_id, named)


def _offer(task: Task) -> list[dict[str, Any]]:
    """The tools of the turn: all there are, or those that the task allows."""
    allowed = task.payload.get("toolsAllow")
    if not isinstance(allowed, list):
        return list(tools.DEFINITIONS)
    return [tool for tool in tools.DEFINITIONS if tool["function"]["name"] in allowed]


def _outcome(place: Place, spoken: Spoken, row: Row) -> Outcome:
    answer = spoken.answer
    text = silence.without_token(answer.text).strip()
    reading = reply.read(text, ack_max_chars=ACK_CHARS)
    speaks = bool(text) and not silence.is_silent(answer.text) and reading.is_alert
    return Outcome(
        outcome.OK,
        summary=answer.text.strip()[:SUMMARY_CHARS] or None,
        answer=reading.text if speaks else None,
        session_id=str(row.get("sessionId")),
        session_key=place.key,
        model=answer.ref.model,
        provider=answer.ref.provider,
        usage=_usage(answer.usage),
    )


def _usage(counted: dict[str, int]) -> dict[str, int]:
    """The usage in the words of the run history."""
    read, write = counted.get("cacheRead", 0), counted.get("cacheWrite", 0)
    asked, said = counted.get("input", 0), counted.get("output", 0)
    return {
        "input_tokens": asked,
        "output_tokens": said,
        "total_tokens": counted.get("totalTokens", asked + said + read + write),
        "cache_read_tokens": read,
        "cache_write_tokens": write,
    }
