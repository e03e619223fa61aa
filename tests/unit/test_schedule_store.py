"""The files of scheduled tasks: layouts, quarantine, nothing lost, history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.errors import NotAllowed, UnreadableFile
from openclaw_cli.schedule import history, job, store
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome, Run
from openclaw_cli.schedule.settings import Retry, Settings
from openclaw_cli.schedule.store import Store
from openclaw_cli.state import changes
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
ROW: dict[str, Any] = {
    "id": "a",
    "name": "A",
    "schedule": {"kind": "every", "everyMs": 1000},
    "payload": {"kind": "systemEvent", "text": "hi"},
    "state": {},
}


@pytest.fixture
def paths(home: Path) -> Paths:
    return Paths.from_env()


@pytest.fixture
def path(paths: Paths) -> Path:
    return paths.under("cron", "jobs.json")


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2))


def update(path: Path, change: Any, paths: Paths) -> Any:
    return store.update(path, change, paths=paths, command="test", now_ms=NOW)


def touch(found: Store) -> None:
    found.tasks[0].state["lastRunAtMs"] = NOW


def test_a_missing_store_is_empty_and_none_is_made(path: Path, paths: Paths) -> None:
    update(path, lambda found: None, paths)
    assert store.load(path).tasks == []
    assert not path.exists()
    assert not store.files_of(path).state.exists()


def test_state_goes_beside_the_definitions(path: Path, paths: Paths) -> None:
    write(path, {"version": 1, "jobs": [ROW]})
    before = path.read_text()
    update(path, touch, paths)
    state = json.loads(store.files_of(path).state.read_text())
    assert state["jobs"]["a"]["state"] == {"lastRunAtMs": NOW}
    assert path.read_text() == before
    assert not store.files_of(path).backup.exists()


def test_files_are_private_and_end_without_a_newline(path: Path, paths: Paths) -> None:
    update(path, lambda found: found.tasks.append(Task(dict(ROW))), paths)
    where = store.files_of(path)
    for file in (where.jobs, where.state):
        assert file.stat().st_mode & 0o777 == 0o600
        assert not file.read_text().endswith("\n")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert json.loads(path.read_text()) == {"version": 1, "jobs": [ROW]}


def test_inline_state_of_the_older_layout_is_read_and_split(path: Path, paths: Paths) -> None:
    write(path, {"version": 1, "jobs": [{**ROW, "state": {"nextRunAtMs": 5}, "updatedAtMs": 4}]})
    found = store.load(path)
    assert found.tasks[0].state == {"nextRunAtMs": 5}
    assert found.tasks[0].updated_at_ms == 4
    update(path, touch, paths)
    assert json.loads(path.read_text())["jobs"] == [ROW]
    entry = json.loads(store.files_of(path).state.read_text())["jobs"]["a"]
    assert entry == {"updatedAtMs": 4, "state": {"nextRunAtMs": 5, "lastRunAtMs": NOW}}
    assert "updatedAtMs" in store.files_of(path).backup.read_text()


def test_inline_state_is_ignored_beside_a_state_file(path: Path) -> None:
    write(path, {"version": 1, "jobs": [{**ROW, "state": {"nextRunAtMs": 5}}]})
    state = {"version": 1, "jobs": {"a": {"state": {"lastStatus": "ok"}}}}
    write(store.files_of(path).state, state)
    assert store.load(path).tasks[0].state == {"lastStatus": "ok"}


def test_a_damaged_state_file_counts_as_absent(path: Path) -> None:
    write(path, {"version": 1, "jobs": [ROW]})
    write(store.files_of(path).state, "{ damaged")
    assert store.load(path).tasks[0].state == {}


def test_damaged_definitions_are_an_error_and_stay(path: Path, paths: Paths) -> None:
    write(path, '{"version": 1, "jobs": [')
    with pytest.raises(UnreadableFile, match=r"jobs\.json:1"):
        update(path, touch, paths)
    assert path.read_text() == '{"version": 1, "jobs": ['


@pytest.mark.parametrize("text", ['"text"', '{"jobs": {}}'])
def test_definitions_of_another_shape_are_an_error(path: Path, text: str) -> None:
    write(path, text)
    with pytest.raises(UnreadableFile):
        store.load(path)


def test_a_list_and_json5_are_read_and_comments_stay(path: Path, paths: Paths) -> None:
    text = "// mine\n[{id: 'a', schedule: {kind: 'every', everyMs: 1000,}, name: 'A',\n" \
           "payload: {kind: 'systemEvent', text: 'hi'}, state: {}}]"  # fmt: skip
    write(path, text)
    assert store.load(path).tasks[0].id == "a"
    write(path, text.replace("[{", "{version: 1, jobs: [{").replace("}]", "}]}"))
    before = path.read_text()
    update(path, touch, paths)
    assert path.read_text() == before


def test_the_definitions_before_a_change_are_kept(path: Path, paths: Paths) -> None:
    write(path, {"version": 1, "jobs": [ROW]})
    before = path.read_text()
    update(path, lambda found: found.tasks.clear(), paths)
    assert store.files_of(path).backup.read_text() == before
    assert json.loads(path.read_text())["jobs"] == []


def test_unknown_fields_survive(path: Path, paths: Paths) -> None:
    row = {**ROW, "color": "red", "big": 2**70}
    write(path, {"version": 1, "owner": "me", "jobs": [row]})
    state = {"version": 1, "x": 1, "jobs": {"a": {"state": {}, "y": 2}}}
    write(store.files_of(path).state, state)

    def rename(found: Store) -> None:
        task = found.tasks[0]
        found.tasks[0] = Task({**task.row, "name": "B"}, task.state)

    update(path, rename, paths)
    written = json.loads(path.read_text())
    assert written == {"version": 1, "owner": "me", "jobs": [{**row, "name": "B"}]}
    after = json.loads(store.files_of(path).state.read_text())
    assert (after["x"], after["jobs"]["a"]["y"]) == (1, 2)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("text", "non-object-row"),
        (None, "non-object-row"),
        ({**ROW, "id": "  "}, "missing-id"),
        ({k: v for k, v in ROW.items() if k != "schedule"}, "missing-schedule"),
        ({**ROW, "schedule": "daily"}, "invalid-schedule"),
        ({**ROW, "schedule": {"kind": "every", "everyMs": 0}}, "invalid-schedule"),
        ({**ROW, "schedule": {"kind": "at", "at": "soon"}}, "invalid-schedule"),
        ({**ROW, "schedule": {"kind": "cron", "expr": " "}}, "invalid-schedule"),
        ({**ROW, "schedule": {"kind": "moon"}}, "invalid-schedule"),
        ({k: v for k, v in ROW.items() if k != "payload"}, "missing-payload"),
        ({**ROW, "payload": {"kind": "agentTurn"}}, "invalid-payload"),
        ({**ROW, "payload": {"kind": "poem", "text": "x"}}, "invalid-payload"),
    ],
)
def test_rows_that_cannot_be_used(row: Any, reason: str) -> None:
    assert job.problem(row) == reason


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "payload": {"kind": "command", "argv": ["ls"]}},
        {**ROW, "schedule": {"kind": "on-exit", "command": "make"}},
        {**ROW, "trigger": {"script": "test -f x"}},
    ],
)
def test_rows_of_a_later_release_survive_untouched(
    row: dict[str, Any], path: Path, paths: Paths
) -> None:
    write(path, {"version": 1, "jobs": [ROW, row | {"id": "later"}]})
    update(path, touch, paths)
    assert json.loads(path.read_text())["jobs"][1] == row | {"id": "later"}
    assert job.foreign(row) is not None


def test_an_unusable_row_moves_to_the_quarantine_whole(path: Path, paths: Paths) -> None:
    bad = {"id": "b", "payload": {"kind": "systemEvent", "text": "x"}, "extra": [1]}
    write(path, {"version": 1, "jobs": [bad, ROW]})
    state = {"version": 1, "jobs": {"b": {"state": {"lastStatus": "ok"}}}}
    write(store.files_of(path).state, state)
    for _ in range(2):
        update(path, touch, paths)
        write(path, {"version": 1, "jobs": [bad, ROW]})
    update(path, touch, paths)
    kept = json.loads(store.files_of(path).quarantine.read_text())["jobs"]
    assert len(kept) == 1
    assert (kept[0]["reason"], kept[0]["sourceIndex"]) == ("missing-schedule", 0)
    assert (kept[0]["job"], kept[0]["quarantinedAtMs"]) == (bad, NOW)
    assert kept[0]["state"] == {"state": {"lastStatus": "ok"}}
    assert json.loads(path.read_text())["jobs"] == [ROW]
    told = list(changes.read(paths))
    assert told[0]["rule"] == "unusable task: missing-schedule"
    assert told[0]["movedTo"] == str(store.files_of(path).quarantine)


def test_definitions_behind_a_link_stay_there(path: Path, paths: Paths) -> None:
    target = paths.home / "dotfiles" / "jobs.json"
    write(target, {"version": 1, "jobs": [ROW]})
    path.parent.mkdir(parents=True)
    path.symlink_to(target)
    update(path, lambda found: found.tasks.append(Task({**ROW, "id": "b"})), paths)
    assert path.is_symlink()
    assert [row["id"] for row in json.loads(target.read_text())["jobs"]] == ["a", "b"]


@pytest.mark.parametrize("name", ["jobs-state.json", "jobs.json.bak", "jobs-quarantine.json"])
def test_nothing_is_written_through_a_link_to_a_file_of_somebody_else(
    path: Path, paths: Paths, name: str
) -> None:
    write(path, {"version": 1, "jobs": [ROW, {"id": "bad"}]})
    precious = paths.home / "precious.txt"
    precious.write_text("mine")
    path.with_name(name).symlink_to(precious)
    try:
        update(path, touch, paths)
    except UnreadableFile:  # the quarantine is read before it is written
        assert name == "jobs-quarantine.json"
    assert precious.read_text() == "mine"


def test_of_two_rows_with_one_id_the_first_runs(path: Path, paths: Paths) -> None:
    write(path, {"version": 1, "jobs": [ROW, {**ROW, "name": "B"}]})
    assert [task.name for task in store.load(path).runnable] == ["A"]
    update(path, touch, paths)
    entry = json.loads(store.files_of(path).state.read_text())["jobs"]["a"]
    assert entry["state"] == {"lastRunAtMs": NOW}
    assert len(json.loads(path.read_text())["jobs"]) == 2


def test_legacy_names_of_fields() -> None:
    old = Task({"jobId": "x", "schedule": {"atMs": 5}, "payload": {"message": "hi"}})
    assert (old.id, old.kind, old.is_turn, old.target) == ("x", "at", True, "isolated")
    assert job.problem(old.row) is None
    assert old.delete_after_run


def settings(path: Path, **change: Any) -> Settings:
    return Settings(True, path, Retry(), None, 2_000_000, 2000, {}, {})._replace(**change)


def add_run(file: Path, started: int, rules: Settings, **result: Any) -> None:
    outcome = Outcome(**{"status": "ok", **result})
    line = history.entry("a", outcome, Run(started, started + 5), now_ms=started, next_run_ms=None)
    history.append(file, line, rules)


def test_a_line_of_history_leaves_undefined_fields_out() -> None:
    line = history.entry("a", Outcome("ok", summary="s"), Run(10, 15), now_ms=16, next_run_ms=99)
    assert line == {
        "ts": 16, "jobId": "a", "action": "finished", "status": "ok", "summary": "s",
        "runId": "cron:a:10", "deliveryStatus": "not-requested", "runAtMs": 10, "durationMs": 5,
        "nextRunAtMs": 99,
    }  # fmt: skip


def test_pages_are_newest_first_and_filtered(path: Path) -> None:
    file = store.files_of(path).runs / "a.jsonl"
    rules = settings(path)
    for number in range(5):
        add_run(file, number, rules, status="error" if number == 3 else "ok", summary=f"n{number}")
    with file.open("a") as out:
        out.write('{"action": "other", "jobId": "a", "ts": 1}\nnot json\n{"jobId": "a"}\n')
    page = history.page(file, history.Query(limit=2))
    assert [line["runAtMs"] for line in page["entries"]] == [4, 3]
    assert (page["total"], page["hasMore"], page["nextOffset"]) == (5, True, 2)
    rest = history.page(file, history.Query(limit=2, offset=4))
    assert ([line["runAtMs"] for line in rest["entries"]], rest["hasMore"]) == ([0], False)
    assert rest["nextOffset"] is None
    assert history.page(file, history.Query(status="error"))["total"] == 1
    assert history.page(file, history.Query(run_id="cron:a:2"))["total"] == 1
    assert history.page(file, history.Query(text="N4"))["total"] == 1
    assert history.page(file, history.Query(delivery_status="delivered"))["total"] == 0


def test_the_history_is_pruned_by_lines_and_by_bytes(path: Path) -> None:
    file = store.files_of(path).runs / "a.jsonl"
    for number in range(20):
        add_run(file, number, settings(path, log_lines=3), summary="x" * 50)
    assert len(history.read(file)) == 20  # not larger than allowed: every line stays
    add_run(file, 20, settings(path, log_bytes=2000, log_lines=3))
    assert [line["runAtMs"] for line in history.read(file)] == [18, 19, 20]
    for number in range(20, 40):
        add_run(file, number, settings(path, log_bytes=1000), summary="x" * 300)
    assert file.stat().st_size <= 1000
    assert history.read(file)[-1]["runAtMs"] == 39


@pytest.mark.parametrize("task_id", ["", ".", "..", "a/b", "a\\b", "a\0b"])
def test_ids_that_would_leave_the_folder_are_no_file_names(task_id: str, path: Path) -> None:
    with pytest.raises(NotAllowed):
        history.path_of(path.parent, task_id)
