"""The phases of a sweep, each from ingestion to the lines that it writes.

Light and REM sleep read, stage and reflect; deep sleep promotes (``dreaming.md`` 3-6). A
phase changes the bench only. What the diary could tell of it is in its result.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming import (
    blocks,
    deep,
    diary,
    light,
    note_ingest,
    rem,
    report,
    session_ingest,
)
from openclaw_cli.dreaming.bench import Bench
from openclaw_cli.dreaming.days import Lookback
from openclaw_cli.dreaming.draft import Step
from openclaw_cli.dreaming.phase_result import PhaseResult
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory import events
from openclaw_cli.memory.artifacts import find_diary
from openclaw_cli.memory.chats import Chats
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock

DIARY_FRAGMENTS = 8  # entries that REM sleep tells of when there are no truths


@dataclass
class Sources:
    """What the phases read from: the transcripts and both checkpoints."""

    chats: Chats
    notes: note_ingest.Checkpoint
    sessions: session_ingest.Checkpoint


def run_light(bench: Bench, sources: Sources) -> PhaseResult:
    """Ingest, then stage what was met lately."""
    settings = bench.settings.light
    span = bench.lookback(settings.lookback_days)
    rem_settings = bench.settings.rem
    later = [bench.lookback(rem_settings.lookback_days)] if rem_settings.runs else []
    counts = _ingest(bench, sources, span, later=later, limit=settings.limit)
    live = bench.with_source(bench.store.kept().values())
    staged = light.select(live, settings, span, _diary_entries(bench))
    body = light.body(staged)
    places = _write_out(bench, "light", body)
    for entry in staged:
        bench.touch(entry["key"], "light")
    return PhaseResult(
        "light",
        body,
        counts | {"staged": len(staged), **places},
        fragments=[entry["snippet"] for entry in staged],
        themes=light.tags(staged),
    )


def run_rem(bench: Bench, sources: Sources) -> PhaseResult:
    """Ingest, then reflect on what light sleep has just met, else on everything recent."""
    settings = bench.settings.rem
    span = bench.lookback(settings.lookback_days)
    counts = _ingest(bench, sources, span, later=[], limit=settings.limit)
    recent = bench.with_source(
        entry for entry in bench.store.kept().values() if span.has_entry(entry)
    )
    pending = rem.pending(recent, bench.signals.entries)
    seen = rem.preview(pending or recent, settings)
    places = _write_out(bench, "rem", seen.body)
    for entry in pending:
        bench.consider(entry["key"])
    for truth in seen.truths:
        bench.touch(truth.entry["key"], "rem")
    truths = [truth.entry["snippet"] for truth in seen.truths]
    return PhaseResult(
        "rem",
        seen.body,
        counts | {"entries": len(seen.entries)} | rem.to_json(seen) | places,
        fragments=truths or [entry["snippet"] for entry in seen.entries[:DIARY_FRAGMENTS]],
        themes=[theme.line for theme in seen.themes if theme.is_solid],
    )


def run_deep(bench: Bench) -> PhaseResult:
    """Repair the store, rank, promote, and sum it up in ``DREAMS.md``."""
    done = deep.promote(bench)
    body = deep.body(done)
    places = _write_report(bench, "deep", body)
    inline = str(_write_deep_block(bench, body))
    bench.log.append(completed(bench, "deep", body=body, inlinePath=inline, **places))
    shown = deep.to_json(done) | {"dreamsPath": inline} | places
    return PhaseResult(
        "deep",
        body,
        shown | {"lineCount": len(body)},
        fragments=[candidate.entry["snippet"] for candidate in done.candidates],
        promotions=[one.candidate["snippet"] for one in done.plan.promoted],
    )


def completed(
    bench: Bench,
    phase: str,
    *,
    body: list[str],
    error: str | None = None,
    **places: str,
) -> dict[str, Any]:
    """The event that tells how a phase ended; ``error`` for one that failed."""
    return {
        "type": events.DREAM_COMPLETED,
        "timestamp": bench.now_iso,
        "phase": phase,
        "outcome": "completed" if error is None else "failed",
        **({} if error is None else {"error": error}),
        **places,
        "lineCount": len(body),
        "storageMode": bench.settings.storage_mode,
    }


def diary_path(workspace: Workspace) -> Path:
    """``DREAMS.md``, or the ``dreams.md`` that is there instead."""
    return find_diary(workspace) or workspace.root / "DREAMS.md"


def _ingest(
    bench: Bench, sources: Sources, span: Lookback, *, later: list[Lookback], limit: int
) -> dict[str, Any]:
    notes = note_ingest.ingest(bench, sources.notes, span, limit)
    said = session_ingest.ingest(bench, sources.sessions, sources.chats, now=span, later=later)
    return {
        "status": "completed",
        "notesRead": notes.notes,
        "noteSignals": notes.signals,
        "messages": said.messages,
        "messageSignals": said.signals,
    }


def _diary_entries(bench: Bench) -> list[str]:
    try:
        text = bench.draft.read(diary_path(bench.workspace), what="dream diary", strict=False)
    except OpenClawError:
        return []  # the deep phase, which has to write it, will say so
    return [entry.text for entry in diary.entries(text or "") if entry.kind != "fallback"]


def _write_out(bench: Bench, phase: str, body: list[str]) -> dict[str, Any]:
    """Block and report of light or REM sleep, and the event; where they are."""
    places: dict[str, str] = {}
    if bench.settings.inline:
        places["inlinePath"] = str(_write_inline(bench, phase, body))
    places |= _write_report(bench, phase, body)
    bench.log.append(completed(bench, phase, body=body, **places))
    return {**places, "lineCount": len(body)}


def _write_inline(bench: Bench, phase: str, body: list[str]) -> Path:
    path = bench.workspace.memory_dir / f"{bench.today}.md"
    text = bench.draft.hold(path, what="daily note", follow_link=True) or ""
    bench.draft.write(path, blocks.put_block(text, blocks.block_of(phase), body), Step.REPORT)
    return path


def _write_report(bench: Bench, phase: str, body: list[str]) -> dict[str, str]:
    if not bench.settings.reports:
        return {}
    path = report.report_path(bench.workspace, phase, bench.today)
    earlier = bench.draft.hold(path, what="report", follow_link=True)
    clock_time = clock.local(bench.now_ms, bench.settings.zone).strftime("%H:%M")
    bench.draft.write(path, report.report_text(phase, body, earlier, clock_time), Step.REPORT)
    return {"reportPath": str(path)}


def _write_deep_block(bench: Bench, body: list[str]) -> Path:
    path = diary_path(bench.workspace)
    text = bench.draft.hold(path, what="dream diary") or ""
    put = blocks.put_block(text, blocks.block_of("deep"), body or [report.EMPTY])
    bench.draft.write(path, put, Step.DIARY, force_mode=False)
    return path
