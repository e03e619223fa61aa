"""The days that a question names: ``last May``, ``2026-05``, ``yesterday``, ``vor 3 Tagen``.

Understood in the languages that the tables below hold; anything else is no date. What a
month or weekday without a year means is the latest one that has begun (``memory.md``
12.20). Calendar days are the user's; the caller says which one is today.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date, timedelta

from openclaw_cli.memory.calendar_words import (
    AGO,
    MONTHS,
    NUMBERS,
    ONLY_IN,
    RELATIVE,
    UNITS,
    WEEKDAYS,
)
from openclaw_cli.memory.words import fold, split_words
from openclaw_cli.state.tuples import NamedTuple


class DayRange(NamedTuple):
    """Whole days from ``first`` to ``last``, both included."""

    first: date
    last: date


_AGO = frozenset(fold(AGO).split())
_NUMBER_OF = {word: n for n, words in enumerate(NUMBERS, 1) for word in fold(words).split()}
_UNIT_OF = {word: unit for unit, words in UNITS.items() for word in fold(words).split()}
_MONTH_OF = {word: n for n, words in enumerate(MONTHS, 1) for word in fold(words).split()}
_WEEKDAY_OF = {word: n for n, words in enumerate(WEEKDAYS) for word in fold(words).split()}
_DAY_WORDS = frozenset(
    word
    for text in (*RELATIVE.values(), *UNITS.values(), *WEEKDAYS, AGO, "last next past")
    for word in fold(text.replace(";", " ")).split()
)

# English words that are months only in company: "in May", "last march", "3 Mar".
_DOUBTFUL = frozenset({"may", "march", "mar", "mai", "mars", "jan"})
_MONTH_COMPANY = frozenset(
    fold(
        "in last this next since early late mid of during until by before after from every around"
        " w we od do am im en de du em di i le fin debut"
    ).split()
)

# Compiled on first use, those with other letters only for questions that have some.
_ISO_DAY = r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"
_ISO_MONTH = r"(?<![\d-])(\d{4})-(\d{2})(?![\d-])"
_DOTTED = r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d)"
_CJK = r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日日号일])?"
_CJK_YEAR = r"(\d{4})\s?[年년](?!\s?\d)"
_CJK_AGO = r"(\d{1,3})\s?(天|日|日間|周|週間|个月|ヶ月|か月|年|일|주|개월|년)\s?[前전]"
_CJK_UNIT = {"天": "day", "日": "day", "日間": "day", "일": "day", "周": "week", "週間": "week",
             "주": "week", "个月": "month", "ヶ月": "month", "か月": "month", "개월": "month",
             "年": "year", "년": "year"}  # fmt: skip
_DIGITS = (_ISO_DAY, _ISO_MONTH, _DOTTED)
_CJK_DIGITS = (_CJK, _CJK_YEAR, _CJK_AGO)
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th|er|o|a|e|te|ten|go|ro|му|го)?$"


def find_days(question: str, today: date, languages: Collection[str] = ()) -> list[DayRange]:
    """The day ranges that ``question`` names, each once; empty when it names none.

    ``languages`` are those the question may be in; words with two meanings count in theirs.
    """
    found = dict.fromkeys([*_numeric(question, today), *_worded(question, today, languages)])
    return [days for days in found if not any(_holds(days, other) for other in found)]


def without_days(question: str) -> str:
    """``question`` without what names days in digits or relative to today.

    Names of months and years stay, since a note may well say them.
    """
    for pattern in _DIGITS if question.isascii() else _DIGITS + _CJK_DIGITS:
        question = re.sub(pattern, " ", question)
    for phrases in () if question.isascii() else RELATIVE.values():
        for phrase in phrases.split(";"):
            spoken = phrase.strip()
            if spoken[0] > "\u3000":
                question = question.replace(spoken, " ")
    return question


def is_day_word(word: str) -> bool:
    """Whether a folded word only tells how far away a day is: ``ago``, ``week``, ``last``."""
    return word in _DAY_WORDS


def is_month_or_year(word: str) -> bool:
    """Whether a folded word names a month or a year."""
    return word in _MONTH_OF or (len(word) == 4 and word.isdecimal())


def _holds(outer: DayRange, inner: DayRange) -> bool:
    """Whether ``inner`` is a narrower reading of the same time: "May 2026" holds "3 May 2026"."""
    return outer != inner and outer.first <= inner.first and inner.last <= outer.last


def _numeric(question: str, today: date) -> Iterator[DayRange]:
    for year, month, day in re.findall(_ISO_DAY, question):
        yield from _day(int(year), int(month), int(day))
    for year, month in re.findall(_ISO_MONTH, question):
        yield from _month(int(year), int(month))
    for day, month, year in re.findall(_DOTTED, question):
        yield from _day(int(year) if year else None, int(month), int(day), today=today)
    if question.isascii():
        return
    for year, month, day in re.findall(_CJK, question):
        if day:
            yield from _day(int(year) if year else None, int(month), int(day), today=today)
        else:
            yield from _month(int(year) if year else None, int(month), today=today)
    for year in re.findall(_CJK_YEAR, question):
        yield from _year(int(year))
    for count, unit in re.findall(_CJK_AGO, question):
        yield from _back(_CJK_UNIT[unit], int(count), today)


def _worded(question: str, today: date, languages: Collection[str]) -> Iterator[DayRange]:
    written = split_words(question)
    words = [fold(word) for word in written]
    for at, word in enumerate(words):
        if word in _MONTH_OF and _is_month(written, words, at):
            yield from _around_month(words, at, today)
        elif word in _WEEKDAY_OF:
            yield from _weekday(_WEEKDAY_OF[word], today)
        elif word in _UNIT_OF:
            yield from _ago(words, at, today)
        elif len(word) == 4 and word.isdecimal() and word.isascii():
            yield from _year(int(word))
    text = f" {' '.join(words)} "
    for (unit, back), phrases in RELATIVE.items():
        if any(_says(text, fold(p.strip()), languages) for p in phrases.split(";")):
            yield from _back(unit, back, today)


def _says(text: str, phrase: str, languages: Collection[str]) -> bool:
    if phrase[0] > "\u3000":  # no spaces around words there
        return phrase in text
    return f" {phrase} " in text and (phrase not in ONLY_IN or ONLY_IN[phrase] in languages)


def _is_month(written: list[str], words: list[str], at: int) -> bool:
    word = words[at]
    if word not in _DOUBTFUL and len(word) > 3:
        return True
    around = words[max(0, at - 1) : at] + words[at + 1 : at + 2]
    if any(re.match(_ORDINAL, near) or (near.isdecimal() and len(near) == 4) for near in around):
        return True
    if len(word) == 3 and word not in ("may", "mai", "maj", "mei", "mar", "juin"):
        return False
    return at > 0 and (words[at - 1] in _MONTH_COMPANY or written[at][:1].isupper())


def _around_month(words: list[str], at: int, today: date) -> Iterator[DayRange]:
    """``3 May 2026``, ``May 3, 2026``, ``3 of May``, ``May 2026``, ``last May``."""
    month = _MONTH_OF[words[at]]
    before = [word for word in words[max(0, at - 2) : at] if word not in ("of", "de", "the", "di")]
    after = words[at + 1 : at + 3]
    day = _day_number(before[-1:]) or _day_number(after[:1])
    year = next((int(w) for w in after if len(w) == 4 and w.isdecimal()), None)
    if day:
        yield from _day(year, month, day, today=today)
    elif year is None and before[-1:] == ["last"] and month == today.month:
        yield from _month(today.year - 1, month)
    else:
        yield from _month(year, month, today=today)


def _day_number(words: list[str]) -> int | None:
    found = re.match(_ORDINAL, words[0]) if words else None
    return int(found.group(1)) if found and 1 <= int(found.group(1)) <= 31 else None


def _ago(words: list[str], at: int, today: date) -> Iterator[DayRange]:
    """A number before a unit of time, and a word for "ago" near them."""
    if at == 0:
        return
    number = words[at - 1]
    count = int(number) if number.isdecimal() and len(number) < 4 else _NUMBER_OF.get(number)
    near = words[max(0, at - 4) : at - 1] + words[at + 1 : at + 2]
    if count and not _AGO.isdisjoint(near):
        yield from _back(_UNIT_OF[words[at]], count, today)


def _back(unit: str, count: int, today: date) -> Iterator[DayRange]:
    try:
        if unit == "day":
            yield DayRange(*[today - timedelta(count)] * 2)
        elif unit == "week":
            monday = today - timedelta(today.weekday() + 7 * count)
            yield DayRange(monday, monday + timedelta(6))
        elif unit == "month":
            months = today.year * 12 + today.month - 1 - count
            yield from _month(months // 12, months % 12 + 1)
        else:
            yield from _year(today.year - count)
    except OverflowError:  # "1000000 days ago"
        return


def _weekday(weekday: int, today: date) -> Iterator[DayRange]:
    day = today - timedelta((today.weekday() - weekday) % 7 or 7)
    yield DayRange(day, day)


def _day(
    year: int | None, month: int, day: int, *, today: date | None = None
) -> Iterator[DayRange]:
    try:
        found = date(year or (today.year if today else 0), month, day)
        if year is None and today and found > today:
            found = found.replace(year=found.year - 1)
    except ValueError:
        return
    yield DayRange(found, found)


def _month(year: int | None, month: int, *, today: date | None = None) -> Iterator[DayRange]:
    if not 1 <= month <= 12:
        return
    if year is None:
        assert today is not None  # noqa: S101 - callers without a year pass the day
        year = today.year if month <= today.month else today.year - 1
    if not 1 <= year <= 9998:
        return
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1)
    yield DayRange(first, after - timedelta(1))


def _year(year: int) -> Iterator[DayRange]:
    if 1900 <= year <= 2199:
        yield DayRange(date(year, 1, 1), date(year, 12, 31))
