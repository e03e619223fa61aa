"""Spreading of tasks that would all fire at the full hour (``scheduled-tasks.md`` 2.2).

The offset of a task follows from its id alone, so every program that shares the tree runs
it at the same second.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.state import clock

DEFAULT_WINDOW_MS = 5 * clock.MINUTE_MS


def window_ms(schedule: Mapping[str, Any]) -> int:
    """The window of a ``cron`` schedule: its own, else five minutes at the top of the hour."""
    own = schedule.get("staggerMs")
    if isinstance(own, int | float) and not isinstance(own, bool) and own >= 0:
        return int(own)
    expr = schedule.get("expr")
    return DEFAULT_WINDOW_MS if isinstance(expr, str) and is_top_of_hour(expr) else 0


def offset_ms(task_id: str, window: int) -> int:
    """How long after its match a task runs: 0 up to, not including, ``window``."""
    if window <= 0:
        return 0
    import hashlib

    digest = hashlib.sha256(task_id.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") % window


def is_top_of_hour(expr: str) -> bool:
    """Whether an expression recurs at the full hour: minute 0, an hour field with ``*``."""
    fields = expr.split()
    if len(fields) == 6 and fields[0] == "0":
        fields = fields[1:]
    return len(fields) == 5 and fields[0] == "0" and "*" in fields[1]
