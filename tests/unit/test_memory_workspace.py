"""Which files are memory, and which paths are short-term."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_cli.memory.workspace import (
    Workspace,
    is_corpus,
    is_short_term,
    normalize_path,
    scan_memory,
)


@pytest.mark.parametrize(
    ("path", "short_term"),
    [
        ("memory/2026-11-17.md", True),
        ("memory/2026-11-17-standup.md", True),
        ("memory/team/deep/2026-11-16-standup.md", True),
        ("/srv/ws/memory/2026-11-17.md", True),
        ("2026-11-15.md", True),
        ("2026-11-15-notes.md", True),
        ("memory/9999-99-99.md", True),
        ("memory/.dreams/session-corpus/2026-11-14.txt", True),
        ("memory/.dreams/session-corpus/2026-11-14.md", True),
        ("memory/.dreams/session-corpus/2026-11-14-x.txt", False),
        ("memory/2026-11-14.txt", False),
        ("memory/dreaming/deep/2026-11-17.md", False),
        ("x/memory/dreaming/2026-11-17.md", False),
        ("memory/dreamings/2026-11-17.md", True),
        ("memory/projects.md", False),
        ("MEMORY.md", False),
        ("notes/2026-11-17.md", False),
        ("mymemory/2026-11-17.md", False),
        ("memory/2026-11-17-.md", False),
        ("memory/2026-11-17x.md", False),
        ("memory/2026-11-17", False),
        ("memory/26-11-17.md", False),
        ("", False),
    ],
)
def test_short_term_paths(path: str, short_term: bool) -> None:
    assert is_short_term(path) is short_term


def test_stored_paths_are_normalised() -> None:
    assert normalize_path("memory\\2026-11-12.md") == "memory/2026-11-12.md"
    assert normalize_path("./memory/a.md") == "memory/a.md"
    assert is_corpus("memory/.dreams/session-corpus/2026-11-14.txt")
    assert not is_corpus("memory/2026-11-14.md")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def _write(workspace: Workspace, *names: str) -> None:
    for name in names:
        path = workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")


def test_memory_is_the_exact_memory_file_and_every_note_below_memory(workspace: Workspace) -> None:
    _write(
        workspace, "MEMORY.md", "DREAMS.md", "memory/b.md", "memory/a/2026-11-01.md",
        "memory/dreaming/light/2026-11-01.md", "memory/x.txt", "memory/.openclaw-repair/old.md",
        "memory/.dreams/session-corpus/2026-11-01.txt",
    )  # fmt: skip
    scan = scan_memory(workspace)
    assert [found.name for found in scan.files] == [
        "MEMORY.md",
        "memory/a/2026-11-01.md",
        "memory/b.md",
        "memory/dreaming/light/2026-11-01.md",
    ]
    assert scan.issues == []


def test_lower_case_memory_file_is_no_memory(workspace: Workspace) -> None:
    _write(workspace, "memory.md", "memory/a.md")
    assert [found.name for found in scan_memory(workspace).files] == ["memory/a.md"]


def test_links_are_neither_taken_nor_entered(workspace: Workspace, tmp_path: Path) -> None:
    _write(workspace, "memory/a.md")
    (tmp_path / "away").mkdir()
    (tmp_path / "away/b.md").write_text("x")
    (workspace.memory_dir / "linked").symlink_to(tmp_path / "away")
    (workspace.memory_dir / "loop").symlink_to("loop")
    (workspace.memory_dir / "c.md").symlink_to(tmp_path / "away/b.md")
    workspace.memory_file.symlink_to(tmp_path / "away/b.md")
    assert [found.name for found in scan_memory(workspace).files] == ["memory/a.md"]


def test_a_memory_folder_that_is_a_link_counts_as_missing(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "away").mkdir()
    workspace.root.mkdir()
    workspace.memory_dir.symlink_to(tmp_path / "away")
    scan = scan_memory(workspace)
    assert scan.files == []
    assert scan.issues == [f"memory directory missing ({workspace.memory_dir})"]


def test_extra_paths_are_scanned_and_each_file_counts_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    _write(workspace, "memory/a.md")
    shared = tmp_path / "shared-notes"
    (shared / "deep").mkdir(parents=True)
    (shared / "team.md").write_text("x")
    (shared / "deep/more.md").write_text("x")
    (shared / "skip.txt").write_text("x")
    gone = tmp_path / "gone"
    scan = scan_memory(
        workspace, [shared, shared / "team.md", workspace.memory_dir, gone, shared / "skip.txt"]
    )
    names = [found.name for found in scan.files]
    assert names == ["memory/a.md", "../shared-notes/deep/more.md", "../shared-notes/team.md"]
    assert scan.issues == [f"additional memory path missing ({gone})"]


def test_an_extra_path_that_cannot_be_looked_at_is_told(
    workspace: Workspace, tmp_path: Path
) -> None:
    _write(workspace, "memory/a.md")
    below_a_file, endless = workspace.memory_dir / "a.md/x", tmp_path / ("x" * 300)
    scan = scan_memory(workspace, [below_a_file, endless])
    assert len(scan.files) == 1
    assert scan.issues == [
        f"additional memory path not accessible ({below_a_file}): ENOTDIR",
        f"additional memory path not accessible ({endless}): ENAMETOOLONG",
    ]


def test_an_empty_memory_folder_is_told(workspace: Workspace) -> None:
    workspace.memory_dir.mkdir(parents=True)
    assert scan_memory(workspace).issues == [f"no memory files found in {workspace.root}"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_files_and_folders_are_told(workspace: Workspace) -> None:
    _write(workspace, "memory/a.md", "memory/closed/b.md")
    (workspace.memory_dir / "a.md").chmod(0)
    (workspace.memory_dir / "closed").chmod(0)
    scan = scan_memory(workspace)
    (workspace.memory_dir / "closed").chmod(0o700)
    assert scan.inaccessible
    assert len(scan.issues) == 2
