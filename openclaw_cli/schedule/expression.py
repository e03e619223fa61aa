"""When a cron expression fires (``scheduled-tasks.md`` 2.2, ``style.md`` 3.2).

The runs of an expression in a zone are a set of instants: each matching wall-clock time is
read with ``fold=0`` and made UTC. So a time inside a spring gap happens once, moved behind
the gap, and a time of the repeated autumn hour happens once, at its first pass. Stepping
through matching wall-clock times is croniter's work on naive times; it is imported on first
use, since most ticks read a stored next run and need none of this.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from openclaw_cli.schedule.pattern import EVERY, LAST, BadExpression, Pattern, parse
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

__all__ = ["BadExpression", "latest_at_or_before", "next_after", "validate"]

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_NOTHING = timedelta(0)
# 29 February on a given weekday comes back after at most 40 years (across 2100).
_YEARS_AHEAD = 41
_ALL = {"second": 60, "minute": 60, "hour": 24, "month": 12}


def validate(expr: str) -> None:
    """``BadExpression`` when ``expr`` is no cron expression; one that never fires is fine."""
    parse(expr)


def next_after(expr: str, zone: ZoneInfo, after_ms: int) -> int | None:
    """The first run of ``expr`` in ``zone`` strictly after ``after_ms``, epoch ms; None = never."""
    after = clock.local(after_ms, zone)
    start = _naive(after) - _gap_before(after)
    best: int | None = None
    enough: datetime | None = None
    for wall in _walls(expr, start, forward=True):
        if best is not None and (enough is None or wall > enough):
            break
        run_ms, moved_by = _instant(wall, zone)
        if run_ms > after_ms and (best is None or run_ms < best):
            # A time moved behind a gap may be overtaken by one that needed no moving.
            enough = wall + moved_by if best is None and moved_by else enough
            best = run_ms
    return best


def latest_at_or_before(expr: str, zone: ZoneInfo, now_ms: int) -> int | None:
    """The last run of ``expr`` in ``zone`` not after ``now_ms``, epoch ms; None = there is none."""
    now = clock.local(now_ms, zone)
    start = _naive(now) + _fold_before(now) + _SECOND
    best: int | None = None
    enough: datetime | None = None
    for wall in _walls(expr, start, forward=False):
        if best is not None and (enough is None or wall < enough):
            break
        run_ms, _ = _instant(wall, zone)
        if run_ms <= now_ms and (best is None or run_ms > best):
            gap = _gap_before(clock.local(run_ms, zone))
            enough = wall - gap if best is None and gap else enough
            best = run_ms
    return best


def _naive(aware: datetime) -> datetime:
    return aware.replace(tzinfo=None, fold=0)


def _offset_change(aware: datetime) -> timedelta:
    """By how much the zone's offset grew during the day that ends with ``aware``."""
    zone = aware.tzinfo
    earlier = clock.local(clock.to_ms(aware) - clock.DAY_MS, zone)  # type: ignore[arg-type]
    return (aware.utcoffset() or _NOTHING) - (earlier.utcoffset() or _NOTHING)


def _gap_before(aware: datetime) -> timedelta:
    return max(_offset_change(aware), _NOTHING)


def _fold_before(aware: datetime) -> timedelta:
    return max(-_offset_change(aware), _NOTHING)


def _instant(wall: datetime, zone: ZoneInfo) -> tuple[int, timedelta]:
    """The instant of a wall-clock time, and by how much a gap moved it forward."""
    run_ms = clock.to_ms(wall.replace(tzinfo=zone))
    return run_ms, _naive(clock.local(run_ms, zone)) - wall


class _Variant(NamedTuple):
    """One croniter expression; the union of all variants of a pattern is what it matches."""

    text: str
    last_weekday_only: bool
    month_days: int


def _walls(expr: str, start: datetime, *, forward: bool) -> Iterator[datetime]:
    """Matching naive times after (or before) ``start``, nearest first, without repeats."""
    pattern = parse(expr)
    if _is_daily(pattern):
        yield from _daily_walls(pattern, start, forward=forward)
        return
    streams = [_stream(variant, start, forward=forward) for variant in _variants(pattern)]
    if len(streams) == 1:
        yield from streams[0]
        return
    heads = {index: wall for index, stream in enumerate(streams) if (wall := next(stream, None))}
    nearest = min if forward else max
    while heads:
        wall = nearest(heads.values())
        yield wall
        for index in [index for index, head in heads.items() if head == wall]:
            following = next(streams[index], None)
            if following is None:
                del heads[index]
            else:
                heads[index] = following


def _is_daily(pattern: Pattern) -> bool:
    """Whether a pattern fires at the same times of every day, as most nightly jobs do.

    That takes no library, whose import alone would double the cost of telling the next run.
    """
    every_day = pattern.days is None and pattern.weekdays is None and pattern.years is None
    return every_day and len(pattern.months) == _ALL["month"] and pattern.seconds is None


def _daily_walls(pattern: Pattern, start: datetime, *, forward: bool) -> Iterator[datetime]:
    times = sorted((hour, minute) for hour in pattern.hours for minute in pattern.minutes)
    day = datetime.combine(start.date(), datetime.min.time())
    try:
        while True:
            for hour, minute in times if forward else reversed(times):
                wall = day.replace(hour=hour, minute=minute)
                if wall > start if forward else wall < start:
                    yield wall
            day += _DAY if forward else -_DAY
    except OverflowError:  # the calendar ends
        return


def _stream(variant: _Variant, start: datetime, *, forward: bool) -> Iterator[datetime]:
    from croniter import CroniterBadDateError, croniter

    fields = len(variant.text.split())
    steps: Any = croniter(
        variant.text, start, datetime, day_or=False, second_at_beginning=fields > 5,
        max_years_between_matches=_YEARS_AHEAD,
    )  # fmt: skip
    step = steps.get_next if forward else steps.get_prev
    while True:
        try:
            wall: datetime = step()
        except (CroniterBadDateError, OverflowError, ValueError):
            return
        if _accepts(variant, wall):
            yield wall


def _accepts(variant: _Variant, wall: datetime) -> bool:
    """What croniter cannot say: ``LW``, and that ``31W`` needs a month of 31 days."""
    if variant.last_weekday_only:
        return _is_last_weekday(wall)
    return (wall + _DAY * (variant.month_days - wall.day)).month == wall.month


def _is_last_weekday(wall: datetime) -> bool:
    """Whether ``wall``, which is no Saturday or Sunday, is the last such day of its month."""
    following = wall + (_DAY if wall.weekday() < 4 else 3 * _DAY)
    return following.month != wall.month


@lru_cache(maxsize=256)
def _variants(pattern: Pattern) -> tuple[_Variant, ...]:
    """The pattern as croniter expressions whose day fields are one simple thing each.

    croniter narrows where the reference widens (``1-31`` with a weekday, ``15W`` or ``1#2``
    beside another field), so day and weekday never meet in one expression unless both must
    hold.
    """
    days, weekdays = _day_texts(pattern), _weekday_texts(pattern)
    if pattern.days is None or pattern.weekdays is None or pattern.both_days:
        pairs = [(day, weekday) for day in days for weekday in weekdays]
    else:
        pairs = [(day, "*") for day in days] + [("*", weekday) for weekday in weekdays]
    return tuple(
        variant
        for day, weekday in pairs
        if (variant := _variant(pattern, day, weekday)) is not None
    )


def _variant(pattern: Pattern, day: str, weekday: str) -> _Variant | None:
    last_weekday = day == "LW"
    if last_weekday:
        day = "26-31"
        weekday = _working_days(weekday)
    if not weekday:
        return None
    fields = [
        _listed(pattern.minutes, "minute"),
        _listed(pattern.hours, "hour"),
        day,
        _listed(pattern.months, "month"),
        weekday,
    ]
    if pattern.seconds is not None:
        fields.insert(0, _listed(pattern.seconds, "second"))
    if pattern.years is not None:
        fields.append(",".join(map(str, pattern.years)))
    return _Variant(" ".join(fields), last_weekday, int(day[:-1]) if day.endswith("W") else 1)


def _working_days(weekday: str) -> str:
    """``weekday`` without Saturday and Sunday; the nth forms pass as they are."""
    if weekday == "*":
        return "1-5"
    kept = [part for part in weekday.split(",") if part not in ("0", "6")]
    return ",".join(kept)


def _day_texts(pattern: Pattern) -> list[str]:
    if pattern.days is None:
        return ["*"]
    plain = sorted(day for day in pattern.days if isinstance(day, int))
    texts = [",".join(map(str, plain))] if plain else []
    return texts + sorted(day for day in pattern.days if isinstance(day, str))


def _weekday_texts(pattern: Pattern) -> list[str]:
    if pattern.weekdays is None:
        return ["*"]
    texts: list[str] = []
    plain = sorted(day for day, which in pattern.weekdays if which == EVERY)
    if plain:
        texts.append("*" if len(plain) == 7 else ",".join(map(str, plain)))
    for day, which in sorted(pattern.weekdays):
        if which == LAST:
            texts.append(f"L{day}")
        elif which != EVERY:
            texts.append(f"{day}#{which}")
    return texts


def _listed(values: tuple[int, ...], field: str) -> str:
    return "*" if len(values) == _ALL[field] else ",".join(map(str, values))
