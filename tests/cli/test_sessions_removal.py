"""``sessions delete`` and ``sessions reset``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
STAMP = "2026-11-20T03-00-00.000Z"
Run = Callable[..., Any]


def row(session_id: str, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - 1000, **fields}


def stored(tree: Tree, agent: str = "main") -> dict[str, Any]:
    found: dict[str, Any] = tree.read(f".openclaw/agents/{agent}/sessions/sessions.json")
    return found


@pytest.fixture
def three(tree: Tree) -> Tree:
    tree.sessions(
        {
            "agent:main:main": row("m"),
            "agent:main:telegram:direct:1": row("d", sendPolicy="deny", label="Ana"),
            "agent:main:cron:x": row("c"),
        }
    )
    for name in ("m", "d", "c"):
        tree.transcript(name, [("user", f"hello {name}")])
    return tree


def test_delete_archives_and_reports_each_key(
    three: Tree, openclaw_inproc: Run, home: Path
) -> None:
    done = openclaw_inproc("sessions", "delete", "telegram:direct:1", "main", "nope", "C", "--json")
    assert done.exit == 1
    document = done.json()
    assert (document["ok"], document["operation"], document["dryRun"]) == (False, "delete", False)
    archive = str(home / FOLDER / f"d.jsonl.deleted.{STAMP}")
    results = [(r["key"], r["ok"], r["status"], r["archived"]) for r in document["results"]]
    assert results == [
        ("agent:main:telegram:direct:1", True, "deleted", [archive]),
        ("agent:main:main", False, "protected", []),
        ("nope", False, "unknown", []),
        ("agent:main:cron:x", True, "deleted", [archive.replace("/d.", "/c.")]),
    ]
    assert list(stored(three)) == ["agent:main:main"]
    assert os.path.exists(archive)
    lines = three.lines(".openclaw/logs/changes.jsonl")
    assert [(line["key"], line["rule"], line["undo"]) for line in lines] == [
        (key, "delete", f"openclaw sessions restore {key}")
        for key in ("agent:main:telegram:direct:1", "agent:main:cron:x")
    ]
    assert lines[0]["row"]["sendPolicy"] == "deny"


def test_all_keys_done_is_success(three: Tree, openclaw_inproc: Run) -> None:
    done = openclaw_inproc("sessions", "delete", "cron:x")
    assert done.exit == 0
    assert "agent:main:cron:x: deleted" in done.out
    assert openclaw_inproc("sessions", "delete", "cron:x").exit == 1


def test_a_dry_run_shows_the_same_and_changes_nothing(
    three: Tree, openclaw_inproc: Run, home: Path
) -> None:
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    done = openclaw_inproc("sessions", "delete", "cron:x", "--dry-run", "--exit-code", "--json")
    assert done.exit == 3
    (result,) = done.json()["results"]
    assert result["archived"] == [str(home / FOLDER / f"c.jsonl.deleted.{STAMP}")]
    assert before == {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


@pytest.mark.parametrize("operation", ["delete", "reset"])
def test_a_session_whose_turn_is_going_on_is_busy(
    three: Tree, openclaw_inproc: Run, home: Path, operation: str
) -> None:
    three.json(f"{FOLDER}/c.jsonl.lock", {"pid": os.getppid(), "createdAt": "2026-11-20"})
    done = openclaw_inproc("sessions", operation, "cron:x", "telegram:direct:1", "--json")
    assert done.exit == 1
    statuses = [result["status"] for result in done.json()["results"]]
    assert statuses == ["busy", "deleted" if operation == "delete" else "reset"]
    assert (home / FOLDER / "c.jsonl").exists()


def test_every_spelling_of_the_session_goes(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions(
        {"agent:main:telegram:dm:1": row("a"), "agent:main:Telegram:direct:1": row("b"),
         "agent:main:telegram:direct:2": row("c")}
    )  # fmt: skip
    assert openclaw_inproc("sessions", "delete", "telegram:direct:1").exit == 0
    assert list(stored(tree)) == ["agent:main:telegram:direct:2"]


def test_the_same_key_twice_is_one_result(three: Tree, openclaw_inproc: Run) -> None:
    done = openclaw_inproc("sessions", "delete", "cron:x", "agent:main:cron:x", "--json")
    assert (done.exit, len(done.json()["results"])) == (0, 1)


def test_keys_of_several_agents_go_to_their_stores(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.sessions({"agent:main:a": row("a"), "agent:main:b": row("b")})
    tree.sessions({"agent:work:a": row("wa"), "agent:work:b": row("wb")}, agent="work")
    done = openclaw_inproc("sessions", "delete", "agent:work:a", "b", "wb", "--json")
    assert done.exit == 0
    assert list(stored(tree)) == ["agent:main:a"]
    assert stored(tree, "work") == {}


def test_no_key_is_wrong_usage(three: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("sessions", "delete").exit == 2
    assert openclaw_inproc("sessions", "reset").exit == 2


def test_a_damaged_store_is_refused(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file(f"{FOLDER}/sessions.json", "{")
    done = openclaw_inproc("sessions", "delete", "x", "--json")
    assert (done.exit, done.out) == (1, "")
    assert done.error["code"] == "store-unreadable"


def test_reset_begins_anew_and_keeps_the_owners_choices(
    three: Tree, openclaw_inproc: Run, home: Path
) -> None:
    done = openclaw_inproc("sessions", "reset", "telegram:direct:1", "main", "--json")
    assert done.exit == 0
    first, second = done.json()["results"]
    assert first["archived"] == [str(home / FOLDER / f"d.jsonl.reset.{STAMP}")]
    assert second["key"] == "agent:main:main"
    fresh = stored(three)["agent:main:telegram:direct:1"]
    assert fresh["sessionId"] == first["sessionId"] != "d"
    assert (fresh["sendPolicy"], fresh["label"]) == ("deny", "Ana")
    assert fresh["sessionStartedAt"] == fresh["updatedAt"] == NOW
    assert fresh["usageFamilySessionIds"] == ["d"]
    line = three.lines(".openclaw/logs/changes.jsonl")[0]
    assert (line["command"], line["rule"]) == ("sessions reset", "reset")
    assert line["row"]["sessionId"] == "d"
    assert line["undo"] == f"openclaw sessions restore {first['archived'][0]} --replace"


def test_reset_leaves_a_transcript_that_another_row_needs(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.sessions({"agent:main:a": row("s"), "agent:main:b": row("s")})
    tree.transcript("s", [("user", "hello")])
    done = openclaw_inproc("sessions", "reset", "agent:main:a", "--json")
    assert done.json()["results"][0]["archived"] == []
    assert (home / FOLDER / "s.jsonl").exists()


def test_a_failed_archive_keeps_the_row(
    three: Tree, openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    before = stored(three)
    monkeypatch.setattr("openclaw_cli.sessions.file_actions.os.rename", refuse)
    for operation in ("delete", "reset"):
        done = openclaw_inproc("sessions", operation, "cron:x", "--json")
        assert done.exit == 1
        assert done.json()["results"][0]["status"] == "failed"
        assert "Permission denied" in done.err
        assert stored(three) == before


def test_a_reset_without_a_transcript_is_in_the_trail_as_well(
    tree: Tree, openclaw_inproc: Run
) -> None:
    before = row("m", inputTokens=7)
    tree.sessions({"agent:main:main": before})
    assert openclaw_inproc("sessions", "reset", "main").exit == 0
    (change,) = openclaw_inproc("changes", "--json").json()["changes"]
    told = {name: change[name] for name in ("what", "rule", "key", "row", "movedTo", "undo")}
    assert told == {
        "what": "session", "rule": "reset", "key": "agent:main:main", "row": before,
        "movedTo": None, "undo": None,
    }  # fmt: skip
