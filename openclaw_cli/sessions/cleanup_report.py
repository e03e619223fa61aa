"""What a maintenance run tells: its JSON summary and its list of actions. Pure.

Field names and order are those of ``sessions-maintenance.md`` 5.1.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import plan_rows, protection
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.maintenance import Plan
from openclaw_cli.sessions.maintenance_settings import Upkeep
from openclaw_cli.sessions.plan_files import FileAction
from openclaw_cli.state import clock
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.sessions.transaction import Done

REPAIR = "repair"
KEEP = "keep"
ROW_ACTIONS = {
    plan_rows.MISSING: "prune-missing",
    plan_rows.DM_SCOPE: "retire-dm-scope",
    plan_rows.MODEL_RUN: "prune-model-run",
    plan_rows.STALE: "prune-stale",
    plan_rows.KEEP_LAST: "prune-surplus",
    plan_rows.CAP: "cap-overflow",
    plan_rows.BUDGET: "evict-budget",
    REPAIR: "repair-session-file",
}

_FILE_REASONS = {
    "deleted": "its session leaves the store",
    "trajectory": "belongs to a session that leaves the store",
    "expired-deleted": "older than pruneAfter",
    "expired-reset": "older than resetArchiveRetention",
    "backup": "older than the newest three backups",
    "budget": "brings the folder below highWaterBytes",
    "temporary": "left by a write that did not finish",
    "unreferenced": "no row needs it, unchanged for longer than pruneAfter",
}


def summary(
    plan: Plan, target: Target, upkeep: Upkeep, *, done: Done | None = None
) -> dict[str, Any]:
    """The summary of one store; ``done`` is how the plan went when it was applied."""
    failed = frozenset(f.path for f in done.failures) if done else frozenset()
    kept = done.kept if done else frozenset()
    counts = _counts(plan, kept)
    swept = [action for action in plan.swept if action.path not in failed]
    purged = sum(1 for action in plan.purged if action.path not in failed)
    budget = plan.budget.to_json(failed) if plan.budget else None
    applied = done is not None or not plan.request.dry_run
    mutates = any(counts.values()) or bool(
        swept or (budget and (budget["removedFiles"] or budget["removedEntries"]))
    )
    surplus = counts.pop("surplus")  # ours, so it stands at the end
    if plan.request.dry_run:
        mutates = mutates or bool(purged or plan.backup)
    after = len(plan.kept) + len(kept)
    document: dict[str, Any] = {
        "agentId": target.agent_id,
        "storePath": os.fspath(target.store_path),
        "mode": plan.request.mode,
        "dryRun": plan.request.dry_run,
        "beforeCount": len(plan.before.rows),
        "afterCount": after,
        **counts,
        "unreferencedArtifacts": {
            "scannedFiles": plan.scanned,
            "removedFiles": len(swept),
            "freedBytes": sum(action.size for action in swept),
            "olderThanMs": upkeep.settings.prune_after_ms,
        },
        "diskBudget": budget,
        "wouldMutate": mutates,
    }
    if applied:
        document |= {"applied": True, "appliedCount": done.row_count if done else after}
    moved = [*plan.archived.actions, *swept]
    return document | {
        "purgedArchives": purged,
        "archivedTranscripts": sum(1 for a in moved if a.target and a.path not in failed),
        "rotatedTo": os.fspath(target.store_path.with_name(plan.backup)) if plan.backup else None,
        "surplus": surplus,
    }


def row_action(plan: Plan, key: str) -> str:
    """The word for what happens to the row ``key``."""
    rule = plan.row_plan.removed.get(key)
    if rule is None and plan.budget and key in plan.budget.evicted_keys:
        rule = plan_rows.BUDGET
    if rule is None and key in plan.repaired:
        rule = REPAIR
    return KEEP if rule is None else ROW_ACTIONS[rule]


def actions(plan: Plan, upkeep: Upkeep) -> list[dict[str, Any]]:
    """Every row and file that changes: what happens to it, by which rule, and why."""
    found: list[dict[str, Any]] = []
    rules = dict(plan.row_plan.removed)
    rules |= dict.fromkeys(plan.budget.evicted if plan.budget else (), plan_rows.BUDGET)
    rules |= {key: REPAIR for key in plan.repaired if key not in rules}
    for key in plan.before.rows:
        if key in rules:
            row, rule = plan.before.rows[key], rules[key]
            found.append(
                {
                    "what": ROW_ACTIONS[rule],
                    "key": key,
                    "rule": rule,
                    "reason": _row_reason(rule, row, upkeep),
                }
            )
    if plan.backup:
        found.append(
            {
                "what": "back-up",
                "path": plan.before.path.name,
                "movedTo": plan.backup,
                "rule": "rotation",
                "reason": f"the store is larger than {upkeep.settings.rotate_bytes} bytes "
                "(rotateBytes)",
            }
        )
    return found + [_file_action(action) for action in plan.file_actions]


def _file_action(action: FileAction) -> dict[str, Any]:
    return {
        "what": "archive-file" if action.target else "delete-file",
        "path": action.path,
        **({"movedTo": action.target} if action.target else {}),
        "rule": action.rule,
        "reason": _FILE_REASONS[action.rule],
        "bytes": action.size,
    }


def _counts(plan: Plan, kept: frozenset[str]) -> dict[str, int]:
    by_rule = dict.fromkeys(plan_rows.RULES, 0)
    for key, rule in plan.row_plan.removed.items():
        if key not in kept:
            by_rule[rule] += 1
    return {
        "repaired": sum(1 for key in plan.repaired if key in plan.kept),
        "missing": by_rule[plan_rows.MISSING],
        "dmScopeRetired": by_rule[plan_rows.DM_SCOPE],
        "modelRunPruned": by_rule[plan_rows.MODEL_RUN],
        "pruned": by_rule[plan_rows.STALE],
        "capped": by_rule[plan_rows.CAP],
        "surplus": by_rule[plan_rows.KEEP_LAST],
    }


def _row_reason(rule: str, row: Any, upkeep: Upkeep) -> str:
    settings = upkeep.settings
    if rule == plan_rows.STALE:
        touched = protection.updated_at(row) or 0
        days = settings.prune_after_ms / clock.DAY_MS
        limit = "1 day" if days == 1 else f"{days:g} days"
        return f"last active {clock.iso(touched)}, longer ago than {limit} (pruneAfter)"
    return {
        plan_rows.MISSING: "it has no transcript with messages",
        plan_rows.DM_SCOPE: "direct chats share the main session (session.dmScope is main)",
        plan_rows.MODEL_RUN: "a model probe of more than 24 hours ago",
        plan_rows.KEEP_LAST: "not among the newest of its job or label (cli.sessions.keepLast)",
        plan_rows.CAP: f"outside the newest {counted(settings.max_entries, 'row')} (maxEntries)",
        plan_rows.BUDGET: "among the oldest while the folder is over its budget (maxDiskBytes)",
        REPAIR: "its sessionFile is lost or another session's; its own transcript has messages",
    }[rule]
