"""Whether a stored session is still the one to continue (``sessions.md`` 4.1).

Pure. A session ends at the daily hour of the host's zone, after a time without a message
from a person, or both; it is judged when the next message arrives, never by a timer. Daily
boundaries come from local dates, so that they are right in the nights of a clock change.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from math import floor, isfinite
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import entry, keys
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

DEFAULT_HOUR = 4
DEFAULT_IDLE_MINUTES = 60

_CLI_BACKEND_FIELDS = ("cliSessionIds", "cliSessionBindings", "claudeCliSessionId")


class Policy(NamedTuple):
    """When a session ends. ``mode`` ``idle`` has no daily boundary; ``daily`` may have both.

    ``source`` names the settings it comes from; ``configured`` is False for the default.
    """

    mode: str
    at_hour: int
    idle_minutes: int | None
    source: str
    configured: bool

    def to_json(self) -> dict[str, Any]:
        """The policy as ``sessions show`` prints it."""
        return {
            "mode": self.mode,
            "atHour": self.at_hour,
            "idleMinutes": self.idle_minutes,
            "source": self.source,
        }


class Verdict(NamedTuple):
    """Whether a session may go on. ``reason`` is ``daily`` or ``idle`` when it may not.

    ``expires_at_ms`` is when it ends or has ended, None when it never does or when nothing
    tells how old it is.
    """

    fresh: bool
    reason: str | None
    expires_at_ms: int | None


def reset_type(key: str, *, chat_type: str | None = None, threaded: bool = False) -> str:
    """``thread``, ``group`` or ``direct``: which part of ``resetByType`` holds for a session.

    ``threaded`` and ``chat_type`` are what the context of a message says.
    """
    folded = keys.normalize(key)
    if threaded or ":thread:" in folded or ":topic:" in folded:
        return "thread"
    told = (chat_type or "").strip().lower()
    grouped = told in keys.GROUP_KINDS or ":group:" in folded or ":channel:" in folded
    return "group" if grouped or keys.chat_type(folded) in keys.GROUP_KINDS else "direct"


def policy_for(session: Mapping[str, Any], *, kind: str, channel: str | None) -> Policy:
    """The policy of the ``session`` config block for a session of type ``kind``.

    Fields merge one by one; a channel's own policy replaces everything else.
    """
    own = _channel_policy(session, channel)
    if own is not None:
        return _policy([own], source=f"resetByChannel.{channel}", legacy=None, configured=True)
    base, by_type = session.get("reset"), session.get("resetByType")
    parts: list[tuple[str, Mapping[str, Any]]] = []
    if isinstance(by_type, dict):
        names = (kind, "dm") if kind == "direct" else (kind,)
        named = next((n for n in names if isinstance(by_type.get(n), dict)), None)
        if named:
            parts.append((f"resetByType.{named}", by_type[named]))
    if isinstance(base, dict):
        parts.append(("reset", base))
    legacy = session.get("idleMinutes")
    explicit = isinstance(base, dict) or isinstance(by_type, dict)
    sources = [name for name, _ in parts]
    if legacy is not None and not any("idleMinutes" in part for _, part in parts):
        sources.append("idleMinutes")
    return _policy(
        [part for _, part in parts],
        source="session." + "+".join(sources) if sources else "default",
        legacy=None if legacy is None else (legacy, not explicit),
        configured=bool(sources),
    )


def daily_boundary(now_ms: int, hour: int, zone: ZoneInfo) -> int:
    """The latest local ``hour``:00 that is not after ``now_ms``.

    An hour that the clocks skip counts from the moment of the change; of one that they
    repeat the first counts.
    """
    day = clock.local(now_ms, zone).date()
    while (at := _hour_on(day, hour, zone)) > now_ms:
        day -= timedelta(days=1)
    return at


def next_boundary(after_ms: int, hour: int, zone: ZoneInfo) -> int:
    """The first local ``hour``:00 later than ``after_ms``."""
    day = clock.local(after_ms, zone).date() - timedelta(days=1)
    while (at := _hour_on(day, hour, zone)) <= after_ms:
        day += timedelta(days=1)
    return at


def needs_header(row: Mapping[str, Any], now_ms: int) -> bool:
    """Whether the start of a session must be looked up in its transcript."""
    return _known(row.get("sessionStartedAt"), now_ms) is None


def judge(
    row: Mapping[str, Any], policy: Policy, *, now_ms: int, zone: ZoneInfo, header_ms: int | None
) -> Verdict:
    """Whether the session of ``row`` is still fresh at ``now_ms``.

    ``header_ms`` is the start that its transcript's header names. Times that are negative,
    not finite or in the future do not count; with none left the session is stale.
    """
    if not policy.configured and any(row.get(field) for field in _CLI_BACKEND_FIELDS):
        return Verdict(True, None, None)
    began = _first_known(now_ms, row.get("sessionStartedAt"), header_ms, row.get("updatedAt"))
    spoke = _first_known(now_ms, row.get("lastInteractionAt"), began)
    ends: list[tuple[int, str]] = []
    if policy.mode == "daily":
        ends.append((next_boundary(began or 0, policy.at_hour, zone), "daily"))
    if policy.idle_minutes:
        ends.append(((spoke or 0) + policy.idle_minutes * clock.MINUTE_MS, "idle"))
    over = [end for end in ends if _is_over(end, now_ms)]
    first = min(over or ends, key=lambda end: end[0], default=None)
    known = began is not None or spoke is not None
    expires = first[0] if first and known else None
    return Verdict(not over, first[1] if over and first else None, expires)


def channel_for(key: str, row: Mapping[str, Any]) -> str | None:
    """The channel of a stored session: its own, else the last one, else the key's."""
    told = entry.text(row, "channel") or entry.text(row, "lastChannel")
    return keys.normalize_channel(told) if told else keys.channel_of(key)


def _is_over(end: tuple[int, str], now_ms: int) -> bool:
    at, reason = end
    return now_ms >= at if reason == "daily" else now_ms > at


def _channel_policy(session: Mapping[str, Any], channel: str | None) -> Mapping[str, Any] | None:
    by_channel = session.get("resetByChannel")
    if channel is None or not isinstance(by_channel, dict):
        return None
    wanted = keys.normalize_channel(channel)
    for name, policy in by_channel.items():
        if keys.normalize_channel(name) == wanted and isinstance(policy, dict):
            return policy
    return None


def _policy(
    parts: list[Mapping[str, Any]],
    *,
    source: str,
    legacy: tuple[Any, bool] | None,
    configured: bool,
) -> Policy:
    """Merge ``parts``, most specific first. ``legacy``: old idle minutes, and if they rule."""

    def first(field: str) -> Any:
        return next((part[field] for part in parts if part.get(field) is not None), None)

    mode = first("mode")
    if mode not in ("daily", "idle"):
        mode = "idle" if legacy is not None and legacy[1] else "daily"
    minutes = first("idleMinutes")
    if minutes is None and legacy is not None:
        minutes = legacy[0]
    idle = _whole(minutes)
    if idle is None and mode == "idle":
        idle = DEFAULT_IDLE_MINUTES
    hour = _whole(first("atHour"))
    at_hour = DEFAULT_HOUR if hour is None else min(23, max(0, hour))
    return Policy(mode, at_hour, idle, source, configured)


def _whole(value: object) -> int | None:
    found = entry.number(value)
    return None if found is None else floor(found)


def _hour_on(day: date, hour: int, zone: ZoneInfo) -> int:
    """The instant of ``hour``:00 on ``day``; fold 0 is the first of two, and a gap's end."""
    return clock.to_ms(datetime(day.year, day.month, day.day, hour, tzinfo=zone, fold=0))


def _known(value: object, now_ms: int) -> int | None:
    found = entry.number(value)
    if found is None or not isfinite(found) or found < 0 or found > now_ms:
        return None
    return int(found)


def _first_known(now_ms: int, *candidates: object) -> int | None:
    return next((at for value in candidates if (at := _known(value, now_ms)) is not None), None)
