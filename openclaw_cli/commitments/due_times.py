"""Times that a model gives: ISO 8601 and the usual written forms, in a zone. Pure.

A time without an offset is read in the zone given; a bare date is midnight UTC
(``commitments.md`` 6 and 11.6).
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from openclaw_cli.state import clock

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_WALL = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)", re.ASCII)
_SHORT_OFFSET = re.compile(r"([+-]\d\d)$", re.ASCII)
_DATES = ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%m/%d/%Y")
_HOURS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " at %I:%M %p", " at %H:%M")


def parse(text: object, zone: ZoneInfo) -> int | None:
    """Epoch ms of ``text``, None when it is no time."""
    if not isinstance(text, str) or not text.strip():
        return None
    wanted = " ".join(text.split())
    at_ms = clock.parse_iso(wanted)
    if at_ms is None and _SHORT_OFFSET.search(wanted):
        at_ms = clock.parse_iso(wanted + ":00")
    if at_ms is not None:
        return at_ms
    if match := _WALL.fullmatch(wanted):
        return _in_zone(clock.parse_iso(f"{match[1]}T{match[2]}Z"), zone)
    return _written(wanted, zone)


def _written(text: str, zone: ZoneInfo) -> int | None:
    """A time as people or mail headers write it."""
    from email.utils import parsedate_to_datetime

    for form in (date + hour for date in _DATES for hour in _HOURS):
        try:
            naive = datetime.strptime(text, form)  # noqa: DTZ007 - the zone is set below
        except ValueError:
            continue
        return clock.to_ms(naive.replace(tzinfo=zone))
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return clock.to_ms(at if at.tzinfo is not None else at.replace(tzinfo=zone))


def _in_zone(naive_ms: int | None, zone: ZoneInfo) -> int | None:
    """A wall time (given as if it were UTC) in ``zone``; the first one where there are two."""
    if naive_ms is None:
        return None
    wall = clock.local(naive_ms, clock.find_zone("UTC") or zone).replace(tzinfo=None)
    return clock.to_ms(wall.replace(tzinfo=zone))
