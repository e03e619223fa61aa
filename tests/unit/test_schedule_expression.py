"""When cron expressions fire: every row of the documented tables, and a walk as a judge."""

from __future__ import annotations

from itertools import pairwise

import pytest

from openclaw_cli.schedule.expression import (
    BadExpression,
    latest_at_or_before,
    next_after,
    validate,
)
from openclaw_cli.state import clock


def _next(expr: str, zone: str, after: str) -> str | None:
    found = next_after(expr, clock.find_zone(zone), clock.parse_iso(after))
    return None if found is None else clock.iso(found)[:16] + "Z"


def _latest(expr: str, zone: str, now: str) -> str | None:
    found = latest_at_or_before(expr, clock.find_zone(zone), clock.parse_iso(now))
    return None if found is None else clock.iso(found)[:16] + "Z"


@pytest.mark.parametrize(
    ("expr", "zone", "after", "expected"),
    [
        ("0 9 * * 1-5", "UTC", "2026-11-20T03:00:00Z", "2026-11-20T09:00Z"),
        ("0 9 * * 1-5", "UTC", "2026-11-20T09:00:00Z", "2026-11-23T09:00Z"),
        ("0 3 * * *", "UTC", "2026-11-20T03:00:00Z", "2026-11-21T03:00Z"),
        ("0 3 * * *", "UTC", "2026-11-20T02:59:59Z", "2026-11-20T03:00Z"),
        ("0 9 * * *", "Europe/Warsaw", "2026-11-20T03:00:00Z", "2026-11-20T08:00Z"),
        ("30 2 * * *", "Europe/Warsaw", "2027-03-27T12:00:00Z", "2027-03-28T01:30Z"),
        ("30 2 * * *", "Europe/Warsaw", "2027-03-28T01:30:00Z", "2027-03-29T00:30Z"),
        ("30 2 * * *", "Europe/Warsaw", "2026-10-24T12:00:00Z", "2026-10-25T00:30Z"),
        ("30 2 * * *", "Europe/Warsaw", "2026-10-25T00:30:00Z", "2026-10-26T01:30Z"),
        ("0 9 15 * 1", "UTC", "2026-11-20T03:00:00Z", "2026-11-23T09:00Z"),
        ("0 9 15 * +1", "UTC", "2026-11-20T03:00:00Z", "2027-02-15T09:00Z"),
        ("0 9 L * *", "UTC", "2026-11-20T03:00:00Z", "2026-11-30T09:00Z"),
        ("0 9 * * 7", "UTC", "2026-11-20T03:00:00Z", "2026-11-22T09:00Z"),
        ("0 9 31 2 *", "UTC", "2026-11-20T03:00:00Z", None),
    ],
)
def test_documented_rows(expr: str, zone: str, after: str, expected: str | None) -> None:
    assert _next(expr, zone, after) == expected


@pytest.mark.parametrize("zone", ["Europe/Warsaw", "America/New_York"])
def test_a_time_in_the_spring_gap_runs_an_hour_later_once(zone: str) -> None:
    before, day = {
        "Europe/Warsaw": ("2027-03-27T12:00:00Z", "2027-03-28"),
        "America/New_York": ("2027-03-13T12:00:00Z", "2027-03-14"),
    }[zone]
    tz = clock.find_zone(zone)
    first = next_after("30 2 * * *", tz, clock.parse_iso(before))
    assert clock.local(first, tz).strftime("%Y-%m-%d %H:%M") == f"{day} 03:30"
    second = next_after("30 2 * * *", tz, first)
    assert clock.local(second, tz).hour == 2


def test_a_time_of_the_repeated_hour_runs_once_at_its_first_pass() -> None:
    assert _next("30 2 * * *", "Europe/Warsaw", "2026-10-25T00:29:00Z") == "2026-10-25T00:30Z"
    # The second 02:30 of that night is 01:30Z.
    assert _next("30 2 * * *", "Europe/Warsaw", "2026-10-25T01:00:00Z") == "2026-10-26T01:30Z"


@pytest.mark.parametrize("expr", ["0 * * * *", "*/30 * * * *"])
def test_the_repeated_hour_is_skipped_by_recurring_times(expr: str) -> None:
    zone = clock.find_zone("Europe/Warsaw")
    at = clock.parse_iso("2026-10-24T22:00:00Z")
    end = clock.parse_iso("2026-10-25T04:00:00Z")
    walls = []
    while (at := next_after(expr, zone, at)) < end:
        walls.append(clock.local(at, zone).strftime("%H:%M"))
    assert len(walls) == len(set(walls))
    assert "02:00" in walls


def test_hourly_has_no_hole_in_spring() -> None:
    zone = clock.find_zone("Europe/Warsaw")
    at = clock.parse_iso("2027-03-27T22:00:00Z")
    seen = [at]
    for _ in range(8):
        seen.append(next_after("0 * * * *", zone, seen[-1]))
    assert [later - at for at, later in pairwise(seen)] == [clock.HOUR_MS] * 8


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("0 0 9 * * *", "2026-11-20T09:00Z"),  # seconds come first
        ("@daily", "2026-11-21T00:00Z"),
        ("@hourly", "2026-11-20T04:00Z"),
        ("@WEEKLY", "2026-11-22T00:00Z"),
        ("@annually", "2027-01-01T00:00Z"),
        ("0 9 ? * 1", "2026-11-23T09:00Z"),
        ("0 9 15 * ?", "2026-12-15T09:00Z"),
        ("0 9 15W * *", "2026-12-15T09:00Z"),
        ("0 9 LW * *", "2026-11-30T09:00Z"),
        ("0 9 * * 5L", "2026-11-27T09:00Z"),
        ("0 9 * * 1#L", "2026-11-30T09:00Z"),
        ("0 9 * * 5#2", "2026-12-11T09:00Z"),
        ("0 0 9 * * * 2027", "2027-01-01T09:00Z"),
        ("0 0 9 * * * 2025", None),
        ("1-1 9 * * *", "2026-11-20T09:01Z"),
        ("*/15 9 * jan-mar mon-fri", "2027-01-01T09:00Z"),
        ("0 9 * * mon-sun", "2026-11-20T09:00Z"),
        ("0 9 1-31 * 1", "2026-11-20T09:00Z"),  # both restricted: either one is enough
        ("0 9 30 2 1", "2027-02-01T09:00Z"),  # an impossible day leaves the weekday
        ("0 9 29 2 *", "2028-02-29T09:00Z"),
        ("0 9 29 2 +1", "2044-02-29T09:00Z"),
    ],
)
def test_accepted_forms(expr: str, expected: str | None) -> None:
    assert _next(expr, "UTC", "2026-11-20T03:00:00Z") == expected


def test_a_day_that_a_month_lacks_has_no_nearest_weekday_in_it() -> None:
    assert _next("0 9 31W * *", "UTC", "2026-11-20T03:00:00Z") == "2026-12-31T09:00Z"
    assert _next("0 9 31W * *", "UTC", "2027-01-30T03:00:00Z") == "2027-03-31T09:00Z"


@pytest.mark.parametrize(
    ("expr", "named"),
    [
        ("5-1 * * * *", "minute"),
        ("0 22-2 * * *", "hour"),
        ("0 9 * * FRI-MON", "weekday"),
        ("60 * * * *", "minute"),
        ("0 24 * * *", "hour"),
        ("0 9 0 * *", "day of month"),
        ("0 9 * 13 *", "month"),
        ("0 9 * * 8", "weekday"),
        ("*/0 * * * *", "minute"),
        ("*/61 * * * *", "minute"),
        ("5/10 * * * *", "minute"),
        ("/5 * * * *", "minute"),
        ("1,,2 * * * *", "minute"),
        ("H * * * *", "minute"),
        ("0 9 * * 1#6", "weekday"),
        ("0 9 * * *#1", "weekday"),
        ("0 9 L-2 * *", "day of month"),
        ("0 9 15 * +", "weekday"),
        ("٣ * * * *", "minute"),
        ("0 9 * *", "4 fields"),
        ("", "0 fields"),
        ("@reboot", "1 fields"),
        ("1 2 3 4 5 6 7 8", "8 fields"),
    ],
)
def test_what_is_no_expression_is_refused_with_the_field(expr: str, named: str) -> None:
    with pytest.raises(BadExpression, match=named):
        validate(expr)


def test_the_latest_run_may_be_now() -> None:
    assert _latest("0 3 * * *", "UTC", "2026-11-20T03:00:00Z") == "2026-11-20T03:00Z"
    assert _latest("0 3 * * *", "UTC", "2026-11-20T02:59:59Z") == "2026-11-19T03:00Z"
    assert _latest("0 9 31 2 *", "UTC", "2026-11-20T03:00:00Z") is None


def test_the_latest_run_over_the_clock_changes() -> None:
    # 02:30 does not exist on that night: it ran at 03:30 local, 01:30Z.
    assert _latest("30 2 * * *", "Europe/Warsaw", "2027-03-28T01:29:00Z") == "2027-03-27T01:30Z"
    assert _latest("30 2 * * *", "Europe/Warsaw", "2027-03-28T01:30:00Z") == "2027-03-28T01:30Z"
    # In the second pass of the repeated hour the first one is the latest.
    assert _latest("45 2 * * *", "Europe/Warsaw", "2026-10-25T01:10:00Z") == "2026-10-25T00:45Z"


def test_half_an_hour_of_lord_howe() -> None:
    assert _next("15,30 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z") == (
        "2026-10-03T15:30Z"
    )
    assert _next("15,30 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:30:00Z") == (
        "2026-10-03T15:45Z"
    )
    assert _latest("15,30 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:50:00Z") == (
        "2026-10-03T15:45Z"
    )


def test_a_day_that_a_zone_skipped_runs_on_the_next() -> None:
    # Samoa had no 30 December 2011: its two o'clock falls on that of the 31st, once.
    assert _next("0 2 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z") == "2011-12-30T12:00Z"
    assert _next("0 2 * * *", "Pacific/Apia", "2011-12-30T12:00:00Z") == "2011-12-31T12:00Z"
