"""Reading a memory file by name and lines: ``memory get`` (``memory.md`` 2.7)."""

from __future__ import annotations

import os
import re
from pathlib import Path

from openclaw_cli.errors import NotAllowed, OpenClawError, UnknownName, UnreadableFile
from openclaw_cli.memory.access import Memory
from openclaw_cli.memory.workspace import MemoryFile, normalize_path
from openclaw_cli.state.amounts import counted
from openclaw_cli.state.tuples import NamedTuple

_LINES = re.compile(r"^(?P<path>.+?):(?P<first>\d{1,15})(?:-(?P<last>\d{1,15}))?$", re.DOTALL)


class OutOfRange(OpenClawError):
    """A line number that the file does not have."""

    code = "out-of-range"


class Excerpt(NamedTuple):
    """Lines ``start``..``end`` (1-based, inclusive) of a memory file."""

    path: str
    start: int
    end: int
    total: int
    text: str

    def to_json(self) -> dict[str, object]:
        """The document of ``memory get --json``."""
        return {
            "path": self.path,
            "startLine": self.start,
            "endLine": self.end,
            "totalLines": self.total,
            "text": self.text,
        }


def read_excerpt(memory: Memory, wanted: str) -> Excerpt:
    """The file, or its lines, that ``PATH[:FROM[-TO]]`` names.

    Raises ``UnknownName`` for what is no memory file of this agent, ``NotAllowed`` for a
    symbolic link, ``OutOfRange`` for a FROM past the end or after TO.
    """
    files = memory.scan().files
    found = _find(memory, files, wanted)
    first: int | None = None
    last: int | None = None
    lines = _LINES.match(wanted)
    if found is None and lines is not None:  # a file's own name may end in digits
        found = _find(memory, files, lines["path"])
        first = int(lines["first"])
        last = int(lines["last"]) if lines["last"] else first
    if found is None:
        raise UnknownName(
            f"{wanted!r} is no memory file of agent {memory.agent_id}",
            hint="memory files are MEMORY.md, memory/**/*.md and the extra paths",
            code="not-memory",
        )
    return _cut(found, first, last)


def _find(memory: Memory, files: list[MemoryFile], text: str) -> MemoryFile | None:
    if "\0" in text:
        return None
    root = memory.workspace.root
    given = memory.paths.expand(text) if text.startswith(("/", "~")) else root / text
    place = Path(os.path.normpath(given))
    name = normalize_path(text)
    for file in files:
        if file.name == name or file.path == str(place):
            return file
    if place.is_symlink() or _through_link(root, place):
        raise NotAllowed(f"{text!r} is a symbolic link; links are not followed", path=place)
    return None


def _through_link(root: Path, place: Path) -> bool:
    """Whether a folder between the workspace and ``place`` is a link."""
    inside = [folder for folder in place.parents if folder != root and folder.is_relative_to(root)]
    return any(folder.is_symlink() for folder in inside)


def _cut(file: MemoryFile, first: int | None, last: int | None) -> Excerpt:
    try:
        text = Path(file.path).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UnreadableFile(
            f"{file.name} cannot be read: {error.strerror or error}", path=file.path
        ) from error
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()  # what a final newline leaves
    total = len(lines)
    if first is None:
        return Excerpt(file.name, min(1, total), total, total, text)
    if last is not None and last < first:
        raise OutOfRange(f"{file.name}: line {last} is before line {first}", path=file.path)
    if not 1 <= first <= total:
        has = counted(total, "line")
        raise OutOfRange(f"{file.name} has {has}, there is no line {first}", path=file.path)
    end = min(total, last or first)
    return Excerpt(file.name, first, end, total, "\n".join(lines[first - 1 : end]) + "\n")
