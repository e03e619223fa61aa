"""The dreaming block of the configuration, resolved (``dreaming.md`` 1).

``plugins.entries.memory-core.config.dreaming``. Its schema is checked when the
configuration is loaded; here defaults are filled in, the zone is looked up and the cadence
is parsed, so that a mistake in either stops the command with the key's name.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import InvalidConfig
from openclaw_cli.memory.settings import (
    DEFAULT_FREQUENCY,
    DREAMING,
    DeepSettings,
    deep_limit,
    deep_settings,
)
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

STORAGE_MODES = ("inline", "separate", "both")


class Light(NamedTuple):
    """Light sleep. ``model`` is for the diary, None for the agent's default."""

    enabled: bool
    lookback_days: int
    limit: int
    dedupe_similarity: float
    model: str | None

    @property
    def runs(self) -> bool:
        """Whether the phase takes part in a sweep; a limit of 0 skips it."""
        return self.enabled and self.limit > 0


class Rem(NamedTuple):
    """REM sleep."""

    enabled: bool
    lookback_days: int
    limit: int
    min_pattern_strength: float
    model: str | None

    @property
    def runs(self) -> bool:
        """Whether the phase takes part in a sweep; a limit of 0 skips it."""
        return self.enabled and self.limit > 0


class Deep(NamedTuple):
    """Deep sleep, the only phase that writes ``MEMORY.md``; ``gates`` bound what it promotes."""

    enabled: bool
    limit: int
    gates: DeepSettings
    model: str | None

    @property
    def runs(self) -> bool:
        """Whether the phase takes part in a sweep; a limit of 0 skips it."""
        return self.enabled and self.limit > 0


class Dreaming(NamedTuple):
    """Everything the sweep needs to know. ``timezone`` is the configured name, if any."""

    enabled: bool
    frequency: str
    timezone: str | None
    zone: ZoneInfo
    verbose: bool
    storage_mode: str
    separate_reports: bool
    light: Light
    rem: Rem
    deep: Deep

    @property
    def inline(self) -> bool:
        """Whether light and REM sleep write a block into the day's note."""
        return self.storage_mode in ("inline", "both")

    @property
    def reports(self) -> bool:
        """Whether each phase writes a report file."""
        return self.storage_mode in ("separate", "both") or self.separate_reports


def resolve(config: Config) -> Dreaming:
    """The settings of this tree; ``InvalidConfig`` for an unknown zone or a bad cadence."""
    block = _Block(config.get(*DREAMING, default={}))
    storage = block.child("storage")
    phases = block.child("phases")
    shared = block.child("execution").child("defaults").text("model") or block.text("model")
    timezone = block.text("timezone")
    mode = (storage.text("mode") or "").lower()
    settings = Dreaming(
        enabled=block.flag("enabled", False),
        frequency=block.text("frequency") or DEFAULT_FREQUENCY,
        timezone=timezone or _user_timezone(config),
        zone=_zone(timezone, config),
        verbose=block.flag("verboseLogging", False),
        storage_mode=mode if mode in STORAGE_MODES else "separate",
        separate_reports=storage.flag("separateReports", False),
        light=_light(phases.child("light"), shared),
        rem=_rem(phases.child("rem"), shared),
        deep=_deep(phases.child("deep"), config, shared),
    )
    _check_frequency(settings.frequency, config)
    return settings


def _light(block: _Block, model: str | None) -> Light:
    return Light(
        enabled=block.flag("enabled", True),
        lookback_days=block.count("lookbackDays", 2),
        limit=block.count("limit", 100),
        dedupe_similarity=block.score("dedupeSimilarity", 0.9),
        model=block.child("execution").text("model") or model,
    )


def _rem(block: _Block, model: str | None) -> Rem:
    return Rem(
        enabled=block.flag("enabled", True),
        lookback_days=block.count("lookbackDays", 7),
        limit=block.count("limit", 10),
        min_pattern_strength=block.score("minPatternStrength", 0.75),
        model=block.child("execution").text("model") or model,
    )


def _deep(block: _Block, config: Config, model: str | None) -> Deep:
    return Deep(
        enabled=block.flag("enabled", True),
        limit=deep_limit(config),
        gates=deep_settings(config),
        model=block.child("execution").text("model") or model,
    )


def _user_timezone(config: Config) -> str | None:
    name = config.get("agents", "defaults", "userTimezone")
    if isinstance(name, str) and clock.find_zone(name.strip()) is not None:
        return name.strip()
    return None


def _zone(timezone: str | None, config: Config) -> ZoneInfo:
    if timezone is None:
        return agents.user_zone(config)
    zone = clock.find_zone(timezone)
    if zone is None:
        raise InvalidConfig(
            f"{'.'.join(DREAMING)}.timezone: unknown time zone {timezone!r}",
            path=config.path,
            hint="name an IANA zone such as Europe/Berlin, or remove the key",
        )
    return zone


def _check_frequency(frequency: str, config: Config) -> None:
    if frequency == DEFAULT_FREQUENCY:
        return
    from openclaw_cli.schedule import expression

    try:
        expression.validate(frequency)
    except expression.BadExpression as error:
        raise InvalidConfig(
            f"{'.'.join(DREAMING)}.frequency: {error}",
            path=config.path,
            hint='write a cron expression such as "0 3 * * *"',
        ) from error


class _Block:
    """Lenient reading of one object: a value of another type counts as absent."""

    def __init__(self, value: Any) -> None:
        self._values = value if isinstance(value, dict) else {}

    def child(self, name: str) -> _Block:
        return _Block(self._values.get(name))

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return value.strip() or None if isinstance(value, str) else None

    def flag(self, name: str, default: bool) -> bool:
        value = self._values.get(name)
        if isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().lower(), default)
        return value if isinstance(value, bool) else default

    def count(self, name: str, default: int) -> int:
        """A whole number from 0 up; numeric text counts, fractions are cut off."""
        number = self._number(name)
        return default if number is None or number < 0 else int(number)

    def score(self, name: str, default: float) -> float:
        """A number within 0..1."""
        number = self._number(name)
        return default if number is None or not 0 <= number <= 1 else number

    def _number(self, name: str) -> float | None:
        value = self._values.get(name)
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if math.isfinite(value) else None
