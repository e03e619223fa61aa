"""The notes that an index is made from: as they are on disk, and as they were read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.memory.workspace import MemoryFile
from openclaw_cli.state.tuples import NamedTuple


class Message(NamedTuple):
    """A message of a transcript: its line in the file, what was said, on which day."""

    line: int
    text: str
    day: str | None


class NoteState(NamedTuple):
    """A note on disk: its place, path in results, fingerprint, size and times in ms.

    ``coarse`` tells that the file system keeps whole seconds only; ``said`` reads the
    messages where the note is a transcript.
    """

    file: str
    path: str
    stamp: str
    size: int
    mtime_ms: float
    changed_ms: float
    coarse: bool
    said: Callable[[], list[Message]] | None = None


class NoteText(NamedTuple):
    """A note as it was read: its index path, text, and the file's state at that moment.

    ``stamp`` is a fingerprint of the file's size, times and inode; ``mtime_ms`` may have
    a fraction. The lines of a transcript's text are its ``messages``.
    """

    path: str
    text: str
    stamp: str
    size: int
    mtime_ms: float
    messages: list[Message] | None = None


def state_of(files: Iterable[MemoryFile]) -> list[NoteState]:
    """Look at the files; one that vanished meanwhile is left out."""
    found = []
    for path, name in files:
        try:
            info = os.stat(path, follow_symlinks=False)
        except OSError:
            continue
        stamp = f"{info.st_size}:{info.st_mtime_ns}:{info.st_ctime_ns}:{info.st_ino}"
        coarse = info.st_ctime_ns % 1_000_000_000 == 0
        changed_ms, mtime_ms = info.st_ctime_ns / 1e6, info.st_mtime_ns / 1e6
        found.append(NoteState(path, name, stamp, info.st_size, mtime_ms, changed_ms, coarse))
    return found


def read_note(note: NoteState, warnings: list[str]) -> NoteText | None:
    """The text of a note; one that cannot be read is warned of and left as it is indexed."""
    try:
        if note.said is not None:
            messages = note.said()
            text = "\n".join(message.text for message in messages)
            return NoteText(note.path, text, note.stamp, note.size, note.mtime_ms, messages)
        with open(note.file, "rb") as source:
            text = source.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except (OSError, UnreadableFile) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        warnings.append(f"could not read {note.file}: {reason or error}")
        return None
    return NoteText(note.path, text, note.stamp, note.size, note.mtime_ms)
