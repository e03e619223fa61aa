"""Search and index in several processes at once, and after a kill at any write."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Tree
from conftest import PROGRAM, Result

Run = Callable[..., Result]
pytestmark = pytest.mark.system


@pytest.fixture
def notes(tree: Tree) -> Tree:
    tree.config(agents={"defaults": {"memorySearch": {"provider": "none"}}})
    for number in range(1, 29):
        lines = "".join(f"- filler {number} line {n} about nothing\n" for n in range(30))
        tree.note(f"2026-02-{number:02d}", f"# note {number}\n\n- marker{number} router\n{lines}")
    return tree


def start(*argv: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(PROGRAM), "memory", *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def found(out: str) -> list[str]:
    return [hit["path"] for hit in json.loads(out)["results"]]


def test_searches_and_an_index_run_at_once(notes: Tree) -> None:
    searches = [start("search", f"marker{n}", "--json") for n in (3, 7, 11)]
    index = start("index", "--force")
    more = [start("search", f"marker{n}", "--json") for n in (5, 9)]
    ends = [(process, *process.communicate(timeout=60)) for process in [*searches, index, *more]]
    assert [process.returncode for process, _out, _err in ends] == [0] * 6, ends
    numbers = iter((3, 7, 11, 5, 9))
    for process, out, _err in ends:
        if process is not index:
            assert found(out) == [f"memory/2026-02-{next(numbers):02d}.md"]


def test_edits_while_others_search_are_seen(notes: Tree, openclaw: Run) -> None:
    openclaw("memory", "index")
    for turn in range(5):
        notes.note("2026-02-01", f"- fresh{turn} entry\n")
        others = [start("search", "marker9", "--json") for _ in range(2)]
        result = openclaw("memory", "search", f"fresh{turn}", "--json")
        assert found(result.out) == ["memory/2026-02-01.md"]
        for other in others:
            out, err = other.communicate(timeout=60)
            assert (other.returncode, found(out)) == (0, ["memory/2026-02-09.md"]), err


def test_a_kill_at_any_write_leaves_a_usable_index(notes: Tree, openclaw: Run) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    for call, when in [("pwrite64", 3), ("pwrite64", 40), ("rename", 1), ("fsync", 1), ("link", 1)]:
        shutil.rmtree(notes.state / "memory", ignore_errors=True)
        _killed(call, when, "index")
        result = openclaw("memory", "search", "marker4", "--json")
        assert (result.exit, found(result.out)) == (0, ["memory/2026-02-04.md"]), (call, when)
        assert not list((notes.state / "memory").glob("*.tmp"))
    openclaw("memory", "index")
    for call, when in [("pwrite64", 1), ("pwrite64", 4), ("unlink", 1), ("fdatasync", 1)]:
        notes.note("2026-02-01", f"- again {call} {when} zebra\n")
        _killed(call, when, "search", "zebra")
        result = openclaw("memory", "search", "zebra", "--json")
        assert (result.exit, found(result.out)) == (0, ["memory/2026-02-01.md"]), (call, when)
        result = openclaw("memory", "search", "marker4", "--json")
        assert found(result.out) == ["memory/2026-02-04.md"]


def _killed(call: str, when: int, *argv: str) -> None:
    inject = f"inject={call}:signal=KILL:when={when}"
    subprocess.run(
        ["strace", "-f", "-o", os.devnull, "-e", inject, str(PROGRAM), "memory", *argv],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_full_disk_is_done_without(notes: Tree, openclaw: Run) -> None:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    done = subprocess.run(
        ["strace", "-f", "-o", os.devnull, "-e", "inject=pwrite64:error=ENOSPC:when=2+",
         str(PROGRAM), "memory", "search", "marker4", "--json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert found(done.stdout) == ["memory/2026-02-04.md"]
    assert "without the index file" in done.stderr
    assert found(openclaw("memory", "search", "marker4", "--json").out) == ["memory/2026-02-04.md"]


def test_a_read_only_state_folder_is_done_without(notes: Tree, openclaw: Run) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    notes.state.chmod(0o500)
    try:
        result = openclaw("memory", "search", "marker4", "--json")
    finally:
        notes.state.chmod(0o700)
    assert found(result.out) == ["memory/2026-02-04.md"]
    assert "without the index file" in result.err


def test_the_sdk_is_not_loaded_by_a_keyword_search(notes: Tree, tmp_path: Path) -> None:
    probe = (
        "import sys; from openclaw_cli.cli.main import run; run(['memory', 'search', 'marker4']);"
        "heavy = {'openai', 'rich', 'croniter', 'tomlkit', 'asyncio'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    python = PROGRAM.with_name("python")
    done = subprocess.run(
        [str(python), "-c", probe], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
