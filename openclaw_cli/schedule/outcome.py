"""What a run did, and what becomes of its task. Pure (``scheduled-tasks.md`` 3).

A run ends ``ok``, ``error`` or ``skipped``. One-shots then go or are switched off, unless an
error that may pass leaves attempts; recurring tasks go on at their next regular time, or
later, or sooner when a retry is worth it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.schedule import due, job
from openclaw_cli.schedule.due import Moment
from openclaw_cli.schedule.job import Task
from openclaw_cli.schedule.settings import (
    DEFAULT_ALERT_AFTER,
    DEFAULT_COOLDOWN_MS,
    Retry,
    Settings,
)
from openclaw_cli.state.tuples import NamedTuple

OK, ERROR, SKIPPED = "ok", "error", "skipped"
INTERRUPTED = "interrupted"
REFIRE_GAP_MS = 2_000
RECURRING_BACKOFF_MS = (30_000, 60_000, 300_000, 900_000, 3_600_000)
ALERT_TEXT_LENGTH = 200

_KINDS = (
    ("rate_limit", r"rate.?limit|too many requests|\b429\b|quota|resource.?exhausted"),
    ("overloaded", r"overload|\b529\b|high demand|capacity"),
    ("timeout", r"time[d -]*out|etimedout|deadline exceeded"),
    (
        "network",
        r"network|econn\w+|enotfound|eai_again|socket|dns|fetch failed"
        r"|connection (?:error|refused|reset|aborted|closed)|cannot connect|unreachable",
    ),
    (
        "server_error",
        r"\b5\d\d\b|internal server error|bad gateway|service unavailable|server.?error",
    ),
)


@dataclass
class Outcome:
    """How a run ended; empty parts are left out of its history.

    ``reason`` is a stable word for an error or a skip; ``answer`` the text to hand over, None
    where the agent has nothing to say; ``answered_itself`` that it sent one on its own;
    ``delivery_status`` one of ``delivered``, ``not-delivered``, ``unknown``,
    ``not-requested``.
    """

    status: str
    error: str | None = None
    reason: str | None = None
    summary: str | None = None
    answer: str | None = None
    answered_itself: bool = False
    session_id: str | None = None
    session_key: str | None = None
    model: str | None = None
    provider: str | None = None
    usage: dict[str, Any] | None = None
    delivery_status: str | None = None
    delivery_error: str | None = None
    delivery: dict[str, Any] | None = None
    diagnostics: list[Any] = field(default_factory=list)

    @property
    def delivered(self) -> bool | None:
        """Whether the answer was handed over; None where none was to be."""
        if self.delivery_status in (None, "not-requested", "unknown"):
            return None
        return self.delivery_status == "delivered"


class Run(NamedTuple):
    """One run: what it was, when, and whether a person forced it."""

    started_ms: int
    ended_ms: int
    forced: bool = False


class After(NamedTuple):
    """A task after a run: ``task`` is None when it is deleted; ``alert`` its failure notice."""

    task: Task | None
    alert: str | None


def settle(task: Task, outcome: Outcome, run: Run, moment: Moment, settings: Settings) -> After:
    """The task after a run that ended as ``outcome`` says; ``moment`` is its end."""
    state = _result_state(task, outcome, run)
    settled = Task(task.row, state, run.ended_ms, task.identity)
    alert = _alert(settled, outcome, settings, run.ended_ms)
    if alert is not None:
        state["lastFailureAlertAtMs"] = run.ended_ms
    if task.kind == job.AT and outcome.status == OK and task.delete_after_run:
        return After(None, alert)
    return After(_scheduled(task, settled, outcome, run, moment, settings.retry), alert)


def backoff_ms(waits: tuple[int, ...], errors: int) -> int:
    """The wait after that many errors in a row; the last one repeats."""
    return waits[min(max(errors, 1), len(waits)) - 1] if waits else 0


def error_kind(outcome: Outcome) -> str | None:
    """Which kind of passing error it is, by its reason or its text; None for the others."""
    reason = (outcome.reason or "").removeprefix("model-")
    reason = {"unreachable": "network", "locked": "timeout"}.get(reason, reason)
    if reason in (*(kind for kind, _ in _KINDS), INTERRUPTED):
        return reason
    text = (outcome.error or "").lower()
    return next((kind for kind, pattern in _KINDS if re.search(pattern, text)), None)


def interrupted(since_ms: int) -> Outcome:
    """The outcome of a run whose process is gone."""
    from openclaw_cli.state import clock

    return Outcome(
        ERROR,
        error=f"interrupted: the process that ran it since {clock.iso(since_ms)} is gone",
        reason=INTERRUPTED,
    )


def _result_state(task: Task, outcome: Outcome, run: Run) -> dict[str, Any]:
    """The state fields that tell of the run; claims are gone."""
    dropped = {*due.CLAIM_KEYS, "lastError", "lastErrorReason", "lastDeliveryError",
               "lastDiagnostics", "lastDiagnosticSummary", "scheduleErrorCount"}  # fmt: skip
    state = {name: value for name, value in task.state.items() if name not in dropped}
    errors, skips = (
        job.whole(state.get(name)) or 0 for name in ("consecutiveErrors", "consecutiveSkipped")
    )
    state |= {
        "lastRunAtMs": run.started_ms,
        "lastDurationMs": max(0, run.ended_ms - run.started_ms),
        "lastRunStatus": outcome.status,
        "lastStatus": outcome.status,
        "consecutiveErrors": errors + 1 if outcome.status == ERROR else 0,
        "consecutiveSkipped": skips + 1 if outcome.status == SKIPPED else 0,
        "lastDeliveryStatus": outcome.delivery_status or "not-requested",
    }
    optional = {
        "lastError": outcome.error,
        "lastErrorReason": outcome.reason,
        "lastDelivered": outcome.delivered,
        "lastDeliveryError": outcome.delivery_error,
        "lastDiagnostics": outcome.diagnostics or None,
    }
    return state | {name: value for name, value in optional.items() if value is not None}


def _scheduled(
    task: Task, settled: Task, outcome: Outcome, run: Run, moment: Moment, retry: Retry
) -> Task:  # fmt: skip
    """``settled`` with its next run, switched off where there will be none."""
    errors = int(settled.state["consecutiveErrors"])
    kind = error_kind(outcome) if outcome.status == ERROR else None
    passing = kind is not None and (kind == INTERRUPTED or kind in retry.kinds)
    retry_ms = None
    if passing and errors <= retry.attempts:
        retry_ms = run.ended_ms + backoff_ms(retry.backoff_ms, errors)
    if task.kind == job.AT:
        if retry_ms is None:
            return switched_off(settled)
        return _planned(settled, retry_ms, moment)
    if not task.enabled:
        return _planned(settled, None, moment)
    regular = _regular(task, settled, run, moment)
    if outcome.status != ERROR:
        return _planned(settled, regular, moment)
    if retry_ms is not None and (regular is None or retry_ms < regular):
        return _planned(settled, retry_ms, moment)
    earliest = run.ended_ms + backoff_ms(RECURRING_BACKOFF_MS, errors)
    return _planned(settled, None if regular is None else max(regular, earliest), moment)


def _regular(task: Task, settled: Task, run: Run, moment: Moment) -> int | None:
    """The next regular time; a forced run of an interval keeps its rhythm."""
    # A run that a person forced does not move the rhythm, which goes by the run before it.
    state = {**settled.state, "lastRunAtMs": task.last_run_ms} if run.forced else settled.state
    try:
        following = due.next_run_ms(Task(task.row, state), moment)
    except due.BadSchedule:
        return None
    if following is not None and task.kind == job.CRON:
        return max(following, run.ended_ms + REFIRE_GAP_MS)
    return following


def _planned(task: Task, following: int | None, moment: Moment) -> Task:
    planned = Task(task.row, due.with_next(task.state, task, following, moment),
                   task.updated_at_ms)  # fmt: skip
    planned.identity = due.identity(planned)
    return planned


def switched_off(task: Task) -> Task:
    """The task disabled and without a next run, but kept."""
    state = {n: v for n, v in task.state.items() if n not in ("nextRunAtMs", due.BASIS)}
    off = Task({**task.row, "enabled": False}, state, task.updated_at_ms)
    off.identity = due.identity(off)
    return off


def _alert(task: Task, outcome: Outcome, settings: Settings, now_ms: int) -> str | None:
    """The failure notice that is due now, None where there is none."""
    rules = alert_rules(task, settings)
    if rules is None or task.delivery.get("bestEffort") is True:
        return None
    if outcome.status == ERROR:
        count = int(task.state["consecutiveErrors"])
    elif outcome.status == SKIPPED and rules.get("includeSkipped") is True:
        count = int(task.state["consecutiveSkipped"])
    else:
        return None
    wanted = job.whole(rules.get("after")) or DEFAULT_ALERT_AFTER
    cooldown = job.whole(rules.get("cooldownMs"))
    last = job.whole(task.state.get("lastFailureAlertAtMs"))
    pause = DEFAULT_COOLDOWN_MS if cooldown is None else cooldown
    if count < wanted or (last is not None and 0 <= now_ms - last < pause):
        return None
    verb = "failed" if outcome.status == ERROR else "was skipped"
    text = f'Scheduled task "{task.name}" {verb} {count} times in a row: {outcome.error or verb}'
    return text if len(text) <= ALERT_TEXT_LENGTH else text[: ALERT_TEXT_LENGTH - 1] + "…"


def alert_rules(task: Task, settings: Settings) -> dict[str, Any] | None:
    """The failure alert of a task over the general one; None when neither asks for it."""
    own = task.row.get("failureAlert")
    if own is False:
        return None
    if isinstance(own, dict):
        return {**settings.failure_alert, **own}
    return settings.failure_alert if settings.failure_alert.get("enabled") is True else None
