"""Active hours and due times."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.heartbeat import due, settings
from openclaw_cli.state.clock import DAY_MS, HOUR_MS, MINUTE_MS, parse_iso

UTC = ZoneInfo("UTC")


def _at(text: str) -> int:
    found = parse_iso(text)
    assert found is not None
    return found


def _settings(every_ms: int | None = 30 * MINUTE_MS, **hours: str) -> settings.Settings:
    return settings.Settings("main", True, every_ms, {"activeHours": hours} if hours else {})


@pytest.mark.parametrize(
    ("start", "end", "zone", "at", "inside"),
    [
        ("09:00", "22:00", "UTC", "08:59:59", False),
        ("09:00", "22:00", "UTC", "09:00:00", True),
        ("09:00", "22:00", "UTC", "21:59:59", True),
        ("09:00", "22:00", "UTC", "22:00:00", False),
        ("22:00", "06:00", "UTC", "23:00:00", True),
        ("22:00", "06:00", "UTC", "06:00:00", False),
        ("08:00", "08:00", "UTC", "08:00:00", False),
        ("00:00", "24:00", "UTC", "23:59:59", True),
        ("9:00", "22:00", "UTC", "03:00:00", True),
        ("24:00", "22:00", "UTC", "03:00:00", True),
        ("09:00", "22:00", "Asia/Seoul", "00:00:00", True),
        ("09:00", "22:00", "Nowhere/Land", "03:00:00", False),
    ],
)
def test_active_hours(start: str, end: str, zone: str, at: str, inside: bool) -> None:
    found = _settings(start=start, end=end, timezone=zone)
    assert settings.is_open(found, _at(f"2026-11-20T{at}Z"), UTC) is inside


NOON = _at("2026-11-20T12:00:30Z")


@pytest.mark.parametrize(
    ("last", "due_at"),
    [
        (None, NOON),
        (NOON + 1, NOON),
        (_at("2026-11-20T11:59:59Z"), _at("2026-11-20T12:29:00Z")),
        (NOON - 3 * DAY_MS, _at("2026-11-17T12:30:00Z")),
    ],
    ids=["never", "clock-set-back", "rounded-to-the-minute", "missed-slots"],
)
def test_due_times(last: int | None, due_at: int) -> None:
    assert due.next_due_ms(_settings(), last, NOON, UTC) == due_at


def test_due_outside_the_hours_waits_for_them() -> None:
    office = _settings(start="09:00", end="17:00")
    assert due.next_due_ms(office, _at("2026-11-20T16:45:00Z"), NOON + 5 * HOUR_MS, UTC) == _at(
        "2026-11-21T09:00:00Z"
    )
    night = _settings(start="22:00", end="06:00")
    assert due.next_due_ms(night, None, NOON, UTC) == _at("2026-11-20T22:00:00Z")


def test_off_or_never_open_is_never_due() -> None:
    assert due.next_due_ms(_settings(None), None, NOON, UTC) is None
    closed = _settings(start="08:00", end="08:00")
    assert due.next_due_ms(closed, None, NOON, UTC) is None
    assert due.is_zero_width(closed)
    assert not due.is_zero_width(_settings(start="22:00", end="06:00"))


def test_a_start_in_the_gap_of_spring_opens_after_it() -> None:
    warsaw = _settings(start="02:30", end="04:00", timezone="Europe/Warsaw")
    assert due.next_open_ms(warsaw, _at("2027-03-28T00:00:00Z"), UTC) == _at("2027-03-28T01:00:00Z")


@given(
    st.integers(0, 1439), st.integers(1, 1440), st.integers(0, 4 * 365 * DAY_MS),
    st.sampled_from(["UTC", "Europe/Warsaw", "America/St_Johns", "Asia/Kathmandu"]),
)  # fmt: skip
def test_the_next_opening_is_open_and_nothing_before_it_is(
    start: int, end: int, offset: int, zone: str
) -> None:
    hours = {
        "start": f"{start // 60:02d}:{start % 60:02d}", "end": f"{end // 60:02d}:{end % 60:02d}",
        "timezone": zone,
    }  # fmt: skip
    found = _settings(**hours)
    now = _at("2026-01-01T00:00:00Z") + offset
    at = due.next_open_ms(found, now, UTC)
    if start == end:
        assert at is None
        return
    assert at is not None
    assert settings.is_open(found, at, UTC)
    for probe in range(now, at, 7 * MINUTE_MS):
        assert not settings.is_open(found, probe, UTC)
