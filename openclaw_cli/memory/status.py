"""What ``memory status`` knows about one agent (``memory.md`` 3).

Reads only, unless a repair or an index update was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory import artifacts, audit, recall_store, search_settings
from openclaw_cli.memory.access import Memory
from openclaw_cli.memory.recall_store import Writer
from openclaw_cli.memory.workspace import CONVERSATIONS, Workspace
from openclaw_cli.state.tuples import NamedTuple


class Wishes(NamedTuple):
    """What to do beyond looking: probe embeddings, update the index, repair."""

    deep: bool = False
    update: bool = False
    fix: bool = False
    dry_run: bool = False


def agent_status(
    config: Config, agent_id: str, writer: Writer, wishes: Wishes
) -> dict[str, Any] | None:
    """The status object of one agent; None for one without search and without memory.

    ``agent_id`` is normalised. A failed index update is reported as ``indexError``; a
    repair that fails raises ``Busy``, ``NotWritable`` or ``NotAllowed``.
    """
    paths = writer.paths
    workspace = Workspace(agents.workspace_dir(config, paths, agent_id))
    settings = search_settings.search_settings(config, agent_id)
    if not settings.enabled and not _has_memory(workspace):
        return None
    report: dict[str, Any] = {"agentId": agent_id}
    index_error = None
    if wishes.update and settings.enabled:
        index_error = _update_index(config, agent_id, writer)
    report["status"] = _index_status(config, agent_id, writer)
    if (wishes.deep or wishes.update) and settings.enabled:
        report["embeddingProbe"] = _probe(config, agent_id, writer)
    if index_error is not None:
        report["indexError"] = index_error
    elif wishes.update and settings.enabled:
        report["indexUpdated"] = True
    report["scan"] = _scan(Memory(config, paths, agent_id, writer.now_ms))
    fixed = _repair(workspace, writer, wishes) if wishes.fix else {}
    report["audit"] = audit.audit(workspace, writer.now_ms)
    report |= fixed
    report |= _artifacts(workspace, writer, wishes)
    return report if settings.enabled else report | {"searchEnabled": False}


def _scan(memory: Memory) -> dict[str, Any]:
    """What there is to index of each source; a total is None where nobody knows."""
    sources: list[dict[str, Any]] = []
    spoken = memory.conversations()
    for source in memory.settings.sources:
        if source == CONVERSATIONS and spoken is not None:
            total, issues = None if spoken.issues else len(spoken.files), spoken.issues
        else:
            scan = memory.scan()
            total, issues = None if scan.inaccessible else len(scan.files), scan.issues
        sources.append({"source": source, "totalFiles": total, "issues": issues})
    totals = [one["totalFiles"] for one in sources]
    return {
        "sources": sources,
        "totalFiles": None if None in totals else sum(totals),
        "issues": [issue for one in sources for issue in one["issues"]],
    }


def _repair(workspace: Workspace, writer: Writer, wishes: Wishes) -> dict[str, Any]:
    from openclaw_cli.memory import repair

    done = repair.repair(workspace, writer, dry_run=wishes.dry_run)
    if done.moved_aside and not wishes.dry_run:
        moved = {str(workspace.recall_path): done.moved_aside}
        _record_moves(moved, writer, rule="store-unreadable", what="recall-store")
    return {"repair": done.to_json()}


def _artifacts(workspace: Workspace, writer: Writer, wishes: Wishes) -> dict[str, Any]:
    found = artifacts.audit(workspace)
    if not wishes.fix or not any(one["fixable"] for one in found["issues"]):
        return {"dreamingAudit": found}
    if wishes.dry_run:
        done = artifacts.repair(workspace, writer.now_ms, dry_run=True)
    else:
        with recall_store.lock(workspace):
            done = artifacts.repair(workspace, writer.now_ms)
        moved = {
            str(path): done.archive_dir
            for path, was_moved in (
                (workspace.corpus_dir, done.archived_corpus),
                (workspace.session_ingestion_path, done.archived_ingestion),
            )
            if was_moved
        }
        _record_moves(moved, writer, rule="dreaming-repair", what="archive")
    return {"dreamingAudit": artifacts.audit(workspace), "dreamingRepair": done.to_json()}


def _record_moves(moved: Mapping[str, str | None], writer: Writer, *, rule: str, what: str) -> None:
    """Keep in the change log what was moved, from where to where."""
    from openclaw_cli.state import changes

    rows = [
        changes.Change(writer.command, rule, what, path=path, moved_to=place)
        for path, place in moved.items()
    ]
    changes.record(writer.paths, rows, writer.now_ms)


def _has_memory(workspace: Workspace) -> bool:
    return workspace.memory_dir.exists() or workspace.memory_file.exists()


def _index_status(config: Config, agent_id: str, writer: Writer) -> dict[str, Any]:
    from openclaw_cli.memory import index_status

    return index_status.status(config, writer.paths, agent_id)


def _probe(config: Config, agent_id: str, writer: Writer) -> dict[str, Any]:
    from openclaw_cli.memory import index_status

    return index_status.probe(config, writer.paths, agent_id)


def _update_index(config: Config, agent_id: str, writer: Writer) -> str | None:
    """Bring the index up to date; the reason when that failed."""
    from openclaw_cli.memory import index_status

    try:
        index_status.update(config, writer.paths, agent_id, writer.now_ms)
    except OpenClawError as error:
        return error.message
    return None
