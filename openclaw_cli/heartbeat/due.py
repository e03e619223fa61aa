"""When an agent's heartbeat runs next. Pure (``heartbeat.md`` 2 and 3).

The due time is the start of the last run, rounded down to the minute, plus the interval;
when that lies outside active hours, the next instant inside them. Missed slots are not
replayed: one run covers them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from openclaw_cli.heartbeat import settings as hb
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_DAYS_AHEAD = 8


def next_due_ms(
    settings: hb.Settings, last_run_ms: int | None, now_ms: int, user_zone: ZoneInfo
) -> int | None:
    """The instant, in the past where a run is overdue; None when none will ever come.

    An agent that never ran, or whose last run lies in the future (the clock was set back),
    is due now.
    """
    if not settings.enabled or settings.every_ms is None:
        return None
    if last_run_ms is None or last_run_ms > now_ms:
        return next_open_ms(settings, now_ms, user_zone)
    start = last_run_ms - last_run_ms % clock.MINUTE_MS
    due = start + settings.every_ms
    # A slot that passed outside the active hours waits for them to begin again.
    return next_open_ms(settings, due, user_zone)


def next_open_ms(settings: hb.Settings, at_ms: int, user_zone: ZoneInfo) -> int | None:
    """``at_ms`` when it is inside the active hours, else their next start, else None."""
    if hb.is_open(settings, at_ms, user_zone):
        return at_ms
    hours = settings.block.get("activeHours")
    window = hb.window_minutes(hours)
    if window is None or window[0] == window[1]:
        return None
    zone = hb.zone_of(hours, user_zone)
    today = clock.local(at_ms, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    for days in range(_DAYS_AHEAD):
        wall = today.replace(tzinfo=None) + timedelta(days=days, minutes=window[0])
        begins = _instant(wall, zone)
        if begins > at_ms and hb.is_open(settings, begins, user_zone):
            return begins
    return None


def is_zero_width(settings: hb.Settings) -> bool:
    """Whether the active hours start and end at the same time: no tick will ever run."""
    window = hb.window_minutes(settings.block.get("activeHours"))
    return window is not None and window[0] == window[1]


def _instant(wall: datetime, zone: ZoneInfo) -> int:
    """Epoch ms of a wall time; one in a gap shifts forward, of two the first counts."""
    return clock.to_ms(wall.replace(tzinfo=zone, fold=0))
