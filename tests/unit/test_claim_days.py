"""When a remark is over."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from openclaw_cli.memory.claim_days import has_lasted, named_day

NOTED = date(2026, 9, 9)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Recital on Saturday at the town hall", date(2026, 9, 12)),
        ("Zahnarzt am 17.9. um 8 Uhr", date(2026, 9, 17)),
        ("rendez-vous le 14 septembre chez le notaire", date(2026, 9, 14)),
        ("visit on September 21st, bring the papers", date(2026, 9, 21)),
        ("the handover is 2026-09-30 in the office", date(2026, 9, 30)),
        ("9月23日に健診、駅前の病院", date(2026, 9, 23)),
        ("concierto el viernes 18 en el parque", date(2026, 9, 18)),
        ("Kiste abholen am 16. um 9:30 im Hof", date(2026, 9, 16)),
        ("tyres on the 26th at 8:00", date(2026, 9, 26)),
        ("New hours from 17.9. on", None),
        ("ab Donnerstag, 17.9. neue Zeiten am Tor", date(2026, 9, 10)),
        ("Rent is due on the 1st of each month", None),
        ("Bins go out Mondays and Thursdays", None),
        ("The guarantee ends on 2027-09-30", None),
        ("The router has 10.0.20.1, the printer 10.0.20.7", None),
        ("closes at 17:45, one dollar a minute after that", None),
    ],
)
def test_the_day_that_a_claim_names(text: str, day: date | None) -> None:
    assert named_day(text, NOTED) == day


def after(*days: int) -> list[date]:
    return [NOTED + timedelta(days=day) for day in days]


def test_what_is_asked_for_only_around_its_day_has_not_lasted() -> None:
    assert not has_lasted(NOTED, after(0, 1, 2, 3), names=None)
    assert not has_lasted(NOTED, after(0, 1, 9), names=None), "one late question may be chance"
    assert has_lasted(NOTED, after(0, 5, 9), names=None)


def test_a_named_day_has_to_be_over_before_it_counts() -> None:
    names = NOTED + timedelta(days=12)
    assert not has_lasted(NOTED, after(0, 8, 10, 12, 13), names=names)
    assert has_lasted(NOTED, after(0, 8, 14, 20), names=names)
