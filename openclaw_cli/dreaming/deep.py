"""Deep sleep: repair the store, rank its entries, promote (``dreaming.md`` 5).

Decided on the bench; ``MEMORY.md``, the stamps of the store and the event follow from the
plan of ``memory.promotion``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.dreaming.bench import COMMAND, Bench
from openclaw_cli.dreaming.draft import Step
from openclaw_cli.memory import promotion, repair
from openclaw_cli.memory.claim_gate import SECRET
from openclaw_cli.memory.events import PROMOTION_APPLIED
from openclaw_cli.memory.promotion import PromotionPlan, Terms
from openclaw_cli.memory.ranking import Candidate, Ranking, rank
from openclaw_cli.state import lock
from openclaw_cli.state.changes import Change

_EVENT_FIELDS = ("key", "path", "startLine", "endLine", "score", "recallCount")


@dataclass
class Repaired:
    """What repairing the recall store changed."""

    rewrote: bool = False
    invalid: int = 0
    overflow: int = 0
    removed_lock: bool = False


@dataclass
class Deep:
    """What deep sleep decided. ``candidates`` passed every gate, best first."""

    plan: PromotionPlan
    ranking: Ranking
    limit: int
    repaired: Repaired = field(default_factory=Repaired)

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates that the limit lets through."""
        return self.ranking.candidates[: self.limit]


def promote(bench: Bench) -> Deep:
    """Repair, rank and promote on the bench."""
    repaired = _repair(bench)
    settings = bench.settings.deep
    ranking = rank(
        bench.store.kept().values(),
        bench.signals.entries,
        settings=settings.gates,
        now_ms=bench.now_ms,
    )
    reader = bench.reader()
    terms = Terms(bench.today, settings.gates.max_snippet_tokens, settings.limit)
    bench.draft.hold(bench.workspace.memory_file, what="MEMORY.md", follow_link=True)
    plan = promotion.plan(bench.workspace, bench.store, ranking.candidates, terms, reader=reader)
    _carry_over(bench, plan)
    return Deep(plan, ranking, settings.limit, repaired)


def body(done: Deep) -> list[str]:
    """The lines that deep sleep writes."""
    lines = [_repair_line(done.repaired)] if done.repaired != Repaired() else []
    return [
        *lines,
        f"- Ranked {len(done.candidates)} candidate(s) for durable promotion.",
        f"- Promoted {len(done.plan.promoted)} candidate(s) into MEMORY.md.",
    ]


def to_json(done: Deep) -> dict[str, Any]:
    """Numbers and reasons: what was promoted, and for every other entry what stopped it."""
    over = done.ranking.candidates[len(done.plan.promoted) + len(done.plan.skipped) :]
    known = {one.key: one for one in done.ranking.candidates}
    skipped = [_placed(one.to_json(), known.get(one.key)) for one in done.plan.skipped]
    return {
        "status": "completed",
        "ranked": len(done.candidates),
        "applied": len(done.plan.promoted),
        "appended": done.plan.appended,
        "reconciled": len(done.plan.promoted) - done.plan.appended,
        "memoryPath": done.plan.memory_path,
        "promoted": [one.candidate | {"appended": one.appended} for one in done.plan.promoted],
        "rejected": [
            *skipped,
            *(_placed({"key": c.key, "reason": "limit", "actual": c.score}, c) for c in over),
            *(one.to_json() for one in done.ranking.rejected),
        ],
        "repaired": {
            "rewroteStore": done.repaired.rewrote,
            "removedInvalidEntries": done.repaired.invalid,
            "removedOverflowEntries": done.repaired.overflow,
            "removedStaleLock": done.repaired.removed_lock,
        },
    }


def _placed(row: dict[str, Any], candidate: Candidate | None) -> dict[str, Any]:
    """``row`` with where its text stands, and the text unless that is why it was refused."""
    if candidate is None:
        return row
    names = ["path", "startLine", "endLine", *(["snippet"] if row["reason"] != SECRET else [])]
    return row | {name: candidate.entry[name] for name in names}


def _repair(bench: Bench) -> Repaired:
    holder = lock.owner(bench.workspace.lock_path)
    done = Repaired(removed_lock=holder is not None and holder.stale)
    if not bench.store.exists and not bench.store.entries:
        return done
    before = bench.store_on_disk()
    invalid, overflow = repair.tidy(bench.store, bench.now_ms)
    bench.remove(invalid.items(), repair.INVALID_RULE)
    bench.remove(overflow.items(), repair.OVERFLOW_RULE)
    done.invalid, done.overflow = len(invalid), len(overflow)
    done.rewrote = bench.rewrite_store = bench.store_text() != before
    return done


def _repair_line(done: Repaired) -> str:
    counts = [
        f"-{count} {word}"
        for count, word in ((done.invalid, "invalid"), (done.overflow, "overflow"))
        if count
    ]
    parts = []
    if done.rewrote:
        parts.append("rewrote recall store" + (f" ({', '.join(counts)})" if counts else ""))
    if done.removed_lock:
        parts.append("removed stale promotion lock")
    return f"- Repaired recall artifacts: {', '.join(parts)}."


def _carry_over(bench: Bench, plan: PromotionPlan) -> None:
    """The consequences of a plan on the bench: file, stamps, event, what made room."""
    if not plan.promoted:
        return
    if plan.memory_text is not None:
        path = bench.workspace.memory_file
        bench.draft.write(path, plan.memory_text, Step.MEMORY, mode=None, force_mode=False)
    if plan.compacted is not None and plan.compacted.removed:
        bench.removed.append(
            Change(
                COMMAND,
                "memory-file-budget",
                "memory-section",
                key=", ".join(plan.compacted.dates),
                path=plan.memory_path,
                row="\n".join(plan.compacted.removed),
            )
        )
    for one in plan.promoted:
        entry = bench.store.entries[one.candidate["key"]]
        entry.update({name: one.candidate[name] for name in ("startLine", "endLine", "snippet")})
        entry["promotedAt"] = bench.now_iso
    rows = [{name: one.candidate[name] for name in _EVENT_FIELDS} for one in plan.promoted]
    bench.log.append(
        {
            "type": PROMOTION_APPLIED,
            "timestamp": bench.now_iso,
            "memoryPath": plan.memory_path,
            "applied": len(rows),
            "candidates": rows,
        }
    )
