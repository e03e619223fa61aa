"""Deliveries through real receivers: HTTP, SMTP and programs, with failures and crashes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from builders import Tree
from conftest import PROGRAM, Result

from openclaw_cli.config.load import Config, load
from openclaw_cli.delivery import outbox, send
from openclaw_cli.delivery.outbox import Message
from openclaw_cli.state.paths import Paths

pytestmark = [
    pytest.mark.system,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # apprise's own imports
]
NOW_MS = 1_795_143_600_000
Run = Callable[..., Result]


@dataclass
class Receiver:
    """An HTTP server that keeps what it gets and answers ``status`` after ``delay_s``."""

    port: int = 0
    status: int = 200
    delay_s: float = 0.0
    bodies: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            found.paths.append(self.path)
            found.bodies.append(json.loads(raw))
            closing.wait(found.delay_s)
            answer = b'{"ok": true}'
            self.send_response(found.status)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    closing.set()
    server.shutdown()
    server.server_close()
    thread.join()


def configure(tree: Tree, own: dict[str, Any], **channels: Any) -> Config:
    plugins = {"entries": {"openclaw-cli": {"config": {"channels": own}}}}
    tree.config(channels=channels, plugins=plugins)
    return load(Paths.from_env(), validate=False)


def deliver(config: Config, channel: str, to: str, text: str = "How did it go?") -> dict[str, Any]:
    message = Message(text, channel, to, source="commitment", source_id="cm_1", agent_id="main")
    return send.deliver(Paths.from_env(), config, message, now_ms=NOW_MS)


def program(tree: Tree, body: str) -> list[str]:
    """A channel program made of ``body``; ``record`` is what it was given."""
    head = "import json, sys, time\nrecord = json.load(sys.stdin)\n"
    return [sys.executable, str(tree.file("carry.py", head + body))]


def lines(tree: Tree) -> list[Any]:
    return tree.lines(".openclaw/outbox/outbox.jsonl")


# HTTP


def test_a_webhook_gets_text_and_recipient(tree: Tree, receiver: Receiver) -> None:
    url = f"json://127.0.0.1:{receiver.port}/hook?:to={{to}}"
    record = deliver(
        configure(tree, {"webhook": {"url": url}}), "webhook", "webhook:ann", "Zażółć 😀"
    )
    assert record["status"] == "sent"
    assert [(b["message"], b["to"]) for b in receiver.bodies] == [("Zażółć 😀", "ann")]
    assert [line["status"] for line in lines(tree)] == ["pending", "sent"]


@pytest.mark.parametrize("status", [401, 500])
def test_a_refusing_server_is_a_failure_with_its_reason(
    tree: Tree, receiver: Receiver, status: int
) -> None:
    receiver.status = status
    url = f"json://me:hunter22@127.0.0.1:{receiver.port}/"
    record = deliver(configure(tree, {"webhook": {"url": url}}), "webhook", "ann")
    assert record["status"] == "failed"
    assert str(status) in record["error"]
    assert "hunter22" not in json.dumps(lines(tree))
    assert len(receiver.bodies) == 1


def test_a_server_that_never_answers_fails_in_time(tree: Tree, receiver: Receiver) -> None:
    receiver.delay_s = 30
    own = {"webhook": {"url": f"json://127.0.0.1:{receiver.port}/", "timeoutSeconds": 0.3}}
    started = time.monotonic()
    record = deliver(configure(tree, own), "webhook", "ann")
    assert record["status"] == "failed"
    assert record["error"]
    assert time.monotonic() - started < 5
    assert len(receiver.bodies) == 1


def test_nobody_listening_is_a_failure(tree: Tree) -> None:
    record = deliver(configure(tree, {"webhook": {"url": "json://127.0.0.1:9/"}}), "webhook", "ann")
    assert (record["status"], bool(record["error"])) == ("failed", True)


def test_telegram_reaches_exactly_its_chat_and_topic(
    tree: Tree, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apprise.plugins.telegram import NotifyTelegram

    base = f"http://127.0.0.1:{receiver.port}/bot"
    monkeypatch.setattr(NotifyTelegram, "notify_url", base)
    token = "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp"
    config = configure(tree, {}, telegram={"botToken": token})
    record = deliver(config, "telegram", "telegram:-10042:topic:7")
    assert record["status"] == "sent", record
    assert receiver.paths == [f"/bot{token}/sendMessage"]
    body = receiver.bodies[0]
    assert (body["chat_id"], body["message_thread_id"]) == (-10042, 7)
    assert "How did it go?" in body["text"]


@pytest.mark.parametrize("to", ["no such chat", "1,2", "1 2"])
def test_a_recipient_that_the_service_does_not_understand_goes_to_nobody(
    tree: Tree, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    from apprise.plugins.telegram import NotifyTelegram

    base = f"http://127.0.0.1:{receiver.port}/bot"
    monkeypatch.setattr(NotifyTelegram, "notify_url", base)
    token = "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp"
    record = deliver(configure(tree, {}, telegram={"botToken": token}), "telegram", to)
    assert record["status"] == "failed"
    assert "no recipient" in record["error"]
    assert receiver.bodies == []


def test_the_token_is_in_no_error_and_no_log(
    tree: Tree,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from apprise.plugins.telegram import NotifyTelegram

    receiver.status = 403
    monkeypatch.setattr(NotifyTelegram, "notify_url", f"http://127.0.0.1:{receiver.port}/bot")
    token = "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp"
    caplog.set_level("DEBUG")
    record = deliver(configure(tree, {}, telegram={"botToken": token}), "telegram", "55")
    assert record["status"] == "failed"
    assert token not in json.dumps(lines(tree)) + caplog.text


# SMTP


@pytest.fixture
def mailbox() -> Iterator[Any]:
    from aiosmtpd.controller import Controller

    class Handler:
        def __init__(self) -> None:
            self.mails: list[Any] = []
            self.answer = "250 OK"
            self.port = 0

        async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
            self.mails.append(envelope)
            return self.answer

    handler = Handler()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        handler.port = probe.getsockname()[1]
    controller = Controller(handler, hostname="127.0.0.1", port=handler.port)
    controller.start()
    yield handler
    controller.stop()


def test_mail_goes_to_the_recipient_not_to_the_sender(tree: Tree, mailbox: Any) -> None:
    url = f"mailto://127.0.0.1:{mailbox.port}?from=bot@example.org"
    record = deliver(
        configure(tree, {"email": {"url": url}}), "email", "ann@example.org", "Hello Ann"
    )
    assert record["status"] == "sent", record
    assert [mail.rcpt_tos for mail in mailbox.mails] == [["ann@example.org"]]
    assert b"Hello Ann" in mailbox.mails[0].content


def test_a_mail_server_that_refuses_is_a_failure(tree: Tree, mailbox: Any) -> None:
    mailbox.answer = "554 no thanks"
    url = f"mailto://127.0.0.1:{mailbox.port}?from=bot@example.org"
    record = deliver(configure(tree, {"email": {"url": url}}), "email", "ann@example.org")
    assert record["status"] == "failed"


def test_an_address_that_is_none_is_sent_to_nobody(tree: Tree, mailbox: Any) -> None:
    url = f"mailto://127.0.0.1:{mailbox.port}?from=bot@example.org"
    record = deliver(configure(tree, {"email": {"url": url}}), "email", "not-an-address")
    assert record["status"] == "failed"
    assert mailbox.mails == []


# Programs


def test_a_program_gets_the_record_and_decides(tree: Tree) -> None:
    body = "open('got.json', 'w').write(json.dumps(record))\n"
    config = configure(tree, {"pager": {"command": program(tree, body)}})
    record = deliver(config, "pager", "ann")
    got = tree.read("got.json")
    assert record["status"] == "sent"
    assert {k: got[k] for k in ("channel", "to", "text", "source", "sourceId", "status")} == {
        "channel": "pager", "to": "ann", "text": "How did it go?", "source": "commitment",
        "sourceId": "cm_1", "status": "pending",
    }  # fmt: skip
    assert "pid" not in got


def test_a_program_that_fails_is_quoted(tree: Tree) -> None:
    command = program(tree, "sys.exit('no signal')\n")
    record = deliver(configure(tree, {"pager": {"command": command}}), "pager", "ann")
    assert record["status"] == "failed"
    assert "no signal" in record["error"]
    assert not outbox.wants_retry(record)


def test_a_program_that_asks_for_it_is_tried_three_times_more(tree: Tree) -> None:
    command = program(tree, "open('tries', 'a').write('x')\nsys.exit(75)\n")
    config = configure(tree, {"pager": {"command": command}})
    deliver(config, "pager", "ann")
    for _ in range(6):
        send.retry_due(Paths.from_env(), config, now_ms=NOW_MS)
    assert (tree.home / "tries").read_text() == "x" * 4
    (record,) = outbox.load(Paths.from_env())
    assert (record["status"], record["attempts"]) == ("failed", 4)


def test_a_retry_that_succeeds_is_the_last(tree: Tree) -> None:
    body = (
        "import os\ndone = os.path.exists('flag')\nopen('flag', 'w')\nsys.exit(0 if done else 75)\n"
    )
    config = configure(tree, {"pager": {"command": program(tree, body)}})
    assert deliver(config, "pager", "ann")["status"] == "failed"
    assert [r["status"] for r in send.retry_due(Paths.from_env(), config, now_ms=NOW_MS)] == [
        "sent"
    ]
    assert send.retry_due(Paths.from_env(), config, now_ms=NOW_MS) == []


def test_a_program_out_of_time_is_ended_with_its_children(tree: Tree) -> None:
    body = "import subprocess\nsubprocess.Popen(['sleep', '60'])\ntime.sleep(60)\n"
    own = {"pager": {"command": program(tree, body), "timeoutSeconds": 0.5}}
    started = time.monotonic()
    record = deliver(configure(tree, own), "pager", "ann")
    assert record["status"] == "failed"
    assert "0.5 s" in record["error"]
    assert time.monotonic() - started < 10


def test_a_program_that_does_not_exist_is_a_failure(tree: Tree) -> None:
    record = deliver(configure(tree, {"pager": {"command": ["/no/such"]}}), "pager", "ann")
    assert record["status"] == "failed"
    assert "/no/such" in record["error"]


def test_a_program_that_does_not_read_is_no_problem(tree: Tree) -> None:
    config = configure(tree, {"pager": {"command": ["true"]}})
    assert deliver(config, "pager", "ann", "x" * 300_000)["status"] == "sent"


# The outbox and crashes


def test_without_a_transport_the_message_is_queued(tree: Tree) -> None:
    record = deliver(configure(tree, {}), "telegram", "telegram:1")
    assert record["status"] == "queued"
    assert [line["status"] for line in lines(tree)] == ["queued"]
    mode = (tree.state / "outbox/outbox.jsonl").stat().st_mode & 0o777
    assert (mode, (tree.state / "outbox").stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_channel_switched_off_is_a_failure_without_an_attempt(tree: Tree) -> None:
    config = configure(tree, {"telegram": {"command": ["true"]}}, telegram={"enabled": False})
    record = deliver(config, "telegram", "1")
    assert record["status"] == "failed"
    assert "switched off" in record["error"]


def test_killed_between_handing_over_and_recording_is_uncertain(tree: Tree, openclaw: Run) -> None:
    body = "open('reached', 'w').write('x')\ntime.sleep(60)\n"
    configure(tree, {"pager": {"command": program(tree, body)}})
    child = subprocess.Popen(
        [str(PROGRAM), "channels", "test", "pager", "--to", "ann"],
        cwd=tree.home, env=dict(os.environ), stdout=subprocess.DEVNULL,
    )  # fmt: skip
    _wait_for(tree.home / "reached")
    pending = openclaw("outbox", "--json").json()["deliveries"]
    assert [row["status"] for row in pending] == ["pending"]
    child.send_signal(signal.SIGKILL)
    child.wait()
    (listed,) = openclaw("outbox", "--json").json()["deliveries"]
    assert listed["status"] == "uncertain"
    assert "died" in listed["error"]
    assert openclaw("outbox", "retry", listed["id"]).exit == 1
    config = configure(tree, {"pager": {"command": ["true"]}})
    assert send.retry_due(Paths.from_env(), config, now_ms=NOW_MS) == []
    assert [row["status"] for row in outbox.load(Paths.from_env())] == ["uncertain"]
    done = openclaw("outbox", "retry", "--uncertain", listed["id"], "--json")
    assert (done.exit, done.json()["results"][0]["status"]) == (0, "sent")


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.02)
