"""Conversations as a source of ``memory search``: ``sources`` with ``sessions``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import Result

Run = Callable[..., Result]
SOURCES = {
    "provider": "none",
    "sources": ["memory", "sessions"],
    "experimental": {"sessionMemory": True},
}
CHAT = ".openclaw/agents/main/sessions/s1.jsonl"


def message(number: int, role: str, text: str) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"m{number}",
        "parentId": f"m{number - 1}" if number > 1 else None,
        "timestamp": f"2026-11-18T10:0{number}:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}]},
    }


HEADER = {
    "type": "session",
    "version": 3,
    "id": "s1",
    "timestamp": "2026-11-18T10:00:00.000Z",
    "cwd": "/",
}
SAID = [
    HEADER,
    message(1, "user", "The quince tree by the shed needs pruning before the frost, says Ada"),
    {"type": "custom", "id": "c1", "parentId": "m1", "customType": "note", "data": {}},
    message(2, "assistant", "Noted. The key is sk-proj-abcdefghijklmnopqrstuvwxyz012345."),
    message(3, "user", "And order two crates of walnuts."),
]


@pytest.fixture
def chats(tree: Tree) -> Tree:
    tree.config(agents={"defaults": {"memorySearch": SOURCES}})
    tree.note("2026-11-17", "# 2026-11-17\n\n- Router moved to VLAN 20.\n")
    tree.sessions({"agent:main:main": {"sessionId": "s1", "updatedAt": 1795000000000}})
    tree.jsonl(CHAT, SAID)
    return tree


def found(run: Run, query: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = run("memory", "search", query, "--json").json()["results"]
    return hits


def test_what_was_said_is_found_where_it_stands(chats: Tree, openclaw_inproc: Run) -> None:
    (hit,) = found(openclaw_inproc, "walnuts")
    assert (hit["path"], hit["source"]) == ("sessions/s1.jsonl", "sessions")
    assert (hit["startLine"], hit["endLine"]) == (2, 5)
    assert "User: And order two crates of walnuts." in hit["snippet"]
    assert found(openclaw_inproc, "router")[0]["source"] == "memory"


def test_a_question_is_answered_by_one_message(chats: Tree, openclaw_inproc: Run) -> None:
    hit = found(openclaw_inproc, "What did we say about pruning the quinces?")[0]
    assert (hit["startLine"], hit["endLine"]) == (2, 2)
    assert hit["snippet"].startswith("User: The quince tree")
    assert "Noted" not in hit["snippet"]


def test_messages_belong_to_their_day(chats: Tree, openclaw_inproc: Run) -> None:
    hits = found(openclaw_inproc, "what was said on 2026-11-18 about gardens")
    assert hits[0]["path"] == "sessions/s1.jsonl"


def test_credentials_are_redacted(chats: Tree, openclaw_inproc: Run, home: Any) -> None:
    assert "abcdefghij" not in str(found(openclaw_inproc, "noted key"))
    assert b"abcdefghijklm" not in (home / ".openclaw/memory/main.sqlite").read_bytes()


def test_a_new_message_is_found_at_once_and_a_removed_transcript_no_more(
    chats: Tree, openclaw_inproc: Run
) -> None:
    assert found(openclaw_inproc, "persimmon") == []
    chats.jsonl(CHAT, [*SAID, message(4, "user", "The persimmon is ripe.")])
    assert found(openclaw_inproc, "persimmon")[0]["endLine"] == 6
    (chats.home / CHAT).unlink()
    assert found(openclaw_inproc, "persimmon") == []


def test_runs_of_jobs_are_no_conversations(chats: Tree, openclaw_inproc: Run) -> None:
    chats.sessions({"agent:main:cron:j1:run:r1": {"sessionId": "s1", "updatedAt": 1}})
    assert found(openclaw_inproc, "walnuts") == []


def test_agents_with_one_folder_of_sessions_see_their_own_only(
    chats: Tree, openclaw_inproc: Run
) -> None:
    store = ".openclaw/shared/sessions.json"
    chats.config(
        agents={"defaults": {"memorySearch": SOURCES}, "list": [{"id": "main"}, {"id": "work"}]},
        session={"store": "~/" + store},
    )
    rows = {"agent:main:main": {"sessionId": "s1"}, "agent:work:main": {"sessionId": "s2"}}
    chats.json(store, rows)
    chats.jsonl(".openclaw/shared/s1.jsonl", SAID)
    chats.jsonl(".openclaw/shared/s2.jsonl", [HEADER, message(1, "user", "The invoice is paid.")])
    assert found(openclaw_inproc, "walnuts")
    assert found(openclaw_inproc, "invoice") == []
    theirs = openclaw_inproc("memory", "search", "invoice", "--agent", "work", "--json").json()
    assert [hit["path"] for hit in theirs["results"]] == ["sessions/s2.jsonl"]


@pytest.mark.parametrize(
    "block",
    [
        {"sources": ["memory", "sessions"]},
        {"experimental": {"sessionMemory": True}},
    ],
)
def test_both_settings_are_needed(chats: Tree, openclaw_inproc: Run, block: dict[str, Any]) -> None:
    chats.config(agents={"defaults": {"memorySearch": {"provider": "none", **block}}})
    assert found(openclaw_inproc, "walnuts") == []


def test_conversations_alone(chats: Tree, openclaw_inproc: Run) -> None:
    chats.config(agents={"defaults": {"memorySearch": SOURCES | {"sources": ["sessions"]}}})
    assert found(openclaw_inproc, "walnuts")
    assert found(openclaw_inproc, "router") == []


def test_no_recall_is_recorded_for_them(chats: Tree, openclaw_inproc: Run) -> None:
    chats.config(
        agents={"defaults": {"memorySearch": SOURCES}},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    )
    assert found(openclaw_inproc, "walnuts")
    assert not (chats.workspace / "memory/.dreams").exists()


def test_status_counts_each_source(chats: Tree, openclaw_inproc: Run) -> None:
    (report,) = openclaw_inproc("memory", "status", "--index", "--json").json()
    assert report["status"]["sourceCounts"] == [
        {"source": "memory", "files": 1, "chunks": 1},
        {"source": "sessions", "files": 1, "chunks": 1},
    ]
    assert [(one["source"], one["totalFiles"]) for one in report["scan"]["sources"]] == [
        ("memory", 1),
        ("sessions", 1),
    ]
    assert report["scan"]["totalFiles"] == 2
    assert "  sessions · 1/1 files · 1 chunk" in openclaw_inproc("memory", "status").out
    assert "sessions (" in openclaw_inproc("memory", "index", "--verbose").out


def test_a_broken_session_store_is_told_and_notes_are_still_found(
    chats: Tree, openclaw_inproc: Run
) -> None:
    (chats.home / ".openclaw/agents/main/sessions/sessions.json").write_text("{broken")
    assert found(openclaw_inproc, "router")
    result = openclaw_inproc("memory", "search", "walnuts")
    assert (result.exit, result.out) == (0, "No matches.\n")
    assert "transcripts of agent main are left out" in result.err
    (report,) = openclaw_inproc("memory", "status", "--json").json()
    assert report["scan"]["sources"][1]["totalFiles"] is None
