"""One row of the store (``sessions.md`` 2.2, 2.5; maintenance 2)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import entry
from openclaw_cli.sessions.entry import Delivery

NOW = 1_795_143_600_000


@pytest.mark.parametrize(
    ("row", "usable"),
    [
        ({"sessionId": "a:b@c"}, True),
        ({}, True),
        ({"sessionId": "../x"}, False),
        ({"sessionId": None}, False),
        ({"sessionId": 5}, False),
        (None, False),
        ("text", False),
        ([1], False),
    ],
)
def test_rows_that_cannot_be_worked_with(row: object, usable: bool) -> None:
    assert entry.is_usable(row) is usable


@pytest.mark.parametrize(
    ("value", "ms"),
    [(5, 5), (0, 0), (5.9, 5), (-1, None), (float("nan"), None), (float("inf"), None),
     ("5", None), (True, None), (None, None)],
)  # fmt: skip
def test_times_are_finite_numbers_of_at_least_zero(value: object, ms: int | None) -> None:
    assert entry.timestamp(value) == ms


@pytest.mark.parametrize(
    ("row", "total", "fresh"),
    [
        ({"totalTokens": 5}, 5, True),
        ({"totalTokens": 5, "totalTokensFresh": False}, 5, False),
        ({"totalTokens": 0}, 0, True),
        ({"totalTokens": -3}, None, True),
        ({}, None, False),
        ({"totalTokens": "5"}, None, False),
    ],
)
def test_a_total_and_its_freshness(row: dict[str, Any], total: int | None, fresh: bool) -> None:
    assert entry.total_tokens(row) == total
    assert entry.is_fresh(row) is fresh


# The forms that a store write brings rows into.


@pytest.mark.parametrize(
    ("row", "normal"),
    [
        ({"provider": "telegram"}, {"channel": "telegram"}),
        ({"provider": "a", "channel": "b"}, {"provider": "a", "channel": "b"}),
        ({"room": "r"}, {"groupChannel": "r"}),
        ({"room": "r", "groupChannel": "g"}, {"groupChannel": "g"}),
        ({"room": 5}, {}),
        ({"lastProvider": "telegram"}, {"lastChannel": "telegram"}),
        ({"model": " m ", "modelProvider": " p "}, {"model": "m", "modelProvider": "p"}),
        ({"model": " ", "modelProvider": "p"}, {}),
        ({"model": "m", "modelProvider": " "}, {"model": "m"}),
    ],
)
def test_old_names_and_models_take_their_present_form(
    row: dict[str, Any], normal: dict[str, Any]
) -> None:
    found = entry.normalized({"sessionId": "a", **row})
    delivery = ("deliveryContext", "lastChannel")
    shown = {k: v for k, v in found.items() if k not in delivery or k in normal}
    assert shown == {"sessionId": "a", **normal}


def test_delivery_is_written_to_both_places() -> None:
    row = {"sessionId": "a", "channel": " Telegram ", "lastTo": " x ", "origin": {"threadId": 7}}
    found = entry.normalized(row)
    assert found["deliveryContext"] == {"channel": "telegram", "to": "x", "threadId": 7}
    assert (found["lastChannel"], found["lastTo"], found["lastThreadId"]) == ("telegram", "x", 7)
    assert list(found)[:4] == ["sessionId", "channel", "lastTo", "origin"]  # new ones at the end
    assert entry.normalized(found) is found


def test_the_context_fills_gaps_but_never_across_channels() -> None:
    context = {"channel": "telegram", "to": "x", "accountId": "Biz", "threadId": "t"}
    same = {"lastChannel": "telegram", "lastTo": "y", "deliveryContext": context}
    assert entry.delivery_of(same) == Delivery("telegram", "y", "biz", "t")
    other = {"lastChannel": "signal", "deliveryContext": context}
    assert entry.delivery_of(other) == Delivery("signal", None, None, "t")
    assert entry.delivery_of({"deliveryContext": context}) == Delivery("telegram", "x", "biz", "t")


def test_a_row_in_order_is_the_same_object_and_unknown_fields_stay() -> None:
    row = {"sessionId": "a", "updatedAt": 1, "mystery": {"deep": [1]}}
    assert entry.normalized(row) is row
    changed = entry.normalized(row | {"room": "r"})
    assert changed["mystery"] is row["mystery"]
    assert "room" not in changed
    context = {"channel": "telegram", "mine": 1}
    kept = entry.normalized({"deliveryContext": context, "lastChannel": "telegram"})
    assert kept["deliveryContext"] == context


# Merging


def test_a_new_row_gets_an_id_and_its_times() -> None:
    row = entry.merged(None, {"label": "x"}, now_ms=NOW, new_id="n")
    assert row == {"label": "x", "sessionId": "n", "updatedAt": NOW, "sessionStartedAt": NOW}


@pytest.mark.parametrize(
    ("existing", "patch", "updated"),
    [
        (5, None, NOW),
        (NOW + 5, None, NOW),
        (5, NOW + 5, NOW),
        ("x", None, NOW),
    ],
)
def test_activity_is_now_and_the_future_counts_as_now(
    existing: object, patch: int | None, updated: int
) -> None:
    change = {"updatedAt": patch} if patch else {}
    row = entry.merged({"sessionId": "a", "updatedAt": existing}, change, now_ms=NOW, new_id="n")
    assert row["updatedAt"] == updated


def test_metadata_is_no_activity() -> None:
    row = entry.merged(
        {"sessionId": "a", "updatedAt": 5}, {"label": "x"}, now_ms=NOW, new_id="n", touch=False
    )
    assert row == {"sessionId": "a", "updatedAt": 5, "label": "x"}


def test_a_new_id_begins_a_session_and_renames_its_file() -> None:
    old = {"sessionId": "old", "updatedAt": 5, "sessionStartedAt": 1,
           "sessionFile": "/d/old-topic-5.jsonl"}  # fmt: skip
    row = entry.merged(old, {"sessionId": "new"}, now_ms=NOW, new_id="n")
    assert row["sessionFile"] == "/d/new-topic-5.jsonl"
    assert row["sessionStartedAt"] == NOW
    same = entry.merged(old, {}, now_ms=NOW, new_id="n")
    assert (same["sessionFile"], same["sessionStartedAt"]) == (old["sessionFile"], 1)


@pytest.mark.parametrize(
    ("patch", "provider"),
    [({"model": "m2"}, None), ({"model": "m1"}, "p"), ({"model": "m2", "modelProvider": "q"}, "q")],
)
def test_another_model_drops_the_old_provider(patch: dict[str, Any], provider: str | None) -> None:
    row = {"sessionId": "a", "model": "m1", "modelProvider": "p"}
    merged = entry.merged(row, patch, now_ms=NOW, new_id="n")
    assert merged.get("modelProvider") == provider


def test_a_patch_of_none_removes_a_field() -> None:
    row = entry.merged({"sessionId": "a", "label": "x"}, {"label": None}, now_ms=NOW, new_id="n")
    assert "label" not in row


# Routing of answers

STORED = {"lastChannel": "telegram", "lastTo": "x", "lastAccountId": "a", "lastThreadId": "t",
          "route": {"channel": "telegram", "target": {"to": "x", "k": 1}}}  # fmt: skip


@pytest.mark.parametrize(
    ("update", "delivery"),
    [
        (Delivery("telegram", "x"), Delivery("telegram", "x", "a", "t")),
        (Delivery("telegram", "y"), Delivery("telegram", "y", "a", None)),
        (Delivery("telegram", "y", None, "u"), Delivery("telegram", "y", "a", "u")),
        (Delivery("signal", "z"), Delivery("signal", "z", None, None)),
        (Delivery(), Delivery("telegram", "x", "a", "t")),
    ],
)
def test_a_message_moves_the_route(update: Delivery, delivery: Delivery) -> None:
    row = entry.routed(dict(STORED), update)
    assert entry.delivery_of(row) == delivery
    route = row["route"]
    assert (route["channel"], route["target"].get("to")) == (delivery.channel, delivery.to)
    assert route["target"]["k"] == 1


# Tokens


def test_tokens_after_a_run_are_the_last_prompt() -> None:
    run = {"input": 10, "output": 2, "cacheRead": 3, "cacheWrite": 4}
    row = entry.with_usage({"sessionId": "a"}, run=run, prompt_tokens=17, window=1000)
    assert row == {
        "sessionId": "a", "contextTokens": 1000, "inputTokens": 10, "outputTokens": 2,
        "cacheRead": 3, "cacheWrite": 4, "totalTokens": 17, "totalTokensFresh": True,
    }  # fmt: skip


def test_without_usage_the_counters_stay_and_are_not_fresh() -> None:
    row = {"sessionId": "a", "totalTokens": 5, "inputTokens": 1, "totalTokensFresh": True}
    found = entry.with_usage(row, run=None, prompt_tokens=None, window=None)
    assert found == row | {"totalTokensFresh": False}


def test_after_a_compaction_only_the_estimate_is_known() -> None:
    row = {"inputTokens": 1, "outputTokens": 1, "cacheRead": 1, "cacheWrite": 1,
           "totalTokens": 9, "compactionCount": 2}  # fmt: skip
    assert entry.after_compaction(row, tokens_after=4) == {
        "totalTokens": 4, "totalTokensFresh": True, "compactionCount": 3,
    }  # fmt: skip
    unknown = entry.after_compaction({}, tokens_after=None)
    assert unknown == {"totalTokensFresh": False, "compactionCount": 1}
