"""Times as people give them: every row of the documented table."""

from __future__ import annotations

import pytest

from openclaw_cli.errors import UsageProblem
from openclaw_cli.schedule import stagger, times
from openclaw_cli.state import clock

NOW = clock.parse_iso("2026-11-20T03:00:00Z")
WARSAW = clock.find_zone("Europe/Warsaw")


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-11-21T10:00:00Z", None, "2026-11-21T10:00:00.000Z"),
        ("2026-11-21T10:00:00+02:00", WARSAW, "2026-11-21T08:00:00.000Z"),
        ("2026-11-21T10:00:00", None, "2026-11-21T10:00:00.000Z"),
        ("2026-11-21T10:00:00", WARSAW, "2026-11-21T09:00:00.000Z"),
        ("2026-11-21 10:00", WARSAW, "2026-11-21T09:00:00.000Z"),
        ("2026-11-21", None, "2026-11-21T00:00:00.000Z"),
        ("2026-11-21", WARSAW, "2026-11-21T00:00:00.000Z"),
        ("2027-10-31T02:30:00", WARSAW, "2027-10-31T01:30:00.000Z"),  # twice: the later one
        ("20m", None, "2026-11-20T03:20:00.000Z"),
        ("+20m", None, "2026-11-20T03:20:00.000Z"),
        ("1.5h", None, "2026-11-20T04:30:00.000Z"),
        ("500ms", None, "2026-11-20T03:00:00.500Z"),
        ("2026-11-20T02:59:00Z", None, "2026-11-20T02:59:00.000Z"),  # a minute ago still counts
    ],
)
def test_accepted(text: str, zone: object, expected: str) -> None:
    assert clock.iso(times.parse_at(text, zone, NOW)) == expected


@pytest.mark.parametrize(
    ("text", "zone", "reason"),
    [
        ("2027-03-28T02:30:00", WARSAW, "does not exist in Europe/Warsaw"),
        ("1h30m", None, "is no time"),
        ("0m", None, "no time ahead"),
        ("tomorrow", None, "is no time"),
        ("", None, "is no time"),
        ("++5m", None, "is no time"),
        ("90", None, "in the past: 1970-01-01T00:00:00.090Z"),
        ("2026-11-20T02:58:59Z", None, "in the past"),
        ("2036-11-22", None, "ten years"),
        ("9" * 40, None, "ten years"),
        ("0 9 * *", None, "has 4 fields"),
        ("2026-13-01", None, "no date of the calendar"),
        ("2026-11-31T10:00", WARSAW, "no date of the calendar"),
    ],
)
def test_refused(text: str, zone: object, reason: str) -> None:
    with pytest.raises(UsageProblem, match=reason):
        times.parse_at(text, zone, NOW)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("every 1h", "every"),
        ("Every 2d", "every"),
        ("0 9 * * 1-5", "cron"),
        ("0 0 9 * * *", "cron"),
        ("@daily", "cron"),
        ("0 9 * *", "at"),
        ("0 0 9 * * * 2027", "at"),
        ("20m", "at"),
        ("2026-11-21 10:00", "at"),
    ],
)
def test_one_word_for_all_kinds(text: str, kind: str) -> None:
    assert times.kind_of(text) == kind


def test_intervals() -> None:
    assert times.parse_every("2h") == 7_200_000
    for text in ("0m", "soon", "90"):
        with pytest.raises(UsageProblem):
            times.parse_every(text)


def test_an_unknown_zone_is_named() -> None:
    with pytest.raises(UsageProblem, match="Mars/Base"):
        times.parse_zone("Mars/Base")


@pytest.mark.parametrize(
    ("task_id", "offset"),
    [
        ("11111111-0000-4000-8000-000000000001", 173_972),
        ("22222222-0000-4000-8000-000000000002", 108_876),
    ],
)
def test_the_stagger_of_an_id(task_id: str, offset: int) -> None:
    assert stagger.offset_ms(task_id, 300_000) == offset
    assert stagger.offset_ms(task_id, 0) == 0


@pytest.mark.parametrize(
    ("schedule", "window"),
    [
        ({"expr": "0 * * * *"}, 300_000),
        ({"expr": "0 */6 * * *"}, 300_000),
        ({"expr": "0 0 * * * *"}, 300_000),
        ({"expr": "5 0 * * * *"}, 0),
        ({"expr": "0 3 * * *"}, 0),
        ({"expr": "30 * * * *"}, 0),
        ({"expr": "@hourly"}, 0),
        ({"expr": "0 * * * *", "staggerMs": 0}, 0),
        ({"expr": "0 3 * * *", "staggerMs": 60_000}, 60_000),
    ],
)
def test_the_window_of_a_schedule(schedule: dict[str, object], window: int) -> None:
    assert stagger.window_ms(schedule) == window
