"""The one clock (``design.md`` 3, "Time").

Files hold epoch milliseconds or ISO 8601 in UTC with milliseconds. ``OPENCLAW_NOW`` (ISO
8601) freezes the clock of a process, for tests and replays.
"""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from openclaw_cli.errors import OpenClawError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
MINUTE_MS = 60_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Stamps in files may be any number; a calendar, with a day to spare for each zone, is not.
_FIRST_MS = -62_135_510_400_000  # 0001-01-02
_LAST_MS = 253_402_214_399_999  # the end of 9999-12-30


@lru_cache(maxsize=1)
def _iso_form() -> re.Pattern[str]:
    return re.compile(
        r"(\d{4})-(\d\d)-(\d\d)"
        r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d\d:?\d\d)?)?"
    )


def now_ms() -> int:
    """The present instant in epoch ms."""
    frozen = os.environ.get("OPENCLAW_NOW")
    if not frozen:
        return int(time.time() * 1000)
    parsed = parse_iso(frozen)
    if parsed is None:
        raise OpenClawError(
            f"OPENCLAW_NOW is no ISO 8601 time with a zone: {frozen!r}",
            hint="write it as 2026-11-20T03:00:00Z, or unset it",
            code="usage",
        )
    return parsed


def iso(ms: int | float) -> str:
    """``ms`` as ``2026-11-20T03:00:00.000Z``, the form of JavaScript's ``toISOString``.

    What no calendar holds is told as its nearest end.
    """
    return _at(ms).isoformat(timespec="milliseconds")[:-6] + "Z"


def archive_stamp(ms: int | float) -> str:
    """``ms`` as it stands in archive names: ``2026-11-20T03-00-00.000Z``."""
    return iso(ms).replace(":", "-")


def parse_iso(text: str) -> int | None:
    """Epoch ms of an ISO 8601 text with an offset, or None.

    A bare date is midnight UTC; a time without an offset is refused, since its zone is
    for the caller to say.
    """
    match = _iso_form().fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    if hour is not None and offset is None:
        return None
    try:
        at = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0),
            tzinfo=UTC,
        )  # fmt: skip
    except ValueError:
        return None
    ms = (at - _EPOCH) // timedelta(milliseconds=1) + int(((fraction or "") + "000")[:3])
    return ms - _offset_ms(offset)


def _offset_ms(offset: str | None) -> int:
    if offset is None or offset in "Zz":
        return 0
    sign = -1 if offset[0] == "-" else 1
    return sign * (int(offset[1:3]) * HOUR_MS + int(offset[-2:]) * MINUTE_MS)


@lru_cache(maxsize=64)
def find_zone(name: str) -> ZoneInfo | None:
    """The IANA zone called ``name``, or None where there is none."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):  # a bad name, a folder's name, no such key
        return None


def host_zone() -> ZoneInfo:
    """The zone of this machine: ``TZ``, else what the system is set to, else UTC."""
    return _host_zone(os.environ.get("TZ"))


@lru_cache(maxsize=8)
def _host_zone(tz_variable: str | None) -> ZoneInfo:
    from zoneinfo import ZoneInfo

    if tz_variable:
        named = find_zone(tz_variable.lstrip(":"))
        if named is not None:
            return named
    linked = _linked_zone()
    if linked is not None:
        return linked
    import tzlocal

    try:
        zone = tzlocal.reload_localzone()
    except (LookupError, ValueError):
        return ZoneInfo("UTC")
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


def host_zone_name() -> str:
    """What the host's zone is called, without loading it where that is plain."""
    return os.environ.get("TZ", "").lstrip(":") or _linked_name() or host_zone().key


def _linked_zone() -> ZoneInfo | None:
    """The zone that ``/etc/localtime`` links to, where nothing says otherwise.

    The usual case by far, and it spares the slow search that knows all the others.
    """
    name = _linked_name()
    return find_zone(name) if name else None


def _linked_name() -> str | None:
    try:
        name = os.readlink("/etc/localtime").partition("/zoneinfo/")[2]
        if os.path.exists("/etc/timezone"):
            with open("/etc/timezone", encoding="utf-8") as told:
                if told.read().strip() != name:
                    return None
    except (OSError, ValueError):  # no link, or no text: the search decides
        return None
    return name or None


def local(ms: int | float, zone: ZoneInfo) -> datetime:
    """``ms`` as an aware local time in ``zone``; the nearest end where no calendar holds it."""
    return _at(ms).astimezone(zone)


def _at(ms: int | float) -> datetime:
    return _EPOCH + timedelta(milliseconds=int(min(max(ms, _FIRST_MS), _LAST_MS)))


def to_ms(at: datetime) -> int:
    """Epoch ms of an aware time."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def day_in(ms: int | float, zone: ZoneInfo) -> str:
    """The calendar day of ``ms`` in ``zone``, ``YYYY-MM-DD``."""
    return local(ms, zone).strftime("%Y-%m-%d")
