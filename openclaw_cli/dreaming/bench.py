"""What the phases of one sweep over one workspace work on.

Everything is in memory: the draft of the files, the recall store, the phase signals, the
events to log, the rows that leave the store. Nothing here reaches the disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming.days import Lookback, lookback
from openclaw_cli.dreaming.draft import Draft, Step
from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.memory import (
    claim_credit,
    entries,
    events,
    recall_store,
    recording,
    repair,
    signals,
)
from openclaw_cli.memory.entries import Entry
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.signals import PhaseSignals
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, redact
from openclaw_cli.state.changes import Change
from openclaw_cli.state.jsonnum import dumps

COMMAND = "dreaming sweep"


@dataclass
class Bench:
    """The state of a sweep in progress. ``now_ms`` is its one instant."""

    workspace: Workspace
    settings: Dreaming
    now_ms: int
    draft: Draft
    store: RecallStore
    signals: PhaseSignals
    log: list[dict[str, Any]] = field(default_factory=list)
    removed: list[Change] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    store_at_start: str = ""
    rewrite_store: bool = False
    signalled: bool = False

    @property
    def now_iso(self) -> str:
        """The sweep's instant as it is stored."""
        return clock.iso(self.now_ms)

    @property
    def today(self) -> str:
        """The owner's day of the sweep."""
        return clock.day_in(self.now_ms, self.settings.zone)

    def lookback(self, days: int) -> Lookback:
        """The look-back of a phase."""
        return lookback(self.now_ms, days, self.settings.zone)

    def lookbacks(self) -> list[Lookback]:
        """The look-backs of the phases that run."""
        phases = (self.settings.light, self.settings.rem)
        return [self.lookback(phase.lookback_days) for phase in phases if phase.runs]

    def reader(self) -> NoteReader:
        """A reader of notes as they will be."""
        return NoteReader(self.workspace, self.draft.pending())

    def with_source(self, found: Iterable[Entry]) -> list[Entry]:
        """Those of ``found`` whose file will be there."""
        there: dict[str, bool] = {}
        kept = []
        for entry in found:
            path: str = entry["path"]
            if path not in there:
                places = [self.workspace.root / path, self.workspace.memory_dir / Path(path).name]
                there[path] = any(self.draft.exists(place) for place in places)
            if there[path]:
                kept.append(entry)
        return kept

    def record(self, query: str, batch: list[Signal]) -> int:
        """Count one batch of ingested pieces and log it; how many counted."""
        done = recording.add(self.store, batch, kind="daily", now_ms=self.now_ms)
        claim_credit.spread(self.store, batch, self.reader(), self.now_ms)
        results = [
            {"path": s.path, "startLine": s.start_line, "endLine": s.end_line, "score": s.score}
            for s in batch
        ]
        self.log.append(events.recall_recorded(self.now_iso, query, results))
        return len(done.counted)

    def remove(self, rows: Iterable[tuple[str, Any]], rule: str) -> None:
        """Note rows that leave the store for the change log."""
        path = str(self.workspace.recall_path)
        self.removed += [
            Change(COMMAND, rule, "recall-entry", key=key, path=path, row=row) for key, row in rows
        ]

    def store_text(self) -> str:
        """The store as a document, under the time that its file has."""
        present = self.store.extra.get("updatedAt")
        return recall_store.dumps(self.store, present if isinstance(present, str) else "")

    def store_on_disk(self) -> str:
        """The document that the file holds, or would hold after what was counted so far."""
        text = self.store_text()
        return self.store.text if text == self.store_at_start else text

    def consider(self, key: str) -> None:
        """Note that REM sleep looked at ``key``."""
        self.signalled = True
        self.signals.consider(key, self.now_ms)

    def touch(self, key: str, phase: str) -> None:
        """Count a hit of ``phase`` on ``key``, once a day however often the sweep runs."""
        self.signalled = True
        stamp = "lastLightAt" if phase == "light" else "lastRemAt"
        row = self.signals.entries.get(key)
        seen = clock.parse_iso(str(row.get(stamp))) if row else None
        if row is not None and seen is not None and self._is_today(seen):
            row[stamp] = self.now_iso
        else:
            self.signals.hit(key, phase, self.now_ms)

    def _is_today(self, at_ms: int) -> bool:
        return clock.day_in(at_ms, self.settings.zone) == self.today


def open_bench(workspace: Workspace, settings: Dreaming, now_ms: int) -> Bench:
    """Read the state of a workspace for a sweep at ``now_ms``.

    Credentials that searches or other programs have put into the store are masked: from
    there they would go into reports. Raises ``UnreadableFile`` or ``NotAllowed`` when the
    recall store cannot be used.
    """
    draft = Draft(now_ms)
    text = draft.hold(workspace.recall_path, what=recall_store.WHAT)
    store = RecallStore() if text is None else recall_store.parse(text, workspace, now_ms)
    draft.hold(workspace.signals_path, what=signals.WHAT)
    bench = Bench(workspace, settings, now_ms, draft, store, signals.load(workspace))
    bench.store_at_start = bench.store_text()
    for entry in store.entries.values():
        entry["snippet"] = redact.secrets(entry["snippet"])
    if bench.signals.problem is not None:
        bench.warnings.append(f"{bench.signals.problem}; it is kept aside and started anew")
        keep_aside(bench.draft, workspace.signals_path, what=signals.WHAT)
    return bench


def keep_aside(draft: Draft, path: Path, *, what: str) -> None:
    """Keep a broken state file under another name before a good one takes its place."""
    from openclaw_cli.state.clock import archive_stamp

    text = draft.read(path, what=what, strict=False)
    if text is None:
        return
    aside = path.with_name(f"{path.name}.corrupt-{archive_stamp(draft.now_ms)}")
    if draft.hold(aside, what=what) is None:
        draft.write(aside, text, Step.COPY)


def close_bench(bench: Bench) -> None:
    """Put store, phase signals and events into the draft: what the phases left of them."""
    kept, dropped = entries.retain(bench.store.entries)
    bench.remove([(key, bench.store.entries[key]) for key in dropped], repair.OVERFLOW_RULE)
    bench.store.entries = kept
    if bench.rewrite_store or bench.store_text() != bench.store_at_start:
        text = recall_store.dumps(bench.store, bench.now_iso)
        bench.draft.write(bench.workspace.recall_path, text, Step.STORE)
    if bench.signalled:
        bench.signals.prune(bench.store.entries)
        text = signals.dumps(bench.signals, bench.now_ms)
        bench.draft.write(bench.workspace.signals_path, text, Step.SIGNALS)
    lines = "".join(dumps(record, indent=None) + "\n" for record in bench.log)
    if lines:
        bench.draft.append(bench.workspace.events_path, lines, Step.EVENTS, what="event log")
