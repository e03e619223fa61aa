"""Which of the five jobs are due, and why not. Reads, never writes (``scheduled-tasks.md`` 6).

Each job has a function that looks at its part of the tree; what is common to all (switched
off, interrupted, waiting after a failure, clock set back) is decided in ``_verdict``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.jobs import quiet, records
from openclaw_cli.jobs.records import Record
from openclaw_cli.state import clock, lock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.heartbeat.settings import Settings
    from openclaw_cli.state.paths import Paths

NAMES = ("heartbeat", "sweep", "cleanup", "extract", "cron")
CLEANUP_SCHEDULE = "30 4 * * *"
EXTRACT_RETRY_MS = 15 * clock.MINUTE_MS

FEATURE_OFF, NOT_DUE, BACKOFF, LOCKED = "feature-off", "not-due", "backoff", "locked"
DISABLED, INTERRUPTED_OFTEN, BUDGET = "disabled", "interrupted", "budget"
_BUDGETED = {"heartbeat": "heartbeat", "extract": "extraction"}  # job: purpose of its calls


class Surroundings(NamedTuple):
    """The tree with its settings, and the instant of one look."""

    config: Config
    now_ms: int

    @property
    def paths(self) -> Paths:
        """Where the tree is."""
        return self.config.paths


@dataclass
class Facts:
    """What one job's own part of the tree says.

    ``next_ms`` is its next regular time (in the past: due), ``slot_ms`` the regular time that
    a run now counts for, ``following_ms`` the first one after now; ``watched`` the files that
    the answer depends on; ``agents`` those a heartbeat is due for; ``held`` why something
    that is due has to wait for its owner.
    """

    on: bool = True
    next_ms: int | None = None
    following_ms: int | None = None
    slot_ms: int | None = None
    watched: list[Path] = field(default_factory=list)
    stamps: dict[str, Any] | None = None
    agents: list[str] = field(default_factory=list)
    held: str | None = None
    error: OpenClawError | None = None


@dataclass
class View:
    """One job as it stands: is it due, and if not, why and when it will be.

    ``enabled`` is its own switch; a feature that is off is a ``reason``.
    """

    name: str
    enabled: bool
    due: bool
    reason: str | None
    next_ms: int | None
    facts: Facts
    record: Record

    def to_json(self) -> dict[str, Any]:
        """The job as ``jobs list`` tells it."""
        document: dict[str, Any] = {
            "name": self.name,
            "enabled": self.enabled,
            "due": self.due,
            "reason": self.reason,
            "nextRunAtMs": self.next_ms,
            "lastRun": self.record.to_json(),
        }
        if self.facts.error is not None:
            document["error"] = self.facts.error.message
        return document


def look_at_all(config: Config) -> list[View]:
    """All jobs as they stand now, in their order."""
    around = at_present(config)
    return [look(name, around) for name in NAMES]


def at_present(config: Config) -> Surroundings:
    """The surroundings of a look at this moment."""
    return Surroundings(config, clock.now_ms())


def look(name: str, around: Surroundings) -> View:
    """How the job ``name`` stands now. What cannot be read counts as due: the run tells it."""
    record = records.load(around.paths, name, around.now_ms)
    if around.config.cli("jobs", name, "enabled") is False:
        return View(name, False, False, DISABLED, None, Facts(on=False), record)
    try:
        facts = _FACTS[name](around, record)
    except OpenClawError as error:
        # No later than the last run, so that a failure that repeats itself waits in between.
        facts = Facts(next_ms=record.started_ms or around.now_ms, error=error)
    view = _verdict(name, facts, record, around.now_ms)
    if view.due and lock.held_by_another(around.paths.job(f"{name}.lock")):
        view.due, view.reason = False, LOCKED
    elif view.due and name in _BUDGETED:
        _apply_budget(view, around)
    return view


def _apply_budget(view: View, around: Surroundings) -> None:
    """Let a job wait for the next day of the user when today's tokens are spent."""
    from openclaw_cli.model import budget

    if budget.limit(around.config) is None:
        return
    if budget.blocks(around.config, _BUDGETED[view.name], around.now_ms):
        from openclaw_cli.config import agents
        from openclaw_cli.schedule import expression

        zone = agents.user_zone(around.config)
        view.due, view.reason = False, BUDGET
        view.next_ms = expression.next_after("0 0 * * *", zone, around.now_ms)


def _verdict(name: str, facts: Facts, record: Record, now_ms: int) -> View:
    if not facts.on:
        return View(name, True, False, FEATURE_OFF, None, facts, record)

    def waits(until_ms: int | None, reason: str) -> View:
        return View(name, True, False, reason, until_ms, facts, record)

    regular_ms = facts.next_ms
    if record.was_interrupted:
        if record.interruptions < records.INTERRUPTIONS:
            return View(name, True, True, None, now_ms, facts, record)
        # The slot that was tried in vain is over; the next regular time is the next chance.
        following = _after(record, facts)
        if following is None or following > now_ms:
            return waits(following, INTERRUPTED_OFTEN)
    if regular_ms is None or regular_ms > now_ms:
        return waits(regular_ms, facts.held or NOT_DUE)
    retry_ms = record.retry_ms()
    if retry_ms is not None and retry_ms > now_ms:
        following = _after(record, facts)
        if following is None or following > now_ms:
            earliest = retry_ms if following is None else min(retry_ms, following)
            return waits(earliest, BACKOFF)
    return View(name, True, True, None, now_ms, facts, record)


def _after(record: Record, facts: Facts) -> int | None:
    """The first regular time after the last run began, as far as it is known."""
    started = record.started_ms or 0
    times = (facts.next_ms, facts.slot_ms, facts.following_ms)
    return min((t for t in times if t is not None and t > started), default=None)


def _heartbeat(around: Surroundings, _record: Record) -> Facts:
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat import due, settings, state

    path = state.path_of(around.paths)
    remembered = state.read(around.paths)
    found = [settings.of_agent(around.config, a) for a in settings.running_agents(around.config)]
    running = [block for block in found if block.enabled]
    if not running or not state.is_switched_on(remembered):
        return Facts(on=False, watched=[path])
    facts = Facts(watched=[path])
    for block in running:
        zone = agents.user_zone(around.config)
        last = state.last_run_started_ms(remembered, block.agent_id)
        next_ms = due.next_due_ms(block, last, around.now_ms, zone)
        if next_ms is None:
            continue
        if next_ms <= around.now_ms:
            if _waits_for_model(around.config, block, remembered):
                facts.held = settings.NO_MODEL
                continue
            facts.agents.append(block.agent_id)
        facts.next_ms = next_ms if facts.next_ms is None else min(facts.next_ms, next_ms)
    return facts


def _waits_for_model(config: Config, block: Settings, remembered: dict[str, Any]) -> bool:
    """Whether an agent has no model and its last run has already said so."""
    from openclaw_cli.heartbeat import settings, state

    event = state.peek(remembered, block.agent_id).get("lastEvent")
    is_told = isinstance(event, dict) and event.get("reason") == settings.NO_MODEL
    return is_told and not settings.has_model(config, block)


def _sweep(around: Surroundings, _record: Record) -> Facts:
    from openclaw_cli.dreaming import run_record, settings, slots, workspaces

    dreaming = settings.resolve(around.config)
    if not dreaming.enabled:
        return Facts(on=False)
    facts = Facts(watched=[around.paths.job(run_record.NAME)])
    rows = run_record.load(around.paths)
    latest = slots.latest_ms(dreaming, around.now_ms)
    swept = [
        run_record.slot_of(run_record.row_of(rows, target.workspace))
        for target in workspaces.find(around.config, around.paths)
    ]
    facts.slot_ms = latest
    facts.following_ms = slots.next_run_ms(dreaming, around.now_ms)
    is_due = any(slots.is_due(latest, done, around.now_ms) for done in swept)
    facts.next_ms = latest if is_due else facts.following_ms
    return facts


def _cleanup(around: Surroundings, record: Record) -> Facts:
    from openclaw_cli.config import agents
    from openclaw_cli.schedule import expression

    expr = around.config.cli("jobs", "cleanup", "schedule", default=CLEANUP_SCHEDULE)
    zone = agents.user_zone(around.config)
    latest = expression.latest_at_or_before(expr, zone, around.now_ms)
    done = record.slot_ms
    missed = latest is not None and (
        latest > done if done is not None else around.now_ms - latest < clock.DAY_MS
    )
    following = expression.next_after(expr, zone, around.now_ms)
    return Facts(
        next_ms=latest if missed else following, following_ms=following, slot_ms=latest
    )  # fmt: skip


def _extract(around: Surroundings, record: Record) -> Facts:
    from openclaw_cli.commitments import settings
    from openclaw_cli.commitments.settings import MIN_AGE_MS

    if not settings.enabled(around.config):
        return Facts(on=False)
    from openclaw_cli.sessions import discovery

    targets = discovery.targets(around.config, around.paths, all_agents=True)
    stores = [target.store_path for target in targets]
    facts = Facts(watched=stores, stamps={str(path): quiet.stamp(path) for path in stores})
    started = record.started_ms
    if started is None:
        facts.next_ms = around.now_ms
        return facts
    facts.next_ms = record.number("pendingAtMs")
    seen = record.fields.get("stamps")
    if seen != facts.stamps or record.finished_ms is None:
        facts.next_ms = around.now_ms
        return facts
    newest = max((s[0] // 1_000_000 for s in facts.stamps.values() if s), default=0)  # type: ignore[union-attr]
    if started - newest < MIN_AGE_MS:
        # The last pass came before the newest exchange was over.
        young = newest + MIN_AGE_MS
        facts.next_ms = young if facts.next_ms is None else min(facts.next_ms, young)
    return facts


def _cron(around: Surroundings, _record: Record) -> Facts:
    from openclaw_cli.schedule import settings

    if not settings.is_enabled(around.config, around.config.environ):
        return Facts(on=False)
    path = settings.store_path(around.config, around.paths)
    if not settings.has_store(path):
        return Facts(watched=[path, settings.state_path(path)])
    from openclaw_cli.schedule import plan, store
    from openclaw_cli.schedule.due import Moment

    found_settings = settings.from_config(around.config, around.paths, around.config.environ)
    where = store.files_of(found_settings.store_path)
    found = store.load(found_settings.store_path)
    moment = Moment(around.now_ms, clock.host_zone())
    seen = plan.look(found, moment, found_settings)
    has_work = seen.has_work or bool(found.rejected)
    return Facts(
        next_ms=around.now_ms if has_work else plan.next_wake_ms(found),
        watched=[where.jobs, where.state],
    )


_FACTS: dict[str, Callable[[Surroundings, Record], Facts]] = {
    "heartbeat": _heartbeat,
    "sweep": _sweep,
    "cleanup": _cleanup,
    "extract": _extract,
    "cron": _cron,
}
