"""``openclaw agent`` on real trees, against a scripted model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, PROGRAM, Result, Tree
from model_server import ModelServer

Run = Callable[..., Result]
SESSIONS = ".openclaw/agents/main/sessions"
STORE = f"{SESSIONS}/sessions.json"
MAIN = "agent:main:main"


@pytest.fixture
def configured(tree: Tree, model_server: ModelServer) -> Callable[..., None]:
    def write(**blocks: Any) -> None:
        tree.config(**_merged(model_server.config(), blocks))

    write()
    return write


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = _merged(result[key], value) if both else value
    return result


def _row(tree: Tree, key: str = MAIN) -> dict[str, Any]:
    row: dict[str, Any] = tree.read(STORE)[key]
    return row


def _lines(tree: Tree, row: dict[str, Any]) -> list[dict[str, Any]]:
    name = row.get("sessionFile") or f"{row['sessionId']}.jsonl"
    return tree.lines(f"{SESSIONS}/{name}")


def _texts(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (line["message"]["role"], "".join(b.get("text", "") for b in line["message"]["content"]))
        for line in lines
        if line["type"] == "message"
    ]


def test_a_first_turn_leaves_the_documented_state(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.file(".openclaw/workspace/AGENTS.md", "Be brief.")
    model_server.reply("Hello!")
    found = openclaw_inproc("agent", "--agent", "main", "-m", "Hi")
    assert (found.exit, found.out, found.err) == (0, "Hello!\n", "")
    row = _row(tree)
    assert {k: row[k] for k in ("model", "modelProvider", "systemSent", "abortedLastRun")} == {
        "model": "model", "modelProvider": "scripted", "systemSent": True, "abortedLastRun": False,
    }  # fmt: skip
    assert (row["inputTokens"], row["outputTokens"], row["totalTokens"]) == (11, 7, 11)
    assert row["totalTokensFresh"] is True
    assert row["sessionStartedAt"] == row["lastInteractionAt"] == row["updatedAt"]
    lines = _lines(tree, row)
    assert [line["type"] for line in lines] == [
        "session", "model_change", "thinking_level_change", "custom", "message", "message",
    ]  # fmt: skip
    assert lines[0]["id"] == row["sessionId"]
    assert [line["parentId"] for line in lines[1:]] == [None, *(x["id"] for x in lines[1:-1])]
    assert _texts(lines) == [("user", "Hi"), ("assistant", "Hello!")]
    answer = lines[-1]["message"]
    assert (answer["api"], answer["stopReason"]) == ("openai-completions", "stop")
    assert answer["usage"]["totalTokens"] == 18
    path = tree.home / SESSIONS / f"{row['sessionId']}.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert not list((tree.home / SESSIONS).glob("*.lock"))
    system = model_server.requests[0].body["messages"][0]
    assert system["role"] == "system"
    assert "Be brief." in system["content"]


def test_the_conversation_goes_on(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.reply("One.", "Two.")
    openclaw_inproc("agent", "--agent", "main", "-m", "first")
    found = openclaw_inproc(
        "agent", "--agent", "main", "-m", "second", "--json", now="2026-11-20T03:30:00Z"
    )
    assert [m["content"] for m in model_server.requests[1].body["messages"][1:]] == [
        "first", "One.", "second",
    ]  # fmt: skip
    document = found.json()
    assert document["payloads"] == [{"text": "Two.", "mediaUrl": None}]
    assert document["status"] == "ok"
    assert document["sessionKey"] == MAIN
    meta = document["meta"]["agentMeta"]
    assert meta["sessionId"] == _row(tree)["sessionId"]
    assert meta["usage"] == {
        "input": 11, "output": 7, "cacheRead": 0, "cacheWrite": 0, "total": 18,
    }  # fmt: skip
    assert document["meta"]["finalAssistantVisibleText"] == "Two."


def test_tools_search_and_append(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.note("2026-11-18", "- The router moved to VLAN 20.\n")
    model_server.call_tool("memory_search", {"query": "router VLAN"}, call_id="a")
    model_server.call_tool("memory_append", {"text": "- Asked about the router. <!-- x -->"})
    model_server.call_tool("exec", {"command": "rm -rf /"}, call_id="c")
    model_server.reply("It is in VLAN 20.")
    found = openclaw_inproc("agent", "--agent", "main", "-m", "Where is the router?")
    assert found.out == "It is in VLAN 20.\n"
    roles = [role for role, _ in _texts(_lines(tree, _row(tree)))]
    assert roles == ["user", *["assistant", "toolResult"] * 3, "assistant"]
    results = [m for m in model_server.requests[3].body["messages"] if m["role"] == "tool"]
    assert "VLAN 20" in results[0]["content"]
    assert "no tool" in results[2]["content"]
    note = (tree.workspace / "memory/2026-11-20.md").read_text()
    assert note == "- Asked about the router. &lt;!-- x -->\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda s: s.fail(401), "HTTP 401"),
        (lambda s: s.fail(404, "model not found"), "HTTP 404"),
        (lambda s: s.fail(429, times=3), "HTTP 429"),
        (lambda s: s.fail(500, times=3), "HTTP 500"),
        (lambda s: s.malformed(), "no usable answer"),
        (lambda s: s.drop(times=3), "no connection"),
    ],
    ids=["401", "404", "429", "500", "malformed", "drop"],
)
def test_a_failing_model_is_one_line_and_a_closed_turn(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run,
    script: Callable[[ModelServer], None], said: str,
) -> None:  # fmt: skip
    script(model_server)
    found = openclaw_inproc("agent", "--agent", "main", "-m", "Hi")
    assert (found.exit, found.out, len(found.err.splitlines())) == (1, "", 1)
    assert said in found.err
    lines = _lines(tree, _row(tree))
    assert _texts(lines) == [("user", "Hi"), ("assistant", "")]
    assert lines[-1]["message"]["stopReason"] == "error"
    model_server.reply("Now it works.")
    assert openclaw_inproc("agent", "--agent", "main", "-m", "Again").out == "Now it works.\n"


def test_no_model_writes_nothing(tree: Tree, openclaw_inproc: Run) -> None:
    found = openclaw_inproc("agent", "--agent", "main", "-m", "Hi", "--json")
    assert found.exit == 1
    assert found.error["code"] == "model-unconfigured"
    assert not (tree.home / STORE).exists()


def test_an_expired_session_begins_anew_and_the_old_one_is_archived(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.reply("One.", "Two.")
    openclaw_inproc("agent", "--agent", "main", "-m", "first", now="2026-11-20T03:59:00Z")
    first = _row(tree)["sessionId"]
    openclaw_inproc("agent", "--agent", "main", "-m", "/send off")
    found = openclaw_inproc(
        "agent", "--agent", "main", "-m", "second", "--json", now="2026-11-20T04:01:00Z"
    )
    row = _row(tree)
    assert found.json()["reset"] == "daily"
    assert row["sessionId"] != first
    assert row["sendPolicy"] == "deny"
    assert row["usageFamilySessionIds"] == [first]
    archives = list((tree.home / SESSIONS).glob(f"{first}.jsonl.reset.*"))
    assert len(archives) == 1
    assert _texts([json.loads(x) for x in archives[0].read_text().splitlines()]) == [
        ("user", "first"), ("assistant", "One."),
    ]  # fmt: skip
    assert [m["content"] for m in model_server.requests[1].body["messages"][1:]] == ["second"]
    changes = tree.lines(".openclaw/logs/changes.jsonl")
    assert changes[-1]["rule"] == "daily"
    assert changes[-1]["undo"]


def test_new_keeps_the_rest_verbatim_and_pins_a_model(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(agents={"defaults": {"models": {"scripted/other": {"alias": "other"}}}})
    model_server.reply("One.", "Two.", "Hello again.")
    openclaw_inproc("agent", "--agent", "main", "-m", "first")
    text = "Review this:\nTODO: fix [urgent] parser\n- item"
    openclaw_inproc("agent", "--agent", "main", "-m", f"/new other {text}")
    row = _row(tree)
    assert (row["providerOverride"], row["modelOverride"]) == ("scripted", "other")
    assert model_server.requests[1].body["model"] == "other"
    assert _texts(_lines(tree, row))[0] == ("user", text)
    openclaw_inproc("agent", "--agent", "main", "-m", "/reset")
    greeting = model_server.requests[2].body["messages"]
    assert "new session" in greeting[0]["content"]
    assert greeting[-1]["content"] == "/reset"
    assert _row(tree)["modelOverride"] == "other"
    model_server.reply("The default.")
    openclaw_inproc("agent", "--agent", "main", "-m", "/new scripted/model Hi")
    assert model_server.requests[3].body["messages"][-1]["content"] == "Hi"
    assert _row(tree)["modelOverride"] == "model"


def test_commands_are_obeyed_without_a_model(tree: Tree, openclaw_inproc: Run) -> None:
    def say(text: str) -> str:
        found = openclaw_inproc("agent", "--agent", "main", "-m", text)
        assert found.exit == 0, found.err
        return found.out

    assert say("/send") == "⚙️ Usage: /send on|off|inherit\n"
    assert say("/send off") == "⚙️ Send policy set to off.\n"
    assert _row(tree)["sendPolicy"] == "deny"
    assert say("/send INHERIT") == "⚙️ Send policy set to inherit.\n"
    assert "sendPolicy" not in _row(tree)
    assert "AGENTS.md: MISSING" in say("/context list")
    assert json.loads(say("/context json"))["bootstrapMaxChars"] == 20_000
    assert "Unknown /context mode" in say("/context everything")
    assert MAIN in say("/status")
    assert say("stop!") == "⚙️ Agent was aborted.\n"
    assert say("/dreaming on").startswith("Dreaming enabled.\n\nDreaming status:\n- enabled: on")
    assert "- enabled: on" in say("/dreaming status")
    assert "Phases:" in say("/dreaming nonsense")
    assert say("/new") == "✅ New session started.\n"
    assert say("/reset") == "✅ Session reset.\n"


def test_polls_of_the_other_program_that_brought_nothing_are_not_told_again(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    session_id = "11111111-1111-4111-8111-111111111111"
    at = 1_795_143_000_000
    row = {"sessionId": session_id, "updatedAt": at, "sessionStartedAt": at}
    tree.sessions({MAIN: row})
    polls = [("user", "[OpenClaw heartbeat poll]"), ("assistant", "HEARTBEAT_OK")] * 3
    tree.transcript(session_id, [("user", "Hi"), ("assistant", "Hello"), *polls])
    model_server.reply("Still here.")
    openclaw_inproc("agent", "--agent", "main", "-m", "And?")
    told = [message["content"] for message in model_server.requests[0].body["messages"][1:]]
    assert told == ["Hi", "Hello", "And?"]
    assert len(_texts(_lines(tree, _row(tree)))) == 10


def test_thoughts_are_kept_in_the_transcript_and_nowhere_else(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.reply("One.", reasoning="Hm.")
    model_server.reply("Two.")
    assert openclaw_inproc("agent", "--agent", "main", "-m", "Hi").out == "One.\n"
    last = _lines(tree, _row(tree))[-1]["message"]
    assert last["content"][0] == {"type": "thinking", "thinking": "Hm."}
    openclaw_inproc("agent", "--agent", "main", "-m", "And?")
    assert "Hm." not in model_server.prompts()[-1]


def test_what_waits_for_the_session_is_told_before_the_message_and_used_up(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.reply("One.", "Two.")
    openclaw_inproc("system", "event", "The wash is done")
    openclaw_inproc("system", "event", "The oven is hot")
    assert openclaw_inproc("agent", "--agent", "main", "-m", "Hi").out == "One.\n"
    told = [message["content"] for message in model_server.requests[0].body["messages"][1:]]
    assert told == ["System: The wash is done\nSystem: The oven is hot", "Hi"]
    openclaw_inproc("agent", "--agent", "main", "-m", "And now?")
    again = [message["content"] for message in model_server.requests[1].body["messages"][1:]]
    assert again == [*told, "One.", "And now?"]
    assert tree.read(".openclaw/heartbeat/state.json")["events"] == {}
    assert _texts(_lines(tree, _row(tree)))[0] == ("user", "Hi")


@pytest.mark.parametrize(("every", "told"), [("30m", False), ("0m", True)])
def test_a_reminder_is_told_by_the_heartbeat_or_without_one_here(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, every: str,
    told: bool,
) -> None:  # fmt: skip
    configured(agents={"defaults": {"heartbeat": {"every": every}}})
    line = {"text": "Call Ada", "contextKey": "cron:1", "queuedAtMs": 1}
    tree.file(".openclaw/heartbeat/state.json", json.dumps({"events": {MAIN: [line]}}))
    model_server.reply("One.")
    openclaw_inproc("agent", "--agent", "main", "-m", "Hi")
    assert ("System: Call Ada" in model_server.prompts()[0]) is told
    assert (tree.read(".openclaw/heartbeat/state.json")["events"] == {}) is told


@pytest.mark.parametrize(
    ("heartbeat", "agent", "told"),
    [
        ({}, "main", True),
        ({"includeSystemPromptSection": False}, "main", False),
        ({"every": "0m"}, "main", False),
        ({}, "work", False),
    ],
)
def test_the_default_agent_knows_of_its_heartbeat(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run,
    heartbeat: dict[str, Any], agent: str, told: bool,
) -> None:  # fmt: skip
    configured(
        agents={"defaults": {"heartbeat": heartbeat}, "list": [{"id": "main"}, {"id": "work"}]}
    )
    model_server.reply("Hello.")
    openclaw_inproc("agent", "--agent", agent, "-m", "Hi")
    assert ("HEARTBEAT_OK" in model_server.prompts()[0]) is told


def test_a_stranger_changes_nothing(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(channels={"telegram": {"allowFrom": ["1"]}})
    for text in ("Hi", "/send off", "/new", "stop", "/status"):
        found = openclaw_inproc(
            "agent", "--channel", "telegram", "--from", "2", "-m", text, "--json"
        )
        assert found.exit == 0
        assert found.json()["status"] == "ignored"
        assert "allowFrom" in found.json()["reason"]
    assert not (tree.home / STORE).exists()
    assert model_server.requests == []


def test_a_guest_may_talk_but_not_command(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(channels={"telegram": {"dmPolicy": "open", "allowFrom": ["*", "1"]}})
    model_server.reply("Hello guest.")
    guest = ("agent", "--channel", "telegram", "--from", "2")
    assert openclaw_inproc(*guest, "-m", "Hi").out == "Hello guest.\n"
    assert openclaw_inproc(*guest, "-m", "/send off", "--json").json()["status"] == "ignored"
    assert "sendPolicy" not in _row(tree)
    refused = openclaw_inproc(*guest, "-m", "/dreaming on", "--json").json()
    assert refused["payloads"][0]["text"].startswith("⚠️")


def test_origin_and_routing_follow_the_message(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(session={"dmScope": "per-channel-peer"})
    model_server.reply("Hi.")
    argv = ["--channel", "telegram", "--from", "123", "--sender-name", "Ada", "--account", "bot"]
    openclaw_inproc("agent", *argv, "--message-id", "m-1", "-m", "Hi")
    row = _row(tree, "agent:main:telegram:direct:123")
    assert row["origin"]["label"] == "Ada"
    assert row["deliveryContext"] == {"channel": "telegram", "to": "123", "accountId": "bot"}
    assert row["chatType"] == "direct"
    user = next(x for x in _lines(tree, row) if x["type"] == "message")
    assert user["message"]["idempotencyKey"] == "m-1"
    before = row["updatedAt"]
    found = openclaw_inproc(
        "agent", *argv[:4], "--to", "chat-9", "--record-only", now="2026-11-20T03:10:00Z"
    )
    assert found.exit == 0
    row = _row(tree, "agent:main:telegram:direct:123")
    assert row["deliveryContext"]["to"] == "chat-9"
    assert row["updatedAt"] == before


def test_a_denied_answer_is_recorded_and_not_delivered(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    deny = {"action": "deny", "match": {"channel": "telegram"}}
    configured(session={"sendPolicy": {"rules": [deny]}})
    model_server.reply("Secret.", "NO_REPLY", "Fine.")
    argv = ("agent", "--channel", "telegram", "--from", "1", "-m", "Hi", "--deliver", "--json")
    found = openclaw_inproc(*argv)
    assert found.json()["reason"] == "send-policy"
    assert "deliveryStatus" not in found.json()
    assert "send policy" in found.err
    assert _texts(_lines(tree, _row(tree)))[-1] == ("assistant", "Secret.")
    configured()
    silent = openclaw_inproc(*argv).json()
    assert (silent["payloads"], silent.get("deliveryStatus")) == ([], None)
    sent = openclaw_inproc(*argv).json()
    assert sent["deliveryStatus"] == "queued"
    outbox = tree.lines(".openclaw/outbox/outbox.jsonl")
    assert [(r["channel"], r["to"], r["text"], r["status"]) for r in outbox][-1] == (
        "telegram", "1", "Fine.", "queued",
    )  # fmt: skip


def test_a_long_conversation_is_condensed(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(models={"providers": {"scripted": {"models": [
        {"id": "model", "name": "model", "contextWindow": 4000}]}}},
        agents={"defaults": {"compaction": {"memoryFlush": {"enabled": False}}}})  # fmt: skip
    big = {"prompt_tokens": 3900, "completion_tokens": 10, "total_tokens": 3910}
    model_server.reply("x" * 4000)
    model_server.reply("y" * 400, usage=big)
    model_server.reply("## Goal\nAll the sections.")
    model_server.reply("After.")
    for text in ("first " * 400, "second"):
        assert openclaw_inproc("agent", "--agent", "main", "-m", text).exit == 0
    row = _row(tree)
    assert row["compactionCount"] == 1
    line = next(x for x in _lines(tree, row) if x["type"] == "compaction")
    assert "All the sections." in line["summary"]
    assert line["tokensBefore"] == 3900
    openclaw_inproc("agent", "--agent", "main", "-m", "third")
    contents = [m["content"] for m in model_server.requests[3].body["messages"][1:]]
    assert "All the sections." in contents[0]
    assert contents[-1] == "third"
    assert not any("first first" in content for content in contents)


def test_the_memory_flush_runs_once_a_cycle(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(agents={"defaults": {"compaction": {"memoryFlush": {
        "forceFlushTranscriptBytes": 1}}}})  # fmt: skip
    model_server.reply("One.")
    model_server.call_tool("memory_append", {"text": "- Ilse likes tea."})
    model_server.reply("NO_REPLY", "Two.", "Three.")
    for text in ("first", "second", "third"):
        assert openclaw_inproc("agent", "--agent", "main", "-m", text).exit == 0
    assert (tree.workspace / "memory/2026-11-20.md").read_text() == "- Ilse likes tea.\n"
    row = _row(tree)
    assert row["memoryFlushCompactionCount"] == 0
    assert [text for _, text in _texts(_lines(tree, row))] == [
        "first", "One.", "second", "Two.", "third", "Three.",
    ]  # fmt: skip
    tools = [t["function"]["name"] for t in model_server.requests[1].body["tools"]]
    assert tools == ["memory_append"]


def _start(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(PROGRAM), "agent", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OPENCLAW_NOW": NOW},
    )  # fmt: skip


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


@pytest.mark.system
def test_two_messages_for_one_session_are_taken_in_turn(
    tree: Tree, configured: Any, model_server: ModelServer
) -> None:
    model_server.reply("One.", "Two.", delay_s=0.3)
    runs = [_start("--agent", "main", "-m", f"message {n}") for n in (1, 2)]
    outs = sorted(run.communicate(timeout=60)[0] for run in runs)
    assert [run.returncode for run in runs] == [0, 0]
    assert outs == ["One.\n", "Two.\n"]
    texts = _texts(_lines(tree, _row(tree)))
    assert [role for role, _ in texts] == ["user", "assistant"] * 2
    assert {text for role, text in texts if role == "user"} == {"message 1", "message 2"}


@pytest.mark.system
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_turn_is_closed_as_aborted(
    tree: Tree, configured: Any, model_server: ModelServer, number: int, status: int
) -> None:
    model_server.hang()
    run = _start("--agent", "main", "-m", "Hi")
    _wait_for(lambda: bool(model_server.requests))
    run.send_signal(number)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out) == (status, ""), err
    row = _row(tree)
    assert row["abortedLastRun"] is True
    assert _lines(tree, row)[-1]["message"]["stopReason"] == "aborted"
    assert not list((tree.home / SESSIONS).glob("*.lock"))


@pytest.mark.system
def test_stop_ends_the_turn_of_another_process_and_drops_what_waits(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw: Run
) -> None:
    model_server.hang()
    running = _start("--agent", "main", "-m", "Hi")
    _wait_for(lambda: bool(model_server.requests))
    waiting = _start("--agent", "main", "-m", "And?", "--json")
    _wait_for(lambda: _waits_for_lock(waiting.pid))
    stopped = openclaw("agent", "--agent", "main", "-m", "stop")
    assert stopped.out == "⚙️ Agent was aborted.\n"
    running.communicate(timeout=20)
    out, _ = waiting.communicate(timeout=20)
    assert running.returncode == 143
    assert json.loads(out)["status"] == "dropped"
    assert len(model_server.requests) == 1


def _waits_for_lock(pid: int) -> bool:
    """Whether a process is past its start-up and sleeps between two looks at the lock."""
    with open(f"/proc/{pid}/syscall") as source:
        name = source.read().split()[0]
    return name in ("230", "115")  # clock_nanosleep on x86-64 and arm64


@pytest.mark.system
def test_a_killed_turn_leaves_everything_readable(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw: Run
) -> None:
    model_server.hang()
    run = _start("--agent", "main", "-m", "Hi")
    _wait_for(lambda: bool(model_server.requests))
    run.kill()
    run.communicate()
    model_server.reply("Here I am.")
    assert openclaw("agent", "--agent", "main", "-m", "Still there?").out == "Here I am.\n"
    assert _texts(_lines(tree, _row(tree))) == [
        ("user", "Hi"), ("user", "Still there?"), ("assistant", "Here I am."),
    ]  # fmt: skip


def test_interactive_goes_on_after_an_error(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw: Run
) -> None:
    model_server.reply("One.")
    model_server.fail(401)
    model_server.reply("Three.")
    found = openclaw("agent", "--agent", "main", "--interactive", input="a\nb\n\nc\n/quit\nd\n")
    assert (found.exit, found.out) == (0, "One.\nThree.\n")
    assert "HTTP 401" in found.err


def test_the_message_may_come_from_a_file_or_a_pipe(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw: Run, tmp_path: Path
) -> None:
    model_server.reply("File.", "Pipe.")
    (tmp_path / "m.txt").write_bytes(b"\xef\xbb\xbffrom a file\r\n")
    args = ("agent", "--agent", "main")
    assert openclaw(*args, "--message-file", str(tmp_path / "m.txt")).out == "File.\n"
    assert openclaw(*args, "-m", "-", input="from a pipe\n").out == "Pipe.\n"
    said = [text for role, text in _texts(_lines(tree, _row(tree))) if role == "user"]
    assert said == ["from a file", "from a pipe"]
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    for name in (tmp_path, tmp_path / "none.txt", tmp_path / "latin.txt"):
        refused = openclaw(*args, "--message-file", str(name))
        assert (refused.exit, "Errno" in refused.err) == (1, False)
        assert str(name) in refused.err
    both = openclaw(*args, "-m", "x", "--message-file", str(tmp_path / "m.txt"))
    assert (both.exit, openclaw(*args).exit) == (2, 2)


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        ([], 2), (["-m", "hi"], 2), (["--agent", "nope", "-m", "hi"], 1),
        (["--agent", "main", "--session-key", "agent:work:main", "-m", "hi"], 2),
        (["--agent", "main", "-m", "/compact"], 2), (["--session-key", "agent::x", "-m", "hi"], 2),
        (["--agent", "main", "-m", "hi", "--timeout", "0"], 2),
        (["--agent", "main", "-m", "hi", "--timeout", "nan"], 2),
        (["--agent", "main", "-m", "hi", "--timeout", "soon"], 2),
        (["--agent", "main", "-m", "hi", "--bogus"], 2), (["--agent", "main", "-m", "hi", "x"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_bad_input(openclaw_inproc: Run, argv: list[str], status: int) -> None:
    found = openclaw_inproc("agent", *argv)
    assert (found.exit, found.out, len(found.err.splitlines())) == (status, "", 1)
