"""Reading memory notes: lines, headings, managed blocks (``memory.md`` 7.1).

A managed block is what dreaming writes into a note between its markers; its text is never
taken for the owner's.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory.text import (
    collapse,
    strip_checkbox,
    strip_list_marker,
    without_markup,
)
from openclaw_cli.memory.workspace import MEMORY_DIR, Workspace, is_corpus
from openclaw_cli.state import files

_MARKER = re.compile(r"<!--\s*openclaw:dreaming:([A-Za-z0-9_-]+):(start|end)\s*-->")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?\s*#*\s*$")
_CORPUS_SOURCE = re.compile(r"^\[[^\]\s]+#L\d+\] ")
_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WEEKDAYS = (
    "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?"
    "|sat(?:urday)?|sun(?:day)?"
)
_NO_TOPIC = (  # compiled on first use: few runs look at headings
    rf"(?i:(?:(?:{_WEEKDAYS})\.?,?\s*)?"
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?:-[\w-]+)?(?:\.md)?"
    rf"|\d{{1,2}}[-/.]\d{{1,2}}(?:[-/.]\d{{2,4}})?"
    rf"|(?:{_MONTHS})\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?(?:\s+\d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:{_MONTHS})\.?,?(?:\s+\d{{4}})?)?"
    r"|today|yesterday|tomorrow|morning|afternoon|evening|night|light sleep|rem sleep|deep sleep)"
)


@dataclass
class Note:
    """A note's lines (without line ends), and which of them dreaming wrote.

    Line numbers are 1-based in the interface, as in recall entries.
    """

    lines: list[str]
    managed: list[bool] = field(default_factory=list)
    _flat: list[str] = field(default_factory=list)
    _plain: Note | None = None

    def flat(self) -> list[str]:
        """The lines with their white space collapsed."""
        if not self._flat and self.lines:
            self._flat = [collapse(line) for line in self.lines]
        return self._flat

    def plain(self) -> Note:
        """The note with its lines as a reader hears them: no list marker, no Markdown.

        Headings stay headings.
        """
        if self._plain is None:
            lines = [
                line
                if _HEADING.match(line)
                else without_markup(strip_checkbox(strip_list_marker(collapse(line))))
                for line in self.lines
            ]
            self._plain = Note(lines, self.managed)
        return self._plain

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """First and last line index of each place where the joined lines read ``text``."""
        indexes = [index for index, line in enumerate(self.flat()) if line]
        joined = " ".join(self.flat()[index] for index in indexes)
        at = joined.find(text) if text else -1
        if at < 0:
            return
        offsets = list(accumulate((len(self.flat()[i]) + 1 for i in indexes), initial=0))
        while at >= 0:
            first, last = (
                bisect_right(offsets, at) - 1,
                bisect_right(offsets, at + len(text) - 1) - 1,
            )
            yield indexes[first], indexes[last]
            at = joined.find(text, at + 1)

    def touches_managed(self, start: int, end: int) -> bool:
        """Whether a line of the range ``start``..``end`` is dreaming's."""
        return any(self.managed[max(0, start - 1) : end])

    def heading_above(self, line: int) -> str:
        """The topic that the line stands under; empty when there is none.

        Dates and words like "today" are no topics: they reset nothing and name nothing. A
        marker of a managed block ends the reach of the heading above it.
        """
        for text in reversed(self.lines[: line - 1]):
            if _MARKER.search(text):
                return ""
            found = heading_text(text)
            if found is not None and is_topic(found):
                return found
        return ""


def split_lines(text: str) -> list[str]:
    """``text`` at LF and CRLF, the line ends removed."""
    return text.replace("\r\n", "\n").split("\n")


def heading_text(line: str) -> str | None:
    """The text of a Markdown heading, None for another line."""
    found = _HEADING.match(line)
    return None if found is None else collapse(found[2] or "")


def is_topic(heading: str) -> bool:
    """Whether a heading names a subject, not just a day or a part of one."""
    return bool(heading) and re.fullmatch(_NO_TOPIC, heading) is None


def managed_lines(lines: list[str]) -> list[bool]:
    """For each line whether it belongs to a managed block, its heading and markers included.

    A block without an end marker reaches to the next heading of level 1 or 2, the next
    start marker, or the end of the note.
    """
    managed = [False] * len(lines)
    at = 0
    while at < len(lines):
        found = _MARKER.search(lines[at])
        if found is None:
            at += 1
            continue
        end = _block_end(lines, at, found[1]) if found[2] == "start" else at
        for index in range(_block_heading(lines, at), end + 1):
            managed[index] = True
        at = end + 1
    return managed


def parse_note(text: str) -> Note:
    """The note that ``text`` holds."""
    lines = split_lines(text.removeprefix("\ufeff"))
    return Note(
        lines, managed_lines(lines) if "openclaw:dreaming:" in text else [False] * len(lines)
    )


class NoteReader:
    """Reads the notes of one workspace, each file once.

    ``pending`` are texts that files will have and do not have yet.
    """

    def __init__(self, workspace: Workspace, pending: Mapping[Path, str] | None = None) -> None:
        self._workspace = workspace
        self._pending = pending or {}
        self._notes: dict[str, Note | str | None] = {}

    def read(self, path: str) -> Note | str | None:
        """The note of a normalised entry path; None when missing, a text when unreadable.

        A path that does not start with ``memory/`` is also looked for by its name there.
        Only files inside the workspace are read, and no symbolic links.
        """
        if path not in self._notes:
            self._notes[path] = self._load(path)
        return self._notes[path]

    def _load(self, path: str) -> Note | str | None:
        for place in self._places(path):
            try:
                text = self._text(place)
            except OSError as error:
                return f"{place}: {error.strerror or error}"
            except OpenClawError as error:
                return error.message
            if text is None:
                continue
            if is_corpus(path):
                text = "\n".join(_CORPUS_SOURCE.sub("", line) for line in split_lines(text))
            return parse_note(text)
        return None

    def _text(self, place: Path) -> str | None:
        if place in self._pending:
            return self._pending[place]
        if not place.is_file():
            return None
        files.refuse_link(place, what="note")
        return place.read_bytes().decode("utf-8", "replace")

    def _places(self, path: str) -> list[Path]:
        root = self._workspace.root
        places = [root / path]
        if not path.startswith(f"{MEMORY_DIR}/"):
            places.append(root / MEMORY_DIR / path.rsplit("/", 1)[-1])
        real_root = Path(os.path.realpath(root))
        return [p for p in places if Path(os.path.realpath(p)).is_relative_to(real_root)]


def _block_heading(lines: list[str], marker: int) -> int:
    """The line of the block's own heading above ``marker``, else the marker's line."""
    at = marker - 1
    while at >= 0 and not lines[at].strip():
        at -= 1
    heading = heading_text(lines[at]) if at >= 0 else None
    own = heading is not None and heading.lower() in ("light sleep", "rem sleep", "deep sleep")
    return at if own else marker


def _block_end(lines: list[str], start: int, name: str) -> int:
    for index in range(start + 1, len(lines)):
        found = _MARKER.search(lines[index])
        if found is not None and found[1] == name:
            if found[2] == "end":
                return index
            break  # the next block of this kind has its own end marker
    for index in range(start + 1, len(lines)):
        heading = _HEADING.match(lines[index])
        if (heading is not None and len(heading[1]) <= 2) or _MARKER.search(lines[index]):
            return index - 1
    return len(lines) - 1
