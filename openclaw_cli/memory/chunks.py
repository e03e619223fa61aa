"""Cutting a note into overlapping chunks (``memory.md`` 2.3).

The cuts are those of the original program to the character, since chunk ids are hashes of
them: lengths count UTF-16 units, and characters of unspaced scripts weigh four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_cli.memory.text import utf16_length
from openclaw_cli.state.tuples import NamedTuple

CHARS_PER_TOKEN = 4
SMALLEST_CHUNK = 32

_HEAVY = re.compile("[\u2e80-\u9fff\ua000-\ua4ff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]")


class Chunk(NamedTuple):
    """A stretch of a note: its 1-based first and last line, and its text."""

    start: int
    end: int
    text: str


class _Piece(NamedTuple):
    line: int
    text: str
    weight: int


def chunk_text(text: str, *, tokens: int, overlap: int) -> list[Chunk]:
    """Cut ``text`` into chunks of about ``tokens`` tokens that share ``overlap`` tokens.

    A final newline counts as one more, empty line. Blank chunks are left out.
    """
    limit = max(SMALLEST_CHUNK, tokens * CHARS_PER_TOKEN)
    shared = overlap * CHARS_PER_TOKEN
    chunks: list[Chunk] = []
    current: list[_Piece] = []
    size = 0
    for piece in _pieces(text, limit, max(1, tokens)):
        if size + piece.weight > limit and current:
            _close(current, chunks)
            current = _tail(current, shared)
            size = sum(kept.weight for kept in current)
        current.append(piece)
        size += piece.weight
    _close(current, chunks)
    return chunks


def weight(text: str) -> int:
    """How heavy a line is: UTF-16 units, but four for a character of an unspaced script."""
    if text.isascii():
        return len(text)
    return utf16_length(text) + sum(2 if ch > "\uffff" else 3 for ch in _HEAVY.findall(text))


def _pieces(text: str, limit: int, fine: int) -> Iterator[_Piece]:
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= limit and line.isascii():
            yield _Piece(number, line, len(line) + 1)
            continue
        for coarse in _cut(line, limit):
            heavy = weight(coarse)
            if heavy <= limit:
                yield _Piece(number, coarse, heavy + 1)
                continue
            for part in _cut(coarse, fine):
                yield _Piece(number, part, weight(part) + 1)


def _cut(line: str, step: int) -> list[str]:
    """``line`` in parts of ``step`` UTF-16 units; a pair at a cut stays with the part before."""
    if utf16_length(line) <= step:
        return [line]
    if utf16_length(line) == len(line):
        return [line[at : at + step] for at in range(0, len(line), step)]
    parts, start, units = [], 0, 0
    for index, ch in enumerate(line):
        if units >= step:
            parts.append(line[start:index])
            start, units = index, 0
        units += 2 if ch > "\uffff" else 1
    parts.append(line[start:])
    return parts


def _tail(pieces: list[_Piece], shared: int) -> list[_Piece]:
    """The last pieces whose weight reaches ``shared``: what the next chunk starts with."""
    if shared <= 0:
        return []
    reached = 0
    for index in range(len(pieces) - 1, -1, -1):
        reached += pieces[index].weight
        if reached >= shared:
            return pieces[index:]
    return list(pieces)


def _close(pieces: list[_Piece], chunks: list[Chunk]) -> None:
    text = "\n".join(piece.text for piece in pieces)
    if text.strip():
        chunks.append(Chunk(pieces[0].line, pieces[-1].line, text))
