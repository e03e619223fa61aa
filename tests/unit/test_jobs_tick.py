"""The tick: which jobs are due, records, waits, interruptions, clocks, several at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.errors import Busy, OpenClawError, UnknownName
from openclaw_cli.jobs import journal, look, quiet, records, tick, work
from openclaw_cli.jobs.look import View
from openclaw_cli.jobs.work import Done
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths

NOW = "2026-11-20T03:00:00Z"
MINUTE, HOUR = clock.MINUTE_MS, clock.HOUR_MS
NO_HEARTBEAT = {"agents": {"defaults": {"heartbeat": {"every": "0m"}}}}


class Host:
    """A tree and jobs whose work is ours: what ran, and how it shall end."""

    def __init__(self, tree: Tree, patch: pytest.MonkeyPatch) -> None:
        self.tree, self.patch = tree, patch
        self.did: list[str] = []
        self.body: Callable[[View], Done] = lambda view: Done(records.OK, {"n": 1})
        patch.setattr(work, "do", self._do)
        tree.config(**NO_HEARTBEAT)

    def _do(self, view: View, *_: Any, **__: Any) -> Done:
        self.did.append(view.name)
        return self.body(view)

    def at(self, when: str | int) -> None:
        self.patch.setenv("OPENCLAW_NOW", when if isinstance(when, str) else clock.iso(when))

    def tick(self) -> list[str]:
        """Run what is due; the names of the jobs that ran in this tick."""
        before = len(self.did)
        paths = Paths.from_env()
        self.report = tick.run_due(load(paths))
        return self.did[before:]

    def view(self, name: str) -> View:
        paths = Paths.from_env()
        around = look.Surroundings(load(paths), clock.now_ms())
        return look.look(name, around)

    def record(self, name: str) -> dict[str, Any]:
        return self.tree.read(".openclaw/jobs/state.json")["jobs"][name]

    def write_record(self, name: str, **fields: Any) -> None:
        self.tree.json(".openclaw/jobs/state.json", {"version": 1, "jobs": {name: fields}})


@pytest.fixture
def host(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(tree, monkeypatch)


def ms(text: str) -> int:
    return clock.parse_iso(text)


def test_the_nightly_cleanup_runs_once_a_night(host: Host) -> None:
    host.write_record("cleanup", startedAtMs=1, finishedAtMs=2, outcome="ok",
                      slotMs=ms("2026-11-19T04:30:00Z"))  # fmt: skip
    assert host.tick() == []
    assert host.view("cleanup").next_ms == ms("2026-11-20T04:30:00Z")
    host.at("2026-11-20T04:30:20Z")
    assert host.tick() == ["cleanup"]
    assert host.tick() == []
    host.at("2026-11-21T04:29:59Z")
    assert host.tick() == []


def test_the_cleanup_keeps_to_the_users_zone_and_schedule(host: Host) -> None:
    cli = {"jobs": {"cleanup": {"schedule": "15 2 * * *"}}}
    host.tree.config(
        agents={"defaults": {"userTimezone": "Europe/Warsaw", "heartbeat": {"every": "0m"}}},
        plugins={"entries": {"openclaw-cli": {"config": cli}}},
    )
    host.write_record("cleanup", startedAtMs=1, finishedAtMs=2, outcome="ok", slotMs=ms(NOW))
    assert host.view("cleanup").next_ms == ms("2026-11-21T01:15:00Z")


def test_three_days_of_sleep_are_made_up_once(host: Host) -> None:
    host.at("2026-11-17T04:31:00Z")
    assert host.tick() == ["cleanup"]
    host.at("2026-11-20T10:00:00Z")
    assert host.tick() == ["cleanup"]
    assert host.tick() == []
    assert host.record("cleanup")["slotMs"] == ms("2026-11-20T04:30:00Z")


def test_a_clock_set_back_counts_the_record_as_none(host: Host) -> None:
    host.at("2026-11-20T05:00:00Z")
    assert host.tick() == ["cleanup"]
    host.at("2026-11-20T04:40:00Z")
    assert host.view("cleanup").record.started_ms is None
    assert host.tick() == ["cleanup"]
    assert host.tick() == []


def test_a_changed_zone_moves_the_slot(host: Host) -> None:
    host.at("2026-11-20T05:00:00Z")
    host.tick()
    host.patch.setenv("TZ", "America/New_York")
    assert host.view("cleanup").next_ms == ms("2026-11-20T09:30:00Z")
    assert host.tick() == []
    host.at("2026-11-20T09:30:00Z")
    assert host.tick() == ["cleanup"]


def test_a_failed_job_waits_longer_and_longer_but_never_past_its_next_time(host: Host) -> None:
    host.body = lambda view: Done(records.FAILED, error="disk full")
    at = ms("2026-11-20T04:30:00Z")
    waits = []
    for _ in range(6):
        host.at(at)
        assert host.tick() == ["cleanup"]
        view = host.view("cleanup")
        assert (view.due, view.reason) == (False, look.BACKOFF)
        waits.append((view.next_ms - at) // MINUTE)
        host.at(view.next_ms - 1)
        assert host.tick() == []
        at = view.next_ms
    assert waits == [1, 5, 15, 60, 60, 60]
    assert list(tick.failures(host.report)) == []
    host.at("2026-11-21T04:25:00Z")
    assert host.tick() == ["cleanup"]
    assert host.view("cleanup").next_ms == ms("2026-11-21T04:30:00Z")


def test_a_failure_is_told_and_forgotten_after_a_success(host: Host) -> None:
    host.body = lambda view: Done(records.FAILED, error="disk full")
    host.at("2026-11-20T04:30:00Z")
    host.tick()
    assert list(tick.failures(host.report)) == ["cleanup: disk full"]
    assert host.record("cleanup")["failures"] == 1
    assert "slotMs" not in host.record("cleanup")
    host.body = lambda view: Done(records.OK)
    host.at("2026-11-20T04:31:00Z")
    assert host.tick() == ["cleanup"]
    assert "failures" not in host.record("cleanup")
    assert "error" not in host.record("cleanup")


@pytest.mark.parametrize("fault", [OpenClawError("no store"), ValueError("a bug")])
def test_a_job_that_raises_does_not_stop_the_next(host: Host, fault: Exception) -> None:
    host.tree.config(commitments={"enabled": True}, **NO_HEARTBEAT)

    def body(view: View) -> Done:
        if view.name == "cleanup":
            raise fault
        return Done(records.OK)

    host.body = body
    host.at("2026-11-20T04:30:00Z")
    assert host.tick() == ["cleanup", "extract"]
    assert host.record("cleanup")["outcome"] == "failed"
    assert host.record("extract")["outcome"] == "ok"


def test_a_lock_held_inside_a_job_is_no_failure(host: Host) -> None:
    def body(view: View) -> Done:
        raise Busy("sessions.json is locked")

    host.body = body
    host.at("2026-11-20T04:30:00Z")
    assert host.tick() == ["cleanup"]
    assert list(tick.failures(host.report)) == []
    assert host.view("cleanup").due


def test_a_killed_run_is_interrupted_and_due_at_once(host: Host) -> None:
    host.at("2026-11-20T04:31:00Z")
    host.write_record("cleanup", startedAtMs=ms("2026-11-20T04:30:00Z"), pid=2**22 + 3)
    view = host.view("cleanup")
    assert (view.due, view.record.to_json()["outcome"]) == (True, "interrupted")
    assert host.tick() == ["cleanup"]
    lines = journal.read(Paths.from_env(), job="cleanup")
    assert [line["outcome"] for line in lines] == ["ok", "interrupted"]
    assert "end" not in lines[1]


def test_after_three_interruptions_it_waits_for_its_next_time(host: Host) -> None:
    host.at("2026-11-20T04:33:00Z")
    fields = {"startedAtMs": ms("2026-11-20T04:30:00Z"), "pid": 2**22 + 3}
    host.write_record("cleanup", **fields, interruptions=1)
    assert host.view("cleanup").due
    host.write_record("cleanup", **fields, interruptions=2)
    view = host.view("cleanup")
    assert (view.due, view.reason) == (False, look.INTERRUPTED_OFTEN)
    assert host.tick() == []
    host.at("2026-11-21T04:30:00Z")
    assert host.tick() == ["cleanup"]
    assert "interruptions" not in host.record("cleanup")


def test_interruptions_in_a_row_are_counted(host: Host) -> None:
    record = records.NEVER
    for count in (1, 2, 3):
        begun = records.begin(Paths.from_env(), "cleanup", record, ms(NOW))
        record = records.Record({**begun.fields, "pid": 2**22 + 3})
        assert record.interruptions == count


def test_a_job_whose_lock_is_held_is_left_out(host: Host) -> None:
    host.at("2026-11-20T04:30:00Z")
    host.tree.json(".openclaw/jobs/cleanup.lock", {"pid": 1, "createdAt": NOW})
    assert host.tick() == []
    assert [job["reason"] for job in host.report["jobs"] if job["name"] == "cleanup"] == ["locked"]
    paths = Paths.from_env()
    with pytest.raises(Busy):
        tick.run_now("cleanup", load(paths))


def test_jobs_are_switched_off_one_by_one(host: Host) -> None:
    cli = {"jobs": {"cleanup": {"enabled": False}}}
    host.tree.config(plugins={"entries": {"openclaw-cli": {"config": cli}}}, **NO_HEARTBEAT)
    host.at("2026-11-20T04:30:00Z")
    assert host.tick() == []
    view = host.view("cleanup")
    assert (view.enabled, view.reason) == (False, look.DISABLED)


def test_features_that_are_off(host: Host) -> None:
    assert all(host.view(name).enabled for name in look.NAMES)
    reasons = {name: host.view(name).reason for name in look.NAMES}
    assert reasons["heartbeat"] == reasons["sweep"] == reasons["extract"] == look.FEATURE_OFF


def test_all_five_in_their_order(host: Host) -> None:
    plugins = {"entries": {"memory-core": {"config": {"dreaming": {"enabled": True}}}}}
    host.tree.config(commitments={"enabled": True}, plugins=plugins)
    host.tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [{
        "id": "a", "name": "a", "schedule": {"kind": "at", "at": "2026-11-20T04:00:00Z"},
        "payload": {"kind": "systemEvent", "text": "x"}, "state": {}}]})  # fmt: skip
    host.at("2026-11-20T04:31:00Z")
    assert host.tick() == ["heartbeat", "sweep", "cleanup", "extract", "cron"]


def test_heartbeats_by_agent(host: Host) -> None:
    every = {"a": "30m", "b": "2h"}
    listed = [{"id": name, "heartbeat": {"every": text}} for name, text in every.items()]
    host.tree.config(agents={"list": listed})
    started = {"lastRunStartedAtMs": ms(NOW) - 40 * MINUTE}
    host.tree.json(".openclaw/heartbeat/state.json", {"agents": {"a": started, "b": started}})
    assert host.view("heartbeat").facts.agents == ["a"]
    host.tree.json(".openclaw/heartbeat/state.json", {"enabled": False})
    assert host.view("heartbeat").reason == look.FEATURE_OFF


def test_the_sweep_is_due_by_its_own_record(host: Host) -> None:
    host.tree.dreaming()
    assert host.view("sweep").due
    root = str(host.tree.workspace)
    host.tree.json(".openclaw/jobs/dreaming.json", {root: {"slotMs": ms(NOW)}})
    view = host.view("sweep")
    assert (view.due, view.next_ms) == (False, ms("2026-11-21T03:00:00Z"))


def test_extraction_follows_changes_of_the_stores(host: Host) -> None:
    host.tree.config(commitments={"enabled": True}, **NO_HEARTBEAT)
    host.tree.sessions({})
    os.utime(host.tree.state / "agents/main/sessions/sessions.json", (1, 1))
    assert host.tick() == ["extract"] or host.did == ["cleanup", "extract"]
    assert host.tick() == []
    host.tree.sessions({"agent:main:main": {"sessionId": "x"}})
    path = host.tree.state / "agents/main/sessions/sessions.json"
    os.utime(path, (ms(NOW) / 1000 - 5, ms(NOW) / 1000 - 5))
    assert host.tick() == ["extract"]
    # The exchange may not have been over: one more look, once it is.
    assert host.view("extract").next_ms == ms(NOW) - 5_000 + 15_000
    host.at(ms(NOW) + 10_000)
    assert host.tick() == ["extract"]
    host.at(ms(NOW) + 600_000)
    assert host.tick() == []


def test_extraction_that_could_not_finish_comes_back(host: Host) -> None:
    host.tree.config(commitments={"enabled": True}, **NO_HEARTBEAT)
    host.body = lambda view: Done(records.OK, pending_ms=ms(NOW) + 15 * MINUTE)
    assert "extract" in host.tick()
    assert host.tick() == []
    host.at(ms(NOW) + 15 * MINUTE)
    assert host.tick() == ["extract"]


def test_spent_tokens_stop_background_calls_until_tomorrow(host: Host) -> None:
    cli = {"budget": {"maxTokensPerDay": 100}}
    host.tree.config(plugins={"entries": {"openclaw-cli": {"config": cli}}})
    host.tree.jsonl(".openclaw/logs/usage.jsonl", [
        {"ts": "2026-11-20T01:00:00.000Z", "purpose": "agent", "inputTokens": 90,
         "outputTokens": 10}])  # fmt: skip
    view = host.view("heartbeat")
    assert (view.due, view.reason) == (False, look.BUDGET)
    assert view.next_ms == ms("2026-11-21T00:00:00Z")


def test_a_store_that_cannot_be_read_fails_the_job_and_waits(host: Host) -> None:
    host.tree.file(".openclaw/cron/jobs.json", "{")
    assert host.tick()[-1:] != ["cron"]
    assert [line for line in tick.failures(host.report) if line.startswith("cron: ")]
    view = host.view("cron")
    assert (view.due, view.reason, view.next_ms) == (False, look.BACKOFF, ms(NOW) + MINUTE)


def test_a_failing_task_does_not_delay_other_tasks(host: Host) -> None:
    at = {"a": "2026-11-20T03:00:00Z", "b": "2026-11-20T03:00:30Z"}
    host.tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [
        {"id": name, "name": name, "schedule": {"kind": "at", "at": when}, "state": {},
         "payload": {"kind": "systemEvent", "text": "x"}}
        for name, when in at.items()]})  # fmt: skip
    host.body = lambda view: Done(records.FAILED, error="a: no")
    host.tick()
    host.tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [
        {"id": "b", "name": "b", "schedule": {"kind": "at", "at": "2026-11-20T03:00:30Z"},
         "state": {}, "payload": {"kind": "systemEvent", "text": "x"}}]})  # fmt: skip
    host.tree.json(".openclaw/cron/jobs-state.json", {"version": 1, "jobs": {
        "b": {"state": {"nextRunAtMs": ms("2026-11-20T03:00:30Z")}}}})  # fmt: skip
    host.at("2026-11-20T03:00:31Z")
    assert "cron" in host.tick()


# what is written down


def test_a_record_before_and_after(host: Host) -> None:
    seen: dict[str, Any] = {}

    def body(view: View) -> Done:
        seen.update(host.record("cleanup"))
        return Done(records.OK, {"stores": 1})

    host.body = body
    host.at("2026-11-20T04:30:00Z")
    host.tick()
    assert (seen["startedAtMs"], seen["pid"]) == (ms("2026-11-20T04:30:00Z"), os.getpid())
    assert "finishedAtMs" not in seen
    after = host.record("cleanup")
    assert (after["outcome"], after["slotMs"], after["finishedAtMs"]) == (
        "ok", ms("2026-11-20T04:30:00Z"), ms("2026-11-20T04:30:00Z"),
    )  # fmt: skip
    [line] = journal.read(Paths.from_env(), job="cleanup")
    assert line == {
        "ts": "2026-11-20T04:30:00.000Z", "job": "cleanup", "start": "2026-11-20T04:30:00.000Z",
        "end": "2026-11-20T04:30:00.000Z", "durationMs": 0, "outcome": "ok",
        "counts": {"stores": 1},
    }  # fmt: skip


def test_the_journal_rotates(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_BYTES", 300)
    paths = Paths.from_env()
    for number in range(6):
        journal.record(paths, "cron", started_ms=number, ended_ms=number, outcome="ok")
    assert (paths.state_dir / "logs/jobs.jsonl.1").exists()
    assert journal.read(paths, limit=1)[0]["start"] == clock.iso(5)
    assert journal.read(paths, job="sweep") == []
    assert len(journal.read(paths, since_ms=4)) == 2


def test_a_damaged_record_file_holds_none(host: Host) -> None:
    host.tree.file(".openclaw/jobs/state.json", "{")
    host.at("2026-11-20T04:30:00Z")
    assert host.tick() == ["cleanup"]
    assert host.record("cleanup")["outcome"] == "ok"


def test_unknown_jobs(host: Host) -> None:
    paths = Paths.from_env()
    with pytest.raises(UnknownName, match="nothing"):
        tick.run_now("nothing", load(paths))


# knowing that nothing is due


def holds(at_ms: int) -> bool:
    return quiet.holds(Paths.from_env(), os.environ, at_ms)


def test_a_quiet_tick_is_remembered_until_the_next_time(host: Host) -> None:
    host.at("2026-11-20T04:26:00Z")
    host.write_record("cleanup", startedAtMs=1, finishedAtMs=2, outcome="ok",
                      slotMs=ms("2026-11-19T04:30:00Z"))  # fmt: skip
    assert not holds(ms("2026-11-20T04:26:00Z"))
    host.tick()
    assert holds(ms("2026-11-20T04:26:00Z"))
    assert holds(ms("2026-11-20T04:30:00Z") - 1)
    assert not holds(ms("2026-11-20T04:30:00Z"))
    assert not holds(ms("2026-11-20T04:25:59Z"))  # the clock was set back


def test_it_is_looked_again_after_ten_minutes(host: Host) -> None:
    host.tick()
    host.tick()
    assert holds(ms(NOW) + 10 * MINUTE - 1)
    assert not holds(ms(NOW) + 10 * MINUTE)


@pytest.mark.parametrize(
    "path",
    [
        "openclaw.json", ".env", "cron/jobs.json", "cron/jobs-state.json", "outbox/outbox.jsonl",
        "jobs/state.json",
    ],
)  # fmt: skip
def test_any_change_of_what_was_looked_at_asks_for_a_new_look(host: Host, path: str) -> None:
    host.tick()
    host.tick()
    assert holds(ms(NOW) + 1)
    host.tree.file(f".openclaw/{path}", "{}")
    assert not holds(ms(NOW) + 1)


def test_another_environment_asks_for_a_new_look(host: Host) -> None:
    host.tick()
    host.tick()
    host.patch.setenv("TZ", "Asia/Tokyo")
    assert not holds(ms(NOW) + 1)


def test_a_busy_tick_is_not_remembered(host: Host) -> None:
    host.at("2026-11-20T04:30:00Z")
    assert host.tick() == ["cleanup"]
    assert not (host.tree.state / "jobs/quiet.json").exists()


def test_the_time_of_the_last_tick(host: Host) -> None:
    paths = Paths.from_env()
    assert quiet.last_tick_ms(paths) is None
    host.tick()
    assert quiet.last_tick_ms(paths) == ms(NOW)


def test_a_preview_runs_and_writes_nothing(host: Host) -> None:
    host.at("2026-11-20T04:30:00Z")
    paths = Paths.from_env()
    before = sorted(paths.state_dir.rglob("*"))
    report = tick.preview(load(paths))
    assert [row["name"] for row in report["ran"]] == ["cleanup"]
    assert (host.did, sorted(paths.state_dir.rglob("*"))) == ([], before)
