"""``openclaw memory`` and ``memory status``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import ROUTER, row

from openclaw_cli.memory.workspace import Workspace

Run = Callable[..., Any]


@pytest.fixture
def workspace(home: Path) -> Workspace:
    workspace = Workspace(home / ".openclaw/workspace")
    recall_rows.note(workspace, "2026-11-17", "# day", "", ROUTER)
    recall_rows.write(workspace, row())
    return workspace


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_group_alone_prints_its_help(openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory")
    assert result.exit == 0
    assert "promote-explain" in result.out


def test_status_of_an_empty_home_creates_nothing(openclaw_inproc: Run, home: Path) -> None:
    result = openclaw_inproc("memory", "status")
    assert result.exit == 0
    assert "memory directory missing (~/.openclaw/workspace/memory)" in result.out
    assert files(home) == set()


def test_every_agent_is_reported_in_list_order(openclaw_inproc: Run, tree: Any) -> None:
    tree.config(agents={"list": [{"id": "b"}, {"id": "a", "default": True}]})
    reports = openclaw_inproc("memory", "status", "--json").json()
    assert [report["agentId"] for report in reports] == ["b", "a"]
    (only,) = openclaw_inproc("memory", "status", "--json", "--agent", "B").json()
    assert only["agentId"] == "b"


def test_the_report_has_the_documented_keys(openclaw_inproc: Run, workspace: Workspace) -> None:
    (report,) = openclaw_inproc("memory", "status", "--json").json()
    assert list(report) == ["agentId", "status", "scan", "audit", "dreamingAudit"]
    assert report["scan"]["totalFiles"] == 1
    (fixed,) = openclaw_inproc("memory", "status", "--json", "--fix").json()
    assert list(fixed) == ["agentId", "status", "scan", "audit", "repair", "dreamingAudit"]


def test_dreaming_is_shown_phase_by_phase(
    openclaw_inproc: Run, workspace: Workspace, tree: Any
) -> None:
    assert "Dreaming: off\n" in openclaw_inproc("memory", "status").out
    tree.dreaming(timezone="Europe/Berlin", phases={"rem": {"enabled": False}})
    out = openclaw_inproc("memory", "status").out
    assert (
        "Dreaming: light=0 3 * * * (Europe/Berlin) · limit=100 · lookbackDays=2 · "
        "deep=0 3 * * * (Europe/Berlin) · limit=10 · minScore=0.8 · minRecallCount=3 · "
        "minUniqueQueries=3 · recencyHalfLifeDays=14 · maxAgeDays=30 · "
        "maxPromotedSnippetTokens=160\n"
    ) in out


def test_findings_name_the_fix_and_the_fix_works(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.write(workspace, row(), entries={"a": 1, row()["key"]: row()})
    workspace.lock_path.write_text("99999999:1000\n")
    out = openclaw_inproc("memory", "status").out
    assert "  Short-term recall store contains 1 invalid entry." in out
    assert "  Short-term promotion lock appears stale." in out
    assert "  Fix: openclaw memory status --fix --agent main" in out
    fixed = openclaw_inproc("memory", "status", "--fix").out
    assert "Repair: rewrote store (-1 invalid) · removed stale lock" in fixed
    assert "Issues:" not in fixed
    assert "Repair: no changes" in openclaw_inproc("memory", "status", "--fix").out


def test_a_dry_run_of_the_fix_writes_nothing_and_says_what_it_would(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.write(workspace, entries={"a": 1})
    workspace.lock_path.write_text("99999999:1000\n")
    workspace.corpus_dir.mkdir()
    line = "User: Write a dream diary entry from these memory fragments dreaming-narrative-x\n"
    (workspace.corpus_dir / "2026-11-19.txt").write_text(line)
    before = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    words = ("memory", "status", "--fix", "--dry-run")
    result = openclaw_inproc(*words, "--exit-code")
    assert result.exit == 3
    assert "Repair (dry run): rewrote store (-1 invalid) · removed stale lock" in result.out
    assert "Dream repair (dry run): archived session corpus" in result.out
    after = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    assert before == after
    planned = openclaw_inproc(*words, "--json").json()[0]
    done = openclaw_inproc("memory", "status", "--fix", "--json").json()[0]
    assert planned["repair"] == done["repair"]
    assert openclaw_inproc(*words, "--exit-code").exit == 0


def test_a_broken_store_is_not_moved_by_a_dry_run(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.recall_path.write_text("{broken")
    result = openclaw_inproc("memory", "status", "--fix", "--dry-run")
    assert "moved the unreadable store to" in result.out
    assert [path.name for path in workspace.dreams_dir.iterdir()] == ["short-term-recall.json"]


def test_a_store_that_a_newer_release_took_away_is_named(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.recall_path.rename(f"{workspace.recall_path}.migrated")
    result = openclaw_inproc("memory", "status")
    assert "moved into a database by a newer release" in result.out


def test_a_broken_store_is_reported_and_moved_aside_on_request(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.recall_path.write_text("{broken")
    result = openclaw_inproc("memory", "status")
    assert result.exit == 0
    assert "Short-term recall store is unreadable: error." in result.out
    assert "is not JSON" in result.out
    fixed = openclaw_inproc("memory", "status", "--fix")
    assert fixed.exit == 0
    assert (
        "Repair: moved the unreadable store to ~/.openclaw/workspace/memory/.dreams/" in fixed.out
    )
    (aside,) = workspace.dreams_dir.glob("*.corrupt-*")
    assert aside.read_text() == "{broken"
    (change,) = openclaw_inproc("changes", "--json").json()["changes"]
    assert change["what"] == "recall-store"
    assert change["path"] == str(workspace.recall_path)
    assert change["movedTo"] == str(aside)
    assert openclaw_inproc("memory", "promote").exit == 0


def test_self_ingested_corpus_is_archived_by_the_fix(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    workspace.corpus_dir.mkdir()
    line = "User: Write a dream diary entry from these memory fragments dreaming-narrative-x\n"
    (workspace.corpus_dir / "2026-11-19.txt").write_text(line)
    out = openclaw_inproc("memory", "status").out
    assert "1 corpus file · ingestion state absent · 1 suspicious line" in out
    fixed = openclaw_inproc("memory", "status", "--fix").out
    assert "Dream repair: archived session corpus" in fixed
    assert "Dream archive: ~/.openclaw/workspace/.openclaw-repair/dreaming/2026-11-20T" in fixed
    assert not workspace.corpus_dir.exists()
    (change,) = openclaw_inproc("changes", "--json").json()["changes"]
    assert (change["what"], change["path"]) == ("archive", str(workspace.corpus_dir))
    assert change["movedTo"].startswith(str(workspace.repair_dir / "dreaming"))


def test_switched_off_search_leaves_out_agents_without_memory_only(
    openclaw_inproc: Run, workspace: Workspace, tree: Any, home: Path
) -> None:
    tree.config(
        agents={
            "defaults": {"memorySearch": {"enabled": False}},
            "list": [{"id": "main"}, {"id": "new"}],
        }
    )
    result = openclaw_inproc("memory", "status", "--json")
    assert result.exit == 0
    assert [report["agentId"] for report in result.json()] == ["main"]
    assert result.err.count("Memory search disabled") == 2


def test_a_failing_agent_does_not_hide_the_others(
    openclaw_inproc: Run, home: Path, tree: Any
) -> None:
    tree.config(
        agents={"list": [{"id": "one", "workspace": "~/a"}, {"id": "two", "workspace": "~/b"}]}
    )
    for name in ("a", "b"):
        recall_rows.write(Workspace(home / name), row())
    broken = Workspace(home / "a").recall_path
    broken.rename(home / "elsewhere.json")
    broken.symlink_to(home / "elsewhere.json")
    result = openclaw_inproc("memory", "status", "--fix", "--json")
    assert result.exit == 1
    first, second = result.json()
    assert first["error"]["code"] == "not-allowed"
    assert second["repair"]["changed"] is True
    text = openclaw_inproc("memory", "status", "--fix")
    assert text.exit == 1
    assert "Failed: short-term recall store" in text.out


def test_a_busy_store_is_exit_75(openclaw_inproc: Run, workspace: Workspace) -> None:
    workspace.lock_path.write_text(f"{os.getppid()}:1795143600000\n")
    result = openclaw_inproc("memory", "status", "--fix", env={"OPENCLAW_LOCK_TIMEOUT": "0"})
    assert result.exit == 75
    assert openclaw_inproc("memory", "status").exit == 0


def test_index_is_brought_up_to_date_on_request(
    openclaw_inproc: Run, workspace: Workspace, tree: Any
) -> None:
    tree.config(agents={"defaults": {"memorySearch": {"provider": "none"}}})
    out = openclaw_inproc("memory", "status", "--index").out
    assert out.startswith("Memory index complete.\n")
    assert "Embeddings: skipped" in out
    (report,) = openclaw_inproc("memory", "status", "--json").json()
    assert report["status"]["files"] == 1


def test_control_characters_of_stored_text_never_reach_the_terminal(
    openclaw_inproc: Run, workspace: Workspace
) -> None:
    recall_rows.write(workspace, row("\x1b[31mred\x1b[0m \x07fact of the day"))
    out = openclaw_inproc("memory", "promote").out
    assert "red fact of the day" in out
    assert "\x1b" not in out
    document = openclaw_inproc("memory", "promote", "--json")
    assert json.loads(document.out)["candidates"][0]["snippet"].startswith("\x1b")
