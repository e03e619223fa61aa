"""Active hours against the definition, minute by minute, in the nights of a clock change."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.heartbeat import due, settings
from openclaw_cli.state.clock import parse_iso

MINUTE = 60_000
ZONES = ["Europe/Warsaw", "America/New_York", "Australia/Lord_Howe", "America/Havana", "UTC"]
# Days around the changes of the clocks in these zones, and plain ones.
DAYS = ["2027-03-14", "2027-03-28", "2027-04-04", "2026-10-04", "2026-10-25", "2026-11-01",
        "2026-11-20"]  # fmt: skip
TIMES = st.builds(lambda h, m: f"{h:02}:{m:02}", st.integers(0, 23), st.sampled_from([0, 15, 30]))


def _in(start: str, end: str, zone: str) -> settings.Settings:
    hours = {"start": start, "end": end, "timezone": zone}
    return settings.Settings("main", True, 30 * MINUTE, {"activeHours": hours})


@given(
    TIMES, TIMES, st.sampled_from(ZONES), st.sampled_from(DAYS), st.integers(-12 * 60, 30 * 60)
)  # fmt: skip
def test_the_next_open_instant_is_the_first_open_minute(
    start: str, end: str, zone: str, day: str, minutes: int
) -> None:
    found = _in(start, end, zone)
    utc = ZoneInfo("UTC")
    at = parse_iso(f"{day}T00:00:00Z")
    assert at is not None
    at += minutes * MINUTE
    got = due.next_open_ms(found, at, utc)
    if start == end:
        assert got is None
        return
    by_hand = next(
        (
            t
            for t in range(at, at + 2 * 24 * 60 * MINUTE + 1, MINUTE)
            if settings.is_open(found, t, utc)
        ),
        None,
    )
    if by_hand is not None:
        assert got == by_hand
    else:
        assert got is not None
        assert settings.is_open(found, got, utc)
