"""``openclaw gateway call`` (``sessions.md`` 13)."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.cli import gateway_methods

NOW = 1_795_143_600_000
Run = Callable[..., Any]


def _row(session_id: str, age_ms: int = 0, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - age_ms, **more}


@pytest.fixture
def call(openclaw_inproc: Run) -> Callable[..., Any]:
    """Call a method and give its answer; a failed call is an assertion error."""

    def run(method: str, **params: Any) -> Any:
        done = openclaw_inproc("gateway", "call", method, "--params", json.dumps(params))
        assert done.exit == 0, done.err
        return done.json()

    return run


@pytest.fixture
def refused(openclaw_inproc: Run) -> Callable[..., Any]:
    """Call a method that has to fail and give the run."""

    def run(method: str, **params: Any) -> Any:
        argv = ("gateway", "call", method, "--params", json.dumps(params), "--json")
        done = openclaw_inproc(*argv)
        assert done.exit != 0
        assert done.out == ""
        return done

    return run


@pytest.fixture
def stored(tree: Tree) -> Tree:
    """A store with rows of several kinds."""
    tree.sessions(
        {
            "agent:main:main": _row("m", 1, label="home", totalTokens=5),
            "agent:main:telegram:direct:9": _row("t", 2, chatType="direct"),
            "agent:main:telegram:group:-1": _row("g", 3, subject="Ops Room"),
            "agent:main:subagent:c1": _row("c", 4, spawnedBy="agent:main:main"),
            "agent:main:cron:j": _row("j", 5),
            "agent:main:cron:j:run:r": _row("r", 6),
            "agent:main:old": _row("o", 7, archivedAt=5),
            "global": _row("gl", 8),
            "unknown": _row("un", 9),
            "agent:main:bad": None,
        }
    )
    tree.transcript("t", [("user", "first  words\nof a chat"), ("assistant", "the answer")])
    return tree


def _keys(document: dict[str, Any]) -> list[str]:
    return [row["key"].removeprefix("agent:main:") for row in document["sessions"]]


@pytest.mark.parametrize(
    ("params", "keys"),
    [
        ({}, ["main", "telegram:direct:9", "telegram:group:-1", "subagent:c1", "cron:j"]),
        ({"includeGlobal": True, "includeUnknown": True, "limit": 9, "offset": 4},
         ["cron:j", "global", "unknown"]),
        ({"limit": 2}, ["main", "telegram:direct:9"]),
        ({"archived": True}, ["old"]),
        ({"label": "home"}, ["main"]),
        ({"label": "hom"}, []),
        ({"spawnedBy": "agent:main:main"}, ["subagent:c1"]),
        ({"search": "OPS"}, ["telegram:group:-1"]),
        ({"search": "direct"}, ["telegram:direct:9"]),
        ({"agentId": "main", "limit": 1}, ["main"]),
    ],
)  # fmt: skip
def test_list_filters(stored: Tree, call: Run, params: dict[str, Any], keys: list[str]) -> None:
    assert _keys(call("sessions.list", **params)) == keys


def test_odd_parents_have_no_children(tree: Tree, call: Run) -> None:
    odd = {"spawnedBy": ["agent:main:main"], "parentSessionKey": {}}
    tree.sessions({"agent:main:main": _row("m"), "agent:main:x": _row("x", 1, **odd)})
    sessions = call("sessions.list")["sessions"]
    assert [row["key"] for row in sessions] == ["agent:main:main", "agent:main:x"]
    assert "childSessions" not in sessions[0]


def test_list_pages_and_describes(stored: Tree, call: Run) -> None:
    document = call("sessions.list", limit=2, offset=1)
    assert [document[k] for k in ("ts", "count", "totalCount", "hasMore", "nextOffset")] == [
        NOW, 2, 5, True, 3,
    ]  # fmt: skip
    assert document["path"].endswith("/agents/main/sessions/sessions.json")
    main = call("sessions.list")["sessions"][0]
    assert main["childSessions"] == ["agent:main:subagent:c1"]
    assert (main["kind"], main["label"], main["totalTokens"]) == ("direct", "home", 5)
    assert (main["archived"], main["pinned"], main["unread"]) == (False, False, False)
    kinds = {row["key"]: row["kind"] for row in call("sessions.list")["sessions"]}
    assert kinds["agent:main:cron:j"] == "direct"  # the protocol knows no cron kind
    assert kinds["agent:main:telegram:group:-1"] == "group"


def test_list_titles_and_previews(stored: Tree, call: Run) -> None:
    document = call("sessions.list", includeDerivedTitles=True, includeLastMessage=True)
    rows = {row["sessionId"]: row for row in document["sessions"]}
    assert rows["m"]["derivedTitle"] == "home"
    assert rows["g"]["derivedTitle"] == "Ops Room"
    assert rows["t"]["derivedTitle"] == "first words of a chat"
    assert rows["t"]["lastMessagePreview"] == "the answer"
    assert rows["c"]["derivedTitle"] == "c (2026-11-20)"
    assert "derivedTitle" not in call("sessions.list")["sessions"][0]


def test_long_titles_are_cut_at_a_word(stored: Tree, call: Run) -> None:
    stored.transcript("c", [("user", "word " * 30)])
    rows = call("sessions.list", includeDerivedTitles=True)["sessions"]
    title = next(row["derivedTitle"] for row in rows if row["sessionId"] == "c")
    assert title == "word " * 11 + "word…"
    assert len(title) == 60


def test_list_covers_every_agent_and_stores_that_nobody_configured(
    tree: Tree, call: Run, refused: Run
) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    for agent in ("main", "work", "ghost"):
        tree.sessions({f"agent:{agent}:main": _row(agent)}, agent=agent)
    assert call("sessions.list")["totalCount"] == 3
    assert call("sessions.list")["path"] == "(multiple)"
    assert call("sessions.list", configuredAgentsOnly=True)["totalCount"] == 2
    tree.file(".openclaw/agents/work/sessions/sessions.json", "{")
    assert refused("sessions.list").error["code"] == "store-unreadable"


def test_describe_is_one_row_or_null(stored: Tree, call: Run) -> None:
    assert call("sessions.describe", key="main")["session"]["sessionId"] == "m"
    assert call("sessions.describe", key="nobody") == {"session": None}


def test_preview_and_get(stored: Tree, call: Run) -> None:
    document = call("sessions.preview", keys=["telegram:direct:9", "main", "x"], maxChars=5)
    assert [item["status"] for item in document["previews"]] == ["ok", "empty", "missing"]
    assert document["previews"][0]["items"] == [
        {"role": "user", "text": "first"}, {"role": "assistant", "text": "the a"},
    ]  # fmt: skip
    got = call("sessions.get", key="t", limit=1)
    assert got["messageCount"] == 2
    assert [message["role"] for message in got["messages"]] == ["assistant"]


def test_resolve_by_key_id_or_label(stored: Tree, call: Run, refused: Run) -> None:
    for params in ({"key": "main"}, {"sessionId": "m"}, {"label": "home"}):
        assert call("sessions.resolve", **params) == {"ok": True, "key": "agent:main:main"}
    assert refused("sessions.resolve").error["code"] == "INVALID_REQUEST"
    assert refused("sessions.resolve", label="x").exit == 1
    assert refused("sessions.resolve", key="main", label="home").exit == 1


def test_usage_counts_answers_of_models(stored: Tree, call: Run, refused: Run) -> None:
    path = stored.state / "agents/main/sessions/m.jsonl"
    usage = {"input": 10, "output": 2, "cacheRead": 1, "totalTokens": 13}

    def answer(line_id: str, day: str, **more: Any) -> str:
        message = {"role": "assistant", "content": "x", "usage": usage, **more}
        stamp = f"2026-11-{day}T10:00:00.000Z"
        return json.dumps({"type": "message", "id": line_id, "parentId": None,
                           "timestamp": stamp, "message": message})  # fmt: skip

    mirror = {"provider": "openclaw", "model": "delivery-mirror"}
    path.write_text(
        "\n".join([answer("a", "18"), answer("b", "19"), answer("c", "19", **mirror)]) + "\n"
    )
    found = call("sessions.usage", key="main")
    assert found["totals"]["totalTokens"] == 26
    assert found["sessions"][0]["usage"]["calls"] == 2
    day = call("sessions.usage", key="main", startDate="2026-11-19", endDate="2026-11-19")
    assert day["totals"]["input"] == 10
    assert refused("sessions.usage", startDate="yesterday").error["code"] == "INVALID_REQUEST"


def test_create_mints_a_row(tree: Tree, call: Run, refused: Run) -> None:
    made = call("sessions.create", key="Project:X", label="x", model="openai/gpt-5")
    assert made["key"] == "agent:main:project:x"
    stored = tree.read(".openclaw/agents/main/sessions/sessions.json")
    row = stored["agent:main:project:x"]
    assert row == made["entry"]
    assert (row["providerOverride"], row["modelOverride"]) == ("openai", "gpt-5")
    assert row["sessionStartedAt"] == NOW
    assert refused("sessions.create", key="project:x").error["code"] == "session-exists"
    assert refused("sessions.create", label="x").error["code"] == "label-in-use"
    assert refused("sessions.create", parentSessionKey="nope").exit == 1
    child = call("sessions.create", parentSessionKey="project:x")
    assert child["entry"]["parentSessionKey"] == "agent:main:project:x"
    assert child["key"] == f"agent:main:explicit:{child['sessionId']}"


def test_patch_sets_and_clears(stored: Tree, call: Run, refused: Run) -> None:
    done = call("sessions.patch", key="main", sendPolicy="deny", model="p/m", pinned=True,
                thinkingLevel="high", label=None)  # fmt: skip
    row = done["entry"]
    assert (row["sendPolicy"], row["thinkingLevel"], row["pinnedAt"]) == ("deny", "high", NOW)
    assert done["resolved"] == {"modelProvider": "p", "model": "m"}
    assert "label" not in row
    assert row["updatedAt"] == NOW - 1  # no activity
    cleared = call("sessions.patch", key="main", sendPolicy=None, model=None, pinned=False)
    assert not {"sendPolicy", "modelOverride", "pinnedAt"} & cleared["entry"].keys()
    assert refused("sessions.patch", key="main", sendPolicy="maybe").error["code"] == (
        "INVALID_REQUEST"
    )
    assert refused("sessions.patch", key="nope", label="x").exit == 1


def test_reset_and_delete_archive(stored: Tree, call: Run, refused: Run) -> None:
    folder = stored.state / "agents/main/sessions"
    done = call("sessions.reset", key="telegram:direct:9", reason="new")
    assert done["entry"]["sessionId"] != "t"
    assert len(done["archived"]) == 1
    assert not (folder / "t.jsonl").exists()
    stored.transcript("c", [("user", "x")])
    gone = call("sessions.delete", key="agent:main:subagent:c1", deleteTranscript=True)
    assert (gone["ok"], gone["deleted"], len(gone["archived"])) == (True, True, 1)
    assert "agent:main:subagent:c1" not in stored.read(
        ".openclaw/agents/main/sessions/sessions.json"
    )
    assert refused("sessions.delete", key="main").error["code"] == "protected"
    assert refused("sessions.delete", key="nope").error["code"] == "unknown-session"


def test_compact_truncates_and_keeps_the_original(stored: Tree, call: Run) -> None:
    turns = [("user" if n % 2 else "assistant", f"line {n}") for n in range(9)]
    path = stored.transcript("m", turns)
    before = path.read_bytes()
    done = call("sessions.compact", key="main", maxLines=4)
    assert (done["compacted"], done["kept"]) == (True, 4)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["type"] == "session"
    assert lines[1]["parentId"] is None
    archived = stored.home / done["archived"]
    assert archived.read_bytes() == before
    row = stored.read(".openclaw/agents/main/sessions/sessions.json")["agent:main:main"]
    assert "totalTokens" not in row
    trail = stored.lines(".openclaw/logs/changes.jsonl")
    assert trail[-1]["movedTo"] == str(archived)
    assert call("sessions.compact", key="main", maxLines=4) == {
        "ok": True, "key": "agent:main:main", "compacted": False, "kept": 4,
    }  # fmt: skip


def test_cleanup_is_the_command(stored: Tree, call: Run) -> None:
    document = call("sessions.cleanup", dryRun=True)
    assert (document["dryRun"], document["beforeCount"]) == (True, 10)


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("nope", {}, "sessions.list"),
        ("sessions.list", {"bogus": 1}, "unexpected property 'bogus'"),
        ("sessions.list", {"limit": 0}, "'limit' must be an integer of at least 1"),
        ("sessions.list", {"limit": True}, "'limit'"),
        ("sessions.list", {"archived": "yes"}, "'archived' must be true or false"),
        ("sessions.preview", {"keys": [1]}, "'keys' must be a list of strings"),
        ("sessions.patch", {"label": "x"}, "'key' is required"),
        ("sessions.patch", {"key": "main", "label": 5}, "a string or null"),
        ("sessions.reset", {"key": "main", "reason": "old"}, "'reason' must be one of new, reset"),
        ("sessions.reset", {"key": "main", "reason": ["new"]}, "'reason' must be one of"),
        ("sessions.resolve", {}, "exactly one of"),
        ("sessions.usage", {"startDate": "soon"}, "a day like"),
    ],
)
def test_requests_that_break_the_protocol(
    tree: Tree, refused: Run, method: str, params: dict[str, Any], words: str
) -> None:
    run = refused(method, **params)
    assert run.exit == 1
    assert run.error["code"] == "INVALID_REQUEST"
    assert run.error["type"] == "gateway_request_error"
    assert run.error["retryable"] is False
    assert words in run.error["message"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--params", "{"], "SyntaxError"),
        (["--params", "[]"], "JSON object"),
        (["--url", "ws://x"], "on that host"),
    ],
)
def test_calls_that_cannot_be_made(
    tree: Tree, openclaw_inproc: Run, argv: list[str], words: str
) -> None:
    run = openclaw_inproc("gateway", "call", "sessions.list", *argv)
    assert (run.exit, run.out) == (1, "")
    assert run.err.startswith("openclaw: Gateway call failed:")
    assert words in run.err


def test_a_token_alone_is_ignored_with_a_warning(tree: Tree, openclaw_inproc: Run) -> None:
    run = openclaw_inproc("gateway", "call", "sessions.list", "--token", "secret-value")
    assert run.exit == 0
    assert "--token ignored" in run.err
    assert "secret-value" not in run.err


def test_the_timeout_bounds_the_call(
    tree: Tree, openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    slow = gateway_methods.Method("time:sleep")
    monkeypatch.setitem(gateway_methods.METHODS, "slow", slow)
    monkeypatch.setattr(gateway_methods, "implementation", lambda _m: lambda *_a: time.sleep(30))
    run = openclaw_inproc("gateway", "call", "slow", "--timeout", "50")
    assert run.exit == 1
    assert "no answer within 50 ms" in run.err


def test_every_method_of_the_registry_exists() -> None:
    for name, method in gateway_methods.METHODS.items():
        module, _, function = method.target.partition(":")
        assert callable(getattr(importlib.import_module(module), function)), name
        assert set(method.required) <= method.params.keys(), name


def test_health_and_status(stored: Tree, call: Run) -> None:
    health = call("health")
    assert (health["ok"], health["defaultAgentId"]) == (True, "main")
    assert health["sessions"]["count"] == 7
    assert call("status")["sessions"]["count"] == 7
    stored.file(".openclaw/heartbeat/state.json", "[]")
    assert call("health")["ok"] is False


def test_compact_waits_for_no_running_turn(stored: Tree, refused: Run) -> None:
    path = stored.transcript("m", [("user", f"line {n}") for n in range(9)])
    before = path.read_bytes()
    lock = {"pid": 1, "createdAt": "2026-11-20T02:59:00.000Z"}
    path.with_name("m.jsonl.lock").write_text(json.dumps(lock))
    run = refused("sessions.compact", key="main", maxLines=4)
    assert run.exit == 75
    assert run.error["code"] == "locked"
    assert path.read_bytes() == before


def test_heartbeat_methods(tree: Tree, call: Run, refused: Run) -> None:
    assert call("last-heartbeat") is None
    assert call("set-heartbeats", enabled=False) == {"ok": True, "enabled": False}
    assert tree.read(".openclaw/heartbeat/state.json")["enabled"] is False
    assert call("system-event", text="The washing machine is done") == {"ok": True}
    events = tree.read(".openclaw/heartbeat/state.json")["events"]["agent:main:main"]
    assert [event["text"] for event in events] == ["The washing machine is done"]
    assert refused("system-event", text="x", mode="later").error["code"] == "INVALID_REQUEST"
    assert refused("system-event", text=" ").error["code"] == "INVALID_REQUEST"
