"""Planning and applying a promotion."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_ISO, NOW_MS, ROUTER, row

from openclaw_cli.errors import Busy, NotAllowed, UnreadableFile
from openclaw_cli.memory import events, promotion, ranking, recall_store
from openclaw_cli.memory.promotion import PromotionPlan, Terms
from openclaw_cli.memory.recall_store import Writer
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

PREFERS = "- Prefers short status updates in the morning."


@pytest.fixture
def workspace(home: Path) -> Workspace:
    workspace = Workspace(home / ".openclaw/workspace")
    recall_rows.note(workspace, "2026-11-17", "# day", "", ROUTER, PREFERS)
    return workspace


@pytest.fixture
def writer() -> Writer:
    return Writer(Paths.from_env(), NOW_MS, "memory promote")


def plan(workspace: Workspace, **terms: Any) -> tuple[recall_store.RecallStore, PromotionPlan]:
    store = recall_store.load(workspace, NOW_MS)
    ranked = ranking.rank(store.kept().values(), {}, settings=DeepSettings(), now_ms=NOW_MS)
    wanted = Terms("2026-11-20", 160, **terms)
    return store, promotion.plan(workspace, store, ranked.candidates, wanted)


def promote(workspace: Workspace, writer: Writer, **terms: Any) -> PromotionPlan:
    with recall_store.lock(workspace):
        store, made = plan(workspace, **terms)
        promotion.apply(workspace, store, made, writer)
    return made


def stored(workspace: Workspace) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(workspace.recall_path.read_text())["entries"]
    return entries


def test_a_plan_changes_nothing(workspace: Workspace) -> None:
    recall_rows.write(workspace, row())
    before = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    _, made = plan(workspace)
    assert made.appended == 1
    after = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    assert before == after


def test_apply_writes_memory_store_and_event(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row(line=4, snippet=ROUTER), row("gone", line=9))
    made = promote(workspace, writer)
    text = workspace.memory_file.read_text()
    assert text.startswith(
        "# Long-Term Memory\n\n\n## Promoted From Short-Term Memory (2026-11-20)"
    )
    assert "source=memory/2026-11-17.md:3-3]" in text  # the live range
    entries = stored(workspace)
    moved = entries["memory:memory/2026-11-17.md:4:4"]
    assert (moved["startLine"], moved["endLine"], moved["promotedAt"]) == (3, 3, NOW_ISO)
    assert "promotedAt" not in entries["memory:memory/2026-11-17.md:9:9"]
    event = events.last(workspace, events.PROMOTION_APPLIED)
    assert event is not None
    assert event["memoryPath"] == str(workspace.memory_file)
    assert event["applied"] == 1
    assert list(event["candidates"][0]) == [
        "key", "path", "startLine", "endLine", "score", "recallCount",
    ]  # fmt: skip
    report = made.to_json()
    assert [report["applied"], report["appended"], report["reconciledExisting"]] == [1, 1, 0]
    assert [(skip["key"], skip["reason"]) for skip in report["skipped"]] == [
        ("memory:memory/2026-11-17.md:9:9", "no-match")
    ]


def test_nothing_to_promote_writes_nothing(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row("gone"))
    before = workspace.recall_path.read_bytes()
    promote(workspace, writer)
    assert workspace.recall_path.read_bytes() == before
    assert not workspace.memory_file.exists()
    assert not workspace.events_path.exists()


def test_a_second_apply_adds_nothing(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row())
    promote(workspace, writer)
    first = workspace.memory_file.read_text()
    assert promote(workspace, writer).promoted == []
    assert workspace.memory_file.read_text() == first


def test_a_marker_without_a_stamp_is_reconciled(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row())
    marker = "<!-- openclaw-memory-promotion:memory:memory/2026-11-17.md:3:3 -->"
    workspace.memory_file.write_text(f"# Mine\n{marker}\n- Reworded by hand.\n")
    made = promote(workspace, writer)
    assert (made.appended, len(made.promoted)) == (0, 1)
    assert workspace.memory_file.read_text() == f"# Mine\n{marker}\n- Reworded by hand.\n"
    assert stored(workspace)[row()["key"]]["promotedAt"] == NOW_ISO


@pytest.mark.parametrize("own", [ROUTER, ROUTER.upper().replace("- ", "*   ")])
def test_a_statement_that_the_owner_wrote_is_not_written_again(
    workspace: Workspace, writer: Writer, own: str
) -> None:
    recall_rows.write(workspace, row())
    workspace.memory_file.write_text(own + "\n")
    assert promote(workspace, writer).appended == 0
    assert workspace.memory_file.read_text() == own + "\n"


def test_equal_text_under_two_keys_is_written_once_and_both_are_stamped(
    workspace: Workspace, writer: Writer
) -> None:
    recall_rows.note(workspace, "2026-11-18", "", "", ROUTER)
    recall_rows.write(workspace, row(), row(day="2026-11-18"))
    made = promote(workspace, writer)
    assert (made.appended, len(made.promoted)) == (1, 2)
    assert workspace.memory_file.read_text().count("VLAN 20") == 1
    assert all("promotedAt" in entry for entry in stored(workspace).values())


def test_what_was_promoted_once_and_deleted_by_hand_stays_deleted(
    workspace: Workspace, writer: Writer
) -> None:
    recall_rows.note(workspace, "2026-11-18", "", "", ROUTER)
    old = row(promotedAt="2026-11-01T03:00:00.000Z")
    recall_rows.write(workspace, old, row(day="2026-11-18"))
    workspace.memory_file.write_text("# Mine\n")
    made = promote(workspace, writer)
    assert (made.appended, len(made.promoted)) == (0, 1)
    assert workspace.memory_file.read_text() == "# Mine\n"


def test_the_limit_counts_what_is_applied(workspace: Workspace, writer: Writer) -> None:
    recall_rows.write(workspace, row("gone", line=9, totalScore=6), row(), row(PREFERS, line=4))
    made = promote(workspace, writer, limit=1)
    assert [one.candidate["snippet"] for one in made.promoted] == [ROUTER]
    assert [skip.reason for skip in made.skipped] == ["no-match"]


def test_rejected_candidates_are_skipped_with_their_reason(workspace: Workspace) -> None:
    recall_rows.write(workspace, row())
    _, made = plan(workspace, rejected={row()["key"]: "shadow-trial-harmful"})
    assert [skip.to_json() for skip in made.skipped] == [
        {"key": row()["key"], "reason": "shadow-trial-harmful"}
    ]


def test_making_room_is_reported_and_kept_in_the_change_log(
    workspace: Workspace, writer: Writer
) -> None:
    recall_rows.write(workspace, row())
    old = "\n".join(f"- old {n} " + "x" * 90 for n in range(110))
    workspace.memory_file.write_text(f"## Promoted From Short-Term Memory (2026-09-01)\n\n{old}\n")
    report = promote(workspace, writer).to_json()
    assert (report["compactedSections"], report["compactedDates"]) == (1, ["2026-09-01"])
    (change,) = [json.loads(line) for line in writer.paths.log("changes").read_text().splitlines()]
    assert change["rule"] == "memory-file-budget"
    assert old in change["row"]
    assert "old 5" not in workspace.memory_file.read_text()


def test_modes_are_kept_and_a_linked_memory_file_is_written_through(
    workspace: Workspace, writer: Writer, tmp_path: Path
) -> None:
    recall_rows.write(workspace, row())
    target = tmp_path / "notes.md"
    target.write_text("# Mine\n")
    target.chmod(0o640)
    workspace.memory_file.symlink_to(target)
    promote(workspace, writer)
    assert workspace.memory_file.is_symlink()
    assert "VLAN 20" in target.read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("content", [b"\xff\xfe broken", None])
def test_a_memory_file_that_cannot_be_read_stops_everything(
    workspace: Workspace, writer: Writer, content: bytes | None
) -> None:
    recall_rows.write(workspace, row())
    before = workspace.recall_path.read_bytes()
    if content is None:
        workspace.memory_file.mkdir()
    else:
        workspace.memory_file.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"MEMORY\.md"):
        promote(workspace, writer)
    assert workspace.recall_path.read_bytes() == before
    assert content is None or workspace.memory_file.read_bytes() == content


def test_an_interrupted_run_is_finished_without_a_second_event(
    workspace: Workspace, writer: Writer
) -> None:
    recall_rows.write(workspace, row(), row(PREFERS, line=4))
    before = workspace.recall_path.read_bytes()
    promote(workspace, writer)
    memory, done = workspace.memory_file.read_text(), workspace.recall_path.read_text()
    workspace.recall_path.write_bytes(before)  # killed before the store was written
    promote(workspace, writer)
    assert workspace.memory_file.read_text() == memory
    assert workspace.recall_path.read_text() == done
    assert len(list(events.read(workspace))) == 1


def edited_while_planning(monkeypatch: pytest.MonkeyPatch, path: Path, times: int) -> None:
    """Let somebody append to ``path`` right after each of the next ``times`` readings of notes."""
    find, left = promotion.find_live, [times]

    def find_and_edit(*args: Any) -> Any:
        if left[0]:
            left[0] -= 1
            with path.open("a") as out:
                out.write(f"- edit {left[0]}\n")
        return find(*args)

    monkeypatch.setattr(promotion, "find_live", find_and_edit)


def test_an_edit_of_the_memory_file_meanwhile_is_kept(
    workspace: Workspace, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall_rows.write(workspace, row())
    workspace.memory_file.write_text("# Mine\n")
    edited_while_planning(monkeypatch, workspace.memory_file, 2)
    with recall_store.lock(workspace):
        store = recall_store.load(workspace, NOW_MS)
        ranked = ranking.rank(store.kept().values(), {}, settings=DeepSettings(), now_ms=NOW_MS)
        promotion.promote(workspace, store, ranked.candidates, Terms("2026-11-20", 160), writer)
    text = workspace.memory_file.read_text()
    assert text.startswith("# Mine\n- edit 1\n- edit 0\n\n## Promoted")
    assert text.count("VLAN 20") == 1


def test_a_memory_file_that_never_holds_still_is_left_alone(
    workspace: Workspace, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall_rows.write(workspace, row())
    workspace.memory_file.write_text("# Mine\n")
    before = workspace.recall_path.read_bytes()
    edited_while_planning(monkeypatch, workspace.memory_file, 9)
    store = recall_store.load(workspace, NOW_MS)
    ranked = ranking.rank(store.kept().values(), {}, settings=DeepSettings(), now_ms=NOW_MS)
    with pytest.raises(Busy, match="keeps changing"):
        promotion.promote(workspace, store, ranked.candidates, Terms("2026-11-20", 160), writer)
    assert "Promoted" not in workspace.memory_file.read_text()
    assert workspace.recall_path.read_bytes() == before


def test_a_linked_event_log_stops_the_promotion_before_anything_is_written(
    workspace: Workspace, writer: Writer, tmp_path: Path
) -> None:
    recall_rows.write(workspace, row())
    workspace.events_path.symlink_to(tmp_path / "away")
    with pytest.raises(NotAllowed):
        promote(workspace, writer)
    assert not workspace.memory_file.exists()
