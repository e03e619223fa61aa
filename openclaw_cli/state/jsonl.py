"""JSON Lines files: tolerant reading with offsets, appending that repairs a torn tail.

A line that is not JSON is handed out with ``value`` None, never dropped silently; the
caller decides. ``design.md`` 3, "Files".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.errors import NotWritable, UnreadableFile
from openclaw_cli.state import files, jsontext
from openclaw_cli.state.jsonnum import dump_bytes
from openclaw_cli.state.tuples import NamedTuple


class Line(NamedTuple):
    """One line: its number (from 1), byte offset, text without line end, and value.

    ``value`` is None for a blank or unparsable line; ``torn`` tells that the file ends in
    the middle of it, without a newline.
    """

    number: int
    offset: int
    text: str
    value: Any
    torn: bool


def read(path: Path, *, what: str = "file") -> Iterator[Line]:
    """The lines of ``path`` in order; a missing file has none.

    Bytes that are no UTF-8 are replaced in ``text`` and make the line unparsable. Raises
    ``UnreadableFile`` when the operating system refuses.
    """
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnreadableFile(
            f"{what} {path} cannot be read: {error.strerror or error}", path=path
        ) from error
    with source:
        offset = 0
        try:
            for number, raw in enumerate(source, 1):
                yield _line(number, offset, raw)
                offset += len(raw)
        except OSError as error:  # a folder opens, and fails on the first read
            raise UnreadableFile(
                f"{what} {path} cannot be read: {error.strerror or error}", path=path
            ) from error


def read_objects(path: Path, *, what: str = "file") -> Iterator[dict[str, Any]]:
    """The lines that are JSON objects; others are passed over."""
    for line in read(path, what=what):
        if isinstance(line.value, dict):
            yield line.value


def append(
    path: Path,
    records: Iterable[dict[str, Any]],
    *,
    mode: int = files.PRIVATE_FILE,
    sync: bool = True,
) -> None:
    """Append ``records``, one compact line and one write each, then flush to the disk.

    A last line that lost its newline in a crash is closed first. Symbolic links are
    refused. The caller holds the lock of the file.
    """
    append_lines(path, [line_of(record) for record in records], mode=mode, sync=sync)


def line_of(record: Any) -> bytes:
    """``record`` as one compact line with its line end."""
    return dump_bytes(record, indent=None) + b"\n"


def append_lines(
    path: Path, lines: Sequence[bytes], *, mode: int = files.PRIVATE_FILE, sync: bool = True
) -> None:
    """``append`` for lines that ``line_of`` made before."""
    if not lines:
        return
    files.refuse_link(path)
    files.make_dir(path.parent)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, mode)
        try:
            _close_torn_line(descriptor)
            for line in lines:
                rest = line[os.write(descriptor, line) :]
                while rest:  # the disk is nearly full: go on, or learn that it is full
                    rest = rest[os.write(descriptor, rest) :]
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise NotWritable(
            f"cannot append to {path}: {error.strerror or error}", path=path
        ) from error


def rotate(path: Path, limit_bytes: int) -> bool:
    """Move ``path`` to ``<path>.1`` when it is larger than ``limit_bytes``.

    One earlier generation is kept. The caller holds the lock of the file.
    """
    try:
        if path.stat().st_size <= limit_bytes:
            return False
    except FileNotFoundError:
        return False
    os.replace(path, path.with_name(path.name + ".1"))
    files.sync_dir(path.parent)
    return True


def _line(number: int, offset: int, raw: bytes) -> Line:
    torn = not raw.endswith(b"\n")
    try:
        text = raw.decode("utf-8").rstrip("\r\n")
        value = jsontext.loads(text) if text.strip() else None
    except UnicodeDecodeError:
        return Line(number, offset, raw.decode("utf-8", "replace").rstrip("\r\n"), None, torn)
    except (ValueError, RecursionError):
        value = None
    return Line(number, offset, text, value, torn)


def _close_torn_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        os.write(descriptor, b"\n")
