"""The tick: run whatever of the five jobs is due, each under its lock, in their order.

``openclaw jobs run-due`` once a minute. A job whose lock is held is left out. Whether a job
is due is asked again once its lock is ours, so that several ticks at once run it once. A
job that fails does not stop the next one (``scheduled-tasks.md`` 6).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import Busy, OpenClawError, UnknownName
from openclaw_cli.jobs import journal, look, quiet, records, work
from openclaw_cli.jobs.look import NAMES, View
from openclaw_cli.jobs.work import Done
from openclaw_cli.state import clock, lock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config


class Ran(NamedTuple):
    """One run of one job."""

    name: str
    started_ms: int
    ended_ms: int
    done: Done

    def to_json(self) -> dict[str, Any]:
        """The run as ``jobs run-due`` tells it."""
        document = {
            "name": self.name,
            "startedAtMs": self.started_ms,
            "finishedAtMs": self.ended_ms,
            "outcome": self.done.outcome,
            "counts": self.done.counts,
            "error": self.done.error,
            "report": self.done.report,
        }
        return {name: value for name, value in document.items() if value is not None}


def run_due(config: Config) -> dict[str, Any]:
    """Run what is due; the report. Remembers for the next ticks when nothing was."""
    paths = config.paths
    quiet.note_tick(paths, clock.now_ms())
    # Before the look: what changes meanwhile must not be taken for seen.
    watched = quiet.watch(_watched(config))
    repeated = work.repeat_deliveries(config)
    ran: list[Ran] = []
    views: list[View] = []
    for name in NAMES:
        result = _run_if_due(name, config)
        if isinstance(result, Ran):
            ran.append(result)
            views.append(look.look(name, look.at_present(config)))
        else:
            views.append(result)
    if not ran and not repeated and not any(view.due for view in views):
        _remember(config, watched, views)
    return {
        "ran": [run.to_json() for run in ran],
        "jobs": [view.to_json() for view in views],
        "redelivered": len(repeated),
    }


def preview(config: Config) -> dict[str, Any]:
    """What ``run_due`` would run now; nothing is written."""
    views = look.look_at_all(config)
    would = [{"name": view.name, "outcome": "due"} for view in views if view.due]
    return {"ran": would, "jobs": [view.to_json() for view in views], "dryRun": True}


def run_now(name: str, config: Config) -> Ran:
    """Run one job, due or not. Raises ``UnknownName`` and ``Busy``."""
    require(name)
    with lock.run_lock(config.paths.job(f"{name}.lock")):
        return _run(look.look(name, look.at_present(config)), config, forced=True)


def require(name: str) -> None:
    """``UnknownName`` for a word that is no job."""
    if name not in NAMES:
        raise UnknownName(
            f"no job {name!r}", hint=f"jobs: {', '.join(NAMES)}", code="unknown-job"
        )  # fmt: skip


def failures(report: Mapping[str, Any]) -> Iterator[str]:
    """One line for each job that failed."""
    for run in report["ran"]:
        if run["outcome"] == records.FAILED:
            yield f"{run['name']}: {run.get('error') or 'failed'}"


def _run_if_due(name: str, config: Config) -> Ran | View:
    view = look.look(name, look.at_present(config))
    if not view.due:
        return view
    try:
        with lock.run_lock(config.paths.job(f"{name}.lock")):
            again = look.look(name, look.at_present(config))
            return _run(again, config) if again.due else again
    except Busy:
        view.due, view.reason = False, look.LOCKED
        return view


def _run(view: View, config: Config, *, forced: bool = False) -> Ran:
    """Run one job whose lock is ours, recorded before and after."""
    name, started_ms, paths = view.name, clock.now_ms(), config.paths
    if view.record.was_interrupted:
        journal.record(
            paths, name, started_ms=view.record.started_ms or started_ms, ended_ms=None,
            outcome=records.INTERRUPTED,
        )  # fmt: skip
    started = records.begin(paths, name, view.record, started_ms)
    done = _done(view, config, forced=forced)
    ended_ms = max(started_ms, clock.now_ms())
    ended = {
        "finishedAtMs": ended_ms,
        "outcome": done.outcome,
        "error": done.error,
        "pendingAtMs": done.pending_ms,
    }
    if done.outcome == records.OK:
        ended |= {"slotMs": view.facts.slot_ms, "stamps": view.facts.stamps}
    records.finish(paths, name, started, ended)
    journal.record(
        paths, name, started_ms=started_ms, ended_ms=ended_ms, outcome=done.outcome,
        counts=done.counts, error=done.error, warnings=done.warnings,
    )  # fmt: skip
    return Ran(name, started_ms, ended_ms, done)


def _done(view: View, config: Config, *, forced: bool) -> Done:
    """How the job's work went; whatever goes wrong is an outcome, so that the next one runs."""
    if view.facts.error is not None:
        return Done(records.FAILED, error=view.facts.error.message)
    try:
        return work.do(view, config, forced=forced)
    except Busy as error:
        return Done(records.LOCKED, error=error.message)
    except OpenClawError as error:
        return Done(records.FAILED, error=error.message)
    except Exception as error:  # one job's fault must not stop the others
        if os.environ.get("OPENCLAW_DEBUG"):
            raise
        return Done(records.FAILED, error=f"internal error: {type(error).__name__}: {error}")


def _watched(config: Config) -> list[Path]:
    """Every file that a look depends on."""
    paths, views = config.paths, look.look_at_all(config)
    own = [
        config.path,
        paths.under("openclaw.toml"),
        paths.under(".env"),
        paths.job(records.NAME),
        *work.delivery_files(paths),
    ]
    return [*own, *(path for view in views for path in view.facts.watched)]


def _remember(config: Config, watched: dict[str, Any], views: list[View]) -> None:
    times = [view.next_ms for view in views if view.next_ms is not None]
    quiet.remember(
        config.paths, config.environ, watched,
        now_ms=clock.now_ms(), until_ms=min(times, default=None),
    )  # fmt: skip
