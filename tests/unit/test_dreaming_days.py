"""Look-backs are days of the owner's zone: today and the n days before."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from openclaw_cli.dreaming.days import lookback
from openclaw_cli.state.clock import parse_iso

NOW = 1_795_143_600_000  # 2026-11-20T03:00Z


def entry(days: list[str], last: str) -> dict[str, Any]:
    return {"recallDays": days, "lastRecalledAt": last}


def test_zone_decides_what_today_is() -> None:
    utc = lookback(NOW, 2, ZoneInfo("UTC"))
    assert (utc.oldest, utc.today) == ("2026-11-18", "2026-11-20")
    west = lookback(NOW, 2, ZoneInfo("America/Los_Angeles"))
    assert (west.oldest, west.today) == ("2026-11-17", "2026-11-19")


@pytest.mark.parametrize(
    ("day", "inside"),
    [("2026-11-20", True), ("2026-11-18", True), ("2026-11-17", False), ("2026-11-21", False),
     ("2026-11-31", False), ("2026-13-01", False)],
)  # fmt: skip
def test_notes_of_the_future_and_impossible_days_are_outside(day: str, inside: bool) -> None:
    assert lookback(NOW, 2, ZoneInfo("UTC")).has_note(day) is inside


def test_lookback_of_zero_days_is_today() -> None:
    today = lookback(NOW, 0, ZoneInfo("UTC"))
    assert today.has_note("2026-11-20")
    assert not today.has_note("2026-11-19")


def test_instants_count_by_their_day() -> None:
    east = lookback(NOW, 1, ZoneInfo("Asia/Tokyo"))  # it is noon of the 20th there
    assert east.has_time(parse_iso("2026-11-18T15:00:00Z") or 0)
    assert not east.has_time(parse_iso("2026-11-18T14:59:59Z") or 0)


def test_entry_counts_by_the_day_of_a_signal() -> None:
    span = lookback(NOW, 2, ZoneInfo("UTC"))
    assert span.has_entry(entry(["2026-11-01", "2026-11-18"], "2026-11-01T00:00:00.000Z"))
    assert span.has_entry(entry([], "2026-11-18T00:00:00.000Z"))
    assert not span.has_entry(entry(["2026-11-17", "x"], "2026-11-17T23:59:59.999Z"))
    assert not span.has_entry(entry([], "no time"))


def test_endless_lookback_is_possible() -> None:
    assert lookback(NOW, 10**9, ZoneInfo("UTC")).has_note("1990-01-01")
