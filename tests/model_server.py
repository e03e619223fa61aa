"""A loopback model server for tests: Chat Completions and Embeddings with scripted answers.

Answers are queued with ``reply``, ``call_tool``, ``fail``, ``malformed``, ``empty``,
``hang``, ``trickle`` and ``drop`` and used up in order, for streamed and plain requests
alike; when the queue is empty, ``default`` is answered, or a 500 when that is None.
``requests`` holds what came in. Real processes can use it: ``config()`` is the piece of
configuration to write.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

API_KEY = "sk-test-5f1e6c2ad9b04e77"


@dataclass
class Answer:
    """One scripted answer to a chat completion."""

    text: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    error: dict[str, Any] | None = None
    raw: bytes | None = None
    delay_s: float = 0.0
    trickle_s: float = 0.0
    reasoning: str = ""
    drop: bool = False
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    )


@dataclass
class Received:
    """One request: its path, headers (lower-case names) and JSON body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelServer:
    """The server and its script."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.queue: deque[Answer] = deque()
        self.default: str | None = None
        self.embedding: Callable[[str], list[float]] = lambda text: [float(len(text)), 1.0]
        self.embedding_answers: deque[Answer] = deque()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def base_url(self) -> str:
        """The address to configure as ``baseUrl``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def config(self, model: str = "scripted/model") -> dict[str, Any]:
        """Configuration that makes this server the provider of ``model``."""
        provider = model.split("/", 1)[0]
        return {
            "agents": {"defaults": {"model": model}},
            "models": {"providers": {provider: {"baseUrl": self.base_url, "apiKey": API_KEY}}},
        }

    def reply(self, *texts: str, **how: Any) -> None:
        """Queue plain answers; ``how`` are fields of ``Answer``."""
        self.queue.extend(Answer(text, **how) for text in texts)

    def call_tool(self, name: str, arguments: dict[str, Any], *, call_id: str = "call_1") -> None:
        """Queue an answer that calls a tool."""
        function = {"name": name, "arguments": json.dumps(arguments)}
        self.queue.append(
            Answer(tool_calls=[{"id": call_id, "type": "function", "function": function}])
        )

    def fail(self, status: int, message: str = "scripted failure", *, times: int = 1,
             code: str | None = None) -> None:  # fmt: skip
        """Queue HTTP errors; the client retries 429 and 5xx twice, so give ``times=3``."""
        error = {"message": message, "type": "scripted", "code": code}
        self.queue.extend(Answer(status=status, error=error) for _ in range(times))

    def malformed(self, body: bytes = b"<html>no JSON</html>") -> None:
        """Queue an answer whose body is not what it should be."""
        self.queue.append(Answer(raw=body))

    def empty(self) -> None:
        """Queue an answer without any text."""
        self.queue.append(Answer(""))

    def hang(self, seconds: float = 30.0, *, times: int = 1) -> None:
        """Queue answers that come only after ``seconds``."""
        self.queue.extend(Answer("too late", delay_s=seconds) for _ in range(times))

    def trickle(self, seconds: float = 30.0) -> None:
        """Queue an answer before which the server sends blanks for ``seconds``."""
        self.queue.append(Answer("too late", trickle_s=seconds))

    def drop(self, *, times: int = 1) -> None:
        """Queue connections that are closed without an answer."""
        self.queue.extend(Answer(drop=True) for _ in range(times))

    def prompts(self) -> list[str]:
        """Everything that was sent in messages, one text per request."""
        return [
            "\n".join(str(message.get("content")) for message in request.body["messages"])
            for request in self.requests
            if "messages" in request.body
        ]

    def take(self) -> Answer:
        """The next answer of the script."""
        if self.queue:
            return self.queue.popleft()
        if self.default is not None:
            return Answer(self.default)
        return Answer(status=500, error={"message": "no answer was scripted"})

    def wait(self, seconds: float) -> None:
        """Sleep, unless the server is closed meanwhile."""
        self._closing.wait(seconds)

    def close(self) -> None:
        """Stop serving."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(script: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length) or b"{}")
            headers = {name.lower(): value for name, value in self.headers.items()}
            script.requests.append(Received(self.path, headers, body))
            if self.path.endswith("/embeddings"):
                self._embeddings(body)
            else:
                self._chat(body, script.take())

        def _chat(self, body: dict[str, Any], answer: Answer) -> None:
            if answer.delay_s:
                script.wait(answer.delay_s)
            if answer.drop:
                self.close_connection = True
                return
            if answer.error is not None or answer.raw is not None:
                self._send_failure(answer)
            elif answer.trickle_s:
                self._trickle(body, answer)
            elif body.get("stream"):
                self._stream(body, answer)
            else:
                self._send_json(200, _completion(body, answer))

        def _trickle(self, body: dict[str, Any], answer: Answer) -> None:
            kind = "text/event-stream" if body.get("stream") else "application/json"
            blank = b": still here\n\n" if body.get("stream") else b" "
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.close_connection = True
            until = time.monotonic() + answer.trickle_s
            with contextlib.suppress(OSError):  # the client gave up waiting
                while time.monotonic() < until and not script._closing.is_set():
                    self.wfile.write(blank)
                    script.wait(0.02)

        def _send_failure(self, answer: Answer) -> None:
            if answer.raw is not None:
                self._send(answer.status, answer.raw, "application/json")
            else:
                self._send_json(answer.status, {"error": answer.error})

        def _embeddings(self, body: dict[str, Any]) -> None:
            answer = script.embedding_answers.popleft() if script.embedding_answers else None
            if answer is not None:
                self._send_failure(answer)
                return
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            rows = [
                {"object": "embedding", "index": i, "embedding": script.embedding(text)}
                for i, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
            self._send_json(
                200, {"object": "list", "data": rows, "model": body["model"], "usage": usage}
            )

        def _stream(self, body: dict[str, Any], answer: Answer) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            with contextlib.suppress(OSError):  # the client gave up waiting
                for chunk in _chunks(body, answer):
                    self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
                self.wfile.write(b"data: [DONE]\n\n")

        def _send_json(self, status: int, document: Any) -> None:
            self._send(status, json.dumps(document).encode(), "application/json")

        def _send(self, status: int, data: bytes, kind: str) -> None:
            with contextlib.suppress(OSError):  # the client gave up waiting
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                if status >= 400:
                    self.send_header("retry-after-ms", "1")  # the client's retries come at once
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


def _completion(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.tool_calls:
        message["tool_calls"] = answer.tool_calls
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    reason = "tool_calls" if answer.tool_calls else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": answer.usage,
    }


def _chunks(body: dict[str, Any], answer: Answer) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": body.get("model"),
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }

    yield chunk({"role": "assistant", "content": ""})
    for piece in re.findall(r"\S+\s*", answer.reasoning):
        yield chunk({"reasoning_content": piece})
    for piece in re.findall(r"\S+\s*|\s+", answer.text):
        yield chunk({"content": piece})
    for index, call in enumerate(answer.tool_calls):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        head = {"name": call["function"]["name"], "arguments": arguments[:half]}
        yield chunk({"tool_calls": [{**call, "index": index, "function": head}]})
        rest = {"index": index, "function": {"arguments": arguments[half:]}}
        yield chunk({"tool_calls": [rest]})
    yield chunk({}, "tool_calls" if answer.tool_calls else "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**chunk({}), "choices": [], "usage": answer.usage}


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A running model server, empty script."""
    server = ModelServer()
    yield server
    server.close()
