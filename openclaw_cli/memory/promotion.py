"""Promotion: from ranked entries to bullets in ``MEMORY.md`` (``memory.md`` 7, 12).

``plan`` decides everything from what was read and touches nothing; ``apply`` writes the
plan in an order from which an interrupted run is finished by the next one: ``MEMORY.md``
first (its markers tell what is there), then the event, then the store's stamps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.errors import Busy
from openclaw_cli.memory import memory_file, recall_store
from openclaw_cli.memory.claim_gate import SECRET, SUPERSEDED, Gate, Verdict, holds_secret
from openclaw_cli.memory.entries import normalize_snippet
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.ranking import Candidate
from openclaw_cli.memory.recall_store import RecallStore, Writer
from openclaw_cli.memory.rehydration import Live, NotLive, find_live
from openclaw_cli.memory.text import same_claim_form, utf16_length
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files
from openclaw_cli.state.tuples import NamedTuple

HAS_MARKER = "marker"
SAME_TEXT = "same-text"
ATTEMPTS = 3


class MemoryChanged(Busy):
    """``MEMORY.md`` was edited between reading and writing it."""


class Skipped(NamedTuple):
    """A candidate that was not written, and why (``rehydration.NotLive`` or a caller's)."""

    key: str
    reason: str
    detail: str = ""

    def to_json(self) -> dict[str, Any]:
        """The skip for reports."""
        shown = {"key": self.key, "reason": self.reason}
        return shown | {"detail": self.detail} if self.detail else shown


class Promoted(NamedTuple):
    """A candidate to stamp, in JSON form with its live range and text.

    With a ``reason`` it is reconciled, not appended: ``MEMORY.md`` has it, or had it before,
    by its ``marker``, in the ``same-text``, or in other words as a ``Verdict`` says, then as
    ``known_as``. ``corrects`` is the promoted entry that has an older value.
    """

    candidate: dict[str, Any]
    reason: str | None = None
    known_as: str | None = None
    corrects: str | None = None

    @property
    def appended(self) -> bool:
        """Whether a bullet is written."""
        return self.reason is None


@dataclass
class PromotionPlan:
    """What one apply writes. ``memory_text`` None leaves ``MEMORY.md`` alone.

    ``memory_before`` is the text that the plan was made from.
    """

    memory_path: str
    memory_before: str = ""
    promoted: list[Promoted] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    memory_text: str | None = None
    compacted: memory_file.Compaction | None = None

    @property
    def appended(self) -> int:
        """How many bullets are added."""
        return sum(1 for one in self.promoted if one.appended)

    def to_json(self) -> dict[str, Any]:
        """The ``apply`` object of reports."""
        report = {
            "applied": len(self.promoted),
            "appended": self.appended,
            "reconciledExisting": len(self.promoted) - self.appended,
            "memoryPath": self.memory_path,
            "appliedCandidates": [one.candidate for one in self.promoted],
            "skipped": [one.to_json() for one in self.skipped],
        }
        reconciled = [
            {"key": one.candidate["key"], "reason": one.reason, "knownAs": one.known_as}
            for one in self.promoted
            if one.reason
        ]
        superseded = [
            {"key": one.corrects, "by": one.candidate["key"]}
            for one in self.promoted
            if one.corrects
        ]
        report |= {"reconciled": reconciled} if reconciled else {}
        report |= {"superseded": superseded} if superseded else {}
        if self.compacted is not None and self.compacted.dates:
            report["compactedSections"] = len(self.compacted.dates)
            report["compactedDates"] = self.compacted.dates
        return report


class Terms(NamedTuple):
    """What bounds a promotion.

    ``day`` dates the section, ``max_tokens`` is the length of a bullet, ``limit`` how many
    are promoted at most (None: all). ``rejected`` maps keys to a reason to leave them out.
    """

    day: str
    max_tokens: int
    limit: int | None = None
    rejected: Mapping[str, str] = {}


def plan(
    workspace: Workspace,
    store: RecallStore,
    candidates: Iterable[Candidate],
    terms: Terms,
    *,
    reader: NoteReader | None = None,
) -> PromotionPlan:
    """Decide which of ``candidates`` (best first) are written, reconciled or skipped.

    Reads ``MEMORY.md`` and the notes, changes nothing. What a promoted entry of the store
    said is not written again, even after its owner deleted it. A skipped candidate gives
    its place within the limit to the next. ``reader`` may know of notes that are not
    written yet. Raises ``UnreadableFile`` for ``MEMORY.md``.
    """
    memory_text = memory_file.read(workspace)
    made = PromotionPlan(str(workspace.memory_file), memory_text)
    reader = reader or NoteReader(workspace)
    gate = Gate(workspace, store.entries, memory_text, reader)
    markers = memory_file.marker_keys(memory_text)
    known = memory_file.claims(memory_text) | _promoted_claims(store)
    for candidate in candidates:
        if terms.limit is not None and len(made.promoted) >= terms.limit:
            break
        if "promotedAt" in candidate.entry:
            continue
        live = _fit_text(candidate, terms, gate, reader)
        if isinstance(live, NotLive):
            made.skipped.append(Skipped(candidate.key, live.reason, live.detail))
            continue
        bullet = memory_file.bullet_text(live.text, terms.max_tokens)
        forms = {same_claim_form(live.text), same_claim_form(bullet)}
        if candidate.key in markers:
            verdict = Verdict(HAS_MARKER)
        elif forms & known:
            verdict = Verdict(SAME_TEXT)
        else:
            verdict = gate.judge(candidate.entry, live)
        if verdict.reason == SUPERSEDED:
            detail = f"{verdict.key} has a newer value"
            made.skipped.append(Skipped(candidate.key, SUPERSEDED, detail))
            continue
        made.promoted.append(
            Promoted(
                _with_live_text(candidate, live), verdict.reason, verdict.key, verdict.corrects
            )
        )
        gate.note(candidate.entry, live)
        known |= forms
    _plan_text(made, terms)
    return made


def _fit_text(candidate: Candidate, terms: Terms, gate: Gate, reader: NoteReader) -> Live | NotLive:
    if reason := terms.rejected.get(candidate.key):
        return NotLive(reason)
    live = find_live(candidate.entry, reader)
    if holds_secret(candidate.entry, live):
        return NotLive(SECRET, "a credential stands in it")
    if isinstance(live, NotLive):
        return live
    return gate.unfit(candidate.entry, live) or live


def apply(workspace: Workspace, store: RecallStore, made: PromotionPlan, writer: Writer) -> None:
    """Write a plan: ``MEMORY.md``, the event, the store. The caller holds the lock.

    ``store`` is the one that the plan was made from; it is changed and saved. Nothing is
    written when nothing is promoted. Raises ``MemoryChanged`` before anything is written
    when the plan is out of date, ``NotAllowed`` for links in the way, ``NotWritable``.
    """
    if not made.promoted:
        return
    files.refuse_link(workspace.events_path, what="event log")
    files.refuse_link(workspace.recall_path, what=recall_store.WHAT)
    if made.memory_text is not None:
        _write_memory(workspace, made, made.memory_text, writer)
    _log(workspace, made, writer.now_ms)
    stamp = clock.iso(writer.now_ms)
    for one in made.promoted:
        entry = store.entries[one.candidate["key"]]
        for name in ("startLine", "endLine", "snippet"):
            entry[name] = one.candidate[name]
        entry["promotedAt"] = stamp
    recall_store.save(workspace, store, writer)


def _write_memory(workspace: Workspace, made: PromotionPlan, text: str, writer: Writer) -> None:
    def check_unchanged() -> None:
        if memory_file.read(workspace) != made.memory_before:
            raise MemoryChanged(
                f"{made.memory_path} keeps changing",
                path=made.memory_path,
                hint="try again when nobody edits it",
            )

    check_unchanged()
    _record_compaction(made, writer)
    files.write_atomic(
        workspace.memory_file, text, mode=None, follow_link=True, before_rename=check_unchanged
    )


def promote(
    workspace: Workspace,
    store: RecallStore,
    candidates: Sequence[Candidate],
    terms: Terms,
    writer: Writer,
) -> PromotionPlan:
    """Plan and apply, anew when ``MEMORY.md`` is edited meanwhile; after three times ``Busy``.

    The caller holds the lock.
    """
    for attempt in range(1, ATTEMPTS + 1):
        made = plan(workspace, store, candidates, terms)
        try:
            apply(workspace, store, made, writer)
            break
        except MemoryChanged:
            if attempt == ATTEMPTS:
                raise
    return made


def _promoted_claims(store: RecallStore) -> set[str]:
    return {
        same_claim_form(entry["snippet"])
        for entry in store.entries.values()
        if "promotedAt" in entry and entry["snippet"]
    }


def _with_live_text(candidate: Candidate, live: Live) -> dict[str, Any]:
    return candidate.to_json(
        startLine=live.start_line, endLine=live.end_line, snippet=normalize_snippet(live.text)
    )


def _plan_text(made: PromotionPlan, terms: Terms) -> None:
    lines = [
        line
        for one in made.promoted
        if one.appended
        for line in memory_file.bullet_lines(one.candidate, terms.max_tokens)
    ]
    if not lines:
        return
    text = made.memory_before
    for one in made.promoted:
        if one.corrects and one.appended:
            candidate = one.candidate
            place = f"{candidate['path']}:{candidate['startLine']}-{candidate['endLine']}"
            text = memory_file.mark_superseded(text, one.corrects, f"{place} on {terms.day}")
    section = memory_file.section(terms.day, lines)
    made.compacted = memory_file.make_room(text, utf16_length(section))
    made.memory_text = memory_file.append(made.compacted.text, section)


def _record_compaction(made: PromotionPlan, writer: Writer) -> None:
    if made.compacted is None or not made.compacted.removed:
        return
    from openclaw_cli.state import changes

    change = changes.Change(
        writer.command,
        "memory-file-budget",
        "memory-section",
        key=", ".join(made.compacted.dates),
        path=made.memory_path,
        row="\n".join(made.compacted.removed),
    )
    changes.record(writer.paths, [change], writer.now_ms)


def _log(workspace: Workspace, made: PromotionPlan, now_ms: int) -> None:
    """Append the event, unless an interrupted run of the same promotion did so already.

    A promoted key is never promoted again, so the newest event names exactly these keys
    only when the run that wrote it died before it could stamp the store.
    """
    from openclaw_cli.memory import events

    rows = [{name: one.candidate[name] for name in _EVENT_FIELDS} for one in made.promoted]
    newest = events.last(workspace, events.PROMOTION_APPLIED)
    logged = newest.get("candidates") if newest else None
    keys = [row["key"] for row in rows]
    if isinstance(logged, list) and keys == [
        row.get("key") for row in logged if isinstance(row, dict)
    ]:
        return
    record = {
        "type": events.PROMOTION_APPLIED,
        "timestamp": clock.iso(now_ms),
        "memoryPath": made.memory_path,
        "applied": len(rows),
        "candidates": rows,
    }
    events.append(workspace, [record])


_EVENT_FIELDS = ("key", "path", "startLine", "endLine", "score", "recallCount")
