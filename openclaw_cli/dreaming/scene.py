"""The lanes of the Dreams view: what waits, what a backfill staged, what was promoted.

``dreaming scene`` (``dreaming.md`` 10.3). Read only.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.dreaming import slots, statistics
from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.dreaming.statistics import Row
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock

LIVE, GROUNDED, MIXED = "live", "from daily log", "mixed"


def document(workspace: Workspace, settings: Dreaming, now_ms: int) -> dict[str, Any]:
    """The lanes of one workspace, complete and in order.

    ``staged`` and ``grounded`` show what was met last first; an entry with evidence of both
    kinds is in both. ``promoted`` shows the last promoted first.
    """
    report: dict[str, Any] = {
        "workspaceDir": str(workspace.root),
        "nextRunAtMs": slots.next_run_ms(settings, now_ms),
    }
    rows = statistics.read_rows(workspace, now_ms, report)
    promoted = sorted((r for r in rows if "promotedAt" in r.entry), key=statistics.by_promotion)
    waiting = sorted((r for r in rows if "promotedAt" not in r.entry), key=statistics.by_recency)
    today = clock.day_in(now_ms, settings.zone)
    return report | {
        "promotedToday": sum(statistics.promotion_day(row, settings) == today for row in promoted),
        "staged": [_shown(row) for row in waiting if _live(row)],
        "grounded": [_shown(row) for row in waiting if row.entry["groundedCount"]],
        "promoted": [
            _shown(row) | {"groundedLed": row.entry["groundedCount"] > _live(row)}
            for row in promoted
        ],
    }


def _live(row: Row) -> int:
    count: int = row.entry["recallCount"] + row.entry["dailyCount"]
    return count


def _shown(row: Row) -> dict[str, Any]:
    origin = LIVE
    if row.entry["groundedCount"]:
        origin = MIXED if _live(row) else GROUNDED
    return row.to_json() | {"origin": origin}
