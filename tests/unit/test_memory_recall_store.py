"""The recall store on disk, phase signals and the event log."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_ISO, NOW_MS, row

from openclaw_cli.errors import Busy, NotAllowed, UnreadableFile
from openclaw_cli.memory import events, recall_store, signals
from openclaw_cli.memory.recall_store import DamagedStore, RecallStore, Writer
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths


@pytest.fixture
def workspace(home: Path) -> Workspace:
    return Workspace(home / ".openclaw/workspace")


@pytest.fixture
def writer() -> Writer:
    return Writer(Paths.from_env(), NOW_MS, "memory test")


def test_a_missing_store_is_empty_and_nothing_is_created(workspace: Workspace) -> None:
    store = recall_store.load(workspace, NOW_MS)
    assert (store.entries, store.exists, store.updated_at) == ({}, False, None)
    assert not workspace.root.exists()


def test_a_byte_order_mark_is_no_damage(workspace: Workspace) -> None:
    recall_rows.write(workspace, row())
    workspace.recall_path.write_bytes(b"\xef\xbb\xbf" + workspace.recall_path.read_bytes())
    assert list(recall_store.load(workspace, NOW_MS).entries) == [row()["key"]]


def test_rows_come_in_file_order_and_unusable_ones_apart(workspace: Workspace) -> None:
    good, other = row(line=9), row(line=3)
    recall_rows.write(workspace, good, other, entries={
        good["key"]: good, "broken": {"path": "x"}, other["key"]: other, "nope": 5,
    })  # fmt: skip
    store = recall_store.load(workspace, NOW_MS)
    assert list(store.entries) == [good["key"], other["key"]]
    assert store.invalid == {"broken": {"path": "x"}, "nope": 5}
    assert store.updated_at == "2026-11-19T09:00:00.000Z"


@pytest.mark.parametrize("text", ['{"entries": []}', "[]", "5", "null", '{"entries": {"k": []}}'])
def test_a_document_of_another_shape_has_no_entries(workspace: Workspace, text: str) -> None:
    store = recall_store.parse(text, workspace, NOW_MS)
    assert store.entries == {}
    assert store.updated_at == NOW_ISO


@pytest.mark.parametrize(
    ("content", "reason", "blank"),
    [
        (b"", "is empty", True),
        (b" \n", "is empty", True),
        (b'{"entries": {,', "is not JSON", False),
        (b'{"a": "\xff"}', "is not UTF-8", False),
        (b"[" * 200_000, "is nested too deeply", False),
    ],
)
def test_a_damaged_store_is_an_error_that_names_file_and_fix(
    workspace: Workspace, content: bytes, reason: str, blank: bool
) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    workspace.recall_path.write_bytes(content)
    with pytest.raises(DamagedStore, match=reason) as caught:
        recall_store.load(workspace, NOW_MS)
    assert caught.value.blank is blank
    assert caught.value.code == "store-unreadable"
    assert caught.value.path == str(workspace.recall_path)
    assert "memory status --fix" in str(caught.value.hint)


def test_a_link_or_folder_in_the_store_s_place_is_refused(
    workspace: Workspace, tmp_path: Path
) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    workspace.recall_path.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(NotAllowed, match="symbolic link"):
        recall_store.load(workspace, NOW_MS)
    workspace.recall_path.unlink()
    workspace.recall_path.mkdir()
    with pytest.raises((NotAllowed, UnreadableFile)):
        recall_store.load(workspace, NOW_MS)


def test_a_linked_state_folder_is_never_written_through(
    workspace: Workspace, writer: Writer, tmp_path: Path
) -> None:
    workspace.memory_dir.mkdir(parents=True)
    workspace.dreams_dir.symlink_to(tmp_path)
    with pytest.raises(NotAllowed), recall_store.lock(workspace):
        pytest.fail("locked through a link")
    with pytest.raises(NotAllowed):
        recall_store.save(workspace, RecallStore(), writer)
    with pytest.raises(NotAllowed):
        events.append(workspace, [{"type": "x"}])
    assert list(tmp_path.iterdir()) == []


def test_saving_keeps_unknown_fields_invalid_rows_and_numbers(
    workspace: Workspace, writer: Writer
) -> None:
    good = row(origin={"by": "import"}, totalScore=7.0, big=2**70)
    odd = {"source": "sessions", "path": "x", "startLine": 1, "endLine": 1}
    recall_rows.write(workspace, good, entries={good["key"]: good, "odd": odd}, owner="me")
    recall_store.save(workspace, recall_store.load(workspace, NOW_MS), writer)
    text = workspace.recall_path.read_text()
    saved = json.loads(text)
    assert saved == {
        "version": 1,
        "updatedAt": NOW_ISO,
        "entries": {good["key"]: good, "odd": odd},
        "owner": "me",
    }
    assert '"totalScore": 7,' in text
    assert text.endswith("}\n")
    assert text.startswith('{\n  "version": 1,\n')


def test_the_store_is_private_and_only_dreams_gets_its_mode_changed(
    workspace: Workspace, writer: Writer
) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    for folder in (workspace.root, workspace.memory_dir, workspace.dreams_dir):
        folder.chmod(0o755)
    recall_store.save(workspace, RecallStore(), writer)
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (workspace.root, workspace.memory_dir, workspace.dreams_dir)
    ]
    assert modes == [0o755, 0o755, 0o700]
    assert stat.S_IMODE(workspace.recall_path.stat().st_mode) == 0o600


def test_rows_dropped_by_retention_are_kept_in_the_change_log(
    workspace: Workspace, writer: Writer
) -> None:
    rows = [row(f"fact {n}", line=n + 1) for n in range(514)]
    rows[7]["lastRecalledAt"] = rows[9]["lastRecalledAt"] = "2026-01-01T00:00:00.000Z"
    store = recall_rows.store(workspace, *rows)
    dropped = recall_store.save(workspace, store, writer)
    assert sorted(dropped) == sorted([rows[7]["key"], rows[9]["key"]])
    assert (
        len(store.entries) == len(json.loads(workspace.recall_path.read_text())["entries"]) == 512
    )
    log = [json.loads(line) for line in writer.paths.log("changes").read_text().splitlines()]
    assert [(line["rule"], line["what"]) for line in log] == [
        ("recall-store-limit", "recall-entry")
    ] * 2
    assert {line["key"]: line["row"] for line in log} == {r["key"]: r for r in (rows[7], rows[9])}


def test_the_lock_is_the_original_program_s(workspace: Workspace) -> None:
    with recall_store.lock(workspace):
        pid, _, stamp = workspace.lock_path.read_text().partition(":")
        assert int(pid) == os.getpid()
        assert stamp.endswith("\n")
    assert not workspace.lock_path.exists()


def test_a_lock_of_a_living_process_is_waited_for_and_never_robbed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCLAW_LOCK_TIMEOUT", "0")
    workspace.dreams_dir.mkdir(parents=True)
    workspace.lock_path.write_text(f"{os.getppid()}:1000\n")
    os.utime(workspace.lock_path, (1, 1))
    with pytest.raises(Busy), recall_store.lock(workspace):
        pytest.fail("robbed a live owner")


# -- phase signals ---------------------------------------------------------------------------


def _signals(workspace: Workspace, content: Any) -> signals.PhaseSignals:
    workspace.dreams_dir.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    workspace.signals_path.write_text(text)
    return signals.load(workspace)


def test_phase_signals_drop_what_says_nothing(workspace: Workspace) -> None:
    found = _signals(workspace, {"entries": {
        "a": {"lightHits": 3, "remHits": 0, "lastLightAt": NOW_ISO, "lastRemAt": " ", "more": 1},
        "b": {"lightHits": 0, "remHits": 0, "lastLightAt": NOW_ISO},
        "c": "text",
        "d": {"lightHits": True, "remHits": "2"},
    }})  # fmt: skip
    row_a = {"key": "a", "lightHits": 3, "remHits": 0, "lastLightAt": NOW_ISO, "more": 1}
    assert found.entries == {"a": row_a}
    assert found.problem is None


@pytest.mark.parametrize("content", ["{", "", "[1]", "\x00"])
def test_unreadable_phase_signals_count_as_none_and_say_why(
    workspace: Workspace, content: str
) -> None:
    found = _signals(workspace, content)
    assert found.entries == {}
    assert "phase-signals.json" in str(found.problem)


def test_hits_are_counted_up_to_their_limit_and_unknown_keys_pruned(workspace: Workspace) -> None:
    found = _signals(workspace, {"entries": {"a": {"lightHits": 9999, "remHits": 1}}, "note": 1})
    found.hit("a", "light", NOW_MS)
    found.hit("b", "rem", NOW_MS)
    found.consider("c", NOW_MS)
    found.consider("a", NOW_MS)
    assert found.prune(["a", "c"]) == 2
    signals.save(workspace, found, NOW_MS)
    saved = json.loads(workspace.signals_path.read_text())
    assert saved == {
        "version": 1,
        "updatedAt": NOW_ISO,
        "note": 1,
        "entries": {
            "a": {
                "key": "a",
                "lightHits": 9999,
                "remHits": 1,
                "lastLightAt": NOW_ISO,
                "lastRemConsideredAt": NOW_ISO,
            }
        },
    }


def test_broken_phase_signals_are_moved_aside_before_they_are_replaced(
    workspace: Workspace,
) -> None:
    found = _signals(workspace, "{broken")
    found.hit("a", "light", NOW_MS)
    signals.save(workspace, found, NOW_MS)
    aside = list(workspace.dreams_dir.glob("phase-signals.json.corrupt-*"))
    assert [path.read_text() for path in aside] == ["{broken"]
    assert "a" in signals.load(workspace).entries


# -- events ----------------------------------------------------------------------------------


def test_events_are_appended_privately_and_broken_lines_skipped(workspace: Workspace) -> None:
    events.append(workspace, [events.recall_recorded(NOW_ISO, " q ", [{"path": "a"}])])
    with workspace.events_path.open("a") as log:
        log.write("no json\n")
    events.append(workspace, [{"type": "other", "n": 2}])
    assert stat.S_IMODE(workspace.events_path.stat().st_mode) == 0o600
    first, second = events.read(workspace)
    assert first == {
        "type": "memory.recall.recorded",
        "timestamp": NOW_ISO,
        "query": "q",
        "resultCount": 1,
        "results": [{"path": "a"}],
    }
    assert second == events.last(workspace, "other") == {"type": "other", "n": 2}
    assert events.last(workspace, "unknown") is None


def test_a_linked_event_log_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    target = tmp_path / "target"
    target.write_text("mine\n")
    workspace.events_path.symlink_to(target)
    with pytest.raises(NotAllowed):
        events.append(workspace, [{"type": "x"}])
    assert target.read_text() == "mine\n"


def test_a_large_event_log_is_rotated_once(workspace: Workspace) -> None:
    workspace.dreams_dir.mkdir(parents=True)
    old = json.dumps({"type": "old", "pad": "x" * 1000}) + "\n"
    workspace.events_path.write_text(old * 5300)
    events.append(workspace, [{"type": "new"}])
    assert workspace.events_path.read_text() == '{"type":"new"}\n'
    earlier = workspace.events_path.with_name("events.jsonl.1")
    assert earlier.stat().st_size > events.ROTATE_BYTES
    kinds = [event["type"] for event in events.read(workspace)]
    assert (kinds[0], kinds[-1], len(kinds)) == ("old", "new", 5301)
