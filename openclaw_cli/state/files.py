"""Atomic, durable writes and tolerant reads (``design.md`` 3, "Files").

A write goes to a temporary file beside its target, is flushed to the disk, renamed over
the target, and the folder is flushed too: whatever happens, the old or the new content is
there. State is 0600 in 0700 folders.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.errors import NotAllowed, NotWritable, UnreadableFile
from openclaw_cli.state import jsontext
from openclaw_cli.state.tuples import NamedTuple

PRIVATE_FILE = 0o600
PRIVATE_DIR = 0o700


class Stat(NamedTuple):
    """What tells whether a file is another: modification time in whole ms, size in bytes."""

    mtime_ms: int
    size: int


def make_dir(path: Path, mode: int = PRIVATE_DIR) -> None:
    """Create ``path`` and its parents with ``mode`` where missing; existing ones stay."""
    if path.is_dir():
        return
    with _write_errors(path):
        missing = [path, *path.parents]
        for folder in reversed([p for p in missing if not p.exists()]):
            with contextlib.suppress(FileExistsError):  # another process was faster
                folder.mkdir(mode)


def write_atomic(
    path: Path,
    text: str | bytes,
    *,
    mode: int | None = PRIVATE_FILE,
    force_mode: bool = False,
    follow_link: bool = False,
    before_rename: Callable[[], object] | None = None,
) -> None:
    """Replace the content of ``path`` at once and for good.

    ``mode`` is for a new file (None: the umask decides); an existing file keeps its mode
    unless ``force_mode``. A symbolic link is replaced unless ``follow_link``, then its
    target is. ``before_rename`` runs at the last moment and may refuse by raising. Raises
    ``NotWritable``.
    """
    target = Path(os.path.realpath(path)) if follow_link else path
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    temporary = target.with_name(f"{target.name}.{os.getpid()}.{os.urandom(6).hex()}.tmp")
    with _write_errors(path):
        make_dir(target.parent)
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode or 0o666)
            with open(descriptor, "wb") as out:
                _keep_mode(out.fileno(), target, mode if force_mode else None)
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            if before_rename is not None:
                before_rename()
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_dir(target.parent)


def write_if_changed(path: Path, text: str, **how: Any) -> bool:
    """``write_atomic`` unless ``path`` holds exactly ``text``; tells whether it wrote."""
    try:
        if path.read_bytes() == text.encode("utf-8", "surrogatepass"):
            return False
    except OSError:
        pass  # missing or unreadable: the write decides
    write_atomic(path, text, **how)
    return True


def read_text(path: Path, *, what: str = "file") -> str | None:
    """The text of ``path``, None when it is missing; ``UnreadableFile`` otherwise.

    ``what`` names the file's role in the message, e.g. ``"session store"``.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            f"{what} {path} is not UTF-8 (byte {error.start})", path=path
        ) from error
    except OSError as error:
        raise UnreadableFile(
            f"{what} {path} cannot be read: {error.strerror or error}", path=path
        ) from error


def load_json(path: Path, *, what: str = "file") -> Any:
    """The JSON value in ``path``, None when the file is missing.

    Raises ``UnreadableFile`` with line and column when it is not JSON.
    """
    text = read_text(path, what=what)
    if text is None:
        return None
    try:
        return jsontext.loads(text)
    except json.JSONDecodeError as error:
        reason = "is empty" if not text.strip() else f"is not JSON: {error.msg}"
        where = "" if not text.strip() else f" (line {error.lineno}, column {error.colno})"
        raise UnreadableFile(f"{what} {path} {reason}{where}", path=path) from error
    except RecursionError as error:
        raise UnreadableFile(f"{what} {path} is nested too deeply", path=path) from error


def refuse_link(path: Path, *, what: str = "file", hard: bool = False) -> None:
    """Raise ``NotAllowed`` when ``path`` is a symbolic link, a non-file, or (``hard``) linked."""
    try:
        info = path.lstat()
    except OSError:
        return
    if stat.S_ISLNK(info.st_mode):
        raise NotAllowed(f"{what} {path} is a symbolic link; it is not followed", path=path)
    if not stat.S_ISREG(info.st_mode):
        raise NotAllowed(f"{what} {path} is not a regular file", path=path)
    if hard and info.st_nlink > 1:
        raise NotAllowed(f"{what} {path} has another hard link", path=path)


def rename_durable(source: Path, target: Path) -> None:
    """Rename within one folder tree, never over an existing file (``FileExistsError``)."""
    if os.path.lexists(target):
        raise FileExistsError(os.fspath(target))
    source.rename(target)
    sync_dir(target.parent)
    if source.parent != target.parent:
        sync_dir(source.parent)


def remove_durable(path: Path) -> None:
    """Delete a file; a missing one is fine."""
    path.unlink(missing_ok=True)
    sync_dir(path.parent)


def sync_dir(folder: Path) -> None:
    """Flush a folder's entries to the disk; file systems that cannot are left alone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems refuse to sync a folder; the rename stands
    finally:
        os.close(descriptor)


def _keep_mode(descriptor: int, target: Path, forced: int | None) -> None:
    if forced is not None:
        os.fchmod(descriptor, forced)
        return
    try:
        existing = target.lstat()
    except OSError:
        return
    if not stat.S_ISREG(existing.st_mode):
        return
    os.fchmod(descriptor, stat.S_IMODE(existing.st_mode))
    if existing.st_uid != os.geteuid():
        with contextlib.suppress(OSError):  # only root may give files away
            os.fchown(descriptor, existing.st_uid, existing.st_gid)


@contextlib.contextmanager
def _write_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotWritable(
            f"cannot write {path}: {error.strerror or error}",
            path=path,
            hint="check the permissions and the free space of that folder",
        ) from error
