"""May a session's answers be delivered (``sessions.md`` 5)?"""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import send_policy

POLICY = {
    "rules": [
        {"action": "deny", "match": {"channel": "discord", "chatType": "group"}},
        {"action": "deny", "match": {"keyPrefix": "cron:"}},
        {"action": "deny", "match": {"rawKeyPrefix": "agent:main:discord:"}},
    ],
    "default": "allow",
}


@pytest.mark.parametrize(
    ("key", "decision"),
    [
        ("agent:work:discord:group:55", "deny"),
        ("agent:work:discord:direct:9", "allow"),
        ("agent:main:discord:direct:9", "deny"),
        ("agent:main:cron:j1", "deny"),
        ("cron:j1", "deny"),
        ("agent:main:main", "allow"),
    ],
)
def test_the_table(key: str, decision: str) -> None:
    assert send_policy.decide(POLICY, key, {}) == decision


@pytest.mark.parametrize(
    "key", ["agent:main:group:direct:5", "agent:main:x:direct:1@g.us", "agent:main:x:channel:dm:5"]
)
def test_a_key_of_two_types_of_chat_is_denied_unless_somebody_tells_which(key: str) -> None:
    policy = {"default": "allow"}
    assert send_policy.decide(policy, key, {}) == "deny"
    assert send_policy.decide(policy, key, {"chatType": "group"}) == "allow"
    assert send_policy.decide(policy, key, {}, chat_type="direct") == "allow"
    assert send_policy.decide(policy, key, {"sendPolicy": "allow"}) == "allow"
    assert send_policy.decide(None, key, {}) == "allow"


@pytest.mark.parametrize(
    ("policy", "row", "decision"),
    [
        (None, {}, "allow"),
        ({"default": "deny"}, {}, "deny"),
        ({"default": "deny"}, {"sendPolicy": "allow"}, "allow"),
        (None, {"sendPolicy": "deny"}, "deny"),
        ({"default": "deny"}, {"sendPolicy": "other"}, "deny"),
        ({"default": "deny", "rules": [{"action": "allow"}]}, {}, "allow"),
        ({"rules": [{"action": "allow"}, {"action": "deny"}]}, {}, "deny"),
        ({"rules": [{"action": "deny"}, {"action": "allow"}]}, {}, "deny"),
        ({"default": "deny", "rules": [{"action": "perhaps"}]}, {}, "allow"),
        ({"rules": [{"action": "deny", "match": {"chatType": "dm"}}]}, {}, "deny"),
        (
            {"rules": [{"action": "deny", "match": {"channel": "telegram", "chatType": "group"}}]},
            {},
            "allow",
        ),
        ({"rules": [{"action": "deny", "match": {"channel": "x"}}]}, {"channel": "x"}, "deny"),
        (
            {"rules": [{"action": "deny", "match": {"channel": "x"}}]},
            {"lastChannel": "x"},
            "deny",
        ),
        (
            {"rules": [{"action": "deny", "match": {"chatType": "group"}}]},
            {"chatType": "group"},
            "deny",
        ),
    ],
)
def test_deny_wins_over_allow_and_the_row_over_everything(
    policy: object, row: dict[str, Any], decision: str
) -> None:
    assert send_policy.decide(policy, "agent:main:telegram:direct:9", row) == decision


def test_what_the_caller_knows_comes_before_row_and_key() -> None:
    policy = {"rules": [{"action": "deny", "match": {"channel": "signal", "chatType": "group"}}]}
    row = {"channel": "telegram", "chatType": "direct"}
    key = "agent:main:telegram:direct:9"
    assert send_policy.decide(policy, key, row) == "allow"
    assert send_policy.decide(policy, key, row, channel="Signal", chat_type="Group") == "deny"
