"""Stores under real processes: writers and cleanups at once, kills and full disks at every step."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.state.clock import DAY_MS

pytestmark = pytest.mark.system

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
PROGRAM = Path(sys.executable).with_name("openclaw")
STAMP = "2026-11-20T03-00-00.000Z"
needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")

WRITER = """
import sys
from pathlib import Path
from openclaw_cli.sessions import store, write_path
from openclaw_cli.state.paths import Paths
home, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
paths = Paths.from_env({"HOME": str(home)})
for n in range(count):
    def change(draft):
        row = draft.rows.setdefault("agent:main:" + name, {"sessionId": name, "count": 0})
        row["count"] += 1
        row["updatedAt"] = 1795143600000
    write_path.update(paths.sessions_dir("main") / "sessions.json", change, paths=paths,
                 now_ms=1795143600000, command="test")
"""


def row(session_id: str, days: float = 0, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": int(NOW - 1000 - days * DAY_MS), **fields}


def start(*argv: str, home: Path) -> subprocess.Popen[str]:
    env = os.environ | {"HOME": str(home), "OPENCLAW_LOCK_TIMEOUT": "60"}
    return subprocess.Popen(
        [*argv], env=env, cwd=home, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def cleanup(home: Path, *options: str, under: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    return start(*under, str(PROGRAM), "sessions", "cleanup", "--json", *options, home=home)


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit status of ``process`` and what it said on stderr."""
    _, err = process.communicate(timeout=120)
    return process.returncode, err


def test_two_cleanups_and_three_writers_lose_nothing(tree: Tree, home: Path) -> None:
    tree.sessions({f"agent:main:old{n}": row(f"o{n}", 40) for n in range(200)})
    for n in range(200):
        tree.file(f"{FOLDER}/o{n}.jsonl", "{}\n")
    writers = [
        start(sys.executable, "-c", WRITER, str(home), f"w{n}", "25", home=home) for n in range(3)
    ]
    cleaners = [cleanup(home, "--enforce") for _ in range(2)]
    for process in [*writers, *cleaners]:
        status, err = finished(process)
        assert status == 0, err
    rows = tree.read(f"{FOLDER}/sessions.json")
    assert {key: value["count"] for key, value in rows.items()} == {
        f"agent:main:w{n}": 25 for n in range(3)
    }
    archived = [name for name in os.listdir(home / FOLDER) if ".deleted." in name]
    assert len(archived) == 200
    lines = tree.lines(".openclaw/logs/changes.jsonl")
    assert len({line["key"] for line in lines}) == len(lines) == 200
    assert [n for n in os.listdir(home / FOLDER) if ".lock" in n or ".tmp" in n] == []


def crowded(home: Path, *, budget: bool) -> Tree:
    """A tree in which every step of a cleanup has something to do."""
    tree = Tree(home)
    limits: dict[str, Any] = {"mode": "enforce", "rotateBytes": "500b", "maxEntries": 3}
    if budget:
        limits |= {"maxDiskBytes": 1500, "highWaterBytes": 1200}
    tree.config(session={"maintenance": limits})
    tree.sessions(
        {
            "agent:main:main": row("m", room="r"),
            "agent:main:stale": row("s", 40),
            "agent:main:topic": row("t", 50, sessionFile="t-topic-1.jsonl"),
            "agent:main:capped": row("c", 3),
            "agent:main:kept1": row("k1", 1),
            "agent:main:kept2": row("k2", 2),
        }
    )
    for name in ("m", "s", "t", "t-topic-1", "c", "k1", "k2"):
        tree.file(f"{FOLDER}/{name}.jsonl", f'{{"type":"message","id":"{name}"}}\n' * 3)
    tree.file(f"{FOLDER}/s.trajectory.jsonl", "{}\n")
    tree.file(f"{FOLDER}/orphan.jsonl", "orphan\n", mtime=1_000_000)
    tree.file(f"{FOLDER}/x.jsonl.deleted.2020-01-01T00-00-00.000Z", "expired\n")
    for n in (1, 2, 3):
        tree.file(f"{FOLDER}/sessions.json.bak.{n}", "{}")
    return tree


def contents(home: Path) -> dict[str, bytes]:
    """The folder and the trail; what a killed write or a lock left aside."""
    found = {
        path.relative_to(home).as_posix(): path.read_bytes().replace(bytes(home), b"HOME")
        for path in (home / ".openclaw").rglob("*")
        if path.is_file() and not path.name.endswith((".tmp", ".lock"))
    }
    trail = found.pop(".openclaw/logs/changes.jsonl", b"")
    found["trail"] = b"\n".join(sorted(trail.splitlines()))
    return found


def calls_of(home: Path, log: Path) -> dict[str, int]:
    """How often a clean run makes each system call that changes files."""
    wanted = "write,fsync,rename,link,linkat,unlink,mkdir"
    under = ("strace", "-f", "-c", "-o", str(log), "-e", f"trace={wanted}")
    finished(cleanup(home, under=under))
    pattern = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", re.MULTILINE)
    return {m[2]: int(m[1]) for m in pattern.finditer(log.read_text()) if m[2] != "total"}


@needs_strace
@pytest.mark.parametrize("budget", [False, True], ids=["limits", "budget"])
def test_a_kill_at_any_step_ends_in_the_planned_state(tmp_path: Path, budget: bool) -> None:
    clean = tmp_path / "clean"
    crowded(clean, budget=budget)
    assert finished(cleanup(clean)) == (0, "")
    wanted = contents(clean)
    probe = tmp_path / "probe"
    crowded(probe, budget=budget)
    counts = calls_of(probe, tmp_path / "calls")
    assert counts["rename"] >= 5
    for call, count in counts.items():
        for number in range(1, count + 1):
            home = tmp_path / f"{call}{number}"
            crowded(home, budget=budget)
            fault = ("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")
            finished(cleanup(home, under=("strace", "-f", "-o", "/dev/null", *fault)))
            json.loads((home / FOLDER / "sessions.json").read_text())  # never torn, never gone
            status, err = finished(cleanup(home))
            assert status == 0, f"{call} {number}: {err}"
            assert contents(home) == wanted, f"{call} {number}"
            shutil.rmtree(home)


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EACCES"])
def test_no_failing_call_loses_a_conversation_or_a_row(tmp_path: Path, error: str) -> None:
    probe = tmp_path / "probe"
    crowded(probe, budget=False)
    counts = calls_of(probe, tmp_path / "calls")
    for call in ("write", "fsync", "rename", "link", "linkat", "unlink", "mkdir"):
        for number in range(1, counts.get(call, 0) + 1):
            home = tmp_path / f"{call}{number}"
            crowded(home, budget=False)
            texts = sorted(p.read_bytes() for p in (home / FOLDER).glob("*[a-z0-9].jsonl"))
            fault = ("-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}")
            failed, err = finished(cleanup(home, under=("strace", "-f", "-o", "/dev/null", *fault)))
            where = f"{call} {number}: {err}"
            assert "Traceback" not in err, where
            assert "internal error" not in err, where
            rows = json.loads((home / FOLDER / "sessions.json").read_text())
            assert {"agent:main:main", "agent:main:kept1", "agent:main:kept2"} <= rows.keys(), where
            for value in rows.values():
                name = value.get("sessionFile", value["sessionId"] + ".jsonl")
                assert (home / FOLDER / name).is_file() or failed, where
            now = [p.read_bytes() for p in (home / FOLDER).iterdir()]
            for text in texts:
                if text != b"{}\n":  # a trajectory file may go
                    assert text in now, where
            status, err = finished(cleanup(home))
            assert status == 0, f"{where} then {err}"
            for value in json.loads((home / FOLDER / "sessions.json").read_text()).values():
                name = value.get("sessionFile", value["sessionId"] + ".jsonl")
                assert (home / FOLDER / name).is_file(), where
            shutil.rmtree(home)


@needs_strace
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_journal_and_releases_the_lock(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    home = tmp_path / "home"
    crowded(home, budget=False)
    # The third rename is the first of a transcript: journal and store are written by then.
    fault = ("-e", "trace=rename", "-e", f"inject=rename:signal={number.name[3:]}:when=3")
    assert finished(cleanup(home, under=("strace", "-o", "/dev/null", *fault)))[0] == status
    left = os.listdir(home / FOLDER)
    assert "sessions.json.maintenance" in left
    assert not [name for name in left if ".lock" in name or name.endswith(".tmp")]
    assert f"s.jsonl.deleted.{STAMP}" in left, "the file action at hand is finished"
    assert finished(cleanup(home))[0] == 0
    assert "sessions.json.maintenance" not in os.listdir(home / FOLDER)


def test_a_dead_owner_is_robbed_at_once_and_a_live_one_waited_for(tree: Tree, home: Path) -> None:
    tree.sessions({"agent:main:old": row("o", 40)})
    lock = home / FOLDER / "sessions.json.lock"
    lock.write_text(json.dumps({"pid": os.getpid(), "createdAt": "2026-11-20T02:59:59.000Z"}))
    process = cleanup(home, "--enforce")
    time.sleep(1)
    assert process.poll() is None
    assert len(tree.read(f"{FOLDER}/sessions.json")) == 1
    lock.write_text(json.dumps({"pid": 2**22 + 1, "createdAt": "2026-11-20T02:59:59.000Z"}))
    out, _ = process.communicate(timeout=30)
    assert json.loads(out)["pruned"] == 1
    assert not lock.exists()
