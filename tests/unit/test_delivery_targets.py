"""Where messages go, and why they go nowhere (``heartbeat.md`` 7, ``commitments.md`` 8)."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import Config, load
from openclaw_cli.delivery import channels, recipients, targets
from openclaw_cli.delivery.targets import Route, Target
from openclaw_cli.state.paths import Paths

TELEGRAM = Route("telegram", "telegram:4471", "default", None, "direct")


@pytest.fixture
def config(tree: Tree) -> Config:
    tree.config(
        channels={
            "defaults": {"heartbeat": {"showOk": True}},
            "telegram": {"accounts": {"default": {"botToken": "1:a"}, "Work": {"botToken": "2:b"}}},
            "discord": {"token": "x", "heartbeat": {"showAlerts": False}},
            "slack": {
                "heartbeat": {"showOk": False},
                "accounts": {"b": {"heartbeat": {"showOk": True, "useIndicator": False}}},
            },
        }
    )
    return load(Paths.from_env(), validate=False)


def test_last_route_prefers_the_delivery_context() -> None:
    entry = {
        "deliveryContext": {"channel": "Telegram", "to": "telegram:1", "threadId": 42},
        "lastChannel": "discord",
        "lastTo": "channel:9",
        "chatType": "direct",
    }
    assert targets.last_route(entry) == Route("telegram", "telegram:1", None, "42", "direct")


def test_last_route_falls_back_to_the_older_fields_as_a_whole() -> None:
    entry = {"deliveryContext": {"to": "x"}, "lastChannel": "discord", "lastTo": "channel:9"}
    assert targets.last_route(entry) == Route("discord", "channel:9", None, None, None)


@pytest.mark.parametrize(
    ("block", "route", "expected"),
    [
        ({}, TELEGRAM, "target-none"),
        ({"target": "none"}, TELEGRAM, "target-none"),
        ({"target": "telegrm"}, TELEGRAM, "target-none"),
        ({"target": "last"}, Route(), "no-target"),
        ({"target": "last"}, Route("webchat", "x"), "no-target"),
        ({"target": "discord"}, TELEGRAM, "no-target"),
        ({"target": "telegram", "accountId": "nope"}, TELEGRAM, "unknown-account"),
        ({"target": "last", "directPolicy": "block"}, TELEGRAM, "dm-blocked"),
        ({"target": "telegram", "to": "77", "directPolicy": "block"}, Route(), "dm-blocked"),
        ({"target": "telegram", "to": "-77", "directPolicy": "block"}, Route(), None),
        ({"target": "last", "accountId": "work"}, TELEGRAM, None),
        ({"target": "last"}, Route("telegram", "telegram:1", "gone"), "unknown-account"),
    ],
)
def test_heartbeat_problems(
    config: Config, block: dict[str, Any], route: Route, expected: str | None
) -> None:
    assert targets.for_heartbeat(block, route, config).problem == expected


def test_last_uses_the_route_without_its_thread(config: Config) -> None:
    route = TELEGRAM._replace(thread_id="5")
    found = targets.for_heartbeat({"target": "last"}, route, config)
    assert found == Target("telegram", "telegram:4471", "default", None, "direct", None)


def test_a_prefixed_recipient_picks_the_channel_for_last(config: Config) -> None:
    block = {"target": "last", "to": "discord:channel:9"}
    found = targets.for_heartbeat(block, TELEGRAM, config)
    assert (found.channel, found.to, found.account_id, found.chat_type) == (
        "discord", "discord:channel:9", None, "channel",
    )  # fmt: skip


def test_an_explicit_recipient_may_name_its_topic(config: Config) -> None:
    block = {"target": "telegram", "to": "-100:topic:42"}
    assert targets.for_heartbeat(block, Route(), config).thread_id == "42"


ROW = {"channel": "telegram", "to": "telegram:99", "accountId": "work", "threadId": "7"}


def test_a_row_goes_to_its_own_place_only(config: Config) -> None:
    found = targets.for_row(ROW, TELEGRAM, config, block={"to": "1", "accountId": "default"})
    assert found == Target("telegram", "telegram:99", "work", "7", "direct", None)


def test_a_row_without_recipient_takes_the_last_one_of_the_same_channel(config: Config) -> None:
    row = {"channel": "telegram"}
    assert targets.for_row(row, TELEGRAM, config, block={}).to == "telegram:4471"
    elsewhere = targets.for_row(row, Route("discord", "channel:9"), config, block={})
    assert (elsewhere.to, elsewhere.problem) == (None, "no-target")


@pytest.mark.parametrize(
    ("row", "key_type", "expected"),
    [
        ({**ROW, "accountId": "other"}, None, "unknown-account"),
        (ROW, None, "dm-blocked"),
        ({"channel": "discord", "to": "discord:88"}, "direct", "dm-blocked"),
        ({"channel": "discord", "to": "discord:88"}, "channel", None),
        ({"channel": "webchat", "to": "x"}, None, "no-target"),
    ],
)
def test_row_problems(
    config: Config, row: dict[str, Any], key_type: str | None, expected: str | None
) -> None:
    block = {"directPolicy": "block"}
    found = targets.for_row(row, Route(), config, block=block, key_chat_type=key_type)
    assert found.problem == expected


@pytest.mark.parametrize(
    ("channel", "to", "expected"),
    [
        ("telegram", "telegram:123", "direct"),
        ("telegram", "tg:-100200", "group"),
        ("telegram", "@news", None),
        ("discord", "user:1", "direct"),
        ("discord", "channel:1", "channel"),
        ("discord", "discord:88", None),
        ("whatsapp", "120363@g.us", "group"),
        ("whatsapp", "+48123", "direct"),
        ("signal", "group:abc=", "group"),
        ("slack", "U024BE7LH", "direct"),
        ("slack", "slack:channel:C024", "channel"),
        ("matrix", "@ann:example.org", "direct"),
        ("matrix", "!room:example.org", "channel"),
        ("email", "ann@example.org", "direct"),
    ],
)
def test_chat_type(channel: str, to: str, expected: str | None) -> None:
    assert recipients.chat_type(channel, to) == expected


def test_spellings_of_one_recipient_are_the_same() -> None:
    assert recipients.same("telegram", "telegram:telegram:5512", "5512")
    assert not recipients.same("telegram", "telegram:4471", "5512")


@pytest.mark.parametrize(
    ("channel", "account", "expected"),
    [
        (None, None, (False, True, True)),
        ("telegram", None, (True, True, True)),
        ("discord", None, (True, False, True)),
        ("slack", None, (True, True, False)),
        ("slack", "b", (True, True, False)),
        ("webchat", None, (True, True, True)),
        ("irc", "z", (True, True, True)),
    ],
)
def test_visibility_layers(
    config: Config, channel: str | None, account: str | None, expected: tuple[bool, bool, bool]
) -> None:
    assert tuple(channels.visibility(config, channel, account)) == expected


def test_accounts_of_a_channel(config: Config) -> None:
    assert channels.account_ids(config, "telegram") == ["default", "work"]
    assert channels.account_ids(config, "discord") == ["default"]
    assert channels.account_ids(config, "irc") == []
    assert channels.has_account(config, "irc", "anything")
    assert not channels.has_account(config, "discord", "work")
