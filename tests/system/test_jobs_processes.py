"""The tick as real processes: a real cron daemon, ten at once, killed in the middle, its cost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.state import clock

pytestmark = pytest.mark.system

PROGRAM = Path(sys.executable).with_name("openclaw")
NOW_MS = clock.parse_iso("2026-11-20T03:00:00Z")
BUDGET = 1.6


def reminder(task_id: str, schedule: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": task_id,
        "name": f"task {task_id}",
        "createdAtMs": NOW_MS,
        "schedule": schedule,
        "sessionTarget": "main",
        "wakeMode": "next-heartbeat",
        "payload": {"kind": "systemEvent", "text": f"think of {task_id}"},
        "state": {},
    }


def turn(task_id: str, at: str) -> dict[str, Any]:
    return {
        "id": task_id,
        "name": task_id,
        "schedule": {"kind": "at", "at": at},
        "payload": {"kind": "agentTurn", "message": "Say something"},
        "delivery": {"mode": "none"},
        "state": {},
    }


def start(*argv: str, now: str | None = None) -> subprocess.Popen[str]:
    env = dict(os.environ) | ({"OPENCLAW_NOW": now} if now else {})
    return subprocess.Popen(
        [str(PROGRAM), *argv], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for(condition: Callable[[], Any], timeout_s: float, what: str) -> Any:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            found = condition()
        except (OSError, ValueError, LookupError):
            found = None
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


def test_ten_ticks_at_once_run_each_job_and_each_task_once(tree: Tree) -> None:
    tree.config(commitments={"enabled": True})
    names = [f"t{number}" for number in range(5)]
    at = {"kind": "at", "at": "2026-11-20T02:59:00Z"}
    rows = [reminder(name, at) | {"deleteAfterRun": False} for name in names]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    ticks = [start("jobs", "run-due") for _ in range(10)]
    for process in ticks:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err) == (0, "", "")
    runs = Counter(line["job"] for line in tree.lines(".openclaw/logs/jobs.jsonl"))
    assert runs == {"heartbeat": 1, "cleanup": 1, "extract": 1, "cron": 1}
    for name in names:
        assert len(tree.lines(f".openclaw/cron/runs/{name}.jsonl")) == 1
    waiting = tree.read(".openclaw/heartbeat/state.json")["events"]["agent:main:main"]
    assert sorted(event["text"] for event in waiting) == [f"think of {name}" for name in names]
    assert not list((tree.state / "jobs").glob("*.lock"))


def test_a_killed_task_is_recorded_as_interrupted_and_retried(
    tree: Tree, model_server: Any, openclaw: Any
) -> None:
    tree.config(**model_server.config())
    tree.json(".openclaw/cron/jobs.json", {
        "version": 1, "jobs": [turn("a", "2026-11-20T02:59:00Z")]})  # fmt: skip
    model_server.hang()
    victim = start("cron", "run-due")
    wait_for(lambda: model_server.requests, 30, "the call of the model")
    state = tree.read(".openclaw/cron/jobs-state.json")["jobs"]["a"]["state"]
    assert state["runningPid"] == victim.pid
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=30)
    model_server.reply("here I am")
    found = openclaw("cron", "run-due", "--json")
    assert (found.exit, found.json()["ran"]) == (0, [])
    again = openclaw("cron", "run-due", "--json", now="2026-11-20T03:00:31Z")
    assert [row["status"] for row in again.json()["ran"]] == ["ok"], again.out + again.err
    runs = tree.lines(".openclaw/cron/runs/a.jsonl")
    assert [(run["status"], run.get("errorReason")) for run in runs] == [
        ("error", "interrupted"), ("ok", None),
    ]  # fmt: skip
    assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []


def test_a_killed_tick_is_recorded_as_interrupted_and_due_at_once(
    tree: Tree, model_server: Any, openclaw: Any
) -> None:
    config = model_server.config()
    config["agents"]["defaults"]["heartbeat"] = {"every": "0m"}
    tree.config(**config)
    tree.json(".openclaw/cron/jobs.json", {
        "version": 1, "jobs": [turn("a", "2026-11-20T02:59:00Z")]})  # fmt: skip
    model_server.hang()
    victim = start("jobs", "run-due")
    wait_for(lambda: model_server.requests, 30, "the call of the model")
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=30)
    cron = next(job for job in openclaw("jobs", "list", "--json").json()["jobs"]
                if job["name"] == "cron")  # fmt: skip
    assert (cron["due"], cron["lastRun"]["outcome"]) == (True, "interrupted")
    model_server.reply("fine")
    assert openclaw("jobs", "run-due", now="2026-11-20T03:00:31Z").exit == 0
    outcomes = [(line["job"], line["outcome"]) for line in tree.lines(".openclaw/logs/jobs.jsonl")]
    assert ("cron", "interrupted") in outcomes
    assert outcomes[-1] == ("cron", "ok")


def test_a_terminated_tick_leaves_no_lock(tree: Tree, model_server: Any) -> None:
    config = model_server.config()
    config["agents"]["defaults"]["heartbeat"] = {"every": "0m"}
    tree.config(**config)
    tree.json(".openclaw/cron/jobs.json", {
        "version": 1, "jobs": [turn("a", "2026-11-20T02:59:00Z")]})  # fmt: skip
    model_server.hang()
    victim = start("jobs", "run-due")
    wait_for(lambda: model_server.requests, 30, "the call of the model")
    victim.send_signal(signal.SIGTERM)
    victim.communicate(timeout=30)
    assert victim.returncode == 143
    assert not list(tree.state.rglob("*.lock"))


def pids_of_claims(tree: Tree) -> list[int]:
    jobs = tree.read(".openclaw/cron/jobs-state.json")["jobs"].values()
    return [job["state"]["runningPid"] for job in jobs if "runningPid" in job["state"]]


def side_by_side(tree: Tree, model_server: Any, *names: str, slots: int) -> None:
    tree.config(**model_server.config(), cron={"maxConcurrentRuns": slots})
    rows = [turn(name, "2026-11-20T02:59:00Z") for name in names]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})


def test_as_many_tasks_run_at_once_as_allowed(tree: Tree, model_server: Any) -> None:
    side_by_side(tree, model_server, "a", "b", "c", slots=2)
    model_server.hang(4, times=2)
    model_server.default = "fine"
    process = start("cron", "run-due", "--json")
    wait_for(lambda: len(model_server.requests) == 2, 30, "two calls at once")
    assert len({process.pid, *pids_of_claims(tree)}) == 3
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    report = json.loads(out)
    assert sorted(row["id"] for row in report["ran"]) == ["a", "b", "c"]
    assert {row["status"] for row in report["ran"]} == {"ok"}
    assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []
    assert not list(tree.state.rglob("*.lock"))


def test_what_becomes_due_beside_a_long_run_does_not_wait_for_it(
    tree: Tree, model_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENCLAW_NOW")
    side_by_side(tree, model_server, "long", slots=2)
    soon = clock.iso(clock.now_ms() + 3_000)
    rows = [turn("long", clock.iso(clock.now_ms() - 1_000)), turn("soon", soon)]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    model_server.hang(60)
    model_server.default = "fine"
    process = start("cron", "run-due", "--json")
    history = tree.state / "cron" / "runs" / "soon.jsonl"
    wait_for(history.exists, 45, "the short task")
    assert process.poll() is None
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == 143


def test_told_to_stop_it_stops_its_workers(tree: Tree, model_server: Any) -> None:
    side_by_side(tree, model_server, "a", "b", slots=2)
    model_server.hang(times=2)
    process = start("cron", "run-due")
    wait_for(lambda: len(model_server.requests) == 2, 30, "two calls at once")
    pids = pids_of_claims(tree)
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (143, "", "")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not list(tree.state.rglob("*.lock"))


def test_a_killed_worker_is_an_error_and_the_others_go_on(tree: Tree, model_server: Any) -> None:
    side_by_side(tree, model_server, "a", "b", slots=2)
    model_server.hang(2, times=2)
    process = start("cron", "run-due", "--json")
    wait_for(lambda: len(model_server.requests) == 2, 30, "two calls at once")
    os.kill(tree.read(".openclaw/cron/jobs-state.json")["jobs"]["a"]["state"]["runningPid"],
            signal.SIGKILL)  # fmt: skip
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    rows = {row["id"]: row for row in json.loads(out)["ran"]}
    assert rows["a"]["error"] == "its process was killed"
    assert rows["b"]["status"] == "ok"
    assert tree.lines(".openclaw/cron/runs/a.jsonl")[0]["errorReason"] == "interrupted"


def test_workers_of_a_killed_run_finish_their_tasks(tree: Tree, model_server: Any) -> None:
    side_by_side(tree, model_server, "a", "b", slots=2)
    model_server.hang(2, times=2)
    process = start("cron", "run-due")
    wait_for(lambda: len(model_server.requests) == 2, 30, "two calls at once")
    process.kill()
    wait_for(lambda: tree.read(".openclaw/cron/jobs.json")["jobs"] == [], 30, "both results")
    _, err = process.communicate(timeout=30)
    assert err == ""
    for name in "ab":
        assert tree.lines(f".openclaw/cron/runs/{name}.jsonl")[0]["status"] == "ok"


def test_a_turn_that_takes_too_long_is_cut_off(
    tree: Tree, model_server: Any, openclaw: Any
) -> None:
    tree.config(**model_server.config())
    row = turn("a", "2026-11-20T02:59:00Z")
    row["payload"]["timeoutSeconds"] = 2
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [row]})
    model_server.hang(60)
    started = time.monotonic()
    done = openclaw("cron", "run-due", "--json")
    assert time.monotonic() - started < 20
    assert done.exit == 1
    assert tree.lines(".openclaw/cron/runs/a.jsonl")[0]["errorReason"] in (
        "timeout",
        "model-timeout",
    )
    assert not list(tree.state.rglob("*.lock"))


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("call", ["rename", "unlink", "fsync"])
def test_a_crash_at_any_write_loses_no_reminder(
    tree: Tree, openclaw_inproc: Any, call: str
) -> None:  # fmt: skip
    tree.config()
    at = {"kind": "at", "at": "2026-11-20T02:59:00Z"}
    rows = [reminder("a", at), reminder("b", at), {"id": "bad"}]
    for number in range(1, 40):
        shutil.rmtree(tree.state / "cron", ignore_errors=True)
        shutil.rmtree(tree.state / "heartbeat", ignore_errors=True)
        tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
        inject = f"inject={call}:signal=KILL:when={number}"
        done = subprocess.run(
            ["strace", "-f", "-o", "/dev/null", "-e", inject, str(PROGRAM), "cron", "run-due"],
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        for when in ("2026-11-20T03:00:00Z", "2026-11-20T03:00:31Z"):
            assert openclaw_inproc("cron", "run-due", now=when).exit == 0
        waiting = tree.read(".openclaw/heartbeat/state.json")["events"]["agent:main:main"]
        assert {event["text"] for event in waiting} == {"think of a", "think of b"}
        assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []
        kept = tree.read(".openclaw/cron/jobs-quarantine.json")["jobs"]
        assert [entry["job"] for entry in kept] == [{"id": "bad"}]
        if done.returncode == 0:
            assert number > 3
            return
    raise AssertionError(f"more than 40 times {call}")


def _cpu_s(argv: list[str]) -> float:
    """The least user and system time of some runs."""
    best = float("inf")
    for _ in range(9):
        before = os.times()
        subprocess.run(argv, check=True, capture_output=True)
        after = os.times()
        spent = (after.children_user - before.children_user) + (
            after.children_system - before.children_system
        )
        best = min(best, spent)
    return best


@pytest.mark.parametrize("tasks", [0, 500])
def test_a_tick_with_nothing_due_costs_little_more_than_click(
    tree: Tree, openclaw: Any, tasks: int
) -> None:
    tree.config(
        agents={"defaults": {"heartbeat": {"every": "30m"}}},
        commitments={"enabled": True},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}},
    )
    rows = [
        reminder(f"t{number}", {"kind": "cron", "expr": f"{number % 60} {number % 24} 1 1 *"})
        for number in range(tasks)
    ]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    for second in ("05", "20", "35"):
        assert openclaw("jobs", "run-due", now=f"2026-11-20T03:00:{second}Z").exit == 0
    os.environ["OPENCLAW_NOW"] = "2026-11-20T03:00:40Z"
    assert (tree.state / "jobs/quiet.json").exists()
    click = _cpu_s([sys.executable, "-c", "import click"])
    tick = _cpu_s([str(PROGRAM), "jobs", "run-due"])
    assert tick <= BUDGET * click, f"{tick / click:.2f} x"


# a real cron daemon


@pytest.fixture
def cron_daemon(monkeypatch: pytest.MonkeyPatch, stand_ins: Path) -> Iterator[None]:
    """A running cron whose crontab of this user nobody needs meanwhile."""
    monkeypatch.setenv("PATH", os.environ["PATH"].replace(f"{stand_ins}{os.pathsep}", ""))
    if not (shutil.which("cron") and shutil.which("crontab")):
        pytest.skip("cron is not installed")
    if os.geteuid() != 0:
        pytest.skip("starting a cron daemon needs root")
    listed = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False)
    left_behind = "/pytest-of-" in listed.stdout  # by a run of this test that was killed
    if listed.returncode == 0 and listed.stdout.strip() and not left_behind:
        pytest.skip("the crontab of this user is in use")
    daemon = subprocess.Popen(["cron", "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)
    running_already = daemon.poll() is not None  # another cron holds the pid file: it will do
    try:
        yield
    finally:
        subprocess.run(["crontab", "-r"], capture_output=True, check=False)
        if not running_already:
            daemon.terminate()
            daemon.wait(timeout=10)


def test_a_real_cron_ticks_and_each_job_runs_once_each_time(
    cron_daemon: None, tree: Tree, openclaw: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENCLAW_NOW")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tree.state))
    tree.config(agents={"defaults": {"heartbeat": {"every": "0m"}}})
    # Overdue at the first tick and due at every later one: a tick comes each 60 s.
    task = reminder("minutely", {"kind": "cron", "expr": "* * * * *", "tz": "UTC"})
    task["state"] = {"nextRunAtMs": NOW_MS}
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task]})
    assert openclaw("jobs", "install", "--cron").exit == 0
    installed = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=True)
    assert installed.stdout.count("jobs run-due") == 1
    journal = tree.state / "logs" / "jobs.jsonl"
    history = tree.state / "cron" / "runs" / "minutely.jsonl"
    wait_for(lambda: len(history.read_text().splitlines()) >= 2, 240, "two ticks")
    assert openclaw("jobs", "uninstall").exit == 0
    assert subprocess.run(["crontab", "-l"], capture_output=True, check=False).returncode != 0
    minutes = Counter(run["runAtMs"] // 60_000 for run in tree.lines(
        ".openclaw/cron/runs/minutely.jsonl"))  # fmt: skip
    assert set(minutes.values()) == {1}
    runs = Counter(line["job"] for line in tree.lines(".openclaw/logs/jobs.jsonl"))
    assert runs["cleanup"] == 1
    assert journal.exists()
    state = openclaw("jobs", "list", "--json").json()["scheduler"]
    assert (state["installed"], state["lastTickAtMs"] is not None) == (False, True)
