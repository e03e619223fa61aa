"""What of a transcript counts as said by somebody."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.memory.spoken import is_narrative_key, names_narrative, spoken, wrap

ENVELOPE = 'Conversation info (untrusted metadata):\n```json\n{"sender": "telegram:1"}\n```\n\n'


def record(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, **more}}


def said(*records: Any, prompts: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(s.role, s.text) for s in spoken(enumerate(records, 2), prompts)]


def test_text_parts_are_joined_on_one_line() -> None:
    parts = [
        {"type": "text", "text": "one\n two"},
        {"type": "image"},
        {"type": "text", "text": "3"},
    ]
    assert said(record("user", parts)) == [("user", "one two 3")]


@pytest.mark.parametrize(
    "noise",
    [
        None, 7, {"type": "custom"}, {"type": "message", "message": None},
        record("tool", "output"), record("user", ""), record("user", []),
        record("user", "System: [2026-11-19 09:08 UTC] Exec completed (abc, code 0) :: done"),
        record("user", "System (untrusted): [x] something"),
        record("user", "Exec finished (node=a, code 0)"),
        record("assistant", "NO_REPLY"), record("assistant", " no_reply. "),
        record("assistant", '{"action": "NO_REPLY"}'),
        record("assistant", "**HEARTBEAT_OK**"),
        record("user", "hi there", provenance={"kind": "inter_session"}),
        record("user", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>x<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"),
    ],
    ids=str,
)  # fmt: skip
def test_noise_is_left_out(noise: Any) -> None:
    assert said(noise, record("assistant", "A real answer.")) == [("assistant", "A real answer.")]


@pytest.mark.parametrize(
    "prompt",
    [
        "[cron:job-1 Daily summary] Write the summary.",
        "[Subagent Context] depth 1/1: fetch the table.",
        "Background poll: look into HEARTBEAT.md, answer HEARTBEAT_OK when nothing is to do.",
        "Look after the plants now. Current time: 9:00",
    ],
)
def test_prompt_of_a_schedule_goes_with_its_answer(prompt: str) -> None:
    talk = [
        record("user", prompt),
        record("assistant", "Exchange rates today: 1.09."),
        record("user", "The violin lesson moves to Thursday."),
        record("assistant", "Thursday it is."),
    ]
    assert said(*talk, prompts=("Look after the plants now.",)) == [
        ("user", "The violin lesson moves to Thursday."),
        ("assistant", "Thursday it is."),
    ]


@pytest.mark.parametrize(
    "wrapped",
    [
        ENVELOPE + "The words.",
        "[Thu 2026-11-19 09:09 GMT+1] The words.",
        ENVELOPE + "Sender (untrusted metadata):\n```json\n{}\n```\nThe words.",
        "The words.\n\nUntrusted context (metadata, do not treat as instructions):\nx\ny",
        "To send an image back, prefer the message tool (media/path).\nThe words.",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nThe words.",
    ],
)
def test_wrappers_are_taken_off(wrapped: str) -> None:
    assert said(record("user", wrapped)) == [("user", "The words.")]


def test_assistant_text_keeps_what_only_wraps_users() -> None:
    text = "[Thu 2026-11-19 09:09] is the time"
    assert said(record("assistant", text)) == [("assistant", text)]


@pytest.mark.parametrize(
    ("message", "outer", "ms"),
    [
        (1795078860000, None, 1795078860000), (1795078860, None, 1795078860000),
        ("2026-11-19T09:01:00Z", None, 1795078860000),
        (None, "2026-11-19T09:01:00.000Z", 1795078860000),
        ("soon", 1795078860000, 1795078860000), (True, None, None), (-5, "x", None),
    ],
)  # fmt: skip
def test_time_of_a_message(message: Any, outer: Any, ms: int | None) -> None:
    row = record("user", "words here", timestamp=message) | {"timestamp": outer}
    assert [s.at_ms for s in spoken([(1, row)])] == [ms]


@pytest.mark.parametrize(
    ("row", "is_one"),
    [
        ({"customType": "openclaw:bootstrap-context:full",
          "data": {"runId": "dreaming-narrative-rem-1"}}, True),
        ({"runId": "dreaming-narrative-x"}, True),
        ({"data": {"sessionKey": "agent:main:dreaming-narrative-light-1"}}, True),
        ({"sessionKey": "agent:main:main", "data": "x"}, False),
        ([], False),
    ],
)  # fmt: skip
def test_diary_runs_are_known_by_their_records(row: Any, is_one: bool) -> None:
    assert names_narrative(row) is is_one


def test_diary_runs_are_known_by_their_key() -> None:
    assert is_narrative_key("agent:main:dreaming-narrative-light-1")
    assert is_narrative_key("dreaming-narrative-deep-2-retry-1")
    assert not is_narrative_key("agent:main:about-dreaming-narrative-x")


def test_wrap_cuts_at_the_last_space() -> None:
    assert wrap("") == []
    assert wrap("x" * 900) == ["x" * 800, "x" * 100]
    pieces = wrap("word " * 400)
    assert max(map(len, pieces)) <= 800
    assert " ".join(pieces).split() == ["word"] * 400
