"""Which agents' heartbeats run, how often, in which hours (``heartbeat.md`` 1 and 3)."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from builders import Tree

from openclaw_cli.config.load import Config, load
from openclaw_cli.heartbeat import settings
from openclaw_cli.state.clock import parse_iso
from openclaw_cli.state.paths import Paths

UTC = ZoneInfo("UTC")


def config_with(tree: Tree, **blocks: Any) -> Config:
    tree.config(**blocks)
    return load(Paths.from_env(), validate=False)


@pytest.mark.parametrize(
    ("listed", "defaults", "expected"),
    [
        ([], None, ["main"]),
        ([{"id": "a"}, {"id": "b", "default": True}], None, ["b"]),
        ([{"id": "a"}, {"id": "b"}], {}, ["a", "b"]),
        ([{"id": "a"}, {"id": "b", "heartbeat": {}}], {"every": "1h"}, ["b"]),
    ],
    ids=["nothing", "default-agent", "defaults-mean-all", "own-blocks-only"],
)
def test_which_agents_run(
    tree: Tree, listed: list[Any], defaults: dict[str, Any] | None, expected: list[str]
) -> None:
    block: dict[str, Any] = {"list": listed}
    if defaults is not None:
        block["defaults"] = {"heartbeat": defaults}
    assert settings.running_agents(config_with(tree, agents=block)) == expected


@pytest.mark.parametrize(
    ("every", "expected"),
    [("30m", 1_800_000), ("1h30m", 5_400_000), (15, 900_000), ("0m", None), ("soon", None)],
)
def test_interval(every: object, expected: int | None) -> None:
    assert settings.interval_ms(every) == expected


def test_agent_block_lies_over_the_defaults(tree: Tree) -> None:
    config = config_with(
        tree,
        agents={
            "defaults": {"heartbeat": {"every": "1h", "target": "last"}},
            "list": [{"id": "main", "heartbeat": {"every": "2h"}}],
        },
    )
    found = settings.of_agent(config, "main")
    assert (found.every_ms, found.target, found.enabled) == (7_200_000, "last", True)


def test_spacing_is_half_an_hour_where_the_heartbeat_is_off(tree: Tree) -> None:
    config = config_with(tree, agents={"defaults": {"heartbeat": {"every": "0m"}}})
    assert settings.spacing_ms(config, "main") == 1_800_000


@pytest.mark.parametrize(
    ("start", "end", "zone", "at", "expected"),
    [
        ("09:00", "22:00", "UTC", "2026-11-20T08:59:59Z", False),
        ("09:00", "22:00", "UTC", "2026-11-20T09:00:00Z", True),
        ("09:00", "22:00", "UTC", "2026-11-20T21:59:59Z", True),
        ("09:00", "22:00", "UTC", "2026-11-20T22:00:00Z", False),
        ("22:00", "06:00", "UTC", "2026-11-20T23:00:00Z", True),
        ("22:00", "06:00", "UTC", "2026-11-20T06:00:00Z", False),
        ("08:00", "08:00", "UTC", "2026-11-20T08:00:00Z", False),
        ("00:00", "24:00", "UTC", "2026-11-20T00:00:00Z", True),
        ("9:00", "22:00", "UTC", "2026-11-20T03:00:00Z", True),
        (None, "22:00", "UTC", "2026-11-20T23:00:00Z", True),
        ("24:00", "22:00", "UTC", "2026-11-20T23:00:00Z", True),
        ("09:00", "22:00", "Asia/Seoul", "2026-11-20T00:00:00Z", True),
        ("09:00", "22:00", "No/Where", "2026-11-20T03:00:00Z", False),
    ],
)
def test_active_hours(start: str | None, end: str, zone: str, at: str, expected: bool) -> None:
    hours = {"start": start, "end": end, "timezone": zone}
    found = settings.Settings("main", True, 1, {"activeHours": hours})
    now_ms = parse_iso(at)
    assert now_ms is not None
    assert settings.is_open(found, now_ms, UTC) is expected
