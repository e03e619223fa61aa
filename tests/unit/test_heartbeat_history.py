"""Polls that ended in an acknowledgement are no part of a context (``heartbeat.md`` 9)."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.heartbeat import history
from openclaw_cli.sessions.context import ContextMessage

POLL = ("user", "[OpenClaw heartbeat poll]")


def _shown(*said: tuple[str, Any], own_prompt: str = "") -> list[Any]:
    messages = [
        ContextMessage(str(place), {"role": role, "content": content})
        for place, (role, content) in enumerate(said)
    ]
    kept = history.without_idle_polls(messages, own_prompt=own_prompt)
    return [item.message["content"] for item in kept]


def _respond(notify: bool) -> list[dict[str, Any]]:
    arguments = {"outcome": "no_change", "notify": notify, "summary": "Quiet."}
    return [{"type": "toolCall", "id": "1", "name": "heartbeat_respond", "arguments": arguments}]


def test_an_acknowledged_poll_goes_and_an_alert_stays() -> None:
    assert _shown(
        ("user", "Hi"), ("assistant", "Hello"), POLL, ("assistant", "HEARTBEAT_OK"),
        POLL, ("toolResult", "x"), ("assistant", "HEARTBEAT_OK all fine"), ("user", "And?"),
    ) == ["Hi", "Hello", "And?"]  # fmt: skip
    alert = [POLL, ("assistant", "The cellar is wet.")]
    assert _shown(*alert) == [POLL[1], "The cellar is wet."]


@pytest.mark.parametrize(("notify", "stays"), [(False, False), (True, True)])
def test_a_structured_answer_counts(notify: bool, stays: bool) -> None:
    assert bool(_shown(POLL, ("assistant", _respond(notify)), ("toolResult", "noted"))) is stays


def test_a_poll_without_an_answer_and_a_person_who_quotes_stay() -> None:
    assert _shown(POLL) == [POLL[1]]
    assert _shown(("user", "Say HEARTBEAT_OK"), ("assistant", "HEARTBEAT_OK")) == [
        "Say HEARTBEAT_OK", "HEARTBEAT_OK",
    ]  # fmt: skip


def test_a_configured_prompt_is_a_poll_as_well() -> None:
    said = [("user", "Look around.\n\nCurrent time: now"), ("assistant", "HEARTBEAT_OK")]
    assert _shown(*said, own_prompt="Look around.") == []
    assert len(_shown(*said)) == 2
