"""Lock files shared with the original program (``design.md`` 3, "Locks").

A *file lock* guards one read-modify-write and is waited for; a *run lock* says that one
run of something is going on and is held through it. Both are files created exclusively:
``<file>.lock`` with JSON ``pid``, ``createdAt`` and, on Linux, ``starttime`` (start ticks
of that pid); the recall store's lock is ``<pid>:<epoch ms>``. One stale rule for all: a
lock is taken over at once when its owner is dead, a zombie, or another process than the
one that wrote it; without a usable pid when it is more than 60 s old; never from a live
owner. It is removed on release only if it is still ours.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.errors import Busy, NotWritable
from openclaw_cli.state import clock, files
from openclaw_cli.state.tuples import NamedTuple

ORPHAN_AGE_MS = 60_000
DEFAULT_WAIT_S = 10.0
RENEW_EVERY_S = 10.0
_FIRST_PAUSE_S = 0.005
_LONGEST_PAUSE_S = 0.1
# What file systems without unnamed files say, and systems without /proc.
_NO_UNNAMED_FILES = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS, errno.ENOENT)

_held: dict[str, int] = {}  # lock path -> depth; re-entrant inside one process


class Owner(NamedTuple):
    """Who a lock file names. ``pid`` None means that it names nobody usable."""

    pid: int | None
    created_ms: int | None
    starttime: int | None
    alive: bool
    age_ms: int
    extra: dict[str, Any]

    @property
    def stale(self) -> bool:
        """Whether the lock may be taken over."""
        return self.age_ms > ORPHAN_AGE_MS if self.pid is None else not self.alive


@contextlib.contextmanager
def file_lock(
    target: Path, *, timeout_s: float | None = None, renew: bool = False
) -> Iterator[None]:
    """Hold ``<target>.lock`` for one read-modify-write.

    Waits ``OPENCLAW_LOCK_TIMEOUT`` (default 10) seconds, then raises ``Busy``. ``renew``
    rewrites ``createdAt`` every 10 s, as the session store needs (a 2026.3.13 gateway
    takes over a lock of more than 30 s).
    """
    path = target.with_name(target.name + ".lock")
    wait = _default_wait() if timeout_s is None else timeout_s
    with _hold(path, wait, lambda: _payload(None), renew=renew):
        yield


@contextlib.contextmanager
def run_lock(
    path: Path, *, wait_s: float = 0, extra: dict[str, Any] | None = None
) -> Iterator[None]:
    """Hold the run lock ``path``; ``Busy`` when another process has it after ``wait_s``.

    ``extra`` adds keys to the payload, e.g. ``{"run": "agent"}``.
    """
    with _hold(path, wait_s, lambda: _payload(extra)):
        yield


@contextlib.contextmanager
def pid_lock(path: Path, *, timeout_s: float | None = None) -> Iterator[None]:
    """Hold the recall store's lock, whose content is ``<pid>:<epoch ms>`` and a newline."""
    wait = _default_wait() if timeout_s is None else timeout_s
    with _hold(path, wait, lambda: f"{os.getpid()}:{clock.now_ms()}\n"):
        yield


def owner(path: Path) -> Owner | None:
    """Who holds the lock file ``path``; None when there is none."""
    try:
        info = path.lstat()
        raw = path.read_bytes()[:65536]
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotWritable(
            f"lock {path} cannot be inspected: {error.strerror or error}", path=path
        ) from error
    pid, created_ms, starttime, extra = _parse(raw)
    born = created_ms if created_ms is not None else int(info.st_mtime * 1000)
    alive = pid is not None and is_running(pid, starttime)
    return Owner(pid, created_ms, starttime, alive, max(0, clock.now_ms() - born), extra)


def is_held(path: Path) -> bool:
    """Whether a live owner (or one too young to be judged) holds the lock file ``path``."""
    found = owner(path)
    return found is not None and not found.stale


def held_by_another(path: Path) -> bool:
    """``is_held``, but locks of this very process do not count."""
    return not _held.get(os.path.abspath(path)) and is_held(path)


def remove_stale(path: Path) -> bool:
    """Remove the lock file ``path`` if its owner is gone; tells whether it did."""
    found = owner(path)
    if found is None or not found.stale:
        return False
    _take_away(path)
    return not os.path.lexists(path)


def start_ticks(pid: int) -> int | None:
    """Start time of process ``pid`` in clock ticks since boot; None where unknown."""
    fields = _stat_fields(pid)
    return int(fields[19]) if fields else None


@contextlib.contextmanager
def _hold(path: Path, wait_s: float, payload: Any, *, renew: bool = False) -> Iterator[None]:
    key = os.path.abspath(path)
    if _held.get(key):
        _held[key] += 1
        try:
            yield
        finally:
            _held[key] -= 1
        return
    identity = _acquire(path, wait_s, payload)
    _held[key] = 1
    renewal = _Renewal(path, payload) if renew else None
    try:
        yield
    finally:
        if renewal is not None:
            renewal.stop()
        del _held[key]
        _release(path, identity)


def _acquire(path: Path, wait_s: float, payload: Any) -> tuple[int, int]:
    """Create the lock file, taking over a stale one; its device and inode."""
    files.make_dir(path.parent)
    deadline = time.monotonic() + wait_s
    pause = _FIRST_PAUSE_S
    while True:
        identity = _create(path, payload())
        if identity is not None:
            return identity
        holder = owner(path)
        if holder is None:
            continue
        if holder.stale:
            _take_away(path)
            continue
        if time.monotonic() >= deadline:
            raise _busy(path, holder, wait_s)
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)


def _create(path: Path, content: str) -> tuple[int, int] | None:
    """A lock file that appears complete: written without a name, or aside, then linked."""
    try:
        try:
            return _link_unnamed(path, content)
        except OSError as error:
            if error.errno not in _NO_UNNAMED_FILES:
                raise
        return _link_aside(path, content)
    except FileExistsError:
        return None
    except OSError as error:
        raise NotWritable(
            f"cannot create lock {path}: {error.strerror or error}", path=path
        ) from error


def _link_unnamed(path: Path, content: str) -> tuple[int, int]:
    """Linux gives a file its name when it is complete: a crash leaves nothing behind."""
    unnamed = getattr(os, "O_TMPFILE", None)
    if unnamed is None:
        raise OSError(errno.EOPNOTSUPP, "no unnamed files here")
    descriptor = os.open(path.parent, unnamed | os.O_WRONLY, 0o600)
    with open(descriptor, "w") as out:
        out.write(content)
        out.flush()
        info = os.fstat(descriptor)
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:  # the folder's descriptor makes this a linkat, which follows the link in /proc
            os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=folder, follow_symlinks=True)
        finally:
            os.close(folder)
    return info.st_dev, info.st_ino


def _link_aside(path: Path, content: str) -> tuple[int, int]:
    aside = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w") as out:
            out.write(content)
            info = os.fstat(descriptor)
        os.link(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return info.st_dev, info.st_ino


def _take_away(path: Path) -> None:
    """Remove a stale lock file.

    Robbers take turns (a lock on the folder that the system drops with its process), so
    that none removes the fresh lock which another has put there meanwhile.
    """
    import fcntl

    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        found = owner(path)
        if found is not None and found.stale:
            path.unlink(missing_ok=True)
    finally:
        os.close(folder)


def _release(path: Path, identity: tuple[int, int]) -> None:
    try:
        info = path.lstat()
        # The inode alone could be a new file's, so the content has to name us as well.
        if (info.st_dev, info.st_ino) == identity and _names_us(path):
            path.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except (OSError, NotWritable) as error:
        # What was guarded is done. The next one takes the lock over once we are gone.
        import logging

        logging.getLogger(__name__).warning("lock %s stays behind: %s", path, error)


def _names_us(path: Path) -> bool:
    found = owner(path)
    return found is not None and found.pid == os.getpid()


def _payload(extra: dict[str, Any] | None) -> str:
    pid = os.getpid()
    content: dict[str, Any] = {"pid": pid, "createdAt": clock.iso(clock.now_ms())}
    ticks = start_ticks(pid)
    if ticks is not None:
        content["starttime"] = ticks
    return json.dumps(content | (extra or {}), indent=2)


def _parse(raw: bytes) -> tuple[int | None, int | None, int | None, dict[str, Any]]:
    text = raw.decode("utf-8", "replace").strip()
    head, colon, tail = text.partition(":")
    if colon and head.isdigit() and tail.strip().isdigit():
        return int(head) or None, int(tail), None, {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None, None, None, {}
    if not isinstance(data, dict):
        return None, None, None, {}
    pid, created, ticks = data.get("pid"), data.get("createdAt"), data.get("starttime")
    usable = isinstance(pid, int) and not isinstance(pid, bool) and pid > 0
    return (
        pid if usable else None,
        clock.parse_iso(created) if isinstance(created, str) else None,
        ticks if isinstance(ticks, int) else None,
        {k: v for k, v in data.items() if k not in ("pid", "createdAt", "starttime")},
    )


def is_running(pid: int, starttime: int | None) -> bool:
    """Whether process ``pid`` lives and, where known, is the one that started then."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    fields = _stat_fields(pid)
    if not fields:
        return True
    if fields[0] in ("Z", "X"):
        return False
    return starttime is None or int(fields[19]) == starttime


def _stat_fields(pid: int) -> list[str]:
    """The fields of ``/proc/<pid>/stat`` after the program's name; empty where unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as source:
            return source.read().rpartition(b")")[2].decode().split()
    except (OSError, ValueError):
        return []


def _busy(path: Path, holder: Owner, wait_s: float) -> Busy:
    who = "an unknown process" if holder.pid is None else f"pid={holder.pid}"
    waited = f" after {wait_s:g} s" if wait_s else ""
    return Busy(
        f"locked{waited} by {who} for {holder.age_ms / 1000:.0f} s: {path}",
        path=path,
        hint="try again when that process has finished",
    )


def _default_wait() -> float:
    try:
        return max(0.0, float(os.environ.get("OPENCLAW_LOCK_TIMEOUT", DEFAULT_WAIT_S)))
    except ValueError:
        return DEFAULT_WAIT_S


class _Renewal:
    """Rewrites ``createdAt`` of a held lock from a background thread."""

    def __init__(self, path: Path, payload: Any) -> None:
        import threading

        self._path, self._payload = path, payload
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(RENEW_EVERY_S):
            # In place, so that the file stays the one we created; a reader that meets it
            # half written sees no pid, and a file that young is never taken over.
            with contextlib.suppress(OSError), open(self._path, "r+") as out:
                out.write(self._payload())
                out.truncate()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
