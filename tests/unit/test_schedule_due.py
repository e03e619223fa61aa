"""When a task runs next, and whether its stored next run can be trusted."""

from __future__ import annotations

import os
from typing import Any

import pytest

from openclaw_cli.schedule import due
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.state import clock, lock

NOW = clock.parse_iso("2026-11-20T03:00:00Z")
UTC = clock.find_zone("UTC")
HOUR = clock.HOUR_MS


def ms(text: str) -> int:
    return clock.parse_iso(text)


def task(schedule: dict[str, Any], state: dict[str, Any] | None = None, **row: Any) -> Task:
    made = Task(
        {
            "id": row.pop("id", "t1"),
            "name": "t",
            "schedule": schedule,
            "payload": {"kind": "agentTurn", "message": "hi"},
            **row,
        },
        state or {},
    )
    made.identity = due.identity(made)
    return made


def cron(expr: str, state: dict[str, Any] | None = None, **more: Any) -> Task:
    return task({"kind": "cron", "expr": expr, "staggerMs": 0, **more}, state)


def at(now_ms: int = NOW, zone: str = "UTC") -> Moment:
    return Moment(now_ms, clock.find_zone(zone))


@pytest.mark.parametrize(
    ("anchor", "now", "expected"),
    [
        (1_000, 500, 1_000),  # before the anchor: the anchor
        (1_000, 1_000, 2_000),  # on the anchor: one later
        (1_000, 1_500, 2_000),
        (1_000, 3_000, 3_000),  # on a multiple: now
        (1_000, 3_001, 4_000),
    ],
)
def test_interval_alignment(anchor: int, now: int, expected: int) -> None:
    assert due.aligned_ms(anchor, 1_000, now) == expected


def test_an_interval_goes_on_from_the_last_run_else_from_its_anchor() -> None:
    schedule = {"kind": "every", "everyMs": HOUR, "anchorMs": NOW - 10 * HOUR - 60_000}
    assert due.next_run_ms(task(schedule, {"lastRunAtMs": NOW - 1000}), at()) == NOW - 1000 + HOUR
    assert due.next_run_ms(task(schedule, {"lastRunAtMs": NOW - 5 * HOUR}), at()) == (
        NOW + HOUR - 60_000
    )
    assert due.next_run_ms(task(schedule), at()) == NOW + HOUR - 60_000


def test_a_one_shot_stays_due_until_it_succeeded() -> None:
    schedule = {"kind": "at", "at": "2026-11-20T02:00:00Z"}
    assert due.next_run_ms(task(schedule), at()) == ms("2026-11-20T02:00:00Z")
    done = {"lastRunStatus": "ok", "lastRunAtMs": ms("2026-11-20T02:00:10Z")}
    assert due.next_run_ms(task(schedule, done), at()) is None
    failed = {"lastRunStatus": "error", "lastRunAtMs": ms("2026-11-20T02:00:10Z")}
    assert due.next_run_ms(task(schedule, failed), at()) is not None


def test_the_legacy_form_of_a_one_shot() -> None:
    assert due.next_run_ms(task({"atMs": NOW + 5}), at()) == NOW + 5


@pytest.mark.parametrize(
    ("task_id", "expected"),
    [
        ("11111111-0000-4000-8000-000000000001", "2026-11-20T03:02:53.972Z"),
        ("22222222-0000-4000-8000-000000000002", "2026-11-20T03:01:48.876Z"),
    ],
)
def test_tasks_of_the_full_hour_are_spread(task_id: str, expected: str) -> None:
    spread = task({"kind": "cron", "expr": "0 * * * *"}, id=task_id)
    assert clock.iso(due.next_run_ms(spread, at())) == expected


def test_a_bad_schedule_is_counted_and_given_up_after_three() -> None:
    bad = cron("0 9 * * *", tz="Mars/Base")
    for count in (1, 2, 3):
        bad = due.refreshed(bad, at())
        assert bad.state["scheduleErrorCount"] == count
        assert due.has_given_up(bad) is (count == 3)
    assert due.reason_not_due(bad, NOW) == "invalid-spec"


def test_a_schedule_that_is_right_again_forgets_its_errors() -> None:
    bad = due.refreshed(cron("0 9 * * *", tz="Mars/Base"), at())
    mended = Task({**bad.row, "schedule": {"kind": "cron", "expr": "0 9 * * *"}}, bad.state, None,
                  bad.identity)  # fmt: skip
    assert "scheduleErrorCount" not in due.refreshed(mended, at()).state


def test_a_stored_next_run_is_trusted() -> None:
    stored = cron("0 9 * * *", {"nextRunAtMs": NOW - 60_000})
    assert due.refreshed(stored, at()) is stored
    assert due.reason_not_due(stored, NOW) is None


def test_an_edited_schedule_starts_afresh_without_catching_up() -> None:
    stored = cron("0 9 * * *", {"nextRunAtMs": NOW - 60_000, "lastRunAtMs": NOW - 30 * HOUR})
    edited = Task({**stored.row, "schedule": {"kind": "cron", "expr": "0 2 * * *"}},
                  stored.state, None, stored.identity)  # fmt: skip
    assert due.refreshed(edited, at()).next_run_ms == ms("2026-11-21T02:00:00Z")


def test_the_identity_counts_by_meaning() -> None:
    stored = cron("0 9 * * *", {"nextRunAtMs": NOW - 60_000})
    stored.identity = (
        '{"schedule": {"staggerMs": 0, "expr": "0 9 * * *", "kind": "cron"}, "version": 1}'
    )
    assert due.refreshed(stored, at()).next_run_ms == NOW - 60_000
    stored.identity = "not json"
    assert due.refreshed(stored, at()).next_run_ms == ms("2026-11-20T09:00:00Z")


def test_a_slot_missed_without_a_stored_next_run_is_caught_up_once() -> None:
    missed = cron("0 2 * * *", {"lastRunAtMs": NOW - 80 * HOUR})
    found = due.refreshed(missed, at())
    assert found.next_run_ms == ms("2026-11-20T02:00:00Z")


def test_a_task_that_never_ran_catches_nothing_up() -> None:
    assert due.refreshed(cron("0 2 * * *"), at()).next_run_ms == ms("2026-11-21T02:00:00Z")


def test_after_three_days_of_sleep_it_is_due_once() -> None:
    asleep = cron("0 2 * * *", {"nextRunAtMs": NOW - 73 * HOUR, "lastRunAtMs": NOW - 97 * HOUR})
    assert due.refreshed(asleep, at()) is asleep
    assert due.reason_not_due(asleep, NOW) is None


def test_a_clock_set_back_an_hour_finds_the_next_run_anew() -> None:
    before = at(ms("2026-11-20T10:00:02Z"))
    ran = cron("0 * * * *", {"lastRunAtMs": ms("2026-11-20T10:00:00Z"), "lastRunStatus": "ok"})
    ran = due.refreshed(ran, before)
    back = at(ms("2026-11-20T09:00:02Z"))
    anew = due.refreshed(ran, back)
    assert anew.next_run_ms == ms("2026-11-20T10:00:00Z")
    # The next look trusts it, so the slot is not moved away for ever.
    later = at(ms("2026-11-20T10:00:05Z"))
    assert due.refreshed(anew, later) is anew
    assert due.reason_not_due(anew, later.now_ms) is None


def test_a_changed_host_zone_moves_tasks_without_a_zone_of_their_own() -> None:
    home = due.refreshed(cron("0 9 * * *"), at(zone="Europe/Warsaw"))
    assert home.next_run_ms == ms("2026-11-20T08:00:00Z")
    away = due.refreshed(home, at(zone="Asia/Tokyo"))
    assert away.next_run_ms == ms("2026-11-21T00:00:00Z")
    fixed = due.refreshed(cron("0 9 * * *", tz="Europe/Warsaw"), at(zone="Europe/Warsaw"))
    assert due.refreshed(fixed, at(zone="Asia/Tokyo")) is fixed


def test_a_slot_that_the_new_zone_has_behind_it_runs_once() -> None:
    ran = cron("0 9 * * *", {"lastRunAtMs": ms("2026-11-19T08:00:00Z")})
    ran = due.refreshed(ran, at(ms("2026-11-19T08:00:05Z"), "Europe/Warsaw"))
    moved = due.refreshed(ran, at(ms("2026-11-20T02:00:00Z"), "Asia/Tokyo"))
    assert moved.next_run_ms == ms("2026-11-20T00:00:00Z")


def test_a_wait_after_an_error_outlasts_a_passed_slot() -> None:
    waiting = cron(
        "0 * * * *",
        {"lastRunAtMs": NOW - 2 * HOUR, "lastRunStatus": "error", "nextRunAtMs": NOW + 60_000,
         due.BASIS: {"atMs": NOW - 2 * HOUR, "zone": "Europe/Warsaw"}},
    )  # fmt: skip
    assert due.refreshed(waiting, at()).next_run_ms == NOW + HOUR


def test_disabled_tasks_lose_next_run_and_abandoned_claims() -> None:
    off = task({"kind": "every", "everyMs": HOUR}, {"nextRunAtMs": NOW, "runningAtMs": 5},
               enabled=False)  # fmt: skip
    assert due.refreshed(off, at()).state == {}


def test_claims() -> None:
    assert due.claim(cron("0 * * * *"), NOW) == due.FREE
    mine = {"runningAtMs": NOW, "runningPid": os.getpid(),
            "runningStarttime": lock.start_ticks(os.getpid())}  # fmt: skip
    assert due.claim(cron("0 * * * *", mine), NOW) == due.RUNNING
    recycled = {**mine, "runningStarttime": 1}
    assert due.claim(cron("0 * * * *", recycled), NOW) == due.ABANDONED
    assert due.claim(cron("0 * * * *", {**mine, "runningPid": 2**22 + 1}), NOW) == due.ABANDONED
    gateway = {"runningAtMs": NOW - 2 * HOUR + 1}
    assert due.claim(cron("0 * * * *", gateway), NOW) == due.RUNNING
    assert due.claim(cron("0 * * * *", gateway), NOW + 1) == due.ABANDONED


def test_a_running_task_is_not_due() -> None:
    running = cron("0 * * * *", {"nextRunAtMs": NOW - 5, "runningAtMs": NOW - 5})
    assert due.reason_not_due(running, NOW) == "already-running"


def test_rows_of_later_releases_never_run() -> None:
    for row in (
        {"payload": {"kind": "command", "argv": ["true"]}},
        {"schedule": {"kind": "on-exit", "command": "make"}},
        {"trigger": {"script": "true"}},
        {"id": "../escape"},
    ):
        base = cron("0 * * * *", {"nextRunAtMs": NOW - 5})
        assert due.reason_not_due(Task({**base.row, **row}, base.state), NOW) == "unsupported"


def test_a_reminder_is_worth_a_day() -> None:
    late = task({"kind": "at", "at": "2026-11-19T03:00:00Z"}, {"nextRunAtMs": NOW - 24 * HOUR})
    assert not due.is_too_late(late, NOW)
    assert due.is_too_late(late, NOW + 1)
    assert not due.is_too_late(cron("0 * * * *", {"nextRunAtMs": NOW - 99 * HOUR}), NOW)
