"""Polls that a conversation need not remember: those that ended in an acknowledgement. Pure.

OpenClaw leaves its polls in the transcript and passes over them when it builds a context
(``heartbeat.md`` 9); ours never get there, but both programs write the same files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.heartbeat import prompt, reply
from openclaw_cli.heartbeat.settings import DEFAULT_ACK_CHARS
from openclaw_cli.sessions import transcript

if TYPE_CHECKING:
    from openclaw_cli.sessions.context import ContextMessage

RESPOND = "heartbeat_respond"


def without_idle_polls(
    messages: Sequence[ContextMessage], *, own_prompt: str = ""
) -> list[ContextMessage]:
    """The messages without polls, and all up to the next user message, that brought nothing.

    ``own_prompt`` is the configured heartbeat prompt. A poll that ended in an alert stays.
    """
    kept: list[ContextMessage] = []
    for span in _spans(messages):
        if not (_is_poll(span[0].message, own_prompt) and _is_idle(span)):
            kept += span
    return kept


def _spans(messages: Sequence[ContextMessage]) -> Iterator[list[ContextMessage]]:
    """The messages cut before each user message."""
    span: list[ContextMessage] = []
    for item in messages:
        if span and item.message.get("role") == "user":
            yield span
            span = []
        span.append(item)
    if span:
        yield span


def _is_poll(message: Mapping[str, Any], own_prompt: str) -> bool:
    if message.get("role") != "user":
        return False
    text = transcript.text_of(dict(message)).strip()
    return text == prompt.MARKER or (bool(own_prompt) and text.startswith(own_prompt))


def _is_idle(span: Sequence[ContextMessage]) -> bool:
    """Whether the last thing said in a span is an acknowledgement."""
    for item in reversed(span):
        if item.message.get("role") != "assistant":
            continue
        text = transcript.text_of(item.message)
        if text.strip():
            return not reply.read(text, ack_max_chars=DEFAULT_ACK_CHARS).is_alert
        if _is_silent_response(item.message):
            return True
    return False


def _is_silent_response(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return any(
        isinstance(block, Mapping)
        and block.get("name") == RESPOND
        and isinstance(block.get("arguments"), Mapping)
        and block["arguments"].get("notify") is False
        for block in (content if isinstance(content, list) else [])
    )
