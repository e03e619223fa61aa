"""The books: what is counted, and when background calls stop."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import Config
from openclaw_cli.model import budget, usage
from openclaw_cli.model.failures import BudgetSpent, Overloaded
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths

NOON = clock.parse_iso("2026-11-20T12:00:00Z") or 0


def config(data: Any = None, *, limit: int | None = None, zone: str = "UTC") -> Config:
    paths = Paths.from_env()
    own = {} if limit is None else {"budget": {"maxTokensPerDay": limit}}
    whole = {
        "agents": {"defaults": {"userTimezone": zone}},
        "plugins": {"entries": {"openclaw-cli": {"config": own}}},
        **(data or {}),
    }
    return Config(paths, paths.under("openclaw.json"), json.dumps(whole), environ={})


def line(ts: Any, given: Any, produced: Any, **more: Any) -> dict[str, Any]:
    return {"ts": ts, "purpose": "agent", "model": "a/b", "inputTokens": given,
            "outputTokens": produced, "outcome": "ok", **more}  # fmt: skip


def test_each_call_is_one_line_however_it_ends(tree: Tree) -> None:
    def call(error: BaseException | None, session: str | None = None) -> None:
        entry = budget.Entry(config(), "a/b", "agent", "main", NOON, session)
        with entry.accounted():
            entry.usage = budget.Usage(11, 7, 3)
            if error is not None:
                raise error

    call(None, "agent:main:main")
    with pytest.raises(Overloaded):
        call(Overloaded("too much"))
    with pytest.raises(KeyboardInterrupt):
        call(KeyboardInterrupt())
    found = tree.lines(".openclaw/logs/usage.jsonl")
    assert [row["outcome"] for row in found] == ["ok", "overloaded", "aborted"]
    assert isinstance(found[0].pop("durationMs"), int)
    assert found[0] == {
        "ts": "2026-11-20T12:00:00.000Z",
        "purpose": "agent",
        "agentId": "main",
        "sessionKey": "agent:main:main",
        "model": "a/b",
        "inputTokens": 11,
        "outputTokens": 7,
        "cacheRead": 3,
        "outcome": "ok",
    }
    assert "sessionKey" not in found[1]
    assert (tree.state / "logs/usage.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_answer_is_not_lost_because_the_log_cannot_be_written(
    tree: Tree, caplog: pytest.LogCaptureFixture
) -> None:
    tree.file(".openclaw/logs", "a file where the folder should be")
    with budget.Entry(config(), "a/b", "agent", "main", NOON).accounted():
        pass
    assert "usage is not recorded" in caplog.text


def test_the_log_is_rotated(tree: Tree) -> None:
    row = json.dumps(line("2026-11-20T01:00:00Z", 1, 1, pad="x" * 1000)) + "\n"
    tree.file(".openclaw/logs/usage.jsonl", row * (budget.ROTATE_BYTES // len(row) + 1))
    with budget.Entry(config(), "a/b", "agent", "main", NOON).accounted():
        pass
    assert len(tree.lines(".openclaw/logs/usage.jsonl")) == 1
    assert budget.used_today(config(), NOON) > 1000


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("UTC", 30), ("Asia/Tokyo", 7 + 30), ("America/New_York", 30 + 100)],
)
def test_the_day_is_the_users(tree: Tree, zone: str, expected: int) -> None:
    tree.jsonl(
        ".openclaw/logs/usage.jsonl",
        [
            line("2026-11-19T16:00:00Z", 3, 4),
            line("2026-11-20T05:30:00Z", 10, 20),
            line("2026-11-21T04:30:00Z", 50, 50),
        ],
    )
    assert budget.used_today(config(zone=zone), NOON) == expected


def test_odd_lines_do_not_count(tree: Tree) -> None:
    tree.jsonl(
        ".openclaw/logs/usage.jsonl",
        [
            line("2026-11-20T01:00:00Z", "5", None),
            line("2026-11-20T01:00:00Z", -5, True),
            line("yesterday", 5, 5),
            line(None, 5, 5),
            line(NOON, 2, 3),
            [1],
        ],
    )
    with (tree.state / "logs/usage.jsonl").open("a") as log:
        log.write('{"ts": "2026-11-20T0')
    assert budget.used_today(config(), NOON) == 5


@pytest.mark.parametrize(
    ("limit", "purpose", "stopped"),
    [
        (None, "diary", False),
        (31, "diary", False),
        (30, "diary", True),
        (30, "heartbeat", True),
        (30, "extraction", True),
        (30, "cron", True),
        (30, "agent", False),
        (30, "compaction", False),
        (30, "embeddings", False),
        (0, "diary", True),
        (0, "agent", False),
    ],
)
def test_only_background_calls_are_stopped(
    tree: Tree, limit: int | None, purpose: str, stopped: bool
) -> None:
    tree.jsonl(".openclaw/logs/usage.jsonl", [line("2026-11-20T05:30:00Z", 10, 20)])
    found = config(limit=limit)
    assert budget.blocks(found, purpose, NOON) is stopped
    if stopped:
        with pytest.raises(BudgetSpent) as caught:
            budget.require(found, purpose, NOON)
        assert (caught.value.kind, caught.value.code) == ("budget", "model-budget")
    else:
        budget.require(found, purpose, NOON)


def test_the_allowance_is_new_the_next_day(tree: Tree) -> None:
    tree.jsonl(".openclaw/logs/usage.jsonl", [line("2026-11-20T23:59:00Z", 10, 20)])
    found = config(limit=30)
    assert budget.blocks(found, "diary", NOON)
    assert not budget.blocks(found, "diary", NOON + clock.DAY_MS)


def test_the_report(tree: Tree) -> None:
    rows = [
        line("2026-11-01T00:00:00Z", 1000, 1000),
        line("2026-11-19T10:00:00Z", 1, 2, purpose="diary", model="c/d", outcome="timeout"),
        line("2026-11-20T10:00:00Z", 10, 20),
        line("2026-11-20T11:00:00Z", 30, 40, purpose="heartbeat"),
    ]
    tree.jsonl(".openclaw/logs/usage.jsonl", rows)
    since = clock.parse_iso("2026-11-19") or 0
    assert usage.report(config(limit=150), since, NOON) == {
        "sinceMs": since,
        "totals": {"calls": 3, "failed": 1, "inputTokens": 41, "outputTokens": 62},
        "byPurpose": [
            {
                "purpose": "heartbeat",
                "calls": 1,
                "failed": 0,
                "inputTokens": 30,
                "outputTokens": 40,
            },
            {"purpose": "agent", "calls": 1, "failed": 0, "inputTokens": 10, "outputTokens": 20},
            {"purpose": "diary", "calls": 1, "failed": 1, "inputTokens": 1, "outputTokens": 2},
        ],
        "byModel": [
            {"model": "a/b", "calls": 2, "failed": 0, "inputTokens": 40, "outputTokens": 60},
            {"model": "c/d", "calls": 1, "failed": 1, "inputTokens": 1, "outputTokens": 2},
        ],
        "byDay": [
            {"day": "2026-11-19", "calls": 1, "failed": 1, "inputTokens": 1, "outputTokens": 2},
            {"day": "2026-11-20", "calls": 2, "failed": 0, "inputTokens": 40, "outputTokens": 60},
        ],
        "budget": {"maxTokensPerDay": 150, "usedToday": 100, "left": 50},
    }


def test_the_budget_left_is_never_negative(tree: Tree) -> None:
    tree.jsonl(".openclaw/logs/usage.jsonl", [line("2026-11-20T10:00:00Z", 10, 20)])
    assert usage.allowance(config(limit=5), NOON)["left"] == 0
    assert usage.allowance(config(), NOON) == {
        "maxTokensPerDay": None,
        "usedToday": 30,
        "left": None,
    }
