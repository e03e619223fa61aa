"""``openclaw memory rem-harness`` and ``rem-backfill`` from the outside."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from builders import Tree, contents
from conftest import Result
from recall_rows import row

from openclaw_cli.memory.workspace import Workspace

Run = Callable[..., Result]
HARNESS = ["memory", "rem-harness"]
BACKFILL = ["memory", "rem-backfill"]
NOTE = "# day\n\n## Preferences\n- Prefers short status updates.\n- Always use the metric system.\n"


@pytest.fixture
def notes(tree: Tree) -> Path:
    """Old notes outside of the workspace."""
    tree.dreaming()
    tree.file("old/2026-10-02.md", NOTE)
    tree.file("old/2026-10-01-standup.md", "## Network\n- The router host moved to the cellar.\n")
    tree.file("old/2026-13-01.md", NOTE)
    tree.file("old/readme.md", NOTE)
    tree.file("old/2026-10-03.md/inner.md", NOTE)
    tree.file("old/deeper/2026-10-04.md", NOTE)
    (tree.home / "old/2026-10-05.md").symlink_to(tree.home / "old/2026-10-02.md")
    return tree.home / "old"


# The preview


def test_the_preview_of_notes_leaves_no_trace(
    tree: Tree, notes: Path, openclaw_inproc: Run
) -> None:
    before, scratch = contents(tree.home), set(Path(tempfile.gettempdir()).glob("openclaw-rem*"))
    document = openclaw_inproc(*HARNESS, "--path", "old", "--grounded", "--json").json()
    assert [Path(path).name for path in document["sourceFiles"]] == [
        "2026-10-01-standup.md",
        "2026-10-02.md",
    ]
    assert document["historicalImport"] == {
        "importedFileCount": 2,
        "importedSignalCount": 2,
        "skippedPaths": [],
    }
    assert document["rem"]["sourceEntryCount"] == 2
    assert [file["path"] for file in document["grounded"]["files"]] == [
        "memory/2026-10-01-standup.md",
        "memory/2026-10-02.md",
    ]
    assert document["deep"]["candidateCount"] == len(document["deep"]["candidates"])
    assert contents(tree.home) == before
    assert set(Path(tempfile.gettempdir()).glob("openclaw-rem*")) == scratch
    assert not Path(document["workspaceDir"]).exists()


def test_notes_that_give_nothing_are_named(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file("old/2026-10-01.md", "# day\n")
    tree.file("old/2026-10-02.md", NOTE)
    done = openclaw_inproc(*HARNESS, "--path", "old", "--json").json()
    assert [Path(p).name for p in done["historicalImport"]["skippedPaths"]] == ["2026-10-01.md"]
    shown = openclaw_inproc(*HARNESS, "--path", "old").out
    assert (
        "historicalFiles=2 importedFiles=1 importedSignals=1 skipped=~/old/2026-10-01.md" in shown
    )


def test_a_note_of_a_day_to_come_is_previewed_too(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file("old/2027-10-01.md", NOTE)
    done = openclaw_inproc(*HARNESS, "--path", "old/2027-10-01.md", "--json").json()
    assert done["historicalImport"]["importedFileCount"] == 1


def test_the_caps_of_ingestion_hold(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming(phases={"rem": {"limit": 5}})
    lines = "".join(f"## S{n}\n- A statement of the day {n}.\n" for n in range(15))
    for day in range(1, 6):
        tree.file(f"old/2026-10-0{day}.md", lines)
    found = openclaw_inproc(*HARNESS, "--path", "old", "--json").json()["historicalImport"]
    assert found["importedSignalCount"] == 20
    assert [Path(path).name for path in found["skippedPaths"]] == ["2026-10-01.md"]


@pytest.mark.parametrize("command", [HARNESS, BACKFILL])
@pytest.mark.parametrize("path", ["nowhere", "old/readme.md", "old/deeper/.."])
def test_a_place_without_notes_is_named(
    tree: Tree, openclaw_inproc: Run, command: list[str], path: str
) -> None:
    tree.file("old/readme.md", NOTE)
    tree.file("old/deeper/x.md", NOTE)
    done = openclaw_inproc(*command, "--path", path, "--json")
    assert (done.exit, done.out) == (1, "")
    shown = "~/old" if path.endswith("..") else f"~/{path}"
    assert f"found no YYYY-MM-DD.md files at {shown}." in done.err
    assert done.error["code"] == "no-daily-notes"


def test_the_live_preview_reads_the_store(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming()
    workspace = Workspace(tree.workspace)
    old = row("An old thing of the past.", day="2026-09-01", line=5, recallDays=["2026-09-01"],
              lastRecalledAt="2026-09-01T09:00:00.000Z")  # fmt: skip
    done_before = row("Promoted.", day="2026-11-16", promotedAt="2026-11-18T03:00:00.000Z")
    recall_rows.write(workspace, row(), old, done_before)
    before = contents(tree.home)
    document = openclaw_inproc(*HARNESS, "--json").json()
    assert document["rem"]["sourceEntryCount"] == 2
    assert [one["snippet"] for one in document["deep"]["candidates"]] == [row()["snippet"]]
    both = openclaw_inproc(*HARNESS, "--include-promoted", "--json").json()
    assert both["deep"]["candidateCount"] == 2
    assert contents(tree.home) == before


def test_list_markers_of_notes_are_not_shown_twice(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming()
    recall_rows.write(Workspace(tree.workspace), row("- The kettle is kept in the attic."))
    shown = openclaw_inproc(*HARNESS).out.splitlines()
    assert any(" The kettle is kept in the attic. [" in line for line in shown)
    assert not [line for line in shown if "- - " in line or " - The kettle" in line]
    scene = openclaw_inproc("dreaming", "scene").out.splitlines()
    assert "- The kettle is kept in the attic." in scene


def test_gates_are_open_but_for_age(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming(phases={"deep": {"minScore": 1, "minRecallCount": 99, "limit": 1}})
    recall_rows.write(
        Workspace(tree.workspace), row(), row("Another thing here.", line=4, recallCount=1)
    )
    assert openclaw_inproc(*HARNESS, "--json").json()["deep"]["candidateCount"] == 2


def test_a_limit_of_zero_skips_rem_and_grounds_all_notes(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming(phases={"rem": {"limit": 0}})
    recall_rows.write(Workspace(tree.workspace), row())
    for day in range(1, 10):
        tree.note(f"2026-11-0{day}", NOTE)
    document = openclaw_inproc(*HARNESS, "--grounded", "--json").json()
    assert document["rem"] == {
        "skipped": True,
        "sourceEntryCount": 0,
        "reflections": [],
        "candidateTruths": [],
        "candidateKeys": [],
        "bodyLines": [],
    }
    assert document["grounded"]["scannedFiles"] == 9
    assert "its limit is 0" in openclaw_inproc(*HARNESS).out


def test_the_newest_notes_are_grounded(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming(phases={"rem": {"limit": 2}})
    for day in (7, 8, 9):
        tree.note(f"2026-11-0{day}", NOTE)
    found = openclaw_inproc(*HARNESS, "--grounded", "--json").json()["grounded"]["files"]
    assert [file["path"] for file in found] == ["memory/2026-11-08.md", "memory/2026-11-09.md"]
    shown = openclaw_inproc(*HARNESS, "--grounded").out
    folder = "~/.openclaw/workspace/memory"
    assert f"groundedInputs={folder}/2026-11-08.md, {folder}/2026-11-09.md\n" in shown
    assert "Grounded REM\nmemory/2026-11-08.md\n## What Happened\n" in shown


def test_filler_tags_of_old_entries_are_no_themes(tree: Tree, openclaw_inproc: Run) -> None:
    tags = ["assistant", "the", "1.00", "51-54", "kept", "theme", "greenhouse"]
    recall_rows.write(Workspace(tree.workspace), row(conceptTags=tags))
    lines = openclaw_inproc(*HARNESS, "--json").json()["rem"]["reflections"]
    assert [line for line in lines if line.startswith("- Theme")] == [
        "- Theme: `greenhouse` kept surfacing across 1 memories."
    ]


def test_a_broken_store_is_told(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file(".openclaw/workspace/memory/.dreams/short-term-recall.json", "{")
    done = openclaw_inproc(*HARNESS, "--json")
    assert done.exit == 1
    assert done.error["code"] == "store-unreadable"


def test_settings_are_shown_as_they_are_resolved(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming(
        timezone="Asia/Tokyo", model="a/b", verboseLogging=True, storage={"mode": "both"},
        phases={"rem": {"enabled": False}, "deep": {"maxAgeDays": 7}},
    )  # fmt: skip
    document = openclaw_inproc(*HARNESS, "--json").json()
    config = document["remConfig"]
    assert (config["enabled"], config["timezone"], config["verboseLogging"]) == (
        False,
        "Asia/Tokyo",
        True,
    )
    assert config["execution"]["model"] == "a/b"
    assert config["storage"] == {"mode": "both", "separateReports": False}
    assert document["deepConfig"]["maxAgeDays"] == 7


# The backfill


def test_a_backfill_and_both_rollbacks_leave_no_trace(
    tree: Tree, notes: Path, openclaw_inproc: Run
) -> None:
    tree.note("2026-11-14", NOTE)
    before = contents(tree.home)
    done = openclaw_inproc(*BACKFILL, "--path", "old", "--stage-short-term", "--json")
    assert done.exit == 0, done.err
    document = done.json()
    assert (document["writtenEntries"], document["stagedShortTermEntries"]) == (2, 4)
    assert "not in the workspace's memory folder" in done.err
    assert document["warnings"]
    undone = openclaw_inproc(*BACKFILL, "--rollback", "--rollback-short-term", "--json").json()
    assert (undone["removedEntries"], undone["removedShortTermEntries"]) == (1 + 1, 2)
    kept = {k: v for k, v in contents(tree.home).items() if "/logs/" not in k}
    assert kept == before


def test_the_dry_run_tells_and_writes_nothing(
    tree: Tree, notes: Path, openclaw_inproc: Run
) -> None:
    before = contents(tree.home)
    done = openclaw_inproc(
        *BACKFILL, "--path", "old", "--stage-short-term", "--dry-run", "--exit-code"
    )
    assert done.exit == 3
    assert "dry run: nothing was written" in done.out
    assert "writtenEntries=2" in done.out
    nothing = openclaw_inproc(*BACKFILL, "--rollback", "--dry-run", "--exit-code")
    assert nothing.exit == 0
    assert contents(tree.home) == before


def test_text_of_a_rollback(tree: Tree, notes: Path, openclaw_inproc: Run) -> None:
    openclaw_inproc(*BACKFILL, "--path", "old", "--stage-short-term")
    shown = openclaw_inproc(*BACKFILL, "--rollback", "--rollback-short-term", "--path", "old").out
    assert shown.splitlines() == [
        "REM Backfill (rollback)",
        "workspace=~/.openclaw/workspace",
        "dreamsPath=~/.openclaw/workspace/DREAMS.md",
        "removedEntries=2",
        "shortTermStorePath=~/.openclaw/workspace/memory/.dreams/short-term-recall.json",
        "removedShortTermEntries=2",
    ]


def test_nothing_to_do_is_wrong_usage(tree: Tree, openclaw_inproc: Run) -> None:
    done = openclaw_inproc(*BACKFILL, "--json")
    assert (done.exit, done.out) == (2, "")
    assert done.error["code"] == "usage"


def test_the_agent_is_asked_for(tree: Tree, notes: Path, openclaw_inproc: Run) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    assert openclaw_inproc(*BACKFILL, "--path", "old", "--agent", "Work").exit == 0
    assert (tree.state / "workspace-work/DREAMS.md").exists()
    assert not (tree.workspace / "DREAMS.md").exists()
    assert openclaw_inproc(*HARNESS, "--agent", "nobody").exit == 1
    assert openclaw_inproc(*HARNESS, "--agent", "work", "--json").json()["agentId"] == "work"


def test_notes_of_the_workspace_are_staged_in_place(tree: Tree, openclaw_inproc: Run) -> None:
    tree.note("2026-11-14", NOTE)
    done = openclaw_inproc(
        *BACKFILL, "--path", ".openclaw/workspace/memory", "--stage-short-term", "--json"
    )
    assert done.json()["warnings"] == []
    entries = tree.read(".openclaw/workspace/memory/.dreams/short-term-recall.json")["entries"]
    assert {one["startLine"] for one in entries.values()} == {4, 5}


def test_what_was_staged_can_be_promoted_by_the_next_sweep(
    tree: Tree, openclaw_inproc: Run
) -> None:
    gates = {"minScore": 0.5, "minUniqueQueries": 2}
    tree.dreaming(phases={"deep": gates, "light": {"limit": 0}, "rem": {"limit": 0}})
    tree.note("2026-11-14", NOTE)
    openclaw_inproc(*BACKFILL, "--path", ".openclaw/workspace/memory", "--stage-short-term")
    done = openclaw_inproc("dreaming", "sweep", "--no-diary", "--json")
    assert done.exit == 0, done.err
    text = (tree.workspace / "MEMORY.md").read_text()
    assert "Prefers short status updates." in text
    assert "Always use the metric system." in text


def test_too_large_notes_are_left_out(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file("old/2026-10-01.md", "## A\n" + "- log line of a dump\n" * 60_000)
    tree.file("old/2026-10-02.md", NOTE)
    done = openclaw_inproc(*BACKFILL, "--path", "old", "--json")
    document = done.json()
    assert (len(document["sourceFiles"]), document["groundedFiles"]) == (2, 1)
    assert document["writtenEntries"] == 1
    assert "2026-10-01.md is too large" in done.err


def test_a_held_lock_is_busy(tree: Tree, notes: Path, openclaw: Run) -> None:
    import os

    path = tree.workspace / "memory/.dreams/short-term-promotion.lock"
    path.parent.mkdir(parents=True)
    path.write_text(f"{os.getpid()}:{1_795_143_600_000}\n")
    done = openclaw(*BACKFILL, "--path", "old", env={"OPENCLAW_LOCK_TIMEOUT": "0.2"})
    assert done.exit == 75
    assert not (tree.workspace / "DREAMS.md").exists()


def test_both_documents_are_plain_json(tree: Tree, notes: Path, openclaw_inproc: Run) -> None:
    for words in ([*HARNESS, "--path", "old"], [*BACKFILL, "--path", "old"]):
        out: Any = json.loads(openclaw_inproc(*words, "--json").out)
        assert out["sourcePath"] == str(tree.home / "old")
