"""A reminder: a line for the main session, and the heartbeat that tells it.

``wakeMode: now`` runs the agent's heartbeat at once, with the last route as its target; a
busy session is waited for, at most two minutes, then the line stays for the next heartbeat
(``scheduled-tasks.md`` 3).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from openclaw_cli.heartbeat import events
from openclaw_cli.jobs import heartbeats
from openclaw_cli.schedule import announce, outcome
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.sessions import keys

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.job import Task
    from openclaw_cli.state.paths import Paths

BUSY_WAIT_S = 120.0
BUSY_PAUSE_S = 0.25
BUSY = ("requests-in-flight", "cron-in-progress", "lanes-busy")


def remind(config: Config, paths: Paths, task: Task) -> Outcome:
    """Queue the task's text and, unless it waits for the next heartbeat, have it told."""
    queue(config, paths, task, task.text)
    if not task.wakes_now:
        return Outcome(outcome.OK, summary=task.text)
    agent_id = announce.agent_of(task, config)
    row = _run_heartbeat(config, paths, agent_id)
    status, reason = row.get("status"), row.get("reason") or None
    if status == "failed":
        return Outcome(
            outcome.ERROR,
            error=str(row.get("error") or reason),
            reason=str(reason) if reason else None,
        )
    if status == "skipped" and reason not in BUSY:
        return Outcome(
            outcome.SKIPPED, error=f"heartbeat: {reason}", reason=str(reason) if reason else None
        )
    return Outcome(
        outcome.OK,
        summary=task.text,
        session_key=session_key(config, agent_id, task),
        usage=row.get("usage") if isinstance(row.get("usage"), dict) else None,
    )


def queue(config: Config, paths: Paths, task: Task, text: str) -> None:
    """Queue a line for the main session of the task's agent, tagged as the task's."""
    agent_id = announce.agent_of(task, config)
    events.queue(
        paths, session_key(config, agent_id, task), text, context_key=f"cron:{task.id}"
    )  # fmt: skip


def session_key(config: Config, agent_id: str, task: Task) -> str:
    """The session that a reminder is for: the task's own, else the agent's main one."""
    main = config.get("session", "mainKey", default=keys.MAIN)
    return task.session_key or keys.main_key(agent_id, main)


def _run_heartbeat(config: Config, paths: Paths, agent_id: str) -> dict[str, Any]:
    """One heartbeat for a reminder; a busy session is asked again until the wait is over."""
    deadline = time.monotonic() + BUSY_WAIT_S
    while True:
        row = heartbeats.wake(config, paths, agent_id)
        if row.get("reason") not in BUSY or time.monotonic() >= deadline:
            return row
        time.sleep(BUSY_PAUSE_S)
