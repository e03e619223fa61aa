"""Lock files: form, stale rule, waiting, release."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from openclaw_cli.errors import Busy
from openclaw_cli.state import clock, lock

NOW_MS = 1795143600000


def _write(path: Path, content: object, *, mtime_ms: int = NOW_MS) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    os.utime(path, (mtime_ms / 1000, mtime_ms / 1000))


def _dead_pid() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_file_lock_has_the_shared_form(tmp_path: Path) -> None:
    target = tmp_path / "sessions.json"
    path = tmp_path / "sessions.json.lock"
    with lock.file_lock(target):
        assert json.loads(path.read_text()) == {
            "pid": os.getpid(),
            "createdAt": "2026-11-20T03:00:00.000Z",
            "starttime": lock.start_ticks(os.getpid()),
        }
        assert list(tmp_path.iterdir()) == [path]
        with lock.file_lock(target):  # re-entrant
            pass
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_recall_lock_has_its_own_form(tmp_path: Path) -> None:
    path = tmp_path / "short-term-promotion.lock"
    with lock.pid_lock(path):
        assert path.read_text() == f"{os.getpid()}:{NOW_MS}\n"
    assert not path.exists()


def test_extra_keys_of_a_run_lock_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "turn.lock"
    with lock.run_lock(path, extra={"run": "agent"}):
        found = lock.owner(path)
        assert found is not None
        assert (found.pid, found.alive, found.extra) == (os.getpid(), True, {"run": "agent"})
        assert lock.is_held(path)
    assert not lock.is_held(path)


STALE = {
    "dead pid": lambda: ({"pid": _dead_pid(), "createdAt": clock.iso(NOW_MS)}, NOW_MS),
    "recycled pid": lambda: (
        {"pid": os.getpid(), "createdAt": clock.iso(NOW_MS), "starttime": 1},
        NOW_MS,
    ),
    "dead recall owner": lambda: (f"{_dead_pid()}:{NOW_MS}\n", NOW_MS),
    "old without pid": lambda: ({"createdAt": clock.iso(NOW_MS - 60_001)}, NOW_MS),
    "old and empty": lambda: ("", NOW_MS - 61_000),
    "old and unreadable": lambda: ("{", NOW_MS - 61_000),
}
LIVE = {
    "live owner, however old": lambda: (
        {"pid": os.getpid(), "createdAt": clock.iso(NOW_MS - 10**9)}, NOW_MS - 10**9),
    "live recall owner": lambda: (f"{os.getpid()}:1\n", NOW_MS),
    "young without pid": lambda: ({"createdAt": clock.iso(NOW_MS - 60_000)}, NOW_MS - 10**6),
    "young and empty": lambda: ("", NOW_MS - 59_000),
}  # fmt: skip


@pytest.mark.parametrize("name", STALE)
def test_stale_locks_are_taken_over_at_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.lock"
    content, mtime = STALE[name]()
    _write(path, content, mtime_ms=mtime)
    with lock.run_lock(path):
        found = lock.owner(path)
        assert found is not None
        assert found.pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", LIVE)
def test_live_or_young_locks_are_busy(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.lock"
    content, mtime = LIVE[name]()
    _write(path, content, mtime_ms=mtime)
    before = path.read_text()
    with pytest.raises(Busy) as caught, lock.file_lock(tmp_path / "x", timeout_s=0.05):
        pass
    assert caught.value.exit_status == 75
    assert str(path) in caught.value.message
    assert path.read_text() == before


def test_a_zombie_owner_is_dead(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read()  # it has ended its output, and soon itself; it is not waited for
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    _write(tmp_path / "x.lock", {"pid": child.pid, "createdAt": clock.iso(NOW_MS)})
    with lock.run_lock(tmp_path / "x.lock"):
        pass
    child.wait()
    child.stdout.close()


def test_a_lock_that_is_no_longer_ours_is_left(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with lock.run_lock(path):
        path.unlink()
        path.write_text("someone else's")
    assert path.read_text() == "someone else's"


def test_the_environment_sets_the_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_LOCK_TIMEOUT", "0.01")
    _write(tmp_path / "x.lock", {"pid": os.getpid(), "createdAt": clock.iso(NOW_MS)})
    with pytest.raises(Busy, match=r"after 0\.01 s"), lock.file_lock(tmp_path / "x"):
        pass
