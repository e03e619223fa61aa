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
from openclaw_cli.sessions.maintenance_settings import ENFORCE
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
        one = _Store(config, paths, target, options, now_ms)
        try:
            results.append(one.clean())
        except OpenClawError as error:
            if len(targets) == 1:
                raise
            results.append(one.failure(error))
    _check_active_key(results, options.active_key)
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


def _check_active_key(results: list[StoreResult], wanted: str | None) -> None:
    """Say so when the key to be spared is in none of the stores: a slip would spare nothing."""
    active = (wanted or "").strip().lower()
    plans = [result.plan for result in results if result.plan is not None]
    if not active or len(plans) < len(results):
        return
    if not any(active == key.strip().lower() for plan in plans for key in plan.before.rows):
        plans[0].warnings.append(
            f'--active-key spares nothing: no stored session has the key "{active}"'
        )


class _Store:
    """The run over one store."""

    def __init__(
        self, config: Config, paths: Paths, target: Target, options: Options, now_ms: int
    ) -> None:
        self._config, self._paths, self._target = config, paths, target
        self._options, self._now_ms = options, now_ms
        self._upkeep = maintenance_settings.from_config(config, target.agent_id)
        active = (options.active_key or "").strip()
        self._request = Request(
            mode=ENFORCE if options.enforce else self._upkeep.settings.mode,
            dry_run=options.dry_run,
            fix_missing=options.fix_missing,
            fix_dm_scope=options.fix_dm_scope,
            active_keys=frozenset({active} if active else ()),
        )

    def clean(self) -> StoreResult:
        """Plan, and unless it is a dry run or there is no folder, apply."""
        path = self._target.store_path
        if self._options.dry_run or not (os.path.lexists(path) or path.parent.is_dir()):
            plan = self._plan(store.load(path))
            summary = cleanup_report.summary(plan, self._target, self._upkeep)
            return self._result(plan, summary, failed=False)
        from openclaw_cli.sessions import trail, transaction

        lines = trail.for_target(COMMAND, self._config, self._paths, self._target)
        plans: list[Plan] = []

        def apply(found: StoreFile) -> Effects:
            plans.append(self._plan(found))
            return maintenance.effects_of(plans[-1], lines)

        done = transaction.transact(path, apply, paths=self._paths, now_ms=self._now_ms)
        plan = plans[-1]
        plan.warnings += [failure.text() for failure in done.failures]
        summary = cleanup_report.summary(plan, self._target, self._upkeep, done=done)
        return self._result(plan, summary, failed=bool(done.failures))

    def failure(self, error: OpenClawError) -> StoreResult:
        """The result of a store that could not be cleaned."""
        summary = {
            "agentId": self._target.agent_id,
            "storePath": os.fspath(self._target.store_path),
            "mode": self._request.mode,
            "dryRun": self._options.dry_run,
            "applied": False,
            "error": error.message,
        }
        hint = f" ({error.hint})" if error.hint else ""
        return StoreResult(self._target, summary, None, [error.message + hint], failed=True)

    def _plan(self, found: StoreFile) -> Plan:
        facts = survey.take(
            found,
            self._paths.state_dir,
            neighbours=self._upkeep.neighbours,
            fix_missing=self._options.fix_missing,
            budget=self._upkeep.settings.max_disk_bytes is not None,
        )
        plan = maintenance.make_plan(found, facts, self._upkeep, self._request, now_ms=self._now_ms)
        plan.warnings += self._remarks(plan, facts)
        return plan

    def _result(self, plan: Plan, summary: dict[str, Any], *, failed: bool) -> StoreResult:
        summary["warnings"] = plan.warnings
        if self._options.verbose:
            summary["actions"] = cleanup_report.actions(plan, self._upkeep)
        return StoreResult(self._target, summary, plan, plan.warnings, failed)

    def _remarks(self, plan: Plan, facts: survey.Survey) -> list[str]:
        """What the owner should know besides the counts."""
        remarks = []
        odd = sum(1 for row in plan.before.rows.values() if not isinstance(row, dict))
        if odd:
            remarks.append(f"rows that are no objects and stay as they are: {odd}")
        if facts.journal_open:
            remarks.append("an interrupted run left its journal; an applied run finishes it first")
        remarks += [
            f"the store {path} in the same folder cannot be read; files without a row stay"
            for path in facts.unreadable_neighbours
        ]
        if facts.busy_rows:
            remarks.append(
                f"sessions in use right now, which are left alone: {len(facts.busy_rows)}"
            )
        if self._options.fix_dm_scope and not self._upkeep.retire_direct:
            remarks.append("--fix-dm-scope does nothing: session.dmScope is not main")
        if not plan.request.enforces:
            remarks += self._limits_passed(plan)
        return remarks

    def _limits_passed(self, plan: Plan) -> list[str]:
        """What warn mode keeps, and the command that would not."""
        active = plan.request.active_keys
        remarks = plan_rows.limits_passed(
            plan.kept, self._upkeep, now_ms=self._now_ms, active=active
        )
        risk = plan_rows.active_row_at_risk(
            plan.before.rows, self._upkeep, now_ms=self._now_ms, active=active
        )
        if risk:
            remarks.append(
                f"session maintenance would evict the active session: {risk}; mode warn keeps it"
            )
        return remarks
