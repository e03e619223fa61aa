"""The ``cron`` block resolved (``scheduled-tasks.md`` 3 to 5)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

TRANSIENT = ("rate_limit", "overloaded", "network", "timeout", "server_error")
RETRY_BACKOFF_MS = (30_000, 60_000, 300_000)
DEFAULT_ATTEMPTS = 3
DEFAULT_RETENTION_MS = clock.DAY_MS
DEFAULT_LOG_BYTES = 2_000_000
DEFAULT_LOG_LINES = 2000
DEFAULT_ALERT_AFTER = 2
DEFAULT_COOLDOWN_MS = clock.HOUR_MS


class Retry(NamedTuple):
    """How often, after which waits and on which kinds of error a run is tried again."""

    attempts: int = DEFAULT_ATTEMPTS
    backoff_ms: tuple[int, ...] = RETRY_BACKOFF_MS
    kinds: tuple[str, ...] = TRANSIENT


class Settings(NamedTuple):
    """What the configuration says about scheduled tasks.

    ``retention_ms`` None keeps the session rows of single runs for ever; ``max_runs`` is how
    many tasks run at the same time.
    """

    enabled: bool
    store_path: Path
    retry: Retry
    retention_ms: int | None
    log_bytes: int
    log_lines: int
    failure_alert: dict[str, Any]
    failure_destination: dict[str, Any]
    max_runs: int = 1


def from_config(config: Config, paths: Paths, environ: Mapping[str, str]) -> Settings:
    """Read the block; ``OPENCLAW_SKIP_CRON=1`` switches everything off."""
    block = config.get("cron", default={})
    return Settings(
        is_enabled(config, environ),
        store_path(config, paths),
        _retry(_block(block, "retry")),
        _retention(block.get("sessionRetention")),
        _size(_block(block, "runLog").get("maxBytes"), DEFAULT_LOG_BYTES),
        int(_block(block, "runLog").get("keepLines") or DEFAULT_LOG_LINES),
        _block(block, "failureAlert"),
        _block(block, "failureDestination"),
        int(block.get("maxConcurrentRuns") or 1),
    )


def is_enabled(config: Config, environ: Mapping[str, str]) -> bool:
    """Whether anything runs at all."""
    return environ.get("OPENCLAW_SKIP_CRON") != "1" and config.get("cron", "enabled") is not False


def store_path(config: Config, paths: Paths) -> Path:
    """Where the definitions are: ``cron.store``, else ``cron/jobs.json``."""
    named = config.get("cron", "store")
    if isinstance(named, str) and named.strip():
        return paths.expand(named.strip())
    return paths.under("cron", "jobs.json")


def state_path(path: Path) -> Path:
    """Where the states of the tasks defined at ``path`` are."""
    return path.with_name(f"{path.name.removesuffix('.json')}-state.json")


def has_store(path: Path) -> bool:
    """Whether there are definitions to load; what cannot be looked at, loading has to tell."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def _block(block: Any, name: str) -> dict[str, Any]:
    found = block.get(name) if isinstance(block, dict) else None
    return found if isinstance(found, dict) else {}


def _retry(block: Mapping[str, Any]) -> Retry:
    attempts, waits, kinds = (block.get(n) for n in ("maxAttempts", "backoffMs", "retryOn"))
    return Retry(
        DEFAULT_ATTEMPTS if attempts is None else int(attempts),
        tuple(int(wait) for wait in waits) if waits else RETRY_BACKOFF_MS,
        TRANSIENT if kinds is None else tuple(kinds),
    )


def _retention(value: Any) -> int | None:
    if value is False:
        return None
    if value is None:
        return DEFAULT_RETENTION_MS
    from openclaw_cli.config import units

    try:
        return units.parse_duration_ms(value, "h")
    except ValueError:
        return DEFAULT_RETENTION_MS


def _size(value: Any, fallback: int) -> int:
    if value is None:
        return fallback
    from openclaw_cli.config import units

    try:
        return units.parse_size(value)
    except ValueError:
        return fallback
