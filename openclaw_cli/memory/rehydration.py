"""Finding a stored snippet again in the live note (``memory.md`` 7.1, 12.7).

Notes are edited after they were met: lines move, grow, shrink, vanish. What is promoted is
the text that stands in the note now, never a stored copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from openclaw_cli.memory import junk
from openclaw_cli.memory.entries import Entry, line_count
from openclaw_cli.memory.notes import Note, NoteReader, heading_text
from openclaw_cli.memory.text import collapse, has_list_marker, strip_list_marker
from openclaw_cli.state.tuples import NamedTuple

SEARCH_SPAN = 8
LEAST_COVERAGE = 0.4  # share of the stored characters that a fragment must still hold
LEAST_WORDS = 3

EQUAL, CONTAINS, FRAGMENT = 3, 2, 1

_CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"


class Live(NamedTuple):
    """Where a snippet stands now, and its text there."""

    start_line: int
    end_line: int
    text: str


class NotLive(NamedTuple):
    """Why a snippet cannot be written: ``missing-file``, ``unreadable-file``, ``no-match``,
    ``fenced`` (inside a managed block) or ``junk``; ``detail`` says more."""

    reason: str
    detail: str = ""


class _Match(NamedTuple):
    quality: int
    start: int
    end: int
    text: str


def find_live(entry: Entry, reader: NoteReader) -> Live | NotLive:
    """The live range and text of a recall entry."""
    note = reader.read(entry["path"])
    if note is None:
        return NotLive("missing-file", f"{entry['path']} is gone")
    if isinstance(note, str):
        return NotLive("unreadable-file", note)
    found = _stored_range(entry, note)
    if found is None or note.touches_managed(found.start, found.end):
        found = _match_in_words(entry, note) or found
    if found is None:
        return NotLive("no-match", f"its text is not in {entry['path']} any more")
    if note.touches_managed(found.start, found.end):
        return NotLive("fenced", "it lies in a block that dreaming wrote")
    if _is_junk(entry["path"], found, note):
        return NotLive("junk", "the live text holds no statement")
    return Live(found.start, found.end, found.text)


def _stored_range(entry: Entry, note: Note) -> _Match | None:
    """The stored range when it still holds the snippet, or any text for an empty one."""
    start, end = entry["startLine"], entry["endLine"]
    if not 1 <= start <= end or start > len(note.lines):
        return None
    text = " ".join(filter(None, note.flat()[start - 1 : end]))
    snippet = entry["snippet"]
    if text and (not snippet or text == snippet):
        return _Match(EQUAL, start, min(end, len(note.lines)), text)
    return None


def _match_in_words(entry: Entry, note: Note) -> _Match | None:
    """The best window of the note as written, or of what it says where only that matches.

    A backfill stores claims without Markdown; the note may have them in bold, or as links.
    The live text is the note's either way.
    """
    written = _best_match(entry, note)
    if written is not None and written.quality == EQUAL:
        return written
    spoken = _best_match(entry, note.plain())
    if spoken is None or (written is not None and written.quality >= spoken.quality):
        return written
    text = " ".join(filter(None, note.flat()[spoken.start - 1 : spoken.end]))
    heading = note.heading_above(spoken.start)
    if heading and spoken.text.startswith(f"{heading}: "):
        text = f"{heading}: {strip_list_marker(text)}"
    return spoken._replace(text=text)


def _best_match(entry: Entry, note: Note) -> _Match | None:
    """The best window outside managed blocks; one inside only when there is no other.

    Best by quality, then nearest to the stored start, then closest to the stored span.
    """
    snippet, stored_start, stored_span = entry["snippet"], entry["startLine"], line_count(entry)
    if not snippet:
        return None
    body, longest = _after_heading(snippet), max(stored_span + 3, SEARCH_SPAN)
    starts = _possible_starts(snippet, body, note, longest)
    best: tuple[tuple[bool, int, int, int, int], _Match] | None = None
    for start in sorted(starts, key=lambda index: (abs(index + 1 - stored_start), index)):
        distance = abs(start + 1 - stored_start)
        if best is not None and best[0] < (False, -EQUAL, distance, 0, 0):
            break  # nothing farther away can be better
        for match in _windows_from(start, snippet, body, note=note, longest=longest):
            order = (
                note.touches_managed(match.start, match.end),
                -match.quality,
                distance,
                abs(match.end - match.start + 1 - stored_span),
                match.start,
            )
            if best is None or order < best[0]:
                best = order, match
    return None if best is None else best[1]


def _windows_from(
    start: int, snippet: str, body: str, *, note: Note, longest: int
) -> Iterator[_Match]:
    """Every window of up to ``longest`` lines from ``start`` on that matches somehow."""
    flat = note.flat()
    lines: list[str] = []
    for end in range(start, min(start + longest, len(flat))):
        if flat[end]:
            lines.append(flat[end])
        match = _match_window(snippet, body, lines, note, start) if lines else None
        if match is not None:
            yield _Match(match[0], start + 1, end + 1, match[1])


def _match_window(
    snippet: str, body: str, lines: list[str], note: Note, start: int
) -> tuple[int, str] | None:
    raw = " ".join(lines)
    if raw == snippet:
        return EQUAL, raw
    plain = _without_markers(lines)
    if plain == snippet:
        return EQUAL, raw if snippet in raw else plain
    if body and plain == body:
        heading = note.heading_above(start + 1)
        return EQUAL, f"{heading}: {plain}" if heading else raw
    if snippet in raw:
        return CONTAINS, raw
    if raw in snippet and _covers_enough(raw, snippet):
        return FRAGMENT, raw
    if body and body in plain:
        heading = note.heading_above(start + 1)
        return CONTAINS, f"{heading}: {plain}" if heading else raw
    return None


def _possible_starts(snippet: str, body: str, note: Note, longest: int) -> list[int]:
    """The line indexes at which a matching window can begin.

    Such a window holds a line that is part of the snippet or holds it, or it holds a place
    where the joined lines read like the snippet.
    """
    wanted = [text for text in (snippet, body) if text]
    starts: set[int] = set()
    for index, line in enumerate(note.flat()):
        if not line:
            continue
        bare = strip_list_marker(line)
        if any(line in text or (bare and bare in text) or text in line for text in wanted):
            starts.update(range(max(0, index - longest + 1), index + 1))
    for first, last in note.find(snippet):
        starts.update(range(max(0, last - longest + 1), first + 1))
    return sorted(starts)


def _without_markers(lines: list[str]) -> str:
    """The lines without list markers, joined as note ingestion joins them."""
    if all(has_list_marker(line) for line in lines):
        return "; ".join(strip_list_marker(line) for line in lines)
    return " ".join(strip_list_marker(line) for line in lines)


def _after_heading(snippet: str) -> str:
    """What follows ``<heading>: `` in a snippet; empty when it has no such prefix."""
    _, colon, body = snippet.partition(": ")
    return body if colon else ""


def _covers_enough(text: str, snippet: str) -> bool:
    """Whether a fragment is still the statement and not a stray word of it."""
    words = len(text.split()) + len(re.findall(_CJK, text)) // 2
    return len(text) >= LEAST_COVERAGE * len(snippet) and words >= LEAST_WORDS


def _is_junk(path: str, found: _Match, note: Note) -> bool:
    if junk.refusal(found.text, path, line_count=found.end - found.start + 1):
        return True
    lines = [line for line in note.lines[found.start - 1 : found.end] if line.strip()]
    return all(
        heading_text(line) is not None or junk.is_scaffolding(collapse(line)) for line in lines
    )
