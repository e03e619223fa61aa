"""Which days a phase looks back on (``dreaming.md`` 1.1, 12.11).

A day is a calendar day of the owner's zone, written ``YYYY-MM-DD``. The look-back of *n*
days is today and the *n* days before it.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from openclaw_cli.memory.entries import Entry, day_number, stamp_ms
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


class Lookback(NamedTuple):
    """The days ``oldest``..``today`` of one zone; both are part of it."""

    oldest: str
    today: str
    zone: ZoneInfo

    def has_note(self, day: str) -> bool:
        """Whether a note of ``day`` is looked at: not too old, not of a day to come."""
        return self.oldest <= day <= self.today and day_number(day) is not None

    def has_time(self, at_ms: int) -> bool:
        """Whether something of this instant is looked at."""
        return clock.day_in(at_ms, self.zone) >= self.oldest

    def has_entry(self, entry: Entry) -> bool:
        """Whether the entry was met lately; its note may be older."""
        if any(day >= self.oldest and day_number(day) is not None for day in entry["recallDays"]):
            return True
        seen = stamp_ms(entry["lastRecalledAt"])
        return seen is not None and self.has_time(seen)


def lookback(now_ms: int, days: int, zone: ZoneInfo) -> Lookback:
    """The look-back of ``days`` days as of ``now_ms``."""
    today = clock.local(now_ms, zone).date()
    reach = min(days, (today - date.min).days)
    return Lookback((today - timedelta(days=reach)).isoformat(), today.isoformat(), zone)
