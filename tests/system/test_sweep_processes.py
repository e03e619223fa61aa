"""Sweeps that die, meet each other, or meet a full disk.

A real process is killed at every write of a sweep, run again, and must leave the tree that
an undisturbed sweep leaves.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(sys.executable).with_name("openclaw")
NOW = "2026-11-20T03:00:00Z"
KILL_AT = ("write", "rename", "linkat", "unlink", "mkdir")
REFUSE = ("write", "rename", "mkdir")
W = ".openclaw/workspace"
DREAMS = f"{W}/memory/.dreams"
ROUTER = "Router vlan 20 carries the backup traffic to the gateway host."

pytestmark = pytest.mark.system
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")


@pytest.fixture
def busy_tree(tree: Any) -> Any:
    """A tree in which a sweep writes every kind of file that it can write."""
    tree.dreaming(storage={"mode": "both"})
    tree.note("2026-11-20", "# 2026-11-20\n\nWords of the owner.\n")
    tree.note("2026-11-19", "## Network\n- Router config backup is stored on the gateway host.\n")
    tree.note("2026-11-10", f"- {ROUTER}\n")
    row = {
        "key": "memory:memory/2026-11-10.md:1:1", "path": "memory/2026-11-10.md", "startLine": 1,
        "endLine": 1, "source": "memory", "snippet": ROUTER, "recallCount": 6, "dailyCount": 2,
        "groundedCount": 0, "totalScore": 7.4, "maxScore": 0.96,
        "firstRecalledAt": "2026-11-14T09:00:00.000Z", "lastRecalledAt": "2026-11-19T18:00:00.000Z",
        "queryHashes": ["a1", "b2", "c3", "d4", "e5"], "conceptTags": ["backup", "gateway"],
        "recallDays": ["2026-11-14", "2026-11-16", "2026-11-18", "2026-11-19"],
    }  # fmt: skip
    tree.json(f"{DREAMS}/short-term-recall.json", {"version": 1, "entries": {row["key"]: row}})
    message = {"role": "user", "content": "The violin lesson moves to Thursday."}
    stamp = "2026-11-19T10:00:00.000Z"
    tree.jsonl(
        ".openclaw/agents/main/sessions/s1.jsonl",
        [{"type": "message", "timestamp": stamp, "message": message}],
    )
    for path in tree.home.rglob("*"):
        if path.is_file():
            os.utime(path, (1_795_118_400, 1_795_118_400))
    return tree


class Trials:
    """Copies of a tree in one place, so that absolute paths in files stay the same."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        self.home, self.model = home, tmp_path / "model"
        shutil.copytree(home, self.model)

    def fresh(self) -> None:
        shutil.rmtree(self.home / ".openclaw")
        shutil.copytree(self.model / ".openclaw", self.home / ".openclaw")

    def run(self, *prefix: str) -> subprocess.CompletedProcess[str]:
        env = dict(os.environ, OPENCLAW_NOW=NOW, PYTHONDONTWRITEBYTECODE="1")
        argv = [*prefix, str(PROGRAM), "dreaming", "sweep", "--json"]
        return subprocess.run(
            argv, env=env, capture_output=True, text=True, timeout=120, check=False
        )

    def result(self) -> dict[str, bytes]:
        """Every file that is there, but for what a killed process cannot take away."""
        return {
            name: path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file()
            and not (name := str(path.relative_to(self.home))).endswith(".tmp")
            and "/jobs/" not in name
            and not name.endswith("usage.jsonl")  # a model that is asked again is paid again
        }


def faults(trials: Trials, calls: tuple[str, ...], fault: str, log: Path) -> list[str]:
    """What is wrong after each single ``fault`` of these calls, and the sweep run again."""
    trials.fresh()
    assert trials.run().returncode == 0
    wanted = trials.result()
    trials.fresh()
    trials.run("strace", "-f", "-c", "-o", str(log), "-e", "trace=" + ",".join(calls))
    rows = re.findall(
        r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", log.read_text(), re.M
    )
    found = []
    for count, call in rows:
        for number in range(1, int(count) + 1 if call != "total" else 0):
            trials.fresh()
            inject = f"inject={call}:{fault}:when={number}"
            hit = trials.run("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
            again = trials.run()
            where = f"{call} {number}"
            if "Traceback" in hit.stderr or again.returncode != 0:
                found.append(f"{where}: {hit.stderr[-200:]} {again.stderr[-200:]}")
            got = trials.result()
            differing = [n for n in wanted.keys() | got.keys() if wanted.get(n) != got.get(n)]
            if differing and hit.returncode != 0:
                found.append(f"{where}: {sorted(differing)}")
    return found


@needs_strace
def test_killed_sweep_is_finished_by_the_next(busy_tree: Any, tmp_path: Path) -> None:
    trials = Trials(busy_tree.home, tmp_path)
    assert faults(trials, KILL_AT, "signal=KILL", tmp_path / "log") == []


@needs_strace
def test_killed_sweep_tells_the_night_once(
    busy_tree: Any, model_server: Any, tmp_path: Path
) -> None:
    # Deep sleep alone: each call of a model costs half a second, and every rename two sweeps.
    off = {"enabled": False}
    dreaming = {"enabled": True, "phases": {"light": off, "rem": off}}
    plugins = {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}}
    busy_tree.config(plugins=plugins, **model_server.config())
    model_server.default = "A quiet night."
    trials = Trials(busy_tree.home, tmp_path)
    assert faults(trials, ("rename",), "signal=KILL", tmp_path / "log") == []
    diary = (busy_tree.home / f"{W}/DREAMS.md").read_text()
    assert diary.count("A quiet night.") == 1


@needs_strace
def test_full_disk_leaves_a_sweep_that_can_be_finished(busy_tree: Any, tmp_path: Path) -> None:
    trials = Trials(busy_tree.home, tmp_path)
    assert faults(trials, REFUSE, "error=ENOSPC", tmp_path / "log") == []


def test_plan_of_a_killed_sweep_yields_to_the_owner(
    busy_tree: Any, openclaw: Callable[..., Any], tmp_path: Path
) -> None:
    """A file that was changed after the crash is never overwritten from the journal."""
    if shutil.which("strace") is None:
        pytest.skip("strace is missing")
    trials = Trials(busy_tree.home, tmp_path)
    trials.fresh()
    killed = trials.run(
        "strace", "-f", "-o", "/dev/null", "-e", "trace=rename", "-e",
        "inject=rename:signal=KILL:when=3",
    )  # fmt: skip
    assert killed.returncode != 0
    assert (busy_tree.home / f"{DREAMS}/sweep-journal.json").exists()
    note = busy_tree.home / f"{W}/memory/2026-11-20.md"
    note.write_text("# 2026-11-20\n\nWords of the owner, and more of them.\n")
    status = openclaw("dreaming", "status", "--json").json()
    assert status["workspaces"][0]["interrupted"] is True
    done = openclaw("dreaming", "sweep", "--json", now=NOW)
    assert done.exit == 0, done.err
    assert "and more of them" in note.read_text()
    memory = (busy_tree.home / f"{W}/MEMORY.md").read_text()
    assert memory.count(ROUTER) == 1
    assert not (busy_tree.home / f"{DREAMS}/sweep-journal.json").exists()


def test_two_sweeps_at_once(busy_tree: Any, home: Path) -> None:
    """One runs, the other leaves with 75 and names the owner; together they do one sweep."""
    messages = [
        {"type": "message", "timestamp": "2026-11-19T10:00:00.000Z",
         "message": {"role": "user", "content": f"Statement {n} about the garden. " * 20}}
        for n in range(3000)
    ]  # fmt: skip
    busy_tree.jsonl(".openclaw/agents/main/sessions/long.jsonl", messages)
    env = dict(os.environ, OPENCLAW_NOW=NOW)
    argv = [str(PROGRAM), "dreaming", "sweep", "--json"]
    first = subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lock = home / f"{DREAMS}/sweep.lock"
    deadline = time.monotonic() + 30
    while not lock.exists() and first.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    second = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    first.communicate()
    assert (first.returncode, second.returncode) == (0, 75), second.stderr
    assert f"pid={first.pid}" in second.stderr
    assert not lock.exists()
    events = (home / f"{DREAMS}/events.jsonl").read_text()
    assert events.count('"phase":"deep"') == 1


def test_lock_of_a_dead_sweep_is_taken_over(busy_tree: Any, openclaw: Callable[..., Any]) -> None:
    dead = subprocess.run(["true"], check=True)
    assert dead.returncode == 0
    busy_tree.json(f"{DREAMS}/sweep.lock", {"pid": 4_194_300, "createdAt": NOW})
    assert openclaw("dreaming", "sweep").exit == 0
