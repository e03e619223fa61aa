"""What maintenance has to look up on disk before it plans. Reads only.

The files of the folder, which sessions are in use by another process, and for
``--fix-missing`` which rows have no conversation (``sessions-maintenance.md`` 4.10).
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import keys, names, store
from openclaw_cli.sessions.discovery import STORE_NAME, TranscriptFinder
from openclaw_cli.sessions.folder import FileInfo, Folder, list_folder
from openclaw_cli.sessions.references import References, Resolver
from openclaw_cli.sessions.store import JOURNAL_SUFFIX, StoreFile

SHORT_TRANSCRIPT_BYTES = 4096  # a longer one is taken to hold messages

_LOCK_SUFFIX = ".lock"
_UUID_TRANSCRIPT = r"(?i:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl)"


@dataclass(eq=False, repr=False)
class Survey:
    """The facts about one sessions folder.

    ``busy_files`` are transcripts whose turn lock a live process holds, ``busy_rows`` the
    keys that resolve to them. ``missing`` and ``repaired`` answer ``--fix-missing``.
    ``neighbour_rows`` are the rows of other stores beside this one, ``stores`` their names
    and its own.
    """

    folder: Folder
    resolver: Resolver
    blobs: dict[str, FileInfo] = field(default_factory=dict)
    busy_files: set[str] = field(default_factory=set)
    busy_rows: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    repaired: dict[str, str] = field(default_factory=dict)
    journal_open: bool = False
    neighbour_rows: dict[str, Any] = field(default_factory=dict)
    unreadable_neighbours: list[Path] = field(default_factory=list)
    stores: set[str] = field(default_factory=set)

    def references(self, rows: Mapping[str, Any]) -> References:
        """What ``rows`` need, and the rows of other stores in the same folder."""
        found = References(rows, self.resolver)
        found.add(self.neighbour_rows)
        for name in self.stores:
            found.spare(name)
        return found

    def is_busy(self, name: str) -> bool:
        """Whether the transcript ``name``, or the one that ``name`` belongs to, is in use."""
        return bool(self.busy_files) and (
            name in self.busy_files
            or any(name.startswith(used.removesuffix(names.SUFFIX)) for used in self.busy_files)
        )


def take(
    found: StoreFile,
    state_dir: Path,
    *,
    neighbours: Iterable[Path] = (),
    fix_missing: bool = False,
    budget: bool = False,
) -> Survey:
    """Look at the folder of ``found``; ``budget`` lists the prompt blobs as well.

    ``neighbours`` are other stores that may be in the same folder; what their rows need is
    needed, too.
    """
    folder = list_folder(found.sessions_dir)
    facts = Survey(folder, Resolver(folder, state_dir))
    facts.journal_open = os.path.lexists(f"{found.path}{JOURNAL_SUFFIX}")
    if budget:
        from openclaw_cli.sessions import disk_budget

        facts.blobs = disk_budget.list_blobs(found.sessions_dir)
    _ask_neighbours(facts, found.path, neighbours)
    _find_busy(facts, found.rows)
    if fix_missing:
        finder = TranscriptFinder(found.sessions_dir, state_dir)
        legacy = TranscriptFinder(state_dir / "sessions")
        for key, row in found.rows.items():
            if isinstance(row, dict):
                _judge(facts, (finder, legacy), key, row)
    return facts


def holds_conversation(path: Path) -> bool:
    """Whether the transcript at ``path`` exists and holds more than its header.

    A short file whose lines are all JSON without a message or compaction holds none. What
    cannot be judged (not JSON, a folder, unreadable) counts as content.
    """
    try:
        info = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    if not stat.S_ISREG(info.st_mode) or info.st_size > SHORT_TRANSCRIPT_BYTES:
        return True
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return True
    return any(_is_content(line) for line in lines if line.strip())


def _is_content(line: bytes) -> bool:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return True
    from openclaw_cli.sessions import transcript

    kind = value.get("type") if isinstance(value, dict) else None
    return kind == "compaction" or transcript.is_message(value)


def _ask_neighbours(facts: Survey, own: Path, neighbours: Iterable[Path]) -> None:
    usual = own.with_name(STORE_NAME)
    facts.stores.add(own.name)
    for path in dict.fromkeys((*neighbours, usual)):
        if path == own or path.parent != own.parent:
            continue
        facts.stores.add(path.name)
        try:
            rows = store.load(path).rows
        except UnreadableFile:
            facts.unreadable_neighbours.append(path)
            continue
        facts.neighbour_rows |= {f"{path.name}\0{key}": row for key, row in rows.items()}


def _find_busy(facts: Survey, rows: Mapping[str, Any]) -> None:
    folder = facts.folder
    locks = [name for name in folder.files if name.endswith(names.SUFFIX + _LOCK_SUFFIX)]
    for name in locks:
        if _is_held(Path(folder.path, name)):
            facts.busy_files.add(name.removesuffix(_LOCK_SUFFIX))
    for key, row in rows.items():
        if not isinstance(row, dict):
            continue
        if not facts.busy_files and not _is_below(row.get("sessionFile"), folder.path):
            continue
        used = facts.resolver.transcript(row)
        below = used is not None and os.sep in used
        if used and below and _is_held(Path(folder.path, used + _LOCK_SUFFIX)):
            facts.busy_files.add(used)
        if used in facts.busy_files or facts.resolver.default(row) in facts.busy_files:
            facts.busy_rows.add(key)


def _is_held(path: Path) -> bool:
    from openclaw_cli.state import lock

    return lock.held_by_another(path)


def _is_below(named: object, folder: str) -> bool:
    """Whether a ``sessionFile`` may lie in a subfolder, whose locks the listing lacks."""
    if not isinstance(named, str):
        return False
    return os.sep in named.strip().removeprefix(folder + os.sep)


def _judge(
    facts: Survey,
    finders: tuple[TranscriptFinder, TranscriptFinder],
    key: str,
    row: Mapping[str, Any],
) -> None:
    """Sort one row into ``missing`` or ``repaired``, or neither."""
    finder, legacy = finders
    resolved = finder.resolve(dict(row)).path
    session_id = row.get("sessionId")
    if not isinstance(session_id, str) or not session_id.strip():
        if keys.parse(key) is None and not (resolved and holds_conversation(resolved)):
            facts.missing.add(key)
        return
    present = resolved is not None and holds_conversation(resolved)
    default = finder.default(session_id)
    if (
        default is not None
        and resolved != default
        and (not present or _names_another(row, session_id))
        and holds_conversation(default)
    ):
        facts.repaired[key] = os.fspath(default)
        return
    older = legacy.default(session_id)  # readers look there as well
    if not present and not (older is not None and holds_conversation(older)):
        facts.missing.add(key)


def _names_another(row: Mapping[str, Any], session_id: str) -> bool:
    """Whether the row's ``sessionFile`` is the transcript of another session id."""
    named = os.path.basename(str(row.get("sessionFile") or "").strip())
    other = re.fullmatch(_UUID_TRANSCRIPT, named)
    return other is not None and other.group(1).lower() != session_id.strip().lower()
