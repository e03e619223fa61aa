"""The journal ``<store>.maintenance``: what a change still has to do to files.

Written before the store, removed after the last action. Whoever finds one finishes it
first (``sessions-maintenance.md`` 7, guarantee 5). Its first line is the change itself;
the lines for the trail follow, as they will stand there. All paths are relative to the
sessions folder; one that leads out of it makes the journal unusable.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions.effects import Move
from openclaw_cli.sessions.store import JOURNAL_SUFFIX, Stamp
from openclaw_cli.state import files, jsonl

VERSION = 1


@dataclass
class Journal:
    """An open change. ``before`` is the store's version when it was planned.

    ``rewrites`` tells that the store gets new content: while it is still ``before``, the
    change has not happened. ``changes`` are the lines for the trail.
    """

    before: Stamp | None
    rewrites: bool
    backup: str | None = None
    moves: list[Move] = field(default_factory=list)
    removals: list[str] = field(default_factory=list)
    changes: list[bytes] = field(default_factory=list)


def path_of(store_path: Path) -> Path:
    """Where the journal of a store is."""
    return store_path.with_name(store_path.name + JOURNAL_SUFFIX)


def write(store_path: Path, journal: Journal) -> None:
    """Make ``journal`` durable."""
    head = {
        "version": VERSION,
        "before": None if journal.before is None else list(journal.before),
        "rewrites": journal.rewrites,
        "backup": journal.backup,
        "moves": [[move.source, move.target, list(move.keys)] for move in journal.moves],
        "removals": journal.removals,
    }
    files.write_atomic(path_of(store_path), b"".join([jsonl.line_of(head), *journal.changes]))


def read(store_path: Path) -> Journal | None:
    """The open journal of a store, None when there is none.

    Raises ``UnreadableFile`` when it is no journal of ours, ``NotAllowed`` for a link.
    """
    path = path_of(store_path)
    if not os.path.lexists(path):
        return None
    files.refuse_link(path, what="journal")
    try:
        head, *changes = path.read_bytes().splitlines(keepends=True)
        for line in changes:
            if not isinstance(json.loads(line), dict):
                raise ValueError("a line of it is no change")
        return _parse(json.loads(head), changes)
    except FileNotFoundError:
        return None
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UnreadableFile(
            f"journal {path} is not one of ours: {error}",
            path=path,
            hint="look at it, then move it away; nothing was changed",
            code="journal-unreadable",
        ) from error


def remove(store_path: Path) -> None:
    """End the change: nothing of it is left to do."""
    files.remove_durable(path_of(store_path))


def _parse(document: Any, changes: list[bytes]) -> Journal:
    if document["version"] != VERSION:
        raise ValueError(f"version {document['version']!r}")
    before = document["before"]
    backup = document["backup"]
    return Journal(
        before=None if before is None else Stamp(*(int(part) for part in before)),
        rewrites=bool(document["rewrites"]),
        backup=None if backup is None else _inside(backup),
        moves=[
            Move(_inside(source), _inside(target), tuple(str(key) for key in keys))
            for source, target, keys in document["moves"]
        ],
        removals=[_inside(name) for name in document["removals"]],
        changes=changes,
    )


def _inside(name: Any) -> str:
    """``name`` if it is a relative path that stays in its folder."""
    if not isinstance(name, str) or not name or "\0" in name or os.path.isabs(name):
        raise ValueError(f"{name!r} is no file of the folder")
    if os.path.normpath(name) != name or name.split(os.sep)[0] in (os.pardir, os.curdir):
        raise ValueError(f"{name!r} leads out of the folder")
    return name
