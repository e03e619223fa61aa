"""The ``commitments`` block of the configuration, resolved (``commitments.md`` 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

DEFAULT_MAX_PER_DAY = 3
MIN_AGE_MS = 15_000  # how old an answer has to be before its exchange counts as over


def enabled(config: Config) -> bool:
    """Whether extraction and delivery are on: only a literal ``true`` is."""
    return config.get("commitments", "enabled") is True


def max_per_day(config: Config) -> int:
    """Deliveries per agent and session in a rolling day."""
    from openclaw_cli.commitments.record import is_amount

    value = config.get("commitments", "maxPerDay")
    return int(value) if is_amount(value) and value >= 1 else DEFAULT_MAX_PER_DAY
