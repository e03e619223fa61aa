"""What can be done to diary and dreaming state by hand (``dreaming.md`` 10.4).

Each action answers with the document that the command and the ``doctor.memory.*`` method
share. ``changed`` tells whether something is different now, or with a dry run would be.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import diary_view
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

Row = dict[str, Any]


class Target(NamedTuple):
    """One agent's workspace, and the moment. ``command`` is for the change log."""

    agent_id: str
    workspace: Workspace
    paths: Paths
    now_ms: int
    command: str


def find_target(
    config: Config, paths: Paths, now_ms: int, *, agent: str | None, command: str
) -> Target:
    """The target of ``agent``, else of the default agent. Raises ``UnknownName``."""
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    workspace = Workspace(agents.workspace_dir(config, paths, agent_id))
    return Target(agent_id, workspace, paths, now_ms, command)


def read_diary(target: Target) -> Row:
    """The diary as it stands: ``content`` is the whole file."""
    found = diary_view.read(target.workspace)
    report = {"agentId": target.agent_id, **found.to_json()}
    if found.text is not None:
        report["content"] = found.text
    return report | ({"problem": found.problem} if found.problem else {})


def list_diary(target: Target, *, limit: int | None) -> Row:
    """The entries, newest first, at most ``limit``; ``count`` is how many there are."""
    found = diary_view.read(target.workspace)
    rows = diary_view.entries(target.workspace, found)
    report = {"agentId": target.agent_id, **found.to_json()}
    report |= {"count": len(rows), "entries": rows[:limit]}
    return report | ({"problem": found.problem} if found.problem else {})


def backfill_diary(target: Target, *, dry_run: bool = False) -> Row:
    """A diary entry for each daily note of the workspace."""
    from openclaw_cli.dreaming import backfill, history

    warnings: list[str] = []
    sources = history.find(target.workspace.memory_dir)
    report: Row = {"scannedFiles": len(sources), "written": 0, "replaced": 0}
    changed = False
    if sources:
        notes = history.ground_all(sources, warnings)
        plan = backfill.backfill(_place(target), notes, relative=True, dry_run=dry_run)
        counts, changed = plan.counts, bool(plan.writes)
        report |= {"written": counts["writtenEntries"], "replaced": counts["replacedEntries"]}
    head = _head(target, "backfill", found=bool(sources) and not dry_run)
    return head | report | {"changed": changed, "warnings": warnings}


def reset_diary(target: Target, *, dry_run: bool = False) -> Row:
    """The diary without backfilled entries."""
    from openclaw_cli.dreaming import backfill

    head = _head(target, "reset")
    plan = backfill.roll_back(_place(target), diary=True, store=False, dry_run=dry_run)
    return head | {
        "removedEntries": plan.counts["removedEntries"],
        "changed": bool(plan.writes),
    }


def reset_grounded(target: Target, *, dry_run: bool = False) -> Row:
    """The recall store without what backfills staged."""
    from openclaw_cli.dreaming import backfill

    plan = backfill.roll_back(_place(target), diary=False, store=True, dry_run=dry_run)
    return {
        "agentId": target.agent_id,
        "action": "resetGroundedShortTerm",
        "removedShortTermEntries": plan.counts["removedShortTermEntries"],
        "changed": bool(plan.writes),
    }


def dedupe_diary(target: Target, *, dry_run: bool = False) -> Row:
    """The diary with each entry only once."""
    from openclaw_cli.dreaming import backfill

    head = _head(target, "dedupeDreamDiary")
    plan = backfill.dedupe(_place(target), dry_run=dry_run)
    removed = plan.counts["removed"]
    return head | {
        "removedEntries": removed,
        "dedupedEntries": removed,
        "keptEntries": plan.counts["kept"],
        **plan.counts,
        "changed": bool(plan.writes),
    }


def repair(target: Target, *, diary: bool = False, dry_run: bool = False) -> Row:
    """Move corpus and transcript checkpoint out of the way, and on request the diary."""
    from openclaw_cli.memory import artifacts
    from openclaw_cli.memory.recall_store import lock
    from openclaw_cli.state import changes

    head: Row = {"agentId": target.agent_id, "action": "repairDreamingArtifacts"}
    workspace, now_ms = target.workspace, target.now_ms
    planned = artifacts.repair(workspace, now_ms, diary=diary, dry_run=True)
    if dry_run or planned.archive_dir is None:
        return head | planned.to_json()
    with lock(workspace):
        done = artifacts.repair(workspace, now_ms, diary=diary)
    moved = {
        str(workspace.corpus_dir): done.archived_corpus,
        str(workspace.session_ingestion_path): done.archived_ingestion,
        str(workspace.root / diary_view.NAME): done.archived_diary,
    }
    changes.record(
        target.paths,
        [
            changes.Change(
                target.command, "dreaming-repair", "archive", path=path, moved_to=done.archive_dir
            )
            for path, was_moved in moved.items()
            if was_moved
        ],
        now_ms,
    )
    return head | done.to_json()


def _place(target: Target) -> Any:
    from openclaw_cli.dreaming.rewriting import Place

    return Place(target.workspace, target.paths, target.now_ms, target.command)


def _head(target: Target, action: str, *, found: bool = False) -> Row:
    """The common part of the answers; ``found`` that the diary is there, or is now."""
    there = diary_view.read(target.workspace)
    return {
        "agentId": target.agent_id,
        "action": action,
        "path": there.name,
        "found": found or there.text is not None,
    }
