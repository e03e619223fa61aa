"""The sweep: light, REM and deep sleep over each workspace (``dreaming.md`` 2).

Which workspaces are due is decided here, with little loaded: most runs find none. One run
lock per workspace; a workspace that fails does not stop the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import run_record, slots, workspaces
from openclaw_cli.dreaming.settings import Dreaming, resolve
from openclaw_cli.dreaming.sweep_request import Context, Options
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

_logger = logging.getLogger(__name__)


def sweep(
    config: Config,
    paths: Paths,
    now_ms: int,
    options: Options,
    deliver: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Sweep the workspaces that are due and ``deliver`` the report (``design.md`` 3.1).

    Workspaces that failed carry ``error``, those being swept by another process also
    ``locked: true``. The journals go only when the report was delivered: whoever runs
    again after a crash gets it then, and no workspace is swept twice. Raises
    ``InvalidConfig`` and ``UnknownName``.
    """
    report, swept = _sweep_all(config, paths, now_ms, options)
    deliver(report)
    if swept:
        from openclaw_cli.dreaming import journal

        for workspace in swept:
            journal.forget(workspace)
    return report


def _sweep_all(
    config: Config, paths: Paths, now_ms: int, options: Options
) -> tuple[dict[str, Any], list[Workspace]]:
    """The report, and the workspaces whose journals are still there."""
    settings = resolve(config)
    report: dict[str, Any] = {
        "ran": False,
        "reason": None,
        "dryRun": options.dry_run,
        "nextRunAtMs": slots.next_run_ms(settings, now_ms),
        "workspaces": [],
    }
    targets = workspaces.find(config, paths, options.agent)
    if not settings.enabled and not options.force:
        return report | {"reason": "disabled"}, []
    context = Context(config, paths, settings, now_ms, slots.latest_ms(settings, now_ms), options)
    if options.if_due:
        targets = [target for target in targets if _is_due(context, target.workspace)]
        if not targets:
            return report | {"reason": "not-due"}, []
    _log_settings(settings, len(targets))
    from openclaw_cli.dreaming import workspace_sweep

    swept: list[Workspace] = []
    rows = [workspace_sweep.run(context, target, swept) for target in targets]
    ran = any(not row.get("locked") for row in rows)
    return report | {"ran": ran, "reason": None if ran else "locked", "workspaces": rows}, swept


def _is_due(context: Context, workspace: Workspace) -> bool:
    if workspaces.journal_path(workspace).exists():
        return True  # a killed sweep waits to be finished
    row = run_record.row_of(run_record.load(context.paths), workspace)
    return slots.is_due(context.slot_ms, run_record.slot_of(row), context.now_ms)


def _log_settings(settings: Dreaming, count: int) -> None:
    if settings.verbose:
        _logger.info(
            "sweep: cron=%s limit=%d gates=%s workspaces=%d",
            settings.frequency, settings.deep.limit, settings.deep.gates, count,
        )  # fmt: skip
