"""The clock, its texts and its zones."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from freezegun import freeze_time

from openclaw_cli.errors import OpenClawError
from openclaw_cli.state import clock


def test_the_environment_freezes_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_NOW", "2026-11-20T03:00:00Z")
    assert clock.now_ms() == 1795143600000
    monkeypatch.setenv("OPENCLAW_NOW", "yesterday")
    with pytest.raises(OpenClawError, match="OPENCLAW_NOW"):
        clock.now_ms()


def test_freezegun_freezes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCLAW_NOW")
    with freeze_time("2026-11-20 03:00:00"):
        assert clock.now_ms() == 1795143600000


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01", 0),
        ("1970-01-01T01:00+01:00", 0),
        ("1970-01-01T00:00:00.123456Z", 123),
        ("1970-01-01 00:00:00.5z", 500),
        ("1969-12-31T23:59:59.999Z", -1),
        ("1970-01-01T00:00:00", None),
        ("1970-13-01", None),
        ("soon", None),
    ],
)
def test_iso_texts(text: str, ms: int | None) -> None:
    assert clock.parse_iso(text) == ms


def test_iso_and_stamps_round_trip() -> None:
    assert clock.iso(1795143600007) == "2026-11-20T03:00:00.007Z"
    assert clock.archive_stamp(1795143600007) == "2026-11-20T03-00-00.007Z"
    assert clock.parse_iso(clock.iso(-1)) == -1


@pytest.mark.parametrize("name", ["Nowhere/Land", "", "../etc/passwd", "Europe", "\0"])
def test_unknown_zones_are_none(name: str) -> None:
    assert clock.find_zone(name) is None


def test_days_follow_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    seoul = clock.find_zone("Asia/Seoul")
    assert seoul is not None
    assert clock.day_in(1795143600000 + 13 * clock.HOUR_MS, seoul) == "2026-11-21"
    monkeypatch.setenv("TZ", "America/New_York")
    assert clock.day_in(1795143600000, clock.host_zone()) == "2026-11-19"


@pytest.mark.parametrize(
    ("ms", "told"),
    [
        (253_402_300_800_000.0, "9999-12-30T23:59:59.999Z"),
        (float("inf"), "9999-12-30T23:59:59.999Z"),
        (-(10**20), "0001-01-02T00:00:00.000Z"),
    ],
)
def test_a_stamp_that_no_calendar_holds_is_told_as_its_nearest_end(ms: float, told: str) -> None:
    assert clock.iso(ms) == told
    for zone in ("Pacific/Kiritimati", "America/Adak"):
        assert clock.to_ms(clock.local(ms, ZoneInfo(zone))) == clock.parse_iso(told)
