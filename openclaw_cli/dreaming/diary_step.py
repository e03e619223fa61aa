"""The diary of a sweep: an entry for each phase, in the draft of ``DREAMS.md``.

Best effort (``dreaming.md`` 7, 7.1): what keeps the diary from being written is a warning.
One entry per phase and slot; the texts are also in the run record, so that a second sweep
of the same slot asks no model again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming import diary, phases
from openclaw_cli.dreaming.bench import COMMAND, Bench
from openclaw_cli.dreaming.blocks import DIARY_WARN_BYTES
from openclaw_cli.dreaming.diary_writer import FALLBACK, SKIPPED, WRITTEN, Writer
from openclaw_cli.dreaming.draft import Step
from openclaw_cli.dreaming.phase_result import PhaseResult
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.changes import Change
from openclaw_cli.state.tuples import NamedTuple

WHAT, EARLIER = "dream diary", "earlier diary"
NOTHING_TO_TELL, ALREADY_WRITTEN, NOT_WRITABLE = (
    "nothing-to-tell",
    "already-written",
    "not-writable",
)


class Told(NamedTuple):
    """``report`` is what the sweep answers, ``entries`` the texts by phase for the record."""

    report: dict[str, Any]
    entries: dict[str, Any]


def write(
    bench: Bench, results: Sequence[PhaseResult], writer: Writer, known: dict[str, Any]
) -> Told:
    """Put the entries of the phases into the bench's draft.

    ``known`` are the entries that an earlier sweep of this slot has written; they stay.
    """
    telling = [result for result in results if diary.has_material(result)]
    path = phases.diary_path(bench.workspace)
    if not telling:
        return Told(skipped(NOTHING_TO_TELL), known)
    try:
        before = bench.draft.hold(path, what=WHAT) or ""
    except OpenClawError as error:
        bench.warnings.append(f"diary: {error.message}")
        return Told(skipped(NOT_WRITABLE), known)
    date = diary.date_line(bench.now_ms, bench.settings.zone)
    recent = [entry.text for entry in diary.entries(before) if entry.kind != "fallback"]
    after, entries = before, dict(known)
    rows: dict[str, Any] = {}
    for result in telling:
        if result.phase in known:
            rows[result.phase] = {"status": SKIPPED, "reason": ALREADY_WRITTEN}
            continue
        written = writer.write(result, day=bench.today, recent=recent)
        rows[result.phase] = written.to_json()
        if written.warning is not None:
            bench.warnings.append(written.warning)
        if written.text is not None:
            entries[result.phase] = {"date": date, "text": written.text}
            if not diary.has_entry(before, date, written.text):
                after = diary.with_entry(after, date, written.text)
    if after != before:
        bench.draft.write(path, after, Step.DIARY, force_mode=False)
    return Told(_summary(rows) | {"path": str(path), "phases": rows}, entries)


def shorten(bench: Bench) -> None:
    """Move the oldest entries into the draft of yearly files when the diary is long."""
    path = phases.diary_path(bench.workspace)
    try:
        text = bench.draft.read(path, what=WHAT) or ""
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > diary.ROTATE_BYTES:
            _move_oldest(bench, path, text)
    except OpenClawError as error:
        bench.warnings.append(f"the diary is not shortened: {error.message}")
        return
    if DIARY_WARN_BYTES < size <= diary.ROTATE_BYTES:
        bench.warnings.append(
            f"{path} has {size // 1024} KiB; above {diary.ROTATE_BYTES // 1024} KiB its oldest "
            "entries move to memory/dreaming/"
        )


def skipped(reason: str) -> dict[str, Any]:
    """The report of a diary that was not written at all."""
    return {"status": SKIPPED, "reason": reason}


def _summary(rows: dict[str, Any]) -> dict[str, Any]:
    """``written`` before ``fallback`` before ``skipped``; a reason unless it was written."""
    for status in (WRITTEN, FALLBACK, SKIPPED):
        for row in rows.values():
            if row["status"] == status:
                return {"status": status, "reason": row.get("reason")}
    return skipped(NOTHING_TO_TELL)


def _move_oldest(bench: Bench, path: Path, text: str) -> None:
    found = diary.rotation(text)
    if found is None:
        return  # nothing of it may move
    bench.draft.hold(path, what=WHAT)
    yearly = {
        year: bench.workspace.memory_dir / "dreaming" / f"diary-{year}.md" for year in found.moved
    }
    before = {year: bench.draft.hold(yearly[year], what=EARLIER) or "" for year in found.moved}
    for year, raws in found.moved.items():
        bench.draft.write(yearly[year], diary.with_moved(before[year], year, raws), Step.REPORT)
        bench.removed += [
            Change(COMMAND, "diary-rotation", "diary-entry", path=str(path),
                   moved_to=str(yearly[year]), row={"text": raw})
            for raw in raws
        ]  # fmt: skip
    bench.draft.write(path, found.text, Step.DIARY, force_mode=False)
