"""``openclaw status`` (``sessions.md`` 12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

NOW = 1_795_143_600_000
Run = Callable[..., Any]


def _row(session_id: str, age_ms: int = 0, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - age_ms, **more}


def test_an_empty_tree_has_a_status(tree: Tree, openclaw_inproc: Run) -> None:
    run = openclaw_inproc("status")
    assert run.exit == 0
    assert run.out.startswith("OpenClaw status\n")
    assert "0 active · default none (200k ctx) · 1 store\n" in run.out
    assert not tree.state.exists()


def test_counts_recent_and_agents(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(
        agents={
            "list": [{"id": "main"}, {"id": "work", "default": True}],
            "defaults": {"model": "openai/gpt-5"},
        }
    )
    tree.sessions(
        {f"agent:main:s{n}": _row(f"s{n}", n) for n in range(12)}
        | {"global": _row("g"), "unknown": _row("u"), "bad": None}
    )
    tree.sessions(
        {"agent:work:main": _row("w", 1, totalTokens=50, contextTokens=200, fastMode=False)},
        agent="work",
    )
    tree.file(".openclaw/workspace/BOOTSTRAP.md", "x")
    document = openclaw_inproc("status", "--json").json()
    sessions = document["sessions"]
    assert sessions["count"] == 13
    assert len(sessions["recent"]) == 10
    assert sessions["defaults"] == {"model": "gpt-5", "contextTokens": 200_000}
    assert [(s["agentId"], s["count"]) for s in sessions["byAgent"]] == [("main", 12), ("work", 1)]
    row = sessions["byAgent"][1]["recent"][0]
    assert (row["remainingTokens"], row["percentUsed"], row["age"]) == (150, 25, 1)
    assert row["flags"] == ["fast:off", "id:w"]
    agents = document["agents"]
    assert agents["defaultId"] == "work"
    assert agents["totalSessions"] == 13
    assert [a["id"] for a in agents["agents"]] == ["main", "work"]
    assert agents["agents"][0]["lastActiveAgeMs"] == 0
    assert agents["bootstrapPendingCount"] == 1


def test_the_window_is_the_one_of_the_list(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"defaults": {"contextTokens": 32_000}})
    tree.sessions({"agent:main:main": _row("m", totalTokens=16_000)})
    listed = openclaw_inproc("sessions", "--json").json()["sessions"][0]
    recent = openclaw_inproc("status", "--json").json()["sessions"]["recent"][0]
    assert listed["contextTokens"] == recent["contextTokens"] == 32_000
    assert recent["percentUsed"] == 50


def test_zones_that_differ_are_shown(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"defaults": {"userTimezone": "Europe/Paris"}})
    run = openclaw_inproc("status")
    assert "resets go by UTC (this host), days by Europe/Paris" in run.out
    zones = openclaw_inproc("status", "--json").json()["timezones"]
    assert zones == {"host": "UTC", "user": "Europe/Paris", "differ": True}


def test_the_heartbeat_row(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(
        agents={
            "list": [
                {"id": "main", "heartbeat": {}},
                {"id": "work", "heartbeat": {"every": "2h"}},
                {"id": "x"},
                {"id": "off", "heartbeat": {"every": "0m"}},
            ]
        }
    )
    run = openclaw_inproc("status")
    assert "30m (main), 2h (work), disabled (x), disabled (off)" in run.out
    part = openclaw_inproc("status", "--json").json()["heartbeat"]
    assert part["defaultAgentId"] == "main"
    assert part["agents"][1] == {
        "agentId": "work", "enabled": True, "every": "2h", "everyMs": 7_200_000,
    }  # fmt: skip
    assert (part["agents"][2]["every"], part["agents"][2]["everyMs"]) == ("disabled", None)


def test_follow_ups_that_are_held_back_are_said(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(commitments={"enabled": True})
    assert "on · 0 open" in openclaw_inproc("status").out


def test_a_damaged_part_is_reported_and_the_rest_still_shown(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.file(".openclaw/agents/main/sessions/sessions.json", "{")
    tree.file(".openclaw/heartbeat/state.json", "[]")
    run = openclaw_inproc("status", "--json")
    document = run.json()
    assert run.exit == 1
    assert "not JSON" in document["sessions"]["byAgent"][0]["error"]
    assert "heartbeat state" in document["heartbeat"]["error"]
    assert document["agents"]["defaultId"] == "main"
    assert "cannot be read" in openclaw_inproc("status").out


def test_deep_without_a_model_or_a_heartbeat(tree: Tree, openclaw_inproc: Run) -> None:
    run = openclaw_inproc("status", "--deep")
    assert run.exit == 0
    assert "none yet" in run.out
    assert "none configured" in run.out


def test_deep_shows_the_last_heartbeat(tree: Tree, openclaw_inproc: Run) -> None:
    event = {"ts": NOW - 120_000, "status": "sent", "channel": "telegram", "accountId": "biz"}
    tree.json(".openclaw/heartbeat/state.json", {"version": 1, "lastEvent": event})
    assert "sent · 2m ago · telegram · biz" in openclaw_inproc("status", "--deep").out


def test_the_scheduler_and_dreaming_are_told(
    tree: Tree, openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")  # no crontab of whoever runs the tests
    document = openclaw_inproc("status", "--json").json()
    assert document["scheduler"]["installed"] is False
    assert document["dreaming"] == {"enabled": False}
    assert "not installed (openclaw jobs install)" in openclaw_inproc("status").out
    tree.dreaming()
    part = openclaw_inproc("status", "--json").json()["dreaming"]
    assert part["enabled"] is True
    assert part["nextRunAtMs"] > NOW
    assert part["blocked"]["reason"] == "no-scheduler"
    assert "blocked: nothing starts it" in openclaw_inproc("status").out
