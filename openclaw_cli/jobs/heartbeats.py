"""The heartbeat as a job, and as the answer to a reminder (``heartbeat.md`` 2 and 10)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


def run(config: Config, paths: Paths, agents: Sequence[str], *, forced: bool) -> dict[str, Any]:
    """Run the heartbeats of ``agents``; the report of ``heartbeat run``."""
    report: dict[str, Any] = _module().run(config, paths, agents, force=forced)
    return report


def wake(config: Config, paths: Paths, agent_id: str) -> dict[str, Any]:
    """One heartbeat at once for a reminder; its row of the report."""
    row: dict[str, Any] = _module().wake(config, paths, agent_id)
    return row


def _module() -> Any:
    try:
        return importlib.import_module("openclaw_cli.heartbeat.run")
    except ModuleNotFoundError as error:
        raise OpenClawError("this build cannot run heartbeats") from error
