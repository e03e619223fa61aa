"""The values that TAB offers from the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import recall_rows
from builders import Tree

from openclaw_cli.memory.workspace import Workspace

Run = Callable[..., Any]

KEY = "agent:main:telegram:direct:7"
ARCHIVE = "old.jsonl.deleted.2026-11-19T04-30-00.000Z"


@pytest.fixture
def tree(home: object, tree: Tree) -> Tree:
    tree.config(
        agents={"list": [{"id": "main", "model": "ollama/small"}, {"id": "work"}]},
        channels={"telegram": {"botToken": "x"}},
        session={"dmScope": "per-peer"},
    )
    tree.sessions({KEY: {"sessionId": "a", "updatedAt": 1, "label": "two\nlines"}, "a\nb": {}})
    tree.file(f".openclaw/agents/main/sessions/{ARCHIVE}", "")
    window = {"earliestMs": 1, "latestMs": 2_000_000_000_000, "timezone": "UTC"}
    tree.json(
        ".openclaw/commitments/commitments.json",
        {"version": 1, "commitments": [{
            "id": "cm_1", "agentId": "main", "sessionKey": KEY, "channel": "telegram", "to": "7",
            "kind": "open_loop", "sensitivity": "routine", "source": "inferred_user_context",
            "status": "pending", "reason": "asked", "suggestedText": "How did it go?",
            "dedupeKey": "k", "confidence": 0.9, "dueWindow": window, "createdAtMs": 1,
            "updatedAtMs": 1, "attempts": 0}]},
    )  # fmt: skip
    tree.json(
        ".openclaw/cron/jobs.json",
        {"version": 1, "jobs": [{
            "id": "task-1", "name": "water", "schedule": {"kind": "every", "everyMs": 1000},
            "payload": {"kind": "agentTurn", "message": "x"}}]},
    )  # fmt: skip
    tree.jsonl(
        ".openclaw/outbox/outbox.jsonl",
        [
            {
                "id": "ob_1",
                "ts": 1,
                "channel": "telegram",
                "to": "7",
                "text": "x",
                "status": "queued",
            }
        ],
    )
    workspace = Workspace(tree.workspace)
    recall_rows.note(workspace, "2026-11-17", "# day", "", recall_rows.ROUTER)
    recall_rows.write(workspace, recall_rows.row())
    return tree


def offered(run: Run, line: str) -> list[str]:
    done = run(env={"_OPENCLAW_COMPLETE": "bash_complete", "COMP_WORDS": f"openclaw {line}"})
    assert done.exit == 0
    assert done.err == ""
    return [row.partition(",")[2] or row for row in done.out.splitlines() if row]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sessions show ", [KEY]),
        ("sessions --agent work show ", []),
        ("sessions delete agent:main:t", [KEY]),
        ("sessions cleanup --active-key ", [KEY]),
        ("sessions restore ", [ARCHIVE, KEY]),
        ("changes --key ", [KEY]),
        ("commitments show ", ["cm_1"]),
        ("commitments dismiss cm_1 ", ["cm_1"]),
        ("commitments --status pe", ["pending"]),
        ("cron run t", ["task-1"]),
        ("cron runs --id ", ["task-1"]),
        ("jobs run s", ["sweep"]),
        ("outbox show ", ["ob_1"]),
        ("outbox --status q", ["queued"]),
        ("channels test ", ["telegram"]),
        ("agent --channel ", ["telegram"]),
        ("agent --agent ", ["main", "work"]),
        ("config get session", ["session.dmScope"]),
        ("models test ", ["ollama/small"]),
        ("gateway call sessions.l", ["sessions.list"]),
        ("memory get memory/2026", ["memory/2026-11-17.md"]),
        ("help comm", ["commitments"]),
        ("help cron ru", ["run", "run-due", "runs"]),
        ("help st", ["status", "state"]),
        ("help nothing ", []),
        ("completion b", ["bash"]),
    ],
)
def test_offers(openclaw_inproc: Run, tree: Tree, line: str, expected: list[str]) -> None:
    found = offered(openclaw_inproc, line)
    if expected and expected[0].startswith("run"):
        assert sorted(found) == sorted(expected)
    else:
        assert found == expected


def test_offers_candidates(openclaw_inproc: Run, tree: Tree) -> None:
    (found,) = offered(openclaw_inproc, "memory promote-explain ")
    assert "memory/2026-11-17.md" in found


def test_descriptions_take_one_line(openclaw_inproc: Run, tree: Tree) -> None:
    words = {"COMP_WORDS": "openclaw sessions show ", "COMP_CWORD": "3"}
    done = openclaw_inproc(env={"_OPENCLAW_COMPLETE": "zsh_complete", **words})
    assert done.out.splitlines() == ["plain", KEY.replace(":", "\\:"), "two\\nlines"]


@pytest.mark.parametrize(
    "line", ["sessions show ", "cron run ", "commitments show ", "config get "]
)
def test_a_damaged_tree_offers_nothing(openclaw_inproc: Run, tree: Tree, line: str) -> None:
    for name in ("openclaw.json", "agents/main/sessions/sessions.json", "cron/jobs.json"):
        tree.file(f".openclaw/{name}", "{")
    tree.file(".openclaw/commitments/commitments.json", "{")
    assert offered(openclaw_inproc, line) == []
