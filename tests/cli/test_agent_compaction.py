"""Long conversations: overflow, compaction, the flush before it, pruning, and failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Result, Tree
from model_server import ModelServer

from openclaw_cli.sessions import context, transcript

Run = Callable[..., Result]
SESSIONS = ".openclaw/agents/main/sessions"
MAIN = "agent:main:main"
SAY = ("agent", "--agent", "main", "-m")
SUMMARY = "## Goal\nConstraints, Progress, Key Decisions, Next Steps, Critical Context."


@pytest.fixture
def configured(tree: Tree, model_server: ModelServer) -> Callable[..., None]:
    def write(*, window: int = 200_000, **defaults: Any) -> None:
        config = model_server.config()
        config["agents"]["defaults"] |= defaults
        provider = config["models"]["providers"]["scripted"]
        provider["models"] = [{"id": "model", "name": "model", "contextWindow": window}]
        tree.config(**config)

    write()
    return write


def _row(tree: Tree) -> dict[str, Any]:
    row: dict[str, Any] = tree.read(f"{SESSIONS}/sessions.json")[MAIN]
    return row


def _transcript(tree: Tree) -> transcript.Transcript:
    return transcript.read(tree.home / SESSIONS / f"{_row(tree)['sessionId']}.jsonl")


def _sees(tree: Tree) -> list[str]:
    """What the next request would hold."""
    built = context.build(_transcript(tree).entries).messages
    return [transcript.text_of(item.message) for item in built]


def _overflow(server: ModelServer) -> None:
    server.fail(400, "maximum context length exceeded", code="context_length_exceeded")


def test_an_overflow_is_condensed_and_asked_again_and_stays_condensed(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(window=4000, compaction={"memoryFlush": {"enabled": False}})
    model_server.reply("a" * 3000, "b" * 3000)
    for text in ("first", "second"):
        assert openclaw_inproc(*SAY, text).exit == 0
    _overflow(model_server)
    model_server.reply(SUMMARY, SUMMARY, "Now it fits.")
    found = openclaw_inproc(*SAY, "third")
    assert (found.exit, found.out) == (0, "Now it fits.\n")
    retried = [m["content"] for m in model_server.requests[-1].body["messages"][1:]]
    assert SUMMARY in retried[0]
    assert retried[-1] == "third"
    assert "a" * 3000 not in retried
    seen = _sees(tree)
    assert SUMMARY in seen[0]
    assert seen[-2:] == ["third", "Now it fits."]
    assert _row(tree)["compactionCount"] == 1
    model_server.reply("Fourth.")
    openclaw_inproc(*SAY, "fourth")
    assert "a" * 3000 not in model_server.prompts()[-1]


def test_an_overflow_that_nothing_can_shorten_is_told(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    _overflow(model_server)
    found = openclaw_inproc(*SAY, "x" * 9000)
    assert (found.exit, len(found.err.splitlines())) == (1, 1)
    assert _transcript(tree).entries[-1]["message"]["stopReason"] == "error"
    assert len(model_server.requests) == 1


def test_a_server_that_does_not_count_is_estimated(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(window=4000, compaction={"memoryFlush": {"enabled": False}})
    model_server.reply("a" * 9000, usage=None)
    openclaw_inproc(*SAY, "first")
    row = _row(tree)
    assert (row["totalTokensFresh"], "inputTokens" in row) == (False, False)
    model_server.reply("b", usage=None)
    model_server.reply(SUMMARY)
    openclaw_inproc(*SAY, "second")
    assert _row(tree)["compactionCount"] == 1
    assert SUMMARY in _sees(tree)[0]


def test_a_failed_summary_leaves_the_answer_and_says_so(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(window=4000, compaction={"memoryFlush": {"enabled": False}})
    big = {"prompt_tokens": 3900, "completion_tokens": 1, "total_tokens": 3901}
    model_server.reply("a" * 4000)
    model_server.reply("Two.", usage=big)
    model_server.fail(401)
    openclaw_inproc(*SAY, "first")
    found = openclaw_inproc(*SAY, "second")
    assert (found.exit, found.out) == (0, "Two.\n")
    assert "could not be condensed" in found.err
    assert "compactionCount" not in _row(tree)


def test_three_failed_flushes_end_the_cycle_with_a_warning(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(compaction={"memoryFlush": {"forceFlushTranscriptBytes": 1}})
    model_server.reply("One.")
    openclaw_inproc(*SAY, "first")
    for number in (1, 2, 3):
        model_server.fail(401)
        model_server.reply(f"Answer {number}.")
        found = openclaw_inproc(*SAY, f"message {number}")
        assert found.out == f"Answer {number}.\n"
        row = _row(tree)
        if number < 3:
            assert row["memoryFlushFailureCount"] == number
            assert "HTTP 401" in row["memoryFlushLastFailureError"]
            assert found.err == ""
        else:
            assert row["memoryFlushCompactionCount"] == 0
            assert "three tries failed" in found.err
    calls = len(model_server.requests)
    model_server.reply("Quiet again.")
    openclaw_inproc(*SAY, "more")
    assert len(model_server.requests) == calls + 1


def test_the_flush_carries_the_safety_rules_into_an_own_prompt(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    flush = {
        "forceFlushTranscriptBytes": 1,
        "prompt": "Save to YYYY-MM-DD.",
        "systemPrompt": "Own.",
    }
    configured(compaction={"memoryFlush": flush}, userTimezone="Pacific/Auckland")
    model_server.reply("One.", "NO_REPLY", "Two.")
    openclaw_inproc(*SAY, "first", now="2026-11-20T12:30:00Z")
    openclaw_inproc(*SAY, "second", now="2026-11-20T12:31:00Z")
    messages = model_server.requests[1].body["messages"]
    assert messages[0]["content"].startswith("Own.")
    assert "MEMORY.md" in messages[0]["content"]
    assert messages[-1]["content"] == "Save to 2026-11-21."


def test_safeguard_keeps_whole_turns_and_asks_again_for_missing_sections(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(
        window=4000,
        compaction={"mode": "safeguard", "recentTurnsPreserve": 2, "keepRecentTokens": 300,
                    "memoryFlush": {"enabled": False}},
    )  # fmt: skip
    big = {"prompt_tokens": 3900, "completion_tokens": 1, "total_tokens": 3901}
    for number in range(4):
        model_server.reply(str(number) * 700, usage=big if number == 3 else {
            "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})  # fmt: skip
    model_server.reply("nothing of that kind", SUMMARY)
    for number in range(4):
        openclaw_inproc(*SAY, f"turn {number}")
    assert "lacked" in model_server.prompts()[-1]
    seen = _sees(tree)
    assert SUMMARY in seen[0]
    assert seen[1:] == ["turn 2", "2" * 700, "turn 3", "3" * 700]


def test_compact_in_a_chat_takes_a_focus_and_tells_the_sizes(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    chat = ("agent", "--channel", "telegram", "--from", "1", "-m")
    assert "missing session id" in openclaw_inproc(*chat, "/compact").out
    model_server.reply("a" * 4000, "b" * 400)
    openclaw_inproc(*chat, "first")
    openclaw_inproc(*chat, "second")
    model_server.fail(401)
    assert openclaw_inproc(*chat, "/compact").out.startswith("⚙️ Compaction failed: ")
    model_server.reply(SUMMARY)
    said = openclaw_inproc(*chat, "/compact: the garden").out
    assert said.startswith("⚙️ Compacted (")
    assert " • Context " in said
    assert "Above all keep in view: the garden" in model_server.prompts()[-1]
    row = _row(tree)
    assert "inputTokens" not in row
    assert row["totalTokensFresh"] is True


BIG = {"prompt_tokens": 3900, "completion_tokens": 1, "total_tokens": 3901}


def test_what_was_summarised_leaves_the_transcript_where_wanted(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    wanted = {"memoryFlush": {"enabled": False}, "truncateAfterCompaction": True}
    configured(window=4000, compaction=wanted)
    model_server.reply("a" * 4000, "b" * 4000)
    openclaw_inproc(*SAY, "zeroth", now="2026-11-20T02:58:00Z")
    openclaw_inproc(*SAY, "first", now="2026-11-20T03:00:00Z")
    model_server.reply("Two.", usage=BIG)
    model_server.reply(SUMMARY, SUMMARY, "Three.")
    openclaw_inproc(*SAY, "second", now="2026-11-20T03:01:00Z")
    seen = _sees(tree)
    assert SUMMARY in seen[0]
    path = tree.home / SESSIONS / f"{_row(tree)['sessionId']}.jsonl"
    assert "a" * 4000 not in path.read_text()
    kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert kinds[:4] == ["session", "model_change", "thinking_level_change", "custom"]
    parents = [line["parentId"] for line in _transcript(tree).entries]
    assert parents == [None, *(line["id"] for line in _transcript(tree).entries[:-1])]
    [archive] = path.parent.glob("*.bak.*")
    assert "a" * 4000 in archive.read_text()
    told = openclaw_inproc("changes", "--json").json()["changes"][0]
    assert (told["rule"], told["movedTo"]) == ("compacted", str(archive))
    openclaw_inproc(*SAY, "third", now="2026-11-20T03:02:00Z")
    assert _sees(tree)[1:] == [*seen[1:], "third", "Three."]
    assert openclaw_inproc(*told["undo"].split()[1:]).exit == 0
    assert "a" * 4000 in path.read_text()


def test_a_transcript_grown_too_large_is_condensed_before_the_next_turn(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    limits = {"maxActiveTranscriptBytes": "8kb", "memoryFlush": {"enabled": False}}
    configured(compaction=limits)
    model_server.reply("a" * 5000, "b" * 5000)
    openclaw_inproc(*SAY, "first")
    openclaw_inproc(*SAY, "second")
    assert "compactionCount" not in _row(tree)  # it would be no smaller for it
    configured(compaction=limits | {"truncateAfterCompaction": True, "notifyUser": True})
    model_server.reply(SUMMARY, "Three.", "Four.")
    to_alice = ("--channel", "telegram", "--from", "1", "--session-key", MAIN, "--deliver")
    found = openclaw_inproc(*SAY, "third", *to_alice, "--json").json()
    assert [said["text"][:6] for said in found["payloads"]] == ["Three.", "🧹 The "]
    sent = [line["text"] for line in tree.lines(".openclaw/outbox/outbox.jsonl")]
    assert [text[:6] for text in sent] == ["Three.", "🧹 The "]
    assert "a" * 5000 not in model_server.prompts()[-1]
    assert _row(tree)["compactionCount"] == 1
    assert openclaw_inproc(*SAY, "fourth").out == "Four.\n"


def test_results_of_tools_that_leave_no_room_are_condensed_before_the_next_call(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.note("2026-11-18", "- " + "router " * 2500 + "\n")
    check = {"midTurnPrecheck": {"enabled": True}, "memoryFlush": {"enabled": False}}
    configured(window=8000, compaction=check)
    model_server.reply("a" * 5000, "Two.")
    openclaw_inproc(*SAY, "first")
    openclaw_inproc(*SAY, "second")
    model_server.call_tool("memory_get", {"path": "memory/2026-11-18.md"})
    model_server.reply(SUMMARY)
    model_server.call_tool("memory_get", {"path": "memory/2026-11-18.md"})
    model_server.reply("Read.")
    found = openclaw_inproc(*SAY, "third")
    assert (found.exit, found.out) == (0, "Read.\n")
    assert _row(tree)["compactionCount"] == 1
    tools = [e["message"]["role"] for e in _transcript(tree).entries if e["type"] == "message"]
    assert tools.count("toolResult") == 1


def test_where_nothing_can_be_condensed_the_provider_decides(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.note("2026-11-18", "- " + "router " * 2500 + "\n")
    check = {"midTurnPrecheck": {"enabled": True}, "memoryFlush": {"enabled": False}}
    configured(window=5000, compaction=check)
    model_server.call_tool("memory_get", {"path": "memory/2026-11-18.md"})
    model_server.call_tool("memory_get", {"path": "memory/2026-11-18.md"})
    model_server.reply("Read.")
    assert openclaw_inproc(*SAY, "first").out == "Read.\n"
    assert "compactionCount" not in _row(tree)


def test_old_tool_results_are_pruned_once_and_stay_so(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.note("2026-11-18", "- " + "router " * 3000 + "\n")
    configured(window=12_000, contextPruning={"keepLastAssistants": 1})
    model_server.call_tool("memory_get", {"path": "memory/2026-11-18.md"})
    model_server.reply("Read.", "Two.", "Three.", "Four.")

    def tool_result() -> str:
        messages = model_server.requests[-1].body["messages"]
        return str(next(m["content"] for m in messages if m["role"] == "tool"))

    openclaw_inproc(*SAY, "read", now="2026-11-20T03:00:00Z")
    openclaw_inproc(*SAY, "warm", now="2026-11-20T03:00:01Z")
    whole = tool_result()
    openclaw_inproc(*SAY, "cold", now="2026-11-20T03:10:00Z")
    pruned = tool_result()
    assert len(pruned) < len(whole) == max(len(whole), 8000)
    openclaw_inproc(*SAY, "warm again", now="2026-11-20T03:10:01Z")
    assert tool_result() == pruned
    stored = [e["message"] for e in _transcript(tree).entries if e["type"] == "message"]
    assert len(transcript.text_of(stored[2])) == len(whole)
    configured(window=12_000, contextPruning={"mode": "off"})
    model_server.reply("Five.")
    openclaw_inproc(*SAY, "off", now="2026-11-20T03:10:02Z")
    assert tool_result() == whole


def test_a_hanging_model_ends_in_time_with_a_closed_turn(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.hang(times=3)
    found = openclaw_inproc(*SAY, "Hi", "--timeout", "0.3", "--json")
    assert (found.exit, found.error["code"]) == (1, "model-timeout")
    row = _row(tree)
    assert row["lastInteractionAt"] == row["updatedAt"]
    assert _transcript(tree).entries[-1]["message"]["errorMessage"]


def test_a_flush_that_hangs_leaves_the_turn_its_time(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(compaction={"memoryFlush": {"forceFlushTranscriptBytes": 1}})
    model_server.reply("One.")
    openclaw_inproc(*SAY, "first")
    model_server.hang()
    model_server.reply("Two.")
    assert openclaw_inproc(*SAY, "second", "--timeout", "4").out == "Two.\n"
    assert _row(tree)["memoryFlushFailureCount"] == 1


def test_the_time_limit_holds_for_all_calls_of_a_turn_together(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    for _ in range(9):
        model_server.call_tool("memory_search", {"query": "x"})
        model_server.queue[-1].delay_s = 0.4
    found = openclaw_inproc(*SAY, "Hi", "--timeout", "1", "--json")
    assert (found.exit, found.error["code"]) == (1, "model-timeout")
    assert 1 < len(model_server.requests) < 5
    assert _transcript(tree).entries[-1]["message"]["stopReason"] == "error"


def test_a_fallback_answers_where_the_first_model_fails(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(model={"primary": "scripted/model", "fallbacks": ["scripted/second"]})
    model_server.fail(404, "model not found")
    model_server.reply("From the second.")
    assert openclaw_inproc(*SAY, "Hi").out == "From the second.\n"
    assert _row(tree)["model"] == "second"


def test_an_empty_answer_is_a_turn_without_words(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.empty()
    found = openclaw_inproc(*SAY, "Hi", "--deliver", "--json")
    assert found.exit == 0
    assert found.json()["payloads"] == []
    assert not (tree.home / ".openclaw/outbox").exists()


ROW_FIELDS = {
    "user": {"role", "content", "timestamp", "idempotencyKey"},
    "assistant": {
        "role", "content", "timestamp", "api", "provider", "model", "stopReason", "usage",
        "errorMessage", "responseId",
    },
    "toolResult": {
        "role", "content", "timestamp", "toolCallId", "toolName", "isError", "details",
    },
}  # fmt: skip
LINE_FIELDS = {
    "message": {"message"}, "model_change": {"provider", "modelId"},
    "thinking_level_change": {"thinkingLevel"}, "custom": {"customType", "data"},
    "compaction": {"summary", "firstKeptEntryId", "tokensBefore", "details", "fromHook"},
}  # fmt: skip


def test_lines_hold_the_documented_fields_and_read_back_as_the_conversation(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(window=4000, compaction={"memoryFlush": {"enabled": False}})
    group = (
        "agent",
        "--session-key",
        MAIN,
        "--channel",
        "telegram",
        "--from",
        "1",
        "--group",
        "-1",
    )
    model_server.call_tool("memory_search", {"query": "x"})
    model_server.reply("One.")
    openclaw_inproc(*group, "--sender-name", "Ada", "--message-id", "m1", "-m", "first")
    model_server.fail(401)
    openclaw_inproc(*SAY, "fails")
    model_server.reply("a" * 9000)
    model_server.reply("Three.", usage={
        "prompt_tokens": 3900, "completion_tokens": 1, "total_tokens": 3901})  # fmt: skip
    model_server.default = SUMMARY
    openclaw_inproc(*SAY, "second")
    openclaw_inproc(*SAY, "third")
    path = tree.home / SESSIONS / f"{_row(tree)['sessionId']}.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0].keys() == {"type", "version", "id", "timestamp", "cwd"}
    identities = [line["id"] for line in lines[1:]]
    assert len(set(identities)) == len(identities)
    assert {len(identity) for identity in identities} == {8}
    kinds = set()
    for line in lines[1:]:
        extra = line.keys() - {"type", "id", "parentId", "timestamp"}
        assert extra <= LINE_FIELDS[line["type"]], line
        kinds.add(line["type"])
        if line["type"] == "message":
            message = line["message"]
            kinds.add(message["role"])
            assert message.keys() <= ROW_FIELDS[message["role"]], message
    assert kinds >= {"compaction", "toolResult", "assistant", "user", "custom"}
    assert SUMMARY in _sees(tree)[0]
    assert _sees(tree)[-1] == "Three."
