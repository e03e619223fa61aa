"""What the trail and the rows still know about archived and lost sessions. Reads only.

An archive's name tells its session id, not its key. The key stands in the line of
``logs/changes.jsonl`` that made the archive, else in the row whose earlier session it was
(``sessions.md`` 16).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.sessions.references import session_id_of
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple


class Recorded(NamedTuple):
    """A key, and the row it had, where that is known.

    ``beside`` marks a file that its row did not point at: a second one of the session.
    ``left_at`` is when the row left without a file, epoch ms; None where it had one.
    """

    key: str
    row: dict[str, Any] | None = None
    beside: bool = False
    left_at: int | None = None


@dataclass
class Memory:
    """Keys by archive path and by session id; later lines of the trail win."""

    by_path: dict[str, Recorded] = field(default_factory=dict)
    by_id: dict[str, Recorded] = field(default_factory=dict)
    by_key: dict[str, Recorded] = field(default_factory=dict)

    def find(self, path: str, session_id: str | None) -> Recorded | None:
        """What is known about the archive at ``path`` of ``session_id``."""
        found = self.by_path.get(path)
        if found is None and session_id is not None:
            found = self.by_id.get(session_id)
        return found


def from_trail(lines: Iterable[Mapping[str, Any]]) -> Memory:
    """What the lines of the trail, oldest first, say about sessions."""
    memory = Memory()
    for line in lines:
        key, row, moved = line.get("key"), line.get("row"), line.get("movedTo")
        if not isinstance(key, str):
            continue
        alone = moved is None and line.get("undo") is not None
        left_at = clock.parse_iso(str(line.get("ts"))) if alone else None
        known = Recorded(key, row if isinstance(row, dict) else None, left_at=left_at)
        session_id = session_id_of(row)
        if session_id is not None:
            memory.by_id[session_id] = known
        for earlier_id in _family(row):
            memory.by_id.setdefault(earlier_id, Recorded(key))
        if known.row is not None:
            memory.by_key[key] = known
        if isinstance(moved, str):
            # A second file of the same session is a line without the row.
            earlier = memory.by_key.get(key)
            if known.row is None and earlier is not None:
                known = earlier._replace(beside=True)
            memory.by_path[moved] = known
    return memory


def add_rows(memory: Memory, rows: Mapping[str, Any]) -> None:
    """Let the rows of a store tell what the trail does not: their present and earlier ids."""
    for key, row in rows.items():
        for identity in (session_id_of(row), *_family(row)):
            if identity is not None:
                memory.by_id.setdefault(identity, Recorded(key))


def _family(row: Any) -> list[str]:
    """The earlier sessions of a row, by its ``usageFamilySessionIds``."""
    listed = row.get("usageFamilySessionIds") if isinstance(row, dict) else None
    return (
        [one for one in listed if isinstance(one, str) and one] if isinstance(listed, list) else []
    )
