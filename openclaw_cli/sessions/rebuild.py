"""``sessions rebuild``: a store that is lost or unreadable, made anew from its transcripts.

The damaged file stays beside it as ``<store>.corrupt-<stamp>``. Keys come from the trail,
else from a backup of the store, else they are ``agent:<id>:explicit:<session id>``
(``sessions.md`` 16).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed, UnreadableFile
from openclaw_cli.sessions import (
    keys,
    names,
    recorded,
    store,
    store_text,
    transaction,
    transcript,
)
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.folder import list_folder
from openclaw_cli.sessions.recorded import Memory
from openclaw_cli.state import changes, clock
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.state.paths import Paths

COMMAND = "sessions rebuild"


@dataclass
class Rebuilt:
    """The rows made from transcripts. ``skipped`` are files that tell no session."""

    rows: dict[str, Any] = field(default_factory=dict)
    keys_found: int = 0
    keys_made: int = 0
    skipped: list[dict[str, str]] = field(default_factory=list)


@dataclass
class _Found:
    name: str
    row: dict[str, Any]
    key: str | None = None


def run(target: Target, paths: Paths, *, now_ms: int, dry_run: bool = False) -> dict[str, Any]:
    """Rebuild the store of ``target``; the document of the command.

    Raises ``NotAllowed`` when the store is sound, or when there is nothing to rebuild from.
    """
    if dry_run:
        return _document(target, *_plan(target, paths, now_ms), dry_run=True)
    if not target.sessions_dir.is_dir():
        raise _nothing(target)
    with transaction.locked(target.store_path):
        rebuilt, aside = _plan(target, paths, now_ms)
        transaction.replace_unreadable(target.store_path, rebuilt.rows, aside)
        change = changes.Change(
            COMMAND,
            "unreadable" if aside else "missing",
            "store",
            path=os.fspath(target.store_path),
            moved_to=None if aside is None else os.fspath(aside),
        )
        changes.record(paths, [change], now_ms)
    return _document(target, rebuilt, aside, dry_run=False)


def row_of(path: Path, name: str) -> dict[str, Any] | None:
    """The row that the transcript at ``path`` tells, None when it tells no session.

    ``name`` is its live name. Start and id come from the header, the time from the last
    line, model and tokens from the last answer of a model.
    """
    read = transcript.read(path)
    named = names.session_id_of(name)
    session_id = str(read.header["id"]).strip() if read.header else named
    if not names.is_row_id(session_id) or not (read.header or read.entries):
        return None
    started = _header_time(read.header)
    times = [at for line in read.entries if (at := transcript.timestamp_of(line)) is not None]
    row: dict[str, Any] = {"sessionId": session_id}
    last = times[-1] if times else started
    if last is None:
        last = int(path.stat().st_mtime * 1000)
    row["updatedAt"] = last
    if started is not None:
        row["sessionStartedAt"] = started
    usage = transcript.last_usage(read.entries)
    if usage is not None:
        row |= _usage_fields(usage)
    return row


def _plan(target: Target, paths: Paths, now_ms: int) -> tuple[Rebuilt, Path | None]:
    """The rows, and where the damaged store goes (None when it is missing)."""
    path = target.store_path
    damaged = os.path.lexists(path)
    try:
        found = store.load(path)
    except UnreadableFile:
        pass
    else:
        if found.exists:
            rows = counted(len(found.rows), "row")
            raise NotAllowed(
                f"session store {path} can be read ({rows}); it is not rebuilt",
                path=path,
                hint="'openclaw sessions cleanup --fix-missing' checks its rows",
            )
        damaged = False
    rebuilt = _rebuild(target, paths)
    if not rebuilt.rows:
        raise _nothing(target)
    return rebuilt, _free_aside(path, now_ms) if damaged else None


def _free_aside(path: Path, now_ms: int) -> Path:
    """A name for the damaged store; one that an interrupted run gave it is kept."""
    while True:
        aside = path.with_name(f"{path.name}.corrupt-{clock.archive_stamp(now_ms)}")
        if not os.path.lexists(aside) or (aside.exists() and aside.samefile(path)):
            return aside
        now_ms += 1


def _rebuild(target: Target, paths: Paths) -> Rebuilt:
    rebuilt = Rebuilt()
    found: list[_Found] = []
    for name in sorted(list_folder(target.sessions_dir).files):
        if not names.is_live(name):
            continue
        row = row_of(target.sessions_dir / name, name)
        if row is None:
            rebuilt.skipped.append({"path": name, "reason": "no session header and no message"})
            continue
        if name != names.transcript_name(row["sessionId"]):
            row["sessionFile"] = os.fspath(target.sessions_dir / name)
        found.append(_Found(name, row))
    memories = [recorded.from_trail(changes.read(paths)), *_backups(target)]
    found.sort(key=lambda item: item.row["updatedAt"], reverse=True)
    for item in found:
        _name(item, memories, target, rebuilt)
    return rebuilt


def _name(item: _Found, memories: list[Memory], target: Target, rebuilt: Rebuilt) -> None:
    """Give the session its key; the newest of several sessions of one key has it."""
    session_id = item.row["sessionId"]
    for memory in memories:
        known = memory.by_id.get(session_id)
        if known is not None and known.key not in rebuilt.rows:
            kept = {k: v for k, v in (known.row or {}).items() if k != "sessionFile"}
            rebuilt.rows[known.key] = kept | item.row
            rebuilt.keys_found += 1
            return
    key = keys.explicit_key(target.agent_id, session_id)
    if key in rebuilt.rows:
        key = keys.explicit_key(target.agent_id, item.name.removesuffix(names.SUFFIX))
    rebuilt.rows[key] = item.row
    rebuilt.keys_made += 1


def _backups(target: Target) -> Iterator[Memory]:
    """The sessions that the backups of the store know, the newest backup first."""
    folder = list_folder(target.sessions_dir)
    for name in store.backups(target.store_path.name, folder.files):
        try:
            rows = store_text.parse((target.sessions_dir / name).read_bytes())
        except (OSError, store_text.UnusableText):
            continue  # the next one may be sound
        memory = Memory()
        for key, row in rows.items():
            if isinstance(row, dict) and isinstance(row.get("sessionId"), str):
                memory.by_id[row["sessionId"].strip()] = recorded.Recorded(key, row)
        yield memory


def _header_time(header: dict[str, Any] | None) -> int | None:
    stamp = header.get("timestamp") if header else None
    return clock.parse_iso(stamp) if isinstance(stamp, str) else None


def _usage_fields(last: transcript.Usage) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if isinstance(last.provider, str):
        fields["modelProvider"] = last.provider
    if isinstance(last.model, str):
        fields["model"] = last.model
    counts = {name: last.usage.get(name) for name in ("input", "output", "cacheRead", "cacheWrite")}
    numbers = {name: n for name, n in counts.items() if type(n) is int and n >= 0}
    for name, field_name in (("input", "inputTokens"), ("output", "outputTokens")):
        if name in numbers:
            fields[field_name] = numbers[name]
    for name in ("cacheRead", "cacheWrite"):
        if name in numbers:
            fields[name] = numbers[name]
    if "input" in numbers:
        prompt = sum(numbers.get(name, 0) for name in ("input", "cacheRead", "cacheWrite"))
        fields |= {"totalTokens": prompt, "totalTokensFresh": True}
    return fields


def _nothing(target: Target) -> NotAllowed:
    path = target.store_path
    return NotAllowed(
        f"there are no transcripts beside {path} to rebuild it from",
        path=path,
        hint="move it aside to begin with an empty store" if os.path.lexists(path) else None,
    )


def _document(
    target: Target, rebuilt: Rebuilt, aside: Path | None, *, dry_run: bool
) -> dict[str, Any]:
    return {
        "storePath": os.fspath(target.store_path),
        "movedAside": None if aside is None else os.fspath(aside),
        "rows": len(rebuilt.rows),
        "keysFound": rebuilt.keys_found,
        "keysMade": rebuilt.keys_made,
        "skipped": rebuilt.skipped,
        "keys": sorted(rebuilt.rows),
        "agentId": target.agent_id,
        "dryRun": dry_run,
    }
