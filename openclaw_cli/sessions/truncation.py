"""Cutting a transcript: to its last lines, or to what a compaction left (``sessions.md`` 9).

Under the session's turn lock: the original is kept as a ``.bak.`` archive, the file is
replaced at once, and the row's token counters, where they no longer hold, go.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import compaction, discovery, entry, names, transcript
from openclaw_cli.sessions.selection import Selected
from openclaw_cli.sessions.work import Work
from openclaw_cli.state import changes, files, jsonl, lock
from openclaw_cli.state.jsonnum import dumps

_STALE_COUNTERS = ("inputTokens", "outputTokens", "cacheRead", "cacheWrite", "totalTokens")


def truncate(selected: Selected, max_lines: int, work: Work) -> dict[str, Any]:
    """Cut the transcript of ``selected`` to ``max_lines``; what was done.

    Raises ``Busy`` while a turn of the session runs.
    """
    path = _transcript_of(selected, work)
    key = selected.key
    if isinstance(path, str):
        return {"ok": True, "key": key, "compacted": False, "reason": path}
    with lock.run_lock(path.with_name(path.name + ".lock")):
        usable = _lines(selected, path, work)
        shortened = compaction.truncate(usable, max_lines)
        if shortened is None:
            return {"ok": True, "key": key, "compacted": False, "kept": len(usable)}
        archived = _replace(path, shortened.lines, work.now_ms)
        _clear_counters(selected, work)
    _record(key, path, archived, work, rule="max-lines")
    return {
        "ok": True,
        "key": key,
        "compacted": True,
        "archived": str(archived),
        "kept": len(shortened.lines),
    }


def preview(selected: Selected, max_lines: int, work: Work) -> dict[str, Any]:
    """What ``truncate`` would do; changes nothing."""
    path = _transcript_of(selected, work)
    document = {"ok": True, "key": selected.key, "compacted": False, "dryRun": True}
    if isinstance(path, str):
        return document | {"wouldCompact": False, "reason": path}
    usable = _lines(selected, path, work)
    shortened = compaction.truncate(usable, max_lines)
    kept = len(usable) if shortened is None else len(shortened.lines)
    return document | {"wouldCompact": shortened is not None, "kept": kept, "lines": len(usable)}


def drop_summarised(key: str, path: Path, work: Work) -> Path | None:
    """Take what the last compaction summarised out of a transcript; the archive with all of it.

    The caller holds the session's turn. None when there was nothing to take out.
    """
    lines = [line.value for line in jsonl.read(path, what="transcript")]
    usable = [line for line in lines if isinstance(line, dict)]
    if not usable or not transcript.is_header(usable[0]):
        return None
    shortened = compaction.without_summarised(usable)
    if shortened is None:
        return None
    archived = _replace(path, shortened.lines, work.now_ms)
    _record(key, path, archived, work, rule="compacted")
    return archived


def _record(key: str, path: Path, archived: Path, work: Work, *, rule: str) -> None:
    change = changes.Change(
        command=work.command,
        rule=rule,
        what="transcript",
        key=key,
        path=str(path),
        moved_to=str(archived),
        undo=f"openclaw sessions restore {shlex.quote(str(archived))} --replace",
    )
    changes.record(work.paths, [change], work.now_ms)


def _transcript_of(selected: Selected, work: Work) -> Path | str:
    """The transcript of a session, or why there is none to cut."""
    target, _, row = selected
    found = discovery.find_transcript(row, target, work.paths) if entry.is_usable(row) else None
    if found is None or found.path is None or not row.get("sessionId"):
        return "no sessionId"
    return found.path if found.path.is_file() else "no transcript"


def _lines(selected: Selected, path: Path, work: Work) -> list[dict[str, Any]]:
    """The usable lines of a transcript, with a header in front."""
    lines = [line.value for line in jsonl.read(path, what="transcript")]
    usable = [line for line in lines if isinstance(line, dict)]
    if not usable or not transcript.is_header(usable[0]):
        session_id = selected.row["sessionId"]
        header = transcript.make_header(session_id, now_ms=work.now_ms, cwd=os.getcwd())
        usable.insert(0, header)
    return usable


def _replace(path: Path, lines: list[dict[str, Any]], now_ms: int) -> Path:
    """Keep the file under the next free archive name, then put ``lines`` in its place."""
    files.refuse_link(path, what="transcript")
    while True:
        archived = path.with_name(names.archive_name(path.name, "bak", now_ms))
        try:
            os.link(path, archived)
            break
        except FileExistsError:
            now_ms += 1
    files.write_atomic(path, "".join(dumps(line, indent=None) + "\n" for line in lines))
    return archived


def _clear_counters(selected: Selected, work: Work) -> None:
    def change(rows: dict[str, Any]) -> None:
        row = rows.get(selected.key)
        if not isinstance(row, dict) or row.get("sessionId") != selected.row.get("sessionId"):
            return  # another session took the key meanwhile
        kept = {field: value for field, value in row.items() if field not in _STALE_COUNTERS}
        rows[selected.key] = kept | {"totalTokensFresh": False}

    work.change_rows(selected.target, selected.key, change)
