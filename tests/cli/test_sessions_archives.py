"""Archives listed, searched and restored; stores rebuilt; the trail of changes."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.state.clock import DAY_MS

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
STAMP = "2026-11-20T03-00-00.000Z"
Run = Callable[..., Any]


def row(session_id: str, days: float = 0, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": int(NOW - 1000 - days * DAY_MS), **fields}


def stored(tree: Tree) -> dict[str, Any]:
    found: dict[str, Any] = tree.read(f"{FOLDER}/sessions.json")
    return found


def names(home: Path) -> list[str]:
    return sorted(os.listdir(home / FOLDER))


def topic(tree: Tree, session_id: str, thread: str) -> Path:
    """The transcript of a topic: its header has the plain session id."""
    path = tree.transcript(session_id, [("user", "hello")])
    return path.rename(path.with_name(f"{session_id}-topic-{thread}.jsonl"))


@pytest.fixture
def gone(tree: Tree, openclaw_inproc: Run) -> Tree:
    """Two sessions, of which one was deleted at 02:00 and one reset at 02:30."""
    tree.sessions(
        {"agent:main:main": row("m"), "agent:main:telegram:direct:1": row("d", label="A")}
    )
    tree.transcript("m", [("user", "the train to Bern"), ("assistant", "leaves at nine")])
    tree.transcript("d", [("user", "hello"), ("assistant", "hi there"), ("user", "bye")])
    argv = ["sessions", "delete", "telegram:direct:1"]
    assert openclaw_inproc(*argv, now="2026-11-20T02:00:00Z").exit == 0
    argv = ["sessions", "reset", "main"]
    assert openclaw_inproc(*argv, now="2026-11-20T02:30:00Z").exit == 0
    return tree


# Listing


def test_the_list_of_archives(gone: Tree, openclaw_inproc: Run, home: Path) -> None:
    gone.file(f"{FOLDER}/z.jsonl.bak.2026-11-01T00-00-00.000Z", "not json\n")
    gone.file(f"{FOLDER}/z.jsonl.deleted.2026-11-01T00-00-00.000Z.zst", "x")
    document = openclaw_inproc("sessions", "archives", "--json").json()
    assert document["count"] == 3
    first, second, third = document["archives"]
    at = NOW - DAY_MS // 48
    assert first == {
        "path": str(home / FOLDER / "m.jsonl.reset.2026-11-20T02-30-00.000Z"),
        "reason": "reset", "archivedAtMs": at, "sessionId": "m", "key": "agent:main:main",
        "bytes": first["bytes"], "messages": 2, "firstUserText": "the train to Bern",
        "purgeAtMs": at + 30 * DAY_MS, "agentId": "main",
    }  # fmt: skip
    assert (second["key"], second["messages"]) == ("agent:main:telegram:direct:1", 3)
    assert (third["reason"], third["key"], third["purgeAtMs"]) == ("bak", None, None)
    assert (third["messages"], third["firstUserText"]) == (0, None)


@pytest.mark.parametrize(
    ("argv", "ids"),
    [
        (["--key", "agent:main:main"], ["m"]),
        (["--key", "main"], ["m"]),
        (["--key", "D"], ["d"]),
        (["--key", "telegram:dm:1"], ["d"]),
        (["--key", "other"], []),
        (["--search", "TRAIN"], ["m"]),
        (["--search", "Hi There"], ["d"]),
        (["--search", "cwd"], []),
        (["--reason", "deleted"], ["d"]),
        (["--since", "45m"], ["m"]),
        (["--since", "2026-11-20T02:00:00Z"], ["m", "d"]),
        (["--limit", "1"], ["m"]),
        (["--all-agents"], ["m", "d"]),
    ],
)
def test_filters(gone: Tree, openclaw_inproc: Run, argv: list[str], ids: list[str]) -> None:
    done = openclaw_inproc("sessions", "archives", "--jsonl", *argv)
    assert [json.loads(line)["sessionId"] for line in done.out.splitlines()] == ids


def test_the_key_comes_from_the_row_where_the_trail_is_gone(
    gone: Tree, openclaw_inproc: Run, home: Path
) -> None:
    (home / ".openclaw/logs/changes.jsonl").unlink()
    found = openclaw_inproc("sessions", "archives", "--json").json()["archives"]
    assert [archive["key"] for archive in found] == ["agent:main:main", None]


def test_archives_of_a_damaged_store_are_still_listed(gone: Tree, openclaw_inproc: Run) -> None:
    gone.file(f"{FOLDER}/sessions.json", "{")
    assert openclaw_inproc("sessions", "archives", "--json").json()["count"] == 2


def test_text_for_people(gone: Tree, openclaw_inproc: Run) -> None:
    out = openclaw_inproc("sessions", "archives").out
    assert "agent:main:main  reset 30m ago" in out
    assert '"the train to Bern"' in out
    assert openclaw_inproc("sessions", "archives", "--key", "no").out == "No archives found.\n"


# Restoring


def test_delete_and_restore_are_inverse(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    tree.sessions({"agent:main:x": row("x", label="L", unknown={"n": 10**25}), "b": row("b")})
    tree.transcript("x", [("user", "hello")])
    rows, files = stored(tree), {n: (home / FOLDER / n).read_bytes() for n in names(home)}
    openclaw_inproc("sessions", "delete", "agent:main:x")
    done = openclaw_inproc("sessions", "restore", "agent:main:x", "--json")
    assert done.exit == 0
    assert done.json() == {
        "restored": True, "key": "agent:main:x", "sessionId": "x",
        "from": str(home / FOLDER / f"x.jsonl.deleted.{STAMP}"),
        "to": str(home / FOLDER / "x.jsonl"), "replaced": None,
        "storePath": str(home / FOLDER / "sessions.json"), "dryRun": False,
    }  # fmt: skip
    assert stored(tree) == rows
    assert names(home) == sorted(files)
    assert (home / FOLDER / "x.jsonl").read_bytes() == files["x.jsonl"]


def test_every_undo_command_of_the_trail_works(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions(
        {"agent:main:main": row("m"), "agent:main:old": row("o", 40), "bare": row("b", 41),
         "agent:main:dead": row("dead")}
    )  # fmt: skip
    for name in ("m", "o", "b"):
        tree.transcript(name, [("user", "hello")])
    lonely = tree.transcript("lonely", [("user", "hello")])
    os.utime(lonely, (1_000_000, 1_000_000))
    openclaw_inproc("sessions", "cleanup", "--enforce", "--fix-missing")
    openclaw_inproc("sessions", "reset", "main")
    assert list(stored(tree)) == ["agent:main:main"]
    for line in openclaw_inproc("changes", "--json").json()["changes"]:
        done = openclaw_inproc(*shlex.split(line["undo"])[1:])
        assert done.exit == 0, (line, done.err)
    rows = stored(tree)
    assert rows["agent:main:main"]["sessionId"] == "m"
    assert rows["agent:main:old"]["sessionId"] == "o"
    assert rows["bare"]["sessionId"] == "b"
    assert rows["agent:main:dead"] == row("dead")
    assert rows["agent:main:explicit:lonely"]["sessionId"] == "lonely"
    assert lonely.exists()


@pytest.mark.parametrize(
    ("path", "value", "days"),
    [
        ("session.maintenance.pruneAfter", "30d", 40),
        ("session.maintenance.maxEntries", "2", 3),
        ("cli.sessions.keepLast", '{"nightly": 1}', 3),
    ],
)
def test_a_restored_session_outlives_the_next_cleanup(
    path: str, value: str, days: int, tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    assert openclaw_inproc("config", "set", path, value).exit == 0
    rows = {f"agent:main:n{day}": row(f"n{day}", day, label="nightly") for day in (0, 1)}
    tree.sessions(rows | {"agent:main:old": row("o", days, label="nightly")})
    tree.transcript("o", [("user", "hello")])
    openclaw_inproc("sessions", "cleanup", "--enforce")
    assert "agent:main:old" not in stored(tree)
    assert openclaw_inproc("sessions", "restore", "agent:main:old").exit == 0
    assert openclaw_inproc("sessions", "cleanup", "--enforce").exit == 0
    assert "agent:main:old" in stored(tree)
    assert (home / FOLDER / "o.jsonl").exists()


def test_a_newer_conversation_stays_unless_replaced(
    gone: Tree, openclaw_inproc: Run, home: Path
) -> None:
    fresh = stored(gone)["agent:main:main"]["sessionId"]
    gone.transcript(fresh, [("user", "new talk")])
    before = {p: p.read_bytes() for p in (home / FOLDER).iterdir()}
    done = openclaw_inproc("sessions", "restore", "main", "--json")
    assert (done.exit, done.out, done.error["code"]) == (1, "", "not-allowed")
    assert "--replace" in done.err
    assert before == {p: p.read_bytes() for p in (home / FOLDER).iterdir()}
    document = openclaw_inproc("sessions", "restore", "main", "--replace", "--json").json()
    assert document["replaced"] == str(home / FOLDER / f"{fresh}.jsonl.reset.{STAMP}")
    assert stored(gone)["agent:main:main"]["sessionId"] == "m"
    assert (home / FOLDER / "m.jsonl").exists()
    assert os.path.exists(document["replaced"])


def test_a_reset_that_was_never_used_gives_way(gone: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("sessions", "restore", "main").exit == 0
    assert stored(gone)["agent:main:main"]["sessionId"] == "m"


def test_restoring_keeps_choices_made_since(gone: Tree, openclaw_inproc: Run) -> None:
    rows = stored(gone)
    rows["agent:main:main"] |= {"sendPolicy": "deny"}
    gone.sessions(rows)
    openclaw_inproc("sessions", "restore", "main")
    assert stored(gone)["agent:main:main"]["sendPolicy"] == "deny"


def test_restore_under_another_key(gone: Tree, openclaw_inproc: Run, home: Path) -> None:
    name = "m.jsonl.reset.2026-11-20T02-30-00.000Z"
    done = openclaw_inproc("sessions", "restore", name, "--as", "Old-Talk", "--json")
    assert done.json()["key"] == "agent:main:old-talk"
    assert stored(gone)["agent:main:old-talk"]["sessionId"] == "m"
    assert (home / FOLDER / "m.jsonl").exists()


def test_without_a_trail_the_row_is_made_of_the_transcript(
    gone: Tree, openclaw_inproc: Run, home: Path
) -> None:
    (home / ".openclaw/logs/changes.jsonl").unlink()
    path = home / FOLDER / "d.jsonl.deleted.2026-11-20T02-00-00.000Z"
    document = openclaw_inproc("sessions", "restore", str(path), "--json").json()
    assert document["key"] == "agent:main:explicit:d"
    made = stored(gone)["agent:main:explicit:d"]
    assert made == {
        "sessionId": "d", "updatedAt": 1_795_000_180_000, "sessionStartedAt": 1_795_000_000_000,
    }  # fmt: skip


def test_a_topic_archive_gets_its_file_named(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    tree.sessions({"agent:main:t:topic:7": row("s", sessionFile="s-topic-7.jsonl"), "b": row("b")})
    topic(tree, "s", "7")
    openclaw_inproc("sessions", "delete", "agent:main:t:topic:7")
    assert openclaw_inproc("sessions", "restore", "agent:main:t:topic:7").exit == 0
    found = stored(tree)["agent:main:t:topic:7"]["sessionFile"]
    assert found == str(home / FOLDER / "s-topic-7.jsonl")


def test_a_dry_run_restores_nothing(gone: Tree, openclaw_inproc: Run, home: Path) -> None:
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    done = openclaw_inproc("sessions", "restore", "main", "--dry-run", "--exit-code", "--json")
    assert done.exit == 3
    assert done.json()["restored"] is False
    assert before == {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_what_cannot_be_restored(gone: Tree, openclaw_inproc: Run, home: Path) -> None:
    outside = gone.file(f"elsewhere/x.jsonl.deleted.{STAMP}", "{}\n")
    link = home / FOLDER / f"link.jsonl.deleted.{STAMP}"
    link.symlink_to(outside)
    gone.file(f"{FOLDER}/odd.txt.deleted.{STAMP}", "x")
    taken = gone.file(f"{FOLDER}/m.jsonl", "{}\n")
    for what in ("nope", f"nope.jsonl.deleted.{STAMP}", str(outside), str(link), link.name,
                 f"odd.txt.deleted.{STAMP}", "m"):  # fmt: skip
        done = openclaw_inproc("sessions", "restore", what, "--json")
        assert (done.exit, done.out) == (1, ""), what
        assert done.error["code"] in ("unknown-archive", "not-allowed")
    assert taken.read_text() == "{}\n"
    assert outside.exists()
    assert link.is_symlink()


def test_a_session_in_use_is_not_restored_over(gone: Tree, openclaw_inproc: Run) -> None:
    fresh = stored(gone)["agent:main:main"]["sessionId"]
    gone.json(f"{FOLDER}/{fresh}.jsonl.lock", {"pid": os.getppid(), "createdAt": "2026-11-20"})
    assert openclaw_inproc("sessions", "restore", "main", "--replace").exit == 75


def test_a_second_file_of_a_session_leaves_its_row_alone(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.sessions({"agent:main:t": row("s", sessionFile="s-topic-7.jsonl", label="L")})
    topic(tree, "s", "7")
    tree.transcript("s", [("user", "beside the topic")])
    before = stored(tree)
    openclaw_inproc("sessions", "delete", "agent:main:t")
    undo = [change["undo"] for change in openclaw_inproc("changes", "--json").json()["changes"]]
    for command in reversed(undo):
        assert openclaw_inproc(*shlex.split(command)[1:]).exit == 0, command
    assert names(home) == ["s-topic-7.jsonl", "s.jsonl", "sessions.json"]
    file = str(home / FOLDER / "s-topic-7.jsonl")
    assert stored(tree)["agent:main:t"] == before["agent:main:t"] | {"sessionFile": file}


def test_of_two_archives_of_a_moment_the_row_s_own_comes_back(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.sessions({"agent:main:t": row("a", sessionFile="own.jsonl")})
    tree.transcript("a", [("user", "beside it")])
    tree.transcript("own", [("user", "the talk")])
    openclaw_inproc("sessions", "delete", "agent:main:t")
    assert openclaw_inproc("sessions", "restore", "agent:main:t").exit == 0
    assert names(home) == [f"a.jsonl.deleted.{STAMP}", "own.jsonl", "sessions.json"]
    assert stored(tree)["agent:main:t"]["sessionId"] == "a"


def test_an_archive_in_a_subfolder_is_listed_and_comes_back(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.sessions({"agent:main:deep": row("d", sessionFile="sub/d.jsonl")})
    tree.file(
        f"{FOLDER}/sub/d.jsonl", '{"type":"message","message":{"role":"user","content":"x"}}\n'
    )
    openclaw_inproc("sessions", "delete", "agent:main:deep")
    listed = openclaw_inproc("sessions", "archives", "--json").json()["archives"]
    assert [(a["key"], a["path"]) for a in listed] == [
        ("agent:main:deep", str(home / FOLDER / f"sub/d.jsonl.deleted.{STAMP}"))
    ]
    assert openclaw_inproc("sessions", "restore", "agent:main:deep").exit == 0
    assert (home / FOLDER / "sub/d.jsonl").exists()
    assert stored(tree)["agent:main:deep"]["sessionFile"] == str(home / FOLDER / "sub/d.jsonl")


def test_a_row_without_session_id_keeps_its_other_fields(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    lost = {"updatedAt": NOW - 5000, "sessionFile": "n.jsonl", "label": "L", "own": [1]}
    tree.sessions({"agent:main:n": lost})
    tree.transcript("n", [("user", "hello")])
    openclaw_inproc("sessions", "delete", "agent:main:n")
    openclaw_inproc("sessions", "restore", "agent:main:n")
    found = stored(tree)["agent:main:n"]
    assert {name: found.get(name) for name in ("updatedAt", "label", "own", "sessionId")} == {
        "updatedAt": NOW - 5000, "label": "L", "own": [1], "sessionId": "n",
    }  # fmt: skip


def test_a_row_comes_back_though_its_file_names_another_session(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.sessions({"agent:main:x": row("x", sessionFile="other.jsonl", sendPolicy="deny")})
    tree.transcript("other", [("user", "hello")])
    openclaw_inproc("sessions", "delete", "agent:main:x")
    openclaw_inproc("sessions", "restore", "agent:main:x")
    found = stored(tree)["agent:main:x"]
    assert (found["sessionId"], found["sendPolicy"]) == ("x", "deny")
    assert found["sessionFile"] == str(home / FOLDER / "other.jsonl")


def test_ids_that_differ_by_case_are_restored_beside_each_other(
    tree: Tree, openclaw_inproc: Run
) -> None:
    rows = {f"agent:main:signal:group:{name}": row(name) for name in ("AbC", "abc")}
    tree.sessions(rows)
    openclaw_inproc("sessions", "delete", "agent:main:signal:group:AbC")
    assert openclaw_inproc("sessions", "restore", "agent:main:signal:group:AbC").exit == 0
    assert stored(tree).keys() == rows.keys()


# Rebuilding


def test_rebuild_makes_rows_from_transcripts(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    tree.sessions({"agent:main:known": row("k", label="L"), "agent:main:main": row("m")})
    backup = tree.file(
        f"{FOLDER}/sessions.json.bak.5",
        json.dumps({"agent:main:telegram:direct:7": row("b", sendPolicy="deny")}),
    )
    topic(tree, "new", "4")
    for name in ("k", "b", "new"):
        tree.transcript(name, [("user", "hello"), ("assistant", "hi")])
    tree.jsonl(
        f"{FOLDER}/m.jsonl",
        [
            {"type": "session", "version": 3, "id": "m", "timestamp": "2026-11-19T10:00:00.000Z"},
            {"type": "message", "id": "1", "timestamp": "2026-11-19T11:00:00.000Z",
             "message": {"role": "assistant", "provider": "p", "model": "big", "content": "x",
                         "usage": {"input": 100, "output": 7, "cacheRead": 20}}},
        ],
    )  # fmt: skip
    tree.file(f"{FOLDER}/junk.jsonl", "")
    openclaw_inproc("sessions", "delete", "agent:main:known")
    openclaw_inproc("sessions", "restore", "agent:main:known")
    damaged = '{"agent:main:main": {'
    tree.file(f"{FOLDER}/sessions.json", damaged)
    aside = str(home / FOLDER / f"sessions.json.corrupt-{STAMP}")
    dry = openclaw_inproc("sessions", "rebuild", "--dry-run", "--json").json()
    assert (dry["rows"], dry["movedAside"], os.path.exists(aside)) == (5, aside, False)
    done = openclaw_inproc("sessions", "rebuild", "--json")
    assert done.exit == 0
    document = done.json()
    assert document | {"keys": 0} == {
        "storePath": str(home / FOLDER / "sessions.json"), "movedAside": aside, "rows": 5,
        "keysFound": 2, "keysMade": 3, "agentId": "main", "dryRun": False, "keys": 0,
        "skipped": [{"path": "junk.jsonl", "reason": "no session header and no message"}],
    }  # fmt: skip
    assert Path(aside).read_text() == damaged
    rows = stored(tree)
    assert rows["agent:main:known"]["label"] == "L"
    assert rows["agent:main:telegram:direct:7"]["sendPolicy"] == "deny"
    assert rows["agent:main:explicit:m"] == {
        "sessionId": "m", "updatedAt": 1_795_086_000_000, "sessionStartedAt": 1_795_082_400_000,
        "modelProvider": "p", "model": "big", "inputTokens": 100, "outputTokens": 7,
        "cacheRead": 20, "totalTokens": 120, "totalTokensFresh": True,
    }  # fmt: skip
    assert rows["agent:main:explicit:new"]["sessionId"] == "new"
    assert rows["agent:main:explicit:new-topic-4"]["sessionFile"].endswith("/new-topic-4.jsonl")
    assert backup.exists()
    assert openclaw_inproc("sessions", "cleanup", "--fix-missing", "--json").json()["missing"] == 0


def test_rebuild_of_a_missing_store(tree: Tree, openclaw_inproc: Run) -> None:
    tree.transcript("a", [("user", "hello")])
    document = openclaw_inproc("sessions", "rebuild", "--json").json()
    assert (document["rows"], document["movedAside"]) == (1, None)
    assert list(stored(tree)) == ["agent:main:explicit:a"]


def test_rebuild_refuses_a_sound_store_and_an_empty_folder(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    assert openclaw_inproc("sessions", "rebuild").exit == 1
    assert not (home / ".openclaw").exists()
    path = tree.sessions({})
    tree.transcript("a", [("user", "hello")])
    done = openclaw_inproc("sessions", "rebuild", "--json")
    assert (done.exit, done.error["code"]) == (1, "not-allowed")
    assert path.read_text() == "{}"


# The trail


def test_changes_newest_first_with_filters(gone: Tree, openclaw_inproc: Run) -> None:
    def shown(*argv: str) -> list[str]:
        document = openclaw_inproc("changes", "--json", *argv).json()
        assert document["count"] == len(document["changes"])
        return [change["command"] for change in document["changes"]]

    assert shown() == ["sessions reset", "sessions delete"]
    assert shown("--since", "45m") == ["sessions reset"]
    assert shown("--command", "delete") == shown("--command", "sessions delete")
    assert shown("--command", "delete") == ["sessions delete"]
    assert shown("--key", "telegram:direct:1") == ["sessions delete"]
    assert shown("--key", "AGENT:main:main") == ["sessions reset"]
    assert shown("--limit", "1") == ["sessions reset"]
    assert shown("--key", "other") == []
    first = openclaw_inproc("changes", "--json").json()["changes"][1]
    assert list(first) == [
        "ts", "command", "rule", "what", "key", "path", "movedTo", "row", "undo",
    ]  # fmt: skip


def test_changes_for_people(gone: Tree, openclaw_inproc: Run) -> None:
    out = openclaw_inproc("changes").out
    assert "sessions delete: session agent:main:telegram:direct:1 [delete]" in out
    assert "undo: openclaw sessions restore agent:main:telegram:direct:1" in out


def test_no_changes(openclaw_inproc: Run) -> None:
    assert openclaw_inproc("changes").out == "No changes found.\n"
    assert openclaw_inproc("changes", "--json").json() == {"count": 0, "changes": []}


def test_a_damaged_store_without_transcripts_tells_the_way_out(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.file(f"{FOLDER}/sessions.json", "{")
    done = openclaw_inproc("sessions", "rebuild", "--json")
    assert (done.exit, done.out) == (1, "")
    assert "move it aside" in done.error["hint"]


def test_an_earlier_archive_keeps_its_key_when_the_session_is_deleted(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.sessions({"agent:main:x": row("now", usageFamilySessionIds=["before", 5, ""])})
    tree.file(f"{FOLDER}/before.jsonl.reset.2026-11-19T03-00-00.000Z", "{}\n")
    for _ in range(2):
        listed = openclaw_inproc("sessions", "archives", "--json").json()["archives"]
        assert [archive["key"] for archive in listed] == ["agent:main:x"]
        openclaw_inproc("sessions", "delete", "agent:main:x")


ODD_KEYS = [
    "",
    "agent::x",
    "AGENT:Main:Upper",
    "agent:work:main",
    "two\nlines",
    "old-name",
    "a b'c",
]


@pytest.mark.parametrize("with_transcript", [True, False])
def test_every_undo_of_the_trail_works_or_is_null(
    tree: Tree, openclaw_inproc: Run, with_transcript: bool
) -> None:
    rows: dict[str, Any] = {key: row(f"s{n}", 40, label=f"L{n}") for n, key in enumerate(ODD_KEYS)}
    rows |= {"agent:main:none": None, "agent:main:unsafe": row("../x", 40, sessionFile="u.jsonl")}
    tree.sessions(rows | {"agent:main:main": row("m")})
    for name in [f"s{n}" for n in range(len(ODD_KEYS))] + ["u"] if with_transcript else []:
        tree.transcript(name, [("user", f"hello {name}")])
    tree.config(session={"maintenance": {"maxEntries": 1}})
    assert openclaw_inproc("sessions", "cleanup", "--enforce").exit == 0
    assert list(stored(tree)) == ["agent:main:main"]
    final = set()
    for change in openclaw_inproc("changes", "--json").json()["changes"]:
        if change["undo"] is None:
            final.add(change["key"])
            continue
        done = openclaw_inproc(*shlex.split(change["undo"])[1:])
        assert done.exit == 0, (change["undo"], done.err)
    back = stored(tree)
    assert final == {"agent:main:none"} | (
        set() if with_transcript else {"", "agent::x", "two\nlines"}
    )
    assert set(back) == {"agent:main:main", *rows} - final
    assert all(back[key]["label"] == rows[key]["label"] for key in ODD_KEYS if key in back)


def test_what_the_sweep_took_comes_back(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    tree.sessions({"agent:main:main": row("m")})
    checkpoint = "s1.checkpoint.12345678-1234-4234-8234-123456789012.jsonl"
    swept = {checkpoint: "{}\n", "torn.jsonl": '{"type":', "talk.jsonl": "{}\n"}
    for name, text in swept.items():
        tree.file(f"{FOLDER}/{name}", text, mtime=NOW / 1000 - 40 * 86400)
    assert openclaw_inproc("sessions", "cleanup", "--enforce").exit == 0
    assert set(swept).isdisjoint(names(home))
    for change in openclaw_inproc("changes", "--json").json()["changes"]:
        words = shlex.split(change["undo"])
        if words[0] == "mv":
            assert words[1] == "-n"
            os.rename(words[2], words[3])
        else:
            assert openclaw_inproc(*words[1:]).exit == 0, words
    assert {name: (home / FOLDER / name).read_text() for name in swept} == swept
    assert {r["sessionId"] for r in stored(tree).values()} == {"m", "torn", "talk"}


def test_a_row_that_left_without_a_file_comes_back_as_it_was(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    """Not the older conversation that was reset before: its choices are outdated."""
    tree.sessions({"agent:main:x": row("old")})
    tree.transcript("old", [("user", "hello")])
    openclaw_inproc("sessions", "reset", "agent:main:x")
    rows = stored(tree)
    rows["agent:main:x"] |= {"sendPolicy": "deny"}
    tree.sessions(rows)
    openclaw_inproc("sessions", "delete", "agent:main:x")
    document = openclaw_inproc("sessions", "restore", "agent:main:x", "--json").json()
    assert (document["from"], stored(tree)) == (None, rows)
    assert openclaw_inproc("sessions", "restore", "agent:main:x", "--json").exit == 0
    assert (home / FOLDER / "old.jsonl").exists()
    assert stored(tree)["agent:main:x"]["sendPolicy"] == "deny"
