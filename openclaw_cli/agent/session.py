"""The session of a turn: its row, its transcript, and its turn lock (``sessions.md`` 14.2).

The store lock is held for moments only; the turn lock ``<transcript>.jsonl.lock`` through
the whole turn. Whoever gets the turn lock reads the row again, and starts over when it
names another transcript by then.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed
from openclaw_cli.sessions import discovery, entry, lookup, maintenance_settings, names, store
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state import lock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.entry import Row
    from openclaw_cli.sessions.write_path import Draft

RUN_MARK = {"run": "agent"}


@dataclass
class Place:
    """Where the session of ``key`` is kept, and on whose behalf it is written."""

    config: Config
    agent_id: str
    key: str
    now_ms: int
    command: str = "agent"
    store: Path | None = None  # another store than the agent's

    def __post_init__(self) -> None:
        self.paths = self.config.paths
        self.rules = KeyRules.from_config(self.config)
        own = discovery.store_path(self.config, self.paths, self.agent_id)
        self.store_path = self.store or own
        self.key = lookup.canonical(self.key, self.rules, agent_id=self.agent_id)

    @property
    def sessions_dir(self) -> Path:
        """The folder of the store."""
        return self.store_path.parent

    def row(self) -> Row | None:
        """The stored row as it is now, under whatever spelling; None when there is none."""
        rows = store.load(self.store_path).rows
        found = lookup.find(rows, self.key, self.rules, agent_id=self.agent_id)
        row = rows.get(found) if found else None
        return row if isinstance(row, dict) else None

    def change(self, edit: Callable[[Row | None, Draft], Row | None]) -> Row | None:
        """Replace the row by what ``edit`` makes of it (None leaves the store as it is).

        Other spellings of the key are merged into it: the newest row wins.
        """

        from openclaw_cli.sessions import write_path

        def apply(draft: Draft) -> Row | None:
            adopted = lookup.adopt(draft.rows, self.key, self.rules, agent_id=self.agent_id)
            row = edit(adopted.row, draft)
            if row is None:
                return adopted.row
            for spelling in adopted.retired:
                del draft.rows[spelling]
            draft.rows[adopted.key] = row
            return row

        upkeep = maintenance_settings.from_config(self.config, self.agent_id)
        return write_path.update(
            self.store_path, apply, paths=self.paths, now_ms=self.now_ms, command=self.command,
            upkeep=upkeep, active_keys=[self.key],
        )  # fmt: skip

    def transcript_path(self, row: Row) -> Path:
        """The transcript of ``row``; ``NotAllowed`` for an id that is no file name."""
        found = discovery.resolve_transcript(row, self.sessions_dir, state_dir=self.paths.state_dir)
        if found is None:
            raise NotAllowed(f"invalid session id {row.get('sessionId')!r} in {self.store_path}")
        return found

    def new_id(self) -> str:
        """A session id that no file of the folder has."""
        return str(uuid.uuid4())


def turn_lock_path(transcript_path: Path) -> Path:
    """The lock file of a session's turn."""
    return transcript_path.with_name(transcript_path.name + ".lock")


@contextlib.contextmanager
def turn(place: Place, row: Row, *, wait_s: float) -> Iterator[tuple[Row, Path]]:
    """Hold the turn of a session: the row as it is by then, and its transcript.

    Waits up to ``wait_s`` for another turn of the same session, then raises ``Busy``. When
    the row names another transcript after the wait (a reset in between), that one's turn
    is waited for instead.
    """
    deadline = time.monotonic() + wait_s
    while True:
        path = place.transcript_path(row)
        left = max(0.0, deadline - time.monotonic())
        with lock.run_lock(turn_lock_path(path), wait_s=left, extra=RUN_MARK):
            now = place.row() or row
            if place.transcript_path(now) == path:
                yield now, path
                return
            row = now


def usable(row: Row | None) -> bool:
    """Whether a row can be continued: it has a session id that names a file."""
    return (
        row is not None
        and entry.is_usable(row)
        and isinstance(row.get("sessionId"), str)
        and names.is_file_id(row["sessionId"])
    )


def patch(row: Row, changes: dict[str, Any]) -> Row:
    """``row`` with ``changes``; a value of None removes the field."""
    merged = row | {k: v for k, v in changes.items() if v is not None}
    return {k: v for k, v in merged.items() if k not in changes or changes[k] is not None}
