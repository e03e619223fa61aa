"""Which files of the folder the rows of a store need.

Counted per row, so that rows can be taken away one by one; file names are relative to the
sessions folder. ``sessions-maintenance.md`` 2.1, 4.5, 4.9.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import names
from openclaw_cli.sessions.discovery import TranscriptFinder
from openclaw_cli.sessions.folder import Folder

TRAJECTORY_SUFFIXES = (".trajectory.jsonl", ".trajectory-path.json")


class Resolver:
    """Where the transcripts of rows are, as names relative to the folder.

    ``linked`` are those that were reached through a link: needed like others, but not for
    us to rename or delete.
    """

    def __init__(self, folder: Folder, state_dir: Path) -> None:
        self._folder = folder
        self._prefix = folder.path + os.sep
        self._finder = TranscriptFinder(Path(folder.path), state_dir)
        self._real: str | None = None
        self.linked: set[str] = set()

    def transcript(self, row: Any) -> str | None:
        """The transcript that ``row`` resolves to, None outside the folder or without one."""
        if not isinstance(row, dict):
            return None
        file = row.get("sessionFile")
        if isinstance(file, str):
            name = file.strip().removeprefix(self._prefix)
            if self._is_plain(name):
                return name
            if name:
                path = self._finder.resolve_text(row)
                return None if path is None else self.place(path)
        return self.default(row)

    def default(self, row: Any) -> str | None:
        """The default transcript of the row's session id, None when that is unsafe."""
        session_id = row.get("sessionId") if isinstance(row, dict) else None
        name = names.transcript_name(session_id.strip()) if isinstance(session_id, str) else None
        if name is None or name not in self._folder.others:
            return name
        return self.place(self._prefix + name)

    def _is_plain(self, name: str) -> bool:
        """Whether ``name`` is a transcript in the folder itself, no link: no need to look."""
        return (
            name.endswith(names.SUFFIX)
            and os.sep not in name
            and "\0" not in name
            and name not in self._folder.others
        )

    def named(self, row: Any) -> str | None:
        """The transcript that an accepted ``sessionFile`` names, None without one."""
        file = row.get("sessionFile") if isinstance(row, dict) else None
        return self.transcript({"sessionFile": file}) if isinstance(file, str) else None

    def place(self, path: str) -> str | None:
        """The file at ``path``, links in its way followed; None outside the folder."""
        relative = self._folder.relative(path)
        if relative is not None and os.sep not in relative and relative not in self._folder.others:
            return relative
        if self._real is None:
            self._real = os.path.realpath(self._folder.path)
        real = os.path.realpath(path)
        prefix = self._real + os.sep
        if not real.startswith(prefix):
            return None
        found = real[len(prefix) :]
        if os.path.islink(path):
            self.linked.add(found)
        return found


class References:
    """What a set of rows needs; ``drop`` takes one row's needs away."""

    def __init__(self, rows: Mapping[str, Any], resolver: Resolver) -> None:
        self.transcript_of: dict[str, str] = {}
        self._ids: Counter[str] = Counter()
        self._files: Counter[str] = Counter()
        self._extras: Counter[str] = Counter()
        self._resolver = resolver
        self.add(rows)

    def add(self, rows: Mapping[str, Any]) -> None:
        """``rows`` need their files as well."""
        for key, row in rows.items():
            if isinstance(row, dict):
                self._count(key, row, 1)

    def spare(self, name: str) -> None:
        """``name`` is needed, whatever the rows say."""
        self._extras[name] += 1

    def drop(self, key: str, row: Any) -> None:
        """``row`` is gone: what only it needed is needed no more."""
        if isinstance(row, dict):
            self._count(key, row, -1)

    def is_linked(self, name: str) -> bool:
        """Whether a row reaches ``name`` through a link."""
        return name in self._resolver.linked

    def needs_id(self, session_id: str) -> bool:
        """Whether a row has this session id."""
        return self._ids[session_id] > 0

    def needs(self, name: str) -> bool:
        """Whether ``name`` is a row's transcript, a trajectory file of it, or a checkpoint."""
        if self._files[name] > 0 or self._extras[name] > 0:
            return True
        for suffix in TRAJECTORY_SUFFIXES:
            if name.endswith(suffix):
                return self._files[name.removesuffix(suffix) + names.SUFFIX] > 0
        return False

    def _count(self, key: str, row: dict[str, Any], step: int) -> None:
        session_id = row.get("sessionId")
        if isinstance(session_id, str):
            self._ids[session_id.strip()] += step
        if step > 0:
            found = self._resolver.transcript(row)
            if found is not None:
                self.transcript_of[key] = found
                self._files[found] += 1
        elif key in self.transcript_of:
            self._files[self.transcript_of.pop(key)] -= 1
        if "compactionCheckpoints" in row:
            for name in _checkpoint_files(row["compactionCheckpoints"], self._resolver):
                self._extras[name] += step


def trajectories_of(transcript: str) -> list[str]:
    """The two files that may stand beside a transcript."""
    base = transcript.removesuffix(names.SUFFIX)
    return [base + suffix for suffix in TRAJECTORY_SUFFIXES]


def session_id_of(row: Any) -> str | None:
    """The trimmed session id of a row, None without one."""
    value = row.get("sessionId") if isinstance(row, dict) else None
    return value.strip() or None if isinstance(value, str) else None


def _checkpoint_files(checkpoints: Any, resolver: Resolver) -> Iterator[str]:
    for checkpoint in checkpoints if isinstance(checkpoints, list) else ():
        if not isinstance(checkpoint, dict):
            continue
        for part in ("preCompaction", "postCompaction"):
            side = checkpoint.get(part)
            found = resolver.named(side) if isinstance(side, dict) else None
            if found is not None:
                yield found
