"""Archived transcripts: finding, describing and searching them (``sessions.md`` 16).

Reads only. Listing needs names alone; a transcript is opened for what is shown or searched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import (
    keys,
    lookup,
    maintenance_settings,
    names,
    recorded,
    store,
    transcript,
)
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.folder import list_folder
from openclaw_cli.sessions.maintenance_settings import Settings
from openclaw_cli.sessions.recorded import Memory, Recorded
from openclaw_cli.sessions.routing import KeyRules
from openclaw_cli.state import changes
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


class Archive(NamedTuple):
    """One archived transcript. ``known`` is its key and old row, where something tells."""

    target: Target
    name: str
    base: str
    reason: str
    at_ms: int
    size: int
    session_id: str | None
    known: Recorded | None

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.target.sessions_dir / self.name

    @property
    def key(self) -> str | None:
        """The key of its session, None when nothing tells."""
        return self.known.key if self.known else None


@dataclass
class Filter:
    """Which archives to list; ``limit`` None means all."""

    key: str | None = None
    search: str | None = None
    reason: str | None = None
    since_ms: int | None = None
    limit: int | None = None


def find_all(targets: Sequence[Target], paths: Paths) -> list[Archive]:
    """Every archive beside the stores of ``targets``, newest first."""
    trail = list(changes.read(paths))
    found: list[Archive] = []
    for target in targets:
        memory = recorded.from_trail(trail)
        _add_store(memory, target)
        found += _in_folder(target, memory)
    found.sort(key=lambda a: (-a.at_ms, a.known is not None and a.known.beside, str(a.path)))
    return found


def listing(
    targets: Sequence[Target], config: Config, paths: Paths, wanted: Filter
) -> dict[str, Any]:
    """The document of ``sessions archives``."""
    rules = KeyRules.from_config(config)
    settings = {
        target: maintenance_settings.from_config(config, target.agent_id).settings
        for target in targets
    }
    shown: list[dict[str, Any]] = []
    for archive in find_all(targets, paths):
        if wanted.limit is not None and len(shown) >= wanted.limit:
            break
        if not _matches(archive, wanted, rules):
            continue
        described = _describe(archive, settings[archive.target], wanted.search)
        if described is not None:
            shown.append(described)
    return {"count": len(shown), "archives": shown}


def has_key(archive: Archive, text: str, rules: KeyRules) -> bool:
    """Whether ``text`` (a key, a key without its agent, or a session id) means the archive."""
    wanted = text.strip().lower()
    if archive.session_id is not None and archive.session_id.lower() == wanted:
        return True
    if archive.key is None:
        return False
    owner = archive.target.agent_id
    spelled = set(lookup.spellings(text, rules, agent_id=owner))
    return bool(spelled & {archive.key, keys.normalize(archive.key)}) or bool(
        spelled & set(lookup.spellings(archive.key, rules, agent_id=owner))
    )


def _in_folder(target: Target, memory: Memory, below: str = "") -> Iterator[Archive]:
    """The archives in the sessions folder and, where a row had its file there, below it."""
    place = target.sessions_dir / below
    folder = list_folder(place)
    for name, info in folder.files.items():
        parsed = names.parse_archive(name) if name.endswith("Z") else None
        if parsed is None:
            continue
        session_id = names.session_id_of(name)
        yield Archive(
            target, os.path.join(below, name), os.path.join(below, parsed.base), parsed.reason,
            parsed.at_ms, info.size, session_id,
            memory.find(os.path.join(place, name), session_id),
        )  # fmt: skip
    for name in sorted(folder.others):
        if (place / name).is_dir() and not (place / name).is_symlink():
            yield from _in_folder(target, memory, os.path.join(below, name))


def _add_store(memory: Memory, target: Target) -> None:
    try:
        recorded.add_rows(memory, store.load(target.store_path).rows)
    except UnreadableFile:
        return  # a damaged store must not hide the archives that replace it


def _matches(archive: Archive, wanted: Filter, rules: KeyRules) -> bool:
    if wanted.reason is not None and archive.reason != wanted.reason:
        return False
    if wanted.since_ms is not None and archive.at_ms < wanted.since_ms:
        return False
    return wanted.key is None or has_key(archive, wanted.key, rules)


def _describe(archive: Archive, settings: Settings, search: str | None) -> dict[str, Any] | None:
    """The row of one archive, None when its texts do not contain ``search``."""
    try:
        entries = transcript.read(archive.path).entries
    except UnreadableFile:
        entries = []
    texts = [(role, text) for role, text, _ in transcript.conversation(entries)]
    if search is not None:
        needle = search.casefold()
        if not any(needle in text.casefold() for _, text in texts):
            return None
    retention = {"deleted": settings.prune_after_ms, "reset": settings.reset_retention_ms}
    keep_ms = retention.get(archive.reason)
    return {
        "path": os.fspath(archive.path),
        "reason": archive.reason,
        "archivedAtMs": archive.at_ms,
        "sessionId": archive.session_id,
        "key": archive.key,
        "bytes": archive.size,
        "messages": sum(1 for line in entries if transcript.message_of(line) is not None),
        "firstUserText": next((text for role, text in texts if role == "user"), None),
        "purgeAtMs": None if keep_ms is None else archive.at_ms + keep_ms,
        "agentId": archive.target.agent_id,
    }
