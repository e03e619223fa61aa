"""``openclaw dreaming sweep``: what a sweep reads, counts, writes and says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

W = ".openclaw/workspace"
DREAMS = f"{W}/memory/.dreams"
STORE = f"{DREAMS}/short-term-recall.json"
SIGNALS = f"{DREAMS}/phase-signals.json"
NIGHTS = [f"2026-11-{day}T03:00:00Z" for day in range(20, 28)]
ROUTER = "Router vlan 20 carries the backup traffic to the gateway host."
KETTLE = "The kettle stands on the left shelf of the pantry."

Run = Callable[..., Any]


def snapshot(home: Path) -> dict[str, bytes]:
    return {str(p.relative_to(home)): p.read_bytes() for p in home.rglob("*") if p.is_file()}


def entries(tree: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = tree.read(STORE)["entries"]
    return {key.removeprefix("memory:memory/"): row for key, row in found.items()}


def events(tree: Any, phase: str) -> list[dict[str, Any]]:
    return [row for row in tree.lines(f"{DREAMS}/events.jsonl") if row.get("phase") == phase]


def said(tree: Any, session: str, *texts: str, start: str = "2026-11-19T10:{:02d}:00.000Z") -> Path:
    """A transcript of one person's messages, a minute apart."""
    rows: list[Any] = [{"type": "session", "version": 3, "id": session}]
    rows += [
        {
            "type": "message",
            "timestamp": start.format(n),
            "message": {"role": "user", "content": text},
        }
        for n, text in enumerate(texts)
    ]
    path: Path = tree.jsonl(f".openclaw/agents/main/sessions/{session}.jsonl", rows)
    return path


def corpus(tree: Any, day: str = "2026-11-19") -> list[str]:
    path = tree.home / f"{DREAMS}/session-corpus/{day}.txt"
    return path.read_text().splitlines() if path.exists() else []


def recalled(path: str, line: int, snippet: str, **fields: Any) -> dict[str, Any]:
    """An entry with enough evidence to be promoted."""
    return {
        "key": f"memory:{path}:{line}:{line}", "path": path, "startLine": line, "endLine": line,
        "source": "memory", "snippet": snippet, "recallCount": 6, "dailyCount": 2,
        "groundedCount": 0, "totalScore": 7.4, "maxScore": 0.96,
        "firstRecalledAt": "2026-11-14T09:00:00.000Z", "lastRecalledAt": "2026-11-19T18:00:00.000Z",
        "queryHashes": ["a1", "b2", "c3", "d4", "e5"],
        "recallDays": ["2026-11-14", "2026-11-16", "2026-11-18", "2026-11-19"],
        "conceptTags": ["backup", "gateway", "router", "vlan", "carries", "traffic"],
    } | fields  # fmt: skip


def store(tree: Any, *rows: dict[str, Any]) -> None:
    document = {"version": 1, "updatedAt": "2026-11-19T18:00:00.000Z"}
    tree.json(STORE, document | {"entries": {row["key"]: row for row in rows}})


# A dry run, and when a sweep runs


def test_dry_run_says_what_the_run_does_and_writes_nothing(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(storage={"mode": "both"})
    tree.note("2026-11-19", f"## Network\n- {ROUTER}\n\n- {KETTLE}\n")
    tree.note("2026-11-10", f"- {ROUTER}\n")
    store(tree, recalled("memory/2026-11-10.md", 1, ROUTER))
    said(tree, "s1", "The violin lesson moves to Thursday at five.")
    before = snapshot(tree.home)
    dry = openclaw_inproc("dreaming", "sweep", "--dry-run", "--json")
    assert (dry.exit, snapshot(tree.home)) == (0, before)
    run = openclaw_inproc("dreaming", "sweep", "--json")
    assert run.exit == 0
    told, done = dry.json()["workspaces"][0], run.json()["workspaces"][0]
    assert done.pop("diary")["reason"] == "no-model"
    assert told.pop("diary") == {"status": "skipped", "reason": "dry-run"}
    assert told == done
    assert done["deep"]["applied"] == 1
    assert done["light"]["messages"] == 1


def test_dry_run_exit_code(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n")
    assert openclaw_inproc("dreaming", "sweep", "--dry-run", "--exit-code").exit == 3
    openclaw_inproc("dreaming", "sweep")
    later = openclaw_inproc("dreaming", "sweep", "--if-due", "--dry-run", "--exit-code", "--json")
    assert (later.exit, later.json()["reason"]) == (0, "not-due")


def test_switched_off_does_nothing_unless_forced(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(enabled=False)
    tree.note("2026-11-19", f"- {KETTLE}\n")
    before = snapshot(tree.home)
    off = openclaw_inproc("dreaming", "sweep", "--json")
    assert (off.exit, snapshot(tree.home)) == (0, before)
    assert off.json() | {"workspaces": []} == {
        "ran": False, "reason": "disabled", "dryRun": False, "nextRunAtMs": None, "workspaces": [],
    }  # fmt: skip
    forced = openclaw_inproc("dreaming", "sweep", "--force", "--json").json()
    assert (forced["ran"], forced["workspaces"][0]["light"]["staged"]) == (True, 1)


def test_if_due_catches_up_once(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(frequency="0 3 * * *")
    tree.note("2026-11-19", f"- {KETTLE}\n")

    def due(now: str) -> tuple[bool, Any]:
        found = openclaw_inproc("dreaming", "sweep", "--if-due", "--json", now=now).json()
        return found["ran"], found["reason"]

    assert due("2026-11-20T02:59:00Z") == (True, None)  # yesterday's slot is less than a day old
    assert due("2026-11-20T02:59:30Z") == (False, "not-due")
    assert due("2026-11-20T03:00:00Z") == (True, None)
    assert due("2026-11-24T12:00:00Z") == (True, None)  # four slots, one sweep
    assert due("2026-11-24T12:00:01Z") == (False, "not-due")
    openclaw_inproc("dreaming", "sweep", now="2026-11-25T08:00:00Z")  # by hand: counts
    assert due("2026-11-25T09:00:00Z") == (False, "not-due")


def test_failed_sweep_waits_for_the_next_slot(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.file(f"{W}/memory/dreaming", "in the way")
    first = openclaw_inproc("dreaming", "sweep", "--if-due", now=NIGHTS[0])
    again = openclaw_inproc("dreaming", "sweep", "--if-due", "--json", now="2026-11-20T04:00:00Z")
    assert (first.exit, again.exit, again.json()["reason"]) == (1, 0, "not-due")
    assert openclaw_inproc("dreaming", "sweep", "--if-due", now=NIGHTS[1]).exit == 1


# Evidence


def test_waiting_is_no_evidence(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n\n{ROUTER}\n")
    for night in NIGHTS:
        assert openclaw_inproc("dreaming", "sweep", now=night).exit == 0
    assert {row["dailyCount"] for row in entries(tree).values()} == {1}
    assert {tuple(row["recallDays"]) for row in entries(tree).values()} == {("2026-11-20",)}
    assert not (tree.home / f"{W}/MEMORY.md").exists()


@pytest.mark.parametrize(
    "line",
    ["حفل زفاف ليلى يوم السبت", "Запасной ключ висит за щитком", "मीरा को मूंगफली से एलर्जी है", KETTLE],
)
def test_waiting_is_no_evidence_in_any_script(tree: Any, openclaw_inproc: Run, line: str) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {line}\n")
    found = recalled("memory/2026-11-19.md", 1, f"- {line}", recallCount=1, dailyCount=0)
    store(tree, found | {"queryHashes": ["a1"], "recallDays": ["2026-11-19"]})
    for night in NIGHTS:
        assert openclaw_inproc("dreaming", "sweep", now=night).exit == 0
    assert [row["dailyCount"] for row in entries(tree).values()] == [1]


def test_touching_a_note_without_changing_a_line_is_no_evidence(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.dreaming()
    for number, night in enumerate(NIGHTS[:4]):
        tree.note("2026-11-19", f"- {KETTLE}\n" + "\nmore words below\n" * number)
        openclaw_inproc("dreaming", "sweep", now=night)
    assert entries(tree)["2026-11-19.md:1:1"]["dailyCount"] == 1


def test_moved_line_keeps_its_evidence(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- A line on top of it.\n\n- {ROUTER}\n")
    store(tree, recalled("memory/2026-11-19.md", 1, ROUTER))
    row = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"][0]
    assert [one["key"] for one in row["deep"]["promoted"]] == ["memory:memory/2026-11-19.md:3:3"]
    found = entries(tree)
    assert found["2026-11-19.md:3:3"]["recallCount"] == 6
    assert found["2026-11-19.md:1:1"]["recallCount"] == 0


def test_rewritten_line_starts_afresh_and_the_old_row_is_kept(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n")
    store(tree, recalled("memory/2026-11-19.md", 1, ROUTER))
    openclaw_inproc("dreaming", "sweep")
    fresh = entries(tree)["2026-11-19.md:1:1"]
    assert (fresh["snippet"], fresh["recallCount"], fresh["dailyCount"]) == (KETTLE, 0, 1)
    (change,) = tree.lines(".openclaw/logs/changes.jsonl")
    assert (change["rule"], change["row"]["snippet"]) == ("claim-changed", ROUTER)


def test_hits_count_once_a_day(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(frequency="0 */6 * * *")
    tree.note("2026-11-19", f"- {KETTLE}\n")
    for hour in ("03", "09", "15", "21"):
        openclaw_inproc("dreaming", "sweep", now=f"2026-11-20T{hour}:00:00Z")
    (row,) = tree.read(SIGNALS)["entries"].values()
    assert (row["lightHits"], row["lastLightAt"]) == (1, "2026-11-20T21:00:00.000Z")
    openclaw_inproc("dreaming", "sweep", now=NIGHTS[1])
    (row,) = tree.read(SIGNALS)["entries"].values()
    assert row["lightHits"] == 2


# Notes


def test_each_note_has_one_row_and_is_read_once_a_day(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    for day in ("2026-11-12", "2026-11-15", "2026-11-19"):
        tree.note(day, f"- {KETTLE} It is {day}.\n")

    def read(now: str) -> tuple[int, int]:
        row = openclaw_inproc("dreaming", "sweep", "--json", now=now).json()["workspaces"][0]
        return row["light"]["notesRead"], row["rem"]["notesRead"]

    assert read(NIGHTS[0]) == (1, 1)
    rows = tree.read(f"{DREAMS}/daily-ingestion.json")["files"]
    assert sorted(rows) == ["memory/2026-11-15.md", "memory/2026-11-19.md"]
    assert read("2026-11-20T15:00:00Z") == (0, 0)
    assert tree.read(f"{DREAMS}/daily-ingestion.json")["files"] == rows


def test_notes_of_days_to_come_are_left_alone(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(timezone="America/Los_Angeles")  # it is still the 19th there
    tree.note("2026-11-20", f"- {KETTLE}\n")
    tree.note("2026-11-19", f"- {ROUTER}\n")
    found = openclaw_inproc("dreaming", "sweep", "--json")
    assert list(entries(tree)) == ["2026-11-19.md:1:1"]
    assert "2026-11-20.md" in found.json()["workspaces"][0]["warnings"][0]
    assert "2026-11-20.md" in found.err
    openclaw_inproc("dreaming", "sweep", now="2026-11-20T12:00:00Z")
    assert sorted(entries(tree)) == ["2026-11-19.md:1:1", "2026-11-20.md:1:1"]


def test_own_blocks_are_never_read_back(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(storage={"mode": "inline"}, phases={"light": {"lookbackDays": 7}})
    for number, night in enumerate(NIGHTS[:5]):
        note = tree.home / f"{W}/memory/2026-11-{20 + number}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        with note.open("a") as out:
            out.write(f"\n- Bought blue paint number {number} for the garden shed.\n")
        assert openclaw_inproc("dreaming", "sweep", now=night).exit == 0
    texts = [row["snippet"] for row in entries(tree).values()]
    assert all(text.startswith("Bought blue paint") for text in texts)
    assert len(set(texts)) == 5
    # The line of the last night was moved by that night's own blocks; the next joins it.
    assert [texts.count(text) for text in sorted(set(texts))[:4]] == [1, 1, 1, 1]
    note = (tree.home / f"{W}/memory/2026-11-24.md").read_text()
    assert note.count("<!-- openclaw:dreaming:light:start -->") == 1
    assert note.count("<!-- openclaw:dreaming:rem:start -->") == 1
    assert (tree.home / f"{W}/memory/2026-11-24.md").stat().st_mode & 0o777 == 0o600


def test_secret_in_a_note_is_neither_stored_nor_promoted(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    line = "The guest wifi password is Blaubeere-77-Kanne since May."
    tree.note("2026-11-19", f"- {line}\n")
    tree.note("2026-11-10", f"- {line}\n")
    store(tree, recalled("memory/2026-11-10.md", 1, line))
    found = openclaw_inproc("dreaming", "sweep", "--json")
    row = found.json()["workspaces"][0]
    assert (row["deep"]["applied"], row["deep"]["rejected"][0]["reason"]) == (0, "secret")
    assert "snippet" not in row["deep"]["rejected"][0]
    assert "***" in entries(tree)["2026-11-19.md:1:1"]["snippet"]
    notes = ("2026-11-10.md", "2026-11-19.md")
    copies = {name: data for name, data in snapshot(tree.home).items() if not name.endswith(notes)}
    assert [name for name, data in copies.items() if b"Kanne" in data] == []
    assert "Kanne" not in found.out


# Conversations


def test_chat_is_taken_redacted_into_corpus_and_store(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    said(tree, "s1", "Call Robin at +1 555 0100 22 about the violin.", "mail robin@example.com")
    openclaw_inproc("dreaming", "sweep")
    assert corpus(tree) == [
        "[main/sessions/main/s1.jsonl#L2] User: Call Robin at *** about the violin.",
        "[main/sessions/main/s1.jsonl#L3] User: mail ***",
    ]
    path = tree.home / f"{DREAMS}/session-corpus/2026-11-19.txt"
    assert path.stat().st_mode & 0o777 == 0o600
    (first, _second) = entries(tree).values()
    assert (first["path"], first["totalScore"]) == (
        "memory/.dreams/session-corpus/2026-11-19.txt",
        0.58,
    )


def test_own_patterns_are_honoured_and_a_bad_one_stops_the_sweep(
    tree: Any, openclaw_inproc: Run
) -> None:
    block = {"memory-core": {"config": {"dreaming": {"enabled": True}}}}
    tree.config(plugins={"entries": block}, logging={"redactPatterns": ["Projekt \\w+"]})
    said(tree, "s1", "We speak of Projekt Nachtfalke tomorrow.")
    openclaw_inproc("dreaming", "sweep")
    assert "Nachtfalke" not in "".join(corpus(tree))
    tree.config(plugins={"entries": block}, logging={"redactPatterns": ["("]})
    bad = openclaw_inproc("dreaming", "sweep")
    assert bad.exit == 1
    assert "logging.redactPatterns[0]" in bad.err + bad.out


def test_messages_for_rem_only_are_not_passed_over(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    said(tree, "old", "The orchard gate sticks in wet weather.", start="2026-11-15T10:{:02d}:00Z")
    said(tree, "new", "The violin lesson moves to Thursday.")
    row = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"][0]
    assert (row["light"]["messages"], row["rem"]["messages"]) == (1, 1)
    assert len(corpus(tree, "2026-11-15")) == 1
    again = openclaw_inproc("dreaming", "sweep", "--json", now=NIGHTS[1]).json()["workspaces"][0]
    assert (again["light"]["messages"], again["rem"]["messages"]) == (0, 0)


def test_long_conversation_is_taken_in_slices_each_message_once(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.dreaming()
    texts = [f"Message number {n} has some words." for n in range(300)]
    times = [f"2026-11-19T{10 + n // 60}:{n % 60:02d}:00Z" for n in range(300)]
    rows = [
        {"type": "message", "timestamp": at, "message": {"role": "user", "content": text}}
        for at, text in zip(times, texts, strict=True)
    ]
    tree.jsonl(".openclaw/agents/main/sessions/s1.jsonl", rows)
    for hour in range(3, 6):
        openclaw_inproc("dreaming", "sweep", now=f"2026-11-20T0{hour}:00:00Z")
    assert [line.partition("User: ")[2] for line in corpus(tree)] == texts


def test_grown_transcript_goes_on_at_its_cursor(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    said(tree, "s1", "First message of some length.", "Second message of some length.")
    openclaw_inproc("dreaming", "sweep")
    checkpoint = tree.home / f"{DREAMS}/session-ingestion.json"
    document = json.loads(checkpoint.read_text())
    document["seenMessages"] = {}  # as if more than 4096 messages had come since
    checkpoint.write_text(json.dumps(document))
    said(tree, "s1", "First message of some length.", "Second message of some length.",
         "Third message of some length.")  # fmt: skip
    openclaw_inproc("dreaming", "sweep", now=NIGHTS[1])
    assert [line.partition("User: ")[2] for line in corpus(tree)] == [
        "First message of some length.", "Second message of some length.",
        "Third message of some length.",
    ]  # fmt: skip


def test_rewritten_transcript_is_read_from_the_start_without_repeating(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.dreaming()
    said(tree, "s1", "First message of some length.", "Second message of some length.")
    openclaw_inproc("dreaming", "sweep")
    said(tree, "s1", "A changed first message here.", "Second message of some length.")
    openclaw_inproc("dreaming", "sweep", now=NIGHTS[1])
    assert len(corpus(tree)) == 3


def test_unreadable_session_store_leaves_its_transcripts_out(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n")
    said(tree, "s1", "The violin lesson moves to Thursday.")
    tree.file(".openclaw/agents/main/sessions/sessions.json", "{ broken")
    found = openclaw_inproc("dreaming", "sweep", "--json")
    assert found.exit == 0
    assert "agent main are left out" in found.json()["workspaces"][0]["warnings"][0]
    assert corpus(tree) == []
    assert len(entries(tree)) == 1


# Phases, failures, locks


@pytest.mark.parametrize("block", [{"enabled": False}, {"limit": 0}])
def test_deep_switch_is_for_deep_only(
    tree: Any, openclaw_inproc: Run, block: dict[str, Any]
) -> None:
    tree.dreaming(phases={"deep": block})
    tree.note("2026-11-19", f"- {KETTLE}\n")
    row = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"][0]
    assert (row["light"]["staged"], row["deep"]["status"]) == (1, "skipped")
    assert not (tree.home / f"{W}/DREAMS.md").exists()


def test_failing_phase_is_logged_and_ends_the_workspace(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n")
    tree.file(f"{W}/memory/dreaming/rem", "in the way")
    found = openclaw_inproc("dreaming", "sweep", "--json")
    row = found.json()["workspaces"][0]
    assert (found.exit, row["error"].split(":")[0]) == (1, "rem")
    assert [row[phase]["status"] for phase in ("light", "rem", "deep")] == [
        "completed", "failed", "skipped",
    ]  # fmt: skip
    (event,) = events(tree, "rem")
    assert list(event) == [
        "type", "timestamp", "phase", "outcome", "error", "lineCount", "storageMode",
    ]  # fmt: skip
    assert (event["outcome"], event["lineCount"]) == ("failed", 0)
    assert events(tree, "deep") == []
    assert len(entries(tree)) == 1


def test_linked_diary_fails_deep_after_its_promotion(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-10", f"- {ROUTER}\n")
    store(tree, recalled("memory/2026-11-10.md", 1, ROUTER))
    elsewhere = tree.file("elsewhere.md", "mine\n")
    (tree.home / f"{W}/DREAMS.md").symlink_to(elsewhere)
    found = openclaw_inproc("dreaming", "sweep", "--json")
    assert (found.exit, found.json()["workspaces"][0]["deep"]["status"]) == (1, "failed")
    assert elsewhere.read_text() == "mine\n"
    assert ROUTER in (tree.home / f"{W}/MEMORY.md").read_text()
    assert "symbolic link" in events(tree, "deep")[0]["error"]


def test_broken_recall_store_fails_its_workspace_only(tree: Any, openclaw_inproc: Run) -> None:
    tree.config(
        agents={"list": [{"id": "main"}, {"id": "work", "workspace": str(tree.home / "work")}]},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    )
    tree.file(STORE, "{ not json")
    tree.note("2026-11-19", f"- {KETTLE}\n")
    tree.file("work/memory/2026-11-19.md", f"- {ROUTER}\n")
    before = snapshot(tree.home / W)
    found = openclaw_inproc("dreaming", "sweep", "--json")
    broken, fine = found.json()["workspaces"]
    assert found.exit == 1
    assert "short-term-recall.json" in broken["error"]
    assert "memory status --fix" in broken["hint"]
    assert snapshot(tree.home / W) == before
    assert fine["light"]["staged"] == 1
    one = openclaw_inproc("dreaming", "sweep", "--agent", "work", "--json", now=NIGHTS[1])
    assert (one.exit, len(one.json()["workspaces"])) == (0, 1)


def test_half_a_character_in_the_store_spoils_no_report(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming(storage={"mode": "both"})
    tree.note("2026-11-19", f"- {KETTLE}\n")
    row = recalled("memory/2026-11-19.md", 9, "Half \ud800 a character")
    tree.file(STORE, json.dumps({"version": 1, "entries": {row["key"]: row}}))
    for hour in ("03", "09"):
        assert openclaw_inproc("dreaming", "sweep", now=f"2026-11-20T{hour}:00:00Z").exit == 0
    for path in (tree.home / W).rglob("*.md"):
        path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", ["phase-signals.json", "daily-ingestion.json", "session-ingestion.json"]
)
@pytest.mark.parametrize("broken", ["", "{ not json", "[]", '{"files": 7}', "\\ud800"])
def test_broken_helper_files_are_kept_aside_and_started_anew(
    tree: Any, openclaw_inproc: Run, name: str, broken: str
) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {KETTLE}\n")
    said(tree, "s1", "The violin lesson moves to Thursday.")
    tree.file(f"{DREAMS}/{name}", broken)
    found = openclaw_inproc("dreaming", "sweep", "--json")
    assert found.exit == 0, found.err
    assert json.loads((tree.home / f"{DREAMS}/{name}").read_text())
    aside = list((tree.home / DREAMS).glob(f"{name}.corrupt-*"))
    warned = found.json()["workspaces"][0]["warnings"]
    if '"files"' not in broken or name != "phase-signals.json":
        assert [path.read_text() for path in aside] == [broken]
        assert name in warned[0]


def test_half_usable_checkpoints_keep_their_good_rows(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    path = tree.note("2026-11-19", f"- {KETTLE}\n")
    said(tree, "s1", "The violin lesson moves to Thursday.")
    openclaw_inproc("dreaming", "sweep")
    for name, junk in (("daily-ingestion.json", {"mtimeMs": "x"}), ("session-ingestion.json", 7)):
        document = tree.read(f"{DREAMS}/{name}")
        document["files"]["memory/junk.md"] = junk
        tree.json(f"{DREAMS}/{name}", document)
    row = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"][0]
    assert (row["light"]["notesRead"], row["light"]["messages"]) == (0, 0)
    assert path.exists()


@pytest.mark.parametrize("place", ["session-corpus", "events.jsonl"])
def test_linked_state_is_refused(tree: Any, openclaw_inproc: Run, place: str) -> None:
    tree.dreaming()
    said(tree, "s1", "The violin lesson moves to Thursday.")
    (tree.home / "elsewhere").mkdir()
    (tree.home / DREAMS).mkdir(parents=True)
    target = tree.home / "elsewhere" / ("" if place == "session-corpus" else "log")
    (tree.home / DREAMS / place).symlink_to(target)
    found = openclaw_inproc("dreaming", "sweep")
    assert found.exit == 1
    assert "symbolic link" in found.out + found.err
    assert list((tree.home / "elsewhere").iterdir()) == []


def test_locked_workspace_is_left_out(tree: Any, openclaw_inproc: Run) -> None:
    tree.config(
        agents={"list": [{"id": "main"}, {"id": "work", "workspace": str(tree.home / "work")}]},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    )
    holder = {"pid": 1, "createdAt": "2026-11-20T02:59:00.000Z"}
    tree.json(f"{DREAMS}/sweep.lock", holder)
    both = openclaw_inproc("dreaming", "sweep", "--json")
    locked, fine = both.json()["workspaces"]
    assert (both.exit, both.json()["ran"]) == (75, True)
    assert (locked["locked"], locked["pid"]) == (True, 1)
    assert "error" not in fine
    alone = openclaw_inproc("dreaming", "sweep", "--agent", "main", "--json")
    assert (alone.exit, alone.json()["ran"], alone.json()["reason"]) == (75, False, "locked")
    assert "pid=1" in alone.err
    assert (tree.home / f"{DREAMS}/sweep.lock").exists()


def test_unknown_agent_and_wrong_settings_are_errors(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    assert openclaw_inproc("dreaming", "sweep", "--agent", "nobody").exit == 1
    tree.dreaming(timezone="Mars/Olympus")
    wrong = openclaw_inproc("dreaming", "sweep", "--json")
    assert (wrong.exit, wrong.out) == (1, "")
    assert "timezone" in wrong.error["message"]


def test_default_workspace_is_swept_beside_agents_with_their_own(
    tree: Any, openclaw_inproc: Run
) -> None:
    tree.config(
        agents={"list": [{"id": "work", "workspace": str(tree.home / "work")}]},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    )
    (tree.home / "work").mkdir()
    found = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"]
    assert [os.path.basename(row["workspaceDir"]) for row in found] == ["work"]
    tree.note("2026-11-19", f"- {KETTLE}\n")
    found = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"]
    assert [row["agentIds"] for row in found] == [["work"], []]


def test_text_tells_what_was_promoted_and_what_was_not(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-10", f"- {ROUTER}\n")
    store(
        tree,
        recalled("memory/2026-11-10.md", 1, ROUTER),
        recalled("memory/2026-11-10.md", 2, f"- A line that is gone for good {'x' * 80}."),
        recalled("memory/2026-11-10.md", 3, "Hardly ever met.", recallCount=1, dailyCount=0),
    )
    text = openclaw_inproc("dreaming", "sweep").out
    assert f"promoted: {ROUTER} [memory/2026-11-10.md:1-1 score=0.988]" in text
    shown = f"A line that is gone for good {'x' * 50}… [memory/2026-11-10.md:2-2]"
    assert f"not promoted: {shown}: its text is not in" in text
    assert "stopped by a gate: recallCount 1" in text
    assert "Diary: an entry without words for Deep in ~/.openclaw/workspace/DREAMS.md" in text


def test_one_of_a_kind_is_told_in_the_singular(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    tree.note("2026-11-19", f"- {ROUTER}\n")
    said(tree, "s1", KETTLE)
    text = openclaw_inproc("dreaming", "sweep").out
    assert "Light: 1 note and 1 message read, 2 new signals, 2 staged" in text
    tree.note("2026-11-20", f"- {KETTLE}\n")
    text = openclaw_inproc("dreaming", "sweep").out
    assert "Light: 1 note and 0 messages read, 1 new signal, " in text


def test_rows_that_leave_the_store_go_to_the_change_log(tree: Any, openclaw_inproc: Run) -> None:
    tree.dreaming()
    rows = [recalled("memory/2026-11-01.md", n + 1, f"Statement {n} of many.", recallCount=0,
                     dailyCount=1, totalScore=0.6) for n in range(514)]  # fmt: skip
    store(tree, *rows, recalled("memory/2026-11-01.md", 0, "", source="elsewhere"))
    row = openclaw_inproc("dreaming", "sweep", "--json").json()["workspaces"][0]
    repaired = row["deep"]["repaired"]
    assert (repaired["removedInvalidEntries"], repaired["removedOverflowEntries"]) == (1, 2)
    rules = [change["rule"] for change in tree.lines(".openclaw/logs/changes.jsonl")]
    assert sorted(rules) == ["invalid-entry", "recall-store-limit", "recall-store-limit"]
    report = (tree.home / f"{W}/memory/dreaming/deep/2026-11-20.md").read_text()
    assert "rewrote recall store (-1 invalid, -2 overflow)." in report
