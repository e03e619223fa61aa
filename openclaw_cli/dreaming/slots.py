"""When a sweep is due (``dreaming.md`` 2.2, "When").

A slot is an instant at which ``frequency`` fires in the owner's zone. However many slots
were missed, one sweep makes up for them.
"""

from __future__ import annotations

from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.schedule import expression
from openclaw_cli.state import clock

FIRST_SLOT_AGE_MS = clock.DAY_MS  # without a record an older slot is nobody's


def next_run_ms(settings: Dreaming, now_ms: int) -> int | None:
    """The first slot after ``now_ms``; None while dreaming is off or when none comes."""
    if not settings.enabled:
        return None
    return expression.next_after(settings.frequency, settings.zone, now_ms)


def latest_ms(settings: Dreaming, now_ms: int) -> int | None:
    """The last slot not after ``now_ms``: the one that a sweep now counts for."""
    return expression.latest_at_or_before(settings.frequency, settings.zone, now_ms)


def is_due(slot_ms: int | None, swept_ms: int | None, now_ms: int) -> bool:
    """Whether ``slot_ms`` is still to be swept; ``swept_ms`` is the last finished slot."""
    if slot_ms is None:
        return False
    if swept_ms is None:
        return now_ms - slot_ms < FIRST_SLOT_AGE_MS
    return slot_ms > swept_ms
