"""Spans of time in one rounded unit, as lists show them. Pure."""

from __future__ import annotations

from openclaw_cli.state import clock


def relative(at_ms: int | None, now_ms: int, *, past: bool = False) -> str:
    """``in 5m``, ``2h ago``, ``-`` for none; ``past`` tells which of both the present is."""
    if at_ms is None:
        return "-"
    label = span(abs(at_ms - now_ms), coarse=True)
    is_ahead = at_ms > now_ms or (at_ms == now_ms and not past)
    return f"in {label}" if is_ahead else f"{label} ago"


def span(ms: int, *, coarse: bool = False) -> str:
    """A duration in one rounded unit; ``coarse`` shows less than a minute as ``<1m``."""
    if ms < clock.MINUTE_MS:
        if coarse:
            return "<1m"
        return f"{ms}ms" if ms < 1000 else f"{_round(ms, 1000)}s"
    if ms < clock.HOUR_MS:
        return f"{_round(ms, clock.MINUTE_MS)}m"
    if ms < clock.DAY_MS:
        return f"{_round(ms, clock.HOUR_MS)}h"
    return f"{_round(ms, clock.DAY_MS)}d"


def _round(ms: int, unit: int) -> int:
    return (ms + unit // 2) // unit
