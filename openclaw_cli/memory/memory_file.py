"""``MEMORY.md``: what promotion writes there, and how it makes room (``memory.md`` 7.2).

The file belongs to its owner. Text is appended in sections of our own; making room takes
only lines that promotion wrote, oldest section first, and leaves the rest byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from openclaw_cli.memory.text import (
    collapse,
    fixed,
    has_list_marker,
    same_claim_form,
    shorten,
    strip_list_marker,
    utf16_length,
)
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import files
from openclaw_cli.state.tuples import NamedTuple

TITLE = "# Long-Term Memory"
BUDGET = 10_000
RESERVE = 21  # the title and its line ends, kept free as the reference does
NO_SNIPPET = "(no snippet captured)"
UNITS_PER_TOKEN = 4

_MARKER = re.compile(r"<!--\s*openclaw-memory-promotion:(.*?)-->")
_SECTION = re.compile(r"## Promoted From Short-Term Memory \((.*)\)\s*$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_LINES = re.compile(r"[^\n]*\n|[^\n]+$")
_BULLET = re.compile(r"[-*+]\s")
_SUFFIX = re.compile(r"\s*\[score=\S+ recalls=\S+ avg=\S+ source=.*\]\s*$")


class Compaction(NamedTuple):
    """``text`` after making room, and what left it: sections' dates and their lines."""

    text: str
    dates: list[str]
    removed: list[str]


def read(workspace: Workspace) -> str:
    """The text of ``MEMORY.md``, empty when there is none; raises ``UnreadableFile``."""
    return files.read_text(workspace.memory_file, what="MEMORY.md") or ""


def marker_keys(text: str) -> set[str]:
    """The keys of all promotion markers in ``text``."""
    return {found[1].strip() for found in _MARKER.finditer(text)}


def claims(text: str) -> set[str]:
    """The statements of the file's list items, in the form in which equals are found."""
    found = set()
    for line in text.split("\n"):
        item = line.strip()
        if has_list_marker(item):
            found.add(same_claim_form(_SUFFIX.sub("", item)))
    return found


def bullets(text: str) -> list[str]:
    """The texts of the file's list items, without marker and score."""
    items = (line.strip() for line in text.split("\n"))
    return [strip_list_marker(_SUFFIX.sub("", item)) for item in items if has_list_marker(item)]


def mark_superseded(text: str, key: str, by: str) -> str:
    """``text`` with the bullet of ``key`` marked as superseded ``by`` what that names.

    A bullet that is marked already, or gone, is left alone.
    """
    lines = text.split("\n")
    for at, line in enumerate(lines[:-1]):
        found = _MARKER.search(line)
        bullet = lines[at + 1]
        if found is None or found[1].strip() != key or not _BULLET.match(bullet.strip()):
            continue
        if "[superseded by " not in bullet:
            end = "\r" if bullet.endswith("\r") else ""
            lines[at + 1] = f"{bullet.rstrip()} [superseded by {by}]{end}"
    return "\n".join(lines)


def bullet_text(snippet: str, max_tokens: int) -> str:
    """The text of the bullet for ``snippet``, cut to its budget of tokens."""
    plain = strip_list_marker(collapse(snippet))
    return shorten(plain, max_tokens * UNITS_PER_TOKEN) if plain else NO_SNIPPET


def bullet_lines(candidate: dict[str, Any], max_tokens: int) -> list[str]:
    """Marker and bullet of an applied candidate in its JSON form."""
    source = f"{candidate['path']}:{candidate['startLine']}-{candidate['endLine']}"
    facts = (
        f"score={fixed(candidate['score'], 3)} recalls={candidate['recallCount']} "
        f"avg={fixed(candidate['avgScore'], 3)} source={source}"
    )
    return [
        f"<!-- openclaw-memory-promotion:{candidate['key']} -->",
        f"- {bullet_text(candidate['snippet'], max_tokens)} [{facts}]",
    ]


def section(day: str, lines: Iterable[str]) -> str:
    """The text to append for one apply on ``day``."""
    body = "\n".join(lines)
    return f"\n## Promoted From Short-Term Memory ({day})\n\n{body}\n"


def append(existing: str, new_section: str) -> str:
    """``existing`` with the section at its end; a blank file gets its title first."""
    if not existing.strip():
        return f"{TITLE}\n\n{new_section}"
    if not existing.endswith("\n"):
        existing += "\n"
    return existing + new_section


def make_room(existing: str, needed: int) -> Compaction:
    """Drop promoted lines, smallest date first, until ``needed`` units fit the budget.

    When nothing is left to drop the text may stay over the budget.
    """
    allowed = BUDGET - RESERVE - needed
    dates: list[str] = []
    removed: list[str] = []
    while utf16_length(existing) > allowed:
        lines = _LINES.findall(existing)
        sections = _sections(lines)
        if not sections:
            break
        oldest = min(sections, key=lambda found: found.date)
        dates.append(oldest.date)
        removed += [lines[index].rstrip("\r\n") for index in oldest.generated]
        for index in oldest.generated:
            lines[index] = ""
        if oldest.has_own_lines:
            lines[oldest.generated[0]] = f"## Notes kept from {oldest.date}\n"
        existing = "".join(lines).rstrip("\r\n") + "\n"
    return Compaction(existing, dates, removed)


class _Section(NamedTuple):
    date: str
    generated: list[int]  # indexes of the lines that promotion wrote, the heading first
    has_own_lines: bool


def _sections(lines: list[str]) -> list[_Section]:
    return [
        _section_at(found[1], lines, index)
        for index, line in enumerate(lines)
        if (found := _SECTION.match(line))
    ]


def _section_at(date: str, lines: list[str], heading: int) -> _Section:
    """The lines of a section that may go: its heading, markers and their bullets.

    The section ends at the next heading, or at a line that is neither blank, marker nor
    bullet. Where it has markers, a bullet without one is the owner's and stays, then under
    a plain heading. Old sections without any marker consist of promoted bullets only.
    """
    body: list[int] = []
    for index in range(heading + 1, len(lines)):
        line = lines[index].strip()
        if line and (_HEADING.match(lines[index]) or not _is_entry_line(line)):
            break
        body.append(index)
    if heading and lines[heading - 1].strip():
        while body and not lines[body[-1]].strip():
            body.pop()  # they still have to part the text above from the text below
    marked = any(_MARKER.search(lines[index]) for index in body)
    own = {
        index for place, index in enumerate(body) if marked and _is_own_bullet(lines, body, place)
    }
    if not own:
        return _Section(date, [heading, *body], has_own_lines=False)
    generated = [index for index in body if lines[index].strip() and index not in own]
    return _Section(date, [heading, *generated], has_own_lines=True)


def _is_entry_line(line: str) -> bool:
    return _BULLET.match(line) is not None or _MARKER.fullmatch(line) is not None


def _is_own_bullet(lines: list[str], body: list[int], place: int) -> bool:
    line = lines[body[place]].strip()
    if not _BULLET.match(line) or _SUFFIX.search(line):
        return False
    above = lines[body[place - 1]].strip() if place else ""
    return _MARKER.fullmatch(above) is None
