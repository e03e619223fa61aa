"""The settings of promotion and recall recording (``memory.md`` 1.4).

Lenient on purpose: the schema refuses wrong values before; what still gets through falls
back to its default, as in the reference.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from openclaw_cli.config.load import Config
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

DREAMING = ("plugins", "entries", "memory-core", "config", "dreaming")
DEFAULT_FREQUENCY = "0 3 * * *"


class DeepSettings(NamedTuple):
    """The thresholds of the deep phase, which manual promotion uses as well.

    Ages and half-life are days; ``max_age_days`` None means no limit, ``limit`` None all.
    """

    min_score: float = 0.8
    min_recall_count: int = 3
    min_unique_queries: int = 3
    half_life_days: int = 14
    max_age_days: int | None = 30
    max_snippet_tokens: int = 160
    limit: int | None = None


DEFAULTS = DeepSettings()
DEFAULT_LIMIT = 10


def deep_settings(config: Config) -> DeepSettings:
    """The configured thresholds; ``limit`` is left open, it is the sweep's alone."""
    block = config.get(*DREAMING, "phases", "deep")
    raw: dict[str, Any] = block if isinstance(block, dict) else {}
    half_life = _count(raw.get("recencyHalfLifeDays"), DEFAULTS.half_life_days)
    return DeepSettings(
        min_score=_share(raw.get("minScore"), DEFAULTS.min_score),
        min_recall_count=_count(raw.get("minRecallCount"), DEFAULTS.min_recall_count),
        min_unique_queries=_count(raw.get("minUniqueQueries"), DEFAULTS.min_unique_queries),
        half_life_days=half_life or DEFAULTS.half_life_days,
        max_age_days=_count(raw.get("maxAgeDays"), 0) or DEFAULTS.max_age_days,
        max_snippet_tokens=_count(raw.get("maxPromotedSnippetTokens"), 0)
        or DEFAULTS.max_snippet_tokens,
    )


def deep_limit(config: Config) -> int:
    """How many candidates one sweep promotes."""
    return _count(config.get(*DREAMING, "phases", "deep", "limit"), DEFAULT_LIMIT)


def dreaming_enabled(config: Config) -> bool:
    """Whether dreaming is on: searches are recorded and sweeps run."""
    return _flag(config.get(*DREAMING, "enabled"), default=False)


def dreaming_zone(config: Config) -> ZoneInfo:
    """The zone of day buckets: ``dreaming.timezone``, the user's, else the host's."""
    from openclaw_cli.config.agents import user_zone
    from openclaw_cli.state import clock

    name = config.get(*DREAMING, "timezone")
    zone = clock.find_zone(name.strip()) if isinstance(name, str) and name.strip() else None
    return zone or user_zone(config)


def _flag(value: Any, *, default: bool) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    return default


def _number(value: Any) -> float | None:
    """A number or numeric text; None for anything else and for what is not finite."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _share(value: Any, default: float) -> float:
    number = _number(value)
    return default if number is None or not 0 <= number <= 1 else number


def _count(value: Any, default: int) -> int:
    number = _number(value)
    return default if number is None or number < 0 else math.floor(number)
