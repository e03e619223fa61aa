"""Times as people give them: ``--at``, ``--every``, ``--cron`` or one word for all three.

Pure (``scheduled-tasks.md`` 2.1). A wall time without a zone is UTC; one that does not exist
in its zone is refused, of one that happens twice the later counts. Durations after ``--at``
have one unit.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from openclaw_cli.config import units
from openclaw_cli.errors import UsageProblem
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

PAST_GRACE_MS = clock.MINUTE_MS
FURTHEST_MS = round(10 * 365.25 * clock.DAY_MS)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_WALL = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d{1,9})?)?", re.ASCII)
_CRON_LIKE = re.compile(r"[\d*/,\-?LW#]+", re.ASCII | re.IGNORECASE)
_FORMS = "an ISO 8601 time (2026-11-21T10:00:00Z) or a duration from now (20m, 1.5h)"
_EXPECTED = f"expected {_FORMS}"


def parse_at(text: str, zone: ZoneInfo | None, now_ms: int) -> int:
    """Epoch ms of ``--at``; ``zone`` is that of ``--tz``. Raises ``UsageProblem``.

    More than a minute in the past or ten years ahead is refused.
    """
    wanted = text.strip()
    at_ms = parse_time(wanted, zone, now_ms)
    require_ahead(at_ms, wanted, now_ms)
    return at_ms


def require_ahead(at_ms: int, wanted: str, now_ms: int) -> None:
    """``UsageProblem`` for an instant that is past or too far ahead; ``wanted`` is its text."""
    if at_ms < now_ms - PAST_GRACE_MS:
        raise UsageProblem(
            f"{wanted!r} is in the past: {_shown(at_ms)}, now it is {clock.iso(now_ms)}"
        )
    if at_ms > now_ms + FURTHEST_MS:
        raise UsageProblem(f"{wanted!r} is more than ten years ahead: {_shown(at_ms)}")


def parse_every(text: str) -> int:
    """Milliseconds of ``--every``: ``30m``, ``2h``, ``1d``; at least 1."""
    try:
        every_ms = units.parse_duration_ms(text, None)
    except ValueError as error:
        raise UsageProblem(f"--every: {error}", hint="for example --every 2h") from error
    if every_ms <= 0:
        raise UsageProblem(f"--every: {text!r} is not longer than nothing")
    return every_ms


def parse_stagger(text: str) -> int:
    """Milliseconds of ``--stagger``; 0 is none."""
    try:
        return units.parse_duration_ms(text, "ms" if text.strip() == "0" else None)
    except ValueError as error:
        raise UsageProblem(f"--stagger: {error}", hint="for example --stagger 5m") from error


def parse_zone(name: str) -> ZoneInfo:
    """The zone of ``--tz``; ``UsageProblem`` for a name that is none."""
    zone = clock.find_zone(name.strip())
    if zone is None:
        raise UsageProblem(
            f"unknown time zone {name!r}", hint="an IANA name such as Europe/Warsaw or UTC"
        )
    return zone


def kind_of(text: str) -> str:
    """What a schedule given as one word is: ``every``, ``cron`` or ``at``."""
    words = text.split()
    if len(words) == 2 and words[0].lower() == "every":
        return "every"
    if len(words) in (5, 6) or text.strip().startswith("@"):
        return "cron"
    return "at"


def require_schedule(word: str) -> None:
    """``UsageProblem`` naming every form of a schedule when ``word`` is no time either."""
    try:
        parse_time(word, None, 0)
    except UsageProblem as error:
        if error.hint != _EXPECTED:
            raise
        raise UsageProblem(
            f"{word!r} is no schedule",
            hint=f"expected 'every 2h', a cron expression ('0 9 * * 1-5'), {_FORMS}; "
            "a NAME stands there only with --at, --every or --cron",
        ) from error


def parse_time(text: str, zone: ZoneInfo | None, now_ms: int) -> int:
    """Epoch ms of a time in any of the forms of ``--at``, the past included."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text[:18])
    at_ms = clock.parse_iso(text)
    if at_ms is not None:
        return at_ms
    if match := _WALL.fullmatch(text):
        return _wall(text, match, zone)
    duration = text.removeprefix("+")
    try:
        ahead_ms = units.parse_duration_ms(duration, None, chain=False)
    except ValueError:
        ahead_ms = 0
    if ahead_ms > 0 and not duration.startswith("+"):
        return now_ms + ahead_ms
    raise _refusal(text, duration)


def _wall(text: str, match: re.Match[str], zone: ZoneInfo | None) -> int:
    """The instant of a wall time in ``zone`` (None: UTC); the later one where there are two."""
    naive_ms = clock.parse_iso(f"{match[1]}T{match[2]}{match[3] or ''}Z")
    if naive_ms is None:
        raise UsageProblem(f"{text!r} is no date of the calendar")
    if zone is None:
        return naive_ms
    wall = clock.local(naive_ms, UTC).replace(tzinfo=None)  # type: ignore[arg-type]
    at_ms = clock.to_ms(wall.replace(tzinfo=zone, fold=1))
    if _naive(clock.local(at_ms, zone)) != wall:
        raise UsageProblem(
            f"{text!r} does not exist in {zone.key}: the clock skips it that day",
            hint="give a time before or after the change",
        )
    return at_ms


def _naive(aware: datetime) -> datetime:
    return aware.replace(tzinfo=None, fold=0)


def _refusal(text: str, duration: str) -> UsageProblem:
    words = text.split()
    if len(words) > 1 and all(_CRON_LIKE.fullmatch(word) for word in words):
        return UsageProblem(
            f"{text!r} is no time; as a cron expression it has {len(words)} fields, not 5 or 6",
            hint="for example '0 9 * * 1-5', or --cron for seven fields",
        )
    if re.fullmatch(r"0+(\.0+)?(ms|s|m|h|d)", duration.lower()):
        return UsageProblem(f"{text!r} is no time ahead")
    if _DATE.fullmatch(text):
        return UsageProblem(f"{text!r} is no date of the calendar")
    return UsageProblem(f"{text!r} is no time", hint=_EXPECTED)


def _shown(at_ms: int) -> str:
    try:
        return clock.iso(at_ms)
    except OverflowError:
        return f"{at_ms} ms"
