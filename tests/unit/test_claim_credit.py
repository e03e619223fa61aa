"""Who gets the credit when a claim was met again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recall_rows import NOW_MS

from openclaw_cli.memory.claim_credit import credit, spread
from openclaw_cli.memory.entries import ASKED_DAYS, RESTATED, SUPERSEDES
from openclaw_cli.memory.joining import join
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.workspace import Workspace

KEY = "- The spare key hangs behind the fuse box in the hall"
AGAIN = "- told Ole: spare key is behind the fuse box, as ever"
CHESS = "- Chess club meets Tuesday evening in the library"
MOVED = "- Chess club in the library moved from Tuesday to Friday evening"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "memory").mkdir()
    return Workspace(tmp_path)


def note(workspace: Workspace, day: str, *lines: str) -> str:
    path = f"memory/{day}.md"
    (workspace.root / path).write_text("\n".join(lines) + "\n")
    return path


def hit(path: str, line: int, text: str, *, query: str, day: str, score: float = 0.9) -> Signal:
    return Signal(path, line, line, text, score, query, day)


def met(store: RecallStore, workspace: Workspace, *hits: Signal) -> list[tuple[str, str]]:
    """Credit one search; what was refused, with its reason."""
    done = credit(store, hits, NoteReader(workspace), NOW_MS)
    return [(signal.snippet, why) for signal, why in done.refused]


def test_a_rephrasing_counts_for_the_entry_of_its_claim(workspace: Workspace) -> None:
    first = note(workspace, "2026-09-01", KEY)
    later = note(workspace, "2026-09-08", "- rain", AGAIN)
    store = RecallStore()
    met(store, workspace, hit(first, 1, KEY, query="spare key", day="2026-09-02"))
    met(store, workspace, hit(later, 2, AGAIN, query="key fuse box", day="2026-09-09"))
    (entry,) = store.entries.values()
    assert entry["snippet"] == KEY
    assert (entry["recallCount"], len(entry["queryHashes"])) == (2, 2)
    assert entry["recallDays"] == ["2026-09-02", "2026-09-09"]
    assert entry[RESTATED] == [
        {"path": later, "startLine": 2, "endLine": 2, "snippet": AGAIN, "recalls": 1}
    ]


def test_a_search_that_finds_both_phrasings_counts_once(workspace: Workspace) -> None:
    first = note(workspace, "2026-09-01", KEY)
    later = note(workspace, "2026-09-08", AGAIN)
    store = RecallStore()
    asked = {"query": "spare key", "day": "2026-09-09"}
    met(store, workspace, hit(first, 1, KEY, **asked), hit(later, 1, AGAIN, **asked))
    (entry,) = store.entries.values()
    assert entry["recallCount"] == 1
    assert RESTATED not in entry


def test_the_phrasing_that_is_found_more_often_stands_for_the_claim(workspace: Workspace) -> None:
    short = "- spare key: behind the fuse box in the hall, as ever"
    first = note(workspace, "2026-09-01", KEY)
    later = note(workspace, "2026-09-08", short)
    store = RecallStore()
    met(store, workspace, hit(first, 1, KEY, query="q1", day="2026-09-02"))
    for number in (2, 3, 4):
        met(store, workspace, hit(later, 1, short, query=f"q{number}", day=f"2026-09-1{number}"))
    (key,) = store.entries
    assert key == f"memory:{later}:1:1"
    assert store.entries[key]["recallCount"] == 4
    assert [(r["path"], r["recalls"]) for r in store.entries[key][RESTATED]] == [(first, 1)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("- [ ] buy a second spare key", "todo"),
        ("- where is the spare key?", "question"),
        ("- my password: tulip-Secret-77 opens the key box", "secret"),
    ],
)
def test_what_is_no_claim_gets_no_credit(workspace: Workspace, line: str, reason: str) -> None:
    path = note(workspace, "2026-09-01", line)
    store = RecallStore()
    assert met(store, workspace, hit(path, 1, line, query="spare key", day="2026-09-02")) == [
        (line, reason)
    ]
    assert store.entries == {}


def test_code_and_several_claims_get_no_credit(workspace: Workspace) -> None:
    path = note(workspace, "2026-09-01", "```", "the key is in the vault", "```", KEY, CHESS)
    store = RecallStore()
    fenced = hit(path, 2, "the key is in the vault", query="key", day="2026-09-02")
    whole = fenced._replace(start_line=4, end_line=5, snippet=f"{KEY} {CHESS}")
    refused = met(store, workspace, fenced, whole)
    assert [why for _, why in refused] == ["code", "several-claims"]
    assert store.entries == {}


def test_a_hit_far_below_the_best_one_is_no_answer(workspace: Workspace) -> None:
    path = note(workspace, "2026-09-01", KEY, CHESS)
    store = RecallStore()
    asked = {"query": "spare key", "day": "2026-09-02"}
    refused = met(
        store, workspace, hit(path, 1, KEY, **asked), hit(path, 2, CHESS, score=0.4, **asked)
    )
    assert refused == [(CHESS, "beside-the-point")]


def test_the_newer_value_takes_over_what_was_not_promoted(workspace: Workspace) -> None:
    old = note(workspace, "2026-09-01", CHESS)
    new = note(workspace, "2026-09-10", MOVED)
    store = RecallStore()
    met(store, workspace, hit(old, 1, CHESS, query="chess club", day="2026-09-02"))
    met(store, workspace, hit(new, 1, MOVED, query="chess day", day="2026-09-11"))
    met(store, workspace, hit(old, 1, CHESS, query="chess library", day="2026-09-12"))
    (key,) = store.entries
    assert store.entries[key]["snippet"] == MOVED
    assert store.entries[key]["recallCount"] == 3


def test_a_newer_value_of_a_promoted_claim_becomes_an_entry_that_says_so(
    workspace: Workspace,
) -> None:
    old = note(workspace, "2026-09-01", CHESS)
    new = note(workspace, "2026-09-10", MOVED)
    store = RecallStore()
    met(store, workspace, hit(old, 1, CHESS, query="chess club", day="2026-09-02"))
    promoted = store.entries[f"memory:{old}:1:1"]
    promoted["promotedAt"] = "2026-09-05T01:00:00.000Z"
    met(store, workspace, hit(new, 1, MOVED, query="chess day", day="2026-09-11"))
    correction = store.entries[f"memory:{new}:1:1"]
    assert correction[SUPERSEDES] == promoted["key"]
    assert correction["recallCount"] == 2
    assert "promotedAt" not in correction
    assert promoted["recallCount"] == 1


def test_ingested_pieces_give_their_claims_a_signal_once_a_note(workspace: Workspace) -> None:
    first = note(workspace, "2026-09-01", KEY)
    later = note(workspace, "2026-09-08", "- rain all day long", AGAIN)
    store = RecallStore()
    met(store, workspace, hit(first, 1, KEY, query="spare key", day="2026-09-02"))
    piece = Signal(later, 1, 2, f"rain; {AGAIN}", 0.62, "__daily__:2026-09-08", "2026-09-09")
    reader = NoteReader(workspace)
    assert spread(store, [piece], reader, NOW_MS) == 1
    assert spread(store, [piece], reader, NOW_MS) == 0
    (entry,) = store.entries.values()
    assert (entry["recallCount"], entry["dailyCount"]) == (1, 1)
    assert entry["recallDays"] == ["2026-09-02", "2026-09-08"]
    assert entry[ASKED_DAYS] == ["2026-09-02"], "nobody asked on the other day"


def test_what_nobody_searched_for_gets_nothing_from_other_notes(workspace: Workspace) -> None:
    later = note(workspace, "2026-09-08", AGAIN)
    store = RecallStore()
    piece = Signal(later, 1, 1, AGAIN, 0.62, "__daily__:2026-09-08", "2026-09-09")
    assert spread(store, [piece], NoteReader(workspace), NOW_MS) == 0
    assert store.entries == {}


def test_two_entries_joined_know_their_days_only_if_both_did() -> None:
    mine = {"askedDays": ["2026-09-01"], "recallCount": 1}
    cases = [
        ({"askedDays": ["2026-09-03"], "recallCount": 1}, ["2026-09-01", "2026-09-03"]),
        ({"recallCount": 0}, ["2026-09-01"]),
        ({"recallCount": 2}, None),
    ]
    for other, days in cases:
        kept = made(mine)
        join(kept, made(other))
        assert kept.get(ASKED_DAYS) == days


def test_fields_of_other_programs_survive_a_join() -> None:
    kept = made({"recallCount": 1, "mood": "calm"})
    join(kept, made({"recallCount": 1, "mood": "loud", "note": {"a": 1}, "promotedAt": "x"}))
    assert (kept["mood"], kept["note"]) == ("calm", {"a": 1})
    assert "promotedAt" not in kept


def made(fields: dict[str, Any]) -> dict[str, Any]:
    """An entry with these fields."""
    counts = {"dailyCount": 0, "groundedCount": 0, "totalScore": 1, "maxScore": 1}
    times = {"firstRecalledAt": "", "lastRecalledAt": ""}
    return counts | times | {"recallDays": [], "queryHashes": [], "conceptTags": []} | fields
