"""Keys survive their round trips, whatever they are made of (``sessions.md`` 1)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.sessions import keys, lookup, routing
from openclaw_cli.sessions.routing import DM_SCOPES, Inbound, KeyRules

ids = st.from_regex(r"[a-z0-9_@.+-]{1,12}", fullmatch=True)
agents = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
channels = st.sampled_from(["telegram", "signal", "discord", "slack", "matrix", "myext"])
any_text = st.text(max_size=30)


@given(any_text)
def test_normalising_is_stable_and_never_fails(text: str) -> None:
    once = keys.normalize(text)
    assert keys.normalize(once) == once


@given(any_text, st.dictionaries(st.sampled_from(["chatType", "spawnedBy"]), any_text))
def test_every_text_has_a_kind_a_source_and_a_chat_type(text: str, row: dict[str, Any]) -> None:
    assert keys.list_kind(text, row) in {
        "global", "unknown", "cron", "spawn-child", "group", "direct",
    }  # fmt: skip
    assert keys.source_of(text)
    assert keys.chat_type(text) in {"group", "channel", "direct", None}
    keys.channel_of(text)


@given(agents, any_text)
def test_what_is_adopted_parses_back_or_stays_what_it_was(agent: str, rest: str) -> None:
    key = keys.for_agent(agent, rest)
    parsed = keys.parse(key)
    if parsed is not None and not keys.normalize(rest).startswith("agent:"):
        assert parsed.agent_id == agent
        assert parsed.rest == keys.normalize(rest)


@given(agents, channels, st.sampled_from(["group", "channel"]), ids)
def test_a_group_key_tells_its_parts(agent: str, channel: str, kind: str, group_id: str) -> None:
    key = keys.group_key(agent, channel, kind=kind, group_id=group_id)
    assert keys.parse(key) == (agent, f"{channel}:{kind}:{group_id}")
    assert keys.channel_of(key) == channel
    assert keys.chat_type(key) == ("group" if group_id.endswith("@g.us") else kind)
    assert keys.list_kind(key, {}) == "group"


@given(agents, channels, ids, st.sampled_from(DM_SCOPES), st.none() | ids)
def test_a_direct_key_of_any_scope_is_one_or_the_main_session(
    agent: str, channel: str, peer: str, scope: str, account: str | None
) -> None:
    message = Inbound(channel=channel, sender=peer, account_id=account, chat_type="direct")
    key = routing.session_key(message, KeyRules(dm_scope=scope), agent_id=agent)
    if routing.group_of(message) is not None:
        return  # an id that is a group's on its own, such as 5@g.us
    if scope == "main":
        assert key == f"agent:{agent}:main"
        return
    parsed = keys.parse(key)
    assert parsed is not None
    assert keys.direct_peer(parsed.rest) == peer
    assert keys.chat_type(key) == ("group" if peer.endswith("@g.us") else "direct")
    twin = next(keys.twins(key))
    assert list(keys.twins(twin)) == [key]
    assert keys.as_direct(twin) == key


@given(agents, channels, ids, ids)
def test_a_thread_splits_off_again(agent: str, channel: str, group_id: str, thread: str) -> None:
    base = keys.group_key(agent, channel, kind="channel", group_id=group_id)
    key = keys.thread_key(base, thread)
    assert keys.split_thread(key) == (base, thread)


@given(st.lists(any_text, max_size=6), any_text)
def test_looking_up_never_fails_and_finds_what_is_there(stored: list[str], asked: str) -> None:
    rows = {key: {"sessionId": "s", "updatedAt": n} for n, key in enumerate(stored)}
    rules = KeyRules()
    found = lookup.find(rows, asked, rules)
    assert found is None or found in rows
    if asked in rows:
        assert found == asked
    adopted = lookup.adopt(rows, asked, rules)
    assert adopted.key not in adopted.retired
    assert set(adopted.retired) <= rows.keys()
    if adopted.key in rows:
        assert adopted.row is not None


@given(st.lists(st.sampled_from(list("aAbB")), min_size=1, max_size=4))
def test_a_write_never_retires_another_case_sensitive_room(letters: list[str]) -> None:
    room = "".join(letters)
    others = {
        f"agent:main:matrix:channel:!{name}": {"sessionId": name}
        for name in (room.swapcase(), room.upper() + "X")
        if name != room
    }
    rows = {f"agent:main:matrix:channel:!{room}": {"sessionId": "own"}} | others
    adopted = lookup.adopt(rows, f"agent:main:matrix:channel:!{room}", KeyRules())
    assert adopted.row == {"sessionId": "own"}
    assert adopted.retired == []
