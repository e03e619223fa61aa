"""Why follow-ups would not be delivered at all, and what to say about it. Pure.

The facts about an agent's heartbeat come from whoever knows them (``heartbeat.followups``);
the words for people are the hints of ``commitments.md`` 10.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from openclaw_cli.commitments import due
from openclaw_cli.commitments.record import Row, is_active, is_overdue
from openclaw_cli.state.clock import iso
from openclaw_cli.state.tuples import NamedTuple

FEATURE_OFF, HEARTBEAT_OFF = "feature-off", "heartbeat-off"
TARGET_NONE, QUIET_HOURS = "target-none", "quiet-hours"


class AgentFacts(NamedTuple):
    """The heartbeat of one agent as far as follow-ups depend on it.

    ``runs``: it is switched on for this agent. ``is_open``: now is inside active hours.
    ``known``: the configuration names the agent.
    """

    agent_id: str
    runs: bool
    every_ms: int
    target: str
    is_open: bool
    last_run_ms: int | None
    known: bool = True


class Hint(NamedTuple):
    """One reason why expected follow-ups do not appear, for scripts and for people.

    ``due`` counts the rows that would go out now but for this reason, where it is known.
    """

    reason: str
    message: str
    due: int = 0


def blocked(feature_on: bool, facts: AgentFacts) -> str | None:
    """Why the agent's heartbeat would deliver nothing now, or None."""
    if not feature_on:
        return FEATURE_OFF
    if not facts.runs:
        return HEARTBEAT_OFF
    if facts.target == "none":
        return TARGET_NONE
    return None if facts.is_open else QUIET_HOURS


def delivery_hints(
    rows: Sequence[Row],
    facts: Iterable[AgentFacts],
    *,
    feature_on: bool,
    max_per_day: int,
    now_ms: int,
) -> list[Hint]:
    """What holds back follow-ups of these agents, first the switch for all of them."""
    hints: list[Hint] = []
    if not feature_on:
        hints.append(
            Hint(
                FEATURE_OFF,
                "commitments are off: nothing is found or delivered "
                "(openclaw config set commitments.enabled true)",
            )
        )
    for agent in facts:
        ready = sum(_is_ready(row, now_ms) for row in rows if row["agentId"] == agent.agent_id)
        hints += _agent_hints(agent, ready, now_ms)
    if feature_on:
        hints += _cap_hints(rows, max_per_day=max_per_day, now_ms=now_ms)
    return hints


def empty_hints(counts: Mapping[str, int], shown: Sequence[str]) -> list[Hint]:
    """What to say under an empty listing of the statuses ``shown``."""
    others = {status: n for status, n in counts.items() if n and status not in shown}
    hints = []
    if others:
        listed = ", ".join(f"{n} {status}" for status, n in others.items())
        hints.append(
            Hint("other-status", f"there are others: {listed} (openclaw commitments --all)")
        )
    hints.append(Hint("reminders", "exact reminders are no commitments: see 'openclaw cron list'"))
    return hints


def _is_ready(row: Row, now_ms: int) -> bool:
    return is_active(row) and not is_overdue(row, now_ms) and not due.held_by_itself(row, now_ms)


def _agent_hints(agent: AgentFacts, ready: int, now_ms: int) -> list[Hint]:
    name = agent.agent_id
    if not agent.known:
        return [Hint(HEARTBEAT_OFF, f"agent {name} is not configured: its heartbeat never runs")]
    if not agent.runs:
        return [Hint(HEARTBEAT_OFF, f"the heartbeat of agent {name} is off: nothing is delivered")]
    hints = []
    if agent.target == "none":
        held = f"{ready} due now" if ready else "due ones"
        hints.append(
            Hint(
                TARGET_NONE,
                f"the heartbeat target of agent {name} is none: {held} are held back "
                "(openclaw config set agents.defaults.heartbeat.target last)",
                ready,
            )
        )
    if agent.last_run_ms is None:
        last = "has never run"
    elif now_ms - agent.last_run_ms > 2 * agent.every_ms:
        last = f"last ran at {iso(agent.last_run_ms)}"
    else:
        return hints
    message = (
        f"the heartbeat of agent {name} {last}: is a scheduler installed? (openclaw jobs list)"
    )
    return [*hints, Hint("no-scheduler", message)]


def _cap_hints(rows: Sequence[Row], *, max_per_day: int, now_ms: int) -> list[Hint]:
    hints = []
    for (agent_id, key), own in due.by_session(rows).items():
        if not any(is_active(row) for row in own):
            continue
        free_at = due.next_slot_ms(own, agent_id, key, now_ms=now_ms, max_per_day=max_per_day)
        if free_at is not None:
            hints.append(
                Hint(
                    due.DAILY_CAP,
                    f"{key} has had its {max_per_day} of the day (commitments.maxPerDay); "
                    f"the next one may go at {iso(free_at)}",
                )
            )
    return hints
