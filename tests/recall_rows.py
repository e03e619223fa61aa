"""Rows of a recall store for tests, from few words."""

from __future__ import annotations

from typing import Any

from openclaw_cli.memory.recall_store import RecallStore, parse
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.clock import parse_iso
from openclaw_cli.state.jsonnum import dumps

NOW_MS = parse_iso("2026-11-20T03:00:00Z") or 0
NOW_ISO = "2026-11-20T03:00:00.000Z"
ROUTER = "- Router moved to VLAN 20; the gateway answers on 10.0.20.1."


def row(
    snippet: str = ROUTER, *, day: str = "2026-11-17", line: int = 3, **changes: Any
) -> dict[str, Any]:
    """A row that passes every gate by default; ``changes`` replaces its fields."""
    path = changes.get("path", f"memory/{day}.md")
    end = changes.get("endLine", line)
    return {
        "key": f"memory:{path}:{line}:{end}",
        "path": path,
        "startLine": line,
        "endLine": line,
        "source": "memory",
        "snippet": snippet,
        "recallCount": 6,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": 5.7,
        "maxScore": 1,
        "firstRecalledAt": "2026-11-10T09:00:00.000Z",
        "lastRecalledAt": "2026-11-19T09:00:00.000Z",
        "queryHashes": ["000000000001", "000000000002", "000000000003", "000000000004"],
        "recallDays": ["2026-11-12", "2026-11-15", "2026-11-18", "2026-11-19"],
        "conceptTags": ["gateway", "router", "vlan", "moved"],
        **changes,
    }


def document(*rows: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A store document with these rows under their keys."""
    entries = {one["key"]: one for one in rows}
    stamp = "2026-11-19T09:00:00.000Z"
    return {"version": 1, "updatedAt": stamp, "entries": entries, **changes}


def write(workspace: Workspace, *rows: dict[str, Any], **changes: Any) -> None:
    """Put a store with these rows on disk."""
    workspace.dreams_dir.mkdir(parents=True, exist_ok=True)
    workspace.recall_path.write_text(dumps(document(*rows, **changes)) + "\n")


def store(workspace: Workspace, *rows: dict[str, Any], **changes: Any) -> RecallStore:
    """The store with these rows as it would be loaded."""
    return parse(dumps(document(*rows, **changes)), workspace, NOW_MS)


def note(workspace: Workspace, day: str, *lines: str) -> None:
    """Write the daily note of ``day``."""
    workspace.memory_dir.mkdir(parents=True, exist_ok=True)
    (workspace.memory_dir / f"{day}.md").write_text("\n".join(lines) + "\n")
