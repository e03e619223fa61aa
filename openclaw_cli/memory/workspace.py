"""Which files of a workspace are memory, and where its dreaming state lies.

``memory.md`` 1.2 and 1.3. Where an agent's workspace is, is ``config/agents.py``'s business.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from openclaw_cli.state.tuples import NamedTuple

NOTES = "memory"  # the sources of search
CONVERSATIONS = "sessions"
MEMORY_FILE = "MEMORY.md"
MEMORY_DIR = "memory"
LEGACY_DIR = ".openclaw-repair"

_CORPUS_FOLDER = "/memory/.dreams/session-corpus/"


class Workspace(NamedTuple):
    """The paths of one workspace. ``root`` is absolute and need not exist."""

    root: Path

    @property
    def memory_file(self) -> Path:
        """``MEMORY.md``, what is always loaded."""
        return self.root / MEMORY_FILE

    @property
    def memory_dir(self) -> Path:
        """``memory/``, the notes."""
        return self.root / MEMORY_DIR

    @property
    def dreams_dir(self) -> Path:
        """``memory/.dreams``, the machine state; 0700."""
        return self.root / MEMORY_DIR / ".dreams"

    @property
    def recall_path(self) -> Path:
        """The short-term recall store."""
        return self.dreams_dir / "short-term-recall.json"

    @property
    def lock_path(self) -> Path:
        """The lock of every read-modify-write of recall store and phase signals."""
        return self.dreams_dir / "short-term-promotion.lock"

    @property
    def signals_path(self) -> Path:
        """The phase signals."""
        return self.dreams_dir / "phase-signals.json"

    @property
    def events_path(self) -> Path:
        """The event log."""
        return self.dreams_dir / "events.jsonl"

    @property
    def corpus_dir(self) -> Path:
        """Redacted transcript lines by day."""
        return self.dreams_dir / "session-corpus"

    @property
    def session_ingestion_path(self) -> Path:
        """The checkpoint of transcript ingestion."""
        return self.dreams_dir / "session-ingestion.json"

    @property
    def repair_dir(self) -> Path:
        """Where repairs put what they move out of the way."""
        return self.root / LEGACY_DIR


def normalize_path(path: str) -> str:
    """A stored or hit path with forward slashes and without one leading ``./``."""
    if "\\" in path:
        path = path.replace("\\", "/")
    return path[2:] if path.startswith("./") else path


def is_short_term(path: str) -> bool:
    """Whether a normalised path is a dated note or corpus file (``memory.md`` 1.3)."""
    folder, _, name = path.rpartition("/")
    if not _starts_with_date(name):
        return False
    inside, rest = f"/{folder}/", name[10:]
    if rest == ".txt":
        return inside.endswith(_CORPUS_FOLDER)
    if rest != ".md" and not (rest[0] == "-" and rest.endswith(".md") and len(rest) > 4):
        return False
    return not folder or ("/memory/" in inside and "/memory/dreaming/" not in inside)


def is_corpus(path: str) -> bool:
    """Whether a normalised path is a file of redacted transcript lines."""
    return _CORPUS_FOLDER in f"/{path}"


def source_of(path: str) -> str:
    """The source that an index path belongs to: notes are Markdown, transcripts are not."""
    return CONVERSATIONS if path.endswith(".jsonl") else NOTES


def _starts_with_date(name: str) -> bool:
    """Whether a file name begins ``YYYY-MM-DD`` and goes on."""
    digits = name[:4] + name[5:7] + name[8:10]
    return (
        len(name) > 10
        and name[4] == name[7] == "-"
        and digits.isascii()
        and digits.isdigit()
        and len(digits) == 8
    )


class MemoryFile(NamedTuple):
    """A file to index: where it is, and its path in results, relative to the workspace.

    ``path`` is text: thousands of path objects are what a search over many notes would
    spend most of its time on.
    """

    path: str
    name: str


class Scan:
    """The memory files of one workspace and what stood in the way of finding them.

    ``inaccessible`` tells that a folder could not be listed, so that the count is unknown.
    """

    def __init__(self) -> None:
        self.files: list[MemoryFile] = []
        self.issues: list[str] = []
        self.inaccessible = False


class _Scanner:
    """Collects files into a ``Scan``, each real file once."""

    def __init__(self, root: Path, display: Callable[[Path], str]) -> None:
        self.root = os.fspath(root)
        self.display = display
        self.scan = Scan()
        self._seen: set[str] = set()

    def take_file(self, path: Path) -> None:
        if not path.is_symlink() and path.is_file():
            self._take(os.fspath(path), os.path.realpath(path))

    def take_tree(self, folder: Path) -> None:
        """Every ``*.md`` below ``folder``; links are neither taken nor entered."""
        if os.path.isdir(folder) and not os.path.islink(folder):
            self._walk(os.fspath(folder), os.path.realpath(folder))

    def _walk(self, folder: str, real: str) -> None:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            self.scan.inaccessible = True
            where = self.display(Path(folder))
            self.scan.issues.append(f"memory directory not accessible ({where}): {_code(error)}")
            return
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != LEGACY_DIR:
                    self._walk(entry.path, os.path.join(real, entry.name))
            elif entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                self._take(entry.path, os.path.join(real, entry.name))

    def _take(self, path: str, real: str) -> None:
        if real in self._seen:
            return
        self._seen.add(real)
        if not os.access(path, os.R_OK):
            self.scan.issues.append(f"{self.display(Path(path))} not readable (EACCES)")
        inside = path.startswith(self.root + os.sep)
        name = path[len(self.root) + 1 :] if inside else os.path.relpath(path, self.root)
        self.scan.files.append(MemoryFile(path, name.replace(os.sep, "/")))


def scan_memory(
    workspace: Workspace,
    extra_paths: Iterable[Path] = (),
    *,
    display: Callable[[Path], str] = os.fspath,
) -> Scan:
    """List ``MEMORY.md``, the notes and the extra paths, in that order, each file once.

    ``extra_paths`` are absolute. ``display`` writes a path for people in ``issues``.
    """
    scanner = _Scanner(workspace.root, display)
    if _has_exact_name(workspace.memory_file):
        scanner.take_file(workspace.memory_file)
    if workspace.memory_dir.is_dir() and not workspace.memory_dir.is_symlink():
        scanner.take_tree(workspace.memory_dir)
    else:
        scanner.scan.issues.append(f"memory directory missing ({display(workspace.memory_dir)})")
    for extra in extra_paths:
        try:
            os.lstat(extra)
        except FileNotFoundError:
            scanner.scan.issues.append(f"additional memory path missing ({display(extra)})")
        except OSError as error:
            where = display(extra)
            scanner.scan.issues.append(
                f"additional memory path not accessible ({where}): {_code(error)}"
            )
        else:
            if extra.suffix == ".md":
                scanner.take_file(extra)
            scanner.take_tree(extra)
    scan = scanner.scan
    if not scan.files and not scan.issues:
        scan.issues.append(f"no memory files found in {display(workspace.root)}")
    return scan


def _code(error: OSError) -> str:
    import errno

    return errno.errorcode.get(error.errno or 0, "error")


def _has_exact_name(path: Path) -> bool:
    """On file systems that ignore case, ``memory.md`` must not pass for ``MEMORY.md``."""
    try:
        return path.name in os.listdir(path.parent)
    except OSError:
        return False
