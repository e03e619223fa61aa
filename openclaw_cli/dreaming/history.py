"""Daily notes of the past, wherever they lie (``dreaming.md`` 8.1, 8.3).

A daily note is a file named ``YYYY-MM-DD[-slug].md``. References to its lines name it as
``memory/<file name>``, where it would be in a workspace.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from openclaw_cli.dreaming import grounded
from openclaw_cli.dreaming.grounded import Grounded, Item
from openclaw_cli.errors import OpenClawError, UnreadableFile
from openclaw_cli.memory.entries import day_number
from openclaw_cli.memory.notes import managed_lines, split_lines
from openclaw_cli.memory.workspace import MEMORY_DIR
from openclaw_cli.state import redact
from openclaw_cli.state.tuples import NamedTuple

LARGEST_NOTE = 1024 * 1024  # bytes; what is longer is a dump, not a note

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-[^/]+)?\.md", re.IGNORECASE)


class NoNotes(OpenClawError):
    """A place without daily notes."""

    code = "no-daily-notes"


class Source(NamedTuple):
    """A daily note: where it is, and its day."""

    path: Path
    day: str

    @property
    def key(self) -> str:
        """The note's path in references and entries."""
        return f"{MEMORY_DIR}/{self.path.name}"


def day_of(name: str) -> str | None:
    """The day that a file name dates a note to; None when it is no daily note's name."""
    found = _NAME.fullmatch(name)
    return found[1] if found and day_number(found[1]) is not None else None


def find(path: Path) -> list[Source]:
    """The daily notes at ``path``: the file itself, or a folder's own files by name.

    Folders in it and links are passed over. Raises ``UnreadableFile`` for a folder that
    cannot be listed.
    """
    if path.is_dir():
        names = sorted(name for name in _listed(path) if day_of(name))
        found = [path / name for name in names]
        files = [one for one in found if one.is_file() and not one.is_symlink()]
    else:
        files = [path] if path.is_file() and day_of(path.name) else []
    return [Source(one, day_of(one.name) or "") for one in files]


def require(path: Path, shown: str, command: str) -> list[Source]:
    """``find``, or ``NoNotes`` that names the place as ``shown``."""
    found = find(path)
    if not found:
        raise NoNotes(
            f"Memory {command} found no YYYY-MM-DD.md files at {shown}.",
            path=path,
            hint="name a note like 2026-11-18.md or 2026-11-18-standup.md, or their folder",
        )
    return found


def read(source: Source) -> str:
    """The text of a note; bytes that are no UTF-8 are replaced. Raises ``UnreadableFile``."""
    try:
        return source.path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    except OSError as error:
        raise UnreadableFile(
            f"note {source.path} cannot be read: {error.strerror or error}", path=source.path
        ) from error


def ground(text: str, key: str) -> Grounded:
    """What the note ``text`` says on its own: without what dreaming wrote, without secrets."""
    lines = split_lines(text)
    if "openclaw:dreaming:" in text:
        ours = managed_lines(lines)
        lines = ["" if own else line for line, own in zip(lines, ours, strict=True)]
    found = grounded.extract("\n".join(lines), key)
    return Grounded(
        _masked(found.facts),
        _masked(found.reflections),
        _masked(found.candidates),
        _masked(found.updates),
    )


def ground_all(sources: list[Source], warnings: list[str]) -> list[tuple[Source, Grounded]]:
    """What each of ``sources`` says; notes of over a megabyte are left out with a warning."""
    done = []
    for source in sources:
        if source.path.stat().st_size > LARGEST_NOTE:
            warnings.append(f"{source.path} is too large for a note; it is left out")
        else:
            done.append((source, ground(read(source), source.key)))
    return done


def _masked(items: list[Item]) -> list[Item]:
    return [item._replace(text=redact.secrets(item.text)) for item in items]


def _listed(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError as error:
        raise UnreadableFile(
            f"{folder} cannot be listed: {error.strerror or error}", path=folder
        ) from error
