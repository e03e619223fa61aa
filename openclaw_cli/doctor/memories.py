"""Memory files, recall store, phase signals and search index of each workspace."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_cli.agent.bootstrap import FILE_CHARS
from openclaw_cli.config import agents
from openclaw_cli.doctor.finding import CORRECT, INFO, WARN, Finding, Patient, Remedy
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory import (
    artifacts,
    audit,
    index_status,
    recall_store,
    search_settings,
    signals,
)
from openclaw_cli.memory.memory_file import BUDGET
from openclaw_cli.memory.workspace import Workspace, scan_memory

_UNREADABLE = "recall-store-unreadable"
_SHORTEN = "shorten it, or move parts of it into memory/"
_MIGRATED = "recall-store-migrated"  # told once for the whole tree, among the leftovers


def check_stores(patient: Patient) -> Iterator[Finding]:
    """The recall store, what dreaming left behind, and the phase signals."""
    for target in patient.workspaces:
        workspace = target.workspace
        for issue in audit.audit(workspace, patient.now_ms)["issues"]:
            if issue["code"] == _MIGRATED:
                continue
            place = workspace.lock_path if "lock" in issue["code"] else workspace.recall_path
            remedy = Remedy("recall-store", place, workspace)
            # The audit of the original calls it beyond repair; ours moves it aside.
            fixable = issue["fixable"] or (
                issue["code"] == _UNREADABLE and _is_damaged(patient, workspace)
            )
            yield _of_issue(issue | {"fixable": fixable}, str(place), remedy)
        for issue in artifacts.audit(workspace)["issues"]:
            remedy = Remedy("session-corpus", workspace.corpus_dir, workspace)
            yield _of_issue(issue, str(workspace.corpus_dir), remedy)
        problem = signals.load(workspace).problem
        if problem:
            message = f"{problem}; it counts as empty, and the next sweep moves it aside"
            where = str(workspace.signals_path)
            fix = "openclaw dreaming sweep"
            yield Finding("phase-signals-unreadable", WARN, message, where, fix)


def check_files(patient: Patient) -> Iterator[Finding]:
    """Notes that cannot be listed or read, and the size of MEMORY.md."""
    for agent_id in patient.agent_ids:
        workspace = Workspace(agents.workspace_dir(patient.config, patient.paths, agent_id))
        settings = search_settings.search_settings(patient.config, agent_id)
        if not workspace.root.is_dir():
            message = f"the workspace of agent {agent_id} does not exist"
            yield Finding("workspace-missing", INFO, message, str(workspace.root), "openclaw setup")
            continue
        extra = settings.extra_dirs(workspace.root, patient.paths) if settings.enabled else []
        for text in scan_memory(workspace, extra).issues:
            fix = f"openclaw memory status{patient.agent_flag(agent_id)}"
            message = f"agent {agent_id}: {text}"
            yield Finding("memory-scan", INFO, message, str(workspace.root), fix)
        yield from _size(workspace)


def check_index(patient: Patient) -> Iterator[Finding]:
    """The search index of each agent, and whether text can be searched at all."""
    for agent_id in patient.agent_ids:
        if not search_settings.search_settings(patient.config, agent_id).enabled:
            continue
        status = index_status.status(patient.config, patient.paths, agent_id)
        if not status["fts"]["available"]:
            message = f"this Python's SQLite cannot search text: {status['fts']['error']}"
            fix = "run it with a Python whose SQLite has FTS5"
            yield Finding("search-unavailable", WARN, message, fix=fix)
        identity = status["custom"]["indexIdentity"]
        if identity["status"] == "mismatched":
            yield Finding(
                "index-outdated",
                WARN,
                f"the search index of agent {agent_id}: {identity['reason']}",
                status["dbPath"],
                f"openclaw memory index --force{patient.agent_flag(agent_id)}",
            )


CHECKS = (check_stores, check_files, check_index)


def _is_damaged(patient: Patient, workspace: Workspace) -> bool:
    """Whether the recall store can be read but holds no document."""
    try:
        recall_store.load(workspace, patient.now_ms)
    except recall_store.DamagedStore:
        return True
    except OpenClawError:
        return False
    return False


def _of_issue(issue: dict[str, object], path: str, remedy: Remedy) -> Finding:
    fixable = bool(issue["fixable"])
    message = str(issue.get("detail") or issue["message"])
    return Finding(
        str(issue["code"]),
        str(issue["severity"]),
        message,
        path,
        "openclaw memory status --fix" if fixable else None,
        remedy if fixable else None,
    )


def _size(workspace: Workspace) -> Iterator[Finding]:
    path = workspace.memory_file
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return
    except OSError as error:
        message = f"MEMORY.md cannot be read: {error.strerror or error}"
        yield Finding("memory-file-unreadable", WARN, message, str(path), CORRECT)
        return
    if len(text) > FILE_CHARS:
        message = (
            f"MEMORY.md has {len(text)} characters; an agent is given {FILE_CHARS} of them, the "
            "middle is left out"
        )
        yield Finding("memory-file-large", WARN, message, str(path), _SHORTEN)
    elif len(text) > BUDGET:
        message = (
            f"MEMORY.md has {len(text)} characters; over {BUDGET}, promotions make room by "
            "dropping the oldest promoted lines"
        )
        yield Finding("memory-file-over-budget", INFO, message, str(path), _SHORTEN)
