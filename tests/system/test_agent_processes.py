"""A turn in real processes: killed at every write, beside other turns, on a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import faults
import pytest
from conftest import NOW, PROGRAM, Result, Tree
from model_server import ModelServer

from openclaw_cli.sessions import context, transcript

pytestmark = pytest.mark.system

Run = Callable[..., Result]
SESSIONS = ".openclaw/agents/main/sessions"
STORE = f"{SESSIONS}/sessions.json"
MAIN = "agent:main:main"
WORDS = ["agent", "--agent", "main", "-m", "second", "--deliver"]


@pytest.fixture
def configured(tree: Tree, model_server: ModelServer) -> Tree:
    tree.config(**model_server.config())
    return tree


def _messages(home: Path) -> list[tuple[str, str]]:
    row = json.loads((home / STORE).read_text())[MAIN]
    found = transcript.read(home / SESSIONS / f"{row['sessionId']}.jsonl")
    assert found.skipped == 0
    built = context.build(found.entries).messages
    return [(m.message["role"], transcript.text_of(m.message)) for m in built]


@pytest.mark.skipif(not faults.available(), reason="strace may not trace here")
@pytest.mark.parametrize("call", ["write", "fsync", "rename", "linkat", "unlink"])
def test_killed_at_any_write_the_next_message_works(
    configured: Tree, model_server: ModelServer, openclaw_inproc: Run, tmp_path: Path, call: str
) -> None:
    """The first turn of a day: reset, archive, new transcript, counters, delivery."""
    model_server.reply("One.")
    before = "2026-11-20T03:59:00Z"
    openclaw_inproc("agent", "--channel", "telegram", "--from", "1", "-m", "first", now=before)
    base = tmp_path / "base"
    shutil.copytree(configured.home, base)
    model_server.default = "Two."
    later = "2026-11-20T04:01:00Z"
    clean = tmp_path / "clean"
    shutil.copytree(base, clean)
    counts = faults.count_calls(clean, WORDS, now=later, report=tmp_path / "report")
    assert [text for _, text in _messages(clean)] == ["second", "Two."]
    assert counts.get(call, 0) > 2
    for label, _, tracing in faults.places({call: counts[call]}, ("signal=KILL",)):
        home = tmp_path / "home"
        shutil.copytree(base, home)
        killed = faults.run(home, WORDS, now=later, tracing=tracing)
        again = openclaw_inproc(
            "agent", "--agent", "main", "-m", "third", now=later, env={"HOME": str(home)}
        )
        assert (again.exit, again.out) == (0, "Two.\n"), (label, again.err, killed.returncode)
        messages = _messages(home)
        assert messages[-2:] == [("user", "third"), ("assistant", "Two.")], label
        assert set(messages[:-2]) <= {("user", "second"), ("assistant", "Two.")}, label
        rows = json.loads((home / STORE).read_text())
        assert rows[MAIN]["deliveryContext"] == {"channel": "telegram", "to": "1"}, label
        assert not list((home / SESSIONS).glob("*.lock")), label
        texts = [path.read_text() for path in (home / SESSIONS).glob("*.jsonl*")]
        assert sum("first" in text for text in texts) == 1, f"{label}: the old session is lost"
        shutil.rmtree(home)


def _start(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(PROGRAM), "agent", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENCLAW_NOW": NOW},
    )  # fmt: skip


def test_messages_for_different_sessions_are_answered_at_the_same_time(
    configured: Tree, model_server: ModelServer
) -> None:
    model_server.hang(30, times=3)  # nobody gets an answer before all have asked
    runs = [_start("--session-key", f"desk-{n}", "-m", f"message {n}") for n in range(3)]
    deadline = time.monotonic() + 30
    while len(model_server.requests) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(model_server.requests) == 3
    assert [run.poll() for run in runs] == [None] * 3
    assert len(list((configured.home / SESSIONS).glob("*.jsonl.lock"))) == 3
    for run in runs:
        run.terminate()
    for run in runs:
        run.communicate(timeout=20)
    assert [run.returncode for run in runs] == [143] * 3
    rows = configured.read(STORE)
    assert sorted(rows) == [f"agent:main:desk-{n}" for n in range(3)]
    assert all(row["abortedLastRun"] for row in rows.values())


def test_a_store_with_many_writers_keeps_every_turn(
    configured: Tree, model_server: ModelServer
) -> None:
    model_server.default = "Hi."
    runs = [_start("--session-key", f"desk-{n % 3}", "-m", f"message {n}") for n in range(9)]
    for run in runs:
        _, err = run.communicate(timeout=120)
        assert (run.returncode, err) == (0, "")
    said: list[str] = []
    for row in configured.read(STORE).values():
        found = transcript.read(configured.home / SESSIONS / f"{row['sessionId']}.jsonl")
        pairs = list(transcript.conversation(found.entries))
        assert [role for role, _, _ in pairs] == ["user", "assistant"] * 3
        said += [text for role, text, _ in pairs if role == "user"]
    assert sorted(said) == [f"message {n}" for n in range(9)]


def _on_a_terminal(home: Path, *argv: str) -> tuple[int, str]:
    """Exit status and everything that a run shows on a terminal."""
    child, master = pty.fork()
    if child == 0:
        os.execve(str(PROGRAM), ["openclaw", *argv], dict(os.environ))
    shown = b""
    while select.select([master], [], [], 60)[0]:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    _, status = os.waitpid(child, 0)
    os.close(master)
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("It is in VLAN 20.", "It is in VLAN 20.\n"),
        ("Noted. NO_REPLY", "Noted.\n"),
        ("NO_REPLY", ""),
        ("NO_RE is not the word", "NO_RE is not the word\n"),
        ("HEARTBEAT_OK", ""),
        ("HEARTBEAT_OK All is well.", "All is well.\n"),
        ("All is well. HEARTBEAT_OK", "All is well.\n"),
        ("A HEARTBEAT is not the word", "A HEARTBEAT is not the word\n"),
        ("red \x1b[31malert\x1b[0m\x07", "red alert\n"),
    ],
)
def test_on_a_terminal_the_answer_is_shown_once_as_it_comes(
    configured: Tree, model_server: ModelServer, answer: str, shown: str
) -> None:
    model_server.reply(answer)
    found = _on_a_terminal(configured.home, "agent", "--agent", "main", "-m", "Hi")
    assert found == (0, shown)
    assert model_server.requests[0].body["stream"] is True
    assert _messages(configured.home)[-1][1] == answer


def test_words_before_a_tool_stand_apart_and_a_failure_ends_the_line(
    configured: Tree, model_server: ModelServer
) -> None:
    model_server.call_tool("memory_search", {"query": "x"})
    model_server.queue[0].text = "Let me look."
    model_server.fail(401)
    status, shown = _on_a_terminal(configured.home, "agent", "--agent", "main", "-m", "Hi")
    assert status == 1
    first, _, rest = shown.partition("\n")
    assert first == "Let me look."
    assert "HTTP 401" in rest


def test_a_stop_during_the_flush_keeps_what_was_said(
    configured: Tree, model_server: ModelServer, openclaw: Run
) -> None:
    config = model_server.config()
    flush = {"memoryFlush": {"forceFlushTranscriptBytes": 1}}
    config["agents"]["defaults"]["compaction"] = flush
    configured.config(**config)
    model_server.reply("One.")
    openclaw("agent", "--agent", "main", "-m", "first")
    model_server.hang()
    running = _start("--agent", "main", "-m", "second")
    deadline = time.monotonic() + 30
    while len(model_server.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    argv = ("agent", "--channel", "telegram", "--from", "1", "--message-id", "m9", "-m")
    assert openclaw(*argv, "please stop").out == "⚙️ Agent was aborted.\n"
    running.communicate(timeout=20)
    assert running.returncode == 143
    assert _messages(configured.home)[-2:] == [("user", "second"), ("assistant", "")]
    row = configured.read(STORE)[MAIN]
    assert (row["abortedLastRun"], row["abortCutoffMessageSid"]) == (True, "m9")
