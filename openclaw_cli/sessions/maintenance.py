"""The whole plan of a maintenance run over one store. Pure over what ``survey`` saw.

The steps run in the order of ``sessions-maintenance.md`` 3, each on what the ones before
it would leave. The same plan is shown by a dry run and carried out by an applied one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import entry, plan_files, plan_rows, store_text
from openclaw_cli.sessions.effects import Departure, Effects
from openclaw_cli.sessions.maintenance_settings import ENFORCE, Upkeep
from openclaw_cli.sessions.plan_files import FileAction
from openclaw_cli.sessions.plan_rows import BUDGET, MISSING, RowOptions, RowPlan
from openclaw_cli.sessions.protection import is_protected, is_running
from openclaw_cli.sessions.references import References
from openclaw_cli.sessions.store import JOURNAL_SUFFIX, StoreFile
from openclaw_cli.sessions.survey import Survey

if TYPE_CHECKING:
    from openclaw_cli.sessions.disk_budget import BudgetPlan
    from openclaw_cli.sessions.trail import Trail
    from openclaw_cli.state.changes import Change


@dataclass(eq=False, repr=False)
class Request:
    """What a run is asked for. ``mode`` is the effective one.

    A dry run always simulates ``enforce``. ``at_once`` and ``sweep`` are what a cleanup
    does beyond an ordinary write.
    """

    mode: str
    dry_run: bool = False
    fix_missing: bool = False
    fix_dm_scope: bool = False
    active_keys: frozenset[str] = frozenset()
    at_once: bool = True
    sweep: bool = True

    @property
    def enforces(self) -> bool:
        """Whether the limits are applied, or simulated."""
        return self.dry_run or self.mode == ENFORCE


@dataclass(eq=False, repr=False)
class Plan:
    """What a run does. ``kept`` are the rows that stay, as they were read."""

    before: StoreFile
    request: Request
    row_plan: RowPlan
    kept: dict[str, Any]
    repaired: dict[str, str]
    archived: plan_files.Archived
    purged: list[FileAction] = field(default_factory=list)
    backup: str | None = None
    old_backups: list[FileAction] = field(default_factory=list)
    budget: BudgetPlan | None = None
    swept: list[FileAction] = field(default_factory=list)
    scanned: int = 0
    warnings: list[str] = field(default_factory=list)

    @cached_property
    def rows(self) -> dict[str, Any]:
        """The store afterwards: every row in its present form (2)."""
        return {
            key: entry.normalized(row) if isinstance(row, dict) else row
            for key, row in self.kept.items()
        }

    @cached_property
    def text(self) -> bytes:
        """``rows`` as they will be written."""
        return store_text.render(self.rows)

    @property
    def file_actions(self) -> list[FileAction]:
        """Every file action in the order of the steps."""
        return [
            *self.archived.actions,
            *self.purged,
            *self.old_backups,
            *(self.budget.files if self.budget else ()),
            *self.swept,
        ]


def make_plan(
    found: StoreFile, facts: Survey, upkeep: Upkeep, request: Request, *, now_ms: int
) -> Plan:
    """Decide everything that the run does to the store and its folder."""
    options = RowOptions(
        active=request.active_keys,
        busy=facts.busy_rows,
        missing=facts.missing,
        repaired=facts.repaired,
        fix_dm_scope=request.fix_dm_scope,
        enforce=request.enforces,
        at_once=request.at_once,
    )
    row_plan = plan_rows.plan_rows(found.rows, upkeep, now_ms=now_ms, options=options)
    kept = {key: row for key, row in found.rows.items() if key not in row_plan.removed}
    for key, path in facts.repaired.items():
        if key in kept:
            kept[key] = kept[key] | {"sessionFile": path}
    references = facts.references(kept)
    archived = plan_files.plan_archives(
        facts.folder,
        departures(found.rows, row_plan),
        references=references,
        resolver=facts.resolver,
        now_ms=now_ms,
    )
    plan = Plan(
        found, request, row_plan, kept, facts.repaired, archived, warnings=[*row_plan.warnings]
    )
    if request.enforces and found.exists:
        plan.purged = plan_files.plan_purge(
            facts.folder,
            upkeep.settings,
            archived=(action.target for action in archived.actions if action.target),
            now_ms=now_ms,
        )
    references = _plan_space(plan, facts, upkeep, references, now_ms)
    if request.sweep and request.enforces:
        _plan_sweep(plan, facts, upkeep, references, now_ms)
    return plan


def departures(rows: dict[str, Any], row_plan: RowPlan) -> list[Departure]:
    """The removed rows; those without a conversation leave nothing to archive."""
    return [
        Departure(key, rows[key], rule, None if rule == MISSING else "deleted")
        for key, rule in row_plan.removed.items()
    ]


def effects_of(plan: Plan, trail: Trail) -> Effects:
    """``plan`` as what ``transaction`` carries out, with the lines of the trail."""
    actions = plan.file_actions
    return Effects(
        rows=plan.rows,
        text=plan.text,
        moves=[move for action in actions if (move := action.move) is not None],
        removals=[action.path for action in actions if action.target is None],
        backup=plan.backup,
        changes=list(_changes(plan, trail)),
    )


def _changes(plan: Plan, trail: Trail) -> Iterable[Change]:
    """One line for each row that left, and for each file that is not part of such a line."""
    main_action: dict[str, FileAction] = {}
    budget_files = plan.budget.files if plan.budget else []
    for action in [*plan.archived.actions, *budget_files]:
        for key in action.keys:
            main_action.setdefault(key, action)
    shown = set()
    gone = dict(plan.row_plan.removed)
    gone.update(dict.fromkeys(plan.budget.evicted if plan.budget else (), BUDGET))
    for key, rule in gone.items():
        main = main_action.get(key)
        if main is not None:
            shown.add(main.path)
        row = plan.before.rows[key]
        yield trail.session(key, row, rule, action=main, final=rule == BUDGET)
    for action in plan.file_actions:
        if action.path not in shown:
            yield trail.file(action, key=action.keys[0] if action.keys else None)


def _plan_space(
    plan: Plan, facts: Survey, upkeep: Upkeep, references: References, now_ms: int
) -> References:
    """Rotate the store and keep the disk budget; the references that are left.

    Where the budget has no room for a backup none is made: it would be deleted again, run
    after run.
    """
    earlier = dict(facts.folder.files), dict(facts.blobs), plan.kept
    limit = upkeep.settings.rotate_bytes
    if plan.request.enforces and plan.before.exists and len(plan.before.text) > limit:
        plan.backup, plan.old_backups = plan_files.plan_backup(
            facts.folder, plan.before, plan.text, limit=limit, now_ms=now_ms
        )
    _plan_budget(plan, facts, upkeep, references, now_ms)
    if plan.backup and plan.budget and any(a.path == plan.backup for a in plan.budget.files):
        facts.folder.files, facts.blobs, plan.kept = earlier
        plan.backup, plan.old_backups = None, []
        references = facts.references(plan.kept)
        _plan_budget(plan, facts, upkeep, references, now_ms)
    plan.warnings += _budget_remarks(plan)
    return references


def _plan_budget(
    plan: Plan, facts: Survey, upkeep: Upkeep, references: References, now_ms: int
) -> None:
    settings = upkeep.settings
    if settings.max_disk_bytes is None or settings.high_water_bytes is None:
        return
    from openclaw_cli.sessions import disk_budget

    active = plan_rows.folded(plan.request.active_keys)

    def is_spared(key: str) -> bool:
        row = plan.kept[key]
        return (
            key in facts.busy_rows
            or key.strip().lower() in active
            or is_running(row, now_ms)
            or is_protected(key, row)
        )

    house = disk_budget.Household(
        rows=plan.rows, text=plan.text, store_name=plan.before.path.name, folder=facts.folder,
        references=references, is_spared=is_spared, is_busy=facts.is_busy, now_ms=now_ms,
        blobs=facts.blobs,
    )  # fmt: skip
    budget = disk_budget.plan_budget(
        house,
        max_bytes=settings.max_disk_bytes,
        high_water=settings.high_water_bytes,
        enforce=plan.request.enforces and _tells_what_is_needed(plan, facts),
    )
    plan.budget = budget
    if budget.evicted:
        gone = set(budget.evicted)
        plan.kept = {key: row for key, row in plan.kept.items() if key not in gone}
        del plan.rows, plan.text  # computed with the evicted rows


def _budget_remarks(plan: Plan) -> list[str]:
    budget = plan.budget
    if budget is None or not budget.over:
        return []
    if not plan.request.enforces:
        return [
            f"the sessions folder holds {budget.before} bytes, more than maxDiskBytes "
            f"({budget.max_bytes}); mode warn removes nothing"
        ]
    if budget.after <= budget.high_water:
        return []
    return [
        f"the sessions folder stays at {budget.after} bytes, above the target of "
        f"{budget.high_water} (highWaterBytes): what is left is protected or in use"
    ]


def _tells_what_is_needed(plan: Plan, facts: Survey) -> bool:
    """Whether files without a row may be judged by this store.

    A store that is missing or has no rows says nothing about the transcripts beside it,
    nor does one whose neighbour in the same folder cannot be read.
    """
    return bool(plan.before.rows) and not facts.journal_open and not facts.unreadable_neighbours


def _plan_sweep(
    plan: Plan, facts: Survey, upkeep: Upkeep, references: References, now_ms: int
) -> None:
    store_name = plan.before.path.name
    ours = (store_name + ".lock", store_name + JOURNAL_SUFFIX)

    def waiting() -> set[str]:
        leaving = [*plan.row_plan.removed, *(plan.budget.evicted if plan.budget else ())]
        return {
            name
            for key in (*leaving, *plan.repaired)
            for name in plan_files.files_of(plan.before.rows[key], facts.resolver)
        }

    removed = 0
    if _tells_what_is_needed(plan, facts):
        plan.swept = plan_files.plan_sweep(
            facts.folder,
            upkeep.settings,
            store_name=store_name,
            references=references,
            waiting=waiting,
            is_busy=facts.is_busy,
            now_ms=now_ms,
        )
        removed = sum(1 for action in plan.swept if action.target is None)
    seen = sum(1 for name in facts.folder.files if name not in ours)
    plan.scanned = seen + removed
