"""``sessions delete`` and ``sessions reset``: single sessions, archived before they go.

Each KEY is judged on its own; the rest goes on when one cannot be done. All keys of one
store are one change, carried out through the journal (``sessions.md`` 16).
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError, UnknownName
from openclaw_cli.sessions import (
    discovery,
    entry,
    lookup,
    maintenance_settings,
    plan_files,
    rollover,
    selection,
    survey,
    trail,
    transaction,
)
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.effects import Departure, Effects
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.sessions.store import StoreFile
from openclaw_cli.sessions.survey import Survey

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

DELETE = "delete"
RESET = "reset"
_ARCHIVE_REASONS = {DELETE: "deleted", RESET: "reset"}
_DONE = {DELETE: "deleted", RESET: "reset"}


@dataclass
class Outcome:
    """What became of one KEY. ``archived`` are the paths of its archives."""

    key: str
    status: str
    archived: list[str] = field(default_factory=list)
    session_id: str | None = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it was done, or would be."""
        return self.status in _DONE.values()

    def to_json(self) -> dict[str, Any]:
        """One item of ``results``."""
        row: dict[str, Any] = {"key": self.key, "ok": self.ok, "status": self.status}
        row["archived"] = self.archived
        if self.session_id is not None:
            row["sessionId"] = self.session_id
        if self.error is not None:
            row["error"] = self.error
        return row


@dataclass
class Removal:
    """One run of delete or reset over several keys."""

    config: Config
    paths: Paths
    operation: str
    now_ms: int
    dry_run: bool = False

    def run(
        self, texts: Sequence[str], *, agent: str | None = None, store: str | None = None
    ) -> dict[str, Any]:
        """Do it for every KEY; the document with one result per KEY, in their order."""
        if not self.dry_run:
            places = discovery.targets(
                self.config, self.paths, agent=agent, all_agents=not (agent or store), store=store
            )
            for place in places:
                transaction.recover(place.store_path, paths=self.paths, now_ms=self.now_ms)
        outcomes: list[Outcome] = []
        by_store: dict[Path, tuple[Target, list[Outcome]]] = {}
        for text in texts:
            try:
                chosen = selection.select(self.config, self.paths, text, agent=agent, store=store)
            except UnknownName as error:
                hint = f" ({error.hint})" if error.hint else ""
                outcomes.append(Outcome(text.strip(), "unknown", error=error.message + hint))
                continue
            except OpenClawError as error:
                if error.code != "ambiguous-key":
                    raise
                outcomes.append(Outcome(text.strip(), "unknown", error=error.message))
                continue
            _, wanted = by_store.setdefault(chosen.target.store_path, (chosen.target, []))
            if all(outcome.key != chosen.key for outcome in wanted):  # not named twice
                wanted.append(Outcome(chosen.key, _DONE[self.operation]))
                outcomes.append(wanted[-1])
        for target, wanted in by_store.values():
            self._one_store(target, wanted)
        return {
            "ok": all(outcome.ok for outcome in outcomes),
            "operation": self.operation,
            "dryRun": self.dry_run,
            "results": [outcome.to_json() for outcome in outcomes],
        }

    def _one_store(self, target: Target, wanted: list[Outcome]) -> None:
        def decide(found: StoreFile) -> Effects:
            upkeep = maintenance_settings.from_config(self.config, target.agent_id)
            facts = survey.take(found, self.paths.state_dir, neighbours=upkeep.neighbours)
            return self._decide(found, facts, target, wanted)

        if self.dry_run:
            from openclaw_cli.sessions import store

            decide(store.load(target.store_path))
            return
        done = transaction.transact(target.store_path, decide, paths=self.paths, now_ms=self.now_ms)
        for outcome in wanted:
            if outcome.key in done.kept:
                outcome.status, outcome.archived, outcome.session_id = "failed", [], None
                outcome.error = "; ".join(failure.text() for failure in done.failures)

    def _decide(
        self, found: StoreFile, facts: Survey, target: Target, wanted: list[Outcome]
    ) -> Effects:
        upkeep = maintenance_settings.from_config(self.config, target.agent_id)
        rules = KeyRules.from_config(self.config)
        rows = dict(found.rows)
        departures: list[Departure] = []
        owner: dict[str, Outcome] = {}
        for outcome in wanted:
            outcome.archived, outcome.error = [], None
            outcome.status = self._judge(outcome.key, rows, facts, upkeep.is_main(outcome.key))
            if not outcome.ok:
                continue
            same = lookup.variants(rows, outcome.key, rules, agent_id=target.agent_id)
            for key in [key for key in rows if key in same or key == outcome.key]:
                owner[key] = outcome
                departures.append(
                    Departure(key, rows[key], self.operation, _ARCHIVE_REASONS[self.operation])
                )
                if self.operation == DELETE or key != outcome.key:
                    del rows[key]
            if self.operation == RESET:
                outcome.session_id = str(uuid.uuid4())
                rows[outcome.key] = rollover.renewed(
                    rows[outcome.key], new_id=outcome.session_id, now_ms=self.now_ms
                )
        return self._effects(found, facts, target, rows=rows, departures=departures, owner=owner)

    def _judge(self, key: str, rows: dict[str, Any], facts: Survey, is_main: bool) -> str:
        if key not in rows:
            return "unknown"  # gone since it was looked up
        if self.operation == DELETE and is_main:
            return "protected"
        if key in facts.busy_rows:
            return "busy"
        if self.operation == RESET and not isinstance(rows[key], dict):
            return "unusable"
        return _DONE[self.operation]

    def _effects(
        self,
        found: StoreFile,
        facts: Survey,
        target: Target,
        *,
        rows: dict[str, Any],
        departures: list[Departure],
        owner: dict[str, Outcome],
    ) -> Effects:
        archived = plan_files.plan_archives(
            facts.folder,
            departures,
            references=facts.references(rows),
            resolver=facts.resolver,
            now_ms=self.now_ms,
        )
        lines = trail.for_target(f"sessions {self.operation}", self.config, self.paths, target)
        effects = Effects(
            {k: entry.normalized(r) if isinstance(r, dict) else r for k, r in rows.items()}
        )
        first: dict[str, plan_files.FileAction] = {}
        for action in archived.actions:
            for key in action.keys:
                first.setdefault(key, action)
            if action.move is None:
                effects.removals.append(action.path)
                continue
            effects.moves.append(action.move)
            path = os.fspath(target.sessions_dir / action.move.target)
            for outcome in {id(o): o for o in (owner[key] for key in action.keys)}.values():
                outcome.archived.append(path)
        # A reset is told by the file that it archives; without one, the row is all there is.
        effects.changes = [
            lines.session(
                d.key, d.row, d.rule, action=first.get(d.key), final=self.operation == RESET
            )
            for d in departures
            if self.operation == DELETE or d.key not in first
        ]
        main_actions = {action.path for action in first.values()}
        by_key = {d.key: d.row for d in departures}
        effects.changes += [
            lines.file(
                action._replace(rule=self.operation),
                key=action.keys[0],
                row=by_key[action.keys[0]] if self.operation == RESET else None,
                replace=self.operation == RESET,
            )
            for action in archived.actions
            if self.operation == RESET or action.path not in main_actions
        ]
        return effects
