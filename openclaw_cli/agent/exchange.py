"""One exchange with the model: ask, run the tools it calls, ask again, until it answers.

Knows nothing of sessions: what comes in are messages, what comes out are the transcript
messages that the exchange adds, in order, and the usage of all its calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import chat_format
from openclaw_cli.model import client
from openclaw_cli.model.failures import Overflow
from openclaw_cli.sessions.compaction import estimate_tokens
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.model.client import Completion, ToolCall
    from openclaw_cli.model.refs import ModelRef

MAX_ROUNDS = 8


class NoRoom(Overflow):
    """What the tools brought would not fit, by our own estimate."""


Toolbox = Callable[["ToolCall"], tuple[str, bool]]


@dataclass
class Ask:
    """What to ask. ``system`` and ``messages`` (transcript form) make the request.

    ``tools`` are offered with ``toolbox`` to run them (text of the result, is it an error);
    without tools the model can only speak. ``timeout_s`` limits the whole exchange. ``is_over``
    is asked after each round of tools: True ends the exchange without further words.
    ``room_tokens`` is what the messages may take by then; None leaves that to the provider.
    """

    agent_id: str
    purpose: str
    system: str
    messages: Sequence[dict[str, Any]]
    session_key: str | None = None
    model: str | None = None
    tools: Sequence[dict[str, Any]] = ()
    toolbox: Toolbox | None = None
    timeout_s: float = 600.0
    stream: Callable[[str], None] | None = None
    is_over: Callable[[], bool] | None = None
    room_tokens: int | None = None


@dataclass
class Answer:
    """What came of it: the added messages, the spoken texts, the thoughts, and the usage.

    ``prompt_tokens`` is the prompt size of the last call, None where the server did not
    count, ``context_tokens`` the same or our own estimate; ``usage`` sums all calls
    (``input`` without what the cache held).
    """

    ref: ModelRef
    messages: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int | None = None
    context_tokens: int = 0
    last_output_tokens: int = 0
    stop_reason: str = "stop"
    duration_ms: int = 0

    @property
    def text(self) -> str:
        """The last thing said."""
        return self.texts[-1] if self.texts else ""


def hold(config: Config, ask: Ask, *, now_ms: int) -> Answer:
    """Hold the exchange; raises the ``ModelFailure`` of the call that failed.

    After ``MAX_ROUNDS`` rounds of tools the model is asked once more without any, so that
    a loop of calls ends in words.
    """
    conversation = list(ask.messages)
    until = time.monotonic() + ask.timeout_s
    answer: Answer | None = None
    for round_number in range(MAX_ROUNDS + 1):
        offer = ask.tools if ask.toolbox is not None and round_number < MAX_ROUNDS else ()
        request = _request(ask, conversation, offer, limit_s=until - time.monotonic())
        completion = client.complete(config, request, now_ms=now_ms)
        if answer is None:
            answer = Answer(completion.ref)
        message = chat_format.assistant_message(completion, now_ms=clock.now_ms())
        _take(answer, completion, message)
        conversation.append(message)
        if not completion.tool_calls or ask.toolbox is None:
            break
        if ask.stream is not None and completion.text.strip():
            ask.stream("\n\n")  # what comes after the tools is a paragraph of its own
        for call in completion.tool_calls:
            text, is_error = ask.toolbox(call)
            result = chat_format.tool_result_message(
                call, text, is_error=is_error, now_ms=clock.now_ms()
            )
            answer.messages.append(result)
            conversation.append(result)
        if ask.is_over is not None and ask.is_over():
            break
        _require_room(ask, conversation)
    assert answer is not None  # noqa: S101 - the loop runs at least once
    return answer


def _require_room(ask: Ask, conversation: Sequence[dict[str, Any]]) -> None:
    """``NoRoom`` when what the tools brought leaves none, before a call is paid for."""
    if ask.room_tokens is None:
        return
    tokens = estimate_tokens([{"content": ask.system}, *conversation])
    if tokens > ask.room_tokens:
        raise NoRoom(f"the results of tools need {tokens} tokens of {ask.room_tokens}")


def _request(
    ask: Ask,
    conversation: Sequence[dict[str, Any]],
    offer: Sequence[dict[str, Any]],
    *,
    limit_s: float,
) -> client.Request:
    system = [{"role": "system", "content": ask.system}] if ask.system else []
    return client.Request(
        agent_id=ask.agent_id,
        purpose=ask.purpose,
        messages=[*system, *chat_format.to_chat(conversation)],
        model=ask.model,
        tools=offer or None,
        timeout_s=limit_s,
        stream=ask.stream,
        session_key=ask.session_key,
    )


def _take(answer: Answer, completion: Completion, message: dict[str, Any]) -> None:
    answer.ref = completion.ref
    answer.messages.append(message)
    if completion.text.strip():
        answer.texts.append(completion.text.strip())
    if completion.reasoning.strip():
        answer.reasoning.append(completion.reasoning.strip())
    counted = message["usage"]
    for name in ("input", "output", "cacheRead", "cacheWrite"):
        answer.usage[name] = answer.usage.get(name, 0) + counted[name]
    usage = completion.usage
    answer.prompt_tokens = None if usage.estimated else usage.input_tokens
    answer.context_tokens = usage.input_tokens
    answer.last_output_tokens = usage.output_tokens
    answer.stop_reason = message["stopReason"]
    answer.duration_ms += completion.duration_ms
