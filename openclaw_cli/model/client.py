"""Chat completions and embeddings over any OpenAI-compatible address.

The only importer of the openai SDK, in one function, since it costs half a second. Each
call is paid for in ``logs/usage.jsonl``; failures arrive as ``ModelFailure`` kinds, and a
key never gets into a message (``design.md`` 3, "Model calls").
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from openclaw_cli.config.load import Config
from openclaw_cli.model import budget, failures, refs
from openclaw_cli.model.budget import Entry, Usage
from openclaw_cli.model.failures import Malformed, ModelFailure, TimedOut, Unreachable
from openclaw_cli.model.refs import Endpoint, ModelRef
from openclaw_cli.state.timer import time_limit
from openclaw_cli.state.tuples import NamedTuple

DEFAULT_TIMEOUT_S = 60.0
LONGEST_TIMEOUT_S = 7 * 86_400.0
MESSAGE_LENGTH = 300
CHARS_PER_TOKEN = 4  # for servers that do not count


class ToolCall(NamedTuple):
    """A tool that the model wants called; ``arguments`` is JSON text as it came."""

    id: str
    name: str
    arguments: str


class Completion(NamedTuple):
    """An answer; ``text`` may be empty, which is for the caller to judge.

    ``reasoning`` is what the model thought before it, where the server tells.
    """

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    ref: ModelRef
    usage: Usage
    duration_ms: int
    reasoning: str = ""


@dataclass
class Request:
    """One question to a model.

    ``purpose`` is one of ``agent``, ``diary``, ``heartbeat``, ``extraction``, ``cron``,
    ``compaction``, ``probe``, ``shadow-trial``. ``model`` asks for one model, without
    fallbacks; None takes the agent's. ``stream`` gets the text as it comes. ``tools`` are in
    the form of Chat Completions. ``timeout_s`` limits the whole call: retries, the pauses
    between them, and fallbacks, each of which is left its share.
    """

    agent_id: str
    purpose: str
    messages: Sequence[dict[str, Any]]
    model: str | None = None
    tools: Sequence[dict[str, Any]] | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    max_tokens: int | None = None
    stream: Callable[[str], None] | None = None
    session_key: str | None = None
    retries: int = 2


@dataclass
class EmbedRequest:
    """Texts to turn into vectors by ``model`` at ``place``; ``timeout_s`` limits the whole call."""

    place: Endpoint
    model: str
    texts: Sequence[str]
    agent_id: str
    timeout_s: float = DEFAULT_TIMEOUT_S
    input_type: str | None = None
    retries: int = 2


def complete(config: Config, request: Request, *, now_ms: int) -> Completion:
    """The answer of the first model of the choice that gives one.

    Raises ``NoModel``, ``BudgetSpent`` (before any call) or the ``ModelFailure`` of the
    first model. Nothing falls back once text was streamed.
    """
    budget.require(config, request.purpose, now_ms)
    choice = refs.choose(config, request.agent_id, request.model)
    until = time.monotonic() + min(request.timeout_s, LONGEST_TIMEOUT_S)
    first: ModelFailure | None = None
    for number, ref in enumerate(choice.refs):
        streamed = _Streamed(request.stream)
        share_s = (until - time.monotonic()) / (len(choice.refs) - number)
        if share_s <= 0:
            first = first or _timed_out(ref)
            break
        try:
            return _attempt(config, request, ref, streamed, now_ms=now_ms, limit_s=share_s)
        except ModelFailure as failure:
            first = first or failure
            if not failure.fallback or streamed.began:
                raise
    assert first is not None  # noqa: S101 - a choice has at least one model
    raise first


def embed(config: Config, request: EmbedRequest, *, now_ms: int) -> list[list[float]]:
    """One vector for each text, in order; raises ``ModelFailure``."""
    place = request.place
    ref = ModelRef(place.provider, request.model)
    arguments: dict[str, Any] = {
        "model": request.model,
        "input": [_encodable(text) for text in request.texts],
        "encoding_format": "float",
    }
    if request.input_type:
        arguments["extra_body"] = {"input_type": request.input_type}
    limit_s = min(request.timeout_s, LONGEST_TIMEOUT_S)
    entry = Entry(config, str(ref), "embeddings", request.agent_id, now_ms)
    with (
        entry.accounted(),
        _translated(ref, place),
        _client(place, limit_s, request.retries) as client,
        time_limit(limit_s, _OutOfTime),
    ):
        answer = client.embeddings.create(**arguments)
        rows = sorted(answer.data, key=lambda row: int(row.index))
        if len(rows) != len(request.texts):
            raise ValueError(f"{len(rows)} vectors for {len(request.texts)} texts")
        entry.usage = _usage(answer.usage, sum(map(len, request.texts)), 0)
        return [[float(number) for number in row.embedding] for row in rows]


class _Streamed:
    """Passes text on as it comes and remembers that some has been seen."""

    def __init__(self, receiver: Callable[[str], None] | None) -> None:
        self.receiver = receiver
        self.began = False

    def write(self, text: str) -> None:
        if self.receiver is not None and text:
            self.began = True
            self.receiver(text)


def _attempt(
    config: Config, request: Request, ref: ModelRef, streamed: _Streamed, *, now_ms: int,
    limit_s: float,
) -> Completion:  # fmt: skip
    place = refs.endpoint(config, ref.provider)
    arguments: dict[str, Any] = {
        "model": ref.model,
        "messages": [_encodable(message) for message in request.messages],
    }
    if request.tools:
        arguments["tools"] = list(request.tools)
    if request.max_tokens is not None:
        # OpenAI's newer models refuse the old name, most other servers know only that one.
        name = "max_completion_tokens" if ref.provider == "openai" else "max_tokens"
        arguments[name] = request.max_tokens
    entry = Entry(config, str(ref), request.purpose, request.agent_id, now_ms, request.session_key)
    asked = sum(len(str(message.get("content") or "")) for message in request.messages)
    with (
        entry.accounted(),
        _translated(ref, place),
        _client(place, limit_s, request.retries) as client,
    ):
        read = _read_plain if request.stream is None else _read_stream
        with time_limit(limit_s, _OutOfTime):
            answer = read(client, arguments, streamed)
        said = len(answer.text) + sum(len(call.arguments) for call in answer.tool_calls)
        entry.usage = _usage(answer.usage, asked, said)
    return Completion(
        answer.text, answer.tool_calls, answer.finish_reason, ref, entry.usage,
        entry.duration_ms(), answer.reasoning,
    )  # fmt: skip


class _Answer(NamedTuple):
    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Any
    reasoning: str


def _read_plain(client: Any, arguments: dict[str, Any], _streamed: _Streamed) -> _Answer:
    answer = client.chat.completions.create(**arguments)
    choice = answer.choices[0]
    calls = tuple(
        ToolCall(call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or ()
    )
    return _Answer(
        choice.message.content or "", calls, choice.finish_reason or "stop", answer.usage,
        _reasoning(choice.message),
    )  # fmt: skip


def _reasoning(message: Any) -> str:
    """What servers tell of the model's thinking, under either of the names they use."""
    for name in ("reasoning_content", "reasoning"):
        told = getattr(message, name, None)
        if isinstance(told, str) and told:
            return told
    return ""


def _read_stream(client: Any, arguments: dict[str, Any], streamed: _Streamed) -> _Answer:
    text: list[str] = []
    thought: list[str] = []
    calls: dict[int, list[str]] = {}
    reason, usage, chunks = "stop", None, 0
    with client.chat.completions.create(
        **arguments, stream=True, stream_options={"include_usage": True}
    ) as stream:
        for chunk in stream:
            chunks += 1
            usage = chunk.usage or usage
            for choice in chunk.choices:
                reason = choice.finish_reason or reason
                piece = choice.delta.content or ""
                text.append(piece)
                thought.append(_reasoning(choice.delta))
                streamed.write(piece)
                for part in choice.delta.tool_calls or ():
                    call = calls.setdefault(part.index, ["", "", ""])
                    call[0] = part.id or call[0]
                    call[1] += (part.function.name if part.function else None) or ""
                    call[2] += (part.function.arguments if part.function else None) or ""
    if not chunks:
        raise ValueError("the stream is empty")
    found = tuple(ToolCall(*calls[index]) for index in sorted(calls))
    return _Answer("".join(text), found, reason, usage, "".join(thought))


class _OutOfTime(BaseException):
    """The time of a call is over; no ``Exception``, which the SDK would take for a retry.

    The SDK's own limit holds for each wait on the network: pauses between its retries, and a
    server that sends a little now and then, outlast it.
    """


def _usage(reported: Any, asked_chars: int, said_chars: int) -> Usage:
    if reported is None:
        guess = Usage(asked_chars // CHARS_PER_TOKEN, said_chars // CHARS_PER_TOKEN)
        return guess._replace(estimated=True)
    details = getattr(reported, "prompt_tokens_details", None)
    return Usage(
        int(reported.prompt_tokens or 0),
        int(getattr(reported, "completion_tokens", 0) or 0),
        int(getattr(details, "cached_tokens", 0) or 0),
    )


def _sdk() -> Any:
    import logging

    import openai

    # At debug level the SDK and its transport log whole requests: prompts and headers.
    for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return openai


def _client(place: Endpoint, timeout_s: float, retries: int) -> Any:
    """An SDK client, to be used as a context manager."""
    sdk = _sdk()
    own = {} if place.provider == "openai" else _without_openai_account(sdk)
    return sdk.OpenAI(
        api_key=place.api_key or "none",
        base_url=place.base_url,
        default_headers={**own, **place.headers},
        timeout=timeout_s,
        max_retries=retries,
    )


def _without_openai_account(sdk: Any) -> dict[str, Any]:
    """Headers that keep ``OPENAI_ORG_ID`` and ``OPENAI_PROJECT_ID`` from other providers."""
    omit = sdk.Omit()
    return {"OpenAI-Organization": omit, "OpenAI-Project": omit}


@contextlib.contextmanager
def _translated(ref: ModelRef, place: Endpoint) -> Iterator[None]:
    """Turn what the SDK raises, or what an odd answer makes of our reading, into a failure."""
    sdk = _sdk()
    transport = _transport(sdk)
    name = str(ref)
    try:
        yield
    except ModelFailure:
        raise
    except (_OutOfTime, sdk.APITimeoutError, transport.TimeoutException):
        raise _timed_out(ref) from None
    except (sdk.APIConnectionError, transport.HTTPError) as error:
        raise Unreachable(_unreachable(name, place, error), model=name) from None
    except sdk.APIStatusError as error:
        text = _reason(error, place)
        kind = failures.of_status(int(error.status_code), text)
        raise kind(f"{name}: {text} (HTTP {error.status_code})", model=name) from None
    except (sdk.OpenAIError, ValueError, TypeError, AttributeError, LookupError) as error:
        text = _hidden(f"{type(error).__name__}: {error}", place)
        raise Malformed(f"{name} gave no usable answer ({text})", model=name) from None


def _timed_out(ref: ModelRef) -> TimedOut:
    return TimedOut(f"{ref} did not answer in time", model=str(ref))


def _transport(sdk: Any) -> Any:
    """The SDK's HTTP library, httpx or httpx2, whose errors come through while streaming."""
    names = [base.__module__.partition(".")[0] for base in sdk.DefaultHttpxClient.__mro__]
    return sys.modules[next(name for name in names if name.startswith("httpx"))]


def _unreachable(name: str, place: Endpoint, error: BaseException) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if "CERTIFICATE_VERIFY_FAILED" in str(cause):
            return f"{name}: the certificate of {_host(place)} is not trusted"
        cause = cause.__cause__ or cause.__context__
    return f"{name}: no connection to {_host(place)}"


def _host(place: Endpoint) -> str:
    """The address without credentials or query."""
    from urllib.parse import urlsplit

    parts = urlsplit(place.base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _reason(error: Any, place: Endpoint) -> str:
    body = error.body
    told = body.get("message") if isinstance(body, dict) else None
    return _hidden(told if isinstance(told, str) and told.strip() else str(error.message), place)


def _hidden(text: str, place: Endpoint) -> str:
    """``text`` on one line, cut, and without the key and headers that the server may repeat."""
    for secret in (place.api_key, *place.headers.values()):
        if secret and len(secret) > 3:
            text = text.replace(secret, "***")
    line = " ".join(text.split())
    return line if len(line) <= MESSAGE_LENGTH else line[: MESSAGE_LENGTH - 1] + "…"


def _encodable(value: Any) -> Any:
    """``value`` with lone surrogates, which no request can carry, as replacement marks."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
