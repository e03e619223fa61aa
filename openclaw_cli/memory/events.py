"""The event log of a workspace: ``memory/.dreams/events.jsonl`` (``memory.md`` 4.2).

Appended under the recall store's lock, one compact object a line, private, rotated at
5 MiB to one earlier generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from openclaw_cli.memory.recall_store import make_dreams_dir
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import files, jsonl

ROTATE_BYTES = 5 * 1024 * 1024
RECALL_RECORDED = "memory.recall.recorded"
RECALL_SKIPPED = "memory.recall.skipped"
PROMOTION_APPLIED = "memory.promotion.applied"
DREAM_COMPLETED = "memory.dream.completed"
NOT_SHORT_TERM = "non-short-term-memory-path"


def append(workspace: Workspace, records: Iterable[dict[str, Any]]) -> None:
    """Append ``records``; refuses a log that is a symbolic link."""
    make_dreams_dir(workspace)
    files.refuse_link(workspace.events_path, what="event log")
    jsonl.rotate(workspace.events_path, ROTATE_BYTES)
    jsonl.append(workspace.events_path, records)


def read(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """The records, oldest first, the earlier generation included; broken lines are skipped."""
    path = workspace.events_path
    for generation in (path.with_name(path.name + ".1"), path):
        yield from jsonl.read_objects(generation, what="event log")


def last(workspace: Workspace, kind: str) -> dict[str, Any] | None:
    """The newest record of type ``kind`` in the present generation."""
    newest = None
    for record in jsonl.read_objects(workspace.events_path, what="event log"):
        if record.get("type") == kind:
            newest = record
    return newest


def recall_recorded(timestamp: str, query: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    """A batch of hits on short-term files that were met by ``query``."""
    return {
        "type": RECALL_RECORDED,
        "timestamp": timestamp,
        "query": query.strip(),
        "resultCount": len(results),
        "results": results,
    }


def recall_skipped(
    timestamp: str, query: str, eligible: int, results: list[dict[str, Any]]
) -> dict[str, Any]:
    """Hits on other files, which are not tracked; ``eligible`` is how many were."""
    return {
        "type": RECALL_SKIPPED,
        "timestamp": timestamp,
        "query": query.strip(),
        "reason": NOT_SHORT_TERM,
        "eligibleResultCount": eligible,
        "skippedResultCount": len(results),
        "results": [result | {"reason": NOT_SHORT_TERM} for result in results],
    }
