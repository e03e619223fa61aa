"""The session parts of ``openclaw status`` (``sessions.md`` 12).

Token counts come from the rows, never from transcripts; the window resolver is the one of
the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import entry, keys, listing
from openclaw_cli.sessions.discovery import Source
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

RECENT = 10

_SWITCHES = (
    "thinkingLevel", "fastMode", "verboseLevel", "reasoningLevel", "elevatedLevel",
    "systemSent", "abortedLastRun", "inputTokens", "outputTokens", "cacheRead", "cacheWrite",
)  # fmt: skip
_FLAGS = (
    ("think", "thinkingLevel"),
    ("verbose", "verboseLevel"),
    ("fast", "fastMode"),
    ("reasoning", "reasoningLevel"),
    ("elevated", "elevatedLevel"),
)


class _Active(NamedTuple):
    updated_ms: int
    key: str
    row: dict[str, Any]
    agent_id: str


def sessions_part(
    sources: Sequence[Source], models: ModelResolver, *, default_agent: str, now_ms: int
) -> dict[str, Any]:
    """The ``sessions`` object: counts without ``global`` and ``unknown``, newest rows first."""
    by_source = [(source, _active(source)) for source in sources]
    default = models.default(default_agent)
    everything = [active for _, rows in by_source for active in rows]
    part: dict[str, Any] = {
        "paths": [str(source.target.store_path) for source in sources],
        "count": len(everything),
        "defaults": {"model": default.name, "contextTokens": models.window_of(default)},
        "recent": _recent(everything, models, now_ms),
        "byAgent": [
            {
                "agentId": source.target.agent_id,
                "path": str(source.target.store_path),
                "count": len(rows),
                "recent": _recent(rows, models, now_ms),
                **({"error": source.error} if source.error else {}),
            }
            for source, rows in by_source
        ],
    }
    return part


def agents_part(
    sources: Sequence[Source], config: Config, paths: Paths, *, now_ms: int
) -> dict[str, Any]:
    """The ``agents`` object: each configured agent with its workspace and its activity."""
    from openclaw_cli.config import agents
    from openclaw_cli.sessions import discovery

    rows_of: dict[str, list[_Active]] = {}
    for source in sources:
        for active in _active(source):
            owner = keys.agent_of(active.key, active.agent_id)
            rows_of.setdefault(owner, []).append(active)
    described = []
    for agent_id in agents.agent_ids(config):
        rows = rows_of.get(agent_id, [])
        last = max((active.updated_ms for active in rows), default=0) or None
        workspace = agents.workspace_dir(config, paths, agent_id)
        described.append(
            {
                "id": agent_id,
                "workspaceDir": str(workspace),
                "bootstrapPending": (workspace / "BOOTSTRAP.md").is_file(),
                "sessionsPath": str(discovery.store_path(config, paths, agent_id)),
                "sessionsCount": len(rows),
                "lastUpdatedAt": last,
                "lastActiveAgeMs": None if last is None else now_ms - last,
            }
        )
    return {
        "defaultId": agents.default_agent_id(config),
        "agents": described,
        "totalSessions": sum(agent["sessionsCount"] for agent in described),
        "bootstrapPendingCount": sum(agent["bootstrapPending"] for agent in described),
    }


def zones_part(config: Config) -> dict[str, Any]:
    """The host's zone, which resets go by, and the user's, which days go by."""
    from openclaw_cli.config import agents
    from openclaw_cli.state import clock

    host = clock.host_zone_name()
    if not config.get("agents", "defaults", "userTimezone"):
        return {"host": host, "user": host, "differ": False}
    user = agents.user_zone(config).key
    return {"host": host, "user": user, "differ": clock.host_zone().key != user}


def describe(
    key: str, row: Mapping[str, Any], agent_id: str, *, models: ModelResolver, now_ms: int
) -> dict[str, Any]:
    """One recent session."""
    model = models.in_use(row, agent_id)
    window, total = models.window(row, model), entry.total_tokens(row)
    stamp = entry.updated_ms(row)
    listed = listing.describe(key, row, agent_id, models=models, now_ms=now_ms)
    pinned = entry.text(row, "modelOverride") is not None
    return {
        "agentId": listed["agentId"],
        "key": key,
        "kind": listed["kind"],
        "sessionId": row.get("sessionId"),
        "updatedAt": stamp,
        "age": None if stamp is None else now_ms - stamp,
        **{field: row[field] for field in _SWITCHES if row.get(field) is not None},
        "totalTokens": total,
        "totalTokensFresh": entry.is_fresh(row),
        "remainingTokens": None if total is None else max(0, floor(window - total)),
        "percentUsed": listing.percent_used(total, window),
        "model": model.name,
        "configuredModel": models.default(agent_id).name,
        "selectedModel": model.name,
        "modelSelectionReason": "session override" if pinned else "last run or default",
        "runtime": listing.runtime_label(listed),
        "contextTokens": window,
        "flags": flags(row),
    }


def flags(row: Mapping[str, Any]) -> list[str]:
    """The switches of a row as short words."""
    found: list[str] = []
    for name, field in _FLAGS:
        value = row.get(field)
        if value is True:
            found.append(name)
        elif value is False and field == "fastMode":
            found.append(f"{name}:off")
        elif value:
            found.append(f"{name}:{value}")
    found += ["system"] if row.get("systemSent") else []
    found += ["aborted"] if row.get("abortedLastRun") else []
    found += [f"id:{row['sessionId']}"] if row.get("sessionId") else []
    return found


def _active(source: Source) -> list[_Active]:
    return [
        _Active(entry.updated_ms(row) or 0, key, row, source.target.agent_id)
        for key, row in source.rows.items()
        if entry.is_usable(row) and keys.normalize(key) not in keys.LITERALS
    ]


def _recent(rows: Sequence[_Active], models: ModelResolver, now_ms: int) -> list[dict[str, Any]]:
    newest = sorted(rows, key=lambda active: active.updated_ms, reverse=True)[:RECENT]
    return [
        describe(active.key, active.row, active.agent_id, models=models, now_ms=now_ms)
        for active in newest
    ]
