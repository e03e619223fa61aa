"""Promotion with real processes: killed at every write, and two at once."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import faults
import pytest
import recall_rows
from recall_rows import ROUTER, row

from openclaw_cli.memory.workspace import Workspace

NOW = "2026-11-20T03:00:00Z"
PREFERS = "- Prefers short status updates in the morning."
APPLY = ["memory", "promote", "--apply"]
FIX = ["memory", "status", "--fix"]

pytestmark = pytest.mark.system


def make_home(folder: Path) -> Path:
    """A home whose ``MEMORY.md`` is so full that an old section has to go."""
    workspace = Workspace(folder / ".openclaw/workspace")
    recall_rows.note(workspace, "2026-11-17", "# day", "", ROUTER, PREFERS)
    recall_rows.write(workspace, row(), row(PREFERS, line=4), entries={
        one["key"]: one for one in (row(), row(PREFERS, line=4))
    } | {"broken": {"path": "x"}})  # fmt: skip
    old = "\n".join(f"- old fact {n} " + "x" * 90 for n in range(100))
    workspace.memory_file.write_text(
        f"# Mine\n\nOwn text.\n\n## Promoted From Short-Term Memory (2026-09-01)\n\n{old}\n"
    )
    workspace.lock_path.write_text("99999999:1000\n")
    return folder


@pytest.mark.skipif(not faults.available(), reason="needs strace")
@pytest.mark.parametrize(
    ("words", "fault"),
    [(APPLY, "signal=KILL"), (APPLY, "error=ENOSPC"), (FIX, "signal=KILL")],
    ids=["promote-killed", "promote-disk-full", "fix-killed"],
)
def test_a_run_that_dies_anywhere_is_finished_by_the_next_one(
    tmp_path: Path, words: list[str], fault: str
) -> None:
    clean = make_home(tmp_path / "clean")
    assert faults.run(clean, words, now=NOW).returncode == 0
    wanted = faults.snapshot(clean)
    counts = faults.count_calls(
        make_home(tmp_path / "count"), words, now=NOW, report=tmp_path / "report"
    )
    assert counts["rename"] >= 1
    problems = []
    for label, _, tracing in faults.places(counts, (fault,)):
        home = make_home(tmp_path / "trial")
        hit = faults.run(home, words, now=NOW, tracing=tracing)
        if "Traceback" in hit.stderr:
            problems.append(f"{label}: {hit.stderr.strip()[-300:]}")
        for path in home.rglob("*.json"):
            json.loads(path.read_text())
        text = (home / ".openclaw/workspace/MEMORY.md").read_text()
        if "Own text." not in text:
            problems.append(f"{label}: the owner's text is gone")
        again = faults.run(home, words, now=NOW)
        if again.returncode:
            problems.append(f"{label}: second run exit {again.returncode}: {again.stderr[-300:]}")
        differing = faults.differing(wanted, faults.snapshot(home))
        problems += [f"{label}: {path} differs" for path in differing]
        shutil.rmtree(home)
    assert not problems, "\n".join(problems)


def test_promotions_at_once_write_each_entry_once(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    env = {"HOME": str(home), "OPENCLAW_NOW": NOW, "TZ": "UTC", "PATH": "/usr/bin:/bin"}
    running = [
        subprocess.Popen([faults.PROGRAM, *APPLY], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    outputs = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 6
    assert sum("appended=2" in out for out in outputs) == 1
    workspace = Workspace(home / ".openclaw/workspace")
    text = workspace.memory_file.read_text()
    assert text.count("openclaw-memory-promotion:") == 2
    assert len(workspace.events_path.read_text().splitlines()) == 1
    assert not workspace.lock_path.exists()


@pytest.mark.skipif(not faults.available(), reason="needs strace")
def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    workspace = Workspace(home / ".openclaw/workspace")
    workspace.lock_path.unlink()
    before = faults.snapshot(home)
    tracing = ["-o", "/dev/null", "-e", "trace=link,linkat", "-e", "inject=link,linkat:error=EROFS"]
    result = faults.run(home, APPLY, now=NOW, tracing=tracing)
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert "short-term-promotion.lock" in result.stderr
    assert faults.snapshot(home) == before
