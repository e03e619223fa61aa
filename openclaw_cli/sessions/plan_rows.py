"""Which rows maintenance removes, and by which rule. Pure.

The steps see what the ones before them left: missing transcripts and retired direct chats
(explicit orders, in every mode), then model probes, age, the number for each job or label,
and the number of all (``enforce`` only). ``sessions-maintenance.md`` 3 and 4.1-4.4, 4.10, 4.11.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.sessions import entry, keys, protection
from openclaw_cli.sessions.maintenance_settings import Settings, Upkeep
from openclaw_cli.state.amounts import counted
from openclaw_cli.state.clock import DAY_MS

MISSING = "missing"
DM_SCOPE = "dm-scope"
MODEL_RUN = "model-run"
STALE = "stale"
KEEP_LAST = "keep-last"
CAP = "cap"
BUDGET = "budget"
RULES = (MISSING, DM_SCOPE, MODEL_RUN, STALE, KEEP_LAST, CAP, BUDGET)
EACH_JOB = "*"

PROBE_RETENTION_MS = DAY_MS
ORDINARY_SHARE = 4  # the newest ordinary rows keep a quarter of the cap
SMALL_CAP = 49


@dataclass(eq=False, repr=False)
class RowOptions:
    """What the steps take into account besides the rows.

    ``active`` are keys being written; ``busy`` rows whose turn is going on in another
    process; ``missing`` those that ``--fix-missing`` found without a conversation.
    ``enforce`` runs the limits, ``at_once`` cuts to the cap as soon as it is passed
    (ordinary writes wait for a high water).
    """

    active: Collection[str] = ()
    busy: Collection[str] = ()
    missing: Collection[str] = ()
    fix_dm_scope: bool = False
    enforce: bool = False
    at_once: bool = True


@dataclass(eq=False, repr=False)
class RowPlan:
    """The rule by which each removed row goes, in the order of the steps; and remarks."""

    removed: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def count(self, rule: str) -> int:
        """How many rows go by ``rule``."""
        return sum(1 for by in self.removed.values() if by == rule)


def plan_rows(
    rows: Mapping[str, Any], upkeep: Upkeep, *, now_ms: int, options: RowOptions
) -> RowPlan:
    """The rows that go before the disk budget is looked at."""
    plan = RowPlan()
    active = folded(options.active)
    for key in rows:
        if key in options.missing and key not in options.busy:
            plan.removed[key] = MISSING
    if options.fix_dm_scope and upkeep.retire_direct:
        for key in rows:
            if (
                key not in plan.removed
                and key not in options.busy
                and protection.is_peer_chat(key, upkeep.agent_id)
                and key.strip().lower() not in active
            ):
                plan.removed[key] = DM_SCOPE
    if options.enforce:
        _apply_limits(plan, rows, upkeep, now_ms=now_ms, options=options)
    return plan


def high_water(settings: Settings) -> int:
    """How many rows an ordinary write lets gather before it cuts down to the cap."""
    cap = settings.max_entries
    return cap + 1 if cap <= SMALL_CAP else cap + max(25, -(-cap // 10))


def active_row_at_risk(
    rows: Mapping[str, Any], upkeep: Upkeep, *, now_ms: int, active: Collection[str]
) -> str | None:
    """Why ``enforce`` would remove an active row were it not active; None otherwise."""
    wanted = folded(active)
    named = [key for key in rows if key.strip().lower() in wanted]
    if not named:
        return None
    plan = RowPlan()
    _apply_limits(plan, rows, upkeep, now_ms=now_ms, options=RowOptions(enforce=True))
    for key in named:
        if plan.removed.get(key) == STALE:
            return f"{key} is older than the limit (pruneAfter)"
        if plan.removed.get(key) == KEEP_LAST:
            return f"{key} is not among the newest of its job or label (cli.sessions.keepLast)"
        if plan.removed.get(key) == CAP:
            return f"{key} is outside the newest {upkeep.settings.max_entries} (maxEntries)"
    return None


def limits_passed(
    rows: Mapping[str, Any], upkeep: Upkeep, *, now_ms: int, active: Collection[str] = ()
) -> list[str]:
    """The remark about rows past the limits, which mode ``warn`` keeps; none without such."""
    options = RowOptions(active=active, enforce=True)
    over = plan_rows(rows, upkeep, now_ms=now_ms, options=options)
    if not over.removed:
        return []
    stale, capped, surplus = (over.count(rule) for rule in (STALE, CAP, KEEP_LAST))
    further = f", {surplus} over cli.sessions.keepLast" if surplus else ""
    return [
        f"rows past the limits: {len(over.removed)} ({stale} older than pruneAfter, "
        f"{capped} over maxEntries{further}); mode warn keeps them, "
        "'openclaw sessions cleanup --enforce' applies the limits"
    ]


def folded(wanted: Collection[str]) -> frozenset[str]:
    """Keys as they are compared here: trimmed and without regard to case."""
    return frozenset(key.strip().lower() for key in wanted)


def _apply_limits(
    plan: RowPlan, rows: Mapping[str, Any], upkeep: Upkeep, *, now_ms: int, options: RowOptions
) -> None:
    settings = upkeep.settings
    active = folded(options.active)
    verdicts: dict[str, bool] = {}

    def is_spared(key: str) -> bool:
        return (
            key in options.busy
            or (bool(active) and key.strip().lower() in active)
            or protection.is_running(rows[key], now_ms)
        )

    def is_exempt(key: str) -> bool:
        verdict = verdicts.get(key)
        if verdict is None:
            verdict = is_spared(key) or protection.is_protected(key, rows[key])
            verdicts[key] = verdict
        return verdict

    limit = settings.max_entries + 1 if options.at_once else high_water(settings)
    if len(rows) - len(plan.removed) >= limit:
        oldest = now_ms - PROBE_RETENTION_MS
        for key, row in rows.items():
            if key not in plan.removed and protection.is_probe(key):
                touched = protection.updated_at(row)
                if touched is not None and touched < oldest and not is_spared(key):
                    plan.removed[key] = MODEL_RUN
    cutoff = now_ms - settings.prune_after_ms
    for key, row in rows.items():
        touched = protection.updated_at(row)
        if touched is None or touched >= cutoff or key in plan.removed:
            continue
        if not is_exempt(key):
            plan.removed[key] = STALE
    if settings.keep_last:
        for key in _surplus(rows, plan.removed, settings.keep_last):
            if not is_exempt(key) and not upkeep.is_main(key):
                plan.removed[key] = KEEP_LAST
    if len(rows) - len(plan.removed) >= limit:
        left = {key: row for key, row in rows.items() if key not in plan.removed}
        _cap(plan, left, upkeep, {key for key in left if is_exempt(key)})


def _surplus(
    rows: Mapping[str, Any], gone: Collection[str], keep_last: Mapping[str, int]
) -> list[str]:
    """The rows beyond the newest of each job or label that has a number."""
    groups: dict[str, list[str]] = {}
    for key, row in rows.items():
        name = _group_of(key, row, keep_last) if key not in gone else None
        if name is not None:
            groups.setdefault(name, []).append(key)
    found = []
    for name, members in groups.items():
        members.sort(key=lambda key: -(protection.updated_at(rows[key]) or 0.0))
        limit = keep_last.get(name.partition("\0")[2], keep_last.get(EACH_JOB, 0))
        found += members[limit:]
    return found


def _group_of(key: str, row: Any, keep_last: Mapping[str, int]) -> str | None:
    """The agent and the job or label by which ``row`` is counted, None where no number holds."""
    named = keys.read(key)
    job = keys.cron_job(key)
    if job is not None and (job in keep_last or EACH_JOB in keep_last):
        return f"{named.agent_id}\0{job}"
    label = (entry.text(row, "label") or "").lower() if isinstance(row, dict) else ""
    return f"{named.agent_id}\0{label}" if label != EACH_JOB and label in keep_last else None


def _cap(plan: RowPlan, left: Mapping[str, Any], upkeep: Upkeep, exempt: set[str]) -> None:
    """Keep the newest ordinary rows up to the cap; protected ones count and stay."""
    cap = upkeep.settings.max_entries
    ordinary = [key for key in left if key not in exempt]
    ordinary.sort(key=lambda key: -(protection.updated_at(left[key]) or 0.0))
    mains = [key for key in ordinary if upkeep.is_main(key)]
    first = set(mains)
    ranked = mains + [key for key in ordinary if key not in first]
    quota = max(cap - len(exempt), -(-cap // ORDINARY_SHARE), len(mains))
    for key in ranked[quota:]:
        plan.removed[key] = CAP
    remaining = len(left) - max(0, len(ranked) - quota)
    if remaining > cap and exempt:
        keep = "keeps" if len(exempt) == 1 else "keep"
        plan.warnings.append(
            f"{counted(len(exempt), 'protected row')} (groups, channels, threads, sessions in "
            f"use) {keep} the store at {counted(remaining, 'row')}, above its cap of {cap} "
            "(maxEntries)"
        )
