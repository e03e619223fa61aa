"""The files of a sessions folder: one listing, from which everything is planned.

Only regular files count; links and folders are known by name and never touched.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.state.tuples import NamedTuple


class FileInfo(NamedTuple):
    """Size in bytes and modification time of a regular file."""

    size: int
    mtime_ns: int

    @property
    def mtime_ms(self) -> int:
        """Modification time in epoch ms, rounded down."""
        return self.mtime_ns // 1_000_000


@dataclass(eq=False, repr=False)
class Folder:
    """What is directly in a folder. ``files`` may be edited to simulate what will happen.

    ``others`` are names of links, folders and special files.
    """

    path: str
    files: dict[str, FileInfo] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)

    def relative(self, path: str) -> str | None:
        """``path`` relative to the folder, None when it is not below it by name."""
        prefix = self.path + os.sep
        return path[len(prefix) :] if path.startswith(prefix) else None

    def info(self, relative: str) -> FileInfo | None:
        """The regular file ``relative`` (it may be in a subfolder), None for anything else.

        Below a subfolder the real path must stay inside the folder.
        """
        if os.sep not in relative:
            return self.files.get(relative)
        path = os.path.join(self.path, relative)
        real = os.path.realpath(self.path)
        if not os.path.realpath(os.path.dirname(path)).startswith(real + os.sep):
            return None
        return _info(path)

    def taken(self, name: str) -> bool:
        """Whether ``name`` is in use, now or after what was simulated."""
        if os.sep in name:
            return os.path.lexists(os.path.join(self.path, name))
        return name in self.files or name in self.others

    def rename(self, source: str, target: str) -> None:
        """Simulate a rename; files in subfolders are not simulated."""
        moved = self.files.pop(source, None)
        if moved is not None:
            self.files[target] = moved

    def remove(self, name: str) -> None:
        """Simulate a deletion."""
        self.files.pop(name, None)


def list_folder(path: Path) -> Folder:
    """The files in ``path``; a missing folder has none."""
    folder = Folder(os.path.abspath(path))
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                info = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(info.st_mode):
                    folder.files[entry.name] = FileInfo(info.st_size, info.st_mtime_ns)
                else:
                    folder.others.add(entry.name)
    except FileNotFoundError:
        return folder
    except OSError as error:
        raise UnreadableFile(
            f"sessions folder {path} cannot be read: {error.strerror or error}", path=path
        ) from error
    return folder


def _info(path: str) -> FileInfo | None:
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return FileInfo(info.st_size, info.st_mtime_ns) if stat.S_ISREG(info.st_mode) else None
