"""``memory index`` and ``memory get``."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from builders import Tree
from conftest import Result

Run = Callable[..., Result]


@pytest.fixture
def notes(tree: Tree) -> Tree:
    search = {"provider": "none", "extraPaths": ["../shared"]}
    listed = [{"id": "main"}, {"id": "work"}]
    tree.config(agents={"defaults": {"memorySearch": search}, "list": listed})
    tree.note("2026-11-17", "# 2026-11-17\n\n- one\n- two\n")
    tree.file(".openclaw/workspace/MEMORY.md", "# Memory\n")
    tree.file(".openclaw/shared/team.md", "shared\n")
    return tree


def test_every_agent_is_indexed_in_order(notes: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("memory", "index")
    assert result.out == "Memory index updated (main).\nMemory index updated (work).\n"
    assert (notes.state / "memory/work.sqlite").is_file()


def test_counts_as_json(notes: Tree, openclaw_inproc: Run) -> None:
    report = openclaw_inproc("memory", "index", "--agent", "main", "--json").json()
    assert report["agents"] == [
        {"agentId": "main", "files": 3, "chunks": 3, "changed": 3, "removed": 0, "rebuilt": "new"}
    ]
    (notes.workspace / "memory/2026-11-17.md").unlink()
    report = openclaw_inproc("memory", "index", "--agent", "main", "--json").json()["agents"][0]
    assert (report["files"], report["changed"], report["removed"]) == (2, 0, 1)
    report = openclaw_inproc("memory", "index", "--agent", "main", "--force", "--json").json()
    assert report["agents"][0]["rebuilt"] == "asked for"


def test_verbose_says_what_is_indexed(notes: Tree, openclaw_inproc: Run) -> None:
    out = openclaw_inproc("memory", "index", "--agent", "main", "--verbose").out
    assert out.splitlines() == [
        "Memory Index (main)", "Provider: none (requested: none)", "Model: none",
        "Sources: memory (MEMORY.md + ~/.openclaw/workspace/memory/*.md)",
        "Extra paths: ../shared", "", "Memory index updated (main).",
    ]  # fmt: skip


def test_one_failure_does_not_stop_the_others(notes: Tree, openclaw_inproc: Run) -> None:
    broken, works = {"provider": "nowhere"}, {"provider": "none"}
    notes.config(
        agents={
            "list": [{"id": "main", "memorySearch": broken}, {"id": "work", "memorySearch": works}]
        }
    )
    result = openclaw_inproc("memory", "index")
    assert result.exit == 1
    assert result.out == "Memory index updated (work).\n"
    assert result.err.startswith("Memory index failed (main): ")
    report = openclaw_inproc("memory", "index", "--json").json()["agents"]
    assert ["error" in agent for agent in report] == [True, False]


def test_an_index_that_cannot_be_written_is_not_said_to_be_updated(
    notes: Tree, openclaw_inproc: Run
) -> None:
    notes.file(".openclaw/memory", "in the way\n")
    result = openclaw_inproc("memory", "index")
    assert (result.exit, result.out) == (1, "")
    assert "Memory index failed (main): cannot " in result.err
    status = openclaw_inproc("memory", "status", "--index")
    assert status.exit == 1
    assert status.out.startswith("Memory index failed: cannot ")
    search = openclaw_inproc("memory", "search", "two")
    assert (search.exit, "searched without the index file" in search.err) == (0, True)


def test_an_index_that_is_being_written_is_to_be_tried_again(
    notes: Tree, openclaw_inproc: Run
) -> None:
    assert openclaw_inproc("memory", "index").exit == 0
    notes.note("2026-11-18", "- three\n")
    holder = {"pid": os.getppid(), "createdAt": "2026-11-20T03:00:00.000Z"}
    notes.json(".openclaw/memory/main.sqlite.lock", holder)
    busy = {"OPENCLAW_LOCK_TIMEOUT": "0"}
    result = openclaw_inproc("memory", "index", "--agent", "main", "--json", env=busy)
    assert (result.exit, result.out, result.error["code"]) == (75, "", "locked")
    search = openclaw_inproc("memory", "search", "two", env=busy)
    assert (search.exit, "may lack the newest edits" in search.err) == (0, True)


def test_an_unknown_agent_is_exit_1(notes: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("memory", "index", "--agent", "nobody").exit == 1


def test_switched_off(notes: Tree, openclaw_inproc: Run) -> None:
    notes.config(agents={"defaults": {"memorySearch": {"enabled": False}}})
    assert openclaw_inproc("memory", "index").out == "Memory search disabled.\n"
    assert not (notes.state / "memory").exists()


def test_get_prints_the_file_as_it_is(notes: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("memory", "get", "MEMORY.md").out == "# Memory\n"
    document = openclaw_inproc("memory", "get", "memory/2026-11-17.md", "--json").json()
    assert document == {
        "path": "memory/2026-11-17.md", "startLine": 1, "endLine": 4, "totalLines": 4,
        "text": "# 2026-11-17\n\n- one\n- two\n",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("place", "out"),
    [
        ("memory/2026-11-17.md:3", "- one\n"), ("memory/2026-11-17.md:3-4", "- one\n- two\n"),
        ("memory/2026-11-17.md:4-99", "- two\n"), ("./memory/2026-11-17.md:3", "- one\n"),
        ("../shared/team.md", "shared\n"), ("~/.openclaw/workspace/MEMORY.md", "# Memory\n"),
    ],
)  # fmt: skip
def test_get_prints_lines(notes: Tree, openclaw_inproc: Run, place: str, out: str) -> None:
    assert openclaw_inproc("memory", "get", place).out == out


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("memory/2026-11-17.md:5", "out-of-range"), ("memory/2026-11-17.md:0", "out-of-range"),
        ("memory/2026-11-17.md:4-3", "out-of-range"), ("memory/none.md", "not-memory"),
        ("../openclaw.json", "not-memory"), ("/etc/passwd", "not-memory"),
        ("memory/../../openclaw.json", "not-memory"), ("memory/link.md", "not-allowed"),
        ("memory/folder/in.md", "not-allowed"), ("memory", "not-memory"), ("", "not-memory"),
        ("memory/.openclaw-repair/x.md", "not-memory"),
        (f"memory/2026-11-17.md:{'9' * 200}", "not-memory"),
    ],
)  # fmt: skip
def test_get_reads_memory_only(notes: Tree, openclaw_inproc: Run, place: str, code: str) -> None:
    folder = notes.workspace / "memory"
    (folder / "link.md").symlink_to(notes.state / "openclaw.json")
    outside = notes.file("outside/in.md", "private\n").parent
    (folder / "folder").symlink_to(outside)
    notes.file(".openclaw/workspace/memory/.openclaw-repair/x.md", "old\n")
    result = openclaw_inproc("memory", "get", place, "--json")
    assert (result.exit, result.out, result.error["code"]) == (1, "", code)


def test_get_by_absolute_path(notes: Tree, openclaw_inproc: Run) -> None:
    place = notes.workspace / "memory/2026-11-17.md"
    assert openclaw_inproc("memory", "get", f"{place}:4").out == "- two\n"
