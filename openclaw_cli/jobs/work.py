"""What each of the five jobs does: one call into the domain, its counts, its outcome.

The same work as the commands ``heartbeat run``, ``dreaming sweep --if-due``, ``sessions
cleanup --all-agents``, ``commitments extract`` and ``cron run-due`` (``scheduled-tasks.md`` 6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.jobs import records
from openclaw_cli.jobs.look import EXTRACT_RETRY_MS, View
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


@dataclass
class Done:
    """How a job ended: ``ok``, ``failed`` or ``locked``.

    ``counts`` and ``warnings`` go into the journal; ``report`` is the document of the
    command; ``pending_ms`` asks for another run then, although nothing changed.
    """

    outcome: str
    counts: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    report: dict[str, Any] | None = None
    pending_ms: int | None = None
    warnings: list[str] = field(default_factory=list)


class _Task(NamedTuple):
    view: View
    config: Config
    forced: bool


def do(view: View, config: Config, *, forced: bool) -> Done:
    """Do the work of a job. Raises what the domain raises."""
    return _WORK[view.name](_Task(view, config, forced))


def repeat_deliveries(config: Config) -> list[Any]:
    """Try again what a channel's program asked to have repeated."""
    from openclaw_cli.delivery import outbox

    if not outbox.path_of(config.paths).exists():
        return []
    from openclaw_cli.delivery import send

    return send.retry_due(config.paths, config, now_ms=clock.now_ms())


def delivery_files(paths: Paths) -> list[Path]:
    """The files that tell whether a delivery is to be repeated."""
    from openclaw_cli.delivery import outbox

    return [outbox.path_of(paths)]


def _unheard(_report: dict[str, Any]) -> None:
    """Nobody waits for the report of a job; its record tells how it went."""


def _sweep(task: _Task) -> Done:
    from openclaw_cli.dreaming import sweep
    from openclaw_cli.dreaming.sweep_request import Options

    options = Options(if_due=not task.forced)
    report = sweep.sweep(task.config, task.config.paths, clock.now_ms(), options, _unheard)
    rows = report["workspaces"]
    if report["reason"] == "locked":
        return Done(records.LOCKED, report=report, error=rows[0].get("error") if rows else None)
    failed = [row for row in rows if "error" in row and not row.get("locked")]
    counts = {
        "workspaces": len(rows),
        "failed": len(failed),
        "promoted": sum(len(row.get("deep", {}).get("promoted", [])) for row in rows),
    }
    error = failed[0]["error"] if failed else None
    warnings = [text for row in rows for text in row.get("warnings", ())]
    return Done(
        records.FAILED if failed else records.OK, counts, error, report, warnings=warnings
    )  # fmt: skip


def _cleanup(task: _Task) -> Done:
    from openclaw_cli.sessions import cleanup, discovery

    targets = discovery.targets(task.config, task.config.paths, all_agents=True)
    result = cleanup.run(
        task.config, task.config.paths, targets, cleanup.Options(), now_ms=clock.now_ms()
    )  # fmt: skip
    summaries = [done.summary for done in result.stores]
    counts = {
        "stores": len(summaries),
        **{
            name: sum(int(summary.get(name) or 0) for summary in summaries)
            for name in ("pruned", "capped", "purgedArchives", "surplus")
        },
    }
    if not counts["surplus"]:
        del counts["surplus"]  # most people set no number for jobs and labels
    errors = [str(done.summary["error"]) for done in result.stores if "error" in done.summary]
    outcome = records.FAILED if result.failed else records.OK
    return Done(outcome, counts, errors[0] if errors else None, result.document)


def _extract(task: _Task) -> Done:
    from openclaw_cli.commitments import extraction_pass
    from openclaw_cli.commitments import settings as commitment_settings
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat import settings

    if not commitment_settings.enabled(task.config):
        return Done(records.OK, report={"reason": "disabled"})
    scope = extraction_pass.Scope(
        agents.agent_ids(task.config), lambda agent: settings.spacing_ms(task.config, agent)
    )
    now_ms = clock.now_ms()
    report = extraction_pass.run(task.config, task.config.paths, scope, now_ms=now_ms)
    document = report.to_json()
    counts = {name: document[name] for name in ("turns", "candidates", "created", "merged")}
    is_open = bool(report.reasons) or report.turns >= extraction_pass.TURNS_PER_PASS
    return Done(
        records.FAILED if report.failed else records.OK,
        counts,
        "; ".join(report.warnings) or None if report.failed else None,
        document,
        now_ms + EXTRACT_RETRY_MS if is_open else None,
    )


def _cron(task: _Task) -> Done:
    from openclaw_cli.jobs import execute, reconcile
    from openclaw_cli.schedule import run

    host = execute.make_host(task.config)
    if host.settings.enabled:
        reconcile.reconcile(task.config)
    report = run.run_due(host)
    failed = [row for row in report["ran"] if row["status"] == "error"]
    counts = {
        "ran": len(report["ran"]),
        "failed": len(failed),
        "skipped": len(report["skipped"]),
    }
    error = f"{failed[0]['name']}: {failed[0].get('error')}" if failed else None
    return Done(records.FAILED if failed else records.OK, counts, error, report)


def _heartbeat(task: _Task) -> Done:
    from openclaw_cli.jobs import heartbeats

    report = heartbeats.run(task.config, task.view.facts.agents, forced=task.forced)
    rows = report["agents"]
    failed = [row for row in rows if row["status"] == "failed"]
    counts = {
        "agents": len(rows),
        "ran": sum(row["status"] == "ran" for row in rows),
        "failed": len(failed),
        "sent": sum(bool(row.get("sent")) for row in rows),
    }
    error = f"{failed[0]['agentId']}: {failed[0].get('reason')}" if failed else None
    return Done(records.FAILED if failed else records.OK, counts, error, report)


_WORK: dict[str, Callable[[_Task], Done]] = {
    "heartbeat": _heartbeat,
    "sweep": _sweep,
    "cleanup": _cleanup,
    "extract": _extract,
    "cron": _cron,
}
