"""Locks between processes: nobody's update is lost, nothing stays behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ADD = """
import json, pathlib, sys
from openclaw_cli.state import files, lock
target = pathlib.Path(sys.argv[1])
for _ in range(25):
    with lock.file_lock(target, timeout_s=60):
        count = files.load_json(target) or 0
        files.write_atomic(target, json.dumps(count + 1))
"""
HOLD = """
import pathlib, signal, sys, time
from openclaw_cli.cli import main
from openclaw_cli.state import lock
signal.signal(signal.SIGTERM, main._stop)
with lock.run_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    signal.pause()
"""


@pytest.mark.system
def test_no_update_is_lost_even_over_a_dead_owners_lock(tmp_path: Path) -> None:
    target = tmp_path / "count.json"
    (tmp_path / "count.json.lock").write_text('{"pid": 999999, "createdAt": "2026-01-01"}')
    workers = [subprocess.Popen([sys.executable, "-c", ADD, str(target)]) for _ in range(4)]
    assert [worker.wait() for worker in workers] == [0] * 4
    assert json.loads(target.read_text()) == 100
    assert [p.name for p in tmp_path.iterdir()] == ["count.json"]


@pytest.mark.system
def test_termination_releases_and_a_kill_leaves_a_stale_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.lock"
    for number, left in ((signal.SIGTERM, False), (signal.SIGKILL, True)):
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(number)
        holder.wait()
        holder.stdout.close()
        assert path.exists() is left
    from openclaw_cli.state import lock

    with lock.run_lock(path):
        pass
    assert not path.exists()
