"""Transcripts: one conversation as JSON lines (``sessions.md`` 3.2, 3.3, 3.5).

Line 1 is the header; every other line has ``id`` and ``parentId``, so that the lines form
a tree whose active branch is the conversation. Reading never repairs and never drops a
line silently: what cannot be used is counted. Older versions are migrated in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

from openclaw_cli.state import clock, jsonl
from openclaw_cli.state.tuples import NamedTuple

VERSION = 3
HEADER = "session"
MIRROR_PROVIDER = "openclaw"
MIRROR_MODELS = ("delivery-mirror", "gateway-injected")

_ROLES = ("user", "assistant", "tool", "toolResult", "system")


class Transcript(NamedTuple):
    """A transcript as read: its header, its usable lines in order, and what was skipped.

    ``header`` is None where the file has no valid one; ``exists`` is False for a missing
    file. ``entries`` are in the newest form.
    """

    path: Path
    header: dict[str, Any] | None
    entries: list[dict[str, Any]]
    skipped: int
    exists: bool


class Usage(NamedTuple):
    """Model and token usage of the last model answer in a transcript."""

    provider: str | None
    model: str | None
    usage: dict[str, Any]


# Reading


def read(path: Path) -> Transcript:
    """The transcript ``path``; ``UnreadableFile`` when the operating system refuses."""
    header: dict[str, Any] | None = None
    entries: list[dict[str, Any]] = []
    skipped = 0
    for line in jsonl.read(path, what="transcript"):
        value = line.value
        if value is None and not line.text.strip():
            continue
        if line.number == 1 and is_header(value):
            header = value
        elif is_usable(value):
            entries.append(value)
        else:
            skipped += 1
    return Transcript(path, header, _migrated(header, entries), skipped, path.exists())


def read_header(path: Path) -> dict[str, Any] | None:
    """The header line alone; None when the file is missing, unreadable or has no valid one."""
    from json import loads

    try:
        with path.open("rb") as source:
            first = source.readline(1 << 20)
        value = loads(first)
    except (OSError, ValueError, RecursionError):
        return None
    return value if is_header(value) else None


def started_at(path: Path) -> int | None:
    """When the session of a transcript began, from its header; epoch ms."""
    header = read_header(path)
    stamp = header.get("timestamp") if header else None
    return clock.parse_iso(stamp) if isinstance(stamp, str) else None


def is_header(value: object) -> bool:
    """Whether a line is a valid session header."""
    return isinstance(value, dict) and value.get("type") == HEADER and bool(value.get("id"))


def is_message(value: object) -> bool:
    """Whether a line counts as a message of a conversation (maintenance 4.10)."""
    if not isinstance(value, dict):
        return False
    if "type" in value:
        return bool(value["type"] == "message")
    inner = value.get("message")
    role = inner.get("role") if isinstance(inner, dict) else None
    return role in _ROLES or value.get("role") in _ROLES


def is_usable(value: object) -> bool:
    """Whether a line after the header can be kept: an object; a message needs a role."""
    if not isinstance(value, dict) or value.get("type") == HEADER:
        return False
    if value.get("type") != "message":
        return "type" in value or is_message(value)
    message = value.get("message")
    return isinstance(message, dict) and isinstance(message.get("role"), str)


def is_mirror(message: dict[str, Any]) -> bool:
    """Whether an assistant line only mirrors what was sent or injected."""
    return message.get("provider") == MIRROR_PROVIDER and message.get("model") in MIRROR_MODELS


def message_of(entry: dict[str, Any]) -> dict[str, Any] | None:
    """The message object of a line, old bare forms included; None for other lines."""
    if not is_message(entry):
        return None
    inner = entry.get("message")
    return inner if isinstance(inner, dict) else entry


def text_of(message: dict[str, Any]) -> str:
    """The text of a message: its text blocks joined by newlines."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    blocks = (b.get("text") for b in content if isinstance(b, dict) and b.get("type") == "text")
    return "\n".join(text for text in blocks if isinstance(text, str))


def conversation(entries: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Role, text and line of each user or assistant message with text, in file order."""
    for entry in entries:
        message = message_of(entry)
        if message is None or message.get("role") not in ("user", "assistant"):
            continue
        text = text_of(message)
        if text.strip():
            yield message["role"], text, entry


def first_user_text(entries: Iterable[dict[str, Any]]) -> str | None:
    """The text of the first user message that has one."""
    return next((text for role, text, _ in conversation(entries) if role == "user"), None)


def last_usage(entries: Iterable[dict[str, Any]]) -> Usage | None:
    """Model and usage of the last answer of a model; mirrors do not count."""
    found: Usage | None = None
    for entry in entries:
        message = message_of(entry)
        if message is None or message.get("role") != "assistant" or is_mirror(message):
            continue
        usage = message.get("usage")
        if isinstance(usage, dict):
            found = Usage(message.get("provider"), message.get("model"), usage)
    return found


def timestamp_of(entry: dict[str, Any]) -> int | None:
    """When a line was written, epoch ms; the message's own time where the line has none."""
    stamp = entry.get("timestamp")
    if isinstance(stamp, str):
        return clock.parse_iso(stamp)
    own = (message_of(entry) or {}).get("timestamp") if stamp is None else stamp
    if isinstance(own, bool) or not isinstance(own, int | float):
        return None
    return int(own) if isfinite(own) else None


# The tree


def active_leaf(entries: list[dict[str, Any]]) -> str | None:
    """The id of the last line, or the target of a ``leaf`` line that comes after it."""
    for entry in reversed(entries):
        identity = entry.get("targetId") if entry.get("type") == "leaf" else entry.get("id")
        if isinstance(identity, str):
            return identity
    return None


def active_path(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines from the root to the active leaf.

    The chain ends at a parent that does not exist, and at one it has met before.
    """
    by_id = {entry["id"]: entry for entry in entries if isinstance(entry.get("id"), str)}
    path: list[dict[str, Any]] = []
    seen: set[str] = set()
    at = active_leaf(entries)
    while at is not None and at in by_id and at not in seen:
        seen.add(at)
        entry = by_id[at]
        path.append(entry)
        parent = entry.get("parentId")
        at = parent if isinstance(parent, str) else None
    path.reverse()
    return path


# Writing


def make_header(
    session_id: str, *, now_ms: int, cwd: str, parent: str | None = None
) -> dict[str, Any]:
    """The header of a new transcript; ``parent`` is the path of the one it was forked from."""
    header: dict[str, Any] = {
        "type": HEADER,
        "version": VERSION,
        "id": session_id,
        "timestamp": clock.iso(now_ms),
        "cwd": cwd,
    }
    return header | ({"parentSession": parent} if parent else {})


def make_entry(
    kind: str, fields: dict[str, Any], *, parent_id: str | None, now_ms: int, taken: set[str]
) -> dict[str, Any]:
    """A line of type ``kind`` below ``parent_id``; its new id is added to ``taken``."""
    identity = new_entry_id(taken)
    base = {"type": kind, "id": identity, "parentId": parent_id, "timestamp": clock.iso(now_ms)}
    return base | fields


def new_entry_id(taken: set[str]) -> str:
    """Eight hex digits that no line of the file has yet; added to ``taken``."""
    while (identity := os.urandom(4).hex()) in taken:
        pass
    taken.add(identity)
    return identity


def append(path: Path, lines: list[dict[str, Any]]) -> None:
    """Append ``lines`` durably; a torn last line is closed first, a new file is 0600.

    The caller holds the transcript's turn lock.
    """
    jsonl.append(path, lines)


# Older versions


def _migrated(header: dict[str, Any] | None, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    version = header.get("version", 1) if header else VERSION
    if isinstance(version, int) and version >= VERSION and all("id" in e for e in entries):
        return entries
    lines: list[dict[str, Any]] = []
    parent: str | None = None
    line: dict[str, Any]
    for number, entry in enumerate(entries, 1):
        line = {"type": "message", "message": entry} if "type" not in entry else dict(entry)
        line.setdefault("id", f"{number:08x}")
        line.setdefault("parentId", parent)
        if isinstance(line["id"], str):
            parent = line["id"]
        lines.append(_renamed_role(line))
    for line in lines:
        _name_first_kept(line, lines)
    return lines


def _renamed_role(line: dict[str, Any]) -> dict[str, Any]:
    message = line.get("message")
    if isinstance(message, dict) and message.get("role") == "hookMessage":
        return line | {"message": message | {"role": "custom"}}
    return line


def _name_first_kept(line: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """Version 1 counted lines, the header included, where later ones name an id."""
    index = line.pop("firstKeptEntryIndex", None) if line.get("type") == "compaction" else None
    if isinstance(index, int) and 1 <= index <= len(lines):
        line.setdefault("firstKeptEntryId", lines[index - 1]["id"])
