"""The ordinary write of a store: one change of rows, and the maintenance that goes with it.

Writing happens under ``sessions.json.lock``, on rows that were read again under it, and only
while the file is still the one that was read. Maintenance here waits for a high water, lists
the folder only when it has to, and never sweeps (``sessions-maintenance.md`` 6, 7).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from openclaw_cli.errors import OpenClawError
from openclaw_cli.sessions import (
    entry,
    maintenance,
    plan_files,
    plan_rows,
    survey,
    transaction,
)
from openclaw_cli.sessions.effects import Departure, Effects
from openclaw_cli.sessions.maintenance import Request
from openclaw_cli.sessions.maintenance_settings import ENFORCE, Upkeep
from openclaw_cli.sessions.store import StoreFile
from openclaw_cli.sessions.survey import Survey
from openclaw_cli.sessions.trail import Trail
from openclaw_cli.state import files
from openclaw_cli.state.clock import HOUR_MS
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

T = TypeVar("T")

PURGE_EVERY_MS = HOUR_MS
PURGE_RECORD = "session-purges.json"  # below jobs/: when each folder was purged last

_log = logging.getLogger(__name__)


class _Context(NamedTuple):
    """The surroundings of one write; ``active_keys`` are the rows being written."""

    paths: Paths
    now_ms: int
    command: str
    upkeep: Upkeep | None
    active_keys: frozenset[str]


@dataclass
class Draft:
    """What a writer may change: the rows, and sessions whose transcripts become archives."""

    rows: dict[str, Any]
    departures: list[Departure] = field(default_factory=list)

    def archive(self, key: str, row: Any, *, rule: str, reason: str = "reset") -> None:
        """Queue the transcripts of ``row`` (as it was) to become ``.<reason>.`` archives.

        Those that a row still points at when the change is done stay.
        """
        self.departures.append(Departure(key, row, rule, reason))


def update(
    path: Path,
    change: Callable[[Draft], T],
    *,
    paths: Paths,
    now_ms: int,
    command: str,
    upkeep: Upkeep | None = None,
    active_keys: Iterable[str] = (),
) -> T:  # each keyword is a decision of its own; a bundle would only hide it
    """Change rows of the store at ``path`` and write it: what every writer calls.

    ``change`` gets a ``Draft``, edits ``draft.rows`` in place (only the rows it means) and
    may queue transcripts for archiving; its result is returned. It may be called again
    when another program changed the store meanwhile, so it must not act outside the draft.
    ``command`` is named in the trail. With ``upkeep`` (``maintenance_settings.from_config``)
    the maintenance of ordinary writes runs in the same write; ``active_keys`` are the rows
    being written, which it spares. Raises ``UnreadableFile``, ``Busy``, ``NotWritable``.
    """
    context = _Context(paths, now_ms, command, upkeep, frozenset(active_keys))
    results: list[T] = []
    purged = False

    def decide(found: StoreFile) -> Effects:
        nonlocal purged
        draft = Draft(found.rows)
        results.append(change(draft))
        found.rows = {
            key: entry.normalized(row) if isinstance(row, dict) else row
            for key, row in draft.rows.items()
        }
        facts = _survey_if_needed(found, draft.departures, context)
        if facts is None:
            return Effects(found.rows)
        own = _own_effects(found, draft.departures, facts, context)
        if not _enforces(context) or context.upkeep is None:
            return own
        purged = True
        request = Request(ENFORCE, active_keys=context.active_keys, at_once=False, sweep=False)
        plan = maintenance.make_plan(found, facts, context.upkeep, request, now_ms=context.now_ms)
        for warning in plan.warnings:
            _log.warning("%s", warning)
        return _joined(own, maintenance.effects_of(plan, _trail(found, context)))

    done = transaction.transact(path, decide, paths=context.paths, now_ms=context.now_ms)
    for failure in done.failures:
        _log.warning("%s", failure.text())
    if purged:
        _note_purge(path.parent, context)
    return results[-1]


def _enforces(context: _Context) -> bool:
    return context.upkeep is not None and context.upkeep.settings.mode == ENFORCE


def _survey_if_needed(
    found: StoreFile, departures: list[Departure], context: _Context
) -> Survey | None:
    """A look at the folder, when this write has to do something there."""
    upkeep = context.upkeep
    needed = bool(departures)
    budget = False
    if upkeep is not None and not _enforces(context):
        _warn_of_active_row(found, context, upkeep)
    elif upkeep is not None:
        settings = upkeep.settings
        options = plan_rows.RowOptions(active=context.active_keys, enforce=True, at_once=False)
        due = plan_rows.plan_rows(found.rows, upkeep, now_ms=context.now_ms, options=options)
        budget = settings.max_disk_bytes is not None
        too_large = len(found.text) > settings.rotate_bytes
        purge = _purge_is_due(found.sessions_dir, context)
        needed = needed or bool(due.removed) or budget or too_large or purge
    if not needed:
        return None
    neighbours = upkeep.neighbours if upkeep else ()
    return survey.take(found, context.paths.state_dir, neighbours=neighbours, budget=budget)


def _own_effects(
    found: StoreFile, departures: list[Departure], facts: Survey, context: _Context
) -> Effects:
    """The change itself: the rows, and the transcripts it sends to the archive."""
    archived = plan_files.plan_archives(
        facts.folder,
        departures,
        references=facts.references(found.rows),
        resolver=facts.resolver,
        now_ms=context.now_ms,
    )
    trail = _trail(found, context)
    by_key = {departure.key: departure for departure in departures}
    effects = Effects(found.rows)
    for action in archived.actions:
        departure = by_key[action.keys[0]]
        named = action._replace(rule=departure.rule)
        effects.changes.append(trail.file(named, key=departure.key, row=departure.row))
        if named.move is not None:
            effects.moves.append(named.move)
        else:
            effects.removals.append(named.path)
    return effects


def _joined(own: Effects, upkeep: Effects) -> Effects:
    """One change of both; the maintenance was planned on what the change itself leaves."""
    upkeep.moves[:0] = own.moves
    upkeep.removals[:0] = own.removals
    upkeep.changes[:0] = own.changes
    return upkeep


def _warn_of_active_row(found: StoreFile, context: _Context, upkeep: Upkeep) -> None:
    risk = plan_rows.active_row_at_risk(
        found.rows, upkeep, now_ms=context.now_ms, active=context.active_keys
    )
    if risk:
        _log.warning(
            "session maintenance would evict the active session: %s; mode warn keeps it", risk
        )


def _trail(found: StoreFile, context: _Context) -> Trail:
    agent_id = context.upkeep.agent_id if context.upkeep else "main"
    default = found.path == context.paths.sessions_dir(agent_id) / found.path.name
    return Trail(context.command, found.path, agent_id, default_store=default)


def _purge_is_due(folder: Path, context: _Context) -> bool:
    last = _purge_times(context.paths).get(os.fspath(folder))
    return not isinstance(last, int) or not 0 <= context.now_ms - last < PURGE_EVERY_MS


def _note_purge(folder: Path, context: _Context) -> None:
    times = _purge_times(context.paths)
    times[os.fspath(folder)] = context.now_ms
    record = context.paths.job(PURGE_RECORD)
    try:
        files.write_atomic(record, dumps(times) + "\n")
    except OpenClawError as error:  # the next write only looks once more than needed
        _log.info("%s", error)


def _purge_times(paths: Paths) -> dict[str, Any]:
    try:
        times = files.load_json(paths.job(PURGE_RECORD), what="purge record")
    except OpenClawError:  # it only saves work: a damaged one is made anew
        return {}
    return times if isinstance(times, dict) else {}
