"""Putting a damaged transcript right before a turn writes to it (``sessions.md`` 3.5).

Only writers repair. The file as it was stays beside it under a name that nobody takes for
a live transcript, so a repair loses nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import names, transcript
from openclaw_cli.state import clock, files, jsonl
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.tuples import NamedTuple

EMPTY_USER_TEXT = "(continue)"


class RepairPlan(NamedTuple):
    """What a repair writes: all lines, and what was wrong. ``no_header``: it had none."""

    lines: list[dict[str, Any]]
    dropped: int
    filled: int
    no_header: bool


def plan(path: Path, *, session_id: str, now_ms: int, cwd: str) -> RepairPlan | None:
    """How to put the transcript ``path`` right, None when it is missing or in order."""
    lines: list[dict[str, Any]] = []
    header: dict[str, Any] | None = None
    dropped = filled = 0
    for line in jsonl.read(path, what="transcript"):
        if line.value is None and not line.text.strip():
            continue
        if header is None and line.number == 1 and transcript.is_header(line.value):
            header = line.value
        elif not transcript.is_usable(line.value):
            dropped += 1
        else:
            lines.append(_with_text(line.value))
            filled += lines[-1] is not line.value
    missing = header is None and path.exists()
    if not (dropped or filled or missing):
        return None
    if header is None:
        header = transcript.make_header(session_id, now_ms=now_ms, cwd=cwd)
    return RepairPlan([header, *lines], dropped, filled, missing)


def apply(path: Path, repair: RepairPlan, *, now_ms: int) -> Path:
    """Carry ``repair`` out under the transcript's turn lock; where the old file is kept."""
    kept = _kept_name(path, repair, now_ms)
    os.link(path, kept)
    text = "".join(dumps(line, indent=None) + "\n" for line in repair.lines)
    files.write_atomic(path, text)
    return kept


def _kept_name(path: Path, repair: RepairPlan, now_ms: int) -> Path:
    while True:
        mark = f"corrupt-{clock.archive_stamp(now_ms)}" if repair.no_header else None
        kept = path.with_name(f"{path.name}.{mark or f'bak-{os.getpid()}-{now_ms}'}")
        if not os.path.lexists(kept):
            return kept
        now_ms += 1


def _with_text(line: dict[str, Any]) -> dict[str, Any]:
    """A user message with a blank text says ``(continue)``, since models refuse empty ones."""
    message = line.get("message")
    if line.get("type") != "message" or not isinstance(message, dict):
        return line
    if message.get("role") != "user" or not _is_blank(message.get("content")):
        return line
    return line | {"message": message | {"content": EMPTY_USER_TEXT}}


def _is_blank(content: object) -> bool:
    if isinstance(content, str):
        return not content.strip()
    if not isinstance(content, list):
        return content is None
    others = any(isinstance(b, dict) and b.get("type") not in ("text", None) for b in content)
    return not others and not transcript.text_of({"content": content}).strip()


def leftovers(folder: Path) -> list[Path]:
    """The copies that repairs left in a sessions folder."""
    return sorted(path for path in folder.iterdir() if names.is_repair_copy(path.name))
