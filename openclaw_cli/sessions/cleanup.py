"""One maintenance run over one or more stores: dry, or applied through the journal.

A dry run takes no lock and writes nothing. An applied run plans under the lock of the
store what the dry run would have shown, and carries it out (``sessions-maintenance.md``
3, 5, 7). One store that fails does not keep the others from being done.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.sessions import (
    cleanup_report,
    maintenance,
    maintenance_settings,
    plan_rows,
    store,
    survey,
)
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.effects import Effects
from openclaw_cli.sessions.maintenance import Plan, Request
from openclaw_cli.sessions.maintenance_settings import ENFORCE, Upkeep
from openclaw_cli.sessions.store import StoreFile

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

COMMAND = "sessions cleanup"


@dataclass(eq=False, repr=False)
class Options:
    """What the command line asked for."""

    dry_run: bool = False
    enforce: bool = False
    fix_missing: bool = False
    fix_dm_scope: bool = False
    active_key: str | None = None
    verbose: bool = False


@dataclass(eq=False, repr=False)
class StoreResult:
    """What became of one store; ``plan`` is None when it failed."""

    target: Target
    summary: dict[str, Any]
    plan: Plan | None = None
    warnings: list[str] = field(default_factory=list)
    failed: bool = False


@dataclass(eq=False, repr=False)
class Result:
    """The whole run. ``document`` is its JSON."""

    document: dict[str, Any]
    stores: list[StoreResult]

    @property
    def failed(self) -> bool:
        """Whether a store, or a file of one, could not be done."""
        return any(result.failed for result in self.stores)

    @property
    def would_mutate(self) -> bool:
        """Whether there was something to do."""
        return any(result.summary.get("wouldMutate") for result in self.stores)


def run(
    config: Config, paths: Paths, targets: Sequence[Target], options: Options, *, now_ms: int
) -> Result:
    """Clean ``targets``; a single one that fails raises, of several the failed carry ``error``."""
    results = []
    for target in targets:
        try:
            results.append(_run_one(config, paths, target, options, now_ms))
        except OpenClawError as error:
            if len(targets) == 1:
                raise
            results.append(_failed(config, target, options, error))
    summaries = [result.summary for result in results]
    if len(summaries) == 1:
        return Result(summaries[0], results)
    document = {
        "allAgents": True,
        "mode": summaries[0]["mode"] if summaries else "",
        "dryRun": options.dry_run,
        "stores": summaries,
    }
    return Result(document, results)


def _run_one(
    config: Config, paths: Paths, target: Target, options: Options, now_ms: int
) -> StoreResult:
    upkeep = maintenance_settings.from_config(config, target.agent_id)
    request = _request(upkeep, options)
    path = target.store_path

    def decide(found: StoreFile) -> Plan:
        facts = survey.take(
            found,
            paths.state_dir,
            neighbours=upkeep.neighbours,
            fix_missing=options.fix_missing,
            budget=upkeep.settings.max_disk_bytes is not None,
        )
        plan = maintenance.make_plan(found, facts, upkeep, request, now_ms=now_ms)
        plan.warnings += _remarks(plan, facts, upkeep, options, now_ms)
        return plan

    if options.dry_run or not (os.path.lexists(path) or path.parent.is_dir()):
        plan = decide(store.load(path))
        summary = cleanup_report.summary(plan, target, upkeep)
        return _result(target, plan, summary, options, now_ms=now_ms, upkeep=upkeep)

    from openclaw_cli.sessions import trail, transaction

    lines = trail.for_target(COMMAND, config, paths, target)
    plans: list[Plan] = []

    def apply(found: StoreFile) -> Effects:
        plans.append(decide(found))
        return maintenance.effects_of(plans[-1], lines)

    done = transaction.transact(path, apply, paths=paths, now_ms=now_ms)
    plan = plans[-1]
    plan.warnings += [failure.text() for failure in done.failures]
    summary = cleanup_report.summary(plan, target, upkeep, done=done)
    result = _result(target, plan, summary, options, now_ms=now_ms, upkeep=upkeep)
    result.failed = bool(done.failures)
    return result


def _request(upkeep: Upkeep, options: Options) -> Request:
    active = (options.active_key or "").strip()
    return Request(
        mode=ENFORCE if options.enforce else upkeep.settings.mode,
        dry_run=options.dry_run,
        fix_missing=options.fix_missing,
        fix_dm_scope=options.fix_dm_scope,
        active_keys=frozenset({active} if active else ()),
    )


def _result(
    target: Target,
    plan: Plan,
    summary: dict[str, Any],
    options: Options,
    *,
    now_ms: int,
    upkeep: Upkeep,
) -> StoreResult:
    summary["warnings"] = plan.warnings
    if options.verbose:
        summary["actions"] = cleanup_report.actions(plan, upkeep, now_ms=now_ms)
    return StoreResult(target, summary, plan, plan.warnings)


def _failed(config: Config, target: Target, options: Options, error: OpenClawError) -> StoreResult:
    upkeep = maintenance_settings.from_config(config, target.agent_id)
    summary = {
        "agentId": target.agent_id,
        "storePath": os.fspath(target.store_path),
        "mode": _request(upkeep, options).mode,
        "dryRun": options.dry_run,
        "applied": False,
        "error": error.message,
    }
    hint = f" ({error.hint})" if error.hint else ""
    return StoreResult(target, summary, None, [error.message + hint], failed=True)


def _remarks(
    plan: Plan, facts: survey.Survey, upkeep: Upkeep, options: Options, now_ms: int
) -> list[str]:
    """What the owner should know besides the counts."""
    remarks = []
    odd = sum(1 for row in plan.before.rows.values() if not isinstance(row, dict))
    if odd:
        remarks.append(f"{odd} rows are no objects; they stay as they are")
    if facts.journal_open:
        remarks.append("an interrupted run left its journal; an applied run finishes it first")
    remarks += [
        f"the store {path} in the same folder cannot be read; files without a row stay"
        for path in facts.unreadable_neighbours
    ]
    if facts.busy_rows:
        remarks.append(f"{len(facts.busy_rows)} sessions are in use right now and are left alone")
    if options.fix_dm_scope and not upkeep.retire_direct:
        remarks.append("--fix-dm-scope does nothing: session.dmScope is not main")
    if not plan.request.enforces:
        remarks += _limits_passed(plan, upkeep, now_ms)
        risk = plan_rows.active_row_at_risk(
            plan.before.rows, upkeep, now_ms=now_ms, active=plan.request.active_keys
        )
        if risk:
            remarks.append(
                f"session maintenance would evict the active session: {risk}; mode warn keeps it"
            )
    return remarks


def _limits_passed(plan: Plan, upkeep: Upkeep, now_ms: int) -> list[str]:
    options = plan_rows.RowOptions(active=plan.request.active_keys, enforce=True)
    over = plan_rows.plan_rows(plan.kept, upkeep, now_ms=now_ms, options=options)
    if not over.removed:
        return []
    stale, capped = over.count(plan_rows.STALE), over.count(plan_rows.CAP)
    return [
        f"{len(over.removed)} rows are past the limits ({stale} older than pruneAfter, "
        f"{capped} over maxEntries); mode warn keeps them, "
        "'openclaw sessions cleanup --enforce' applies the limits"
    ]
