"""``openclaw sessions copies``: where a conversation is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
ID = "4c1e0020-7d2b-4e5a-9c31-5a0f2e13dde0"
EARLIER = "4c1e0021-7d2b-4e5a-9c31-5a0f2e13dde0"
KEY = "agent:main:telegram:direct:1"
Run = Callable[..., Any]


@pytest.fixture
def spread(tree: Tree) -> Tree:
    """A conversation with an earlier session, read by the dreaming, and another one beside it."""
    tree.sessions(
        {
            KEY: {"sessionId": ID, "updatedAt": NOW, "usageFamilySessionIds": [EARLIER]},
            f"{KEY}1": {"sessionId": "other", "updatedAt": NOW},
        }
    )
    tree.transcript(ID, [("user", "hello")])
    tree.transcript("other", [("user", "hello")])
    tree.file(f"{FOLDER}/{EARLIER}.jsonl.reset.2026-11-19T03-00-00.000Z", "{}\n")
    tree.file(f"{FOLDER}/{ID}.checkpoint.{EARLIER}.jsonl", "{}\n")
    tree.file(f"{FOLDER}/sessions.json.bak.5", f'{{"{KEY}": {{"sessionId": "{ID}"}}}}')
    tree.jsonl(".openclaw/commitments/commitments.json", [{"sessionKey": KEY}])
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [{"sessionKey": f"{KEY}1"}])
    corpus = f"[main/sessions/main/other.jsonl#L1] User: x\n[main/sessions/main/{ID}.jsonl#L2] y\n"
    tree.file(".openclaw/workspace/memory/.dreams/session-corpus/2026-11-19.txt", corpus)
    cited = "memory/.dreams/session-corpus/2026-11-19.txt"
    tree.file(".openclaw/workspace/MEMORY.md", f"- y [{cited}:2-2]\n")
    tree.file(".openclaw/workspace/memory/2026-11-19.md", f"- x [{cited}:1-1] [{cited}:21-21]\n")
    tree.file(".openclaw/workspace/project/notes.md", ID)
    return tree


def _kinds(document: dict[str, Any], home: Path) -> dict[str, str]:
    return {
        str(Path(copy["path"]).relative_to(home / ".openclaw")): copy["kind"]
        for copy in document["copies"]
    }


def test_every_file_that_holds_or_names_it(spread: Tree, openclaw_inproc: Run, home: Path) -> None:
    document = openclaw_inproc("sessions", "copies", "telegram:direct:1", "--json").json()
    folder = "agents/main/sessions"
    assert (document["key"], document["sessionIds"]) == (KEY, [ID, EARLIER])
    assert _kinds(document, home) == {
        f"{folder}/sessions.json": "store",
        f"{folder}/sessions.json.bak.5": "store copy",
        f"{folder}/{ID}.jsonl": "transcript",
        f"{folder}/{ID}.checkpoint.{EARLIER}.jsonl": "transcript copy",
        f"{folder}/{EARLIER}.jsonl.reset.2026-11-19T03-00-00.000Z": "archive",
        "commitments/commitments.json": "follow-ups",
        "workspace/memory/.dreams/session-corpus/2026-11-19.txt": "corpus",
        "workspace/MEMORY.md": "memory",
    }
    told = {Path(copy["path"]).name: copy for copy in document["copies"]}
    assert told["2026-11-19.txt"]["redacted"] is True
    assert told["MEMORY.md"]["redacted"] is False
    assert told[f"{EARLIER}.jsonl.reset.2026-11-19T03-00-00.000Z"]["mentions"] == 0
    assert document["count"] == 8
    assert document["bytes"] == sum(copy["bytes"] for copy in document["copies"])


def test_a_deleted_conversation_is_still_found(
    spread: Tree, openclaw_inproc: Run, home: Path
) -> None:
    openclaw_inproc("sessions", "delete", KEY)
    kinds = _kinds(openclaw_inproc("sessions", "copies", KEY, "--json").json(), home)
    assert kinds["logs/changes.jsonl"] == "trail"
    assert list(kinds.values()).count("archive") == 2
    assert "agents/main/sessions/sessions.json" not in kinds


def test_a_short_id_is_no_common_word(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    tree.sessions({"agent:main:x": {"sessionId": "a", "updatedAt": NOW}})
    tree.transcript("a", [("user", "a cat and a dog")])
    tree.note("2026-11-19", "a cat and a dog, a.jsonl-like")
    tree.note("2026-11-18", "a cat in sessions/a.jsonl")
    kinds = _kinds(openclaw_inproc("sessions", "copies", "x", "--json").json(), home)
    assert set(kinds.values()) == {"store", "transcript", "memory"}
    assert "workspace/memory/2026-11-18.md" in kinds


def test_the_text_names_kind_size_and_file(spread: Tree, openclaw_inproc: Run) -> None:
    lines = openclaw_inproc("sessions", "copies", KEY).out.splitlines()
    assert lines[0].startswith(f"{KEY}: 8 places, ")
    assert any(line.startswith("corpus (redacted)") for line in lines)
    assert any(line.endswith("~/.openclaw/workspace/MEMORY.md") for line in lines)


def test_reading_changes_nothing_and_unknown_names_are_refused(
    spread: Tree, openclaw_inproc: Run, home: Path
) -> None:
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    openclaw_inproc("sessions", "copies", KEY)
    done = openclaw_inproc("sessions", "copies", "nobody", "--json")
    assert (done.exit, done.out, done.error["code"]) == (1, "", "unknown-session")
    assert before == {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_links_are_not_followed(spread: Tree, openclaw_inproc: Run, home: Path) -> None:
    outside = spread.file("elsewhere/x.md", ID)
    (home / ".openclaw/workspace/memory/link.md").symlink_to(outside)
    (home / ".openclaw/agents/main/sessions/loop").symlink_to(home / ".openclaw")
    document = openclaw_inproc("sessions", "copies", KEY, "--json").json()
    assert document["count"] == 8
