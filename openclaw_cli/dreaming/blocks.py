"""Managed parts of Markdown files that people own (``dreaming.md`` 6.1, 6.3).

A managed block is a heading, a start marker, our lines, an end marker. Everything around
it is the owner's and stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from openclaw_cli.state.tuples import NamedTuple

DIARY_HEADING = "# Dream Diary"
DIARY_START = "<!-- openclaw:dreaming:diary:start -->"
DIARY_END = "<!-- openclaw:dreaming:diary:end -->"
DIARY_WARN_BYTES = 48 * 1024  # more is a burden: the file is loaded, and read by people


class Block(NamedTuple):
    """A kind of managed block."""

    heading: str
    start: str
    end: str

    def render(self, body: Iterable[str]) -> str:
        """The whole block around the lines of ``body``, without a final newline."""
        return "\n".join([self.heading, self.start, *body, self.end])


def block_of(phase: str) -> Block:
    """The block of ``light``, ``rem`` or ``deep``."""
    return Block(
        f"## {phase_title(phase)}",
        f"<!-- openclaw:dreaming:{phase}:start -->",
        f"<!-- openclaw:dreaming:{phase}:end -->",
    )


def phase_title(phase: str) -> str:
    """``Light Sleep``, ``REM Sleep`` or ``Deep Sleep``."""
    return f"{'REM' if phase == 'rem' else phase.capitalize()} Sleep"


def put_block(text: str, block: Block, body: Iterable[str]) -> str:
    """``text`` with the block of this kind replaced, or appended where there is none.

    Of several blocks the first is replaced and the others are dropped; a block is known
    by its heading line directly above the start marker. The result ends with a newline.
    """
    rendered = block.render(body)
    found = re.compile(
        rf"(?m)^{re.escape(block.heading)}[ \t]*(?:\r?\n)+{re.escape(block.start)}"
        rf".*?{re.escape(block.end)}",
        re.DOTALL,
    )
    spans = [match.span() for match in found.finditer(text)]
    if not spans:
        kept = text.strip()
        return f"{kept}\n\n{rendered}\n" if kept else f"{rendered}\n"
    parts = [text[: spans[0][0]] + rendered]
    for (_start, end), following in zip(spans, [*spans[1:], None], strict=True):
        between = text[end : following[0] if following else len(text)]
        if following is None or between.strip():
            parts.append(between)
    joined = "".join(parts)
    return joined if joined.endswith("\n") else joined + "\n"
