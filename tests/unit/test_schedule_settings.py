"""The ``cron`` block resolved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.schedule import settings
from openclaw_cli.schedule.settings import Settings
from openclaw_cli.state.paths import Paths


def resolved(tree: Tree, block: dict[str, Any] | None, **environ: str) -> Settings:
    tree.config(**({} if block is None else {"cron": block}))
    paths = Paths.from_env()
    return settings.from_config(load(paths), paths, environ)


def test_defaults(tree: Tree) -> None:
    found = resolved(tree, None)
    assert found.enabled
    assert found.store_path == tree.state / "cron" / "jobs.json"
    assert found.retry == (3, (30_000, 60_000, 300_000), settings.TRANSIENT)
    assert found.retention_ms == 86_400_000
    assert (found.log_bytes, found.log_lines) == (2_000_000, 2000)


@pytest.mark.parametrize(
    ("value", "expected"), [("48h", 172_800_000), ("90", 324_000_000), (False, None)]
)
def test_retention(tree: Tree, value: Any, expected: int | None) -> None:
    assert resolved(tree, {"sessionRetention": value}).retention_ms == expected


def test_own_values(tree: Tree, home: Path) -> None:
    found = resolved(tree, {
        "store": "~/x/tasks.json",
        "retry": {"maxAttempts": 0, "backoffMs": [5], "retryOn": ["network"]},
        "runLog": {"maxBytes": "1mb", "keepLines": 7},
        "failureAlert": {"enabled": True},
    })  # fmt: skip
    assert found.store_path == home / "x" / "tasks.json"
    assert found.retry == (0, (5,), ("network",))
    assert (found.log_bytes, found.log_lines) == (1_048_576, 7)
    assert found.failure_alert == {"enabled": True}


def test_switched_off_by_config_or_environment(tree: Tree) -> None:
    assert not resolved(tree, {"enabled": False}).enabled
    assert not resolved(tree, None, OPENCLAW_SKIP_CRON="1").enabled
    assert resolved(tree, None, OPENCLAW_SKIP_CRON="0").enabled
