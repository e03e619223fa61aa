"""Sums over the usage log: tokens by purpose, model and day, and what is left today."""

from __future__ import annotations

from typing import Any

from openclaw_cli.config.agents import user_zone
from openclaw_cli.config.load import Config
from openclaw_cli.model import budget
from openclaw_cli.state import clock

DEFAULT_SPAN_MS = 30 * clock.DAY_MS


def report(config: Config, since_ms: int, now_ms: int) -> dict[str, Any]:
    """The document of ``openclaw usage``: calls since ``since_ms`` and the day's budget."""
    zone = user_zone(config)
    totals = _zero()
    groups: dict[str, dict[str, dict[str, int]]] = {"purpose": {}, "model": {}, "day": {}}
    for at, line in budget.read(config.paths):
        if at < since_ms:
            continue
        names = {
            "purpose": str(line.get("purpose") or "unknown"),
            "model": str(line.get("model") or "unknown"),
            "day": clock.day_in(at, zone),
        }
        for sums in (totals, *(groups[by].setdefault(names[by], _zero()) for by in groups)):
            _add(sums, line)
    return {
        "sinceMs": since_ms,
        "totals": totals,
        "byPurpose": _largest_first("purpose", groups["purpose"]),
        "byModel": _largest_first("model", groups["model"]),
        "byDay": [{"day": day, **sums} for day, sums in sorted(groups["day"].items())],
        "budget": allowance(config, now_ms),
    }


def allowance(config: Config, now_ms: int) -> dict[str, int | None]:
    """The day's budget: ``maxTokensPerDay`` and ``left`` are None when there is none."""
    limit, used = budget.limit(config), budget.used_today(config, now_ms)
    left = None if limit is None else max(0, limit - used)
    return {"maxTokensPerDay": limit, "usedToday": used, "left": left}


def _zero() -> dict[str, int]:
    return {"calls": 0, "failed": 0, "inputTokens": 0, "outputTokens": 0}


def _add(sums: dict[str, int], line: dict[str, Any]) -> None:
    given, produced = budget.tokens(line)
    sums["calls"] += 1
    sums["failed"] += line.get("outcome", "ok") != "ok"
    sums["inputTokens"] += given
    sums["outputTokens"] += produced


def _largest_first(label: str, group: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    def order(item: tuple[str, dict[str, int]]) -> tuple[int, str]:
        return -(item[1]["inputTokens"] + item[1]["outputTokens"]), item[0]

    return [{label: name, **sums} for name, sums in sorted(group.items(), key=order)]
