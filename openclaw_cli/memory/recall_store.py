"""The short-term recall store on disk: ``memory/.dreams/short-term-recall.json``.

Loading never changes the file. Rows that are no usable entries (and unknown fields, of
rows and of the document) are carried along by every write; only a repair removes them.
Whoever changes the store holds ``lock`` around load and save (``memory.md`` 4.3, 4.7).
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed, UnreadableFile
from openclaw_cli.memory.entries import Entry, normalize_entry, retain
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files, jsontext
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.state.paths import Paths

WHAT = "short-term recall store"
NEW_HINT = "openclaw memory status --fix starts a new one"
FIX_HINT = "openclaw memory status --fix moves it aside and starts a new one"


class DamagedStore(UnreadableFile):
    """The store's file holds no document: no JSON, no UTF-8, or nothing (``blank``)."""

    code = "store-unreadable"

    def __init__(self, path: Path, reason: str, *, blank: bool = False) -> None:
        super().__init__(f"{WHAT} {path} {reason}", path=path, hint=NEW_HINT if blank else FIX_HINT)
        self.blank = blank


class RecallStore:
    """The store in memory. ``entries`` are in file order; ``invalid`` are unusable rows.

    ``updated_at`` is None for a store that is not on disk yet. ``text`` is the file as it
    was read, ``extra`` what else its document holds.
    """

    def __init__(self, *, text: str = "", updated_at: str | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        self.invalid: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.text = text
        self.updated_at = updated_at
        self.exists = updated_at is not None

    def kept(self) -> dict[str, Entry]:
        """The at most 512 entries that count; what is over the limit stays on disk."""
        return retain(self.entries)[0]


class Writer(NamedTuple):
    """On whose behalf something is written: where the change log is, when, by what command."""

    paths: Paths
    now_ms: int
    command: str


def lock(workspace: Workspace) -> AbstractContextManager[None]:
    """The lock of recall store and phase signals; ``Busy`` when it is held for long."""
    from openclaw_cli.state.lock import pid_lock

    make_dreams_dir(workspace)
    return pid_lock(workspace.lock_path)


def load(workspace: Workspace, now_ms: int) -> RecallStore:
    """Read the store; a missing file is an empty store.

    Raises ``DamagedStore`` when the file is blank or no JSON, ``UnreadableFile`` when it
    cannot be read, and ``NotAllowed`` for a symbolic link. ``now_ms`` stands in for missing
    timestamps.
    """
    files.refuse_link(workspace.recall_path, what=WHAT)
    try:
        text = files.read_text(workspace.recall_path, what=WHAT)
    except UnreadableFile as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise DamagedStore(workspace.recall_path, "is not UTF-8") from error
        raise
    return RecallStore() if text is None else parse(text, workspace, now_ms)


def parse(text: str, workspace: Workspace, now_ms: int) -> RecallStore:
    """The store that ``text`` holds; a document of another shape is an empty one."""
    document = _parse_json(text, workspace)
    now_iso = clock.iso(now_ms)
    root = document if isinstance(document, dict) else {}
    rows = root.get("entries")
    store = RecallStore(text=text, updated_at=now_iso)
    store.extra = {name: value for name, value in root.items() if name != "entries"}
    updated = root.get("updatedAt")
    if isinstance(updated, str):
        store.updated_at = updated
    for key, raw in rows.items() if isinstance(rows, dict) else ():
        entry = normalize_entry(key, raw, now_iso)
        if entry is None:
            store.invalid[key] = raw
        else:
            store.entries[key] = entry
    return store


def dumps(store: RecallStore, updated_at: str) -> str:
    """The document text of ``store``."""
    from openclaw_cli.state.jsonnum import dumps as write_json

    document = {"version": 1} | store.extra | {"updatedAt": updated_at}
    return write_json(document | {"entries": store.entries | store.invalid}) + "\n"


def save(workspace: Workspace, store: RecallStore, writer: Writer) -> list[str]:
    """Apply retention and write the store; the keys that retention dropped.

    Dropped rows go to the change log first. Raises ``NotWritable``.
    """
    kept, dropped = retain(store.entries)
    record_removed(
        workspace, {key: store.entries[key] for key in dropped}, writer, rule="recall-store-limit"
    )
    store.entries = kept
    store.updated_at, store.exists = clock.iso(writer.now_ms), True
    write_document(workspace, dumps(store, store.updated_at))
    return dropped


def write_document(workspace: Workspace, text: str) -> None:
    """Replace the store's file; private, in a private folder, never through a link."""
    make_dreams_dir(workspace)
    files.refuse_link(workspace.recall_path, what=WHAT)
    files.write_atomic(workspace.recall_path, text, mode=files.PRIVATE_FILE, force_mode=True)


def make_dreams_dir(workspace: Workspace) -> None:
    """Create ``memory/.dreams`` and keep it private; the folders above keep their modes.

    Raises ``NotAllowed`` when a link stands in its place: state is not written through it.
    """
    if workspace.dreams_dir.is_symlink():
        path = workspace.dreams_dir
        raise NotAllowed(f"dreaming state {path} is a symbolic link; it is not followed", path=path)
    files.make_dir(workspace.dreams_dir)
    if workspace.dreams_dir.stat().st_mode & 0o077:
        try:
            workspace.dreams_dir.chmod(files.PRIVATE_DIR)
        except PermissionError:
            return  # someone else's folder: its owner decides


def record_removed(
    workspace: Workspace, rows: dict[str, Any], writer: Writer, *, rule: str
) -> None:
    """Keep ``rows`` that are about to leave the store in the change log."""
    if not rows:
        return
    from openclaw_cli.state import changes

    path = str(workspace.recall_path)
    changes.record(
        writer.paths,
        [
            changes.Change(writer.command, rule, "recall-entry", key=key, path=path, row=row)
            for key, row in rows.items()
        ],
        writer.now_ms,
    )


def _parse_json(text: str, workspace: Workspace) -> Any:
    path = workspace.recall_path
    if not text.strip():
        raise DamagedStore(path, "is empty", blank=True)
    try:
        return jsontext.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DamagedStore(path, f"is not JSON: {error.msg} ({where})") from error
    except RecursionError as error:
        raise DamagedStore(path, "is nested too deeply") from error
