"""The files of a workspace as a sweep will leave them, before any is written.

The phases of a sweep read and write through a ``Draft``: later phases see what earlier
ones wrote, and nothing reaches the disk until ``journal.apply`` carries the actions out
(``dreaming.md`` 12.13). So a dry run computes exactly what a run does.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from openclaw_cli.errors import NotAllowed, NotWritable, UnreadableFile
from openclaw_cli.memory.text import encode_like_javascript
from openclaw_cli.state import files
from openclaw_cli.state.files import Stat
from openclaw_cli.state.tuples import NamedTuple

MISSING = ""  # the digest of a file that is not there


class Step(IntEnum):
    """When a file is written: what is needed to redo the rest comes first."""

    CORPUS = 1
    COPY = 2
    MEMORY = 3
    STORE = 4
    SIGNALS = 5
    CHECKPOINT = 6
    REPORT = 7
    DIARY = 8
    EVENTS = 9


class Action(NamedTuple):
    """One change of a file.

    ``append`` adds ``text`` behind the first ``size`` bytes; otherwise the file becomes
    ``text``. ``before`` is the digest that a replaced file must have. ``mode`` is forced
    when ``force_mode``, else it is for a new file (None: the umask decides).
    """

    step: int
    path: str
    text: str
    append: bool = False
    before: str = MISSING
    size: int = 0
    mode: int | None = files.PRIVATE_FILE
    force_mode: bool = True


@dataclass
class _File:
    """What is on disk (None: nothing) and what is to be done about it."""

    before: bytes | None
    action: Action | None = None

    def after(self) -> bytes | None:
        """What will be there."""
        if self.action is None:
            return self.before
        text = _encode(self.action.text)
        return (self.before or b"") + text if self.action.append else text


class Draft:
    """Pending changes of files. ``now_ms`` is the time that a changed file will show."""

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self._files: dict[Path, _File] = {}

    def read(self, path: Path, *, what: str, strict: bool = True) -> str | None:
        """The text that ``path`` will have, None when it will not exist.

        Bytes that are no UTF-8 raise ``UnreadableFile``, or are replaced unless ``strict``.
        """
        file = self._files.get(path)
        data = _bytes(path, what) if file is None else file.after()
        return _decode(path, data, what, strict=strict)

    def hold(self, path: Path, *, what: str, follow_link: bool = False) -> str | None:
        """As ``read``, for a file that is going to be written.

        A change by others makes the draft outdated. Raises ``NotAllowed`` or
        ``NotWritable`` where the write cannot succeed; links are refused or followed.
        """
        file = self._open(path, what, follow_link=follow_link)
        return _decode(path, file.after(), what, strict=True)

    def exists(self, path: Path) -> bool:
        """Whether ``path`` will be a regular file."""
        file = self._files.get(path)
        if file is not None:
            return file.after() is not None
        try:
            return stat.S_ISREG(path.lstat().st_mode)
        except OSError:
            return False

    def stat(self, path: Path) -> Stat | None:
        """Time and size that the regular file ``path`` will have, else None."""
        file = self._files.get(path)
        if file is not None and file.action is not None:
            return Stat(self.now_ms, len(file.after() or b""))
        try:
            info = path.lstat()
        except OSError:
            return None
        if not stat.S_ISREG(info.st_mode):
            return None
        return Stat(info.st_mtime_ns // 1_000_000, info.st_size)

    def write(self, path: Path, text: str, step: Step, **how: Any) -> bool:
        """Let ``path``, which is held, become ``text``; False when it is that already.

        ``how`` are ``mode`` and ``force_mode`` of ``Action``.
        """
        file, text = self._files[path], _well_formed(text)
        if file.before == _encode(text):
            file.action = None
            return False
        file.action = Action(step, str(path), text, before=digest(file.before), **how)
        return True

    def append(self, path: Path, text: str, step: Step, *, what: str) -> None:
        """Add whole lines at the end of a private file; a torn last line is closed first.

        Raises ``NotAllowed`` when the file or its folder is a symbolic link.
        """
        if path.parent.is_symlink():
            raise NotAllowed(f"{path.parent} is a symbolic link; {what}s do not go there")
        file = self._open(path, what, follow_link=False)
        before = file.before or b""
        earlier = file.action.text if file.action is not None else ""
        if not earlier and before and not before.endswith(b"\n"):
            earlier = "\n"
        whole = earlier + _well_formed(text)
        file.action = Action(step, str(path), whole, append=True, size=len(before))

    def actions(self) -> list[Action]:
        """Everything to be done, in the order in which it is done."""
        found = [file.action for file in self._files.values() if file.action is not None]
        return sorted(found, key=lambda action: action.step)

    def pending(self) -> dict[Path, str]:
        """The texts of files that differ from what is on disk."""
        return {
            path: (file.after() or b"").decode("utf-8", "replace")
            for path, file in self._files.items()
            if file.action is not None
        }

    def changed_underneath(self) -> Path | None:
        """A file that another program has changed since it was held, if any."""
        for path, file in self._files.items():
            if _bytes(path, "file") != file.before:
                return path
        return None

    def _open(self, path: Path, what: str, *, follow_link: bool) -> _File:
        file = self._files.get(path)
        if file is None:
            if not follow_link:
                files.refuse_link(path, what=what)
            _require_writable(path)
            file = self._files[path] = _File(_bytes(path, what))
        return file


def digest(data: bytes | None) -> str:
    """What tells one content of a file from another; ``MISSING`` for no file."""
    if data is None:
        return MISSING
    from hashlib import sha256

    return sha256(data).hexdigest()


def _well_formed(text: str) -> str:
    """``text`` without halves of surrogate pairs: a file with one is no UTF-8 any more."""
    return encode_like_javascript(text).decode("utf-8")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(path: Path, data: bytes | None, what: str, *, strict: bool) -> str | None:
    """The text of ``data``; lone surrogates of other programs pass in and out."""
    if data is None:
        return None
    try:
        return data.decode("utf-8", "strict" if strict else "replace")
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"{what} {path} is not UTF-8 (byte {error.start})", path=path
        ) from error


def _bytes(path: Path, what: str) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFile(
            f"{what} {path} cannot be read: {error.strerror or error}", path=path
        ) from error


def _require_writable(path: Path) -> None:
    """Raise when ``path`` cannot become a regular file: what can be seen beforehand."""
    folder = path.parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise NotAllowed(f"{folder} is not a folder, so {path} cannot be written", path=folder)
    if path.is_dir():
        raise NotAllowed(f"{path} is a folder, not a file", path=path)
    for place in (folder, path):
        if os.path.exists(place) and not os.access(place, os.W_OK):
            raise NotWritable(f"cannot write {place}: Permission denied", path=place)
