"""Between transcripts and Chat Completions: both directions, pure (``sessions.md`` 3.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import transcript

if TYPE_CHECKING:
    from openclaw_cli.model.budget import Usage
    from openclaw_cli.model.client import Completion, ToolCall

API = "openai-completions"


def to_chat(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Transcript messages as a request wants them.

    Thinking stays behind, tool calls without a result and results without a call are left
    out, since a provider refuses the whole request for either.
    """
    listed = list(messages)
    answered = {_call_id(m) for m in listed if m.get("role") == "toolResult"}
    chat: list[dict[str, Any]] = []
    open_calls: set[str] = set()
    for message in listed:
        role = message.get("role")
        if role == "assistant":
            line = _assistant(message, answered)
            open_calls = {call["id"] for call in line.get("tool_calls", ())}
            if line.get("content") or open_calls:
                chat.append(line)
        elif role == "toolResult":
            if _call_id(message) in open_calls:
                open_calls.discard(message["toolCallId"])
                chat.append(_tool_result(message))
        elif role == "user":
            chat.append({"role": "user", "content": _user_content(message)})
    return chat


def assistant_message(completion: Completion, *, now_ms: int) -> dict[str, Any]:
    """The transcript message of an answer."""
    content: list[dict[str, Any]] = []
    if completion.reasoning:
        content.append({"type": "thinking", "thinking": completion.reasoning})
    if completion.text:
        content.append({"type": "text", "text": completion.text})
    content += [_tool_call_block(call) for call in completion.tool_calls]
    return {
        "role": "assistant",
        "content": content,
        "api": API,
        "provider": completion.ref.provider,
        "model": completion.ref.model,
        "usage": usage_object(completion.usage),
        "stopReason": _stop_reason(completion),
        "timestamp": now_ms,
    }


def failed_message(
    *, reason: str, text: str, provider: str | None, model: str | None, now_ms: int
) -> dict[str, Any]:
    """The assistant message of a call that gave no answer: ``reason`` error or aborted."""
    return {
        "role": "assistant",
        "content": [],
        "api": API,
        "provider": provider or "unknown",
        "model": model or "unknown",
        "usage": usage_object(None),
        "stopReason": reason,
        "errorMessage": text,
        "timestamp": now_ms,
    }


def tool_result_message(
    call: ToolCall, text: str, *, is_error: bool, now_ms: int
) -> dict[str, Any]:
    """The transcript message of a tool's result."""
    return {
        "role": "toolResult",
        "toolCallId": call.id,
        "toolName": call.name,
        "content": [{"type": "text", "text": text}],
        "isError": is_error,
        "timestamp": now_ms,
    }


def usage_object(usage: Usage | None) -> dict[str, Any]:
    """The ``usage`` of an assistant line; input does not count what the cache held."""
    read = usage.cache_read if usage else 0
    fresh = max(0, usage.input_tokens - read) if usage else 0
    said = usage.output_tokens if usage else 0
    cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
    return {
        "input": fresh,
        "output": said,
        "cacheRead": read,
        "cacheWrite": 0,
        "totalTokens": fresh + read + said,
        "cost": cost,
    }


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments of a tool call; empty when they are no JSON object."""
    try:
        value = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _call_id(message: Mapping[str, Any]) -> str:
    """The call that a tool's result answers; empty for a damaged line."""
    found = message.get("toolCallId")
    return found if isinstance(found, str) else ""


def _assistant(message: Mapping[str, Any], answered: set[str]) -> dict[str, Any]:
    line: dict[str, Any] = {"role": "assistant", "content": transcript.text_of(dict(message))}
    content = message.get("content")
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {
                "name": str(block.get("name")),
                "arguments": json.dumps(block.get("arguments") or {}, ensure_ascii=False),
            },
        }
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, Mapping)
        and block.get("type") == "toolCall"
        and isinstance(block.get("id"), str)
        and block["id"]
        and block["id"] in answered
    ]
    return line | {"tool_calls": calls} if calls else line


def _tool_result(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "role": "tool",
        "tool_call_id": message["toolCallId"],
        "content": transcript.text_of(dict(message)),
    }


def _user_content(message: Mapping[str, Any]) -> str | list[dict[str, Any]]:
    text = transcript.text_of(dict(message))
    images = _images(message.get("content"))
    if not images:
        return text
    return [{"type": "text", "text": text}, *images]


def _images(content: object) -> Sequence[dict[str, Any]]:
    return [
        {
            "type": "image_url",
            "image_url": {"url": f"data:{block['mimeType']};base64,{block['data']}"},
        }
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, Mapping)
        and block.get("type") == "image"
        and isinstance(block.get("data"), str)
        and isinstance(block.get("mimeType"), str)
    ]


def _tool_call_block(call: ToolCall) -> dict[str, Any]:
    arguments = arguments_of(call)
    return {"type": "toolCall", "id": call.id, "name": call.name, "arguments": arguments}


def _stop_reason(completion: Completion) -> str:
    if completion.tool_calls:
        return "toolUse"
    return "length" if completion.finish_reason == "length" else "stop"
