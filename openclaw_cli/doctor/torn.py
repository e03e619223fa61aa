"""The torn last line of a JSON Lines file: finding it, and cutting it off.

A crash in the middle of a write leaves half a line without a line end. Readers pass over
it; cutting it off keeps what was there beside the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from openclaw_cli.state import clock, files
from openclaw_cli.state.tuples import NamedTuple

_PIECE = 1 << 16


class Torn(NamedTuple):
    """Where the torn line starts, and its bytes."""

    offset: int
    data: bytes


def find(path: Path) -> Torn | None:
    """The torn last line of ``path``; None when it ends well or cannot be read.

    A last line that only lacks its line end is whole.
    """
    try:
        with path.open("rb") as source:
            end = source.seek(0, os.SEEK_END)
            tail = b""
            while end and b"\n" not in tail:
                size = min(end, _PIECE)
                end = source.seek(end - size)
                tail = source.read(size) + tail
                if tail.endswith(b"\n"):
                    return None
    except OSError:
        return None
    fragment = tail[tail.rfind(b"\n") + 1 :]
    if not fragment.strip() or _is_json(fragment):
        return None
    return Torn(end + len(tail) - len(fragment), fragment)


def cut(path: Path, now_ms: int) -> Path | None:
    """Cut the torn line off ``path``; where it is kept, None when there is none.

    The caller holds the lock of the file.
    """
    files.refuse_link(path)
    found = find(path)
    if found is None:
        return None
    kept = path.with_name(f"{path.name}.torn-{clock.archive_stamp(now_ms)}")
    if not kept.exists():
        files.write_atomic(kept, found.data)
    with path.open("r+b") as target:
        target.truncate(found.offset)
        os.fsync(target.fileno())
    return kept


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
