"""A reminder: a line for the main session, and the heartbeat that tells it.

``wakeMode: now`` runs the agent's heartbeat at once, with the last route as its target; a
busy session is waited for, at most two minutes, then the line stays for the next heartbeat
(``scheduled-tasks.md`` 3).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from openclaw_cli.heartbeat import beat, events, look, settings
from openclaw_cli.jobs import heartbeats
from openclaw_cli.schedule import announce, outcome
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.sessions.routing import KeyRules

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.job import Task
    from openclaw_cli.state.paths import Paths

BUSY_WAIT_S = 120.0
BUSY_PAUSE_S = 0.25


def remind(config: Config, paths: Paths, task: Task) -> Outcome:
    """Queue the task's text and, unless it waits for the next heartbeat, have it told."""
    queue(config, paths, task, task.text)
    if not task.wakes_now:
        return Outcome(outcome.OK, summary=task.text)
    agent_id = announce.agent_of(task, config)
    row = _run_heartbeat(config, agent_id)
    status, reason = row["status"], str(row.get("reason") or "")
    if status == beat.FAILED:
        return Outcome(outcome.ERROR, error=f"heartbeat: {reason}", reason="heartbeat-failed")
    if status == beat.SKIPPED and reason not in heartbeats.BUSY:
        return Outcome(outcome.SKIPPED, error=f"heartbeat: {reason}", reason=reason)
    return Outcome(
        outcome.OK,
        summary=task.text,
        session_key=session_key(config, agent_id),
        usage=row.get("usage") if isinstance(row.get("usage"), dict) else None,
    )


def queue(config: Config, paths: Paths, task: Task, text: str) -> None:
    """Queue a line for the main session of the task's agent, tagged as the task's."""
    key = session_key(config, announce.agent_of(task, config))
    events.queue(paths, key, text, context_key=f"cron:{task.id}")


def session_key(config: Config, agent_id: str) -> str:
    """The session that the agent's heartbeat runs in, where reminders are read."""
    wanted = settings.of_agent(config, agent_id).block.get("session")
    return look.session_key(config, agent_id, wanted, KeyRules.from_config(config))


def _run_heartbeat(config: Config, agent_id: str) -> dict[str, Any]:
    """One heartbeat for a reminder; a busy session is asked again until the wait is over."""
    deadline = time.monotonic() + BUSY_WAIT_S
    while True:
        row = heartbeats.wake(config, agent_id)
        if row.get("reason") not in heartbeats.BUSY or time.monotonic() >= deadline:
            return row
        time.sleep(BUSY_PAUSE_S)
