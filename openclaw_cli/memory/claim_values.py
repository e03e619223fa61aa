"""The values that a claim gives: times of day, dates, weekdays, other numbers.

Each value is found with what it is the value of, its slot: two claims contradict each
other only within a slot (``memory.md`` 12.21). A date from which something holds is no
value; it tells that something is different from then on.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache

from openclaw_cli.memory.claims import begins_at
from openclaw_cli.memory.words import fold, has_unspaced, is_unspaced_start, split_words
from openclaw_cli.state.tuples import NamedTuple

Slots = set[tuple[str, str]]

# Compiled on first use: most runs look at no claim.
_ISO = r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)"
_DAY_FIRST = r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?(?!\d)"
_EAST_ASIAN = r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日号號일]"
_EAST_ASIAN_DAY = r"(?<!\d)\d{1,2}\s?[日号號일](?=부터|から|起|开始|開始)"
_DAY_MONTH = r"(?<![\d.:])(\d{1,2})(?:st|nd|rd|th|\.|er|º|o)?\s(?:de\s|of\s|d')?([^\W\d_]{3,})"
_MONTH_DAY = r"([^\W\d_]{3,})\.?\s(\d{1,2})(?:st|nd|rd|th)?(?![\d:.,]\d|\d)"
_DAY_ALONE = r"[^\W\d_]{3,}|\d{1,2}\s?[月월日号號일](?!\s?\d)"

_HALF = r"(?P<half>[ap])\.?m\b"
_CLOCK = (
    r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-3])[:.h](?P<minute>[0-5]\d)(?!\d|[.,]\d)"
    rf"(?:\s?{_HALF})?"
)
_AM_PM = rf"(?<![\d.,:])(?P<hour>1?\d)\s?{_HALF}"
_HOUR = r"(?<![\d.,:])(?P<hour>[01]?\d|2[0-3])\s?(?:uhr|h)\b"
_HAN_DIGITS = "一二三四五六七八九十两"
_EAST_ASIAN_HOUR = (
    r"(?P<half>오전|오후|上午|下午|早上|晚上|傍晚|中午|凌晨|午前|午後|夜)?\s?"
    rf"(?<![\d.:])(?P<hour>\d{{1,2}}|[{_HAN_DIGITS}]{{1,3}})\s?[时点時點시](?![间間간])"
    r"(?:\s?(?P<minute>半|반|\d{1,2}(?=[分분])))?"
)
_LATER_HALF = ("p", "오후", "下午", "晚上", "傍晚", "午後", "夜")

_NUMBER = r"\d+(?:[.,'\u00a0\u202f ]\d{3})*(?:[.,]\d+)?"
_UNIT_BEHIND = r"\s?([^\W\d_]+|[$€£¥%°₽₹₩])"
_CENTS = r"[.,]0+$"


class NamedDate(NamedTuple):
    """A calendar day in a text (without a year: None), and where it stands."""

    year: int | None
    month: int
    day: int
    start: int
    end: int


class Values(NamedTuple):
    """What a claim gives: the slots with their values, and whether it tells from when on.

    ``rest`` is the text without dates, times and weekdays of unspaced scripts.
    """

    slots: frozenset[tuple[str, str]]
    begins: bool
    rest: str


def values_in(text: str, words: Iterable[str], stops: Container[str]) -> Values:
    """The values of ``text``, whose folded words are ``words``; ``stops`` count nothing."""
    slots: Slots = {("weekday", f"day{day}") for day in _weekdays(text, words)}
    plain = text
    for found in dates_in(text):
        if not begins_at(text, found.start, found.end):
            slots.add(("date", f"{found.month}-{found.day}"))
        plain = _blanked(plain, found.start, found.end)
    plain = re.sub(_EAST_ASIAN_DAY, " ", plain)
    plain, times = _times(plain)
    slots |= times | _numbers(plain, stops)
    if not plain.isascii():
        for name, _day in _unspaced_weekdays():
            plain = plain.replace(name, " ")
    return Values(frozenset(slots), begins_in(text), plain)


def begins_in(text: str) -> bool:
    """Whether ``text`` tells of a day, weekday or month from which something holds."""
    places = [(found.start, found.end) for found in dates_in(text)]
    for found in re.finditer(_DAY_ALONE, text):
        word = found[0]
        if word[0].isdigit() or month_of(word) or weekday_of(fold(word)) is not None:
            places.append(found.span())
    return any(begins_at(text, *place) for place in places)


def dates_in(text: str) -> Iterator[NamedDate]:
    """The days with a month that ``text`` names."""
    for pattern, order in ((_ISO, "ymd"), (_EAST_ASIAN, "ymd"), (_DAY_FIRST, "dmy")):
        for found in re.finditer(pattern, text):
            parts = dict(zip(order, found.groups(), strict=True))
            year = int(parts["y"]) if parts["y"] else None
            yield NamedDate(year, int(parts["m"]), int(parts["d"]), *found.span())
    for pattern, name, number in ((_DAY_MONTH, 2, 1), (_MONTH_DAY, 1, 2)):
        for found in re.finditer(pattern, text):
            month = month_of(found[name])
            if month:
                yield NamedDate(None, month, int(found[number]), *found.span())


def month_of(word: str) -> int | None:
    """The month that a word names, January 1."""
    return _month_names().get(fold(word))


def weekdays_in(text: str) -> set[int]:
    """The weekdays that ``text`` names, Monday 0; also in forms like "mondays"."""
    return _weekdays(text, split_words(fold(text)))


def weekday_of(word: str) -> int | None:
    """The weekday that a folded word names, whatever its ending."""
    names = weekday_names()
    if word.startswith("و") and word[1:] in names:  # Arabic writes "and" and the next word as one
        word = word[1:]
    for end in range(len(word), max(3, len(word) - 4), -1):
        day = names.get(word[:end])
        if day is not None and (end >= 5 or end == len(word)):
            return day
    return None


def _weekdays(text: str, words: Iterable[str]) -> set[int]:
    words = list(words)
    words += [f"{words[at - 1]}-feira" for at, word in enumerate(words) if at and word == "feira"]
    found = {day for word in words if (day := weekday_of(word)) is not None}
    if not text.isascii():
        found.update(day for name, day in _unspaced_weekdays() if name in text)
    return found


def _times(text: str) -> tuple[str, Slots]:
    """``text`` without its times of day, and these on a clock of 24 hours."""
    slots: Slots = set()

    def take(found: re.Match[str]) -> str:
        parts = found.groupdict()
        digits = found["hour"]
        hour = int(digits) if digits.isdigit() else _han_number(digits)
        is_late = (parts.get("half") or "").lower() in _LATER_HALF and hour < 12
        minute = parts.get("minute") or "00"
        minute = "30" if minute in ("半", "반") else minute.zfill(2)
        slots.add(("time", f"{hour + 12 * is_late}:{minute}"))
        return " "

    for pattern in (_CLOCK, _AM_PM, _HOUR, _EAST_ASIAN_HOUR):
        text = re.sub(pattern, take, text, flags=re.IGNORECASE)
    return text, slots


def _han_number(digits: str) -> int:
    tens, ten, ones = digits.partition("十")
    value = {digit: n for n, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2}
    if not ten:
        return value.get(digits[0], 0)
    return 10 * value.get(tens, 1) + value.get(ones, 0)


def _numbers(text: str, stops: Container[str]) -> Slots:
    """The other numbers, each the value of the word or sign beside it."""
    slots: Slots = set()
    for found in re.finditer(_NUMBER, text):
        value = re.sub(r"[^\d.,]", "", re.sub(_CENTS, "", found[0])).rstrip(".,")
        if re.fullmatch(r"\d+(?:[.,]\d{3})+", value):
            value = re.sub(r"\D", "", value)
        slots.add((_unit(text, found.span(), stops), value))
    return slots


def _unit(text: str, place: tuple[int, int], stops: Container[str]) -> str:
    """What a number counts: the word behind it, a sign of money, else the word before it."""
    behind = re.compile(_UNIT_BEHIND).match(text, place[1])
    if behind and is_unspaced_start(behind[1]):
        return f"unit {behind[1][0]}"
    if behind and fold(behind[1]) not in stops:
        return f"unit {fold(behind[1])[:5]}"
    sign = re.search(r"[$€£¥₽₹₩]\s?$", text[: place[0]])
    if sign:
        return f"unit {sign[0].strip()}"
    before = re.search(r"([^\W\d_]+)\s$", text[: place[0]])
    return f"of {fold(before[1])}" if before and fold(before[1]) not in stops else "number"


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


@lru_cache(maxsize=1)
def _month_names() -> dict[str, int]:
    from openclaw_cli.memory.calendar_words import MONTHS

    return {word: n for n, names in enumerate(MONTHS, 1) for word in fold(names).split()}


@lru_cache(maxsize=1)
def weekday_names() -> dict[str, int]:
    """The names of weekdays, folded, with their number, Monday 0."""
    from openclaw_cli.memory.calendar_words import WEEKDAYS

    names = {fold(word): n for n, words in enumerate(WEEKDAYS) for word in words.split()}
    short = {name[:-1]: day for name, day in names.items() if name.endswith("曜日")}
    return names | short


@lru_cache(maxsize=1)
def _unspaced_weekdays() -> tuple[tuple[str, int], ...]:
    return tuple(item for item in weekday_names().items() if has_unspaced(item[0]))
