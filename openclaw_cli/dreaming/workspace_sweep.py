"""The sweep of one workspace: planned, journalled, written (``dreaming.md`` 2, 12.13).

A workspace is planned completely in memory (``plan``), then written through a journal
while nobody else has changed what the plan was made from.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import (
    diary_step,
    journal,
    note_ingest,
    phases,
    run_record,
    session_ingest,
    workspaces,
)
from openclaw_cli.dreaming.bench import Bench, close_bench, open_bench
from openclaw_cli.dreaming.diary_writer import Writer
from openclaw_cli.dreaming.journal import Journal
from openclaw_cli.dreaming.phase_result import PhaseResult
from openclaw_cli.dreaming.phases import Sources
from openclaw_cli.dreaming.settings import resolve
from openclaw_cli.dreaming.sweep_request import Context, Options
from openclaw_cli.dreaming.workspaces import Target
from openclaw_cli.errors import Busy, OpenClawError
from openclaw_cli.memory import chats, recall_store
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import lock
from openclaw_cli.state.paths import Paths

ATTEMPTS = 3
PHASES = ("light", "rem", "deep")

_logger = logging.getLogger(__name__)


@dataclass
class Planned:
    """A workspace's sweep, decided: what to write, what to say."""

    bench: Bench
    report: dict[str, Any]
    results: list[PhaseResult] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether a phase failed."""
        return "error" in self.report


def run(context: Context, target: Target, swept: list[Workspace]) -> dict[str, Any]:
    """Sweep one workspace; its row of the report, with ``error`` when it failed."""
    workspace = target.workspace
    row = {"workspaceDir": str(workspace.root), "agentIds": target.agent_ids}
    try:
        if context.options.dry_run:
            return row | _preview(context, target)
        with lock.run_lock(workspaces.lock_path(workspace), extra={"run": "sweep"}):
            done = _run(context, target)
            swept.append(workspace)
            return row | done
    except Busy as error:
        return row | {"locked": True, "error": f"locked: {error.message}"} | _owner(error)
    except OpenClawError as error:
        _logger.error("sweep of %s failed: %s", workspace.root, error.message)
        return row | {"error": error.message} | ({"hint": error.hint} if error.hint else {})


def plan(context: Context, target: Target) -> Planned:
    """Decide the sweep of one workspace; nothing is written.

    Raises ``OpenClawError`` when the workspace's state cannot be used at all; what goes
    wrong in a phase is part of the plan.
    """
    bench = open_bench(target.workspace, context.settings, context.now_ms)
    found = chats.find(context.config, context.paths, target.agent_ids)
    bench.warnings += found.warnings
    sources = Sources(found, note_ingest.load(bench), session_ingest.load(bench))
    planned = Planned(bench, {"workspaceDir": str(target.workspace.root)})
    note_ingest.warn_of_future_notes(bench)
    for phase in PHASES:
        if not _run_phase(planned, phase, sources):
            break
    for phase in PHASES:
        planned.report.setdefault(phase, {"status": "skipped", "reason": "earlier-phase-failed"})
    note_ingest.prune(bench, sources.notes)
    note_ingest.save(bench, sources.notes)
    session_ingest.save(bench, sources.sessions, found)
    close_bench(bench)
    planned.report["warnings"] = bench.warnings
    return planned


def finish(config: Config, paths: Paths, workspace: Workspace, *, now_ms: int) -> bool:
    """Finish what a killed sweep has left, without a new one; False when there was nothing.

    A plan whose files others have changed since is given up, as the next sweep would do.
    Raises ``Busy`` while the workspace is being swept.
    """
    context = Context(config, paths, resolve(config), now_ms, None, Options())
    with lock.run_lock(workspaces.lock_path(workspace), extra={"run": "sweep"}):
        if not workspaces.journal_path(workspace).exists():
            return False
        _finish_interrupted(context, workspace)
        journal.forget(workspace)
    return True


def _run_phase(planned: Planned, phase: str, sources: Sources) -> bool:
    """Run one phase on the bench; False when it failed and the rest is to be skipped."""
    bench = planned.bench
    settings = getattr(bench.settings, phase)
    if not settings.runs:
        reason = "limit-zero" if settings.enabled else "disabled"
        planned.report[phase] = {"status": "skipped", "reason": reason}
        return True
    run: Callable[[], PhaseResult] = {
        "light": lambda: phases.run_light(bench, sources),
        "rem": lambda: phases.run_rem(bench, sources),
        "deep": lambda: phases.run_deep(bench),
    }[phase]
    try:
        result = run()
    except OpenClawError as error:
        bench.log.append(phases.completed(bench, phase, body=[], error=error.message))
        planned.report[phase] = {"status": "failed", "error": error.message}
        planned.report["error"] = f"{phase}: {error.message}"
        return False
    planned.results.append(result)
    planned.report[phase] = result.report
    return True


def _preview(context: Context, target: Target) -> dict[str, Any]:
    """What a run would answer now, without a diary; a going sweep may make it differ."""
    held = {"locked": True} if lock.is_held(workspaces.lock_path(target.workspace)) else {}
    left = journal.read(target.workspace)
    if left is not None and left.record.get("slotMs") == context.slot_ms:
        return {**left.report, "resumed": True, **held}
    planned = plan(context, target)
    diary_step.shorten(planned.bench)
    return planned.report | {"diary": diary_step.skipped("dry-run")} | held


def _run(context: Context, target: Target) -> dict[str, Any]:
    """Finish what a killed sweep has left, then sweep, unless that was this very slot.

    The journal stays; the caller removes it.
    """
    finished = _finish_interrupted(context, target.workspace)
    if finished is not None and finished.record.get("slotMs") == context.slot_ms:
        return {**finished.report, "resumed": True}
    writer = _writer(context, target)
    for _attempt in range(ATTEMPTS):
        planned = plan(context, target)
        told = _diary(context, planned, writer)
        report = planned.report | {"diary": told.report}
        decided = Journal(
            context.now_ms,
            report,
            _record(context, planned) | ({"diary": told.entries} if told.entries else {}),
            planned.bench.draft.actions(),
            planned.bench.removed,
        )
        with recall_store.lock(target.workspace):
            if planned.bench.draft.changed_underneath() is None:
                journal.write(target.workspace, decided)
                journal.apply(target.workspace, decided, context.paths)
                run_record.save(context.paths, target.workspace, decided.record)
                _log_outcome(context, planned)
                return report
    raise Busy(
        f"the files of {target.workspace.root} keep changing",
        path=target.workspace.root,
        hint="try again when the other program has finished",
    )


def _finish_interrupted(context: Context, workspace: Workspace) -> Journal | None:
    """Carry out the plan that a killed sweep has left; the plan, if there was one.

    A plan whose files others have changed since is given up: the sweep that follows
    starts from what is there.
    """
    with recall_store.lock(workspace):
        left = journal.read(workspace)
        if left is None:
            return None
        try:
            journal.apply(workspace, left, context.paths, again=True)
            run_record.save(context.paths, workspace, left.record)
        except journal.Outdated as changed:
            _logger.info("interrupted sweep is planned anew: %s was changed", changed)
        except OpenClawError:
            if left.record.get("slotMs") == context.slot_ms:
                raise
            _logger.warning("interrupted sweep of %s is given up", workspace.root)
        else:
            return left
        journal.forget(workspace)
    return None


def _record(context: Context, planned: Planned) -> dict[str, Any]:
    phases_done = {
        phase: {
            name: value
            for name, value in planned.report[phase].items()
            if isinstance(value, str | int) and not name.endswith("Path")
        }
        for phase in PHASES
    }
    record: dict[str, Any] = {
        "slotMs": context.slot_ms,
        "startedAtMs": context.now_ms,
        "finishedAtMs": context.now_ms,
        "outcome": "failed" if planned.failed else "ok",
        "phases": phases_done,
    }
    if planned.failed:
        record["error"] = planned.report["error"]
    return record


def _writer(context: Context, target: Target) -> Writer:
    settings = context.settings
    models = {phase: getattr(settings, phase).model for phase in PHASES}
    agent_id = next(iter(target.agent_ids), agents.default_agent_id(context.config))
    return Writer(context.config, agent_id, models, context.now_ms)


def _diary(context: Context, planned: Planned, writer: Writer) -> diary_step.Told:
    """The diary of this sweep, in the draft; entries of the same slot are not told again."""
    bench = planned.bench
    row = run_record.row_of(run_record.load(context.paths), bench.workspace)
    same_slot = context.slot_ms is not None and run_record.slot_of(row) == context.slot_ms
    entries = row.get("diary")
    known = entries if same_slot and isinstance(entries, dict) else {}
    if context.options.diary:
        told = diary_step.write(bench, planned.results, writer, known)
    else:
        told = diary_step.Told(diary_step.skipped("no-diary"), known)
    diary_step.shorten(bench)
    return told


def _owner(error: Busy) -> dict[str, Any]:
    holder = lock.owner(Path(error.path)) if error.path else None
    return {"pid": holder.pid} if holder is not None and holder.pid is not None else {}


def _log_outcome(context: Context, planned: Planned) -> None:
    if context.settings.verbose:
        for result in planned.results:
            if result.phase == "deep":
                _logger.info("ranked and applied: %s", result.report)
