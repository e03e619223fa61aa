"""Claims where they stand: in the windows of a note (``memory.md`` 12.21).

What a line is depends on what is around it: a fence makes it code, a managed block makes
it dreaming's own, the same line with other numbers on other days makes it one of a series.
"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date

from openclaw_cli.memory import claims
from openclaw_cli.memory.entries import Entry, line_count
from openclaw_cli.memory.notes import Note, NoteReader
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.windows import Window, split_windows
from openclaw_cli.memory.workspace import MEMORY_DIR, Workspace, is_corpus

LONGEST_CLAIM = 6  # lines of an entry that can be one wrapped claim
FEWEST_OF_A_SERIES = 3
MANY_NUMBERS = 4

_SECOND_ITEM = re.compile(r"\S\s+[-*+]\s+\S.*|.*#{1,6}\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_DAY = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})(?:[-.][^/]*)?$")
_NOTE_NAME = re.compile(r"\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md", re.IGNORECASE)


def is_one_claim(entry: Entry) -> bool:
    """Whether an entry's text is a line, or one that is wrapped: not several together.

    Ingestion takes lines together, a search finds one claim.
    """
    if line_count(entry) == 1:
        return True
    is_short = line_count(entry) <= LONGEST_CLAIM
    return is_short and is_searched(entry) and not _SECOND_ITEM.match(entry["snippet"][1:])


def is_searched(entry: Entry) -> bool:
    """Whether somebody asked for an entry, or chose it: not only ingestion met it."""
    return bool(entry["recallCount"] or entry["groundedCount"])


def noted_day(path: str) -> date | None:
    """The day of a daily note or of a day's corpus, by its path."""
    found = _DAY.search(path)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def windows_within(note: Note, path: str, start: int, end: int) -> list[Window]:
    """The claim-sized stretches of lines ``start``..``end``, headings left out.

    A line of a corpus is what one person said, whatever it looks like.
    """
    if is_corpus(path):
        lines = list(enumerate(note.lines, 1))[start - 1 : end]
        return [Window(number, number, line) for number, line in lines if line.strip()]
    return [
        window
        for window in split_windows("\n".join(note.lines))
        if window.end >= start and window.start <= end and not window.is_heading
    ]


def refusal_at(note: Note, start: int, end: int, text: str) -> str | None:
    """Why ``text`` at these lines of a note is no claim: ``managed``, or as ``claims.refusal``."""
    if note.touches_managed(start, end):
        return "managed"
    return claims.refusal(text, fenced=is_fenced(note, start, end))


def is_fenced(note: Note, start: int, end: int) -> bool:
    """Whether every line of the range lies in code, fences included."""
    mark = ""
    inside = []
    for line in note.lines[:end]:
        found = _FENCE.match(line)
        opens = found is not None and not mark
        closes = found is not None and bool(mark) and line.strip().startswith(mark)
        inside.append(bool(mark) or opens)
        if found is not None and opens:
            mark = found[1]
        elif closes:
            mark = ""
    within = inside[start - 1 : end]
    return bool(within) and all(within)


class Series:
    """Lines that come again and again with other numbers: what a program reports."""

    def __init__(self, workspace: Workspace, reader: NoteReader) -> None:
        self._workspace = workspace
        self._reader = reader
        self._numbers: dict[str, set[str]] | None = None

    def has(self, text: str) -> bool:
        """Whether ``text`` with other numbers stands in the notes: twice, if it has many once."""
        shape, numbers = claims.masked(text)
        if not numbers:
            return False
        if self._numbers is None:
            self._numbers = self._read()
        met = len(self._numbers.get(shape, set()) | {numbers})
        return met >= FEWEST_OF_A_SERIES or (met > 1 and len(numbers.split()) >= MANY_NUMBERS)

    def _read(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for name in self._names():
            note = self._reader.read(f"{MEMORY_DIR}/{name}")
            if not isinstance(note, Note):
                continue
            for line, managed in zip(note.lines, note.managed, strict=True):
                if not managed and any(ch.isdigit() for ch in line):
                    shape, numbers = claims.masked(collapse(line))
                    found[shape].add(numbers)
        return found

    def _names(self) -> list[str]:
        folder = self._workspace.memory_dir
        if not folder.is_dir():
            return []
        return sorted(path.name for path in folder.iterdir() if _NOTE_NAME.fullmatch(path.name))
