"""The heartbeat as a job, and as the answer to a reminder (``heartbeat.md`` 2 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.heartbeat import run as heartbeat
from openclaw_cli.heartbeat.look import CRON_BUSY, IN_FLIGHT, LANES_BUSY, Wish

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

BUSY = (IN_FLIGHT, CRON_BUSY, LANES_BUSY)


def run(config: Config, agents: Sequence[str], *, forced: bool) -> dict[str, Any]:
    """Run the heartbeats of ``agents``, forced those of all; the report of ``heartbeat run``."""
    chosen = heartbeat.chosen_agents(config, None) if forced else list(agents)
    beats = heartbeat.run_agents(config, chosen, Wish(force=forced))
    return {"agents": [beat.to_json() for beat in beats]}


def wake(config: Config, agent_id: str) -> dict[str, Any]:
    """One heartbeat at once for a reminder; its row of the report."""
    [beat] = heartbeat.run_agents(config, [agent_id], Wish(from_cron=True))
    return beat.to_json()
