"""Counting what was met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_ISO, NOW_MS, ROUTER, row

from openclaw_cli.memory import entries, recall, recall_store, recording
from openclaw_cli.memory.recall_store import DamagedStore, RecallStore, Writer
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

NOTE = "memory/2026-11-17.md"


@pytest.fixture
def workspace(home: Path) -> Workspace:
    return Workspace(home / ".openclaw/workspace")


@pytest.fixture
def writer() -> Writer:
    return Writer(Paths.from_env(), NOW_MS, "memory search")


def signal(snippet: str = ROUTER, **changes: Any) -> Signal:
    given = {
        "path": NOTE, "start_line": 3, "end_line": 3, "snippet": snippet, "score": 0.62,
        "query": "router vlan", "day": "2026-11-20",
    }  # fmt: skip
    return Signal(**(given | changes))


def test_a_first_recall_makes_a_row_as_the_original_program_does() -> None:
    store = RecallStore()
    done = recording.add(store, [signal()], kind="recall", now_ms=NOW_MS)
    key = f"memory:{NOTE}:3:3"
    assert done.counted == [key]
    assert done.changed
    assert store.entries == {
        key: {
            "key": key,
            "path": NOTE,
            "startLine": 3,
            "endLine": 3,
            "source": "memory",
            "snippet": ROUTER,
            "recallCount": 1,
            "dailyCount": 0,
            "groundedCount": 0,
            "totalScore": 0.62,
            "maxScore": 0.62,
            "firstRecalledAt": NOW_ISO,
            "lastRecalledAt": NOW_ISO,
            "queryHashes": ["ddf671495620"],
            "recallDays": ["2026-11-20"],
            "conceptTags": ["gateway", "router", "vlan", "10.0.20.1", "moved", "answers"],
        }
    }


def test_every_recall_counts_and_keeps_what_was_there() -> None:
    old = row(promotedAt="2026-11-01T00:00:00.000Z", claimHash="abc", origin=1)
    old["queryHashes"], old["recallDays"] = ["ddf671495620", "b"], ["2026-11-20", "2026-11-21"]
    store = recall_rows.store(Workspace(Path("/ws")), old)
    for score in (2.0, -1.0, 0.5):
        recording.add(store, [signal(score=score)], kind="recall", now_ms=NOW_MS)
    entry = store.entries[old["key"]]
    assert entry["recallCount"] == 9
    assert entry["totalScore"] == pytest.approx(5.7 + 1 + 0 + 0.5)
    assert entry["maxScore"] == 1
    assert entry["lastRecalledAt"] == NOW_ISO
    assert entry["firstRecalledAt"] == old["firstRecalledAt"]
    assert entry["queryHashes"] == ["ddf671495620", "b"]  # known ones are not moved
    assert entry["recallDays"] == ["2026-11-20", "2026-11-21"]
    assert (entry["promotedAt"], entry["claimHash"], entry["origin"]) == (
        old["promotedAt"],
        "abc",
        1,
    )


def test_the_newest_32_queries_and_16_days_are_kept() -> None:
    store = RecallStore()
    for number in range(40):
        day = f"2026-10-{1 + number // 2:02d}"
        met = signal(query=f"query {number}", day=day)
        recording.add(store, [met], kind="recall", now_ms=NOW_MS)
    (entry,) = store.entries.values()
    assert len(entry["queryHashes"]) == 32
    assert entry["queryHashes"][-1] == entries.query_hash("query 39")
    assert entry["recallDays"] == [f"2026-10-{n:02d}" for n in range(5, 21)]


def test_a_daily_signal_counts_once_per_query_and_day() -> None:
    store = RecallStore()
    first = recording.add(store, [signal()], kind="daily", now_ms=NOW_MS)
    again = recording.add(store, [signal()], kind="daily", now_ms=NOW_MS + 1000)
    (entry,) = store.entries.values()
    assert (first.counted, again.repeated, again.changed) == ([entry["key"]], [entry["key"]], False)
    assert (entry["dailyCount"], entry["totalScore"]) == (1, 0.62)
    assert entry["lastRecalledAt"] == NOW_ISO  # nothing new was met
    other_day = signal(day="2026-11-21")
    recording.add(store, [other_day], kind="daily", now_ms=NOW_MS)
    assert entry["dailyCount"] == 2


def test_a_repeated_daily_signal_with_new_text_renews_the_text_only() -> None:
    store = RecallStore()
    recording.add(store, [signal()], kind="daily", now_ms=NOW_MS)
    new = signal(ROUTER + " Confirmed.")
    recording.add(store, [new], kind="daily", now_ms=NOW_MS + 1000)
    (entry,) = store.entries.values()
    assert entry["snippet"].endswith("Confirmed.")
    assert entry["dailyCount"] == 1
    assert entry["lastRecalledAt"] > NOW_ISO


def test_grounded_signals_have_a_key_of_their_own_and_count_several_times() -> None:
    store = recall_rows.store(Workspace(Path("/ws")), row())
    met = signal(score=0.92, times=2, query="update")
    recording.add(store, [met, met], kind="grounded", now_ms=NOW_MS)
    claim = entries.claim_hash(ROUTER)
    entry = store.entries[f"memory:{NOTE}:3:3:{claim}"]
    assert (entry["groundedCount"], entry["totalScore"], entry["claimHash"]) == (2, 1.84, claim)
    assert len(store.entries) == 2


def test_a_recall_of_a_grounded_text_counts_for_its_row() -> None:
    store = RecallStore()
    recording.add(store, [signal(times=2)], kind="grounded", now_ms=NOW_MS)
    recording.add(store, [signal(), signal("other text here")], kind="recall", now_ms=NOW_MS)
    claim = entries.claim_hash(ROUTER)
    assert store.entries[f"memory:{NOTE}:3:3:{claim}"]["recallCount"] == 1
    assert store.entries[f"memory:{NOTE}:3:3"]["snippet"] == "other text here"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path": "MEMORY.md"}, "not-short-term"),
        ({"snippet": " \n"}, "empty"),
        ({"snippet": "Fact <!-- openclaw-memory-promotion:k -->"}, "artefact"),
        ({"snippet": "## Heading"}, "scaffolding"),
        ({"snippet": "User: hello there"}, "transcript"),
    ],
)
@pytest.mark.parametrize("kind", ["recall", "daily"])
def test_what_is_no_statement_is_refused(
    changes: dict[str, Any], reason: str, kind: recording.Kind
) -> None:
    store = RecallStore()
    done = recording.add(store, [signal(**changes)], kind=kind, now_ms=NOW_MS)
    assert [why for _, why in done.refused] == [reason]
    assert not done.changed
    assert store.entries == {}


def test_backfill_takes_turns_of_a_conversation_and_ingestion_takes_them_from_the_corpus() -> None:
    store = RecallStore()
    turn = signal("User: please use the metric system")
    corpus = turn._replace(path="memory/.dreams/session-corpus/2026-11-17.txt")
    assert recording.add(store, [turn], kind="grounded", now_ms=NOW_MS).counted
    assert recording.add(store, [corpus], kind="daily", now_ms=NOW_MS).counted


def test_a_usable_signal_replaces_an_unusable_row() -> None:
    workspace = Workspace(Path("/ws"))
    key = f"memory:{NOTE}:3:3"
    store = recall_rows.store(workspace, entries={key: {"path": "broken"}})
    recording.add(store, [signal()], kind="recall", now_ms=NOW_MS)
    assert store.invalid == {}
    assert store.entries[key]["recallCount"] == 1


# -- a whole search --------------------------------------------------------------------------


def hit(path: str, score: float = 0.5, **changes: Any) -> dict[str, Any]:
    return {
        "path": path, "startLine": 1, "endLine": 6, "score": score, "source": "memory",
        "snippet": ROUTER, **changes,
    }  # fmt: skip


def record(workspace: Workspace, writer: Writer, *hits: dict[str, Any]) -> recording.Recorded:
    return recall.record(workspace, " Router ", hits, day="2026-11-20", writer=writer)


def lines(workspace: Workspace) -> list[Any]:
    return [json.loads(line) for line in workspace.events_path.read_text().splitlines()]


def test_a_search_is_recorded_with_an_event_for_tracked_and_one_for_other_files(
    workspace: Workspace, writer: Writer
) -> None:
    record(workspace, writer, hit("memory/projects.md", 0.6), hit(f"./{NOTE}", 0.4))
    store = recall_store.load(workspace, NOW_MS)
    assert list(store.entries) == [f"memory:{NOTE}:1:6"]
    recorded, skipped = lines(workspace)
    place = {"path": NOTE, "startLine": 1, "endLine": 6, "score": 0.4}
    assert recorded == {
        "type": "memory.recall.recorded",
        "timestamp": NOW_ISO,
        "query": "Router",
        "resultCount": 1,
        "results": [place],
    }
    reason = "non-short-term-memory-path"
    assert skipped == {
        "type": "memory.recall.skipped",
        "timestamp": NOW_ISO,
        "query": "Router",
        "reason": reason,
        "eligibleResultCount": 1,
        "skippedResultCount": 1,
        "results": [
            {
                "path": "memory/projects.md",
                "startLine": 1,
                "endLine": 6,
                "score": 0.6,
                "reason": reason,
            }
        ],
    }


def test_refused_snippets_are_in_the_event_and_not_in_the_store(
    workspace: Workspace, writer: Writer
) -> None:
    record(workspace, writer, hit(NOTE, snippet="- [ ]", endLine=1))
    assert not workspace.recall_path.exists()
    assert lines(workspace)[0]["resultCount"] == 1


@pytest.mark.parametrize("hits", [[], [hit(NOTE, source="sessions")]])
def test_no_hits_of_memory_leave_no_trace(
    workspace: Workspace, writer: Writer, hits: list[dict[str, Any]]
) -> None:
    record(workspace, writer, *hits)
    assert not workspace.dreams_dir.exists()


def test_a_damaged_store_is_left_alone(workspace: Workspace, writer: Writer) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    workspace.recall_path.write_text("{broken")
    with pytest.raises(DamagedStore):
        record(workspace, writer, hit(NOTE))
    assert workspace.recall_path.read_text() == "{broken"
    assert not workspace.events_path.exists()
