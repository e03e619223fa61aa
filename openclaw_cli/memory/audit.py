"""Checking the recall store without touching it (``memory.md`` 9.1)."""

from __future__ import annotations

from typing import Any

from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory import recall_store
from openclaw_cli.memory.entries import MAX_ENTRIES
from openclaw_cli.memory.recall_store import DamagedStore, RecallStore
from openclaw_cli.memory.workspace import Workspace

STALE_LOCK = "recall-lock-stale"


def issue(severity: str, code: str, message: str, *, fixable: bool) -> dict[str, Any]:
    """One finding of an audit."""
    return {"severity": severity, "code": code, "message": message, "fixable": fixable}


def audit(workspace: Workspace, now_ms: int) -> dict[str, Any]:
    """The audit object of the store as it is on disk; never raises for its content."""
    try:
        store = recall_store.load(workspace, now_ms)
    except OpenClawError as error:
        return _unreadable_audit(workspace, error)
    return audit_store(workspace, store)


def audit_store(workspace: Workspace, store: RecallStore) -> dict[str, Any]:
    """The audit object of a store that was read already. Counts are before retention."""
    entries = store.entries.values()
    report: dict[str, Any] = _places(workspace)
    if store.updated_at is not None:
        report["updatedAt"] = store.updated_at
    tagged = [entry["conceptTags"] for entry in entries if entry["conceptTags"]]
    report |= {
        "exists": store.exists,
        "entryCount": len(entries),
        "promotedCount": sum(1 for entry in entries if "promotedAt" in entry),
        "spacedEntryCount": sum(1 for entry in entries if len(entry["recallDays"]) > 1),
        "conceptTaggedEntryCount": len(tagged),
    }
    if store.exists:
        from openclaw_cli.memory.scripts import script_coverage

        report["conceptTagScripts"] = script_coverage(tagged)
    report["invalidEntryCount"] = len(store.invalid)
    report["issues"] = [*_store_issues(workspace, store), *lock_issues(workspace)]
    return report


def _places(workspace: Workspace) -> dict[str, Any]:
    return {"storePath": str(workspace.recall_path), "lockPath": str(workspace.lock_path)}


def _unreadable_audit(workspace: Workspace, error: OpenClawError) -> dict[str, Any]:
    """The audit of a store without content: blank (fixable) or unreadable."""
    if isinstance(error, DamagedStore) and error.blank:
        message = "Short-term recall store is empty."
        found = issue("warn", "recall-store-empty", message, fixable=True)
    else:
        import errno

        cause = error.__cause__
        number = cause.errno if isinstance(cause, OSError) else None
        code = errno.errorcode.get(number or 0, "error")
        message = f"Short-term recall store is unreadable: {code}."
        found = issue("error", "recall-store-unreadable", message, fixable=False)
        found["detail"] = error.message
    return _places(workspace) | {
        "exists": True,
        "entryCount": 0,
        "promotedCount": 0,
        "spacedEntryCount": 0,
        "conceptTaggedEntryCount": 0,
        "invalidEntryCount": 0,
        "issues": [found, *lock_issues(workspace)],
    }


def _store_issues(workspace: Workspace, store: RecallStore) -> list[dict[str, Any]]:
    found = []
    migrated = workspace.recall_path.with_name(workspace.recall_path.name + ".migrated")
    if not store.exists and migrated.exists():
        message = (
            f"Short-term recall store was moved into a database by a newer release: {migrated}."
        )
        found.append(issue("warn", "recall-store-migrated", message, fixable=False))
    invalid, valid = len(store.invalid), len(store.entries)
    if invalid:
        noun = "entry" if invalid == 1 else "entries"
        message = f"Short-term recall store contains {invalid} invalid {noun}."
        found.append(issue("warn", "recall-store-invalid", message, fixable=True))
    if valid > MAX_ENTRIES:
        message = (
            f"Short-term recall store contains {valid} entries; "
            f"only the newest {MAX_ENTRIES} are kept at runtime."
        )
        found.append(issue("warn", "recall-store-over-limit", message, fixable=True))
    return found


def lock_issues(workspace: Workspace) -> list[dict[str, Any]]:
    """What is wrong with the store's lock file."""
    if not workspace.lock_path.exists():
        return []
    from openclaw_cli.state import lock

    try:
        holder = lock.owner(workspace.lock_path)
    except OpenClawError as error:
        message = f"Short-term promotion lock cannot be inspected: {error.message}."
        return [issue("warn", "recall-lock-unreadable", message, fixable=False)]
    if holder is None or not holder.stale:
        return []
    message = "Short-term promotion lock appears stale."
    return [issue("warn", STALE_LOCK, message, fixable=True)]
