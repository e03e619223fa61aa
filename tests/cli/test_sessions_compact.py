"""``sessions compact``: by a model, and offline to a number of lines."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from conftest import Result, Tree
from model_server import ModelServer

from openclaw_cli.state import lock

Run = Callable[..., Result]
SID = "11111111-1111-4111-8111-111111111111"
FOLDER = ".openclaw/agents/main/sessions"
KEY = "agent:main:main"


@pytest.fixture
def talked(tree: Tree, model_server: ModelServer) -> Tree:
    tree.config(**model_server.config())
    turns = [("user" if n % 2 == 0 else "assistant", f"line {n} " * 50) for n in range(10)]
    tree.transcript(SID, turns)
    tree.sessions({KEY: {"sessionId": SID, "updatedAt": 1_795_000_000_000, "totalTokens": 900,
                         "inputTokens": 5, "x": 1}})  # fmt: skip
    return tree


def test_a_model_condenses(talked: Tree, model_server: ModelServer, openclaw_inproc: Run) -> None:
    model_server.default = "## Goal\nThe gist."
    found = openclaw_inproc("sessions", "compact", "main", "--instructions", "the bike", "--json")
    assert found.exit == 0, found.err
    document = found.json()
    assert (document["ok"], document["compacted"]) == (True, True), document
    assert document["result"]["tokensBefore"] == 900
    row = talked.read(f"{FOLDER}/sessions.json")[KEY]
    assert (row["compactionCount"], row["x"]) == (1, 1)
    assert row["totalTokens"] == document["result"]["tokensAfter"]
    assert "inputTokens" not in row
    lines = talked.lines(f"{FOLDER}/{SID}.jsonl")
    assert lines[-1]["type"] == "compaction"
    assert len(lines) == 12
    assert "the bike" in model_server.prompts()[0]
    assert "BEGIN conversation" in model_server.prompts()[0]


def test_a_failing_model_changes_nothing(
    talked: Tree, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    before = (talked.home / FOLDER / f"{SID}.jsonl").read_bytes()
    model_server.fail(401)
    found = openclaw_inproc("sessions", "compact", KEY, "--json")
    assert (found.exit, found.out, found.error["code"]) == (1, "", "model-auth")
    assert (talked.home / FOLDER / f"{SID}.jsonl").read_bytes() == before


def test_truncation_keeps_the_original(talked: Tree, openclaw_inproc: Run) -> None:
    would = openclaw_inproc(
        "sessions", "compact", KEY, "--max-lines", "5", "--dry-run", "--exit-code", "--json"
    )
    assert (would.exit, would.json()["kept"], would.json()["lines"]) == (3, 5, 11)
    document = openclaw_inproc("sessions", "compact", KEY, "--max-lines", "5", "--json").json()
    assert (document["compacted"], document["kept"]) == (True, 5)
    assert len(talked.lines(f"{FOLDER}/{SID}.jsonl")) == 5
    archived = document["archived"].removeprefix(f"{talked.home}/")
    assert len(talked.lines(archived)) == 11
    assert talked.lines(".openclaw/logs/changes.jsonl")[-1]["movedTo"] == document["archived"]
    again = openclaw_inproc("sessions", "compact", KEY, "--max-lines", "5")
    assert again.out == f"No compaction needed for session {KEY} (5 lines).\n"


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        ([KEY, "--max-lines", "0"], 2), ([KEY, "--max-lines", "x"], 2), ([], 2),
        (["nobody"], 1), ([KEY, "--url", "ws://x"], 1), ([KEY, "x"], 2),
        ([KEY, "--max-lines", "3", "--instructions", "x"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_input(talked: Tree, openclaw_inproc: Run, argv: list[str], status: int) -> None:
    found = openclaw_inproc("sessions", "compact", *argv)
    assert (found.exit, found.out) == (status, "")


@pytest.mark.parametrize("words", [("--store", "x"), ("--limit", "2"), ("--all-agents",)])
def test_options_of_the_list_are_refused(
    talked: Tree, openclaw_inproc: Run, words: tuple[str, ...]
) -> None:
    for argv in (("sessions", *words, "compact", KEY), ("sessions", "compact", KEY, *words)):
        found = openclaw_inproc(*argv, "--max-lines", "2")
        assert (found.exit, found.out) == (2, "")
    assert not list((talked.home / FOLDER).glob("*.bak.*"))


def test_a_running_turn_is_busy(talked: Tree, openclaw: Run) -> None:
    with lock.run_lock(talked.home / FOLDER / f"{SID}.jsonl.lock"):
        for argv in (["--max-lines", "3"], ["--timeout", "50"]):
            assert openclaw("sessions", "compact", KEY, *argv).exit == 75


def test_a_dry_run_tells_how_much_there_is(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": {"sessionId": "m", "updatedAt": 1_795_000_000_000}})
    tree.transcript("m", [("user", "one"), ("assistant", "two"), ("user", "three")])
    cut = openclaw_inproc("sessions", "compact", "main", "--max-lines", "2", "--dry-run")
    assert cut.out == "Session agent:main:main would be compacted (4 lines, 2 to keep).\n"
    summed = openclaw_inproc("sessions", "compact", "main", "--dry-run")
    assert "3 messages, " in summed.out


def test_the_way_back_from_a_truncation_holds_where_a_path_has_blanks(
    talked: Tree, openclaw_inproc: Run
) -> None:
    moved = talked.home / "my tree"
    (talked.home / ".openclaw").rename(moved)
    env = {"OPENCLAW_STATE_DIR": str(moved)}
    before = (moved / f"agents/main/sessions/{SID}.jsonl").read_bytes()
    cut = openclaw_inproc("sessions", "compact", KEY, "--max-lines", "5", env=env)
    assert cut.exit == 0, cut.err
    undo = talked.lines("my tree/logs/changes.jsonl")[-1]["undo"]
    assert openclaw_inproc(*shlex.split(undo)[1:], env=env).exit == 0
    assert (moved / f"agents/main/sessions/{SID}.jsonl").read_bytes() == before
