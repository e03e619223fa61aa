"""Agents, workspaces and the user's zone (memory.md 1.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import InvalidConfig, UnknownName
from openclaw_cli.state.paths import Paths

HOME = Path("/h")
PATHS = Paths(HOME, HOME / ".openclaw")


def config(data: Any = None, **environ: str) -> Config:
    return Config(PATHS, HOME / "c.json", json.dumps(data or {}), environ=environ)


def listed(*entries: Any, **defaults: Any) -> dict[str, Any]:
    return {"agents": {"list": list(entries), "defaults": defaults}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("main", "main"),
        ("  Work ", "work"),
        ("My Agent!", "my-agent"),
        ("--x--", "x"),
        ("a_b-c", "a_b-c"),
        ("_x", "_x"),
        ("żółw", "w"),
        ("", "main"),
        ("!!!", "main"),
        ("a" * 64, "a" * 64),
        ("a" * 65, "a" * 64),
        ("1st", "1st"),
        ("a..b", "a-b"),
    ],
)
def test_ids_are_normalised(text: str, expected: str) -> None:
    assert agents.normalize_agent_id(text) == expected


@pytest.mark.parametrize(
    ("data", "ids", "default"),
    [
        ({}, ["main"], "main"),
        (listed(), ["main"], "main"),
        (listed({"id": "Work"}, {"id": "home"}), ["work", "home"], "work"),
        (listed({"id": "a"}, {"id": "b", "default": True}), ["a", "b"], "b"),
        (listed({"id": "a"}, {"id": "A"}, {"id": "b"}), ["a", "b"], "a"),
        (listed({"default": True}, {"id": "b"}), ["main", "b"], "main"),
        (listed({"id": "a"}, {"id": "b", "default": "true"}), ["a", "b"], "a"),
    ],
)
def test_which_agents_there_are(data: Any, ids: list[str], default: str) -> None:
    assert agents.agent_ids(config(data)) == ids
    assert agents.default_agent_id(config(data)) == default


def test_an_unknown_agent_is_refused_with_the_known_ones() -> None:
    found = config(listed({"id": "a"}, {"id": "b"}))
    assert agents.require_agent(found, " A ") == "a"
    with pytest.raises(UnknownName) as caught:
        agents.require_agent(found, "ghost")
    assert "ghost" in caught.value.message
    assert caught.value.hint == "known agents: a, b"


@pytest.mark.parametrize(
    ("data", "environ", "agent", "expected"),
    [
        ({}, {}, "main", "/h/.openclaw/workspace"),
        ({}, {"OPENCLAW_PROFILE": "dev"}, "main", "/h/.openclaw/workspace-dev"),
        ({}, {"OPENCLAW_PROFILE": "Default"}, "main", "/h/.openclaw/workspace"),
        ({}, {"OPENCLAW_PROFILE": "dev", "OPENCLAW_WORKSPACE_DIR": "~/w"}, "main", "/h/w"),
        ({}, {}, "work", "/h/.openclaw/workspace-work"),
        (listed(workspace="~/ws"), {"OPENCLAW_WORKSPACE_DIR": "/e"}, "main", "/h/ws"),
        (listed(workspace="~/ws"), {}, "work", "/h/ws/work"),
        (listed({"id": "a"}, {"id": "work", "workspace": "/x\0y"}), {}, "work", "/xy"),
        (listed({"id": "work"}, workspace="/d"), {}, "work", "/d"),
        (listed({"id": "a", "workspace": "  "}), {}, "a", "/h/.openclaw/workspace"),
        (listed({"id": "a", "workspace": "${WS}/a"}), {"WS": "/env"}, "a", "/env/a"),
    ],
)
def test_workspaces(data: Any, environ: dict[str, str], agent: str, expected: str) -> None:
    assert str(agents.workspace_dir(config(data, **environ), PATHS, agent)) == expected


def test_an_unset_variable_never_becomes_a_folder_name() -> None:
    found = config(listed({"id": "a", "workspace": "${NOPE}/a"}))
    with pytest.raises(InvalidConfig, match="NOPE"):
        agents.workspace_dir(found, PATHS, "a")


def test_the_users_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    zones = [
        agents.user_zone(config(listed(userTimezone=name))).key
        for name in ("Europe/Warsaw", "Mars/Olympus", "", None)
    ]
    assert zones == ["Europe/Warsaw", "Asia/Tokyo", "Asia/Tokyo", "Asia/Tokyo"]


def test_blocks_are_overlaid_key_by_key() -> None:
    data = listed(
        {"id": "a", "heartbeat": {"every": "1h", "activeHours": {"start": "09:00"}}},
        heartbeat={"every": "30m", "target": "last", "activeHours": {"end": "22:00"}},
    )
    found = config(data)
    assert agents.agent_block(found, "a", "heartbeat") == {
        "every": "1h",
        "target": "last",
        "activeHours": {"start": "09:00"},
    }
    deep = agents.agent_block(found, "a", "heartbeat", deep=True)
    assert deep["activeHours"] == {"end": "22:00", "start": "09:00"}
    assert agents.agent_block(found, "b", "heartbeat")["every"] == "30m"
    assert agents.agent_block(config(), "b", "heartbeat") == {}


def test_a_setting_of_the_agent_wins_over_the_default() -> None:
    found = config(listed({"id": "a", "timeoutSeconds": 5}, timeoutSeconds=9))
    assert agents.agent_setting(found, "a", "timeoutSeconds") == 5
    assert agents.agent_setting(found, "b", "timeoutSeconds") == 9
