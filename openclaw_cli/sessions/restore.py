"""``sessions restore``: an archived session back to its live name and its row.

The inverse of delete, reset and maintenance. A row that has another conversation by now
stays, unless it is to be replaced; then that conversation is archived first
(``sessions.md`` 16).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import Busy, NotAllowed, UnknownName
from openclaw_cli.sessions import (
    archives,
    discovery,
    entry,
    keys,
    lookup,
    maintenance_settings,
    names,
    plan_files,
    plan_rows,
    rebuild,
    recorded,
    selection,
    survey,
    trail,
    transaction,
)
from openclaw_cli.sessions.archives import Archive
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.effects import Departure, Effects, Move
from openclaw_cli.sessions.maintenance_settings import Upkeep
from openclaw_cli.sessions.recorded import Recorded
from openclaw_cli.sessions.references import session_id_of
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.sessions.store import StoreFile
from openclaw_cli.sessions.survey import Survey
from openclaw_cli.state import changes
from openclaw_cli.state.changes import Change

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

COMMAND = "sessions restore"
# What belongs to a conversation; the rest of a row are the owner's choices and stay.
_CONVERSATION = (
    "sessionId", "sessionFile", "sessionStartedAt", "lastInteractionAt", "inputTokens",
    "outputTokens", "cacheRead", "cacheWrite", "totalTokens", "totalTokensFresh",
    "contextTokens", "compactionCount", "compactionCheckpoints", "model", "modelProvider",
    "skillsSnapshot", "systemSent",
)  # fmt: skip


@dataclass
class Options:
    """How to restore: under another key, and whether a newer conversation gives way."""

    as_key: str | None = None
    replace: bool = False
    dry_run: bool = False


@dataclass
class Wanted:
    """What is restored: a row for ``key``, and its archive where there is one."""

    target: Target
    key: str
    archive: Archive | None
    row: dict[str, Any]


def run(
    config: Config,
    paths: Paths,
    text: str,
    options: Options,
    *,
    agent: str | None = None,
    store: str | None = None,
    now_ms: int,
) -> dict[str, Any]:
    """Restore what ``text`` names, an archive or a KEY; the document of the command."""
    if not options.dry_run:
        for target in discovery.targets(
            config, paths, agent=agent, all_agents=not (agent or store), store=store
        ):
            transaction.recover(target.store_path, paths=paths, now_ms=now_ms)
    wanted = _find(config, paths, text, options, agent=agent, store=store)
    rules = KeyRules.from_config(config)
    report: dict[str, Any] = {}

    def decide(found: StoreFile) -> Effects:
        upkeep = maintenance_settings.from_config(config, wanted.target.agent_id)
        facts = survey.take(found, paths.state_dir, neighbours=upkeep.neighbours)
        key = _stored_key(found.rows, wanted, rules)
        report.update(_report(wanted, key, options))
        plan = _Plan(config, paths, wanted, options, now_ms)
        return plan.effects(found, upkeep, facts, key, report)

    if options.dry_run:
        from openclaw_cli.sessions import store as store_file

        decide(store_file.load(wanted.target.store_path))
        return report
    done = transaction.transact(wanted.target.store_path, decide, paths=paths, now_ms=now_ms)
    if done.failures:
        raise NotAllowed(
            f"{wanted.key} was not restored: " + "; ".join(f.text() for f in done.failures),
            path=wanted.target.store_path,
        )
    return report


@dataclass
class _Plan:
    config: Config
    paths: Paths
    wanted: Wanted
    options: Options
    now_ms: int

    def effects(
        self, found: StoreFile, upkeep: Upkeep, facts: Survey, key: str, report: dict[str, Any]
    ) -> Effects:
        """The change that brings the session back; ``report`` gets what it replaced."""
        archive, row = self.wanted.archive, found.rows.get(key)
        if archive is None and row is not None:
            raise _nothing_archived(key)
        session_id = session_id_of(self.wanted.row)
        if key in facts.busy_rows:
            raise Busy(f"session {key} is in use right now", path=found.path, hint="try again")
        departures = self._giving_way(found, facts, key, session_id)
        rows = dict(found.rows)
        if not self._is_second_file(found, facts, row):
            rows[key] = self._new_row(row)
            if plan_rows.active_row_at_risk(rows, upkeep, now_ms=self.now_ms, active=[key]):
                rows[key]["updatedAt"] = self.now_ms  # or the next cleanup would take it again
        others = {k: r for k, r in found.rows.items() if k != key}
        archived = plan_files.plan_archives(
            facts.folder,
            departures,
            references=facts.references(others),
            resolver=facts.resolver,
            now_ms=self.now_ms,
        )
        lines = trail.for_target(COMMAND, self.config, self.paths, self.wanted.target)
        effects = Effects(
            {k: entry.normalized(r) if isinstance(r, dict) else r for k, r in rows.items()}
        )
        for action in archived.actions:
            if action.move is None:
                effects.removals.append(action.path)
                continue
            effects.moves.append(action.move)
            report["replaced"] = os.fspath(found.sessions_dir / action.move.target)
            effects.changes.append(
                lines.file(action._replace(rule="replaced"), key=key, row=row, replace=True)
            )
        if archive is not None:
            if facts.folder.taken(archive.base):
                raise NotAllowed(
                    f"{found.sessions_dir / archive.base} exists already",
                    path=found.sessions_dir / archive.base,
                    hint="--replace archives it first",
                )
            effects.moves.append(Move(archive.name, archive.base, (key,)))
        effects.changes.append(
            Change(
                COMMAND,
                "restore",
                "session",
                key=key,
                path=report["from"],
                moved_to=report["to"],
                undo=None if row is not None else lines.undo_restore(key),
            )
        )
        return effects

    def _giving_way(
        self, found: StoreFile, facts: Survey, key: str, session_id: str | None
    ) -> list[Departure]:
        """The conversation that has the row, or the live name, now."""
        row, archive = found.rows.get(key), self.wanted.archive
        live = facts.resolver.transcript(row)
        in_use = live is not None and facts.folder.info(live) is not None
        same_id = session_id_of(row) == session_id
        blocked = archive is not None and facts.folder.taken(archive.base)
        if blocked and archive is not None and live != archive.base and self.options.replace:
            orphan = {"sessionId": session_id, "sessionFile": archive.base}
            return [Departure(key, orphan, "replaced", "reset")]
        if row is None or not in_use or (same_id and not blocked):
            return []
        if not survey.holds_conversation(found.sessions_dir / str(live)):
            return [Departure(key, row, "replaced", "reset")]
        if not self.options.replace:
            raise NotAllowed(
                f"session {key} has another conversation by now ({session_id_of(row)})",
                path=found.sessions_dir / str(live),
                hint="--replace archives that one first; --as KEY restores beside it",
            )
        return [Departure(key, row, "replaced", "reset")]

    def _is_second_file(self, found: StoreFile, facts: Survey, row: Any) -> bool:
        """Whether ``row`` has this very session already, in another file that is there."""
        archive, live = self.wanted.archive, facts.resolver.transcript(row)
        if archive is None or live is None or live == archive.base:
            return False
        same = session_id_of(row) == session_id_of(self.wanted.row)
        return same and survey.holds_conversation(found.sessions_dir / live)

    def _new_row(self, row: Any) -> dict[str, Any]:
        """The row afterwards: the stored choices of a row that is there, this conversation."""
        restored = dict(self.wanted.row)
        archive = self.wanted.archive
        if archive is not None:
            session_id = str(restored["sessionId"])
            if archive.base == names.transcript_name(session_id):
                restored.pop("sessionFile", None)
            else:
                live = self.wanted.target.sessions_dir / archive.base
                restored["sessionFile"] = os.fspath(live)
        if isinstance(row, dict):
            kept = {k: v for k, v in row.items() if k not in _CONVERSATION}
            fields = {k: restored[k] for k in _CONVERSATION if k in restored}
            restored = kept | fields
        return restored


def _stored_key(rows: dict[str, Any], wanted: Wanted, rules: KeyRules) -> str:
    """The stored key of the session that is restored, else the key it gets.

    An id that differs by case where case counts is another session.
    """
    owner = wanted.target.agent_id
    stored = lookup.find(rows, wanted.key, rules, agent_id=owner)
    same = lookup.spellings(wanted.key, rules, agent_id=owner)
    return stored if stored and keys.normalize(stored) in same else wanted.key


def _find(
    config: Config,
    paths: Paths,
    text: str,
    options: Options,
    *,
    agent: str | None,
    store: str | None,
) -> Wanted:
    """What ``text`` means; ``UnknownName`` when nothing of that name was archived."""
    if names.parse_archive(os.path.basename(text.strip())) is not None:
        archive = _named(config, paths, text.strip(), agent=agent, store=store)
        return _wanted(archive, options)
    target = selection.target_for(config, paths, text, agent=agent, store=store)
    rules = KeyRules.from_config(config)
    found = _of_key(archives.find_all([target], paths), text, rules)
    if found is None and not (agent or store):
        everywhere = discovery.targets(config, paths, all_agents=True)
        found = _of_key(archives.find_all(everywhere, paths), text, rules)
    known = _last_removed(changes.read(paths), text, rules, agent_id=target.agent_id)
    left_at = known.left_at if known is not None else None
    if found is not None and (
        left_at is None or left_at < found.at_ms or _is_there(target, text, rules)
    ):
        return _wanted(found, options)
    if known is not None:
        return _without_archive(target, known, options)
    raise _nothing_archived(text.strip())


def _last_removed(
    trail_lines: Iterable[dict[str, Any]], text: str, rules: KeyRules, *, agent_id: str
) -> Recorded | None:
    """The last row that the trail tells of the session ``text``; the key as typed first."""
    memory = recorded.from_trail(trail_lines)
    spelled = lookup.spellings(text, rules, agent_id=agent_id)
    for known in (memory.by_key.get(text.strip()), *reversed(memory.by_key.values())):
        if known is None or known.row is None:
            continue
        if known.key == text.strip() or keys.normalize(known.key) in spelled:
            return known
    return None


def _is_there(target: Target, text: str, rules: KeyRules) -> bool:
    from openclaw_cli.sessions import store as store_file

    rows = store_file.load(target.store_path).rows
    return lookup.find(rows, text, rules, agent_id=target.agent_id) is not None


def _nothing_archived(text: str) -> UnknownName:
    return UnknownName(
        f'nothing is archived of "{text}"',
        hint="'openclaw sessions archives' lists what there is",
        code="unknown-archive",
    )


def _of_key(found: Sequence[Archive], text: str, rules: KeyRules) -> Archive | None:
    """The newest archive of a key; copies (``.bak.``) only where there is no other."""
    own = [archive for archive in found if archives.has_key(archive, text, rules)]
    ended = [archive for archive in own if archive.reason != "bak"]
    return next(iter(ended or own), None)


def _named(
    config: Config, paths: Paths, text: str, *, agent: str | None, store: str | None
) -> Archive:
    """The archive at a path, or of that name beside the selected store."""
    chosen = discovery.targets(config, paths, agent=agent, store=store)
    if os.sep in text:
        path = paths.expand(text)
        if not (agent or store):
            chosen = discovery.targets(config, paths, all_agents=True)
    else:
        path = chosen[0].sessions_dir / text
    place = os.path.realpath(path.parent)
    for target in chosen:
        root = os.path.realpath(target.sessions_dir)
        if place == root or place.startswith(root + os.sep):
            below = os.path.relpath(place, root)
            name = path.name if below == os.curdir else os.path.join(below, path.name)
            return _at(target, paths, name)
    raise NotAllowed(
        f"{path} is not in a sessions folder of a configured agent",
        path=path,
        hint="name its store with --store",
    )


def _at(target: Target, paths: Paths, name: str) -> Archive:
    path = target.sessions_dir / name
    for archive in archives.find_all([target], paths):
        if archive.name == name:
            return archive
    if path.is_symlink() or not path.is_file():
        raise UnknownName(f"no archive {path}", path=path, code="unknown-archive")
    parsed = names.parse_archive(path.name)
    if parsed is None:
        raise UnknownName(f"{path} is no archive", path=path, code="unknown-archive")
    session_id = names.session_id_of(path.name)
    memory = recorded.from_trail(changes.read(paths))
    base = os.path.join(os.path.dirname(name), parsed.base)
    return Archive(
        target, name, base, parsed.reason, parsed.at_ms, path.stat().st_size, session_id,
        memory.find(os.fspath(path), session_id),
    )  # fmt: skip


def _wanted(archive: Archive, options: Options) -> Wanted:
    """The row to write for an archive: the recorded one, else what its transcript tells."""
    target = archive.target
    told = rebuild.row_of(archive.path, os.path.basename(archive.base))
    known = archive.known
    row = known.row if known is not None and known.row is not None else {}
    if not names.is_row_id(row.get("sessionId")):
        named = {"sessionId": archive.session_id, "updatedAt": archive.at_ms}
        row = (told or named) | {field: row[field] for field in row if field != "sessionId"}
    if not names.is_row_id(row.get("sessionId")):
        raise NotAllowed(
            f"{archive.path} tells no usable session id", path=archive.path,
            hint="it is no transcript that a row could point at",
        )  # fmt: skip
    key = _key(options, known, row, target)
    return Wanted(target, key, archive, dict(row))


def _without_archive(target: Target, known: Recorded, options: Options) -> Wanted:
    row = known.row or {}
    return Wanted(target, _key(options, known, row, target), None, dict(row))


def _key(options: Options, known: Recorded | None, row: dict[str, Any], target: Target) -> str:
    if options.as_key is not None:
        return keys.for_agent(target.agent_id, keys.require(options.as_key))
    if known is not None:
        return known.key
    return keys.explicit_key(target.agent_id, str(row["sessionId"]))


def _report(wanted: Wanted, key: str, options: Options) -> dict[str, Any]:
    archive = wanted.archive
    folder: Path = wanted.target.sessions_dir
    return {
        "restored": not options.dry_run,
        "key": key,
        "sessionId": session_id_of(wanted.row),
        "from": None if archive is None else os.fspath(archive.path),
        "to": None if archive is None else os.fspath(folder / archive.base),
        "replaced": None,
        "storePath": os.fspath(wanted.target.store_path),
        "dryRun": options.dry_run,
    }
