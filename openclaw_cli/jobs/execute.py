"""What a claimed scheduled task does: a reminder, an agent's turn, or the sweep.

``schedule.run`` claims and records; this is what it gets to call, since turns and heartbeats
belong to the same layer as the jobs (``scheduled-tasks.md`` 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli.jobs import reminders
from openclaw_cli.schedule import managed, outcome
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
