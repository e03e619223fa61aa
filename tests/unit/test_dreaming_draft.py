"""Pending changes of files, and carrying them out so that a crash can be finished."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.dreaming import journal, workspaces
from openclaw_cli.dreaming.draft import Draft, Step
from openclaw_cli.dreaming.journal import Journal, Outdated
from openclaw_cli.errors import NotAllowed, NotWritable, UnreadableFile
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.changes import Change
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000


@pytest.fixture
def workspace(home: Path) -> Workspace:
    root = home / ".openclaw/workspace"
    (root / "memory/.dreams").mkdir(parents=True)
    return Workspace(root)


def test_reads_see_what_was_written_and_nothing_reaches_the_disk(home: Path) -> None:
    draft, path = Draft(NOW), home / "a/note.md"
    assert draft.hold(path, what="note") is None
    assert draft.write(path, "new ü\n", Step.REPORT)
    assert draft.read(path, what="note") == "new ü\n"
    assert draft.exists(path)
    assert draft.stat(path) == (NOW, 7)
    assert draft.pending() == {path: "new ü\n"}
    assert not path.parent.exists()


def test_writing_what_is_there_is_no_change(home: Path) -> None:
    path = home / "note.md"
    path.write_text("same\n")
    draft = Draft(NOW)
    draft.hold(path, what="note")
    assert draft.write(path, "other\n", Step.REPORT)
    assert not draft.write(path, "same\n", Step.REPORT)
    assert draft.actions() == []


def test_appends_add_up_and_close_a_torn_line(home: Path) -> None:
    path = home / "log.txt"
    path.write_text("one\ntorn")
    draft = Draft(NOW)
    draft.append(path, "two\n", Step.CORPUS, what="log")
    draft.append(path, "three\n", Step.CORPUS, what="log")
    (action,) = draft.actions()
    assert (action.text, action.size) == ("\ntwo\nthree\n", 8)
    assert draft.read(path, what="log") == "one\ntorn\ntwo\nthree\n"


def test_actions_come_in_the_order_that_survives_a_crash(home: Path) -> None:
    draft = Draft(NOW)
    for step in (Step.EVENTS, Step.REPORT, Step.STORE, Step.CORPUS):
        path = home / step.name
        draft.hold(path, what="file")
        draft.write(path, "x", step)
    assert [action.step for action in draft.actions()] == [
        Step.CORPUS, Step.STORE, Step.REPORT, Step.EVENTS,
    ]  # fmt: skip


def test_change_by_others_is_noticed(home: Path) -> None:
    path = home / "store.json"
    path.write_text("{}")
    draft = Draft(NOW)
    draft.hold(path, what="store")
    assert draft.changed_underneath() is None
    path.write_text('{"a": 1}')
    assert draft.changed_underneath() == path


def test_targets_that_cannot_be_written_are_refused_beforehand(home: Path) -> None:
    draft = Draft(NOW)
    (home / "file").write_text("x")
    (home / "link").symlink_to(home / "file")
    (home / "folder").mkdir()
    for name in ("file/below", "link", "folder"):
        with pytest.raises(NotAllowed):
            draft.hold(home / name, what="report")
    assert draft.hold(home / "link", what="note", follow_link=True) == "x"


def test_text_that_is_no_utf8_is_not_rewritten(home: Path) -> None:
    (home / "note.md").write_bytes(b"caf\xe9\n")
    with pytest.raises(UnreadableFile, match="not UTF-8"):
        Draft(NOW).hold(home / "note.md", what="note")
    assert Draft(NOW).read(home / "note.md", what="note", strict=False) == "caf\ufffd\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission_is_refused(home: Path) -> None:
    (home / "locked").mkdir(mode=0o500)
    with pytest.raises(NotWritable):
        Draft(NOW).hold(home / "locked/report.md", what="report")


def planned(workspace: Workspace) -> Journal:
    """A plan that replaces a file, makes one, appends to a corpus and logs two events."""
    (workspace.root / "MEMORY.md").write_text("old\n")
    (workspace.dreams_dir / "events.jsonl").write_text('{"type":"earlier"}\n')
    draft = Draft(NOW)
    draft.hold(workspace.memory_file, what="memory")
    draft.write(workspace.memory_file, "new\n", Step.MEMORY, mode=None, force_mode=False)
    report = workspace.memory_dir / "dreaming/light/2026-11-20.md"
    draft.hold(report, what="report")
    draft.write(report, "# Light Sleep\n", Step.REPORT)
    draft.append(workspace.corpus_dir / "2026-11-20.txt", "[a#L1] x\n", Step.CORPUS, what="corpus")
    events = '{"type":"one"}\n{"type":"two"}\n'
    draft.append(workspace.events_path, events, Step.EVENTS, what="log")
    change = Change("dreaming sweep", "rule", "recall-entry", key="k", row={"a": 1})
    return Journal(NOW, {"answer": 1}, {"slotMs": 5}, draft.actions(), [change])


def finished(workspace: Workspace) -> dict[str, str]:
    root = workspace.root
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path != workspaces.journal_path(workspace)
    }


WANTED = {
    "MEMORY.md": "new\n",
    "memory/.dreams/events.jsonl": '{"type":"earlier"}\n{"type":"one"}\n{"type":"two"}\n',
    "memory/.dreams/session-corpus/2026-11-20.txt": "[a#L1] x\n",
    "memory/dreaming/light/2026-11-20.md": "# Light Sleep\n",
}


def changes(paths: Paths) -> list[Any]:
    path = paths.log("changes")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_journal_survives_on_disk_as_it_was(workspace: Workspace) -> None:
    plan = planned(workspace)
    journal.write(workspace, plan)
    assert journal.read(workspace) == plan
    assert workspaces.journal_path(workspace).stat().st_mode & 0o777 == 0o600
    journal.forget(workspace)
    assert journal.read(workspace) is None


def test_plan_is_carried_out(workspace: Workspace) -> None:
    paths = Paths.from_env()
    journal.apply(workspace, planned(workspace), paths)
    assert finished(workspace) == WANTED
    assert [row["key"] for row in changes(paths)] == ["k"]


@pytest.mark.parametrize("done", range(5))
def test_plan_is_finished_after_any_of_its_actions(workspace: Workspace, done: int) -> None:
    paths, plan = Paths.from_env(), planned(workspace)
    begun = Journal(plan.now_ms, {}, {}, plan.actions[:done], plan.changes)
    journal.apply(workspace, begun, paths)
    journal.apply(workspace, plan, paths, again=True)
    assert finished(workspace) == WANTED
    assert len(changes(paths)) == 1


def test_half_an_append_is_completed(workspace: Workspace) -> None:
    plan = planned(workspace)
    corpus = workspace.corpus_dir / "2026-11-20.txt"
    corpus.parent.mkdir()
    corpus.write_text("[a#L")
    with workspace.events_path.open("a") as log:
        log.write('{"type":"one"}\n{"ty')
    journal.apply(workspace, plan, Paths.from_env(), again=True)
    assert corpus.read_text() == "[a#L1] x\n"
    lines = workspace.events_path.read_text().splitlines()
    assert [line for line in lines if line in ('{"type":"one"}', '{"type":"two"}')] == lines[
        1:2
    ] + lines[3:]


def test_plan_is_given_up_when_others_changed_a_file(workspace: Workspace) -> None:
    plan = planned(workspace)
    workspace.memory_file.write_text("the owner's\n")
    with pytest.raises(Outdated):
        journal.apply(workspace, plan, Paths.from_env(), again=True)
    assert workspace.memory_file.read_text() == "the owner's\n"
    assert not workspace.corpus_dir.exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1, "nowMs": "x"}'])
def test_journal_that_is_none_counts_as_none(workspace: Workspace, text: str) -> None:
    workspaces.journal_path(workspace).write_text(text)
    assert journal.read(workspace) is None
