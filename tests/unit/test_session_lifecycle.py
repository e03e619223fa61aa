"""Is a session still fresh (``sessions.md`` 4.1)?"""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from openclaw_cli.sessions import lifecycle
from openclaw_cli.sessions.lifecycle import Policy
from openclaw_cli.state import clock

PARIS, UTC = ZoneInfo("Europe/Paris"), ZoneInfo("UTC")
MINUTE = clock.MINUTE_MS


def ms(text: str) -> int:
    at = clock.parse_iso(text.replace(" ", "T") + "Z")
    assert at is not None
    return at


@pytest.mark.parametrize(
    ("zone", "hour", "now", "boundary"),
    [
        (UTC, 4, "2026-11-20 03:59:59", "2026-11-19 04:00"),
        (UTC, 4, "2026-11-20 04:00:00", "2026-11-20 04:00"),
        (PARIS, 4, "2026-11-20 02:59:59", "2026-11-19 03:00"),
        (PARIS, 4, "2026-11-20 03:00:00", "2026-11-20 03:00"),
        (PARIS, 2, "2026-03-29 01:00:00", "2026-03-29 01:00"),
        (PARIS, 2, "2026-03-29 00:59:00", "2026-03-28 01:00"),
        (PARIS, 2, "2026-10-25 00:30:00", "2026-10-25 00:00"),
        (PARIS, 2, "2026-10-25 01:30:00", "2026-10-25 00:00"),
        (ZoneInfo("America/New_York"), 2, "2026-03-08 06:30:00", "2026-03-07 07:00"),
        (ZoneInfo("America/New_York"), 2, "2026-03-08 07:10:00", "2026-03-08 07:00"),
        (ZoneInfo("Pacific/Apia"), 4, "2011-12-30 13:00:00", "2011-12-29 14:00"),
    ],
)
def test_the_daily_boundary_comes_from_local_dates(
    zone: ZoneInfo, hour: int, now: str, boundary: str
) -> None:
    assert lifecycle.daily_boundary(ms(now), hour, zone) == ms(boundary)


def test_the_next_boundary_is_strictly_later() -> None:
    at = ms("2026-11-20 04:00:00")
    assert lifecycle.next_boundary(at, 4, UTC) == ms("2026-11-21 04:00:00")
    assert lifecycle.next_boundary(at - 1, 4, UTC) == at


@pytest.mark.parametrize(
    ("key", "context", "kind"),
    [
        ("agent:main:main", {}, "direct"),
        ("agent:main:main", {"threaded": True}, "thread"),
        ("agent:main:main", {"chat_type": "group"}, "group"),
        ("agent:main:telegram:group:-1:topic:5", {}, "thread"),
        ("agent:main:slack:channel:c:thread:1", {}, "thread"),
        ("agent:main:slack:channel:c", {}, "group"),
        ("group:77", {}, "group"),
        ("agent:main:telegram:direct:9", {}, "direct"),
    ],
)
def test_the_type_of_a_session(key: str, context: dict[str, Any], kind: str) -> None:
    assert lifecycle.reset_type(key, **context) == kind


@pytest.mark.parametrize(
    ("session", "kind", "policy"),
    [
        ({}, "direct", ("daily", 4, None)),
        ({"idleMinutes": 30}, "direct", ("idle", 4, 30)),
        ({"idleMinutes": 30, "reset": {}}, "direct", ("daily", 4, 30)),
        ({"idleMinutes": 30, "resetByType": {}}, "direct", ("daily", 4, 30)),
        ({"reset": {"mode": "daily", "idleMinutes": 120}}, "direct", ("daily", 4, 120)),
        ({"reset": {"mode": "idle"}}, "direct", ("idle", 4, 60)),
        ({"reset": {"atHour": 7}}, "group", ("daily", 7, None)),
        ({"reset": {"atHour": 30}}, "group", ("daily", 23, None)),
        ({"reset": {"atHour": -1}}, "group", ("daily", 0, None)),
        ({"reset": {"atHour": "x"}}, "group", ("daily", 4, None)),
        ({"reset": {"atHour": 5.9}}, "group", ("daily", 5, None)),
        (
            {"reset": {"idleMinutes": 90}, "resetByType": {"group": {"mode": "idle"}}},
            "group",
            ("idle", 4, 90),
        ),
        (
            {"reset": {"atHour": 6}, "resetByType": {"group": {"idleMinutes": 5}}},
            "direct",
            ("daily", 6, None),
        ),
        ({"resetByType": {"dm": {"mode": "idle", "idleMinutes": 9}}}, "direct", ("idle", 4, 9)),
        (
            {"resetByType": {"dm": {"atHour": 1}, "direct": {"atHour": 2}}},
            "direct",
            ("daily", 2, None),
        ),
    ],
)
def test_policy_fields_merge_one_by_one(
    session: dict[str, Any], kind: str, policy: tuple[str, int, int | None]
) -> None:
    assert lifecycle.policy_for(session, kind=kind, channel=None)[:3] == policy


def test_a_channels_policy_replaces_everything_else() -> None:
    session = {
        "reset": {"mode": "idle", "idleMinutes": 5, "atHour": 1},
        "idleMinutes": 7,
        "resetByChannel": {"GChat": {"idleMinutes": 10_080}},
    }
    policy = lifecycle.policy_for(session, kind="direct", channel="googlechat")
    assert policy[:3] == ("daily", 4, 10_080)
    assert policy.source == "resetByChannel.googlechat"
    other = lifecycle.policy_for(session, kind="direct", channel="discord")
    assert other[:3] == ("idle", 1, 5)


@pytest.mark.parametrize(
    ("session", "source", "configured"),
    [
        ({}, "default", False),
        ({"idleMinutes": 5}, "session.idleMinutes", True),
        ({"reset": {}}, "session.reset", True),
        ({"reset": {}, "resetByType": {"direct": {}}}, "session.resetByType.direct+reset", True),
    ],
)
def test_a_policy_names_where_it_comes_from(
    session: dict[str, Any], source: str, configured: bool
) -> None:
    policy = lifecycle.policy_for(session, kind="direct", channel=None)
    assert (policy.source, policy.configured) == (source, configured)


NOW = ms("2026-11-20 10:00:00")
TODAY = ms("2026-11-20 04:00:00")
DAILY = Policy("daily", 4, None, "t", True)
IDLE = Policy("idle", 4, 60, "t", True)
BOTH = Policy("daily", 4, 60, "t", True)


def judge(row: dict[str, Any], policy: Policy, header_ms: int | None = None) -> tuple[Any, ...]:
    return tuple(lifecycle.judge(row, policy, now_ms=NOW, zone=UTC, header_ms=header_ms))[:2]


@pytest.mark.parametrize(
    ("row", "policy", "header", "verdict"),
    [
        ({"sessionStartedAt": TODAY}, DAILY, None, (True, None)),
        ({"sessionStartedAt": TODAY - 1}, DAILY, None, (False, "daily")),
        ({"sessionStartedAt": TODAY - 1, "updatedAt": NOW}, DAILY, NOW, (False, "daily")),
        ({"updatedAt": NOW}, DAILY, TODAY - 1, (False, "daily")),
        ({"updatedAt": TODAY}, DAILY, None, (True, None)),
        ({"updatedAt": TODAY - 1}, DAILY, None, (False, "daily")),
        ({}, DAILY, None, (False, "daily")),
        ({"sessionStartedAt": NOW + 1, "updatedAt": TODAY}, DAILY, None, (True, None)),
        ({"sessionStartedAt": -5, "updatedAt": TODAY}, DAILY, None, (True, None)),
        ({"sessionStartedAt": float("nan"), "updatedAt": TODAY}, DAILY, None, (True, None)),
        ({"sessionStartedAt": "x", "updatedAt": NOW}, DAILY, TODAY - 1, (False, "daily")),
        ({"sessionStartedAt": 1}, IDLE, None, (False, "idle")),
        (
            {"sessionStartedAt": 1, "lastInteractionAt": NOW - 60 * MINUTE},
            IDLE, None, (True, None),
        ),
        (
            {"sessionStartedAt": 1, "lastInteractionAt": NOW - 60 * MINUTE - 1},
            IDLE, None, (False, "idle"),
        ),
        ({"updatedAt": NOW, "lastInteractionAt": 5}, IDLE, None, (False, "idle")),
        (
            {"sessionStartedAt": TODAY - 9, "lastInteractionAt": TODAY - 61 * MINUTE},
            BOTH, None, (False, "idle"),
        ),
        (
            {"sessionStartedAt": TODAY - 9, "lastInteractionAt": TODAY - 59 * MINUTE},
            BOTH, None, (False, "daily"),
        ),
        (
            {"sessionStartedAt": TODAY - 9, "lastInteractionAt": TODAY - 60 * MINUTE},
            BOTH, None, (False, "daily"),
        ),
        ({"sessionStartedAt": TODAY, "lastInteractionAt": NOW}, BOTH, None, (True, None)),
        ({}, Policy("idle", 4, 0, "t", True), None, (True, None)),
    ],
)  # fmt: skip
def test_a_session_is_judged_by_its_start_and_by_the_last_word_of_a_person(
    row: dict[str, Any], policy: Policy, header: int | None, verdict: tuple[bool, str | None]
) -> None:
    assert judge(row, policy, header) == verdict


def test_the_verdict_says_when_it_ends_or_has_ended() -> None:
    def expiry(row: dict[str, Any], policy: Policy) -> int | None:
        return lifecycle.judge(row, policy, now_ms=NOW, zone=UTC, header_ms=None).expires_at_ms

    fresh = {"sessionStartedAt": TODAY, "lastInteractionAt": NOW}
    assert expiry(fresh, DAILY) == TODAY + clock.DAY_MS
    assert expiry(fresh, BOTH) == NOW + 60 * MINUTE
    assert expiry({"sessionStartedAt": TODAY - 1}, DAILY) == TODAY
    assert expiry({}, DAILY) is None
    assert expiry(fresh, Policy("idle", 4, 0, "t", True)) is None


def test_a_session_of_an_external_program_escapes_only_the_implicit_default() -> None:
    row = {"sessionStartedAt": 1, "cliSessionIds": {"claude": "x"}}
    assert judge(row, Policy("daily", 4, None, "default", False)) == (True, None)
    assert judge(row, DAILY) == (False, "daily")


def test_the_header_is_needed_only_without_a_usable_start() -> None:
    assert not lifecycle.needs_header({"sessionStartedAt": NOW}, NOW)
    assert lifecycle.needs_header({"sessionStartedAt": NOW + 1}, NOW)
    assert lifecycle.needs_header({}, NOW)


@pytest.mark.parametrize(
    ("key", "row", "channel"),
    [
        ("agent:main:main", {"channel": "IMSG", "lastChannel": "x"}, "imessage"),
        ("agent:main:main", {"lastChannel": "telegram"}, "telegram"),
        ("agent:main:discord:group:5", {}, "discord"),
        ("agent:main:main", {}, None),
    ],
)
def test_the_channel_whose_policy_holds(key: str, row: dict[str, Any], channel: str | None) -> None:
    assert lifecycle.channel_for(key, row) == channel
