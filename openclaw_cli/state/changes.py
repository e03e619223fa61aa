"""The trail of everything that was removed, archived, restored or dropped.

``logs/changes.jsonl``, one line each, read by ``openclaw changes`` (``sessions.md`` 16).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from openclaw_cli.state import clock, jsonl, lock
from openclaw_cli.state.paths import Paths

_iso = lru_cache(maxsize=8)(clock.iso)  # thousands of lines of one run share their time

ROTATE_BYTES = 16 * 1024 * 1024


@dataclass
class Change:
    """One thing that left its place.

    ``command`` did it by ``rule``; ``what`` is its kind (``session``, ``transcript``,
    ``archive``, ``commitment``, ``recall-entry``...); ``row`` the removed row itself and
    ``undo`` the command line that brings it back, or None.
    """

    command: str
    rule: str
    what: str
    key: str | None = None
    path: str | None = None
    moved_to: str | None = None
    row: Any = None
    undo: str | None = None

    def to_json(self, now_ms: int) -> dict[str, Any]:
        """The line of the trail."""
        return {
            "ts": _iso(now_ms),
            "command": self.command,
            "rule": self.rule,
            "what": self.what,
            "key": self.key,
            "path": self.path,
            "movedTo": self.moved_to,
            "row": self.row,
            "undo": self.undo,
        }


def record(paths: Paths, changes: Sequence[Change], now_ms: int) -> None:
    """Append ``changes`` to the trail; nothing is written when there are none."""
    append(paths, [jsonl.line_of(change.to_json(now_ms)) for change in changes])


def append(paths: Paths, lines: Sequence[bytes]) -> None:
    """``record`` for lines that were made before, as a journal keeps them."""
    if not lines:
        return
    path = paths.log("changes")
    with lock.file_lock(path):
        jsonl.rotate(path, ROTATE_BYTES)
        jsonl.append_lines(path, lines)


def read(paths: Paths) -> Iterator[dict[str, Any]]:
    """The lines of the trail, oldest first, the earlier generation included."""
    path = paths.log("changes")
    for generation in (path.with_name(path.name + ".1"), path):
        yield from jsonl.read_objects(generation, what="change log")


def find(
    paths: Paths,
    *,
    since_ms: int | None = None,
    command: str | None = None,
    key: str | None = None,
    limit: int | None = None,
) -> list[dict[str, Any]]:
    """The lines that match, newest first.

    ``command`` may be a whole command or its last word; ``key`` ignores case and an agent
    prefix of the stored key.
    """
    found = [line for line in read(paths) if _matches(line, since_ms, command, key)]
    found.reverse()
    return found if limit is None else found[:limit]


def _matches(
    line: dict[str, Any], since_ms: int | None, command: str | None, key: str | None
) -> bool:
    if since_ms is not None:
        at = clock.parse_iso(str(line.get("ts")))
        if at is None or at < since_ms:
            return False
    if command is not None:
        wanted, done = command.strip().lower(), str(line.get("command")).lower()
        if done != wanted and done.split()[-1:] != [wanted]:
            return False
    if key is None:
        return True
    wanted, stored = key.strip().lower(), str(line.get("key") or "").lower()
    parts = stored.split(":", 2)
    rest = parts[2] if len(parts) == 3 and parts[0] == "agent" else None
    return wanted in (stored, rest)
