"""Next and latest runs against a minute-by-minute walk through two years in five zones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.schedule.expression import latest_at_or_before, next_after
from openclaw_cli.state import clock

ZONES = ["UTC", "Europe/Warsaw", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
START = datetime(2026, 1, 1)
MINUTES = 2 * 365 * 24 * 60
EXPRESSIONS = {
    "30 2 * * *": lambda t: (t.hour, t.minute) == (2, 30),
    "0 * * * *": lambda t: t.minute == 0,
    "*/20 1-3 * * *": lambda t: t.minute % 20 == 0 and 1 <= t.hour <= 3,
    "15 2 * * 0": lambda t: (t.hour, t.minute) == (2, 15) and t.isoweekday() == 7,
    "0 9 15 * 1": lambda t: (t.hour, t.minute) == (9, 0) and (t.day == 15 or t.weekday() == 0),
    "59 23 L * *": lambda t: (
        (t.hour, t.minute) == (23, 59) and (t + timedelta(days=1)).month != t.month
    ),
}


@cache
def _walls(expr: str) -> list[datetime]:
    """Every matching wall-clock minute of the two years, found by looking at each."""
    matches = EXPRESSIONS[expr]
    return [wall for n in range(MINUTES) if matches(wall := START + timedelta(minutes=n))]


@cache
def _runs(expr: str, zone_name: str) -> list[int]:
    """The instants of these minutes: first pass in autumn, moved behind the gap in spring."""
    zone = clock.find_zone(zone_name)
    return sorted({clock.to_ms(wall.replace(tzinfo=zone, fold=0)) for wall in _walls(expr)})


@given(
    expr=st.sampled_from(list(EXPRESSIONS)),
    zone_name=st.sampled_from(ZONES),
    offset_s=st.integers(3 * 86_400, 2 * 365 * 86_400 - 40 * 86_400),
)
def test_next_and_latest_agree_with_the_walk(expr: str, zone_name: str, offset_s: int) -> None:
    runs = _runs(expr, zone_name)
    at = clock.parse_iso("2026-01-01T00:00:00Z") + offset_s * 1000
    zone = clock.find_zone(zone_name)
    assert next_after(expr, zone, at) == runs[bisect_right(runs, at)]
    if at >= runs[0]:
        assert latest_at_or_before(expr, zone, at) == runs[bisect_right(runs, at) - 1]


def test_every_run_around_the_clock_changes_is_found_by_stepping() -> None:
    for zone_name in ZONES:
        zone = clock.find_zone(zone_name)
        for expr in EXPRESSIONS:
            runs = _runs(expr, zone_name)
            for change in ("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25"):
                at = clock.parse_iso(change) - clock.DAY_MS
                end = at + 3 * clock.DAY_MS
                stepped = []
                while (at := next_after(expr, zone, at)) <= end:
                    stepped.append(at)
                low = bisect_right(runs, clock.parse_iso(change) - clock.DAY_MS)
                assert stepped == runs[low : bisect_left(runs, end + 1)], (zone_name, expr, change)
