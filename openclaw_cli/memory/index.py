"""The search index of an agent, kept in step with its notes (``memory.md`` 2.3, 12.6).

One SQLite file, ``<state>/memory/<agentId>.sqlite``: a cache that may be deleted at any
time. Readers take no lock. A writer holds ``<file>.lock`` and changes rows in one
transaction; a whole rebuild happens in a file aside that is renamed over the old one. A
damaged file is replaced; one that cannot be written is done without, in memory.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from openclaw_cli.errors import Busy, NotWritable, OpenClawError
from openclaw_cli.memory import index_build as build
from openclaw_cli.memory import index_schema as schema
from openclaw_cli.memory.index_build import IndexFile, Report
from openclaw_cli.memory.index_notes import NoteState, read_note
from openclaw_cli.memory.index_schema import Identity

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from openclaw_cli.memory.index_notes import NoteText

# A file changed within the file system's clock tick after it was read looks unchanged.
FINE_TICK_MS = 100
COARSE_TICK_MS = 2_000


class IndexMismatch(OpenClawError):
    """An index with embeddings that was built for other settings; only ``index`` renews it."""

    code = "index-mismatched"


@dataclass
class Plan:
    """What has to happen to an index: everything anew (and why), or some notes.

    ``costly`` marks a rebuild that would throw away embeddings which were paid for.
    """

    rebuild: str | None = None
    costly: bool = False
    check: list[NoteState] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    renew_meta: bool = False

    @property
    def work(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.rebuild or self.check or self.gone or self.renew_meta)


@contextlib.contextmanager
def opened(
    index: IndexFile, notes: list[NoteState], *, sync: bool = True, force: bool = False
) -> Iterator[tuple[sqlite3.Connection, Report]]:
    """The index, in step with ``notes`` unless ``sync`` is off (a missing one is always built).

    ``force`` builds it anew. Raises ``IndexMismatch``, ``Busy``, ``OpenClawError`` when this
    Python's SQLite has no full-text search, and lets the ``sqlite3.DatabaseError`` of a file
    that turns out to be damaged pass: it is to be built anew.
    """
    import sqlite3

    report = Report()
    db = None
    try:
        db = _synced(index, notes, report, sync=sync, force=force)
        yield db, report
    except sqlite3.OperationalError as error:
        if "no such column" in str(error) or "no such table" in str(error):
            raise  # not the tables of this version: as good as damaged
        raise explain(error, index.path) from error
    finally:
        if db is not None:
            db.close()


def make_plan(
    db: sqlite3.Connection | None, index: IndexFile, notes: list[NoteState], *, force: bool
) -> Plan:
    """Compare an index with the notes on disk."""
    if db is None:
        return Plan(rebuild="new")
    meta = schema.read_meta(db)
    stored = schema.stored_identity(meta)
    if stored is None or not schema.is_current(db, meta, stored):
        return Plan(rebuild="index of another version")
    if force:
        return Plan(rebuild="asked for")
    plan = Plan()
    differs = schema.difference(stored, index.identity, ignore_model=index.keep_embeddings)
    if differs is not None:
        if differs.changes_chunks:
            bought = db.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None
            costly = bought and not index.identity.keyword_only and not index.asked_for
            return Plan(rebuild=f"index {differs.aspect} changed", costly=costly)
        plan.renew_meta = True
    synced_ms = float(meta.get(schema.SYNCED_KEY, "0"))
    known = dict(db.execute("SELECT path, stamp FROM notes").fetchall())
    for note in notes:
        tick = COARSE_TICK_MS if note.coarse else FINE_TICK_MS
        if known.pop(note.path, None) != note.stamp or note.changed_ms > synced_ms - tick:
            plan.check.append(note)
    plan.gone = list(known)
    return plan


def explain(error: Exception, path: Path) -> OpenClawError:
    """What an SQLite error means for a person."""
    text = str(error)
    if _is_busy(error):
        return Busy(f"the search index {path} is in use: {text}", path=path, hint="try again")
    if "fts5" in text or "no such module" in text:
        return OpenClawError(
            f"this Python's SQLite cannot search text ({text})",
            hint="use a Python whose sqlite3 was built with FTS5",
            code="search-unavailable",
        )
    return OpenClawError(
        f"the search index {path} cannot be used: {text}",
        path=path,
        hint="delete that file; the next search builds it anew",
        code="index-unusable",
    )


def _synced(
    index: IndexFile, notes: list[NoteState], report: Report, *, sync: bool, force: bool
) -> sqlite3.Connection:
    from openclaw_cli.state import lock

    db, plan = _look(index, notes, force=force)
    if db is not None and (not plan.work or not (sync or plan.rebuild)):
        return db
    try:
        with lock.file_lock(index.path), _write_errors(index.path):
            _close(db)
            db, plan = _look(index, notes, force=force)
            if plan.rebuild or db is None:
                _close(db)
                _refuse_costly(index, plan)
                build.rebuild(index, notes, report)
                report.rebuilt = plan.rebuild
                return build.connect(index.path)
            _apply(db, index, plan, report)
    except Busy as error:
        # Somebody else is writing: what is there may miss the newest edits, but answers.
        _close(db)
        if index.asked_for:
            raise
        db, plan = _look(index, notes, force=False)
        if db is None or plan.rebuild:
            raise
        report.warnings.append(f"the index may lack the newest edits: {error.message}")
    except NotWritable as error:
        _close(db)
        if index.asked_for:
            raise
        report.warnings.append(f"searched without the index file: {error.message}")
        return build.in_memory(index, notes, report)
    return db


def _close(db: sqlite3.Connection | None) -> None:
    if db is not None:
        db.close()


def _look(
    index: IndexFile, notes: list[NoteState], *, force: bool
) -> tuple[sqlite3.Connection | None, Plan]:
    """The present file and what is to be done; a damaged file counts as none."""
    import sqlite3

    if not index.path.is_file():
        return None, Plan(rebuild="new")
    db = None
    try:
        db = build.connect(index.path)
        return db, make_plan(db, index, notes, force=force)
    except sqlite3.DatabaseError as error:
        if db is not None:
            db.close()
        if _is_busy(error):
            raise explain(error, index.path) from error
        return None, Plan(rebuild="index damaged")


@contextlib.contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    """A full disk or a read-only file as ``NotWritable``: it can be done without."""
    import sqlite3

    try:
        yield
    except sqlite3.OperationalError as error:
        if any(word in str(error) for word in ("full", "readonly", "I/O", "unable to open")):
            raise NotWritable(f"cannot write {path}: {error}", path=path) from error
        raise


def _is_busy(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _refuse_costly(index: IndexFile, plan: Plan) -> None:
    if plan.costly:
        agent = index.path.stem
        raise IndexMismatch(
            f"the search index of {agent} does not fit the settings: {plan.rebuild}",
            path=index.path,
            hint=f"rebuild it: openclaw memory index --force --agent {agent}",
        )


def _apply(db: sqlite3.Connection, index: IndexFile, plan: Plan, report: Report) -> None:
    """Bring some notes up to date, in one transaction; caller holds the lock."""
    from openclaw_cli.memory import index_rows as rows

    synced_ms = time.time_ns() // 1_000_000
    known = dict(db.execute("SELECT path, hash FROM files").fetchall())
    identity = _identity_in_use(db, index)
    fresh: list[NoteText] = []
    same: list[NoteText] = []
    for note in plan.check:
        text = read_note(note, report.warnings)
        if text is not None:
            (same if known.get(text.path) == schema.sha256(text.text) else fresh).append(text)
    db.execute("BEGIN IMMEDIATE")
    try:
        stale = [text.path for text in fresh if text.path in known]
        rows.remove_notes(db, [*plan.gone, *stale])
        for text in fresh:
            rows.add_note(db, text, identity, index.now_ms)
        for text in same:
            rows.touch_note(db, text.path, text.stamp, text.mtime_ms)
        if plan.renew_meta:
            _renew_meta(db, identity)
        schema.set_meta(db, schema.SYNCED_KEY, str(synced_ms))
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    report.changed, report.removed = len(fresh), len(plan.gone)


def _identity_in_use(db: sqlite3.Connection, index: IndexFile) -> Identity:
    """The wanted identity, but with the model of the index when that is kept."""
    stored = schema.stored_identity(schema.read_meta(db))
    if not index.keep_embeddings or stored is None:
        return index.identity
    return index.identity._replace(
        model=stored.get("model", index.identity.model),
        provider=stored.get("provider", index.identity.provider),
        provider_key=stored.get("providerKey", index.identity.provider_key),
    )


def _renew_meta(db: sqlite3.Connection, identity: Identity) -> None:
    stored = schema.stored_identity(schema.read_meta(db)) or {}
    value = json.dumps(stored | identity.to_json(), separators=(",", ":"))
    schema.set_meta(db, schema.META_KEY, value)
