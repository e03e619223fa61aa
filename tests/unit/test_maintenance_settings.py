"""Limits with defaults and units resolved."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.config.load import load
from openclaw_cli.sessions import maintenance_settings as settings
from openclaw_cli.sessions.maintenance_settings import Settings, resolve
from openclaw_cli.state.clock import DAY_MS
from openclaw_cli.state.paths import Paths


def test_the_defaults() -> None:
    assert (
        resolve(None)
        == resolve({})
        == Settings(
            mode="warn",
            prune_after_ms=30 * DAY_MS,
            max_entries=500,
            rotate_bytes=10_485_760,
            reset_retention_ms=30 * DAY_MS,
            max_disk_bytes=None,
            high_water_bytes=None,
        )
    )


@pytest.mark.parametrize(
    ("section", "field", "value"),
    [
        ({"mode": "enforce"}, "mode", "enforce"),
        ({"pruneAfter": "1d12h"}, "prune_after_ms", 36 * 3_600_000),
        ({"pruneAfter": 1.5}, "prune_after_ms", 36 * 3_600_000),
        ({"pruneAfter": 0}, "prune_after_ms", 0),
        ({"pruneDays": 3}, "prune_after_ms", 3 * DAY_MS),
        ({"pruneDays": 3, "pruneAfter": "7d"}, "prune_after_ms", 7 * DAY_MS),
        ({"pruneAfter": "7d"}, "reset_retention_ms", 7 * DAY_MS),
        ({"resetArchiveRetention": "14d"}, "reset_retention_ms", 14 * DAY_MS),
        ({"resetArchiveRetention": False}, "reset_retention_ms", None),
        ({"rotateBytes": "1kb"}, "rotate_bytes", 1024),
        ({"maxDiskBytes": 1001}, "high_water_bytes", 800),
        ({"maxDiskBytes": 1}, "high_water_bytes", 1),
        ({"maxDiskBytes": 1000, "highWaterBytes": 5000}, "high_water_bytes", 1000),
        ({"maxDiskBytes": 1000, "highWaterBytes": 0}, "high_water_bytes", 800),
        ({"maxDiskBytes": 0, "highWaterBytes": 10}, "max_disk_bytes", None),
        ({"maxDiskBytes": 0, "highWaterBytes": 10}, "high_water_bytes", None),
        ({"highWaterBytes": 10}, "high_water_bytes", None),
        # A caller that skips validation gets the defaults for what cannot be read.
        ({"pruneAfter": "soon"}, "prune_after_ms", 30 * DAY_MS),
        ({"maxDiskBytes": "1 mb"}, "max_disk_bytes", None),
        ({"rotateBytes": None}, "rotate_bytes", 10_485_760),
        ({"pruneAfter": "7d", "resetArchiveRetention": "1w"}, "reset_retention_ms", 7 * DAY_MS),
        ({"maxEntries": 0}, "max_entries", 500),
        ({"maxEntries": True}, "max_entries", 500),
    ],
)
def test_one_setting(section: dict[str, Any], field: str, value: object) -> None:
    assert getattr(resolve(section), field) == value


def test_which_keys_are_main(tree: Any, home: Any) -> None:
    tree.config(session={"mainKey": "Work", "scope": "global"})
    upkeep = settings.from_config(load(Paths.from_env({"HOME": str(home)})), "main")
    mains = ["agent:main:work", "agent:main:main", "AGENT:x:Work", "global", "main"]
    assert [key for key in mains if upkeep.is_main(key)] == mains
    assert not upkeep.is_main("agent:main:other")
    assert upkeep.retire_direct


@pytest.mark.parametrize(("scope", "retires"), [(None, True), ("main", True), ("per-peer", False)])
def test_direct_chats_retire_only_into_the_main_scope(
    tree: Any, home: Any, scope: str | None, retires: bool
) -> None:
    tree.config(session={"dmScope": scope} if scope else {})
    upkeep = settings.from_config(load(Paths.from_env({"HOME": str(home)})), "main")
    assert upkeep.retire_direct is retires
    assert not upkeep.is_main("global")
