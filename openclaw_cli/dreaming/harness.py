"""A preview of REM and deep sleep that writes nothing (``dreaming.md`` 8.2).

Over the recall store as it is, or over notes of the past: those are ingested into a scratch
workspace that exists in memory only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.dreaming import rem
from openclaw_cli.dreaming.days import Lookback, lookback
from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.memory import ranking, recall_store, signals
from openclaw_cli.memory.entries import Entry
from openclaw_cli.memory.ranking import Candidate
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.dreaming.history import Source

Row = dict[str, Any]


class Wish(NamedTuple):
    """What is asked for: notes in place of the store, and which parts.

    ``sources`` are the notes found at ``path``. ``grounded_limit`` bounds the notes of the
    workspace that are read for the grounded part (0: all); None leaves that part out.
    """

    path: Path | None = None
    sources: Sequence[Source] = ()
    grounded_limit: int | None = None
    include_promoted: bool = False


class Preview(NamedTuple):
    """What the phases would make of some evidence.

    ``recent`` are the entries of REM's look-back, ``seen`` what it makes of them (None when
    its limit skips it), ``imported`` what was taken from notes of the past.
    """

    workspace: Workspace
    recent: list[Entry]
    seen: rem.Preview | None
    candidates: list[Candidate]
    grounded: list[Row] | None
    imported: Row | None
    warnings: list[str]


class _Evidence(NamedTuple):
    """What a preview is made from."""

    workspace: Workspace
    entries: list[Entry]
    hits: dict[str, Row]
    imported: Row | None = None


def preview(workspace: Workspace, settings: Dreaming, wish: Wish, now_ms: int) -> Preview:
    """Look at the evidence with the phases' eyes; pending signals play no part.

    Raises ``UnreadableFile`` when the store or a note cannot be read.
    """
    warnings: list[str] = []
    found = _live(workspace, now_ms) if wish.path is None else _import(settings, wish, now_ms)
    span = lookback(now_ms, settings.rem.lookback_days, settings.zone)
    recent = [entry for entry in found.entries if span.has_entry(entry)]
    gates = settings.deep.gates._replace(
        min_score=0, min_recall_count=0, min_unique_queries=0, limit=None
    )
    ranked = ranking.rank(
        found.entries,
        found.hits,
        settings=gates,
        now_ms=now_ms,
        include_promoted=wish.include_promoted,
    )
    return Preview(
        found.workspace,
        recent,
        rem.preview(recent, settings.rem) if settings.rem.limit > 0 else None,
        ranked.candidates,
        _grounded(workspace, wish, warnings),
        found.imported,
        warnings,
    )


def document(shown: Preview, settings: Dreaming, wish: Wish) -> Row:
    """The document of ``memory rem-harness --json``."""
    workspace_dir = str(shown.workspace.root)
    grounded = None
    if shown.grounded is not None:
        grounded = {
            "workspaceDir": workspace_dir,
            "scannedFiles": len(shown.grounded),
            "files": shown.grounded,
        }
    return {
        "workspaceDir": workspace_dir,
        "sourcePath": None if wish.path is None else str(wish.path),
        "sourceFiles": [str(source.path) for source in wish.sources],
        "historicalImport": shown.imported,
        "remConfig": _rem_config(settings),
        "deepConfig": _deep_config(settings),
        "rem": _rem(shown.seen),
        "grounded": grounded,
        "deep": {
            "candidateCount": len(shown.candidates),
            "candidates": [candidate.to_json() for candidate in shown.candidates],
        },
        "recentRecallEntries": len(shown.recent),
    }


def bounded_document(shown: Preview, settings: Dreaming, limit: int) -> Row:
    """The shorter document of ``doctor.memory.remHarness``, at most ``limit`` candidates."""
    rem_config, deep_config = _rem_config(settings), _deep_config(settings)
    told = _rem(shown.seen)
    grounded = None
    if shown.grounded is not None:
        grounded = {
            "scannedFiles": len(shown.grounded),
            "files": [
                {name: file[name] for name in ("path", "renderedMarkdown")}
                for file in shown.grounded
            ],
        }
    return {
        "workspaceDir": str(shown.workspace.root),
        "remConfig": {name: rem_config[name] for name in _REM_SHOWN},
        "deepConfig": {name: deep_config[name] for name in _DEEP_SHOWN},
        "rem": {name: value for name, value in told.items() if name != "candidateKeys"},
        "grounded": grounded,
        "deep": {
            "candidateLimit": limit,
            "truncated": len(shown.candidates) > limit,
            "candidates": [_short(candidate) for candidate in shown.candidates[:limit]],
        },
    }


_REM_SHOWN = ("enabled", "lookbackDays", "limit", "minPatternStrength")
_DEEP_SHOWN = (
    "minScore", "minRecallCount", "minUniqueQueries", "recencyHalfLifeDays", "maxAgeDays",
)  # fmt: skip
_CANDIDATE_SHOWN = (
    "key", "path", "startLine", "endLine", "snippet", "recallCount", "uniqueQueries", "avgScore",
    "maxScore", "ageDays", "firstRecalledAt", "lastRecalledAt", "promotedAt",
)  # fmt: skip


def _short(candidate: Candidate) -> Row:
    told = candidate.to_json()
    shown = {name: told[name] for name in _CANDIDATE_SHOWN if name in told}
    return shown | {"promoted": "promotedAt" in told}


def _live(workspace: Workspace, now_ms: int) -> _Evidence:
    store = recall_store.load(workspace, now_ms)
    return _Evidence(workspace, list(store.kept().values()), signals.load(workspace).entries)


def _import(settings: Dreaming, wish: Wish, now_ms: int) -> _Evidence:
    """Ingest the notes as a sweep would, each whatever its day, into an empty store."""
    from openclaw_cli.dreaming import history, note_ingest
    from openclaw_cli.dreaming.bench import open_bench
    from openclaw_cli.dreaming.draft import Step

    scratch = _scratch_workspace()
    bench = open_bench(scratch, settings, now_ms)
    for source in wish.sources:
        path = scratch.root / source.key
        bench.draft.hold(path, what="note")
        bench.draft.write(path, history.read(source), Step.COPY)
    checkpoint = note_ingest.Checkpoint()
    always = Lookback("", "9999-12-31", settings.zone)
    counted = note_ingest.ingest(bench, checkpoint, always, settings.rem.limit).signals
    rows = checkpoint.rows
    skipped = [
        str(source.path)
        for source in wish.sources
        if "lastDreamingDayIngested" not in rows.get(source.key, {})
    ]
    imported = {
        "importedFileCount": len(wish.sources) - len(skipped),
        "importedSignalCount": counted,
        "skippedPaths": skipped,
    }
    return _Evidence(scratch, list(bench.store.kept().values()), {}, imported)


def _scratch_workspace() -> Workspace:
    """A folder that does not exist and is never made: its files stay in a draft."""
    import os
    import tempfile

    name = f"openclaw-rem-harness-{os.urandom(6).hex()}"
    return Workspace(Path(tempfile.gettempdir()) / name)


def _grounded(workspace: Workspace, wish: Wish, warnings: list[str]) -> list[Row] | None:
    if wish.grounded_limit is None:
        return None
    from openclaw_cli.dreaming import history

    sources = list(wish.sources)
    if wish.path is None:
        sources = history.find(workspace.memory_dir)
        if wish.grounded_limit:
            sources = sources[-wish.grounded_limit :]
    done = history.ground_all(sources, warnings)
    return [found.to_json(source.key) for source, found in done]


def _rem(seen: rem.Preview | None) -> Row:
    if seen is None:
        return {
            "skipped": True,
            "sourceEntryCount": 0,
            "reflections": [],
            "candidateTruths": [],
            "candidateKeys": [],
            "bodyLines": [],
        }
    return {
        "skipped": False,
        "sourceEntryCount": len(seen.entries),
        "reflections": seen.reflections,
        "candidateTruths": [
            {
                "snippet": truth.entry["snippet"],
                "confidence": truth.confidence,
                "evidence": truth.evidence,
            }
            for truth in seen.truths
        ],
        "candidateKeys": [truth.entry["key"] for truth in seen.truths],
        "bodyLines": seen.body,
    }


def _rem_config(settings: Dreaming) -> Row:
    """The resolved settings of REM sleep, with what the original adds to them."""
    config: Row = {
        "enabled": settings.enabled and settings.rem.enabled,
        "cron": settings.frequency,
        "lookbackDays": settings.rem.lookback_days,
        "limit": settings.rem.limit,
        "minPatternStrength": settings.rem.min_pattern_strength,
        "sources": ["memory", "daily", "deep"],
        "execution": {"speed": "slow", "thinking": "high", "budget": "expensive"},
    }
    if settings.rem.model:
        config["execution"]["model"] = settings.rem.model
    if settings.timezone:
        config["timezone"] = settings.timezone
    return config | {
        "verboseLogging": settings.verbose,
        "storage": {"mode": settings.storage_mode, "separateReports": settings.separate_reports},
    }


def _deep_config(settings: Dreaming) -> Row:
    gates = settings.deep.gates
    return {
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recall_count,
        "minUniqueQueries": gates.min_unique_queries,
        "recencyHalfLifeDays": gates.half_life_days,
        "maxAgeDays": gates.max_age_days,
        "maxPromotedSnippetTokens": gates.max_snippet_tokens,
    }
