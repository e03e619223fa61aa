"""The documents of ``memory promote`` and ``memory promote-explain`` (``memory.md`` 8)."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import Any

from openclaw_cli.errors import UnknownName, UsageProblem
from openclaw_cli.memory import audit, ranking, recall_store, signals
from openclaw_cli.memory.entries import Entry
from openclaw_cli.memory.ranking import Candidate, Ranking
from openclaw_cli.memory.recall_store import RecallStore, Writer
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.workspace import Workspace, is_short_term
from openclaw_cli.state.tuples import NamedTuple


class Request(NamedTuple):
    """What ``memory promote`` was asked for: thresholds and limit, and what to show."""

    settings: DeepSettings
    include_promoted: bool = False
    shadow_trials: bool = False


def preview(workspace: Workspace, request: Request, now_ms: int) -> dict[str, Any]:
    """The ranking, nothing else: no file changes."""
    store = recall_store.load(workspace, now_ms)
    document = _places(workspace) | {"audit": audit.audit_store(workspace, store)}
    return document | _ranked(workspace, store, request, now_ms)[1]


def promote(
    workspace: Workspace, request: Request, writer: Writer, *, day: str, dry_run: bool
) -> dict[str, Any]:
    """Rank and promote, or with ``dry_run`` only say what that would write.

    ``day`` dates the section. Raises ``Busy``, ``UnreadableFile``, ``NotWritable``.
    """
    from openclaw_cli.memory import promotion

    held = nullcontext() if dry_run or not _exists(workspace) else recall_store.lock(workspace)
    with held:
        store = recall_store.load(workspace, writer.now_ms)
        ranked, shown, reviews = _ranked(workspace, store, request, writer.now_ms)
        rejected = {
            key: "shadow-trial-harmful"
            for key, review in reviews.items()
            if review["shadowTrial"]["rejectedByShadowTrial"]
        }
        terms = promotion.Terms(
            day, request.settings.max_snippet_tokens, request.settings.limit, rejected
        )
        if dry_run:
            made = promotion.plan(workspace, store, ranked.candidates, terms)
        else:
            made = promotion.promote(workspace, store, ranked.candidates, terms, writer)
    document = _places(workspace) | {"audit": audit.audit_store(workspace, store)} | shown
    document["apply"] = made.to_json()
    return document | {"dryRun": True} if dry_run else document


def explain(
    workspace: Workspace,
    selector: str,
    settings: DeepSettings,
    *,
    now_ms: int,
    include_promoted: bool = False,
) -> dict[str, Any]:
    """One candidate, gate by gate: an exact key, else the best ranked match of ``selector``.

    Raises ``UnknownName`` when nothing matches, with the reason where an entry would match
    but can never be a candidate.
    """
    wanted = selector.strip()
    if not wanted:
        raise UsageProblem("Memory promote-explain requires a non-empty selector.")
    store = recall_store.load(workspace, now_ms)
    everything = ranking.OPEN_GATES._replace(half_life_days=settings.half_life_days)
    ranked = ranking.rank(
        store.kept().values(),
        signals.load(workspace).entries,
        settings=everything,
        now_ms=now_ms,
        include_promoted=include_promoted,
    )
    candidate = _matching(ranked.candidates, wanted)
    if candidate is None:
        raise _no_match(store, wanted, include_promoted)
    return {
        "workspaceDir": str(workspace.root),
        "thresholds": {
            "minScore": settings.min_score,
            "minRecallCount": settings.min_recall_count,
            "minUniqueQueries": settings.min_unique_queries,
            "maxAgeDays": settings.max_age_days,
        },
        "candidate": candidate.to_json()
        | {"contextDiversity": candidate.diversity_count, "phaseBoost": _boost(candidate)},
        "passes": _passes(candidate, settings),
        "live": _live(workspace, candidate),
        "claim": _claim(workspace, store, candidate),
    }


def _exists(workspace: Workspace) -> bool:
    return workspace.recall_path.exists() or workspace.recall_path.is_symlink()


def _places(workspace: Workspace) -> dict[str, Any]:
    return {
        "workspaceDir": str(workspace.root),
        "storePath": str(workspace.recall_path),
        "lockPath": str(workspace.lock_path),
    }


def _ranked(
    workspace: Workspace, store: RecallStore, request: Request, now_ms: int
) -> tuple[Ranking, dict[str, Any], dict[str, Any]]:
    """All candidates best first, what is shown of them (cut to the limit), and reviews."""
    phases = signals.load(workspace)
    ranked = ranking.rank(
        store.kept().values(),
        phases.entries,
        settings=request.settings._replace(limit=None),
        now_ms=now_ms,
        include_promoted=request.include_promoted,
    )
    reviews, warnings = _reviews(workspace, ranked, request)
    if phases.problem:
        warnings.append(f"no phase boost: {phases.problem}")
    limit = request.settings.limit
    shown: dict[str, Any] = {
        "candidates": [
            candidate.to_json() | reviews.get(candidate.key, {})
            for candidate in ranked.candidates[:limit]
        ],
        "rejected": [one.to_json() for one in ranked.rejected],
        "rejectedCounts": dict(Counter(one.gate for one in ranked.rejected)),
        "warnings": warnings,
    }
    return ranked, shown, reviews


def _reviews(
    workspace: Workspace, ranked: Ranking, request: Request
) -> tuple[dict[str, Any], list[str]]:
    """With shadow trials asked for: reorder ``ranked``, tell each review, and what was unusable."""
    if not request.shadow_trials:
        return {}, []
    from openclaw_cli.memory import shadow_trials

    trials, problems = shadow_trials.read_trials(workspace)
    weighed = shadow_trials.reorder(ranked.candidates, trials)
    ranked.candidates = [candidate for candidate, _ in weighed]
    return {candidate.key: {"shadowTrial": review} for candidate, review in weighed}, problems


def _matching(candidates: list[Candidate], selector: str) -> Candidate | None:
    for candidate in candidates:
        if candidate.key == selector:
            return candidate
    lowered = selector.lower()
    for candidate in candidates:
        if _matches(candidate.entry, lowered):
            return candidate
    return None


def _matches(entry: Entry, lowered: str) -> bool:
    return any(lowered in entry[name].lower() for name in ("key", "path", "snippet"))


def _live(workspace: Workspace, candidate: Candidate) -> dict[str, Any]:
    """Where the text stands in its note now, or why it could not be written."""
    from openclaw_cli.memory.notes import NoteReader
    from openclaw_cli.memory.rehydration import NotLive, find_live

    found = find_live(candidate.entry, NoteReader(workspace))
    if isinstance(found, NotLive):
        return {"found": False, "reason": found.reason, "detail": found.detail}
    return {
        "found": True,
        "startLine": found.start_line,
        "endLine": found.end_line,
        "snippet": found.text,
    }


def _claim(workspace: Workspace, store: RecallStore, candidate: Candidate) -> dict[str, Any]:
    """Whether the text is a claim to write, and how its evidence came about."""
    from openclaw_cli.memory import memory_file
    from openclaw_cli.memory.claim_gate import SECRET, Gate, holds_secret
    from openclaw_cli.memory.entries import ASKED_DAYS, RESTATED, SUPERSEDES
    from openclaw_cli.memory.notes import NoteReader
    from openclaw_cli.memory.rehydration import NotLive, find_live

    entry = candidate.entry
    shown = {name: entry[name] for name in (RESTATED, ASKED_DAYS, SUPERSEDES) if entry.get(name)}
    reader = NoteReader(workspace)
    live = find_live(entry, reader)
    if "promotedAt" in entry:
        return shown
    if holds_secret(entry, live):
        return {"fit": False, "reason": SECRET, "detail": "a credential stands in it"} | shown
    if isinstance(live, NotLive):
        return shown
    gate = Gate(workspace, store.entries, memory_file.read(workspace), reader)
    unfit = gate.unfit(entry, live)
    if unfit is not None:
        return {"fit": False, "reason": unfit.reason, "detail": unfit.detail} | shown
    verdict = gate.judge(entry, live)
    if verdict.reason is not None:
        return {"fit": False, "reason": verdict.reason, "detail": verdict.key or ""} | shown
    return {"fit": True} | shown


def _passes(candidate: Candidate, settings: DeepSettings) -> dict[str, bool]:
    """Each gate with the number that ranking compares."""
    enough = candidate.signals >= max(1, settings.min_recall_count)
    diverse = candidate.diversity_count >= settings.min_unique_queries
    limit = settings.max_age_days
    return {
        "score": candidate.total >= settings.min_score,
        "recallCount": enough,
        "uniqueQueries": diverse,
        "maxAge": limit is None or candidate.age_days <= limit,
        "signalCount": enough,
        "contextDiversity": diverse,
    }


def _boost(candidate: Candidate) -> float:
    parts = zip(ranking.WEIGHTS.values(), candidate.components, strict=True)
    return max(0.0, candidate.total - sum(weight * part for weight, part in parts))


def _no_match(store: RecallStore, selector: str, include_promoted: bool) -> UnknownName:
    message = f'No promotion candidate matched "{selector}".'
    lowered = selector.lower()
    for entry in store.entries.values():
        if not _matches(entry, lowered):
            continue
        if "promotedAt" in entry and not include_promoted:
            hint = f"{entry['key']} was promoted {entry['promotedAt']}; add --include-promoted"
            return UnknownName(message, hint=hint)
        return UnknownName(message, hint=f"{entry['key']} {_why_never(entry)}")
    return UnknownName(message, hint="openclaw memory promote --min-score 0 lists what there is")


def _why_never(entry: Entry) -> str:
    if not is_short_term(entry["path"]):
        return "is no candidate: its file is no dated note"
    from openclaw_cli.memory import junk
    from openclaw_cli.memory.entries import line_count

    reason = junk.refusal(entry["snippet"], entry["path"], line_count=line_count(entry))
    if reason is not None:
        return f"is no candidate: its text is refused ({reason})"
    return "is no candidate: it has no signals, or is beyond the kept 512 entries"
