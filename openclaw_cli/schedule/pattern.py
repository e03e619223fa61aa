"""Cron expressions as data: reading and checking the text (``scheduled-tasks.md`` 2.2).

Five fields, six with the seconds first, seven with the year last; names of months and
weekdays, ``L``, ``LW``, ``15W``, ``5L``, ``1#2``, ``?``, ``@daily`` and its like. A ``+`` before
the weekday field asks for day *and* weekday; without it either one is enough when both are
restricted. Ranges that run backwards (``22-2``) and steps from a number (``5/10``) are refused
instead of guessed at. What an accepted pattern matches is ``expression.py``'s business.
"""

from __future__ import annotations

import re
from functools import lru_cache

from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.tuples import NamedTuple

EVERY = 0  # in Pattern.weekdays: any such weekday, not only the nth of the month
LAST = 6  # in Pattern.weekdays: the last such weekday of the month

_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_WEEKDAY_NAMES = "sun mon tue wed thu fri sat"
_MONTHS = {_MONTH_NAMES[4 * n : 4 * n + 3]: str(n + 1) for n in range(12)}
_WEEKDAYS = {_WEEKDAY_NAMES[4 * n : 4 * n + 3]: str(n) for n in range(7)}
# Compiled on first use: the usual expressions need one of them or none.
_STEP = r"(?a:(?:\*|(\d+)-(\d+))/(\d+))"
_RANGE = r"(?a:(\d+)-(\d+))"
_NUMBER = r"(?a:\d+)"
_NTH = r"(?a:(.+)#([1-5]|l)|(.+)l)"


class BadExpression(OpenClawError):
    """A cron expression that cannot be read; the message names the field and the reason."""

    code = "bad-schedule"


class Pattern(NamedTuple):
    """What an expression allows, field by field.

    ``seconds`` is None for five fields (second 0), ``years`` None for any. ``days`` and
    ``weekdays`` are None when unrestricted. ``days`` holds numbers, ``"L"``, ``"LW"`` and
    ``"15W"`` forms; ``weekdays`` pairs of weekday (0 = Sunday) and which one of the month.
    """

    seconds: tuple[int, ...] | None
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int | str] | None
    months: tuple[int, ...]
    weekdays: frozenset[tuple[int, int]] | None
    years: tuple[int, ...] | None
    both_days: bool


class _Field(NamedTuple):
    name: str
    low: int
    high: int


_SECOND = _Field("second", 0, 59)
_MINUTE = _Field("minute", 0, 59)
_HOUR = _Field("hour", 0, 23)
_DAY = _Field("day of month", 1, 31)
_MONTH = _Field("month", 1, 12)
_WEEKDAY = _Field("weekday", 0, 7)
_YEAR = _Field("year", 1970, 2099)


@lru_cache(maxsize=256)
def parse(expr: str) -> Pattern:
    """The pattern of ``expr``; ``BadExpression`` when it is none."""
    text = expr.strip().lower()
    fields = _NICKNAMES.get(text, text).split()
    if not 5 <= len(fields) <= 7:
        raise BadExpression(
            f"no cron expression: {expr!r} has {len(fields)} fields, not 5, 6 or 7",
            hint="minute hour day month weekday, for example '0 9 * * 1-5'",
        )
    seconds = None if len(fields) == 5 else _values(fields.pop(0), _SECOND, expr)
    years = None if len(fields) == 5 or fields[5] == "*" else _values(fields[5], _YEAR, expr)
    minute, hour, day, month, weekday = fields[:5]
    return Pattern(
        seconds,
        _values(minute, _MINUTE, expr),
        _values(hour, _HOUR, expr),
        _days(day, expr),
        _values(_named(month, _MONTHS), _MONTH, expr),
        _weekdays(weekday.removeprefix("+"), expr),
        years,
        weekday.startswith("+"),
    )


def _values(text: str, field: _Field, expr: str) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.split(","):
        found.update(_part(part, field, expr))
    return tuple(sorted(found))


def _part(part: str, field: _Field, expr: str) -> range:
    """The values of one piece of a list: ``*``, ``5``, ``1-5``, ``*/15``, ``10-50/5``."""
    if part in ("*", "?"):
        return range(field.low, field.high + 1)
    if re.fullmatch(_NUMBER, part):
        low = high = _checked(part, field, expr)
        return range(low, high + 1)
    if match := re.fullmatch(_RANGE, part):
        return _span(match.group(1), match.group(2), field, expr)
    if match := re.fullmatch(_STEP, part):
        low_text, high_text, step_text = match.groups()
        step = int(step_text)
        if not 1 <= step <= field.high - field.low + 1:
            raise _refusal(expr, field, f"the step {step_text} is out of range")
        if low_text is None:
            return range(field.low, min(field.high, 6 if field is _WEEKDAY else 9999) + 1, step)
        span = _span(low_text, high_text, field, expr)
        return range(span.start, span.stop, step)
    if "/" in part and not part.startswith("*"):
        raise _refusal(expr, field, f"{part!r} needs a range: write it as LOW-HIGH/STEP")
    raise _refusal(expr, field, f"{part!r} is not understood")


def _span(low_text: str, high_text: str, field: _Field, expr: str) -> range:
    low, high = _checked(low_text, field, expr), _checked(high_text, field, expr)
    if low > high:
        raise _refusal(
            expr, field, f"the range {low_text}-{high_text} runs backwards: write it as two"
        )
    return range(low, high + 1)


def _checked(text: str, field: _Field, expr: str) -> int:
    value = int(text[:9])
    if not field.low <= value <= field.high:
        raise _refusal(expr, field, f"{text} is not between {field.low} and {field.high}")
    return value


def _days(text: str, expr: str) -> frozenset[int | str] | None:
    if text in ("*", "?"):
        return None
    days: set[int | str] = set()
    for part in text.split(","):
        if part in ("l", "lw"):
            days.add(part.upper())
        elif part.endswith("w") and re.fullmatch(_NUMBER, part[:-1]):
            days.add(f"{_checked(part[:-1], _DAY, expr)}W")
        else:
            days.update(_part(part, _DAY, expr))
    return frozenset(days)


def _weekdays(text: str, expr: str) -> frozenset[tuple[int, int]] | None:
    if text in ("*", "?"):
        return None
    # As the end of a range Sunday is 7: mon-sun is the whole week.
    named = _named(text.replace("-sun", "-7"), _WEEKDAYS)
    found: set[tuple[int, int]] = set()
    for part in named.split(","):
        match = re.fullmatch(_NTH, part)
        which, values = EVERY, part
        if match:
            values = match.group(1) or match.group(3)
            which = LAST if match.group(2) in (None, "l") else int(match.group(2))
            if "*" in values:
                raise _refusal(expr, _WEEKDAY, f"{part!r} needs a weekday")
        found.update((value % 7, which) for value in _part(values, _WEEKDAY, expr))
    return frozenset(found)


def _named(text: str, names: dict[str, str]) -> str:
    return re.sub(r"[a-z]{3,}", lambda match: names.get(match.group(), match.group()), text)


def _refusal(expr: str, field: _Field, reason: str) -> BadExpression:
    return BadExpression(f"cron expression {expr!r}, {field.name}: {reason}")
