"""How far extraction has read each session: ``commitments/cursors.json``.

``{"version": 1, "sessions": {<key>: {"transcript", "messageId", "atMs", ...}},
"lastPassMs": {<agent>: ms}, "cooldowns": {<agent>: until ms}}``. A cursor moves only after
the store is written: a crash repeats work, and merging makes the repeat harmless
(``commitments.md`` 11).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.state import files, lock
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

VERSION = 1
_TAIL_BYTES = 1 << 16


def path_of(paths: Paths) -> Path:
    """Where the cursors are."""
    return paths.under("commitments", "cursors.json")


def load(paths: Paths) -> dict[str, Any]:
    """The document, made complete; raises ``UnreadableFile`` for a damaged or newer one."""
    path = path_of(paths)
    files.refuse_link(path, what="extraction cursors")
    found = files.load_json(path, what="extraction cursors")
    if found is None:
        found = {"version": VERSION}
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise UnreadableFile(
            f"extraction cursors {path} are not of version {VERSION}",
            path=path,
            hint="without that file, extraction starts at the end of every session",
        )
    for name in ("sessions", "lastPassMs", "cooldowns"):
        if not isinstance(found.get(name), dict):
            found[name] = {}
    return found


def change(paths: Paths, edit: Callable[[dict[str, Any]], None]) -> None:
    """Read, let ``edit`` change the document, write it when it differs; all under its lock."""
    path = path_of(paths)
    with lock.file_lock(path):
        document = load(paths)
        edit(document)
        files.write_if_changed(path, dumps(document) + "\n", force_mode=True)


def at_end(path: Path, now_ms: int) -> dict[str, Any]:
    """A cursor at the end of a transcript: nothing that stands there now is looked at."""
    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    return {"transcript": str(path), "messageId": last_line_id(path), "atMs": now_ms, "size": size}


def last_line_id(path: Path) -> str | None:
    """The id of the last whole line of a transcript, read from its end only."""
    try:
        with path.open("rb") as source:
            size = source.seek(0, 2)
            source.seek(max(0, size - _TAIL_BYTES))
            lines = source.read().splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # torn, or the cut beginning of the piece
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            return None if value.get("type") == "session" else str(value["id"])
    return None
