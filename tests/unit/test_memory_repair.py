"""Audit and repair of the recall store and of what dreaming left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_ISO, NOW_MS, row

from openclaw_cli.errors import Busy, NotAllowed
from openclaw_cli.memory import artifacts, audit, repair
from openclaw_cli.memory.recall_store import Writer
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

DEAD_LOCK = "99999999:1000\n"


@pytest.fixture
def workspace(home: Path) -> Workspace:
    workspace = Workspace(home / ".openclaw/workspace")
    workspace.dreams_dir.mkdir(parents=True)
    return workspace


@pytest.fixture
def writer() -> Writer:
    return Writer(Paths.from_env(), NOW_MS, "memory status --fix")


def codes(report: dict[str, Any]) -> list[tuple[str, str, bool]]:
    return [(one["code"], one["severity"], one["fixable"]) for one in report["issues"]]


def test_the_audit_counts_before_retention(workspace: Workspace) -> None:
    rows = [row(f"fact {n}", line=n + 1) for n in range(513)]
    rows[0]["promotedAt"] = NOW_ISO
    rows[1]["recallDays"] = ["2026-11-01"]
    rows[2]["conceptTags"] = []
    rows[3]["conceptTags"] = ["路由器"]
    recall_rows.write(workspace, *rows)
    report = audit.audit(workspace, NOW_MS)
    assert list(report) == [
        "storePath", "lockPath", "updatedAt", "exists", "entryCount", "promotedCount",
        "spacedEntryCount", "conceptTaggedEntryCount", "conceptTagScripts", "invalidEntryCount",
        "issues",
    ]  # fmt: skip
    counts = [report[name] for name in ("entryCount", "promotedCount", "spacedEntryCount")]
    assert counts == [513, 1, 512]
    assert report["conceptTaggedEntryCount"] == 512
    assert report["conceptTagScripts"]["cjkEntryCount"] == 1
    assert codes(report) == [("recall-store-over-limit", "warn", True)]
    assert "513 entries; only the newest 512" in report["issues"][0]["message"]


def test_a_missing_store_has_no_script_counts(workspace: Workspace) -> None:
    report = audit.audit(workspace, NOW_MS)
    assert report["exists"] is False
    assert "conceptTagScripts" not in report
    assert "updatedAt" not in report


@pytest.mark.parametrize(
    ("content", "code", "severity", "fixable"),
    [
        ("", "recall-store-empty", "warn", True),
        ("{", "recall-store-unreadable", "error", False),
        ('{"entries": {"k": 5}}', "recall-store-invalid", "warn", True),
    ],
)
def test_broken_stores_are_issues(
    workspace: Workspace, content: str, code: str, severity: str, fixable: bool
) -> None:
    workspace.recall_path.write_text(content)
    assert codes(audit.audit(workspace, NOW_MS)) == [(code, severity, fixable)]


def test_the_count_of_invalid_rows_is_told_in_words(workspace: Workspace) -> None:
    recall_rows.write(workspace, entries={"a": 1})
    message = "Short-term recall store contains 1 invalid entry."
    assert audit.audit(workspace, NOW_MS)["issues"][0]["message"] == message
    recall_rows.write(workspace, entries={"a": 1, "b": 2})
    message = "Short-term recall store contains 2 invalid entries."
    assert audit.audit(workspace, NOW_MS)["issues"][0]["message"] == message


@pytest.mark.parametrize(
    ("content", "age_s", "stale"),
    [
        (DEAD_LOCK, 3600, True),
        (f"{os.getppid()}:1000\n", 3600, False),
        ("", 3600, True),
        ("", 1, False),
    ],
)
def test_a_lock_is_stale_when_its_owner_is_gone(
    workspace: Workspace, content: str, age_s: int, stale: bool
) -> None:
    workspace.lock_path.write_text(content)
    then = NOW_MS / 1000 - age_s
    os.utime(workspace.lock_path, (then, then))
    found = codes(audit.audit(workspace, NOW_MS))
    assert found == ([("recall-lock-stale", "warn", True)] if stale else [])


# -- repair ----------------------------------------------------------------------------------


def test_repair_drops_invalid_rows_into_the_change_log(
    workspace: Workspace, writer: Writer
) -> None:
    good = row(conceptTags=["stale"], recallDays=[])
    recall_rows.write(workspace, good, entries={good["key"]: good, "broken": {"path": "x"}})
    workspace.lock_path.write_text(DEAD_LOCK)
    done = repair.repair(workspace, writer)
    assert done.to_json() == {
        "changed": True,
        "removedInvalidEntries": 1,
        "removedOverflowEntries": 0,
        "rewroteStore": True,
        "removedStaleLock": True,
    }
    assert not workspace.lock_path.exists()
    entries = json.loads(workspace.recall_path.read_text())["entries"]
    assert list(entries) == [good["key"]]
    assert entries[good["key"]]["recallDays"] == ["2026-11-19"]
    assert entries[good["key"]]["conceptTags"][:3] == ["gateway", "router", "vlan"]
    (change,) = [json.loads(line) for line in writer.paths.log("changes").read_text().splitlines()]
    assert (change["key"], change["row"], change["rule"]) == (
        "broken",
        {"path": "x"},
        "invalid-entry",
    )


def test_a_second_repair_changes_nothing(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row())
    assert repair.repair(workspace, writer).rewrote
    text = workspace.recall_path.read_text()
    later = writer._replace(now_ms=NOW_MS + 60_000)
    assert repair.repair(workspace, later).to_json()["changed"] is False
    assert workspace.recall_path.read_text() == text


def test_repair_keeps_the_512_best_rows(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, *[row(f"fact {n}", line=n + 1) for n in range(515)])
    done = repair.repair(workspace, writer)
    assert done.removed_overflow == 3
    assert len(json.loads(workspace.recall_path.read_text())["entries"]) == 512
    assert len(writer.paths.log("changes").read_text().splitlines()) == 3


def test_a_last_day_that_cannot_be_read_becomes_today(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row(lastRecalledAt="some day", recallDays=["2026-11-01"]))
    repair.repair(workspace, writer)
    (entry,) = json.loads(workspace.recall_path.read_text())["entries"].values()
    assert entry["recallDays"] == ["2026-11-01", "2026-11-20"]


def test_the_last_day_is_counted_in_utc(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row(lastRecalledAt="2026-11-18T22:30:00-05:00", recallDays=[]))
    repair.repair(workspace, writer)
    (entry,) = json.loads(workspace.recall_path.read_text())["entries"].values()
    assert entry["recallDays"] == ["2026-11-19"]


def test_scaffolding_rows_of_old_stores_stay(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row("## Heading only"))
    repair.repair(workspace, writer)
    assert len(json.loads(workspace.recall_path.read_text())["entries"]) == 1


def test_a_blank_store_becomes_an_empty_one(workspace: Workspace, writer: Writer) -> None:
    workspace.recall_path.write_text(" \n")
    assert repair.repair(workspace, writer).to_json()["rewroteStore"] is True
    document = json.loads(workspace.recall_path.read_text())
    assert document == {"version": 1, "updatedAt": NOW_ISO, "entries": {}}


@pytest.mark.parametrize("content", [b"{broken", b"\xff\xfe", b"["])
def test_a_store_that_is_no_json_is_moved_aside(
    workspace: Workspace, writer: Writer, content: bytes
) -> None:
    workspace.recall_path.write_bytes(content)
    done = repair.repair(workspace, writer)
    assert done.moved_aside is not None
    aside = Path(done.moved_aside)
    assert aside.name == "short-term-recall.json.corrupt-2026-11-20T03-00-00.000Z"
    assert aside.read_bytes() == content
    assert json.loads(workspace.recall_path.read_text())["entries"] == {}
    assert codes(audit.audit(workspace, NOW_MS)) == []


def test_repair_of_a_missing_store_creates_nothing(workspace: Workspace, writer: Writer) -> None:
    assert repair.repair(workspace, writer).changed is False
    assert list(workspace.dreams_dir.iterdir()) == []


def test_a_linked_store_is_not_repaired(
    workspace: Workspace, writer: Writer, tmp_path: Path
) -> None:
    target = tmp_path / "target.json"
    target.write_text("{broken")
    workspace.recall_path.symlink_to(target)
    with pytest.raises(NotAllowed):
        repair.repair(workspace, writer)
    assert target.read_text() == "{broken"


def test_repair_waits_for_a_living_owner(
    workspace: Workspace, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCLAW_LOCK_TIMEOUT", "0")
    recall_rows.write(workspace, row())
    workspace.lock_path.write_text(f"{os.getppid()}:1000\n")
    with pytest.raises(Busy):
        repair.repair(workspace, writer)


# -- dreaming artifacts ----------------------------------------------------------------------

SELF = (
    "[main/s.jsonl#L2] User: Write a dream diary entry from these memory fragments: "
    "dreaming-narrative-light"
)


def corpus(workspace: Workspace, name: str, *lines: str) -> Path:
    workspace.corpus_dir.mkdir(parents=True, exist_ok=True)
    path = workspace.corpus_dir / name
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_clean_workspace_has_no_findings(workspace: Workspace) -> None:
    corpus(workspace, "2026-11-19.txt", "[main/s.jsonl#L2] User: hello", "dreaming-narrative-x")
    corpus(workspace, "note.md", SELF)
    report = artifacts.audit(workspace)
    assert report["issues"] == []
    assert report["sessionCorpusFileCount"] == 1
    assert report["sessionIngestionExists"] is False
    assert "dreamsPath" not in report


def test_self_ingested_lines_are_counted(workspace: Workspace) -> None:
    corpus(workspace, "2026-11-19.txt", SELF, SELF, "fine")
    corpus(workspace, "2026-11-18.txt", SELF)
    (workspace.root / "dreams.md").write_text("x")
    report = artifacts.audit(workspace)
    assert report["suspiciousSessionCorpusFileCount"] == 2
    assert report["suspiciousSessionCorpusLineCount"] == 3
    assert codes(report) == [("dreaming-session-corpus-self-ingested", "warn", True)]
    assert "(3 suspicious lines)" in report["issues"][0]["message"]
    assert report["dreamsPath"].endswith("dreams.md")


def test_unreadable_diary_and_checkpoint_are_errors(workspace: Workspace) -> None:
    (workspace.root / "DREAMS.md").mkdir()
    workspace.session_ingestion_path.symlink_to("loop")
    assert codes(artifacts.audit(workspace)) == [
        ("dreaming-diary-unreadable", "error", False),
        ("dreaming-session-ingestion-unreadable", "error", False),
    ]


def test_repair_moves_corpus_and_checkpoint_and_never_the_diary(workspace: Workspace) -> None:
    corpus(workspace, "2026-11-19.txt", SELF)
    workspace.session_ingestion_path.write_text("{}")
    (workspace.root / "DREAMS.md").write_text("mine")
    done = artifacts.repair(workspace, NOW_MS)
    assert done.archived_corpus
    assert done.archived_ingestion
    assert not done.archived_diary
    folder = workspace.root / ".openclaw-repair/dreaming/2026-11-20T03-00-00-000Z"
    assert done.archive_dir == str(folder)
    moved = sorted(path.name.rsplit(".", 1)[0] for path in folder.iterdir())
    assert moved == ["session-corpus", "session-ingestion.json"]
    assert (workspace.root / "DREAMS.md").read_text() == "mine"
    assert artifacts.repair(workspace, NOW_MS).archive_dir is None


def test_the_diary_is_moved_only_on_request(workspace: Workspace) -> None:
    (workspace.root / "dreams.md").write_text("mine")
    planned = artifacts.repair(workspace, NOW_MS, diary=True, dry_run=True)
    assert planned.archived_diary
    assert (workspace.root / "dreams.md").exists()
    done = artifacts.repair(workspace, NOW_MS, diary=True)
    assert done.to_json()["archivedDreamsDiary"] is True
    assert not (workspace.root / "dreams.md").exists()


def test_a_corpus_that_cannot_be_read_is_an_error(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus(workspace, "2026-11-19.txt", SELF)

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    found = codes(artifacts.audit(workspace))
    assert found == [("dreaming-session-corpus-unreadable", "error", False)]


def test_links_are_left_in_place_with_a_warning(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    workspace.corpus_dir.symlink_to(tmp_path / "away")
    done = artifacts.repair(workspace, NOW_MS)
    assert not done.archived_corpus
    assert len(done.warnings) == 1
    assert workspace.corpus_dir.is_symlink()
