"""The whole plan of a maintenance run over one store. Pure over what ``survey`` saw.

The steps run in the order of ``sessions-maintenance.md`` 3, each on what the ones before
it would leave. The same plan is shown by a dry run and carried out by an applied one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    return _Planner(facts, upkeep, now_ms).plan(found, request)


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


@dataclass(eq=False, repr=False)
class _Planner:
    """Takes the steps one after the other, on the same simulated folder."""

    facts: Survey
    upkeep: Upkeep
    now_ms: int

    def plan(self, found: StoreFile, request: Request) -> Plan:
        """All steps in their order."""
        facts, settings = self.facts, self.upkeep.settings
        row_plan = self._rows(found, request)
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
            now_ms=self.now_ms,
        )
        plan = Plan(
            found, request, row_plan, kept, facts.repaired, archived, warnings=[*row_plan.warnings]
        )
        if request.enforces and found.exists:
            targets = (action.target for action in archived.actions if action.target)
            plan.purged = plan_files.plan_purge(
                facts.folder, settings, archived=targets, now_ms=self.now_ms
            )
        references = self._space(plan, references)
        if request.sweep and request.enforces:
            self._sweep(plan, references)
        return plan

    def _rows(self, found: StoreFile, request: Request) -> RowPlan:
        options = RowOptions(
            active=request.active_keys,
            busy=self.facts.busy_rows,
            missing=self.facts.missing,
            fix_dm_scope=request.fix_dm_scope,
            enforce=request.enforces,
            at_once=request.at_once,
        )
        return plan_rows.plan_rows(found.rows, self.upkeep, now_ms=self.now_ms, options=options)

    def _space(self, plan: Plan, references: References) -> References:
        """Rotate the store and keep the disk budget; the references that are left.

        Where the budget has no room for a backup none is made: it would be deleted again,
        run after run.
        """
        facts, limit = self.facts, self.upkeep.settings.rotate_bytes
        earlier = dict(facts.folder.files), dict(facts.blobs), plan.kept
        if plan.request.enforces and plan.before.exists and len(plan.before.text) > limit:
            plan.backup, plan.old_backups = plan_files.plan_backup(
                facts.folder, plan.before, plan.text, limit=limit, now_ms=self.now_ms
            )
        self._budget(plan, references)
        if plan.backup and plan.budget and any(a.path == plan.backup for a in plan.budget.files):
            facts.folder.files, facts.blobs, plan.kept = earlier
            plan.backup, plan.old_backups = None, []
            references = facts.references(plan.kept)
            self._budget(plan, references)
        plan.warnings += _budget_remarks(plan)
        return references

    def _budget(self, plan: Plan, references: References) -> None:
        settings, facts = self.upkeep.settings, self.facts
        if settings.max_disk_bytes is None or settings.high_water_bytes is None:
            return
        from openclaw_cli.sessions import disk_budget

        house = disk_budget.Household(
            rows=plan.rows, text=plan.text, store_name=plan.before.path.name,
            folder=facts.folder, references=references, is_spared=self._spared(plan),
            is_busy=facts.is_busy, now_ms=self.now_ms, blobs=facts.blobs,
        )  # fmt: skip
        plan.budget = disk_budget.plan_budget(
            house,
            max_bytes=settings.max_disk_bytes,
            high_water=settings.high_water_bytes,
            enforce=plan.request.enforces and self._tells_what_is_needed(plan),
        )
        if plan.budget.evicted:
            gone = plan.budget.evicted_keys
            plan.kept = {key: row for key, row in plan.kept.items() if key not in gone}
            del plan.rows, plan.text  # computed with the evicted rows

    def _spared(self, plan: Plan) -> Callable[[str], bool]:
        """Tells which rows the budget never takes."""
        active = plan_rows.folded(plan.request.active_keys)
        rows = plan.kept

        def is_spared(key: str) -> bool:
            return (
                key in self.facts.busy_rows
                or key.strip().lower() in active
                or is_running(rows[key], self.now_ms)
                or is_protected(key, rows[key])
            )

        return is_spared

    def _tells_what_is_needed(self, plan: Plan) -> bool:
        """Whether files without a row may be judged by this store.

        A store that is missing or has no rows says nothing about the transcripts beside it,
        nor does one whose neighbour in the same folder cannot be read.
        """
        doubts = self.facts.journal_open or self.facts.unreadable_neighbours
        return bool(plan.before.rows) and not doubts

    def _sweep(self, plan: Plan, references: References) -> None:
        facts, store_name = self.facts, plan.before.path.name

        def waiting() -> set[str]:
            leaving = [*plan.row_plan.removed, *(plan.budget.evicted if plan.budget else ())]
            return {
                name
                for key in (*leaving, *plan.repaired)
                for name in plan_files.files_of(plan.before.rows[key], facts.resolver)
            }

        removed = 0
        if self._tells_what_is_needed(plan):
            plan.swept = plan_files.plan_sweep(
                facts.folder,
                self.upkeep.settings,
                store_name=store_name,
                spared=lambda name: references.needs(name) or facts.is_busy(name),
                waiting=waiting,
                now_ms=self.now_ms,
            )
            removed = sum(1 for action in plan.swept if action.target is None)
        ours = (store_name + ".lock", store_name + JOURNAL_SUFFIX)
        plan.scanned = sum(1 for name in facts.folder.files if name not in ours) + removed


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
