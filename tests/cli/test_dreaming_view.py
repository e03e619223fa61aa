"""The Dreams view: ``dreaming diary``, ``scene``, the actions, the ``doctor.memory`` methods."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from builders import Tree, contents
from conftest import Result
from recall_rows import ROUTER, row

from openclaw_cli.memory.workspace import Workspace

Run = Callable[..., Result]
DREAMING = ["dreaming"]
START, END = "<!-- openclaw:dreaming:diary:start -->", "<!-- openclaw:dreaming:diary:end -->"
FALLBACK = "<!-- openclaw:dreaming:fallback -->"
NOTE = "# day\n\n## Preferences\n- Prefers short status updates.\n"
DIARY = f"""# Mine

# Dream Diary

{START}
---

*November 12, 2026 at 3:00 AM UTC*

First paragraph.

Second paragraph.

---

*November 14, 2026 at 3:00 AM UTC*

{FALLBACK}

A quiet night.

---

*November 13, 2026 at 3:00 PM GMT+9*

In between.
{END}

Closing words.
"""
STAGED = "memory:memory/2026-11-10.md:4:4:0123456789ab"


def staged(**changes: Any) -> dict[str, Any]:
    return row("Prefers tea.", day="2026-11-10", line=4, key=STAGED, recallCount=0,
               groundedCount=3, totalScore=2.66, claimHash="0123456789ab", **changes)  # fmt: skip


@pytest.fixture
def workspace(tree: Tree) -> Workspace:
    tree.dreaming(timezone="UTC")
    tree.workspace.mkdir(parents=True)
    return Workspace(tree.workspace)


def call(run: Run, method: str, **params: Any) -> Any:
    done = run("gateway", "call", f"doctor.memory.{method}", "--params", json.dumps(params))
    assert done.exit == 0, done.err
    return done.json()


# Reading


def test_entries_come_newest_first_with_their_kind(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    (workspace.root / "DREAMS.md").write_text(DIARY)
    tree.note("2026-11-10", NOTE)
    openclaw_inproc(*DREAMING, "backfill-diary")
    document = openclaw_inproc(*DREAMING, "diary", "--json").json()
    assert document["found"] is True
    assert (document["path"], document["count"]) == ("DREAMS.md", 4)
    assert [(one["day"], one["kind"]) for one in document["entries"]] == [
        ("2026-11-14", "fallback"),
        ("2026-11-13", "diary"),
        ("2026-11-12", "diary"),
        ("2026-11-10", "backfill"),
    ]
    third = document["entries"][2]
    assert third["date"] == "November 12, 2026 at 3:00 AM UTC"
    assert third["text"] == "First paragraph.\n\nSecond paragraph."
    assert "content" not in document


def test_the_limit_takes_the_newest_and_tells_of_the_rest(
    workspace: Workspace, openclaw_inproc: Run
) -> None:
    (workspace.root / "DREAMS.md").write_text(DIARY)
    shown = openclaw_inproc(*DREAMING, "diary", "--limit", "1").out
    assert shown.splitlines() == [
        "November 14, 2026 at 3:00 AM UTC (no words were found)",
        "",
        "A quiet night.",
        "",
        "2 older entries; a larger --limit shows them.",
    ]


def test_earlier_years_are_read_too_and_nothing_twice(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    (workspace.root / "DREAMS.md").write_text(DIARY)
    moved = "*November 12, 2026 at 3:00 AM UTC*\n\nFirst paragraph.\n\nSecond paragraph.\n"
    older = "*May 1, 2025 at 3:00 AM UTC*\n\nLong ago.\n"
    for year, text in ((2026, moved), (2025, older)):
        tree.file(
            f".openclaw/workspace/memory/dreaming/diary-{year}.md",
            f"# Dream Diary {year}\n\n---\n\n{text}",
        )
    document = openclaw_inproc(*DREAMING, "diary", "--json").json()
    assert [one["day"] for one in document["entries"]] == [
        "2026-11-14",
        "2026-11-13",
        "2026-11-12",
        "2025-05-01",
    ]
    assert document["entries"][3]["path"] == "memory/dreaming/diary-2025.md"


def test_raw_shows_the_file(workspace: Workspace, openclaw_inproc: Run) -> None:
    (workspace.root / "dreams.md").write_text(DIARY)
    assert openclaw_inproc(*DREAMING, "diary", "--raw").out == DIARY
    document = openclaw_inproc(*DREAMING, "diary", "--raw", "--json").json()
    assert (document["path"], document["content"]) == ("dreams.md", DIARY)


def test_without_a_diary_there_is_nothing_to_read(
    workspace: Workspace, openclaw_inproc: Run
) -> None:
    assert openclaw_inproc(*DREAMING, "diary").out == "No diary entries.\n"
    assert openclaw_inproc(*DREAMING, "diary", "--raw").out == "No diary.\n"
    document = openclaw_inproc(*DREAMING, "diary", "--json").json()
    assert (document["found"], document["entries"]) == (False, [])
    assert call(openclaw_inproc, "dreamDiary") == {
        "agentId": "main",
        "found": False,
        "path": "DREAMS.md",
    }


def test_a_linked_diary_is_not_followed(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    tree.file("secret.md", DIARY)
    (workspace.root / "DREAMS.md").symlink_to(tree.home / "secret.md")
    done = openclaw_inproc(*DREAMING, "diary", "--json")
    assert (done.exit, done.json()["found"], done.json()["entries"]) == (0, False, [])
    assert "symbolic link" in done.err
    assert "content" not in call(openclaw_inproc, "dreamDiary")


def test_terminal_codes_in_the_diary_stay_off_the_terminal(
    workspace: Workspace, openclaw_inproc: Run
) -> None:
    (workspace.root / "DREAMS.md").write_text(DIARY.replace("In between", "In \x1b[31mred\x07"))
    for words in (["diary"], ["diary", "--raw"]):
        shown = openclaw_inproc(*DREAMING, *words).out
        assert "\x1b" not in shown
        assert "\x07" not in shown


# Writing


def test_each_command_answers_as_its_method(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    def both(command: str, method: str) -> Any:
        ours = openclaw_inproc(*DREAMING, command, "--dry-run", "--json").json()
        theirs = call(openclaw_inproc, method)
        assert theirs.keys() <= ours.keys()
        same = theirs.keys() - {"changed", "found"}
        assert {name: ours[name] for name in same} == {name: theirs[name] for name in same}
        return theirs

    tree.note("2026-11-10", NOTE)
    (workspace.root / "DREAMS.md").write_text(DIARY)
    recall_rows.write(workspace, row(), staged())
    filled = both("backfill-diary", "backfillDreamDiary")
    assert (filled["action"], filled["found"]) == ("backfill", True)
    assert (filled["scannedFiles"], filled["written"], filled["replaced"]) == (1, 1, 0)
    assert "source=memory/2026-11-10.md -->" in (workspace.root / "DREAMS.md").read_text()
    deduped = both("dedupe-diary", "dedupeDreamDiary")
    assert (deduped["removedEntries"], deduped["dedupedEntries"], deduped["keptEntries"]) == (
        0,
        0,
        4,
    )
    reset = both("reset-diary", "resetDreamDiary")
    assert (reset["action"], reset["removedEntries"]) == ("reset", 1)
    assert (workspace.root / "DREAMS.md").read_text() == DIARY
    grounded = both("reset-grounded", "resetGroundedShortTerm")
    assert grounded["removedShortTermEntries"] == 1
    assert list(tree.read(".openclaw/workspace/memory/.dreams/short-term-recall.json")["entries"]) \
        == [row()["key"]]  # fmt: skip


@pytest.mark.parametrize(
    "command", ["backfill-diary", "reset-diary", "dedupe-diary", "reset-grounded", "repair"]
)
def test_a_dry_run_of_an_action_writes_nothing(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run, command: str
) -> None:
    copy = "*November 12, 2026 at 3:00 AM UTC*\n\nFirst paragraph.\n\nSecond paragraph.\n"
    old = "*May 1, 2026*\n\n<!-- openclaw:dreaming:backfill-entry day=x source=y -->\n\nOld."
    text = DIARY.replace(END, f"\n---\n\n{copy}\n---\n\n{old}\n{END}")
    (workspace.root / "DREAMS.md").write_text(text)
    tree.note("2026-11-10", NOTE)
    recall_rows.write(workspace, staged())
    workspace.session_ingestion_path.write_text("{}")
    before = contents(workspace.root)
    done = openclaw_inproc(*DREAMING, command, "--dry-run", "--exit-code", "--json")
    assert done.exit == 3
    assert done.json()["changed"] is True
    assert "Would" in openclaw_inproc(*DREAMING, command, "--dry-run").out
    assert contents(workspace.root) == before
    assert openclaw_inproc(*DREAMING, command).exit == 0
    assert contents(workspace.root) != before
    again = openclaw_inproc(*DREAMING, command, "--dry-run", "--exit-code")
    assert again.exit == 0, again.out


def test_actions_on_an_empty_workspace_do_nothing(
    workspace: Workspace, openclaw_inproc: Run
) -> None:
    for command in ("backfill-diary", "reset-diary", "dedupe-diary", "reset-grounded", "repair"):
        done = openclaw_inproc(*DREAMING, command, "--json")
        assert (done.exit, done.json()["changed"]) == (0, False)
    assert list(workspace.root.iterdir()) == []
    assert call(openclaw_inproc, "backfillDreamDiary")["found"] is False


def test_a_repair_moves_and_deletes_nothing(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    tree.file(".openclaw/workspace/memory/.dreams/session-corpus/2026-11-19.txt", "line\n")
    workspace.session_ingestion_path.write_text("{}")
    (workspace.root / "DREAMS.md").write_text(DIARY)
    document = openclaw_inproc(*DREAMING, "repair", "--json").json()
    assert document["archivedSessionCorpus"] is True
    assert document["archivedDreamsDiary"] is False
    folder = Path(document["archiveDir"])
    assert folder == workspace.repair_dir / "dreaming/2026-11-20T03-00-00-000Z"
    assert sorted(path.name.partition(".")[0] for path in folder.iterdir()) == [
        "session-corpus",
        "session-ingestion",
    ]
    assert (workspace.root / "DREAMS.md").exists()
    assert not workspace.corpus_dir.exists()
    moved = {line["path"] for line in tree.lines(".openclaw/logs/changes.jsonl")}
    assert moved == {str(workspace.corpus_dir), str(workspace.session_ingestion_path)}
    assert call(openclaw_inproc, "repairDreamingArtifacts", archiveDiary=True)["changed"] is True
    assert not (workspace.root / "DREAMS.md").exists()


def test_a_repair_leaves_links_where_they_are(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    tree.file("elsewhere/2026-11-19.txt", "line\n")
    workspace.dreams_dir.mkdir(parents=True)
    workspace.corpus_dir.symlink_to(tree.home / "elsewhere")
    done = openclaw_inproc(*DREAMING, "repair", "--json")
    assert done.json()["changed"] is False
    assert "symbolic link" in done.err
    assert workspace.corpus_dir.is_symlink()


def test_actions_work_for_another_agent(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.file(".openclaw/workspace-work/memory/2026-11-10.md", NOTE)
    assert openclaw_inproc(*DREAMING, "backfill-diary", "--agent", "work").exit == 0
    assert (tree.state / "workspace-work/DREAMS.md").exists()
    assert call(openclaw_inproc, "dreamDiary", agentId="work")["found"] is True
    assert openclaw_inproc(*DREAMING, "diary", "--agent", "nobody").exit == 1


# The scene


def test_the_lanes_of_the_scene(workspace: Workspace, openclaw_inproc: Run) -> None:
    mixed = row("Both kinds.", line=5, groundedCount=3)
    newer = row("Promoted today.", line=6, promotedAt="2026-11-20T01:00:00.000Z",
                recallCount=1, groundedCount=3)  # fmt: skip
    older = row("Promoted before.", line=7, promotedAt="2026-11-19T01:00:00.000Z")
    other = row("Not short-term.", line=8, path="memory/topic.md")
    recall_rows.write(workspace, row(), staged(), mixed, older, newer, other)
    document = openclaw_inproc(*DREAMING, "scene", "--json").json()
    shown = {
        lane: [(one["snippet"], one["origin"]) for one in document[lane]]
        for lane in ("staged", "grounded", "promoted")
    }
    assert shown == {
        "staged": [("Both kinds.", "mixed"), (ROUTER, "live")],
        "grounded": [("Both kinds.", "mixed"), ("Prefers tea.", "from daily log")],
        "promoted": [("Promoted today.", "mixed"), ("Promoted before.", "live")],
    }
    assert [one["groundedLed"] for one in document["promoted"]] == [True, False]
    assert document["promotedToday"] == 1
    assert document["nextRunAtMs"] == 1_795_230_000_000
    text = openclaw_inproc(*DREAMING, "scene").out
    assert "Grounded (2)" in text
    assert "led by the backfill" in text


def test_a_broken_store_is_part_of_the_scene(workspace: Workspace, openclaw_inproc: Run) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    workspace.recall_path.write_text("{")
    done = openclaw_inproc(*DREAMING, "scene", "--json")
    assert done.exit == 0
    assert "not JSON" in done.json()["storeError"]


# The methods


def test_status_counts_one_agent_or_all(tree: Tree, openclaw_inproc: Run) -> None:
    tree.dreaming()
    config = json.loads((tree.state / "openclaw.json").read_text())
    tree.config(**config, agents={"list": [{"id": "main"}, {"id": "work"}]})
    recall_rows.write(Workspace(tree.workspace), row())
    recall_rows.write(Workspace(tree.state / "workspace-work"), row(), staged())
    total = call(openclaw_inproc, "status")["dreaming"]
    assert (total["shortTermCount"], total["groundedSignalCount"]) == (3, 3)
    assert "storePath" not in total
    one = call(openclaw_inproc, "status", agentId="work")
    assert (one["agentId"], one["dreaming"]["shortTermCount"]) == ("work", 2)
    assert one["dreaming"]["storePath"].endswith(
        "workspace-work/memory/.dreams/short-term-recall.json"
    )
    assert one["embedding"]["ok"] is one["embedding"]["checked"] is False


def test_the_harness_method_is_bounded(
    workspace: Workspace, tree: Tree, openclaw_inproc: Run
) -> None:
    rows = [row(f"Statement number {n} of it.", line=n) for n in range(1, 121)]
    recall_rows.write(workspace, *rows)
    for day in range(1, 13):
        tree.note(f"2026-10-{day:02}", NOTE)
    document = call(openclaw_inproc, "remHarness", grounded=True)
    assert document["ok"] is True
    assert document["deep"]["candidateLimit"] == len(document["deep"]["candidates"]) == 25
    assert document["deep"]["truncated"] is True
    assert document["grounded"]["scannedFiles"] == 10
    most = call(openclaw_inproc, "remHarness", limit=5000)["deep"]
    assert most["candidateLimit"] == len(most["candidates"]) == 100
    assert call(openclaw_inproc, "remHarness")["grounded"] is None


def test_the_harness_method_tells_a_failure_in_its_answer(
    workspace: Workspace, openclaw_inproc: Run
) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    workspace.recall_path.write_text("{")
    document = call(openclaw_inproc, "remHarness")
    assert document["ok"] is False
    assert "short-term-recall.json" in document["error"]


def test_parameters_are_checked(workspace: Workspace, openclaw_inproc: Run) -> None:
    for method, params in (("remHarness", {"limit": 0}), ("dreamDiary", {"path": "/etc"})):
        done = openclaw_inproc(
            "gateway", "call", f"doctor.memory.{method}", "--params", json.dumps(params)
        )
        assert done.exit == 1
        assert "INVALID_REQUEST" in done.err or "invalid" in done.err
