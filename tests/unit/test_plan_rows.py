"""Which rows maintenance leaves alone and which it removes."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import protection
from openclaw_cli.sessions.maintenance_settings import Settings, Upkeep
from openclaw_cli.sessions.plan_rows import (
    RowOptions,
    RowPlan,
    active_row_at_risk,
    high_water,
    limits_passed,
    plan_rows,
)
from openclaw_cli.state.clock import DAY_MS, MINUTE_MS

NOW = 1_795_143_600_000
UUID = "00000001-1111-4111-8111-111111111111"


def row(age_ms: float = 1000, **fields: Any) -> dict[str, Any]:
    return {"updatedAt": NOW - age_ms, **fields}


def plan(rows: dict[str, Any], *, active: tuple[str, ...] = (), **limits: Any) -> RowPlan:
    upkeep = Upkeep(settings=Settings(**limits))
    options = RowOptions(active=active, enforce=True)
    return plan_rows(rows, upkeep, now_ms=NOW, options=options)


# Ages


@pytest.mark.parametrize(
    ("value", "age"),
    [
        (5, 5), (0, 0), (5.5, 5.5), (-1, None), (None, None), ("5", None), (True, None),
        (float("nan"), None), (float("inf"), None), ([], None), (10**30, 10**30),
    ],
)  # fmt: skip
def test_an_age_is_a_finite_number_from_zero(value: object, age: object) -> None:
    assert protection.updated_at({"updatedAt": value}) == age
    assert protection.updated_at(None) is None
    assert protection.updated_at({}) is None


def test_strictly_older_rows_go_and_unknown_ages_stay() -> None:
    rows = {
        "exact": row(30 * DAY_MS),
        "older": row(30 * DAY_MS + 1),
        "newer": row(30 * DAY_MS - 1),
        "future": row(-DAY_MS),
        "zero": {"updatedAt": 0},
        "absent": {},
        "null": {"updatedAt": None},
        "text": {"updatedAt": "1791687600000"},
        "negative": {"updatedAt": -5},
        "no-row": None,
    }
    assert plan(rows).removed == {"older": "stale", "zero": "stale"}


def test_a_protected_row_and_the_active_one_outlive_the_age_limit() -> None:
    rows = {
        "agent:main:telegram:group:1": row(90 * DAY_MS),
        "agent:main:Direct:X": row(90 * DAY_MS),
        "agent:main:main": row(90 * DAY_MS),
    }
    assert plan(rows, active=(" AGENT:main:direct:x ",)).removed == {"agent:main:main": "stale"}


def test_a_running_row_is_spared_for_half_an_hour() -> None:
    rows = {
        "a": row(30 * MINUTE_MS - 1, status="running"),
        "b": row(30 * MINUTE_MS, status="running"),
        "c": row(1, status="done"),
    }
    assert plan(rows, prune_after_ms=0).removed == {"b": "stale", "c": "stale"}


# Protection


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("agent:main:main:thread:5", {}),
        ("main:thread:5", {}),
        ("agent:main:telegram:direct:9:topic:3", {}),
        ("agent:main:telegram:dm:9:topic:3", {}),
        ("agent:main:telegram:group:-100", {}),
        ("agent:main:Slack:Channel:C1", {}),
        ("discord:group:7", {}),
        ("agent:main:whatsapp:direct:1", {"chatType": "GROUP"}),
        ("agent:main:whatsapp:direct:1", {"chatType": "thread"}),
        ("agent:main:whatsapp:direct:1", {"origin": {"chatType": "channel"}}),
        ("cron:x", {"chatType": "group"}),
    ],
)
def test_a_durable_pointer_is_protected(key: str, fields: dict[str, Any]) -> None:
    assert protection.is_protected(key, fields)


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("agent:main:main", {}),
        ("agent:main:main:thread:", {}),
        ("agent:main:main:thread: ", {}),
        ("agent:main:telegram:direct:9", {}),
        ("agent:main:telegram:direct:9:topic:3:4", {}),
        ("agent:main:discord:room:7", {}),
        ("agent:main:group:7", {}),
        ("group:7", {}),
        ("agent:main:discord:acct:group:7", {}),
        ("agent:main:telegram:direct:77", {"chatType": "room"}),
        ("agent:main:x", {"chatType": "direct", "origin": {"chatType": "group"}}),
        ("agent:main:subagent:aa", {"chatType": "group"}),
        ("subagent:aa:thread:5", {}),
        ("acp:aa", {"chatType": "group"}),
        ("agent:main:acp-bridge:aa", {"chatType": "group"}),
        ("agent:main:cron:job:run:1:thread:5", {}),
        ("hook:bb", {"chatType": "group"}),
        ("agent:main:node:bb", {"chatType": "group"}),
        ("agent:main:heartbeat", {"chatType": "group"}),
        ("agent:main:telegram:group:1:heartbeat", {}),
        ("agent:main:x:heartbeat:thread:5", {}),
        ("agent:main:x", {"chatType": 7, "origin": 8}),
    ],
)
def test_everything_else_is_not(key: str, fields: dict[str, Any]) -> None:
    assert not protection.is_protected(key, fields)


# The cap


def test_the_newest_rows_stay_and_equal_times_keep_store_order() -> None:
    rows = {"1": {}, "2": row(5), "3": row(5), "4": row(5), "5": row(9)}
    assert plan(rows, max_entries=2).removed == {"4": "cap", "5": "cap", "1": "cap"}


def test_the_cap_counts_what_the_age_limit_left() -> None:
    rows = {"a": row(), "b": row(40 * DAY_MS), "c": row(41 * DAY_MS), "d": row(2)}
    assert plan(rows, max_entries=2).removed == {"b": "stale", "c": "stale"}


def test_protected_rows_count_but_a_quarter_is_left_for_the_others() -> None:
    rows = {f"agent:main:telegram:group:{n}": row(90 * DAY_MS) for n in range(9)}
    rows |= {f"agent:main:direct:{n}": row(n) for n in range(5)} | {"agent:main:main": row(99)}
    found = plan(rows, max_entries=9)  # a quarter, rounded up: 3
    assert set(found.removed) == {f"agent:main:direct:{n}" for n in (2, 3, 4)}
    (warning,) = found.warnings
    assert "9 protected" in warning
    assert "12 rows" in warning
    assert "cap of 9" in warning


def test_the_main_session_is_never_capped_away() -> None:
    rows = {"agent:main:main": row(20 * DAY_MS)} | {f"agent:main:x{n}": row() for n in range(5)}
    assert "agent:main:main" not in plan(rows, max_entries=2).removed
    assert len(plan(rows, max_entries=2).removed) == 4


def test_running_active_and_busy_rows_are_not_capped_away() -> None:
    rows = {
        "run": row(20 * MINUTE_MS, status="running"), "active": row(DAY_MS), "busy": row(DAY_MS),
        "n1": row(1), "n2": row(2),
    }  # fmt: skip
    options = RowOptions(active=("active",), busy={"busy"}, enforce=True)
    upkeep = Upkeep(settings=Settings(max_entries=4))
    assert plan_rows(rows, upkeep, now_ms=NOW, options=options).removed == {"n2": "cap"}


@pytest.mark.parametrize(("cap", "water"), [(500, 550), (251, 277), (50, 75), (49, 50), (1, 2)])
def test_the_high_water(cap: int, water: int) -> None:
    assert high_water(Settings(max_entries=cap)) == water


# Probes


def test_probes_go_only_under_pressure() -> None:
    old = f"agent:main:explicit:model-run-{UUID}"
    rows = {
        "agent:main:main": row(2 * DAY_MS),
        old: row(DAY_MS + 1),
        old.replace("1-1111", "2-1111"): row(DAY_MS),
        old.replace("1-1111", "3-1111"): {},
        old + ":x": row(3 * DAY_MS),
        f"explicit:model-run-{UUID}": row(3 * DAY_MS),
        "agent:main:explicit:model-run-notuuid": row(3 * DAY_MS),
    }
    assert plan(rows, max_entries=7).removed == {}
    assert plan(rows, max_entries=6).removed == {old: "model-run"}
    assert plan(rows, max_entries=6, active=(old.upper(),)).count("model-run") == 0


@pytest.mark.parametrize(
    "key",
    [
        f"agent:a b:explicit:model-run-{UUID}",
        f"agent:a:b:explicit:model-run-{UUID}",
        f"agent:main:explicit:model-run-{UUID[:-1]}",
        f"agent:main:explicit:model-run-{UUID}0",
    ],
)
def test_other_keys_are_no_probes(key: str) -> None:
    assert not protection.is_probe(key)


# Direct chats and missing transcripts


@pytest.mark.parametrize(
    ("key", "retires"),
    [
        ("agent:main:direct:ana", True),
        ("agent:main:telegram:direct:123", True),
        ("agent:main:telegram:acct:direct:123", True),
        ("agent:main:TELEGRAM:direct:88", True),
        ("agent:main:telegram:dm:9", False),
        ("agent:main:telegram:direct:1:thread:5", False),
        ("agent:work:telegram:direct:55", False),
        ("telegram:direct:77", False),
        ("agent:main:telegram:group:5", False),
        ("agent:main:telegram:a:b:direct:5", False),
        ("agent:main::direct:5", False),
        ("agent:main:agent:direct:5", False),
        ("agent:main:direct:", False),
    ],
)
def test_which_direct_chats_retire(key: str, retires: bool) -> None:
    options = RowOptions(fix_dm_scope=True)
    found = plan_rows({key: row()}, Upkeep(), now_ms=NOW, options=options)
    assert found.removed == ({key: "dm-scope"} if retires else {})
    assert (
        plan_rows({key: row()}, Upkeep(retire_direct=False), now_ms=NOW, options=options).removed
        == {}
    )


def test_retiring_spares_the_active_and_the_busy_row() -> None:
    rows = {f"agent:main:direct:{name}": row() for name in ("a", "b", "c")}
    options = RowOptions(
        fix_dm_scope=True, active=("AGENT:main:direct:a",), busy={"agent:main:direct:b"}
    )
    found = plan_rows(rows, Upkeep(), now_ms=NOW, options=options)
    assert list(found.removed) == ["agent:main:direct:c"]


def test_missing_rows_go_in_every_mode_but_not_while_in_use() -> None:
    options = RowOptions(missing={"a", "b"}, busy={"b"})
    rows = {"a": row(), "b": row(), "c": row(90 * DAY_MS)}
    assert plan_rows(rows, Upkeep(), now_ms=NOW, options=options).removed == {"a": "missing"}


# The warning of warn mode


def test_why_the_active_row_would_go() -> None:
    upkeep = Upkeep(settings=Settings(max_entries=1))
    rows = {"agent:main:a": row(40 * DAY_MS), "agent:main:b": row(9), "agent:main:c": row(1)}

    def risk(key: str) -> str | None:
        return active_row_at_risk(rows, upkeep, now_ms=NOW, active=[key])

    assert "pruneAfter" in (risk("agent:main:a") or "")
    assert "maxEntries" in (risk("agent:main:b") or "")
    assert risk("agent:main:c") is None
    assert risk("agent:main:absent") is None


# The number for each job or label


def test_of_a_job_or_label_the_newest_stay() -> None:
    rows = {f"agent:main:cron:report:run:{n}": row(n * 1000) for n in range(4)}
    rows |= {f"agent:main:cron:other:run:{n}": row(n * 1000) for n in range(4)}
    rows |= {f"agent:work:cron:report:run:{n}": row(n * 1000) for n in range(3)}
    rows |= {f"agent:main:explicit:{n}": row(n * 1000, label=" Digest ") for n in range(3)}
    rows["agent:main:cron:report"] = row(10_000)
    found = plan(rows, keep_last={"report": 2, "*": 3, "digest": 1})
    assert set(found.removed.values()) == {"keep-last"}
    assert list(found.removed) == [
        "agent:main:cron:report:run:2", "agent:main:cron:report:run:3", "agent:main:cron:report",
        "agent:main:cron:other:run:3", "agent:work:cron:report:run:2",
        "agent:main:explicit:1", "agent:main:explicit:2",
    ]  # fmt: skip


def test_what_no_number_names_stays() -> None:
    rows = {f"agent:main:explicit:{n}": row(n, label="*") for n in range(3)}
    rows |= {f"agent:main:direct:{n}": row(n) for n in range(3)} | {"x": None, "y": row(label=5)}
    assert plan(rows, keep_last={"*": 1, "other": 1}).removed == {}
    assert plan(rows).removed == {}


def test_the_number_spares_what_every_limit_spares() -> None:
    rows = {
        "agent:main:telegram:group:1": row(9000, label="a"),
        "agent:main:main": row(8000, label="a"),
        "agent:main:explicit:running": row(7000, label="a", status="running"),
        "agent:main:explicit:active": row(6000, label="a"),
        "agent:main:explicit:new": row(1, label="a"),
        "agent:main:explicit:old": row(5000, label="a"),
    }
    found = plan(rows, active=("agent:main:explicit:ACTIVE",), keep_last={"a": 1})
    assert found.removed == {"agent:main:explicit:old": "keep-last"}


def test_the_cap_counts_what_the_number_left() -> None:
    rows = {f"agent:main:cron:j:run:{n}": row(n) for n in range(4)} | {"agent:main:x": row(99)}
    found = plan(rows, keep_last={"j": 2}, max_entries=2)
    assert list(found.removed.items()) == [
        ("agent:main:cron:j:run:2", "keep-last"), ("agent:main:cron:j:run:3", "keep-last"),
        ("agent:main:x", "cap"),
    ]  # fmt: skip


def test_warn_mode_names_the_surplus_and_the_active_row_in_it() -> None:
    rows = {f"agent:main:cron:j:run:{n}": row(n) for n in range(3)}
    upkeep = Upkeep(settings=Settings(keep_last={"j": 1}))
    (text,) = limits_passed(rows, upkeep, now_ms=NOW)
    assert "rows past the limits: 2" in text
    assert "2 over cli.sessions.keepLast" in text
    active = ("agent:main:cron:j:run:2",)
    told = active_row_at_risk(rows, upkeep, now_ms=NOW, active=active)
    assert told is not None
    assert "cli.sessions.keepLast" in told
