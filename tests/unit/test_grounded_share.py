"""The part of an entry's evidence that a backfill put there, kept apart and taken out."""

from __future__ import annotations

from typing import Any

import recall_rows
from recall_rows import NOW_MS, row

from openclaw_cli.memory import grounded_share, recording
from openclaw_cli.memory.entries import claim_hash, entry_key
from openclaw_cli.memory.joining import join
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.workspace import Workspace

TEXT = "Prefers short status updates."
PATH = "memory/2026-11-10.md"
KEY = entry_key(PATH, 6, 6, claim_hash(TEXT))
LATER_MS = NOW_MS + 3_600_000


def grounded(query: str = "g1", *, day: str = "2026-11-10", times: int = 2) -> Signal:
    return Signal(PATH, 6, 6, TEXT, 0.92, query, day, times)


def live_row(**changes: Any) -> dict[str, Any]:
    return row(TEXT, day="2026-11-10", line=6, key=KEY, recallCount=2, totalScore=1.7,
               maxScore=0.9, **changes)  # fmt: skip


def store(tmp_path: Any, *rows: dict[str, Any]) -> RecallStore:
    return recall_rows.store(Workspace(tmp_path), *rows)


def test_staging_on_a_live_entry_is_taken_out_exactly(tmp_path: Any) -> None:
    found = store(tmp_path, live_row())
    before = dict(found.entries[KEY])
    recording.add(found, [grounded(), grounded("g2", times=1)], kind="grounded", now_ms=LATER_MS)
    mixed = found.entries[KEY]
    assert (mixed["groundedCount"], mixed["maxScore"]) == (3, 0.92)
    assert grounded_share.take_out(mixed) == before


def test_what_searches_bring_later_stays(tmp_path: Any) -> None:
    found = store(tmp_path)
    recording.add(found, [grounded()], kind="grounded", now_ms=NOW_MS)
    again = Signal(PATH, 6, 6, TEXT, 0.7, "q", "2026-11-20")
    recording.add(found, [again], kind="recall", now_ms=LATER_MS)
    rest = grounded_share.take_out(found.entries[KEY])
    assert rest is not None
    assert (rest["recallCount"], rest["groundedCount"]) == (1, 0)
    assert (rest["totalScore"], rest["maxScore"]) == (0.7, 0.7)
    assert rest["recallDays"] == ["2026-11-20"]
    assert len(rest["queryHashes"]) == 1
    assert rest["lastRecalledAt"] == "2026-11-20T04:00:00.000Z"
    assert grounded_share.SHARE not in rest


def test_a_day_that_both_have_brought_stays(tmp_path: Any) -> None:
    found = store(tmp_path)
    recording.add(found, [grounded()], kind="grounded", now_ms=NOW_MS)
    same_day = Signal(PATH, 6, 6, TEXT, 0.7, "q", "2026-11-10")
    recording.add(found, [same_day], kind="recall", now_ms=LATER_MS)
    rest = grounded_share.take_out(found.entries[KEY])
    assert rest is not None
    assert rest["recallDays"] == ["2026-11-10"]


def test_a_signal_that_did_not_count_changes_no_share(tmp_path: Any) -> None:
    found = store(tmp_path)
    recording.add(found, [grounded()], kind="grounded", now_ms=NOW_MS)
    before = dict(found.entries[KEY])
    recording.add(found, [grounded()], kind="grounded", now_ms=LATER_MS)
    assert found.entries[KEY] == before


def test_an_entry_of_another_program_has_no_share_to_take_out(tmp_path: Any) -> None:
    found = store(tmp_path, live_row(groundedCount=3))
    assert grounded_share.take_out(found.entries[KEY]) is None


def test_a_share_of_a_wrong_shape_is_none() -> None:
    for broken in (1, {}, {"count": 1, "totalScore": 1, "live": {}}, {"live": 1}):
        assert grounded_share.share_of({"groundedShare": broken}) is None


def test_of_a_promoted_entry_the_mark_stays() -> None:
    entry = live_row(groundedCount=3, promotedAt="2026-11-19T03:00:00.000Z")
    rest = grounded_share.without_evidence(entry)
    assert rest["promotedAt"] == "2026-11-19T03:00:00.000Z"
    assert rest["snippet"] == TEXT
    assert (rest["groundedCount"], rest["totalScore"], rest["queryHashes"]) == (0, 0, [])


def test_joining_a_staged_entry_to_a_live_one_keeps_the_share_apart(tmp_path: Any) -> None:
    found = store(tmp_path, row(TEXT, day="2026-11-12", line=3, recallCount=2, totalScore=1.7))
    recording.add(found, [grounded()], kind="grounded", now_ms=LATER_MS)
    live, staged = found.entries.values()
    before = dict(live)
    join(live, staged)
    assert live["groundedCount"] == 2
    rest = grounded_share.take_out(live)
    assert rest is not None
    changed = {name for name in before if rest[name] != before[name]}
    assert changed <= {"conceptTags"}
