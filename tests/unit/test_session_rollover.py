"""What survives a reset (``sessions.md`` 4.5)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import rollover

NOW = 1_795_143_600_000
KEPT = {
    "thinkingLevel": "high", "verboseLevel": "on", "reasoningLevel": "on", "ttsAuto": "always",
    "label": "home", "responseUsage": "full", "traceLevel": "on", "displayName": "d",
    "pinnedAt": 5, "groupActivation": "always", "sendPolicy": "deny", "queueMode": "collect",
    "queueCap": 3, "elevatedLevel": "on", "execHost": "h", "execAsk": "a", "channel": "telegram",
    "chatType": "direct", "origin": {"label": "x"}, "deliveryContext": {"to": "y"},
    "lastTo": "y", "spawnedBy": "agent:main:main", "spawnDepth": 1, "lastHeartbeatText": "h",
    "heartbeatTaskState": {"t": 1}, "mystery": {"deep": [1]},
}  # fmt: skip
CLEARED = {
    "inputTokens": 1, "outputTokens": 1, "cacheRead": 1, "cacheWrite": 1, "contextTokens": 9,
    "model": "m", "modelProvider": "p", "memoryFlushAt": 1, "memoryFlushCompactionCount": 1,
    "skillsSnapshot": {}, "systemSent": True, "abortedLastRun": True, "goal": {}, "status": "done",
    "compactionCheckpoints": [1], "lastInteractionAt": 5, "cliSessionIds": {"claude": "x"},
}  # fmt: skip


def _renewed(**row: Any) -> dict[str, Any]:
    return rollover.renewed({"sessionId": "old", "updatedAt": 5, **row}, new_id="new", now_ms=NOW)


def test_the_owners_choices_and_unknown_fields_stay() -> None:
    row = _renewed(**KEPT)
    assert {name: row[name] for name in KEPT} == KEPT


def test_what_describes_the_finished_run_goes() -> None:
    row = _renewed(**CLEARED, totalTokens=7, totalTokensFresh=False, compactionCount=4)
    assert not CLEARED.keys() & row.keys()
    assert (row["totalTokens"], row["totalTokensFresh"], row["compactionCount"]) == (0, True, 0)


def test_a_new_session_has_its_own_id_start_and_file() -> None:
    row = _renewed(sessionFile="old-topic-5.jsonl", sessionStartedAt=1)
    assert (row["sessionId"], row["sessionStartedAt"], row["updatedAt"]) == ("new", NOW, NOW)
    assert row["sessionFile"] == "new-topic-5.jsonl"
    assert row["usageFamilySessionIds"] == ["old"]
    again = rollover.renewed(row, new_id="third", now_ms=NOW)
    assert again["usageFamilySessionIds"] == ["old", "new"]


@pytest.mark.parametrize(("source", "kept"), [("user", True), (None, True), ("auto", False)])
def test_pins_stay_unless_a_fallback_made_them(source: str | None, kept: bool) -> None:
    pins = {"providerOverride": "p", "modelOverride": "m", "authProfileOverride": "a"}
    marks = {"modelOverrideSource": source, "authProfileOverrideSource": source} if source else {}
    row = _renewed(**pins, **marks)
    assert (pins.keys() <= row.keys()) is kept


def test_an_isolated_run_is_always_new_and_carries_little() -> None:
    row = {
        "sessionId": "old", "thinkingLevel": "high", "label": "l", "modelOverride": "m",
        "heartbeatTaskState": {"t": 1}, "elevatedLevel": "on", "sendPolicy": "deny",
        "groupActivation": "always", "queueMode": "collect", "origin": {}, "subject": "s",
    }  # fmt: skip
    assert rollover.isolated(row, new_id="new", now_ms=NOW) == {
        "sessionId": "new", "updatedAt": NOW, "sessionStartedAt": NOW, "thinkingLevel": "high",
        "label": "l", "modelOverride": "m", "heartbeatTaskState": {"t": 1},
    }  # fmt: skip
    assert rollover.isolated(None, new_id="n", now_ms=NOW)["sessionId"] == "n"


@pytest.mark.parametrize(
    ("tokens", "limit", "forks"),
    [(100_000, None, True), (100_001, None, False), (None, None, True), (5, 4, False),
     (10**9, 0, True)],
)  # fmt: skip
def test_a_thread_forks_a_parent_that_is_small_enough(
    tokens: int | None, limit: int | None, forks: bool
) -> None:
    parent = {} if tokens is None else {"totalTokens": tokens}
    session = {} if limit is None else {"parentForkMaxTokens": limit}
    assert rollover.forks_parent(parent, session) is forks
