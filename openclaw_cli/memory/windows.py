"""The lines and small windows of a note: what a question is matched against.

A window is one claim as people write them: a bullet with its continuation lines, a
sentence or two of prose, a table row, a few lines of code. Windows never overlap and come
in the order of the note. Search ranks them, and a recall is credited to the window that
answered instead of the whole chunk (``memory.md`` 12.20, 12.21).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_cli.memory.words import fold
from openclaw_cli.state.tuples import NamedTuple

LONGEST_WINDOW = 600
CODE_LINES = 6
WRAPPED_LINE = 50  # a line this long that ends without a full stop goes on in the next one

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,9}[.)])\s+\S")
# Texts are compiled on first use: a run that looks at one claim needs few of them.
_LABEL = (
    r"\s*(?:[-*+•]|\d{1,9}[.)])?\s*[*_`]{0,3}([^\W\d_][^:：\n]{0,39}?)[*_`]{0,3}"
    r"(?::(?=[*_`]{0,3}(?:\s|$))|：)"
)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_COMMENT = re.compile(r"\s*<!--.*-->\s*$")
_TABLE_RULE = r"\s*\|?[\s:|-]+\|?\s*$"
_SENTENCE = r"[^.!?。！？]*(?:[.!?]+[\"'”’)\]]*(?=\s|$)|[。！？]+|$|[.!?])\s*"
_FULL_STOP = re.compile(r"[.!?:;。！？：；…][\"'”’)\]*_]*$")
_DAY = re.compile(r"([12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)")


class Window(NamedTuple):
    """A claim-sized stretch of a note.

    Lines are 1-based and inclusive. ``heading`` is the index of the window of the nearest
    heading above (None: none, or this is a heading of the first level), ``is_heading``
    whether this is one itself, ``day`` the date that it names, or else a heading above it.
    """

    start: int
    end: int
    text: str
    heading: int | None = None
    is_heading: bool = False
    day: str | None = None


def split_windows(text: str) -> list[Window]:
    """Cut a note into windows; blank lines, rules and lone comments belong to none."""
    windows: list[Window] = []
    trail: list[tuple[int, int, str | None]] = []  # level, window, day
    for start, end, body, level in _blocks(
        text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    ):
        if level:
            while trail and trail[-1][0] >= level:
                trail.pop()
        above = trail[-1][1] if trail else None
        day = trail[-1][2] if trail else None
        found = _DAY.search(body)
        day = found.group(1) if found else day
        if level:
            trail.append((level, len(windows), day))
        windows.append(Window(start, end, body, above, bool(level), day))
    return windows


def window_label(text: str) -> str | None:
    """What stands before a colon at a window's start: who speaks, or which field it is."""
    found = re.match(_LABEL, text)
    if found is None or found.group(1).count(" ") > 2:
        return None
    return fold(found.group(1))


def _blocks(lines: list[str]) -> Iterator[tuple[int, int, str, int]]:
    """First line, last line, text and heading level (0: none) of each block."""
    at, total = 0, len(lines)
    while at < total:
        line = lines[at]
        heading = _HEADING.match(line)
        fence = _FENCE.match(line)
        if not line.strip() or _RULE.match(line) or _COMMENT.match(line):
            at += 1
        elif heading:
            yield at + 1, at + 1, line.strip(), len(heading.group(1))
            at += 1
        elif fence:
            end = _fence_end(lines, at, fence.group(1))
            yield from _code(lines, at + 1, end)
            at = end + 1
        elif line.lstrip().startswith("|"):
            if not re.match(_TABLE_RULE, line):
                yield at + 1, at + 1, line.strip(), 0
            at += 1
        else:
            end = _block_end(lines, at)
            yield from _prose(lines, at, end)
            at = end


def _fence_end(lines: list[str], at: int, mark: str) -> int:
    for index in range(at + 1, len(lines)):
        if lines[index].strip().startswith(mark):
            return index
    return len(lines)


def _code(lines: list[str], at: int, end: int) -> Iterator[tuple[int, int, str, int]]:
    for first in range(at, end, CODE_LINES):
        last = min(first + CODE_LINES, end)
        body = "\n".join(lines[first:last]).strip("\n")
        if body.strip():
            yield first + 1, last, body, 0


def _block_end(lines: list[str], at: int) -> int:
    """Where the item or sentence that starts at index ``at`` ends (exclusive)."""
    item = _ITEM.match(lines[at]) is not None
    size = len(lines[at])
    end = at + 1
    while end < len(lines):
        line, before = lines[end], lines[end - 1]
        if not line.strip() or _starts_block(line):
            break
        indented = line[:1] in (" ", "\t")
        wrapped = len(before) >= WRAPPED_LINE and not _FULL_STOP.search(before.rstrip())
        if not (wrapped or (item and indented)) or size + len(line) > LONGEST_WINDOW:
            break
        size += len(line) + 1
        end += 1
    return end


def _starts_block(line: str) -> bool:
    return bool(
        _ITEM.match(line)
        or _HEADING.match(line)
        or _FENCE.match(line)
        or _COMMENT.match(line)
        or line.lstrip().startswith("|")
    )


def _prose(lines: list[str], at: int, end: int) -> Iterator[tuple[int, int, str, int]]:
    body = "\n".join(lines[at:end]).strip()
    if len(body) <= LONGEST_WINDOW or end - at > 1:
        yield at + 1, end, body, 0
        return
    part = ""
    for sentence in _sentences(body):
        if part and len(part) + len(sentence) > LONGEST_WINDOW // 2:
            yield at + 1, end, part.strip(), 0
            part = ""
        part += sentence
    if part.strip():
        yield at + 1, end, part.strip(), 0


def _sentences(text: str) -> Iterator[str]:
    """Sentences with what follows them; a sentence without end is cut hard."""
    for found in re.finditer(_SENTENCE, text):
        sentence = found.group()
        for first in range(0, len(sentence), LONGEST_WINDOW):
            yield sentence[first : first + LONGEST_WINDOW]
