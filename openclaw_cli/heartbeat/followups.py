"""What an agent's heartbeat means for its due follow-ups (``commitments.md`` 7 and 10.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli.commitments import settings as commitment_settings
from openclaw_cli.config import agents
from openclaw_cli.heartbeat import settings, state

if TYPE_CHECKING:
    from openclaw_cli.commitments.blocking import AgentFacts
    from openclaw_cli.config.load import Config
    from openclaw_cli.heartbeat.look import Look
    from openclaw_cli.state.paths import Paths


def facts(config: Config, paths: Paths, agent_id: str, *, now_ms: int) -> AgentFacts:
    """Whether and where the agent's heartbeat would deliver at ``now_ms``."""
    from openclaw_cli.commitments.blocking import AgentFacts

    remembered = state.read(paths)
    found = settings.of_agent(config, agent_id)
    # Zones are loaded only for those who set a window: listings pass through here.
    always_open = settings.window_minutes(found.block.get("activeHours")) is None
    return AgentFacts(
        agent_id=agent_id,
        runs=found.enabled and state.is_switched_on(remembered),
        every_ms=found.every_ms or settings.DEFAULT_EVERY_MS,
        target=found.target,
        is_open=always_open or settings.is_open(found, now_ms, agents.user_zone(config)),
        last_run_ms=state.last_run_started_ms(remembered, agent_id),
        known=agent_id in agents.agent_ids(config),
    )


def sessions_due(found: Look) -> list[str]:
    """The sessions of the agent with something due, at most ten, sorted.

    Marks what is over and what the outbox knows as delivered.
    """
    config, paths = found.config, found.config.paths
    if not commitment_settings.enabled(config):
        return []
    from openclaw_cli.commitments import due, handling
    from openclaw_cli.delivery import outbox
    from openclaw_cli.state import clock

    outbox.recover(paths, clock.now_ms())
    store = handling.prepare(paths, outbox.load(paths), now_ms=found.now_ms)
    return due.sessions_with_due(
        store.valid,
        found.agent_id,
        now_ms=found.now_ms,
        max_per_day=commitment_settings.max_per_day(config),
    )
