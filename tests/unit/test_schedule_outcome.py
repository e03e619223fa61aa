"""What becomes of a task after a run: the documented table, retries, notices."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.schedule import outcome
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.outcome import Outcome, Run
from openclaw_cli.schedule.settings import Retry, Settings
from openclaw_cli.state import clock

START = clock.parse_iso("2026-11-20T03:00:00Z")
END = START + 5_000
S, M = 1_000, 60_000
MOMENT = Moment(END, clock.find_zone("UTC"))
TRANSIENT = Outcome("error", error="429 Too Many Requests")
PERMANENT = Outcome("error", error="the prompt is bad")


def settings(**change: Any) -> Settings:
    base = Settings(True, __import__("pathlib").Path("x"), Retry(), None, 1, 1, {}, {})
    return base._replace(**change)


def task(kind: str, state: dict[str, Any] | None = None, **row: Any) -> Task:
    schedule = {
        "at": {"kind": "at", "at": "2026-11-20T03:00:00Z"},
        "daily": {"kind": "cron", "expr": "0 3 * * *"},
        "minutely": {"kind": "cron", "expr": "* * * * *"},
        "every": {"kind": "every", "everyMs": 3_600_000, "anchorMs": START - 7_200_000},
    }[kind]
    payload = {"kind": "agentTurn", "message": "hi"}
    full = {"id": "t1", "name": "t", "schedule": schedule, "payload": payload, **row}
    return Task(full, {"runningAtMs": START, "runningPid": 1, **(state or {})})


def settle(task: Task, result: Outcome, run: Run | None = None, **change: Any) -> outcome.After:
    return outcome.settle(task, result, run or Run(START, END), MOMENT, settings(**change))


def test_a_one_shot_that_succeeded_is_deleted_or_switched_off() -> None:
    assert settle(task("at"), Outcome("ok")).task is None
    kept = settle(task("at", deleteAfterRun=False), Outcome("ok")).task
    assert kept.row["enabled"] is False
    assert kept.next_run_ms is None


@pytest.mark.parametrize("keep", [True, False])
def test_a_one_shot_that_was_skipped_is_kept_but_off(keep: bool) -> None:
    after = settle(task("at", deleteAfterRun=not keep), Outcome("skipped")).task
    assert after.row["enabled"] is False


def test_a_one_shot_is_tried_again_after_a_passing_error() -> None:
    waits = []
    for errors in range(4):
        after = settle(task("at", {"consecutiveErrors": errors}), TRANSIENT).task
        waits.append(after.next_run_ms - END if after.enabled else None)
    assert waits == [30 * S, 60 * S, 300 * S, None]


def test_a_one_shot_with_a_lasting_error_is_switched_off() -> None:
    after = settle(task("at"), PERMANENT).task
    assert (after.row["enabled"], after.next_run_ms) == (False, None)


def test_an_interrupted_reminder_is_retried_not_dropped() -> None:
    after = settle(task("at"), outcome.interrupted(START)).task
    assert after.enabled
    assert after.next_run_ms == END + 30 * S
    assert after.state["lastErrorReason"] == "interrupted"


@pytest.mark.parametrize("status", ["ok", "skipped"])
def test_recurring_tasks_go_on_at_their_regular_time(status: str) -> None:
    after = settle(task("daily"), Outcome(status)).task
    assert clock.iso(after.next_run_ms) == "2026-11-21T03:00:00.000Z"


def test_a_passing_error_is_retried_before_the_regular_time() -> None:
    after = settle(task("daily"), TRANSIENT).task
    assert after.next_run_ms == END + 30 * S


def test_after_the_last_attempt_the_regular_time_counts() -> None:
    after = settle(task("daily", {"consecutiveErrors": 3}), TRANSIENT).task
    assert clock.iso(after.next_run_ms) == "2026-11-21T03:00:00.000Z"


@pytest.mark.parametrize(
    ("errors", "wait"),
    [(0, 30 * S), (1, 60 * S), (2, 5 * M), (3, 15 * M), (4, 60 * M), (9, 60 * M)],
)
def test_lasting_errors_wait_longer_and_longer(errors: int, wait: int) -> None:
    after = settle(task("minutely", {"consecutiveErrors": errors}), PERMANENT).task
    regular = START + M
    assert after.next_run_ms == max(regular, END + wait)


def test_a_retry_that_is_not_earlier_than_the_regular_time_is_none() -> None:
    # Regular: 03:01:00. The retry would be at 03:00:05 + 60 s.
    after = settle(task("minutely", {"consecutiveErrors": 1}), TRANSIENT).task
    assert after.next_run_ms == END + 60 * S


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("429 Too Many Requests", "rate_limit"),
        ("rate limit exceeded", "rate_limit"),
        ("Overloaded", "overloaded"),
        ("Connection error.", "network"),
        ("ECONNRESET", "network"),
        ("Request timed out", "timeout"),
        ("HTTP 503", "server_error"),
        ("Internal Server Error", "server_error"),
        ("invalid api key", None),
        ("port 5000 is odd", None),
    ],
)
def test_kinds_of_errors(text: str, kind: str | None) -> None:
    assert outcome.error_kind(Outcome("error", error=text)) == kind


def test_a_reason_beats_the_text() -> None:
    assert outcome.error_kind(Outcome("error", error="x", reason="model-unreachable")) == "network"
    assert outcome.error_kind(Outcome("error", error="x", reason="model-timeout")) == "timeout"


def test_only_chosen_kinds_are_retried() -> None:
    retry = Retry(kinds=("network",))
    assert not settle(task("at"), TRANSIENT, retry=retry).task.enabled
    assert settle(task("at"), TRANSIENT, retry=Retry(backoff_ms=(7,))).task.next_run_ms == END + 7


def test_a_cron_task_does_not_fire_again_within_two_seconds() -> None:
    just_before = Run(START, START + M - 500)
    moment = Moment(just_before.ended_ms, MOMENT.zone)
    after = outcome.settle(task("minutely"), Outcome("ok"), just_before, moment, settings())
    assert after.task.next_run_ms == just_before.ended_ms + 2_000


def test_a_forced_run_of_an_interval_keeps_its_rhythm() -> None:
    state = {"lastRunAtMs": START - 1_800_000}
    usual = settle(task("every", state), Outcome("ok")).task
    forced = settle(task("every", state), Outcome("ok"), Run(START, END, forced=True)).task
    assert usual.next_run_ms == START + 3_600_000
    assert forced.next_run_ms == START + 1_800_000


def test_counters_and_state_of_a_run() -> None:
    before = {"consecutiveErrors": 2, "consecutiveSkipped": 0, "lastError": "old"}
    state = settle(task("daily", before), Outcome("skipped", error="why", reason="r")).task.state
    assert {"runningAtMs", "runningPid"} & state.keys() == set()
    assert (state["consecutiveErrors"], state["consecutiveSkipped"]) == (0, 1)
    assert (state["lastRunAtMs"], state["lastDurationMs"]) == (START, 5_000)
    assert (state["lastRunStatus"], state["lastStatus"]) == ("skipped", "skipped")
    assert (state["lastError"], state["lastErrorReason"]) == ("why", "r")
    assert "lastError" not in settle(task("daily", before), Outcome("ok")).task.state


def test_a_forced_first_run_of_an_interval_leaves_its_anchor_in_force() -> None:
    at = START + 1_200_000
    moment = Moment(at + 5_000, MOMENT.zone)
    run = Run(at, at + 5_000, forced=True)
    after = outcome.settle(task("every"), Outcome("ok"), run, moment, settings()).task
    assert after is not None
    assert after.next_run_ms == START + 3_600_000
    regular = outcome.settle(task("every"), Outcome("ok"), run._replace(forced=False), moment,
                             settings()).task  # fmt: skip
    assert regular is not None
    assert regular.next_run_ms == at + 3_600_000


def test_a_disabled_task_that_was_forced_stays_off() -> None:
    after = settle(task("daily", enabled=False), Outcome("ok"), Run(START, END, True)).task
    assert (after.enabled, after.next_run_ms) == (False, None)


def test_a_notice_after_two_errors_at_most_once_an_hour() -> None:
    alerting = {"failure_alert": {"enabled": True}}
    assert settle(task("daily"), PERMANENT, **alerting).alert is None
    second = settle(task("daily", {"consecutiveErrors": 1}), PERMANENT, **alerting)
    assert "failed 2 times in a row: the prompt is bad" in second.alert
    assert second.task.state["lastFailureAlertAtMs"] == END
    for ago, sent in ((3_599_999, False), (3_600_000, True)):
        state = {"consecutiveErrors": 5, "lastFailureAlertAtMs": END - ago}
        assert (settle(task("daily", state), PERMANENT, **alerting).alert is not None) is sent


def test_notices_can_be_tuned_and_switched_off() -> None:
    alerting = {"failure_alert": {"enabled": True}}
    own = {"failureAlert": {"after": 1}}
    assert settle(task("daily", **own), PERMANENT).alert is not None
    assert settle(task("daily", {"consecutiveErrors": 5}, failureAlert=False), PERMANENT,
                  **alerting).alert is None  # fmt: skip
    best = {"delivery": {"mode": "announce", "bestEffort": True}}
    assert settle(task("daily", {"consecutiveErrors": 5}, **best), PERMANENT,
                  **alerting).alert is None  # fmt: skip
    skipped = Outcome("skipped", error="quiet")
    assert settle(task("daily", **own), skipped).alert is None
    own = {"failureAlert": {"after": 1, "includeSkipped": True}}
    assert "was skipped 1 times" in settle(task("daily", **own), skipped).alert


def test_a_notice_is_cut() -> None:
    own = {"failureAlert": {"after": 1}}
    alert = settle(task("daily", **own), Outcome("error", error="x" * 500)).alert
    assert len(alert) == 200
