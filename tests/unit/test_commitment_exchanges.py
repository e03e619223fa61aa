"""Which lines of a transcript are exchanges (``commitments.md`` 11, "Stateless extraction")."""

from __future__ import annotations

from typing import Any

import pytest
from followups import NOW_MS

from openclaw_cli.commitments import exchanges
from openclaw_cli.state.clock import iso

START = NOW_MS - 3_600_000


def lines(*turns: Any) -> list[dict[str, Any]]:
    """Lines a minute apart; a turn is (role, text) or (role, text, message fields)."""
    made: list[dict[str, Any]] = []
    for number, (role, text, *more) in enumerate(turns):
        at_ms = START + number * 60_000
        message = {"role": role, "content": text, "timestamp": at_ms, **(more[0] if more else {})}
        made.append(
            {"type": "message", "id": f"l{number}", "timestamp": iso(at_ms),
             "parentId": made[-1]["id"] if made else None, "message": message}
        )  # fmt: skip
    return made


def texts(*turns: Any, after: str | None = None, **how: Any) -> list[tuple[str, str]]:
    found = exchanges.find(lines(*turns), (after, 0), now_ms=NOW_MS, **how)
    return [(e.user_text, e.assistant_text) for e in found.exchanges]


def test_an_exchange_is_a_user_line_and_the_answers_up_to_the_next() -> None:
    turns = [("user", "a"), ("assistant", "b"), ("assistant", "c"), ("user", "d"),
             ("assistant", "e")]  # fmt: skip
    assert texts(*turns) == [("a", "b\nc"), ("d", "e")]


def test_only_what_comes_after_the_cursor_counts() -> None:
    turns = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
    assert texts(*turns, after="l1") == [("c", "d")]
    assert texts(*turns, after="l3") == []


def test_a_lost_cursor_goes_by_time() -> None:
    turns = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
    found = exchanges.find(lines(*turns), ("gone", START + 60_000), now_ms=NOW_MS)
    assert [e.user_text for e in found.exchanges] == ["c"]


@pytest.mark.parametrize(
    "user",
    [
        "[OpenClaw heartbeat poll]",
        "[cron:j1] Morning report",
        "[Subagent Context] do it",
        "System: [2026-11-20 02:00:00] Node online",
        "Read HEARTBEAT.md if it exists, answer HEARTBEAT_OK when nothing needs attention.",
        "Check   the pumps now",
    ],
)
def test_what_nobody_said_is_no_exchange(user: str) -> None:
    turns = [("user", "a"), ("assistant", "b"), ("user", user), ("assistant", "Pump is off."),
             ("user", "c"), ("assistant", "d")]  # fmt: skip
    assert texts(*turns, prompts=["Check the pumps now"]) == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    "answer",
    [
        ("assistant", "NO_REPLY"),
        ("assistant", "  "),
        ("assistant", "It broke", {"stopReason": "error"}),
        ("assistant", "Half", {"stopReason": "aborted"}),
        ("assistant", "Sent.", {"provider": "openclaw", "model": "delivery-mirror"}),
        ("toolResult", "42"),
        ("assistant", [{"type": "thinking", "thinking": "hm"}]),
    ],
)
def test_a_turn_without_a_visible_answer_is_none(answer: Any) -> None:
    assert texts(("user", "a"), answer, ("user", "c"), ("assistant", "d")) == [("c", "d")]


def test_the_last_exchange_must_be_finished_and_fifteen_seconds_old() -> None:
    turns = lines(("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"))
    at_ms = START + 3 * 60_000
    young = exchanges.find(turns, (None, 0), now_ms=at_ms + 14_999)
    assert ([e.user_text for e in young.exchanges], young.end_id, young.waiting) == (
        ["a"], "l1", True,
    )  # fmt: skip
    old = exchanges.find(turns, (None, 0), now_ms=at_ms + 15_000)
    assert ([e.user_text for e in old.exchanges], old.end_id, old.waiting) == (
        ["a", "c"], "l3", False,
    )  # fmt: skip
    assert [e.is_last for e in old.exchanges] == [False, True]
    unanswered = exchanges.find(lines(("user", "a")), (None, 0), now_ms=NOW_MS)
    assert (unanswered.exchanges, unanswered.end_id, unanswered.waiting) == ([], None, True)


def test_lines_off_the_active_branch_do_not_count() -> None:
    made = lines(("user", "a"), ("assistant", "old"), ("user", "b"), ("assistant", "new"))
    made[2]["parentId"] = None
    found = exchanges.find(made, (None, 0), now_ms=NOW_MS)
    assert [e.user_text for e in found.exchanges] == ["b"]


@pytest.mark.parametrize(
    ("key", "row", "expected"),
    [
        ("agent:main:main", {}, True),
        ("agent:main:telegram:group:-5", {}, True),
        ("agent:main:telegram:direct:5:thread:9", {}, True),
        ("global", {}, True),
        ("agent:main:cron:j1", {}, False),
        ("cron:j1", {}, False),
        ("agent:main:hook:u", {}, False),
        ("agent:main:subagent:u", {}, False),
        ("agent:main:main:heartbeat", {}, False),
        ("agent:main:commitments:commitments-u", {}, False),
        ("agent:main:dreaming-narrative-light-0", {}, False),
        ("agent:main:telegram:direct:5", {"spawnedBy": "agent:main:main"}, False),
    ],
)
def test_sessions_that_people_talk_in(key: str, row: dict[str, Any], expected: bool) -> None:
    assert exchanges.is_conversation(key, row) is expected
