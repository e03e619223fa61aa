"""Session keys: grammar, shapes, and what a key alone tells (``sessions.md`` 1)."""

from __future__ import annotations

import pytest

from openclaw_cli.errors import UsageProblem
from openclaw_cli.sessions import keys


@pytest.mark.parametrize(
    ("key", "parts"),
    [
        ("agent:main:main", ("main", "main")),
        (" AGENT:Main:Upper ", ("main", "upper")),
        ("agent:work:telegram:group:-1:topic:5", ("work", "telegram:group:-1:topic:5")),
        ("agent:main:x::y", ("main", "x::y")),
        ("agent::main", None),
        ("agent:main::x", None),
        ("agent:main:", None),
        ("agent:main", None),
        ("global", None),
        ("telegram:direct:5", None),
    ],
)
def test_agent_keys_parse_by_position(key: str, parts: tuple[str, str] | None) -> None:
    assert keys.parse(key) == parts


@pytest.mark.parametrize(
    ("key", "malformed"),
    [
        ("agent::main", True),
        ("agent:main::x", True),
        ("Agent:main", True),
        ("agent:main:main", False),
        ("agents:x", False),
        ("global", False),
    ],
)
def test_a_key_that_starts_like_an_agent_key_and_is_none_is_malformed(
    key: str, malformed: bool
) -> None:
    assert keys.is_malformed(key) is malformed


def test_malformed_and_empty_keys_are_refused_on_input() -> None:
    for text in ("agent::main", "  ", "agent:main:"):
        with pytest.raises(UsageProblem):
            keys.require(text)
    assert keys.require(" Telegram:Direct:5 ") == "telegram:direct:5"


@pytest.mark.parametrize(
    ("key", "normal"),
    [
        (" Agent:Main:Telegram:Direct:AbC ", "agent:main:telegram:direct:abc"),
        ("Agent:Main:Signal:Group:AbC=", "agent:main:signal:group:AbC="),
        ("signal:group:AbC", "signal:group:AbC"),
        ("agent:main:matrix:channel:!Room:Srv.org", "agent:main:matrix:channel:!Room:Srv.org"),
        ("Agent:Main:Signal:Group:AbC:Thread:XyZ", "agent:main:signal:group:AbC:thread:xyz"),
        ("agent:main:matrix:direct:@Bob:Srv", "agent:main:matrix:direct:@bob:srv"),
        ("agent:main:slack:channel:C1", "agent:main:slack:channel:c1"),
    ],
)
def test_only_ids_of_signal_groups_and_matrix_rooms_keep_their_case(key: str, normal: str) -> None:
    assert keys.normalize(key) == normal


@pytest.mark.parametrize(
    ("rest", "key"),
    [
        ("Telegram:Direct:5", "agent:main:telegram:direct:5"),
        ("global", "global"),
        ("UNKNOWN", "unknown"),
        ("agent:work:main", "agent:work:main"),
        ("cron:j1", "agent:main:cron:j1"),
    ],
)
def test_bare_keys_are_adopted_and_literals_get_no_prefix(rest: str, key: str) -> None:
    assert keys.for_agent("main", rest) == key


@pytest.mark.parametrize(
    ("made", "key"),
    [
        (keys.main_key("work", " Home "), "agent:work:home"),
        (keys.main_key("work", "  "), "agent:work:main"),
        (
            keys.group_key("main", "imsg", kind="group", group_id="G1"),
            "agent:main:imessage:group:g1",
        ),
        (
            keys.group_key("main", "slack", kind="channel", group_id=" "),
            "agent:main:slack:channel:unknown",
        ),
        (keys.thread_key("agent:main:main", " T1 "), "agent:main:main:thread:t1"),
        (keys.thread_key("agent:main:main", " "), "agent:main:main"),
        (keys.cron_key("main", "j1"), "agent:main:cron:j1"),
        (keys.cron_key("main", "j1", run="r1"), "agent:main:cron:j1:run:r1"),
        (keys.explicit_key("main", " ABC "), "agent:main:explicit:abc"),
        (keys.hook_key("main", "u1"), "agent:main:hook:u1"),
        (keys.node_key("main", "n1"), "agent:main:node-n1"),
        (keys.subagent_key("main", "u1"), "agent:main:subagent:u1"),
        (keys.heartbeat_key("agent:main:main"), "agent:main:main:heartbeat"),
    ],
)
def test_every_shape_is_built_as_the_table_says(made: str, key: str) -> None:
    assert made == key


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        (" IMSG ", "imessage"),
        ("internet-relay-chat", "irc"),
        ("google-chat", "googlechat"),
        ("gchat", "googlechat"),
        ("Telegram", "telegram"),
        ("", "unknown"),
        (None, "unknown"),
    ],
)
def test_channels_are_normalised_through_their_aliases(name: str | None, normal: str) -> None:
    assert keys.normalize_channel(name) == normal


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Work", "work"),
        ("My Account!", "my-account"),
        ("", "default"),
        (None, "default"),
        ("__proto__", "default"),
        ("constructor", "default"),
        ("a" * 70 + "!", "a" * 64),
    ],
)
def test_accounts_are_normalised_and_special_names_count_as_empty(
    name: str | None, normal: str
) -> None:
    assert keys.normalize_account(name) == normal


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("group:77", "group"),
        ("agent:main:telegram:group:-1:topic:5", "group"),
        ("agent:main:whatsapp:120363@g.us", "group"),
        ("120363@G.US", "group"),
        ("channel:c1", "channel"),
        ("agent:main:slack:channel:c1", "channel"),
        ("discord:guild-1:channel-2", "channel"),
        ("agent:main:direct:9", "direct"),
        ("agent:main:telegram:dm:9", "direct"),
        ("agent:main:telegram:acct:direct:9", "direct"),
        ("agent:main:telegram:direct:9:thread:4", "direct"),
        ("agent:main:telegram:direct:9:topic:4", "direct"),
        ("agent:main:telegram:direct:9:more:4", None),
        ("agent:main:telegram:direct:9:more", None),
        ("agent:main:main", None),
        ("cron:j1", None),
        ("agent:main:a:b:c:direct:9", None),
    ],
)
def test_the_chat_type_follows_from_the_position_of_the_marker(key: str, kind: str | None) -> None:
    assert keys.chat_type(key) == kind


@pytest.mark.parametrize(
    ("key", "row", "kind"),
    [
        ("global", {}, "global"),
        ("Unknown", {}, "unknown"),
        ("agent:main:cron:j1:run:r", {}, "cron"),
        ("cron:j2", {}, "cron"),
        ("agent:main:subagent:1", {"spawnedBy": "agent:main:main"}, "spawn-child"),
        ("agent:main:cron:j1", {"spawnedBy": "agent:main:main"}, "cron"),
        ("agent:main:x", {"chatType": "channel"}, "group"),
        ("agent:main:a:b:group:7", {}, "group"),
        ("group:77", {}, "group"),
        ("agent:main:whatsapp:120363@g.us", {}, "group"),
        ("hook:u", {}, "direct"),
        ("node-a", {}, "direct"),
        ("agent:main:main", {"chatType": ["odd"]}, "direct"),
    ],
)
def test_kinds_tell_the_truth(key: str, row: dict[str, object], kind: str) -> None:
    assert keys.list_kind(key, row) == kind


@pytest.mark.parametrize(
    ("key", "source"),
    [
        ("agent:main:cron:j1", "cron"),
        ("cron:j1", "cron"),
        ("hook:u", "hook"),
        ("agent:main:node-a", "node"),
        ("agent:main:subagent:u:subagent:v", "subagent"),
        ("acp:u", "acp"),
        ("agent:main:explicit:s", "explicit"),
        ("agent:main:main", "chat"),
        ("agent:main:main:heartbeat", "chat"),
        ("agent:main:telegram:direct:9", "chat"),
    ],
)
def test_the_source_of_a_session_is_read_off_its_key(key: str, source: str) -> None:
    assert keys.source_of(key) == source


@pytest.mark.parametrize(
    ("key", "channel"),
    [
        ("agent:main:telegram:group:-1", "telegram"),
        ("agent:main:imsg:direct:9", "imessage"),
        ("agent:main:telegram:acct:direct:9", "telegram"),
        ("agent:main:direct:9", None),
        ("group:77", None),
        ("agent:main:main", None),
        ("agent:main:cron:j1", None),
    ],
)
def test_the_channel_of_a_key(key: str, channel: str | None) -> None:
    assert keys.channel_of(key) == channel


@pytest.mark.parametrize(
    ("key", "base", "thread"),
    [
        ("agent:main:slack:channel:c:thread:1.2", "agent:main:slack:channel:c", "1.2"),
        ("agent:main:telegram:group:-1:topic:5", "agent:main:telegram:group:-1", "5"),
        ("a:thread:1:thread:2", "a:thread:1", "2"),
        ("agent:main:main", "agent:main:main", None),
    ],
)
def test_the_last_thread_or_topic_marker_splits_a_key(
    key: str, base: str, thread: str | None
) -> None:
    assert keys.split_thread(key) == (base, thread)


def test_twins_are_the_two_spellings_of_a_direct_chat() -> None:
    assert list(keys.twins("agent:main:telegram:dm:9")) == ["agent:main:telegram:direct:9"]
    assert list(keys.twins("agent:main:direct:9:thread:1")) == ["agent:main:dm:9:thread:1"]
    assert list(keys.twins("agent:main:telegram:group:9")) == []
    assert keys.as_direct("telegram:dm:9") == "telegram:direct:9"


def test_nesting_depth_counts_the_markers() -> None:
    assert keys.subagent_depth("agent:main:subagent:a:subagent:b") == 2
    assert keys.subagent_depth("agent:main:main") == 0


def test_rows_of_single_cron_runs_are_told_from_the_job() -> None:
    assert keys.is_cron_run("agent:main:cron:j1:run:abc")
    assert not keys.is_cron_run("agent:main:cron:j1")
