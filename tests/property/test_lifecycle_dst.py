"""Daily boundaries over years of clock changes, in several zones (``sessions.md`` 4.1)."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.sessions import lifecycle
from openclaw_cli.sessions.lifecycle import Policy
from openclaw_cli.state import clock

ZONES = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "UTC"]
START = clock.parse_iso("2024-01-01") or 0
END = clock.parse_iso("2028-01-01") or 0
CHANGES = [
    clock.parse_iso(day) or 0
    for day in (
        "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-03-08T07:00:00Z",
        "2026-11-01T06:00:00Z", "2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z",
        "2026-04-23T22:00:00Z", "2026-10-29T21:00:00Z",
    )
]  # fmt: skip

around_changes = st.builds(
    lambda at, off: at + off, st.sampled_from(CHANGES), st.integers(-90_000_000, 90_000_000)
)
instants = st.integers(START, END) | around_changes
hours = st.integers(0, 23)
zones = st.sampled_from(ZONES)


@given(zones, hours, instants)
def test_a_boundary_is_the_hour_of_a_local_day_or_the_end_of_a_gap(
    name: str, hour: int, now: int
) -> None:
    zone = ZoneInfo(name)
    at = lifecycle.daily_boundary(now, hour, zone)
    assert at <= now
    assert now - at < 26 * clock.HOUR_MS  # a day of a clock change has 25 hours at most
    local = clock.local(at, zone)
    just_before = clock.local(at - 1, zone)
    on_the_hour = (local.hour, local.minute, local.second) == (hour, 0, 0)
    gap = local.utcoffset() != just_before.utcoffset() and local.hour >= hour
    assert on_the_hour or gap
    assert local.fold == 0


@given(zones, hours, instants)
def test_there_is_one_boundary_a_day(name: str, hour: int, now: int) -> None:
    zone = ZoneInfo(name)
    at = lifecycle.daily_boundary(now, hour, zone)
    following = lifecycle.next_boundary(at, hour, zone)
    assert following > now
    assert lifecycle.daily_boundary(following - 1, hour, zone) == at
    assert lifecycle.daily_boundary(following, hour, zone) == following
    days = (clock.local(following, zone).date() - clock.local(at, zone).date()).days
    assert days == 1


@given(zones, hours, instants, st.integers(0, 3 * clock.DAY_MS), st.none() | st.integers(1, 5000))
def test_a_session_is_stale_exactly_from_its_expiry(
    name: str, hour: int, started: int, age: int, idle: int | None
) -> None:
    zone = ZoneInfo(name)
    policy = Policy("daily", hour, idle, "t", True)
    row = {"sessionStartedAt": started, "lastInteractionAt": started}
    now = started + age
    verdict = lifecycle.judge(row, policy, now_ms=now, zone=zone, header_ms=None)
    stale_daily = started < lifecycle.daily_boundary(now, hour, zone)
    stale_idle = idle is not None and now > started + idle * clock.MINUTE_MS
    assert verdict.fresh is not (stale_daily or stale_idle)
    ends = verdict.expires_at_ms
    assert ends is not None
    later = lifecycle.judge(row, policy, now_ms=ends + 1, zone=zone, header_ms=None)
    assert not later.fresh
    if ends > started:
        before = lifecycle.judge(row, policy, now_ms=ends - 1, zone=zone, header_ms=None)
        assert before.fresh


@pytest.mark.parametrize("name", ZONES[:3])
def test_the_nights_of_the_clock_change_have_their_boundary(name: str) -> None:
    zone = ZoneInfo(name)
    for hour in (0, 1, 2, 3, 4):
        at = START
        seen = []
        while at < END:
            at = lifecycle.next_boundary(at, hour, zone)
            seen.append(clock.day_in(at, zone))
        assert len(seen) == len(set(seen))
        assert len(seen) in (1461, 1462)
