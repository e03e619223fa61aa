"""What a claimed scheduled task does: a reminder, an agent's turn, or the sweep.

``schedule.run`` claims and records; this is what it gets to call, since turns and heartbeats
belong to the same layer as the jobs (``scheduled-tasks.md`` 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli.jobs import reminders
from openclaw_cli.schedule import announce, managed, outcome
from openclaw_cli.schedule import settings as schedule_settings
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.schedule.run import Host
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.job import Task
    from openclaw_cli.state.paths import Paths


def make_host(config: Config) -> Host:
    """What ``schedule.run`` needs from outside, for this tree."""
    paths = config.paths

    def execute(task: Task, started_ms: int) -> Outcome:
        if managed.is_managed(task.row):
            return _swept(config, paths)
        if task.is_turn:
            from openclaw_cli.jobs import task_turn

            return task_turn.run(config, task, started_ms)
        return reminders.remind(config, paths, task)

    return Host(
        paths=paths,
        config=config,
        settings=schedule_settings.from_config(config, paths, config.environ),
        zone=clock.host_zone(),
        execute=execute,
        notify=lambda task, text: reminders.queue(config, paths, task, text),
    )


def obstacle(config: Config, task: Task) -> str | None:
    """Why a run of the task would say nothing as things are; None when it would speak."""
    from openclaw_cli.heartbeat import settings, state
    from openclaw_cli.model import refs

    agent_id = announce.agent_of(task, config)
    no_model = f"no model is configured for agent {agent_id}"
    if task.is_turn:
        named = task.payload.get("model") or refs.default_choice(config, agent_id).refs
        return None if named else no_model
    block = settings.of_agent(config, agent_id)
    runs = block.enabled and agent_id in settings.running_agents(config)
    if not runs or not state.is_switched_on(state.read(config.paths)):
        return f"the heartbeat of agent {agent_id}, which tells reminders, is off"
    return None if settings.has_model(config, block) else no_model


def _swept(config: Config, paths: Paths) -> Outcome:
    """The managed task: a sweep, if the sweep's own record says that one is due."""
    from openclaw_cli.dreaming import sweep
    from openclaw_cli.dreaming.sweep_request import Options

    report = sweep.sweep(
        config, paths, clock.now_ms(), Options(if_due=True), lambda _report: None
    )  # fmt: skip
    if not report["ran"]:
        reason = str(report["reason"])
        return Outcome(outcome.SKIPPED, error=f"no sweep: {reason}", reason=reason)
    failed = [row for row in report["workspaces"] if "error" in row and not row.get("locked")]
    if failed:
        return Outcome(outcome.ERROR, error=f"sweep: {failed[0]['error']}", reason="sweep-failed")
    count = len(report["workspaces"])
    return Outcome(outcome.OK, summary=f"swept {count} workspace{'' if count == 1 else 's'}")
