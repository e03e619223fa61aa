"""Rows of the follow-up store for tests, from the few fields that matter."""

from __future__ import annotations

from typing import Any

from openclaw_cli.commitments import store
from openclaw_cli.commitments.record import Row, normalize
from openclaw_cli.state.paths import Paths

NOW_MS = 1_795_143_600_000  # 2026-11-20T03:00:00Z
HOUR_MS = 3_600_000
PATH = ".openclaw/commitments/commitments.json"
KEY = "agent:main:telegram:direct:123"


def row(row_id: str = "cm_1", *, due_in_h: float = -1, width_h: float = 12, **fields: Any) -> Row:
    """A valid pending row whose window opens ``due_in_h`` hours from now."""
    earliest = int(NOW_MS + due_in_h * HOUR_MS)
    made: Row = {
        "id": row_id,
        "agentId": "main",
        "sessionKey": KEY,
        "channel": "telegram",
        "accountId": "default",
        "to": "telegram:123",
        "senderId": "123",
        "kind": "event_check_in",
        "sensitivity": "routine",
        "source": "inferred_user_context",
        "status": "pending",
        "reason": "The user has an interview.",
        "suggestedText": "How did it go?",
        "dedupeKey": f"topic:{row_id}",
        "confidence": 0.9,
        "dueWindow": {
            "earliestMs": earliest,
            "latestMs": int(earliest + width_h * HOUR_MS),
            "timezone": "UTC",
        },
        "createdAtMs": NOW_MS - 48 * HOUR_MS,
        "updatedAtMs": NOW_MS - 48 * HOUR_MS,
        "attempts": 0,
    }
    made.update(fields)
    return {key: value for key, value in made.items() if value is not None}


def document(*rows: Any, **more: Any) -> dict[str, Any]:
    """The content of a store file."""
    return {"version": 1, "commitments": list(rows), **more}


def as_store(*rows: Any) -> store.Store:
    """A store in memory."""
    path = store.path_of(Paths.from_env())
    return store.Store(path, document(*rows), list(rows), [normalize(item) for item in rows])
