"""When is a remark over (``memory.md`` 12.21).

An errand, an appointment, a parcel on its way is asked for on the days around it, a lasting
fact also later. A claim has lasted when somebody asked for it some days after it was noted
and, where it names a day of the weeks to come, after that day. A weekday may be that of a
rule ("orders close on Wednesday"): one question after the next such day is enough then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from openclaw_cli.memory.claim_values import (
    NamedDate,
    begins_in,
    dates_in,
    month_of,
    weekday_names,
    weekday_of,
    weekdays_in,
)
from openclaw_cli.memory.claims import follows_from, said, tells_rhythm
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.words import fold, split_words
from openclaw_cli.state.tuples import NamedTuple

LASTING_DAYS = 4
LATE_DAYS = 2
LATE_DAYS_OF_A_DATE = 3  # what names a date is an event until the contrary is shown
AFTERMATH_DAYS = 2  # the day after, people tell how it was
HORIZON_DAYS = 31  # a day further away is no errand of these days

# What the name of a weekday ends with when it is meant each week, and what stands before it.
_PLURALS = ("s", "dagen", "dage", "dagar", "dager")
_PLURAL_ARTICLES = frozenset(["los", "les", "le", "gli", "il", "aos"])

# Compiled on first use: most runs look at no claim.
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


class NamedDay(NamedTuple):
    """The day that a claim names, and whether by a date, not by a weekday alone."""

    day: date
    is_date: bool


def named_day(text: str, noted: date) -> NamedDay | None:
    """The last day from ``noted`` on, within the horizon, that a claim names.

    Weekdays name the next such day, days without a month or year the next one in the
    calendar; neither counts in a rule, for what happens each week or begins some day. A day
    on which something begins is none.
    """
    bare = said(collapse(text))
    named = [NamedDay(day, True) for day in _dates(bare, noted)]
    if not _is_rule(bare):
        named += [NamedDay(day, True) for day in _days_of_month(bare, noted)]
        named += [NamedDay(day, False) for day in _weekdays(bare, noted)]
    last = noted + timedelta(days=HORIZON_DAYS)
    return max((one for one in named if noted <= one.day <= last), default=None)


class Missing(NamedTuple):
    """From which day on a claim would have to be asked for, on how many days it was, and had to."""

    after: date
    late: int
    needed: int


def missing_days(noted: date, asked: Iterable[date], names: NamedDay | None) -> Missing | None:
    """What keeps a claim that was noted on ``noted`` from having lasted; None: nothing.

    One late question may be chance.
    """
    days = set(asked)
    later = noted + timedelta(days=LASTING_DAYS)
    spans = [(later, LATE_DAYS)]
    if names is not None:
        over = max(later, names.day + timedelta(days=AFTERMATH_DAYS))
        spans = [(over, LATE_DAYS_OF_A_DATE)] if names.is_date else [*spans, (over, 1)]
    for after, needed in spans:
        late = sum(1 for day in days if day >= after)
        if late < needed:
            return Missing(after, late, needed)
    return None


def _dates(text: str, noted: date) -> Iterable[date]:
    for named in dates_in(text):
        if not follows_from(text, named.start, named.end):
            yield from _day(named, noted)


def _days_of_month(text: str, noted: date) -> Iterable[date]:
    for found in re.finditer(_NAMED_ORDINAL, text):
        if not month_of(found[1]) and _is_weekday(found[1]):
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


def _is_rule(text: str) -> bool:
    """Whether a claim is about "each Monday", "mondays", "les lundis", "from the 3rd on"."""
    words = split_words(fold(text))
    neighbours = zip(["", *words], words, [*words[1:], ""], strict=False)
    return (
        tells_rhythm(text)
        or begins_in(text)
        or any(
            _is_plural(word) or (before in _PLURAL_ARTICLES and not after.isdigit())
            for before, word, after in neighbours
            if weekday_of(word) is not None
        )
    )


def _is_plural(word: str) -> bool:
    """Whether a weekday has an ending of many; names that end like one are singular."""
    return word.endswith(_PLURALS) and word not in weekday_names()


def _day(named: NamedDate, noted: date) -> Iterable[date]:
    for year in (named.year,) if named.year else (noted.year, noted.year + 1):
        try:
            found = date(year, named.month, named.day)
        except ValueError:
            continue
        if found >= noted or named.year:
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
