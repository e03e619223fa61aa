"""What a change does to a store and the files around it, as plain values.

Planning produces them, ``transaction`` carries them out. File paths are relative to the
sessions folder, so that nothing outside can be named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.state.changes import Change


class Move(NamedTuple):
    """A file that gets another name. ``keys`` are the rows that stay if that fails."""

    source: str
    target: str
    keys: tuple[str, ...] = ()


class Departure(NamedTuple):
    """A session that leaves its row or its transcript.

    ``row`` is what it was; ``rule`` names why; ``archive`` is the kind of archive that its
    transcripts become (``deleted``, ``reset``), or None when it has none to keep.
    """

    key: str
    row: Any
    rule: str
    archive: str | None = "deleted"


class Failure(NamedTuple):
    """A file that could not be renamed or deleted, and why."""

    path: str
    reason: str
    deleting: bool = False

    def text(self) -> str:
        """One line for people."""
        return f"cannot {'delete' if self.deleting else 'archive'} {self.path}: {self.reason}"


@dataclass(eq=False, repr=False)
class Effects:
    """The rows to write, and the file actions that belong to them, in their order.

    ``text`` is ``rows`` as they will be written, where that is known already. ``backup`` is
    the name under which the store is kept as it was. ``changes`` are the lines of the
    trail; those of a failed action are left out.
    """

    rows: dict[str, Any]
    text: bytes | None = None
    moves: list[Move] = field(default_factory=list)
    removals: list[str] = field(default_factory=list)
    backup: str | None = None
    changes: list[Change] = field(default_factory=list)

    @property
    def touches_files(self) -> bool:
        """Whether anything besides the store itself changes."""
        return bool(self.moves or self.removals or self.backup or self.changes)
