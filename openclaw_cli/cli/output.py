"""The only writer to stdout and stderr (``design.md`` 3, "JSON" and "Errors").

stdout carries the result and nothing else: text for people, or one JSON document, or JSON
lines. Everything said on the side goes to stderr. Stored text is cleaned of control
characters before it reaches a terminal.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from openclaw_cli.errors import Interrupted, OpenClawError
from openclaw_cli.state.jsonnum import dump_bytes, dumps
from openclaw_cli.state.tuples import NamedTuple

PIPE_CLOSED = 141
DEFAULT_WIDTH = 80

# Compiled on first use: plain text needs neither.
_ANSI = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])"
_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
_LINE_ENDS = {"\r": "\\r", "\n": "\\n", "\t": "\\t"}


class Column(NamedTuple):
    """A table column: its heading, its least width in cells, and its alignment.

    ``narrow`` and ``rank`` are for ``fitted``: how narrow its cells may be cut (0: never),
    and when it is left out for want of room (1 first, 0 never).
    """

    title: str
    width: int = 0
    right: bool = False
    narrow: int = 0
    rank: int = 0


def clean(text: str) -> str:
    """``text`` without ANSI sequences and control characters; line ends and tabs stay."""
    if text.isprintable():
        return text
    return re.sub(_CONTROL, "", re.sub(_ANSI, "", text))


def cell(text: str) -> str:
    """``text`` on one line: line ends and tabs are shown as ``\\n``, ``\\r``, ``\\t``."""
    if text.isprintable():
        return text
    shown = "".join(_LINE_ENDS.get(ch, ch) for ch in re.sub(_ANSI, "", text))
    return re.sub(_CONTROL, "", shown)


def display_width(text: str) -> int:
    """How many terminal cells ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(ch) else 2 if unicodedata.east_asian_width(ch) in "WF" else 1
        for ch in text
    )


def pad(text: str, width: int, *, right: bool = False) -> str:
    """``text`` filled up with spaces to ``width`` cells; longer text stays whole."""
    gap = " " * max(0, width - display_width(text))
    return gap + text if right else text + gap


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> list[str]:
    """Padded columns joined by one space, the right end trimmed.

    A column is at least ``Column.width`` wide and grows with its longest cell when that
    is 0; cells are cleaned, never cut (the caller cuts where its spec says so).
    """
    cells = [[cell(value) for value in row] for row in rows]
    widths = [
        column.width
        or max([display_width(column.title), *(display_width(row[i]) for row in cells)])
        for i, column in enumerate(columns)
    ]
    lines = [[column.title for column in columns], *cells]
    return [
        " ".join(
            pad(value, width, right=column.right)
            for value, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        for line in lines
    ]


def fitted(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int
) -> tuple[list[Column], list[list[str]]]:
    """``table``'s arguments cut to ``room`` cells: columns left out by rank, then cells cut.

    Columns are as wide as their longest cell. What may be neither left out nor cut stays,
    also where it is wider than ``room``.
    """
    shown = [[cell(value) for value in row] for row in rows]
    places = list(range(len(columns)))
    natural = [
        max(display_width(text) for text in (column.title, *(row[at] for row in shown)))
        for at, column in enumerate(columns)
    ]
    least = [
        min(width, max(column.narrow, display_width(column.title))) if column.narrow else width
        for column, width in zip(columns, natural, strict=True)
    ]
    for at in sorted((at for at in places if columns[at].rank), key=lambda at: columns[at].rank):
        if _total(least, places) > room:
            places.remove(at)
    widths = list(natural)
    while _total(widths, places) > room:
        widest = max(places, key=lambda at: widths[at] - least[at])
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
    return [columns[at]._replace(width=widths[at]) for at in places], [
        [_cut(row[at], widths[at]) for at in places] for row in shown
    ]


def table_within(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int | None
) -> list[str]:
    """``table``, ``fitted`` where it is wider than ``room`` cells; None is room for anything."""
    lines = table(columns, rows)
    if room is None or all(display_width(line) <= room for line in lines):
        return lines
    return table(*fitted(columns, rows, room))


def _total(widths: Sequence[int], places: Sequence[int]) -> int:
    return sum(widths[at] for at in places) + len(places) - 1


def _cut(text: str, width: int) -> str:
    """``text`` in at most ``width`` cells, the end replaced by dots."""
    if display_width(text) <= width:
        return text
    kept = text.removesuffix("...")
    while kept and display_width(kept) > width - 3:
        kept = kept[:-1]
    return f"{kept}..."


def terminal_width(stream: TextIO | None = None) -> int:
    """The width to fit tables into: ``COLUMNS``, the terminal's, else 80."""
    setting = os.environ.get("COLUMNS", "")
    if setting.isdigit() and int(setting) > 0:
        return int(setting)
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


class Output:
    """Writes results and remarks; knows whether colour is wanted."""

    def __init__(self, *, no_color: bool = False) -> None:
        self._no_color = no_color or bool(os.environ.get("NO_COLOR"))

    @property
    def color(self) -> bool:
        """Whether stdout is a terminal that wants colour."""
        if self._no_color or os.environ.get("TERM") == "dumb":
            return False
        return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()

    @property
    def room(self) -> int | None:
        """How many cells a line has: ``COLUMNS``, the terminal's; else None, as many as needed."""
        return terminal_width() if os.environ.get("COLUMNS") or sys.stdout.isatty() else None

    @property
    def terminal_room(self) -> int | None:
        """``room`` on a terminal; None elsewhere: who reads the text by program gets all of it."""
        return terminal_width() if sys.stdout.isatty() else None

    def lines(self, lines: Iterable[str]) -> None:
        """Text for people. An empty result prints nothing."""
        text = "".join(clean(line) + "\n" for line in lines)
        self._write(sys.stdout, text)

    def styled(self, text: str) -> None:
        """Text that carries our own colour codes, printed as it is."""
        self._write(sys.stdout, text)

    def document(self, value: Any) -> None:
        """One JSON document in UTF-8, two-space indent and a final newline."""
        self._write_bytes(dump_bytes(value), b"\n")

    def json_lines(self, rows: Iterable[Any]) -> None:
        """One compact JSON value a line, written as they come."""
        for row in rows:
            self._write(sys.stdout, dumps(row, indent=None) + "\n", flush=False)
        self._write(sys.stdout, "")

    def raw(self, text: str, *, flush: bool = True) -> None:
        """``text`` as it is: a file's content, a streamed answer."""
        self._write(sys.stdout, text, flush=flush)

    def note(self, text: str) -> None:
        """A remark on stderr."""
        self._write(sys.stderr, clean(text) + "\n")

    def usage(self, text: str) -> None:
        """The help of a command that was started without the words it needs."""
        self._write(sys.stderr, text + "\n")

    def error(self, error: OpenClawError, *, as_json: bool) -> None:
        """One line for people, and with ``as_json`` the error object as the last line."""
        hint = f" ({error.hint})" if error.hint else ""
        text = cell(f"openclaw: {error.message}{hint}") + "\n"
        if as_json:
            text += dumps({"error": error.to_json()}, indent=None) + "\n"
        self._write(sys.stderr, text)

    @staticmethod
    def _write(stream: TextIO, text: str, *, flush: bool = True) -> None:
        try:
            stream.write(text)
            if flush:
                stream.flush()
        except UnicodeEncodeError:
            encoding = stream.encoding or "ascii"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            stream.flush()
        except BrokenPipeError:
            silence_stdout()
            raise Interrupted(PIPE_CLOSED) from None

    @staticmethod
    def _write_bytes(*parts: bytes) -> None:
        """Write what is encoded already, past the text layer of stdout."""
        try:
            sys.stdout.flush()
            for part in parts:
                sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            silence_stdout()
            raise Interrupted(PIPE_CLOSED) from None


def silence_stdout() -> None:
    """Point stdout elsewhere once its reader is gone, or Python complains again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
