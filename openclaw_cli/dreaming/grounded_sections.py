"""The sections of a daily note as grounded extraction reads them (``dreaming.md`` 8.3).

Headings of level 2 to 6 begin a section; code, tables and rules are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from openclaw_cli.dreaming import grounded_words as words
from openclaw_cli.memory.text import utf16_length, without_markup
from openclaw_cli.state.tuples import NamedTuple

SHORTEST = 10

_HEADING = re.compile(r" {0,3}#{2,6}\s+(.*)")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_CLOCK = re.compile(r"^\d{1,2}:\d{2}\s*[-–—]\s*")
_DIVIDER = frozenset(" \t:|-")


class Snippet(NamedTuple):
    """One line of a section: its text without markup, and its number."""

    text: str
    line: int


@dataclass
class Section:
    """A part of the note under one heading; ``start`` and ``end`` are line numbers."""

    title: str
    start: int
    end: int
    snippets: list[Snippet]

    @property
    def blocked(self) -> bool:
        """Whether its title says that nothing here is memory."""
        return bool(words.BLOCKED.search(self.title))

    @property
    def generic(self) -> bool:
        """Whether its title says nothing."""
        return bool(words.GENERIC.fullmatch(self.title.strip()))

    def metric(self, family: re.Pattern[str]) -> int:
        """How many snippets match, and one more when the title does."""
        hits = sum(1 for snippet in self.snippets if family.search(snippet.text))
        return hits + (1 if family.search(self.title) else 0)

    def overall(self) -> float:
        """How much there is to say about the section."""
        return (
            2.0 * self.metric(words.MEMORY)
            + 1.6 * self.metric(words.BUILD)
            + 1.6 * self.metric(words.INCIDENT)
            + 1.2 * self.metric(words.LOGISTICS)
            + 1.8 * self.metric(words.ROUTING)
            + 1.4 * self.metric(words.EXTERNAL)
            + 0.3 * min(3, len(self.snippets))
            - (0.8 if self.generic else 0.0)
        )


def read_sections(text: str) -> list[Section]:
    """The sections of a note that have lines, in order.

    Of lines that repeat each other in a section the first is a snippet.
    """
    found: list[Section] = []
    seen: set[str] = set()
    for number, line in _content(text):
        heading = _HEADING.match(line)
        if heading:
            title = without_markup(heading[1].rstrip().rstrip("#"))
            found.append(Section(_CLOCK.sub("", title), number, number, []))
            seen = set()
        elif found and not line.lstrip().startswith("# "):
            found[-1].end = number
            snippet = without_markup(_MARKER.sub("", line))
            if utf16_length(snippet) >= SHORTEST and snippet.lower() not in seen:
                seen.add(snippet.lower())
                found[-1].snippets.append(Snippet(snippet, number))
    return [section for section in found if section.end > section.start]


def monitor_hits(sections: Sequence[Section]) -> int:
    """How much of a note is monitoring output: snippets and titles that match."""
    return sum(section.metric(words.MONITOR) for section in sections)


def _content(text: str) -> Iterator[tuple[int, str]]:
    """The lines that count, each with its number."""
    fenced = False
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
        elif stripped and not fenced and not _is_layout(stripped):
            yield number, line


def _is_layout(stripped: str) -> bool:
    """Whether a line is a row or divider of a table, or a rule."""
    if stripped.startswith("|") and stripped.endswith("|") and len(stripped) > 1:
        return True
    return "---" in stripped and (
        not stripped.strip("-") or ("|" in stripped and _DIVIDER.issuperset(stripped))
    )
