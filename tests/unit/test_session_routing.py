"""From a message to its session key (``sessions.md`` 1.2-1.5)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import routing
from openclaw_cli.sessions.routing import Inbound, KeyRules

ALICE = {"alice": ["telegram:123", "discord:987"]}


@pytest.mark.parametrize(
    ("scope", "key"),
    [
        ("main", "agent:main:main"),
        ("per-peer", "agent:main:direct:123"),
        ("per-channel-peer", "agent:main:telegram:direct:123"),
        ("per-account-channel-peer", "agent:main:telegram:biz:direct:123"),
    ],
)
def test_each_dm_scope_has_its_key(scope: str, key: str) -> None:
    message = Inbound(channel="telegram", sender="telegram:123", account_id="Biz")
    assert routing.session_key(message, KeyRules(dm_scope=scope)) == key


def test_the_default_account_is_named_default() -> None:
    message = Inbound(channel="telegram", sender="123")
    rules = KeyRules(dm_scope="per-account-channel-peer")
    assert routing.session_key(message, rules) == "agent:main:telegram:default:direct:123"


def test_an_empty_peer_is_the_main_session_and_the_main_key_is_honoured() -> None:
    rules = KeyRules(dm_scope="per-peer", main="home")
    assert routing.session_key(Inbound(channel="telegram"), rules) == "agent:main:home"


def test_global_scope_puts_every_chat_into_one_session() -> None:
    rules = KeyRules(global_scope=True)
    for message in (Inbound(channel="telegram", sender="1"), Inbound(group_id="g")):
        assert routing.session_key(message, rules) == "global"


@pytest.mark.parametrize(
    ("links", "channel", "peer", "name"),
    [
        (ALICE, "telegram", "123", "alice"),
        (ALICE, "discord", "987", "alice"),
        (ALICE, "discord", "123", None),
        ({"a": ["123"]}, "signal", "123", "a"),
        ({" ": ["123"], "b": ["123"]}, "signal", "123", "b"),
        ({"first": ["telegram:1"], "second": ["telegram:1"]}, "telegram", "1", "first"),
        ({" Bob ": [" Telegram:ABC "]}, "telegram", "abc", "bob"),
        ({"n": [5]}, "telegram", "5", "n"),
        ({"odd": "telegram:5"}, "telegram", "5", None),
        (ALICE, "telegram", "  ", None),
    ],
)
def test_the_first_identity_link_with_the_id_wins(
    links: dict[str, Any], channel: str, peer: str, name: str | None
) -> None:
    assert routing.linked_peer(links, channel, peer) == name


@pytest.mark.parametrize(
    ("scope", "keys"),
    [
        ("per-peer", {"agent:main:direct:alice"}),
        (
            "per-channel-peer",
            {"agent:main:telegram:direct:alice", "agent:main:discord:direct:alice"},
        ),
        ("main", {"agent:main:main"}),
    ],
)
def test_links_join_a_person_as_far_as_the_scope_lets_them(scope: str, keys: set[str]) -> None:
    rules = KeyRules(dm_scope=scope, links=ALICE)
    made = {
        routing.session_key(Inbound(channel=channel, sender=peer), rules)
        for channel, peer in (("telegram", "123"), ("discord", "987"))
    }
    assert made == keys


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (Inbound(sender="telegram:group:-100"), "agent:main:telegram:group:-100"),
        (Inbound(sender="Slack:Channel:C1"), "agent:main:slack:channel:c1"),
        (
            Inbound(channel="discord", sender="55", chat_type="channel"),
            "agent:main:discord:channel:55",
        ),
        (Inbound(sender="120363@g.us"), "agent:main:whatsapp:group:120363@g.us"),
        (
            Inbound(channel="telegram", sender="group:-100"),
            "agent:main:telegram:group:-100",
        ),
        (Inbound(sender="5", chat_type="group"), "agent:main:whatsapp:group:5"),
        (
            Inbound(channel="matrix", sender="matrix:channel:!Room:Srv"),
            "agent:main:matrix:channel:!Room:Srv",
        ),
        (
            Inbound(channel="signal", sender="signal:group:AbC="),
            "agent:main:signal:group:AbC=",
        ),
        (Inbound(sender="gchat:group:s1"), "agent:main:googlechat:group:s1"),
        (
            Inbound(channel="discord", sender="u1", group_id="G7", chat_type="channel"),
            "agent:main:discord:channel:g7",
        ),
        (
            Inbound(channel="telegram", group_id="-100", thread_id="5"),
            "agent:main:telegram:group:-100:topic:5",
        ),
        (
            Inbound(sender="telegram:group:-100:topic:5", thread_id="5"),
            "agent:main:telegram:group:-100:topic:5",
        ),
        (
            Inbound(channel="slack", group_id="c1", chat_type="channel", thread_id="1.5"),
            "agent:main:slack:channel:c1:thread:1.5",
        ),
    ],
)
def test_groups_are_told_from_their_context(message: Inbound, key: str) -> None:
    assert routing.session_key(message, KeyRules()) == key


@pytest.mark.parametrize(
    "message",
    [
        Inbound(channel="telegram", sender="123"),
        Inbound(channel="telegram", sender="telegram:123", chat_type="direct"),
        Inbound(channel="telegram"),
    ],
)
def test_direct_chats_are_no_groups(message: Inbound) -> None:
    assert routing.group_of(message) is None


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (Inbound(session_key=" Agent:Work:X "), "agent:work:x"),
        (Inbound(session_key="Telegram:Direct:5"), "agent:main:telegram:direct:5"),
        (Inbound(session_key="agent:main:discord:dm:9"), "agent:main:discord:direct:9"),
        (
            Inbound(
                session_key="agent:main:discord:channel:9",
                channel="discord", sender="discord:9", chat_type="direct",
            ),
            "agent:main:discord:direct:9",
        ),
        (
            Inbound(
                session_key="agent:main:discord:channel:8",
                channel="discord", sender="discord:9", chat_type="direct",
            ),
            "agent:main:discord:channel:8",
        ),
    ],
)  # fmt: skip
def test_an_explicit_key_wins_and_old_discord_keys_are_put_right(
    message: Inbound, key: str
) -> None:
    assert routing.session_key(message, KeyRules()) == key


def _binding(agent: str, scope: str | None = None, **match: Any) -> dict[str, Any]:
    session = {"session": {"dmScope": scope}} if scope else {}
    return {"agentId": agent, "match": {"channel": "telegram", **match}, **session}


@pytest.mark.parametrize(
    ("bindings", "agent"),
    [
        ([], "main"),
        ([_binding("account")], "account"),
        ([_binding("other", accountId="biz")], "main"),
        ([_binding("any", accountId="*"), _binding("account")], "account"),
        (
            [_binding("wild", peer={"kind": "direct", "id": "*"}), _binding("account")],
            "wild",
        ),
        (
            [
                _binding("wild", peer={"kind": "direct", "id": "*"}),
                _binding("peer", peer={"kind": "dm", "id": "123"}),
            ],
            "peer",
        ),
        ([_binding("group", peer={"kind": "group", "id": "123"})], "main"),
        ([_binding("slack", channel="slack")], "main"),
        ([_binding("first"), _binding("second")], "first"),
        ([_binding("team", teamId="t1"), _binding("account")], "account"),
    ],
)
def test_the_most_specific_binding_names_the_agent(
    bindings: list[dict[str, Any]], agent: str
) -> None:
    message = Inbound(channel="telegram", sender="123")
    assert routing.route_of(message, KeyRules(bindings=tuple(bindings))).agent_id == agent


@pytest.mark.parametrize(
    ("match", "agent"),
    [
        ({"guildId": "G1"}, "bound"),
        ({"guildId": "G1", "roles": ["r"]}, "bound"),
        ({"guildId": "G2"}, "main"),
        ({"teamId": "g1"}, "bound"),
    ],
)
def test_spaces_bind_by_guild_or_team(match: dict[str, Any], agent: str) -> None:
    message = Inbound(channel="telegram", group_id="7", group_space="g1")
    rules = KeyRules(bindings=(_binding("bound", **match),))
    assert routing.route_of(message, rules).agent_id == agent


def test_a_thread_follows_the_binding_of_its_parent() -> None:
    message = Inbound(
        channel="telegram", group_id="-5", thread_id="9",
        parent_key="agent:main:telegram:group:-1",
    )  # fmt: skip
    rules = KeyRules(bindings=(_binding("parent", peer={"kind": "group", "id": "-1"}),))
    assert routing.route_of(message, rules).agent_id == "parent"


def test_a_binding_overrides_the_scope_for_what_it_matches() -> None:
    rules = KeyRules(dm_scope="main", bindings=(_binding("work", "per-peer"),))
    bound = Inbound(channel="telegram", sender="1")
    free = Inbound(channel="signal", sender="1")
    assert routing.session_key(bound, rules) == "agent:work:direct:1"
    assert routing.session_key(free, rules) == "agent:main:main"


@pytest.mark.parametrize(
    ("address", "channel", "bare"),
    [
        ("telegram:123", "telegram", "123"),
        ("tg:123", "telegram", "123"),
        ("123", "telegram", "123"),
        ("discord:user:9", "discord", "9"),
        ("user:9", "discord", "9"),
        ("matrix:@a:srv", "matrix", "@a:srv"),
        ("@a:srv", "matrix", "@a:srv"),
    ],
)
def test_addresses_lose_what_only_names_their_channel(
    address: str, channel: str, bare: str
) -> None:
    assert routing.bare_address(address, channel) == bare
