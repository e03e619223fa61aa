"""Reading the dream diary: the file, and its entries with those of earlier years.

``dreaming diary`` and ``doctor.memory.dreamDiary`` (``dreaming.md`` 10.4, 7.1). Read only;
links are not followed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming import diary, diary_section
from openclaw_cli.errors import NotAllowed
from openclaw_cli.memory.artifacts import find_diary
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import files
from openclaw_cli.state.tuples import NamedTuple

NAME = "DREAMS.md"

Row = dict[str, Any]


class DiaryFile(NamedTuple):
    """The diary of a workspace. ``text`` None: there is none, or it is not read (``problem``)."""

    name: str
    text: str | None
    updated_at_ms: int | None
    problem: str | None = None

    def to_json(self) -> Row:
        """File name and time, for reports."""
        shown: Row = {"found": self.text is not None, "path": self.name}
        return shown | ({"updatedAtMs": self.updated_at_ms} if self.updated_at_ms else {})


def read(workspace: Workspace) -> DiaryFile:
    """The diary file; raises ``UnreadableFile`` when it cannot be read as text."""
    path = find_diary(workspace)
    if path is None:
        return DiaryFile(NAME, None, None)
    try:
        files.refuse_link(path, what="dream diary")
    except NotAllowed as error:
        return DiaryFile(path.name, None, None, error.message)
    text = files.read_text(path, what="dream diary")
    return DiaryFile(path.name, text, path.stat().st_mtime_ns // 1_000_000)


def entries(workspace: Workspace, found: DiaryFile) -> list[Row]:
    """All entries, newest first: ``date`` as written, ``day``, ``text``, ``kind``, ``path``.

    Of entries of one instant the one that stands last in the file is the newest; entries
    without a date come last.
    """
    rows = _rows(diary_section.blocks_of(found.text or ""), found.name)
    for path in _yearly_files(workspace):
        text = files.read_text(path, what="earlier diary") or ""
        known = {(row["date"], row["text"]) for _, row in rows}
        earlier = _rows(diary_section.split_blocks(text), path.relative_to(workspace.root))
        # An entry on its way into the yearly file may be in both.
        rows += [pair for pair in earlier if (pair[1]["date"], pair[1]["text"]) not in known]
    rows.sort(key=lambda pair: pair[0], reverse=True)
    return [row for _, row in rows]


def _rows(blocks: list[str], path: str | Path) -> list[tuple[str, Row]]:
    """A sort key and the row of each block, the last in the file first."""
    found = []
    for block in reversed(blocks):
        entry = diary.parse_entry(block)
        if not entry.text:
            continue
        stamp = diary_section.stamp_of(entry.date)
        row = {
            "date": entry.date or None,
            "day": stamp[:10] if stamp else None,
            "text": entry.text,
            "kind": entry.kind,
            "path": str(path),
        }
        found.append((stamp or "", row))
    return found


def _yearly_files(workspace: Workspace) -> list[Path]:
    """The files with entries of earlier years, the latest first."""
    folder = workspace.memory_dir / "dreaming"
    found = [path for path in folder.glob("diary-*.md") if re.fullmatch(r"diary-\d{4}", path.stem)]
    return sorted((p for p in found if p.is_file() and not p.is_symlink()), reverse=True)
