"""What ``session.maintenance`` asks for, with defaults and units resolved.

Validation refuses unreadable values before; a caller that skips it gets the fallbacks of
``sessions-maintenance.md`` 1.3 instead of a failure. Durations count days without a unit,
sizes bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import keys
from openclaw_cli.state.clock import DAY_MS

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

WARN = "warn"
ENFORCE = "enforce"
DEFAULT_PRUNE_AFTER_MS = 30 * DAY_MS
DEFAULT_MAX_ENTRIES = 500
DEFAULT_ROTATE_BYTES = 10 * 1024 * 1024
HIGH_WATER_SHARE = (4, 5)  # of maxDiskBytes


@dataclass
class Settings:
    """Limits of the store and its folder; times in ms, sizes in bytes.

    ``reset_retention_ms`` None keeps ``.reset.`` archives for ever; ``max_disk_bytes``
    None means no budget. ``keep_last`` is how many rows stay of a job or label, by its name
    in lowercase; ``*`` is each job without a number of its own (``cli.sessions.keepLast``).
    """

    mode: str = WARN
    prune_after_ms: int = DEFAULT_PRUNE_AFTER_MS
    max_entries: int = DEFAULT_MAX_ENTRIES
    rotate_bytes: int = DEFAULT_ROTATE_BYTES
    reset_retention_ms: int | None = DEFAULT_PRUNE_AFTER_MS
    max_disk_bytes: int | None = None
    high_water_bytes: int | None = None
    keep_last: dict[str, int] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class Upkeep:
    """What the maintenance of one store has to know: limits, and which keys are special.

    ``main_rests`` are the names of main sessions without ``agent:<id>:``; ``main_is_global``
    tells that the session ``global`` is the main one; ``retire_direct`` that all direct
    chats belong to it (``session.dmScope`` is main). ``neighbours`` are the stores of all
    agents, which may share a folder.
    """

    agent_id: str = keys.MAIN
    settings: Settings = field(default_factory=Settings)
    main_rests: frozenset[str] = frozenset({keys.MAIN})
    main_is_global: bool = False
    retire_direct: bool = True
    neighbours: tuple[Path, ...] = ()

    def is_main(self, key: str) -> bool:
        """Whether ``key`` is the main session of the agent that it names."""
        folded = key.strip().lower()
        if folded == "global":
            return self.main_is_global
        return keys.rest_of(folded) in self.main_rests


def from_config(config: Config, agent_id: str) -> Upkeep:
    """The upkeep of the store of ``agent_id``."""
    session = config.get("session", default={})
    main = session.get("mainKey")
    rests = {keys.MAIN, main.strip().lower() if isinstance(main, str) else ""} - {""}
    settings = resolve(session.get("maintenance"))
    settings.keep_last = _numbers(config.cli("sessions", "keepLast"))
    return Upkeep(
        agent_id=agent_id,
        settings=settings,
        main_rests=frozenset(rests),
        main_is_global=session.get("scope") == "global",
        retire_direct=session.get("dmScope") in (None, "main"),
        neighbours=_neighbours(config) if isinstance(session.get("store"), str) else (),
    )


def _neighbours(config: Config) -> tuple[Path, ...]:
    from openclaw_cli.config import agents
    from openclaw_cli.sessions import discovery

    ids = agents.agent_ids(config)
    return tuple(discovery.store_path(config, config.paths, agent_id) for agent_id in ids)


def resolve(section: Mapping[str, Any] | None) -> Settings:
    """The limits of one ``session.maintenance`` object."""
    given = section or {}
    prune_after = _duration(given.get("pruneAfter"), None)
    if prune_after is None:
        prune_after = _count(given.get("pruneDays"), 0) * DAY_MS or DEFAULT_PRUNE_AFTER_MS
    limit, high_water = _budget(given)
    return Settings(
        mode=ENFORCE if given.get("mode") == ENFORCE else WARN,
        prune_after_ms=prune_after,
        max_entries=_count(given.get("maxEntries"), DEFAULT_MAX_ENTRIES),
        rotate_bytes=_size(given.get("rotateBytes"), DEFAULT_ROTATE_BYTES),
        reset_retention_ms=(
            None
            if given.get("resetArchiveRetention") is False
            else _duration(given.get("resetArchiveRetention"), prune_after)
        ),
        max_disk_bytes=limit,
        high_water_bytes=high_water,
    )


def _numbers(given: object) -> dict[str, int]:
    """The numbers of ``cli.sessions.keepLast`` by their names as they are compared."""
    found = given if isinstance(given, dict) else {}
    counts = {name.strip().lower(): _count(number, 0) for name, number in found.items()}
    return {name: number for name, number in counts.items() if number}


def _budget(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Budget and target of the folder. Zero switches the budget off; a target of zero is none."""
    limit = _size(given.get("maxDiskBytes"), 0)
    if not limit:
        return None, None
    share, whole = HIGH_WATER_SHARE
    target = _size(given.get("highWaterBytes"), 0) or max(1, limit * share // whole)
    return limit, min(target, limit)


def _duration(value: object, fallback: int | None) -> int | None:
    if value is None:
        return fallback
    from openclaw_cli.config.units import parse_duration_ms

    try:
        return parse_duration_ms(value, "d")
    except ValueError:
        return fallback


def _size(value: object, fallback: int) -> int:
    if value is None:
        return fallback
    from openclaw_cli.config.units import parse_size

    try:
        return parse_size(value)
    except ValueError:
        return fallback


def _count(value: object, fallback: int) -> int:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
    return int(value) if usable and isinstance(value, int | float) else fallback
