"""Rewriting the diary section of ``DREAMS.md`` (``dreaming.md`` 6.3, 7).

Pure text in, text out. A section reaches from its start marker to its end marker and holds
blocks between lines ``---``. Whatever stands outside stays byte for byte; a rewritten
section comes out in one normal form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date

from openclaw_cli.dreaming.blocks import DIARY_END, DIARY_HEADING, DIARY_START
from openclaw_cli.state.tuples import NamedTuple

BACKFILL_MARK = "openclaw:dreaming:backfill-entry"
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

_MARKER = re.compile(r"<!--\s*openclaw:dreaming:([A-Za-z0-9_-]+):(start|end)\s*-->")
_RULE = re.compile(r"(?m)^[ \t]*---[ \t]*\r?$")
_HEADING_ABOVE = re.compile(r"(?m)^#{1,6}[ \t][^\n]*\n\s*\Z")
_DATE_LINE = re.compile(r"\*([^*]+)\*")
_DATE = re.compile(
    rf"({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})(?: at (\d{{1,2}}):(\d{{2}})\s*([AP])M)?",
)


class _Span(NamedTuple):
    """Where a section is in a text: from its start marker to behind its end marker.

    ``closed`` tells that there is an end marker.
    """

    start: int
    end: int
    inner: str
    closed: bool


def blocks_of(text: str) -> list[str]:
    """The blocks of all diary sections, in order, as they are written."""
    return [block for span in _sections(text) for block in _blocks(span.inner)]


def split_blocks(text: str) -> list[str]:
    """The blocks of a text that is nothing but entries, as the yearly files are."""
    return [block for block in _blocks(text) if not re.fullmatch(r"#\s+\S.*", block)]


def is_backfill(block: str) -> bool:
    """Whether a backfill has written the block."""
    return BACKFILL_MARK in block


def fingerprint(block: str) -> str | None:
    """What two copies of an entry have in common; None for a block without a date line."""
    lines = [line.strip() for line in block.splitlines()]
    at = next((n for n, line in enumerate(lines) if _DATE_LINE.fullmatch(line)), None)
    if at is None:
        return None
    body = [
        line
        for number, line in enumerate(lines)
        if number != at and line and not line.startswith(("<!--", "#"))
    ]
    return "\n".join([" ".join(lines[at].strip("*").split()), *body])


def without(text: str, unwanted: Callable[[str], bool]) -> tuple[str, list[str]]:
    """``text`` without the blocks that are ``unwanted``, and those blocks.

    The text is untouched when there are none.
    """
    cleaned, gone = _cleaned(text, unwanted)
    return (cleaned, gone) if gone else (text, [])


def with_backfill(text: str, new: Iterable[str]) -> tuple[str, list[str]]:
    """``text`` with the ``new`` backfill blocks in place of all earlier ones, and the latter.

    They go behind the ordinary entries; a text without a section gets one in front, which
    takes in entries that have lost their start marker.
    """
    cleaned, gone = _cleaned(text, is_backfill)
    if not _sections(cleaned):
        behind = f"\n{cleaned}" if cleaned.strip() else ""
        cleaned, taken_in = _cleaned(_ended(bare_section() + behind), is_backfill)
        gone += taken_in
    last = _sections(cleaned)[-1]
    return _ended(_put(cleaned, last, [*_blocks(last.inner), *new])), gone


def normal_form(text: str) -> str:
    """``text`` with its sections as a rewriting leaves them."""
    return _rewritten(text, lambda blocks: blocks)


def bare_section() -> str:
    """A diary section without entries, under its heading."""
    return f"{DIARY_HEADING}\n\n{_render([])}\n"


def render_backfill(day: str, source: str, text: str) -> str:
    """The block of a backfilled note; ``source`` is its path, ``text`` what it says."""
    shown = source.replace("\n", " ").replace("-->", "--%3E")
    marker = f"<!-- {BACKFILL_MARK} day={day} source={shown} -->"
    return f"*{long_date(day)}*\n\n{marker}\n\n{text.replace('<!--', '&lt;!--')}"


def stamp_of(date_line: str) -> str | None:
    """Day and time that a date line tells, sortable (``2026-11-20T03:00``); its zone left out."""
    found = _DATE.match(" ".join(date_line.split()))
    if found is None:
        return None
    month, hour = MONTHS.index(found[1]) + 1, int(found[4] or 0)
    if found[6]:
        hour = hour % 12 + (12 if found[6] == "P" else 0)
    return f"{found[3]}-{month:02}-{int(found[2]):02}T{hour:02}:{found[5] or '00'}"


def long_date(day: str) -> str:
    """``2026-11-10`` as ``November 10, 2026``."""
    told = date.fromisoformat(day)
    return f"{MONTHS[told.month - 1]} {told.day}, {told.year}"


def _sections(text: str) -> list[_Span]:
    """The diary sections of ``text``.

    A section goes on behind an end marker when entries follow up to another one. Without
    an end marker it reaches to the heading of the next managed block, else to the end.
    """
    spans: list[_Span] = []
    markers = list(_MARKER.finditer(text))
    at = 0
    while at < len(markers):
        start = markers[at]
        at += 1
        if (start[1], start[2]) != ("diary", "start"):
            continue
        end: re.Match[str] | None = None
        while at < len(markers) and (markers[at][1], markers[at][2]) == ("diary", "end"):
            if end is not None and not _RULE.match(text[end.end() : markers[at].start()].lstrip()):
                break
            end = markers[at]
            at += 1
        if end is not None:
            inner = text[start.end() : end.start()]
            spans.append(_Span(start.start(), end.end(), inner, closed=True))
        else:
            stop = markers[at].start() if at < len(markers) else len(text)
            stop = _above_heading(text, start.end(), stop)
            spans.append(_Span(start.start(), stop, text[start.end() : stop], closed=False))
    return spans


def _above_heading(text: str, start: int, stop: int) -> int:
    """``stop``, or the place before the heading line that stands directly above it."""
    if stop == len(text):
        return stop
    heading = _HEADING_ABOVE.search(text, start, stop)
    return heading.start() if heading else stop


def _blocks(inner: str) -> list[str]:
    inner = _MARKER.sub("", inner)  # a stray marker inside would end the section early
    return [block for part in _RULE.split(inner) if (block := part.strip())]


def _render(blocks: Iterable[str]) -> str:
    body = "\n".join(f"---\n\n{block}\n" for block in blocks).strip()
    return f"{DIARY_START}\n{body}\n{DIARY_END}"


def _cleaned(text: str, unwanted: Callable[[str], bool]) -> tuple[str, list[str]]:
    gone: list[str] = []

    def keep(blocks: list[str]) -> list[str]:
        kept: list[str] = []
        for block in blocks:
            (gone if unwanted(block) else kept).append(block)
        return kept

    return _rewritten(text, keep), gone


def _rewritten(text: str, change: Callable[[list[str]], list[str]]) -> str:
    spans = _sections(text)
    kept = [change(_blocks(span.inner)) for span in spans]
    for span, blocks in reversed(list(zip(spans, kept, strict=True))):
        text = _put(text, span, blocks)
    return _ended(text) if spans else text


def _put(text: str, span: _Span, blocks: Iterable[str]) -> str:
    """``text`` with the section at ``span`` holding ``blocks``; one left open is closed."""
    behind = text[span.end :]
    gap = "\n\n" if not span.closed and behind else ""
    return text[: span.start] + _render(blocks) + gap + behind


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
