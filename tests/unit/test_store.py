"""Loading a store, and the one function that changes it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.errors import Busy, NotWritable, UnreadableFile
from openclaw_cli.sessions import store, transaction, write_path
from openclaw_cli.sessions.maintenance_settings import Settings, Upkeep
from openclaw_cli.sessions.write_path import PURGE_RECORD, Draft
from openclaw_cli.state.clock import DAY_MS, HOUR_MS
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
STAMP = "2026-11-20T03-00-00.000Z"


def row(session_id: str, age_ms: int = 1000, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - age_ms, **fields}


@pytest.fixture
def path(home: Path) -> Path:
    return home / FOLDER / "sessions.json"


@pytest.fixture
def paths(home: Path) -> Paths:
    return Paths.from_env({"HOME": str(home)})


def put(key: str, value: dict[str, Any]) -> Any:
    def change(draft: Draft) -> str:
        draft.rows[key] = value
        return key

    return change


def write(path: Path, paths: Paths, change: Any, **how: Any) -> Any:
    return write_path.update(path, change, paths=paths, now_ms=NOW, command="test", **how)


# Loading


def test_a_missing_store_has_no_rows(path: Path) -> None:
    found = store.load(path)
    assert (found.exists, found.rows, found.stamp) == (False, {}, None)
    assert not path.parent.exists()


def test_an_unusable_store_names_file_reason_backup_and_the_way_out(tree: Tree) -> None:
    path = tree.file(f"{FOLDER}/sessions.json", '{"a": ')
    for name in ("9", "123", "mine", "4x"):
        tree.file(f"{FOLDER}/sessions.json.bak.{name}", "{}")
    with pytest.raises(UnreadableFile) as caught:
        store.load(path)
    error = caught.value
    assert str(path) in error.message
    assert "is not JSON" in error.message
    assert "sessions.json.bak.123" in error.message
    assert "sessions rebuild" in (error.hint or "")
    assert error.code == "store-unreadable"


def test_a_half_written_store_is_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tree.file(f"{FOLDER}/sessions.json", "")
    pauses: list[float] = []

    def writer_finishes(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            path.write_text(json.dumps({"agent:main:main": row("a")}))

    monkeypatch.setattr(store.time, "sleep", writer_finishes)
    assert list(store.load(path).rows) == ["agent:main:main"]
    assert pauses == [0.05, 0.05]


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_something_else_in_the_place_of_the_store_is_refused(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True)
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(UnreadableFile):
        store.load(path)


# Changing


def test_update_creates_the_store_privately(path: Path, paths: Paths) -> None:
    assert write(path, paths, put("agent:main:main", row("a"))) == "agent:main:main"
    assert json.loads(path.read_text()) == {"agent:main:main": row("a")}
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(os.listdir(path.parent)) == ["sessions.json"]


def test_an_unchanged_store_is_not_written(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:main": row("a")})
    before = path.stat()
    write(path, paths, lambda draft: None)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_other_rows_and_unknown_fields_survive(tree: Tree, paths: Paths) -> None:
    odd = {"agent:main:odd": None, "2": [1], "agent:main:x": row("../x", extra={"big": 10**30})}
    path = tree.sessions(odd)
    write(path, paths, put("agent:main:main", row("a")))
    assert json.loads(path.read_text()) == odd | {"agent:main:main": row("a")}
    assert list(json.loads(path.read_text())) == [*odd, "agent:main:main"]


def test_legacy_fields_are_written_in_their_present_form(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:x": row("x", room="r", provider="telegram")})
    write(path, paths, put("agent:main:main", row("a")))
    written = json.loads(path.read_text())["agent:main:x"]
    assert written["groupChannel"] == "r"
    assert written["channel"] == "telegram"
    assert "room" not in written
    assert "provider" not in written


def test_a_damaged_store_is_never_replaced(tree: Tree, paths: Paths) -> None:
    path = tree.file(f"{FOLDER}/sessions.json", '{"agent:main:main": {')
    with pytest.raises(UnreadableFile):
        write(path, paths, put("agent:main:main", row("a")))
    assert path.read_text() == '{"agent:main:main": {'
    assert os.listdir(path.parent) == ["sessions.json"]


def test_a_linked_store_keeps_its_link(tree: Tree, home: Path, paths: Paths) -> None:
    real = tree.json("elsewhere/store.json", {"agent:main:x": row("x")})
    link = home / FOLDER / "sessions.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    write(link, paths, put("agent:main:main", row("a")))
    assert link.is_symlink()
    assert list(json.loads(real.read_text())) == ["agent:main:x", "agent:main:main"]
    assert os.listdir(real.parent) == ["store.json"]


def test_a_writer_without_the_lock_is_noticed_and_the_change_made_again(
    tree: Tree, paths: Paths
) -> None:
    path = tree.sessions({"agent:main:x": row("x")})
    calls = []

    def change(draft: Draft) -> None:
        calls.append(list(draft.rows))
        if len(calls) == 1:  # the other program writes between our reading and our rename
            tree.sessions({"agent:main:x": row("x"), "agent:main:new": row("n")})
        draft.rows["agent:main:main"] = row("a")

    write(path, paths, change)
    assert calls == [["agent:main:x"], ["agent:main:x", "agent:main:new"]]
    assert list(json.loads(path.read_text())) == [
        "agent:main:x", "agent:main:new", "agent:main:main",
    ]  # fmt: skip


def test_a_store_that_never_rests_is_busy_after_three_tries(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:x": row("x")})
    calls = []

    def change(draft: Draft) -> None:
        calls.append(1)
        tree.sessions({"agent:main:x": row("x", len(calls))})
        draft.rows["agent:main:main"] = row("a")

    with pytest.raises(Busy) as caught:
        write(path, paths, change)
    assert len(calls) == 3
    assert caught.value.exit_status == 75
    assert sorted(os.listdir(path.parent)) == ["sessions.json"]


def test_a_full_disk_leaves_the_old_store(
    tree: Tree, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree.sessions({"agent:main:x": row("x")})
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("openclaw_cli.state.files.os.fsync", full)
    with pytest.raises(NotWritable, match="No space left"):
        write(path, paths, put("agent:main:main", row("a")))
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["sessions.json"]


# Transcripts of a session that begins anew


def test_an_archived_transcript_goes_with_the_write(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:main": row("old", label="Main")})
    transcript = tree.transcript("old", [("user", "hello")])

    def change(draft: Draft) -> None:
        before = draft.rows["agent:main:main"]
        draft.archive("agent:main:main", before, rule="daily")
        draft.rows["agent:main:main"] = before | {"sessionId": "new"}

    write(path, paths, change)
    archive = path.parent / f"old.jsonl.reset.{STAMP}"
    assert archive.is_file()
    assert not transcript.exists()
    (line,) = tree.lines(".openclaw/logs/changes.jsonl")
    assert line["rule"] == "daily"
    assert line["key"] == "agent:main:main"
    assert line["row"] == row("old", label="Main")
    assert line["movedTo"] == str(archive)
    assert "sessions restore" in line["undo"]


def test_a_transcript_that_a_row_still_needs_stays(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:main": row("old")})
    transcript = tree.transcript("old", [("user", "hello")])

    def change(draft: Draft) -> None:
        draft.archive("agent:main:main", draft.rows["agent:main:main"], rule="daily")

    write(path, paths, change)
    assert transcript.is_file()


def test_a_transcript_that_cannot_be_archived_keeps_its_row(
    tree: Tree, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree.sessions({"agent:main:main": row("old"), "agent:main:x": row("x")})
    transcript = tree.transcript("old", [("user", "hello")])

    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    def change(draft: Draft) -> None:
        before = draft.rows.pop("agent:main:main")
        draft.archive("agent:main:main", before, rule="gone", reason="deleted")

    with monkeypatch.context() as patch:
        patch.setattr("openclaw_cli.sessions.file_actions.os.rename", refuse)
        write(path, paths, change)
    assert transcript.is_file()
    assert list(json.loads(path.read_text())) == ["agent:main:main", "agent:main:x"]
    assert not (paths.log("changes")).exists()


# Maintenance of ordinary writes


def enforce(**limits: Any) -> Upkeep:
    return Upkeep(settings=Settings(mode="enforce", **limits))


def test_old_rows_go_in_the_same_write_but_not_the_active_one(tree: Tree, paths: Paths) -> None:
    old = 40 * DAY_MS
    path = tree.sessions({"agent:main:a": row("a", old), "agent:main:b": row("b", old)})
    tree.transcript("a", [("user", "hello")])
    tree.transcript("b", [("user", "hello")])
    write(path, paths, lambda d: None, upkeep=enforce(), active_keys=["AGENT:main:A"])
    assert list(json.loads(path.read_text())) == ["agent:main:a"]
    assert (path.parent / "a.jsonl").exists()
    assert (path.parent / f"b.jsonl.deleted.{STAMP}").exists()


def test_ordinary_writes_wait_for_the_high_water(tree: Tree, paths: Paths) -> None:
    rows = {f"agent:main:direct:{n}": row(str(n), n) for n in range(12)}
    path = tree.sessions(rows)
    upkeep = enforce(max_entries=10)  # 11 rows are let be, 12 not: cap + 1
    rows.pop("agent:main:direct:11")
    tree.sessions(rows)
    write(path, paths, lambda d: None, upkeep=enforce(max_entries=50))
    assert len(store.load(path).rows) == 11
    write(path, paths, lambda d: None, upkeep=upkeep)
    assert len(store.load(path).rows) == 10


def test_warn_mode_removes_nothing_and_warns_for_the_active_row(
    tree: Tree, paths: Paths, caplog: pytest.LogCaptureFixture
) -> None:
    path = tree.sessions({"agent:main:a": row("a", 40 * DAY_MS)})
    write(path, paths, lambda d: None, upkeep=Upkeep(), active_keys=["agent:main:a"])
    assert len(store.load(path).rows) == 1
    assert "would evict the active session" in caplog.text


def test_archives_are_purged_once_an_hour(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    name = f"{FOLDER}/x.jsonl.deleted.2026-01-01T00-00-00.000Z"
    first = tree.file(name, "x")
    write(path, paths, lambda d: None, upkeep=enforce())
    assert not first.exists()
    again = tree.file(name, "x")
    write(path, paths, lambda d: None, upkeep=enforce())
    assert again.exists()
    write_path.update(
        path, lambda d: None, paths=paths, now_ms=NOW + HOUR_MS, command="test", upkeep=enforce()
    )
    assert not again.exists()
    assert json.loads(paths.job(PURGE_RECORD).read_text()) == {str(path.parent): NOW + HOUR_MS}


def test_ordinary_writes_never_sweep(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    orphan = tree.file(f"{FOLDER}/orphan.jsonl", "{}\n", mtime=1_000_000)
    write(path, paths, lambda d: None, upkeep=enforce())
    assert orphan.exists()


# Journals


def journal_of(path: Path) -> Path:
    return path.with_name("sessions.json.maintenance")


def test_an_open_journal_is_finished_by_the_next_write(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    gone = tree.transcript("gone", [("user", "hello")])
    kept = tree.transcript("a", [("user", "hello")])
    head = {
        "version": 1, "before": [1, 2, 3], "rewrites": True, "backup": None,
        "moves": [["gone.jsonl", f"gone.jsonl.deleted.{STAMP}", ["agent:main:gone"]],
                  ["a.jsonl", f"a.jsonl.deleted.{STAMP}", ["agent:main:a"]]],
        "removals": ["missing.jsonl"],
    }  # fmt: skip
    change = {
        "ts": "t", "command": "c", "rule": "stale", "what": "session",
        "key": "agent:main:gone", "path": str(gone), "movedTo": f"{gone}.deleted.{STAMP}",
        "row": row("gone"), "undo": None,
    }  # fmt: skip
    journal_of(path).write_text(json.dumps(head) + "\n" + json.dumps(change) + "\n")
    assert transaction.recover(path, paths=paths, now_ms=NOW)
    assert not journal_of(path).exists()
    assert (path.parent / f"gone.jsonl.deleted.{STAMP}").exists()
    assert kept.exists(), "a row points at it by now"
    assert tree.lines(".openclaw/logs/changes.jsonl") == [change]
    assert not transaction.recover(path, paths=paths, now_ms=NOW)


def test_a_journal_whose_store_was_never_written_is_dropped(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    transcript = tree.transcript("a", [("user", "hello")])
    os.link(path, path.with_name("sessions.json.bak.7"))
    head = {
        "version": 1, "before": list(store.stamp_of(path) or ()), "rewrites": True,
        "backup": "sessions.json.bak.7",
        "moves": [["a.jsonl", "a.jsonl.deleted.x", ["agent:main:a"]]], "removals": ["a.jsonl"],
    }  # fmt: skip
    journal_of(path).write_text(json.dumps(head) + "\n")
    assert transaction.recover(path, paths=paths, now_ms=NOW)
    assert sorted(os.listdir(path.parent)) == ["a.jsonl", "sessions.json"]
    assert transcript.exists()


@pytest.mark.parametrize(
    "name", ["../x.jsonl", "/etc/passwd", "sub/../../x", "", "./x", "..", "a//b"]
)
def test_a_journal_that_leads_out_of_the_folder_is_refused(
    tree: Tree, paths: Paths, name: str
) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    head = {"version": 1, "before": None, "rewrites": False, "backup": None, "moves": [],
            "removals": [name]}  # fmt: skip
    journal_of(path).write_text(json.dumps(head) + "\n")
    with pytest.raises(UnreadableFile, match="not one of ours"):
        write(path, paths, put("agent:main:b", row("b")))
    assert len(store.load(path).rows) == 1


def test_a_journal_that_is_a_link_is_refused(tree: Tree, paths: Paths) -> None:
    path = tree.sessions({"agent:main:a": row("a")})
    journal_of(path).symlink_to(path)
    with pytest.raises(Exception, match="symbolic link"):
        write(path, paths, put("agent:main:b", row("b")))
