"""Cuts a daily note into claim-sized snippets (``dreaming.md`` 3.1, 12.6).

Up to four lines of one kind make a snippet, under the heading that is in force. Nothing is
cut off: what would be longer than 280 UTF-16 units becomes several snippets, and each
range covers exactly the lines whose text is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from openclaw_cli.memory.notes import managed_lines, split_lines
from openclaw_cli.memory.text import collapse, cut_utf16, utf16_length
from openclaw_cli.state.tuples import NamedTuple

LONGEST = 280
SHORTEST = 8
LINES = 4
LONGEST_PREFIX = LONGEST // 2  # of a heading, so that half of a snippet is the note's text

_HEADING = re.compile(r"#{1,6}\s+(.*)")
_NUMBER = re.compile(r"\d+\.\s+")
_BULLET = re.compile(r"[-*+]\s+")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")
_NOTE_NAME = r"\d{4}-\d{2}-\d{2}(?:-[^/]+)?\.md"
_WEEKDAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_GENERIC = re.compile(
    rf"""(?:{_NOTE_NAME} | today | yesterday | tomorrow | morning | afternoon | evening | night
    | (?:{_WEEKDAY}\s+)? (?: {_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?
        | \d{{1,2}}[/-]\d{{1,2}}(?:[/-]\d{{2,4}})? | \d{{4}}[/-]\d{{1,2}}[/-]\d{{1,2}} ) )?""",
    re.VERBOSE | re.IGNORECASE,
)


class Snippet(NamedTuple):
    """A stretch of a note: its first and last line (from 1) and its text."""

    start: int
    end: int
    text: str


class _Line(NamedTuple):
    number: int
    text: str
    in_list: bool


def cut_note(text: str, limit: int) -> list[Snippet]:
    """The snippets of a note, in order, at most ``limit``; managed blocks have none."""
    lines = split_lines(text)
    if "openclaw:dreaming:" in text:
        ours = managed_lines(lines)
        lines = ["" if own else line for line, own in zip(lines, ours, strict=True)]
    return list(islice(_snippets(lines), limit))


def split_text(text: str, longest: int) -> list[str]:
    """``text`` (collapsed) in pieces of at most ``longest`` UTF-16 units, nothing lost.

    Cut after a sentence when that keeps more than half of the room, else at a space,
    else hard.
    """
    pieces = []
    while utf16_length(text) > longest:
        window = cut_utf16(text, longest)
        ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, len(window))]
        space = window.rfind(" ") if text[len(window)] != " " else len(window)
        cut = ends[-1] if ends and ends[-1] > len(window) // 2 else space
        cut = cut if cut > 0 else len(window)
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*pieces, text] if text else pieces


def is_generic_heading(text: str) -> bool:
    """Whether a heading only says when: a date, a note's name, ``today``, ``morning``."""
    return _GENERIC.fullmatch(text) is not None


def _snippets(lines: list[str]) -> Iterator[Snippet]:
    heading = ""
    chunk: list[_Line] = []
    for number, raw in enumerate(lines, 1):
        trimmed = raw.strip()
        title = _HEADING.match(trimmed)
        line = None if trimmed.startswith(("#", "<!--")) else _content(number, trimmed)
        if line is None or not _fits(heading, chunk, line):
            yield from _flush(heading, chunk)
            chunk = []
        if line is not None:
            chunk.append(line)
        elif title is not None:
            heading = _heading_text(title[1]) or heading
    yield from _flush(heading, chunk)


def _content(number: int, trimmed: str) -> _Line | None:
    """A line that can be part of a snippet, None for one that is too short."""
    text = collapse(_without_markers(trimmed))
    if utf16_length(text) < SHORTEST:
        return None
    in_list = _NUMBER.match(trimmed) is not None or _BULLET.match(trimmed) is not None
    return _Line(number, text, in_list)


def _fits(heading: str, chunk: list[_Line], line: _Line) -> bool:
    if not chunk:
        return True
    if len(chunk) >= LINES or chunk[-1].in_list != line.in_list:
        return False
    return utf16_length(_joined([*chunk, line])) <= _room(heading)


def _flush(heading: str, chunk: list[_Line]) -> Iterator[Snippet]:
    if not chunk:
        return
    prefix = _prefix(heading)
    for piece in split_text(_joined(chunk), _room(heading)):
        text = collapse(prefix + piece)
        if utf16_length(text) >= SHORTEST:
            yield Snippet(chunk[0].number, chunk[-1].number, text)


def _joined(chunk: list[_Line]) -> str:
    return ("; " if chunk[0].in_list else " ").join(line.text for line in chunk)


def _prefix(heading: str) -> str:
    return f"{cut_utf16(heading, LONGEST_PREFIX).rstrip()}: " if heading else ""


def _room(heading: str) -> int:
    return LONGEST - utf16_length(_prefix(heading))


def _heading_text(title: str) -> str:
    """The text of a heading that says what its lines are about; empty for a generic one."""
    text = collapse(_without_markers(title))
    return "" if is_generic_heading(text) else cut_utf16(text, LONGEST)


def _without_markers(text: str) -> str:
    for marker in (_NUMBER, _BULLET):
        found = marker.match(text)
        text = text[found.end() :] if found else text
    return text
