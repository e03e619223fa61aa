"""Whatever a row holds, looking at it never fails and rewriting it loses nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from builders import Tree
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from openclaw_cli.cli.commands import sessions as command
from openclaw_cli.config.load import Config, load
from openclaw_cli.sessions import (
    entry,
    lifecycle,
    listing,
    lookup,
    overview,
    rollover,
    rpc_list,
    send_policy,
    sharing,
)
from openclaw_cli.sessions.discovery import Source, Target
from openclaw_cli.sessions.listing import Selection
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
FIELDS = [
    "sessionId", "updatedAt", "sessionFile", "sessionStartedAt", "lastInteractionAt", "chatType",
    "channel", "provider", "lastProvider", "room", "groupChannel", "label", "displayName",
    "origin", "deliveryContext", "route", "lastChannel", "lastTo", "lastAccountId",
    "lastThreadId", "model", "modelProvider", "modelOverride", "providerOverride",
    "totalTokens", "totalTokensFresh", "contextTokens", "sendPolicy", "spawnedBy",
    "parentSessionKey", "acp", "agentRuntimeOverride", "compactionCount",
    "compactionCheckpoints", "usageFamilySessionIds", "thinkingLevel", "fastMode",
    "archivedAt", "lastReadAt", "lastActivityAt", "subject", "mystery",
]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.sampled_from(["telegram", "group", "user", "auto", "agent:main:main", " p/m ", "/"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["channel", "to", "threadId", "provider", "from", "chatType", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)
rows = st.dictionaries(st.sampled_from(FIELDS), values, max_size=14)
keys_ = st.text(max_size=12) | st.sampled_from(
    [
        "agent:main:main", "global", "unknown", "group:1", "agent:main:telegram:direct:9",
        "agent:main:cron:j:run:r", "agent:main:telegram:group:-1:topic:5", "agent::x",
    ]
)  # fmt: skip
stores = st.dictionaries(keys_, rows | scalars, max_size=6)


def _config() -> Config:
    return load(Paths.from_env())


@given(stores)
@example({"agent:main:main": {"updatedAt": 253_402_300_800_000.0}})  # the year 10 000
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_store_of_anything_can_be_listed(tree: Tree, store: dict[str, Any]) -> None:
    config, paths = _config(), Paths.from_env()
    models = ModelResolver(config)
    source = Source(Target("main", Path("/s/sessions.json")), store)
    document = listing.build([source], Selection(), models=models, now_ms=NOW)
    assert document["count"] + document["invalidRows"] == len(store)
    assert len(command.render(document, verbose=True)) >= 3
    part = overview.sessions_part([source], models, default_agent="main", now_ms=NOW)
    assert part["count"] <= len(store)
    overview.agents_part([source], config, paths, now_ms=NOW)
    around = rpc_list.Surroundings(config, paths, models, NOW)
    for item in rpc_list.items([source]):
        rpc_list.row_of(item, {}, {}, around)
    sharing.collect([source], config, paths, KeyRules())


@given(keys_, rows)
def test_every_row_has_a_verdict_and_a_decision(key: str, row: dict[str, Any]) -> None:
    channel = lifecycle.channel_for(key, row)
    kind = lifecycle.reset_type(key, chat_type=entry.text(row, "chatType"))
    policy = lifecycle.policy_for({"idleMinutes": 5}, kind=kind, channel=channel)
    lifecycle.judge(row, policy, now_ms=NOW, zone=ZoneInfo("Europe/Paris"), header_ms=None)
    rules = {"rules": [{"action": "deny", "match": {"channel": "telegram"}}]}
    assert send_policy.decide(rules, key, row) in ("allow", "deny")


@given(rows)
@example({"lastThreadId": [], "origin": {"channel": None, "threadId": 0}})
def test_normalising_is_stable_and_keeps_what_it_does_not_know(row: dict[str, Any]) -> None:
    before = repr(row)
    once = entry.normalized(row)
    assert repr(row) == before  # the stored row itself is never touched
    assert entry.normalized(once) == once
    for field in ("mystery", "label", "sessionFile", "updatedAt", "totalTokens"):
        assert (field in once) == (field in row)
        if field in row:
            assert once[field] is row[field]


@given(rows)
def test_a_new_session_keeps_what_it_does_not_know(row: dict[str, Any]) -> None:
    fresh = rollover.renewed(row, new_id="new-id", now_ms=NOW)
    assert (fresh["sessionId"], fresh["sessionStartedAt"]) == ("new-id", NOW)
    for field in ("mystery", "label", "sendPolicy", "origin", "spawnedBy"):
        assert fresh.get(field) == row.get(field)
    assert entry.is_usable(fresh)


@given(stores, keys_)
def test_adopting_never_invents_or_loses_a_row(store: dict[str, Any], key: str) -> None:
    adopted = lookup.adopt(store, key, KeyRules())
    assert adopted.row is None or adopted.row in list(store.values())
    assert adopted.key not in adopted.retired
