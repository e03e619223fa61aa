"""The record of every delivery: ``outbox/outbox.jsonl``, only ever appended to.

A record is written before a message is handed over and after; a change of status appends
a line with the same ``id``, and the last one counts. A record that is still ``pending``
while its process is gone means that nobody knows whether the message left: it is
``uncertain``, and never sent again by itself (``design.md`` 3, "Delivery";
``commands.md``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.state import ids, jsonl, lock
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

PENDING, SENT, QUEUED, FAILED, UNCERTAIN = "pending", "sent", "queued", "failed", "uncertain"
STATUSES = (PENDING, SENT, QUEUED, FAILED, UNCERTAIN)
HANDED_OVER = (SENT, QUEUED)
MAX_RETRIES = 3
SOURCES = ("agent", "heartbeat", "commitment", "cron", "report")

INTERRUPTED = "the process died before it could record the outcome"

_OWNER = ("pid", "starttime", "orphan")
_OF_ONE_ATTEMPT = (*_OWNER, "error", "retry")

Record = dict[str, Any]


class Message(NamedTuple):
    """What shall be delivered to whom; ``source`` is one of ``SOURCES``."""

    text: str
    channel: str
    to: str
    source: str
    account_id: str | None = None
    thread_id: str | None = None
    agent_id: str | None = None
    session_key: str | None = None
    source_id: str | None = None


def path_of(paths: Paths) -> Path:
    """Where the record is."""
    return paths.under("outbox", "outbox.jsonl")


def new_record(message: Message, status: str, now_ms: int) -> Record:
    """A first record of ``message``, owned by this process while it is pending."""
    record: Record = {
        "id": ids.stamped("ob", now_ms, os.urandom(5)),
        "ts": now_ms,
        "agentId": message.agent_id,
        "sessionKey": message.session_key,
        "channel": message.channel,
        "to": message.to,
        "accountId": message.account_id,
        "threadId": message.thread_id,
        "text": message.text,
        "source": message.source,
        "sourceId": message.source_id,
        "status": status,
        "attempts": 1,
    }
    return _owned(record)


def again(record: Mapping[str, Any], now_ms: int) -> Record:
    """``record`` pending once more, for a repeat."""
    fresh = {"status": PENDING, "attempts": _tries(record) + 1, "updatedAtMs": now_ms}
    return _owned(_without(record, _OF_ONE_ATTEMPT) | fresh)


def settled(
    record: Mapping[str, Any],
    status: str,
    now_ms: int,
    *,
    error: str | None = None,
    retry: bool = False,
) -> Record:
    """``record`` with its outcome; ``retry`` asks for a repeat by the next tick."""
    line = _without(record, _OF_ONE_ATTEMPT) | {"status": status, "updatedAtMs": now_ms}
    if error:
        line["error"] = error
    if retry:
        line["retry"] = True
    return line


def public(record: Mapping[str, Any]) -> Record:
    """``record`` without what only tells who works on it."""
    return _without(record, _OWNER)


def append(paths: Paths, records: Sequence[Record]) -> None:
    """Add lines under the lock of the file."""
    path = path_of(paths)
    with lock.file_lock(path):
        jsonl.append(path, records)


def load(paths: Paths) -> list[Record]:
    """The records as they stand, oldest first; orphans already count as uncertain."""
    return [_judged(record) for record in fold(jsonl.read_objects(path_of(paths), what="outbox"))]


def fold(lines: Iterable[Mapping[str, Any]]) -> list[Record]:
    """The last line of each id, in the order of first appearance."""
    latest: dict[str, Record] = {}
    for line in lines:
        row_id = line.get("id")
        if isinstance(row_id, str) and line.get("status") in STATUSES:
            latest[row_id] = dict(line)
    return list(latest.values())


def change(
    paths: Paths, record_ids: Sequence[str], decide: Callable[[Record], Record | None]
) -> dict[str, tuple[Record | None, Record | None]]:
    """Decide about records under the lock: id to (record found, record written).

    ``decide`` gets a record and returns the new line, or None for no change.
    """
    path = path_of(paths)
    results: dict[str, tuple[Record | None, Record | None]] = {}
    if not path.exists():
        return dict.fromkeys(record_ids, (None, None))
    with lock.file_lock(path):
        by_id = {record["id"]: record for record in load(paths)}
        lines = []
        for row_id in dict.fromkeys(record_ids):
            found = by_id.get(row_id)
            written = None if found is None else decide(found)
            results[row_id] = found, written
            if written is not None:
                lines.append(written)
        jsonl.append(path, lines)
    return results


def recover(paths: Paths, now_ms: int) -> list[Record]:
    """Write down which deliveries died in between; returns the records concerned."""
    path = path_of(paths)
    if not path.exists() or not any(_is_orphan(r) for r in load(paths)):
        return []
    with lock.file_lock(path):
        orphans = [
            settled(record, UNCERTAIN, now_ms, error=INTERRUPTED)
            for record in load(paths)
            if _is_orphan(record)
        ]
        jsonl.append(path, orphans)
    return orphans


def wants_retry(record: Mapping[str, Any]) -> bool:
    """Whether the next tick shall try a record again: its program asked for it."""
    is_wanted = record.get("status") == FAILED and record.get("retry") is True
    return is_wanted and _tries(record) <= MAX_RETRIES


def _tries(record: Mapping[str, Any]) -> int:
    count = record.get("attempts")
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def _without(record: Mapping[str, Any], names: Sequence[str]) -> Record:
    return {key: value for key, value in record.items() if key not in names}


def _owned(record: Record) -> Record:
    pid = os.getpid()
    ticks = lock.start_ticks(pid)
    return {**record, "pid": pid} | ({} if ticks is None else {"starttime": ticks})


def _is_orphan(record: Mapping[str, Any]) -> bool:
    """Whether a record was left pending by a process that is gone (see ``_judged``)."""
    return bool(record.get("status") == UNCERTAIN and record.get("orphan"))


def _judged(record: Record) -> Record:
    if record["status"] != PENDING or _is_alive(record):
        return record
    return {**record, "status": UNCERTAIN, "error": INTERRUPTED, "orphan": True}


def _is_alive(record: Mapping[str, Any]) -> bool:
    pid, ticks = record.get("pid"), record.get("starttime")
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return False
    return lock.is_running(pid, ticks if isinstance(ticks, int) else None)
