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
    slot = slot_ms(settings, last_run_ms, now_ms)
    # A slot that passed outside the active hours waits for them to begin again.
    return None if slot is None else next_open_ms(settings, slot, user_zone)


def slot_ms(settings: hb.Settings, last_run_ms: int | None, now_ms: int) -> int | None:
    """When the interval is over, whatever the active hours say; None when it is switched off."""
    if not settings.enabled or settings.every_ms is None:
        return None
    if last_run_ms is None or last_run_ms > now_ms:
        return now_ms
    return last_run_ms - last_run_ms % clock.MINUTE_MS + settings.every_ms


def next_open_ms(settings: hb.Settings, at_ms: int, user_zone: ZoneInfo) -> int | None:
    """``at_ms`` when it is inside the active hours, else their next start, else None."""
    if hb.is_open(settings, at_ms, user_zone):
        return at_ms
    hours = settings.block.get("activeHours")
    window = hb.window_minutes(hours)
    if window is None or window[0] == window[1]:
        return None
    zone = hb.zone_of(hours, user_zone)
    midnight = clock.local(at_ms, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    today = midnight.replace(tzinfo=None)
    for days in range(_DAYS_AHEAD):
        begins = _beginnings(today + timedelta(days=days), window[0], zone)
        later = (at for at in begins if at > at_ms and hb.is_open(settings, at, user_zone))
        first = min(later, default=None)
        if first is not None:
            return first
    return None


def _beginnings(day: datetime, minute: int, zone: ZoneInfo) -> list[int]:
    """Instants of a day at which active hours may begin: their hour, and a change of the clocks.

    An hour that the clocks repeat may open the window again, one that they skip opens it at
    the moment of the change.
    """
    wall = day + timedelta(minutes=minute)
    found = [clock.to_ms(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1)]
    start = clock.to_ms(day.replace(tzinfo=zone, fold=0))
    end = clock.to_ms((day + timedelta(days=1)).replace(tzinfo=zone, fold=0))
    change = _clock_change(start, end, zone)
    return found if change is None else [*found, change]


def _clock_change(start_ms: int, end_ms: int, zone: ZoneInfo) -> int | None:
    """The minute between two instants at which the offset of ``zone`` changes, None without."""

    def offset(at_ms: int) -> timedelta | None:
        return clock.local(at_ms, zone).utcoffset()

    before = offset(start_ms)
    if offset(end_ms) == before:
        return None
    low, high = start_ms // clock.MINUTE_MS, -(-end_ms // clock.MINUTE_MS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if offset(middle * clock.MINUTE_MS) == before else (low, middle)
    return high * clock.MINUTE_MS


def is_zero_width(settings: hb.Settings) -> bool:
    """Whether the active hours start and end at the same time: no tick will ever run."""
    window = hb.window_minutes(settings.block.get("activeHours"))
    return window is not None and window[0] == window[1]
