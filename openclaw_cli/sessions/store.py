"""The session store ``sessions.json`` as it is read; ``write_path`` changes it.

A missing store is an empty one. A store that cannot be read is an error for readers and
writers alike, never an empty store (``sessions.md`` 2).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import store_text
from openclaw_cli.state.tuples import NamedTuple

READ_ATTEMPTS = 3
READ_PAUSE_S = 0.05
BACKUP_MARK = ".bak."
JOURNAL_SUFFIX = ".maintenance"


class Stamp(NamedTuple):
    """What tells one version of a file from another."""

    inode: int
    size: int
    mtime_ns: int


class StoreFile:
    """A store as it was read. ``text`` are its bytes; ``stamp`` is None when it is missing.

    No dataclass: every command that reads a store would pay for the import.
    """

    def __init__(
        self,
        path: Path,
        rows: dict[str, Any],
        text: bytes = b"",
        stamp: Stamp | None = None,
    ) -> None:
        self.path = path
        self.rows = rows
        self.text = text
        self.stamp = stamp

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return self.stamp is not None

    @property
    def sessions_dir(self) -> Path:
        """The folder of the store, where its transcripts live."""
        return self.path.parent


def load(path: Path) -> StoreFile:
    """The store at ``path``; a missing file is a store without rows.

    A writer that is no program of ours may be halfway through: an unusable text is read
    again twice, 50 ms apart. Raises ``UnreadableFile`` (code ``store-unreadable``) with
    the reason and the newest backup beside the store.
    """
    for attempt in range(1, READ_ATTEMPTS + 1):
        try:
            found = _read(path)
            if found is None:
                return StoreFile(path, {})
            text, stamp = found
            return StoreFile(path, store_text.parse(text), text, stamp)
        except store_text.UnusableText as error:
            if attempt == READ_ATTEMPTS:
                raise unreadable(path, str(error)) from error
            time.sleep(READ_PAUSE_S)
        except OSError as error:
            raise unreadable(path, f"cannot be read: {error.strerror or error}") from error
    raise AssertionError("the last attempt returns or raises")


def stamp_of(path: Path) -> Stamp | None:
    """The present version of the file at ``path``, None when it is missing."""
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return Stamp(info.st_ino, info.st_size, info.st_mtime_ns)


def newest_backup(path: Path) -> Path | None:
    """The latest ``<store>.bak.<ms>`` beside the store, None without one."""
    numbered = backups(path.name, _names(path.parent))
    return path.parent / numbered[0] if numbered else None


def backups(store_name: str, names: Iterable[str]) -> list[str]:
    """Those of ``names`` that are backups of the store, newest first."""
    prefix = store_name + BACKUP_MARK
    found = [
        (int(name[len(prefix) :]), name)
        for name in names
        if name.startswith(prefix) and _is_number(name[len(prefix) :])
    ]
    return [name for _, name in sorted(found, reverse=True)]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def unreadable(path: Path, reason: str) -> UnreadableFile:
    """The error for a store that cannot be used, with what there is to fall back on."""
    backup = newest_backup(path)
    beside = f"; newest backup: {backup.name}" if backup else ""
    advice = "put the backup back, or run" if backup else "run"
    return UnreadableFile(
        f"session store {path} {reason}{beside}",
        path=path,
        hint=f"nothing was changed; {advice} 'openclaw sessions rebuild'",
        code="store-unreadable",
    )


def _read(path: Path) -> tuple[bytes, Stamp] | None:
    """The bytes of ``path`` and the version they belong to, None when it is missing."""
    try:
        # Not blocking: a pipe in the store's place must not hang the command.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as source:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            kind = "a folder" if stat.S_ISDIR(info.st_mode) else "not a regular file"
            raise store_text.UnusableText(f"is {kind}")
        return source.read(), Stamp(info.st_ino, info.st_size, info.st_mtime_ns)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
