"""Labels and rows of the session list (``sessions.md`` 11)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.sessions import listing
from openclaw_cli.sessions.discovery import Source, Target
from openclaw_cli.sessions.listing import Selection
from openclaw_cli.sessions.model_in_use import Model, ModelResolver
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000


@pytest.mark.parametrize(
    ("age_ms", "label"),
    [
        (None, "unknown"),
        (-1, "unknown"),
        (0, "just now"),
        (29_499, "just now"),
        (29_500, "1m ago"),
        (30 * SECOND, "1m ago"),
        (90 * SECOND, "2m ago"),
        (59 * MINUTE + 29 * SECOND, "59m ago"),
        (59 * MINUTE + 30 * SECOND, "1h ago"),
        (89 * MINUTE, "1h ago"),
        (90 * MINUTE, "2h ago"),
        (47 * HOUR, "47h ago"),
        (47 * HOUR + 30 * MINUTE, "2d ago"),
        (60 * HOUR, "3d ago"),
        (40 * 24 * HOUR, "40d ago"),
    ],
)
def test_ages_are_rounded_half_up(age_ms: int | None, label: str) -> None:
    assert listing.age_label(age_ms) == label


@pytest.mark.parametrize(
    ("tokens", "label"),
    [
        (0, "0.0k"), (49, "0.0k"), (50, "0.1k"), (250, "0.3k"), (750, "0.8k"), (949, "0.9k"),
        (999, "1.0k"), (1049, "1.0k"), (1050, "1.1k"), (1250, "1.3k"), (9949, "9.9k"),
        (9950, "9.9k"), (9999, "10.0k"), (10_499, "10k"), (10_500, "11k"), (12_500, "13k"),
        (2_600_000, "2600k"),
    ],
)  # fmt: skip
def test_thousands_are_rounded_half_up(tokens: int, label: str) -> None:
    assert listing.thousands(tokens) == label


@pytest.mark.parametrize(
    ("total", "window", "fresh", "label"),
    [
        (None, 200_000, False, "unknown/200k (?%)"),
        (12_345, 200_000, True, "12k/200k (6%)"),
        (4000, 8000, False, "~4.0k/8.0k (50%)"),
        (500, 0, True, "0.5k/? (?%)"),
        (500, None, True, "0.5k/? (?%)"),
        (2_600_000, 200_000, True, "2600k/200k (999%)"),
        (12_500, 100_000, True, "13k/100k (13%)"),
        (500, 999, True, "0.5k/1.0k (50%)"),
    ],
)
def test_token_labels(total: int | None, window: int | None, fresh: bool, label: str) -> None:
    assert listing.tokens_label(total, window, fresh=fresh) == label


def test_long_keys_are_shortened_in_the_middle() -> None:
    assert listing.key_label("agent:main:telegram:direct:123") == "agent:main:teleg...ct:123"
    assert listing.key_label("x" * 26) == "x" * 26


def test_flags_come_in_their_order() -> None:
    row = {
        "sessionId": "s", "abortedLastRun": True, "systemSent": True, "groupActivation": "always",
        "responseUsage": "full", "elevatedLevel": "on", "reasoningLevel": "on",
        "traceLevel": "on", "verboseLevel": "full", "thinkingLevel": "high",
    }  # fmt: skip
    assert listing.flags_label(row) == (
        "think:high verbose:full trace:on reasoning:on elev:on usage:full activation:always "
        "system aborted id:s"
    )


def _models(tree: Tree, **config: Any) -> ModelResolver:
    tree.config(**config)
    return ModelResolver(load(Paths.from_env()))


@pytest.mark.parametrize(
    ("row", "model"),
    [
        ({}, Model("openai", "gpt-5")),
        ({"model": "m", "modelProvider": "p"}, Model("p", "m")),
        ({"model": " m "}, Model(None, "m")),
        ({"model": "m", "modelOverride": "q/n"}, Model("q", "n")),
        ({"modelOverride": "p/n", "providerOverride": "p"}, Model("p", "n")),
        ({"modelOverride": "a/n", "providerOverride": "p"}, Model("p", "a/n")),
        ({"modelOverride": "fast"}, Model("ollama", "llama")),
    ],
)
def test_the_model_in_use_is_override_last_run_or_default(
    tree: Tree, row: dict[str, Any], model: Model
) -> None:
    defaults = {"model": "openai/gpt-5", "models": {"ollama/llama": {"alias": "Fast"}}}
    assert _models(tree, agents={"defaults": defaults}).in_use(row, "main") == model


@pytest.mark.parametrize(
    ("row", "window"),
    [
        ({}, 200_000),
        ({"contextTokens": 0}, 0),
        ({"contextTokens": 5}, 5),
        ({"contextTokens": -5}, 200_000),
        ({"model": "big", "modelProvider": "own"}, 1_000_000),
    ],
)
def test_the_window_is_stored_or_the_models(tree: Tree, row: dict[str, Any], window: int) -> None:
    own = {"baseUrl": "http://x", "models": [{"id": "big", "contextWindow": 1_000_000}]}
    models = _models(tree, models={"providers": {"own": own}})
    assert models.window(row, models.in_use(row, "main")) == window


def _build(tree: Tree, rows: dict[str, Any], **selection: Any) -> dict[str, Any]:
    target = Target("main", Path("/s/sessions.json"))
    return listing.build(
        [Source(target, rows)], Selection(**selection), models=_models(tree), now_ms=NOW
    )


def test_newest_first_and_ties_in_store_order(tree: Tree) -> None:
    rows = {
        "agent:main:a": {"sessionId": "a"},
        "agent:main:t1": {"sessionId": "t1", "updatedAt": 5},
        "agent:main:t2": {"sessionId": "t2", "updatedAt": 5},
        "agent:main:n": {"sessionId": "n", "updatedAt": NOW},
        "agent:main:neg": {"sessionId": "neg", "updatedAt": -5},
    }
    document = _build(tree, rows)
    assert [row["sessionId"] for row in document["sessions"]] == ["n", "t1", "t2", "a", "neg"]
    by_id = {row["sessionId"]: row for row in document["sessions"]}
    assert (by_id["a"]["updatedAt"], by_id["a"]["ageMs"]) == (None, None)
    assert (by_id["neg"]["updatedAt"], by_id["neg"]["ageMs"]) == (0, None)


def test_filter_first_then_limit(tree: Tree) -> None:
    rows = {
        f"agent:main:{n}": {"sessionId": f"s{n}", "updatedAt": NOW - n * MINUTE} for n in range(5)
    } | {
        "agent:main:future": {"sessionId": "f", "updatedAt": NOW + 1},
        "agent:main:never": {"sessionId": "x"},
    }
    document = _build(tree, rows, active_minutes=2, limit=3)
    assert [row["sessionId"] for row in document["sessions"]] == ["f", "s0", "s1"]
    counts = [document[k] for k in ("count", "totalCount", "limitApplied", "hasMore")]
    assert counts == [3, 4, 3, True]
    assert document["activeMinutes"] == 2


def test_rows_that_cannot_be_used_are_counted(tree: Tree) -> None:
    rows = {"a": None, "b": "x", "c": [1], "d": {"sessionId": "../x"}, "e": {"sessionId": "ok"}}
    document = _build(tree, rows)
    assert (document["invalidRows"], document["count"]) == (4, 1)


def test_a_row_carries_what_is_stored_in_its_order_and_our_additions_last(tree: Tree) -> None:
    row = {
        "sessionId": "s", "updatedAt": NOW - 5, "label": "l", "spawnedBy": "agent:main:main",
        "sendPolicy": "deny", "displayName": "d", "compactionCount": 2, "chatType": "group",
        "totalTokens": 5, "mystery": 1,
    }  # fmt: skip
    listed = _build(tree, {"agent:work:telegram:group:-1": row})["sessions"][0]
    assert list(listed) == [
        "key", "updatedAt", "ageMs", "sessionId", "spawnedBy", "label", "totalTokens",
        "totalTokensFresh", "model", "modelProvider", "contextTokens", "agentId", "acpRuntime",
        "agentRuntime", "kind", "source", "chatType", "channel", "displayName", "sendPolicy",
        "compactionCount",
    ]  # fmt: skip
    assert (listed["agentId"], listed["kind"], listed["channel"]) == (
        "work", "spawn-child", "telegram"
    )  # fmt: skip
