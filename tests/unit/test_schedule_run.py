"""Running tasks: claims, results, deliveries, notices, with a task body of our own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.errors import Busy, OpenClawError, UnknownName
from openclaw_cli.schedule import history, run, settings, store
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome
from openclaw_cli.schedule.run import Host
from openclaw_cli.state import changes, clock, lock
from openclaw_cli.state.paths import Paths

NOW = "2026-11-20T03:00:00Z"


class World:
    """A tree with tasks, and a body for them that records what it was asked."""

    def __init__(self, tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tree, self.patch = tree, monkeypatch
        self.ran: list[str] = []
        self.notes: list[str] = []
        self.body: Callable[[Task], Outcome] = lambda task: Outcome("ok", summary=task.text)
        tree.config()

    def host(self) -> Host:
        paths = Paths.from_env()
        config = load(paths)

        def execute(task: Task, _started_ms: int) -> Outcome:
            self.ran.append(task.id)
            return self.body(task)

        found = settings.from_config(config, paths, {})
        zone = clock.host_zone()
        return Host(paths, config, found, zone, execute, lambda t, text: self.notes.append(text))

    def at(self, when: str) -> None:
        self.patch.setenv("OPENCLAW_NOW", when)

    def due(self, **how: Any) -> dict[str, Any]:
        return run.run_due(self.host(), **how)

    def add(self, task_id: str, schedule: dict[str, Any], **row: Any) -> None:
        path = ".openclaw/cron/jobs.json"
        known = self.tree.read(path)["jobs"] if (self.tree.home / path).exists() else []
        task = {
            "id": task_id,
            "name": f"task {task_id}",
            "schedule": schedule,
            "payload": {"kind": "agentTurn", "message": "hi"},
            "delivery": {"mode": "none"},
            "createdAtMs": clock.parse_iso("2026-11-20T00:00:00Z"),
            "state": {},
            **row,
        }
        self.tree.json(path, {"version": 1, "jobs": [*known, task]})

    def state(self, task_id: str) -> dict[str, Any]:
        jobs = self.tree.read(".openclaw/cron/jobs-state.json")["jobs"]
        return jobs[task_id]["state"]

    def set_state(self, task_id: str, **state: Any) -> None:
        path = ".openclaw/cron/jobs-state.json"
        known = self.tree.read(path)["jobs"] if (self.tree.home / path).exists() else {}
        known[task_id] = {"state": state}
        self.tree.json(path, {"version": 1, "jobs": known})

    def ids(self) -> list[str]:
        return [row["id"] for row in self.tree.read(".openclaw/cron/jobs.json")["jobs"]]

    def runs(self, task_id: str) -> list[dict[str, Any]]:
        return history.read(self.tree.state / "cron" / "runs" / f"{task_id}.jsonl")


AT = {"kind": "at", "at": "2026-11-20T02:59:00Z"}
HOURLY = {"kind": "cron", "expr": "0 * * * *", "staggerMs": 0}


@pytest.fixture
def world(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tree, monkeypatch)


def test_what_is_due_runs_in_the_order_of_its_time(world: World) -> None:
    world.add("late", AT)
    world.add("early", {"kind": "at", "at": "2026-11-20T02:58:00Z"})
    world.add("future", {"kind": "at", "at": "2026-11-20T03:00:01Z"})
    report = world.due()
    assert [row["id"] for row in report["ran"]] == ["early", "late"]
    assert world.ran == ["early", "late"]
    assert report["nextWakeAtMs"] == clock.parse_iso("2026-11-20T03:00:01Z")
    assert world.ids() == ["future"]
    assert world.due()["ran"] == []


def test_a_deleted_one_shot_leaves_its_history_and_a_trace(world: World) -> None:
    world.add("a", AT)
    world.due()
    assert world.runs("a")[0]["status"] == "ok"
    told = list(changes.read(Paths.from_env()))
    assert (told[0]["key"], told[0]["row"]["name"]) == ("a", "task a")


def test_the_limit_leaves_the_rest_for_the_next_run(world: World) -> None:
    world.add("a", AT)
    world.add("b", AT)
    report = world.due(limit=1)
    assert (len(report["ran"]), report["skipped"]) == (1, [{"id": "b", "reason": "limit"}])
    assert [row["id"] for row in world.due()["ran"]] == ["b"]


def test_after_days_of_sleep_each_task_runs_once(world: World) -> None:
    world.add("a", HOURLY)
    world.due()
    assert world.ran == []
    world.at("2026-11-23T10:20:00Z")
    assert [row["id"] for row in world.due()["ran"]] == ["a"]
    assert world.due()["ran"] == []
    assert clock.iso(world.state("a")["nextRunAtMs"]) == "2026-11-23T11:00:00.000Z"


def test_a_claim_names_its_process_while_it_runs(world: World) -> None:
    world.add("a", AT)
    seen: dict[str, Any] = {}

    def body(task: Task) -> Outcome:
        seen.update(world.state("a"))
        assert not lock.is_held(Path(str(store.files_of(world.host().settings.store_path).state)
                                     + ".lock"))  # fmt: skip
        return Outcome("ok")

    world.body = body
    world.due()
    assert seen["runningPid"] == __import__("os").getpid()
    assert seen["runningAtMs"] == clock.parse_iso(NOW)


def test_an_interrupted_reminder_is_recorded_and_retried(world: World) -> None:
    world.add("a", AT)
    world.set_state("a", runningAtMs=clock.parse_iso("2026-11-20T02:59:30Z"), runningPid=2**22 + 7)
    assert world.due()["ran"] == []
    assert (world.runs("a")[0]["status"], world.runs("a")[0]["errorReason"]) == (
        "error", "interrupted",
    )  # fmt: skip
    assert clock.iso(world.state("a")["nextRunAtMs"]) == "2026-11-20T03:00:30.000Z"
    world.at("2026-11-20T03:00:30Z")
    assert [row["status"] for row in world.due()["ran"]] == ["ok"]


def test_a_live_claim_of_a_gateway_is_left_alone(world: World) -> None:
    world.add("a", AT)
    world.set_state("a", runningAtMs=clock.parse_iso("2026-11-20T02:59:30Z"))
    assert world.due()["skipped"] == [{"id": "a", "reason": "already-running"}]
    assert world.ran == []


def test_a_reminder_found_a_day_late_is_marked_missed(world: World) -> None:
    world.add("a", {"kind": "at", "at": "2026-11-19T02:59:00Z"})
    assert world.due()["skipped"] == [{"id": "a", "reason": "missed"}]
    assert world.ran == []
    state = world.state("a")
    assert (state["lastRunStatus"], state["lastErrorReason"]) == ("skipped", "missed")
    assert world.tree.read(".openclaw/cron/jobs.json")["jobs"][0]["enabled"] is False


def test_a_task_that_is_removed_meanwhile_is_logged_not_resurrected(world: World) -> None:
    world.add("a", HOURLY)
    world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))

    def body(_task: Task) -> Outcome:
        world.tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": []})
        return Outcome("ok")

    world.body = body
    assert len(world.due()["ran"]) == 1
    assert world.ids() == []
    assert len(world.runs("a")) == 1


def test_an_edit_during_the_run_stays(world: World) -> None:
    world.add("a", HOURLY)
    world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))

    def body(_task: Task) -> Outcome:
        row = world.tree.read(".openclaw/cron/jobs.json")["jobs"][0]
        world.tree.json(".openclaw/cron/jobs.json",
                        {"version": 1, "jobs": [{**row, "name": "new"}]})  # fmt: skip
        return Outcome("ok")

    world.body = body
    world.due()
    assert world.tree.read(".openclaw/cron/jobs.json")["jobs"][0]["name"] == "new"
    assert world.state("a")["lastRunStatus"] == "ok"


def test_one_task_that_fails_does_not_stop_the_others(world: World) -> None:
    def body(task: Task) -> Outcome:
        if task.id == "a":
            raise OpenClawError("no such thing", code="gone")
        if task.id == "b":
            raise ValueError("a bug")
        return Outcome("ok")

    world.body = body
    for name in "abc":
        world.add(name, AT)
    report = world.due()
    assert [(row["id"], row["status"]) for row in report["ran"]] == [
        ("a", "error"), ("b", "error"), ("c", "ok"),
    ]  # fmt: skip
    assert report["ran"][0]["error"] == "no such thing"
    assert "a bug" in report["ran"][1]["error"]


def test_an_empty_text_is_skipped(world: World) -> None:
    world.add("a", AT, payload={"kind": "systemEvent", "text": "  "})
    assert world.due()["ran"][0]["status"] == "skipped"
    assert world.ran == []


def test_a_schedule_that_cannot_be_evaluated_is_switched_off_with_a_notice(world: World) -> None:
    world.add("a", {"kind": "cron", "expr": "61 * * * *"})
    for _ in range(3):
        assert world.due()["skipped"] == [{"id": "a", "reason": "invalid-spec"}]
    assert world.tree.read(".openclaw/cron/jobs.json")["jobs"][0]["enabled"] is False
    assert len(world.notes) == 1
    assert "minute" in world.notes[0]
    assert world.due()["skipped"] == []


def test_a_second_run_due_is_busy_and_claims_nothing(world: World, tree: Tree) -> None:
    world.add("a", AT)
    tree.json(".openclaw/jobs/cron.lock", {"pid": 1, "createdAt": NOW})
    with pytest.raises(Busy):
        world.due()
    assert not (tree.state / "cron" / "jobs-state.json").exists()


def test_switched_off_nothing_runs(world: World) -> None:
    world.add("a", AT)
    world.tree.config(cron={"enabled": False})
    assert world.due() == {"enabled": False, "ran": [], "skipped": [], "nextWakeAtMs": None}
    assert run.run_one(world.host(), "a") == {"ok": True, "ran": False, "reason": "disabled"}


def test_a_preview_changes_nothing(world: World, tree: Tree) -> None:
    world.add("a", AT)
    before = {p: p.read_bytes() for p in tree.state.rglob("*") if p.is_file()}
    report = run.preview(world.host())
    assert [row["id"] for row in report["ran"]] == ["a"]
    assert {p: p.read_bytes() for p in tree.state.rglob("*") if p.is_file()} == before


def test_running_one_task_by_hand(world: World) -> None:
    world.add("a", HOURLY)
    assert run.run_one(world.host(), "a", only_due=True)["reason"] == "not-due"
    report = run.run_one(world.host(), "a")
    assert (report["ok"], report["ran"], report["enqueued"], report["status"]) == (
        True, True, True, "ok",
    )  # fmt: skip
    assert report["runId"] == f"cron:a:{clock.parse_iso(NOW)}"
    with pytest.raises(UnknownName):
        run.run_one(world.host(), "nobody")


def test_rows_of_a_later_release_are_not_run_by_hand(world: World) -> None:
    world.add("a", HOURLY, payload={"kind": "command", "argv": ["true"]})
    assert run.run_one(world.host(), "a")["reason"] == "invalid-spec"


# time limits


def test_a_run_that_takes_too_long_is_an_error_and_the_next_one_runs(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "GRACE_S", 0.0)

    def body(task: Task) -> Outcome:
        time.sleep(20 if task.id == "a" else 0)
        return Outcome("ok")

    world.body = body
    payload = {"kind": "agentTurn", "message": "hi", "timeoutSeconds": 1}
    world.add("a", AT, payload=payload)
    world.add("b", AT, payload=payload)
    started = time.monotonic()
    rows = world.due()["ran"]
    assert time.monotonic() - started < 10
    assert [(row["id"], row["status"]) for row in rows] == [("a", "error"), ("b", "ok")]
    assert rows[0]["error"] == "timed out after 1 s"
    # It may pass: tried again, as any timeout.
    assert world.runs("a")[0]["errorReason"] == "timeout"
    assert clock.iso(world.state("a")["nextRunAtMs"]) == "2026-11-20T03:00:30.000Z"


@pytest.mark.parametrize(
    ("payload", "limit_s"),
    [
        ({"kind": "agentTurn", "message": "x"}, 3600),
        ({"kind": "agentTurn", "message": "x", "timeoutSeconds": 5}, 5),
        ({"kind": "agentTurn", "message": "x", "timeoutSeconds": 0}, None),
        ({"kind": "agentTurn", "message": "x", "timeoutSeconds": -1}, 3600),
        ({"kind": "agentTurn", "message": "x", "timeoutSeconds": "5"}, 3600),
        ({"kind": "systemEvent", "text": "x"}, 600),
    ],
)
def test_how_long_a_run_may_take(payload: dict[str, Any], limit_s: int | None) -> None:
    assert Task({"payload": payload}).limit_s == limit_s


def test_a_reminder_that_met_a_lock_is_tried_again(world: World) -> None:
    def body(_task: Task) -> Outcome:
        raise Busy("locked after 10 s by pid=1")

    world.body = body
    world.add("a", AT)
    assert world.due()["ran"][0]["status"] == "error"
    assert clock.iso(world.state("a")["nextRunAtMs"]) == "2026-11-20T03:00:30.000Z"


# deliveries


def deliver(world: World, delivery: dict[str, Any], **body: Any) -> dict[str, Any]:
    world.add("a", HOURLY, delivery=delivery)
    world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))
    world.body = lambda task: Outcome(**{"status": "ok", "answer": "the answer", **body})
    return world.due()["ran"][0]


def outbox(world: World) -> list[dict[str, Any]]:
    path = world.tree.state / "outbox" / "outbox.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_an_answer_is_handed_to_its_channel(world: World) -> None:
    row = deliver(world, {"mode": "announce", "channel": "telegram", "to": "44", "threadId": 7})
    assert (row["status"], row["deliveryStatus"]) == ("ok", "delivered")
    sent = outbox(world)[-1]
    assert (sent["channel"], sent["to"], sent["threadId"]) == ("telegram", "44", "7")
    assert (sent["text"], sent["source"], sent["sourceId"]) == ("the answer", "cron", "a")
    assert world.runs("a")[0]["delivered"] is True


def test_last_is_the_last_route_of_the_main_session(world: World, tree: Tree) -> None:
    context = {"channel": "signal", "to": "+4812"}
    tree.sessions({"agent:main:main": {"sessionId": "s", "deliveryContext": context}})
    assert deliver(world, {"mode": "announce"})["deliveryStatus"] == "delivered"
    assert (outbox(world)[-1]["channel"], outbox(world)[-1]["to"]) == ("signal", "+4812")


def test_without_any_last_route_the_run_is_fine_and_says_so(world: World) -> None:
    row = deliver(world, {"mode": "announce"})
    assert (row["status"], row["deliveryStatus"]) == ("ok", "not-delivered")
    assert world.runs("a")[0]["deliveryError"] == "no-target"
    assert outbox(world) == []


def test_a_named_place_that_does_not_exist_is_an_error(world: World) -> None:
    row = deliver(world, {"mode": "announce", "channel": "telegram"})
    assert (row["status"], row["deliveryStatus"]) == ("error", "not-delivered")
    assert "delivery failed" in row["error"]


def test_best_effort_never_fails_a_run(world: World) -> None:
    row = deliver(world, {"mode": "announce", "channel": "telegram", "bestEffort": True})
    assert (row["status"], row["deliveryStatus"]) == ("ok", "not-delivered")


def test_nothing_to_say_is_not_delivered(world: World) -> None:
    place = {"mode": "announce", "channel": "telegram", "to": "44"}
    assert deliver(world, place, answer=None)["deliveryStatus"] == "not-delivered"
    assert outbox(world) == []


def test_a_webhook_gets_the_run(world: World) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    got: list[tuple[str | None, dict[str, Any]]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.headers["Authorization"], json.loads(body)))
            self.send_response(204 if len(got) == 1 else 500)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        world.tree.config(cron={"webhookToken": "s3cret"})
        url = f"http://127.0.0.1:{server.server_port}/hook"
        row = deliver(world, {"mode": "webhook", "to": url}, summary="sum")
        assert (row["status"], row["deliveryStatus"]) == ("ok", "delivered")
        assert got[0][0] == "Bearer s3cret"
        assert (got[0][1]["jobId"], got[0][1]["summary"]) == ("a", "sum")
        assert "s3cret" not in json.dumps(outbox(world))
        world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))
        failed = world.due()["ran"][0]
        assert (failed["status"], failed["deliveryStatus"]) == ("error", "not-delivered")
        assert "500" in failed["error"]
    finally:
        server.shutdown()
        server.server_close()


def test_a_failure_notice_goes_to_the_alerts_place(world: World) -> None:
    world.add("a", HOURLY, failureAlert={"after": 1, "channel": "telegram", "to": "99"})
    world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))
    world.body = lambda task: Outcome("error", error="the model said no")
    world.due()
    assert (outbox(world)[-1]["to"], outbox(world)[-1]["channel"]) == ("99", "telegram")
    assert "the model said no" in outbox(world)[-1]["text"]
    assert world.runs("a")[0]["failureNotificationDelivery"]["status"] == "delivered"


# session rows of runs


def run_rows(tree: Tree, **ages_h: float) -> None:
    now_ms = clock.parse_iso(NOW)
    rows = {}
    for index, (name, hours) in enumerate(ages_h.items()):
        session_id = f"5c1e00cb-7d2b-4e5a-9c31-5a0f2e28878{index}"
        tree.transcript(session_id, [("user", "hi"), ("assistant", "ho")])
        key = f"agent:main:cron:{name}" if name == "base" else f"agent:main:cron:a:run:{name}"
        rows[key] = {"sessionId": session_id, "updatedAt": int(now_ms - hours * 3_600_000)}
    tree.sessions(rows)


def test_rows_of_single_runs_go_after_a_day_and_are_archived(world: World, tree: Tree) -> None:
    run_rows(tree, old=24.1, young=23.9, base=99)
    world.add("a", AT)
    world.due()
    rows = tree.read(".openclaw/agents/main/sessions/sessions.json")
    assert sorted(rows) == ["agent:main:cron:a:run:young", "agent:main:cron:base"]
    folder = tree.state / "agents/main/sessions"
    assert len(list(folder.glob("*288780.jsonl.deleted.*"))) == 1
    assert len(list(folder.glob("*.jsonl"))) == 2


def test_rows_of_runs_are_purged_every_five_minutes_at_most(world: World, tree: Tree) -> None:
    world.add("a", HOURLY)
    world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))
    world.due()
    run_rows(tree, old=99)
    for when, left in (("2026-11-20T03:04:59Z", 1), ("2026-11-20T03:05:00Z", 0)):
        world.at(when)
        world.set_state("a", nextRunAtMs=clock.parse_iso(NOW))
        world.due()
        assert len(tree.read(".openclaw/agents/main/sessions/sessions.json")) == left


def test_rows_of_runs_can_be_kept(world: World, tree: Tree) -> None:
    tree.config(cron={"sessionRetention": False})
    run_rows(tree, old=9999)
    world.add("a", AT)
    world.due()
    assert len(tree.read(".openclaw/agents/main/sessions/sessions.json")) == 1
