"""When is a remark over (``memory.md`` 12.21).

An errand, an appointment, a parcel on its way is asked for on the days around it, a lasting
fact also later. A claim has lasted when somebody asked for it some days after it was noted
and, where it names a day of the weeks to come, after that day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from openclaw_cli.memory.claim_matching import weekdays_in
from openclaw_cli.memory.claims import follows_from, said
from openclaw_cli.memory.text import collapse

LASTING_DAYS = 4
LATE_DAYS = 2
AFTERMATH_DAYS = 2  # the day after, people tell how it was
HORIZON_DAYS = 31  # a day further away is no errand of these days

# Compiled on first use: most runs look at no claim.
_ISO = r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"
_DAY_FIRST = r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d)"
_EAST_ASIAN = r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日号號일]"
_DAY_MONTH = r"(?<![\d.:])(\d{1,2})(?:st|nd|rd|th|\.|er|º|o)?\s(?:de\s|of\s|d')?([^\W\d_]{3,})"
_MONTH_DAY = r"([^\W\d_]{3,})\.?\s(\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]\d|\d)"
_CLOCK = r"\d{1,2}(?::\d{2}|h\d{2}|\s?(?:h|uhr|am|pm|a\.m|p\.m)\b|[時时點点시])"
_APPOINTMENT = (
    r"(?i)(?<![\d.:])(\d{1,2})(?:(?:st|nd|rd|th|\.|-?(?:го|е)|er|[ºª]),?\s|[日號号일][,，、]?\s?)"
    rf"(?:[^\W\d]+\s){{0,2}}(?={_CLOCK})"
)
_WEEKDAY_NUMBER = (
    rf"(?i)([^\W\d_]{{4,}}),?\s(?!{_CLOCK})"
    r"(\d{1,2})(?:st|nd|rd|th|\.|º)?(?![\d:.,-]*\d|\s?[%€$°])"
)
_THE_ORDINAL = r"\bthe\s(\d{1,2})(?:st|nd|rd|th)\b(?!\sof\b)"
_NAMED_ORDINAL = r"([^\W\d_]{3,})\.?,?\s(\d{1,2})(?:st|nd|rd|th)\b"


def named_day(text: str, noted: date) -> date | None:
    """The last day from ``noted`` on, within the horizon, that a claim names.

    Weekdays name the next such day, days without a month or year the next one in the
    calendar. A day on which something begins is none.
    """
    bare = said(collapse(text))
    days = [*_dates(bare, noted), *_weekdays(bare, noted)]
    near = [day for day in days if noted <= day <= noted + timedelta(days=HORIZON_DAYS)]
    return max(near, default=None)


def over_after(noted: date, *, names: date | None) -> date:
    """The first day on which asking for a claim tells that it lasts."""
    after = noted + timedelta(days=LASTING_DAYS)
    return after if names is None else max(after, names + timedelta(days=AFTERMATH_DAYS))


def has_lasted(noted: date, asked: Iterable[date], *, names: date | None) -> bool:
    """Whether something noted on ``noted`` was still ``asked`` for when it could be over.

    On two days: one late question may have met it by chance.
    """
    after = over_after(noted, names=names)
    return sum(1 for day in set(asked) if day >= after) >= LATE_DAYS


def _dates(text: str, noted: date) -> Iterable[date]:
    for pattern, order in ((_ISO, "ymd"), (_EAST_ASIAN, "ymd"), (_DAY_FIRST, "dmy")):
        for found in re.finditer(pattern, text):
            parts = dict(zip(order, found.groups(), strict=True))
            if not follows_from(text, found.start(), found.end()):
                yield from _day(parts["y"], int(parts["m"]), int(parts["d"]), noted)
    for found in re.finditer(_DAY_MONTH, text):
        month = _month(found[2])
        if month and not follows_from(text, found.start(), found.end()):
            yield from _day(None, month, int(found[1]), noted)
    for found in re.finditer(_MONTH_DAY, text):
        month = _month(found[1])
        if month and not follows_from(text, found.start(), found.end()):
            yield from _day(None, month, int(found[2]), noted)
    for found in re.finditer(_NAMED_ORDINAL, text):
        if not _month(found[1]) and _is_weekday(found[1]):
            yield from _next_of_month(int(found[2]), noted)
    for found in re.finditer(_WEEKDAY_NUMBER, text):
        if weekdays_in(found[1]):
            yield from _next_of_month(int(found[2]), noted)
    for pattern in (_APPOINTMENT, _THE_ORDINAL):
        for found in re.finditer(pattern, text):
            if not follows_from(text, found.start(), found.end()):
                yield from _next_of_month(int(found[1]), noted)


def _weekdays(text: str, noted: date) -> Iterable[date]:
    named = weekdays_in(text)
    if len(named) == 1:  # several are a rhythm
        yield noted + timedelta(days=(min(named) - noted.weekday()) % 7)


def _day(year: str | None, month: int, day: int, noted: date) -> Iterable[date]:
    for candidate in (int(year),) if year else (noted.year, noted.year + 1):
        try:
            found = date(candidate, month, day)
        except ValueError:
            continue
        if found >= noted or year:
            yield found
            return


def _next_of_month(day: int, noted: date) -> Iterable[date]:
    for ahead in range(HORIZON_DAYS + 1):
        found = noted + timedelta(days=ahead)
        if found.day == day:
            yield found
            return


def _is_weekday(word: str) -> bool:
    return bool(weekdays_in(word)) or word.lower()[:3] in _SHORT_WEEKDAYS


_SHORT_WEEKDAYS = frozenset(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])


def _month(word: str) -> int | None:
    from openclaw_cli.memory.calendar_words import MONTHS
    from openclaw_cli.memory.words import fold

    folded = fold(word)
    return next(
        (number for number, names in enumerate(MONTHS, 1) if folded in fold(names).split()), None
    )
