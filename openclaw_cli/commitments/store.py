"""The store file ``commitments/commitments.json``: read, and changed under its lock.

What cannot be understood is never lost: a file of another version or shape is refused, not
read as empty; rows that fail validation and unknown fields are written back as they were
(``commitments.md`` 2 and 11). Decisions are steps made by pure functions; this module only
carries them out and records them in the trail of changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.commitments.record import PRIVATE_FIELDS, Row, normalize
from openclaw_cli.errors import OpenClawError, UnreadableFile
from openclaw_cli.state import files
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

VERSION = 1
_WHAT = "commitments store"


class Step(NamedTuple):
    """One change of one row: ``row`` as it shall be, and why.

    ``place`` is where it stands in the file's list, None for a new row at the end. ``before``
    holds replaced values that nothing else keeps, ``undo`` the command that restores them.
    """

    place: int | None
    row: Row
    event: str
    reason: str
    before: dict[str, Any] | None = None
    undo: str | None = None


class Store(NamedTuple):
    """What the file holds: ``rows`` is aligned with ``items``, None where invalid."""

    path: Path
    document: dict[str, Any]
    items: list[Any]
    rows: list[Row | None]

    @property
    def valid(self) -> list[Row]:
        """The rows that can be used, in file order."""
        return [row for row in self.rows if row is not None]

    @property
    def invalid(self) -> list[Any]:
        """The items that fail validation, as they stand in the file."""
        return [item for item, row in zip(self.items, self.rows, strict=True) if row is None]

    @property
    def holds_private_text(self) -> bool:
        """Whether a row of an older release still carries conversation text."""
        return any(
            isinstance(item, dict) and any(name in item for name in PRIVATE_FIELDS)
            for item in self.items
        )

    def after(self, steps: Sequence[Step]) -> Store:
        """The store as it is once ``steps`` are applied."""
        items, rows = list(self.items), list(self.rows)
        for step in steps:
            if step.place is None:
                items.append(step.row)
                rows.append(step.row)
            else:
                items[step.place] = rows[step.place] = step.row
        return self._replace(items=items, rows=rows)


def path_of(paths: Paths) -> Path:
    """Where the store file is."""
    return paths.under("commitments", "commitments.json")


def load(paths: Paths) -> Store:
    """Read the store without a lock; a missing file is an empty store.

    Raises ``UnreadableFile`` for a damaged file, ``NotAllowed`` for a linked one, and an
    error that names the version found for a file of another release.
    """
    path = path_of(paths)
    files.refuse_link(path, what=_WHAT, hard=True)
    try:
        document = files.load_json(path, what=_WHAT)
    except UnreadableFile as error:
        hint = "nothing was changed; correct the file, or move it aside"
        raise UnreadableFile(
            error.message, path=path, hint=hint, code="store-unreadable"
        ) from error
    if document is None and not path.exists():
        return Store(path, {"version": VERSION}, [], [])
    items = _checked_items(document, path)
    return Store(path, document, items, [normalize(item) for item in items])


def update(
    paths: Paths,
    decide: Callable[[Store], Sequence[Step]],
    *,
    command: str,
    now_ms: int,
    scrub: bool = False,
) -> Store:
    """Read the store under its lock, apply what ``decide`` wants, and record it.

    Nothing is written without a step, except that ``scrub`` removes the conversation text
    of older releases by itself. Returns the store as it then is.
    """
    from openclaw_cli.state import lock

    path = path_of(paths)
    if not path.exists() and not path.is_symlink():
        missing = load(paths)
        if not decide(missing):  # no folder is made only to find nothing to write
            return missing
    with lock.file_lock(path):
        found = load(paths)
        steps = list(decide(found))
        result = found.after(steps)
        if steps or (scrub and found.holds_private_text):
            _save(result)
    if steps:
        from openclaw_cli.state import changes

        changes.record(paths, [_change(step, path, command) for step in steps], now_ms)
    return result


def _checked_items(document: Any, path: Path) -> list[Any]:
    if not isinstance(document, dict):
        raise _foreign(path, "its top level is not an object")
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        found = repr(version) if "version" in document else "none"
        raise _foreign(path, f"it has version {found}, this release knows version {VERSION}")
    items = document.get("commitments")
    if not isinstance(items, list):
        raise _foreign(path, "its version is 1, but 'commitments' is not a list")
    return items


def _foreign(path: Path, reason: str) -> OpenClawError:
    return OpenClawError(
        f"{_WHAT} {path} is left alone: {reason}",
        path=path,
        hint="use the release that wrote it, or move the file aside",
        code="store-version",
    )


def _save(store: Store) -> None:
    from openclaw_cli.state.jsonnum import dumps

    written = [
        _without_private_text(item) if row is None else row
        for item, row in zip(store.items, store.rows, strict=True)
    ]
    document = {**store.document, "commitments": written}
    files.write_atomic(store.path, dumps(document) + "\n", force_mode=True)
    with contextlib.suppress(PermissionError):  # a folder of another owner stays as it is
        store.path.parent.chmod(files.PRIVATE_DIR)


def _without_private_text(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {key: value for key, value in item.items() if key not in PRIVATE_FIELDS}


def _change(step: Step, path: Path, command: str) -> Any:
    from openclaw_cli.state.changes import Change

    return Change(
        command=command,
        rule=f"{step.event}: {step.reason}",
        what="commitment",
        key=step.row["id"],
        path=str(path),
        row=step.before,
        undo=step.undo,
    )
