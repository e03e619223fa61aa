"""When a remark is over."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from openclaw_cli.memory.claim_days import missing_days, named_day

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
        ("ab Donnerstag, 17.9. neue Zeiten am Tor", None),
        ("Rent is due on the 1st of each month", None),
        ("Bins go out Mondays and Thursdays", None),
        ("Groceries are ordered on Saturdays", None),
        ("Choir practice each Friday at 19:30", None),
        ("Wartung bleibt jeder erste Freitag, 10 Räder ab November", None),
        ("Altpapier montags", None),
        ("le mardi, marché place du Lavoir", None),
        ("los martes clase de cerámica", None),
        ("le mardi 15 chez le notaire", date(2026, 9, 15)),
        ("zaterdagen gesloten", None),
        ("매주 화요일 오전 입고", None),
        ("毎週水曜に集金", None),
        ("每周五盘点", None),
        ("setiap Jumat rapat jam 3", None),
        ("كل خميس اجتماع", None),
        ("rapat hari Jumat jam 3", date(2026, 9, 11)),
        ("حفل التخرج يوم السبت", date(2026, 9, 12)),
        ("consulta na sexta-feira", date(2026, 9, 11)),
        ("15일부터 월요일 휴무", None),
        ("18 Eylül'den itibaren pazartesi kapalı", None),
        ("the 5 o'clock bus from Monday on", None),
        ("The guarantee ends on 2027-09-30", None),
        ("The router has 10.0.20.1, the printer 10.0.20.7", None),
        ("closes at 17:45, one dollar a minute after that", None),
    ],
)
def test_the_day_that_a_claim_names(text: str, day: date | None) -> None:
    found = named_day(text, NOTED)
    assert (found and found.day) == day


def after(*days: int) -> list[date]:
    return [NOTED + timedelta(days=day) for day in days]


def test_what_is_asked_for_only_around_its_day_has_not_lasted() -> None:
    assert missing_days(NOTED, after(0, 1, 2, 3), None) == (date(2026, 9, 13), 0, 2)
    assert missing_days(NOTED, after(0, 1, 9), None), "one late question may be chance"
    assert missing_days(NOTED, after(0, 5, 9), None) is None


def test_a_named_weekday_has_to_be_over_once() -> None:
    saturday = named_day("Orders close on Saturday", NOTED)
    assert missing_days(NOTED, after(0, 2, 3, 4), saturday) == (date(2026, 9, 13), 1, 2)
    tuesday = named_day("Orders close on Tuesday", NOTED)
    assert missing_days(NOTED, after(0, 4, 6), tuesday) == (date(2026, 9, 17), 0, 1)
    assert missing_days(NOTED, after(0, 4, 8), tuesday) is None


def test_an_event_with_a_date_needs_more_than_two_late_questions() -> None:
    event = named_day("Recital on September 21st", NOTED)
    assert missing_days(NOTED, after(0, 8, 11, 14, 20), event) == (date(2026, 9, 23), 2, 3)
    assert missing_days(NOTED, after(0, 8, 14, 20, 26), event) is None
