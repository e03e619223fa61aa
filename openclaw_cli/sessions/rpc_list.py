"""The gateway methods ``sessions.list`` and ``sessions.describe`` (``sessions.md`` 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import discovery, entry, keys, overview, reading, selection, transcript
from openclaw_cli.sessions.discovery import Source
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

DEFAULT_LIMIT = 100
TEXTS_FOR = 100  # rows that get titles and previews
TITLE_LENGTH = 60
PREVIEW_LENGTH = 160

_AS_STORED = (
    "spawnedBy", "spawnedWorkspaceDir", "forkedFromParent", "spawnDepth", "subagentRole",
    "subagentControlScope", "label", "category", "displayName", "subject", "groupChannel",
    "space", "origin", "archivedAt", "pinnedAt", "lastReadAt", "lastActivityAt", "sessionId",
    "systemSent", "abortedLastRun", "thinkingLevel", "fastMode", "verboseLevel", "traceLevel",
    "reasoningLevel", "elevatedLevel", "sendPolicy", "inputTokens", "outputTokens", "goal",
    "estimatedCostUsd", "status", "startedAt", "endedAt", "runtimeMs", "parentSessionKey",
    "responseUsage", "contextBudgetStatus", "deliveryContext", "lastChannel", "lastTo",
    "lastAccountId", "lastThreadId",
)  # fmt: skip
_SEARCHED = ("displayName", "label", "subject", "sessionId", "model", "modelOverride")


class Item(NamedTuple):
    """A usable row and the store that it is in."""

    source: Source
    key: str
    row: dict[str, Any]

    @property
    def agent_id(self) -> str:
        """The agent that the row belongs to."""
        return keys.agent_of(self.key, self.source.target.agent_id)


class Surroundings(NamedTuple):
    """Settings, tree and clock of a listing."""

    config: Config
    paths: Paths
    models: ModelResolver
    now_ms: int


def list_sessions(
    config: Config, paths: Paths, params: dict[str, Any], now_ms: int
) -> dict[str, Any]:
    """``sessions.list``: newest first; runs of scheduled jobs are hidden."""
    around = Surroundings(config, paths, ModelResolver(config), now_ms)
    sources = _sources(config, paths, params)
    everything = items(sources)
    found = [item for item in everything if _shown(item, params, now_ms)]
    found.sort(key=lambda item: entry.updated_ms(item.row) or 0, reverse=True)
    offset, limit = params.get("offset", 0), params.get("limit", DEFAULT_LIMIT)
    page = found[offset : offset + limit]
    children = _children(everything)
    default = around.models.default(discovery.targets(config, paths)[0].agent_id)
    has_more = offset + len(page) < len(found)
    return {
        "ts": now_ms,
        "path": _path(sources),
        "count": len(page),
        "totalCount": len(found),
        "limitApplied": limit,
        "offset": offset,
        "nextOffset": offset + len(page) if has_more else None,
        "hasMore": has_more,
        "defaults": {
            "modelProvider": default.provider,
            "model": default.name,
            "contextTokens": around.models.window_of(default),
        },
        "sessions": [
            row_of(item, params if place < TEXTS_FOR else {}, children, around)
            for place, item in enumerate(page)
        ],
    }


def describe(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """``sessions.describe``: one row of the list, null when the key has none."""
    from openclaw_cli.errors import UnknownName

    try:
        selected = selection.select(config, paths, params["key"])
    except UnknownName:
        return {"session": None}
    source = Source(selected.target, {selected.key: selected.row})
    if not entry.is_usable(selected.row):
        return {"session": None}
    around = Surroundings(config, paths, ModelResolver(config), now_ms)
    item = Item(source, selected.key, selected.row)
    return {"session": row_of(item, params, {}, around)}


def items(sources: Sequence[Source]) -> list[Item]:
    """The usable rows of ``sources`` in store order."""
    return [
        Item(source, key, row)
        for source in sources
        for key, row in source.rows.items()
        if entry.is_usable(row)
    ]


def row_of(
    item: Item,
    params: Mapping[str, Any],
    children: Mapping[str, list[str]],
    around: Surroundings,
) -> dict[str, Any]:
    """One row of the list; absent facts are left out."""
    row = item.row
    described = overview.describe(
        item.key, row, item.agent_id, models=around.models, now_ms=around.now_ms
    )
    model = around.models.in_use(row, item.agent_id)
    texts = _texts(item, params, around)
    found: dict[str, Any] = {
        "key": item.key,
        "kind": gateway_kind(item.key, row),
        "agentId": item.agent_id,
        "channel": entry.text(row, "channel") or keys.channel_of(item.key),
        "chatType": entry.text(row, "chatType") or keys.chat_type(item.key),
        "updatedAt": described["updatedAt"],
        "totalTokens": described["totalTokens"],
        "totalTokensFresh": described["totalTokensFresh"],
        "modelProvider": model.provider,
        "model": model.name,
        "contextTokens": described["contextTokens"],
        "archived": row.get("archivedAt") is not None,
        "pinned": row.get("pinnedAt") is not None,
        "unread": _is_unread(row),
        "childSessions": children.get(keys.normalize(item.key)),
        "derivedTitle": texts.get("title"),
        "lastMessagePreview": texts.get("preview"),
        **{field: row.get(field) for field in _AS_STORED},
        **_checkpoints(row),
    }
    return {field: value for field, value in found.items() if value is not None}


def gateway_kind(key: str, row: Mapping[str, Any]) -> str:
    """The kind in gateway answers, which know no ``cron`` and ``spawn-child``."""
    kind = keys.list_kind(key, row)
    return kind if kind in ("global", "unknown", "group") else "direct"


def derived_title(row: Mapping[str, Any], first_text: str | None) -> str | None:
    """What to call a session: label, names, its first words, else its id with the date."""
    for field in ("label", "displayName", "subject"):
        told = entry.text(row, field)
        if told:
            return told
    if first_text and first_text.strip():
        return _cut(first_text, TITLE_LENGTH)
    session_id = entry.text(row, "sessionId")
    if session_id is None:
        return None
    stamp = entry.updated_ms(row)
    return session_id[:8] + (f" ({clock.iso(stamp)[:10]})" if stamp is not None else "")


def _sources(config: Config, paths: Paths, params: Mapping[str, Any]) -> list[Source]:
    agent = params.get("agentId")
    targets = discovery.targets(config, paths, agent=agent, all_agents=not agent)
    if not agent and not params.get("configuredAgentsOnly"):
        targets += discovery.unconfigured_stores(config, paths)
    sources = reading.load_all(targets)
    damaged = next((source for source in sources if source.error), None)
    if damaged is not None:
        from openclaw_cli.errors import UnreadableFile

        raise UnreadableFile(
            damaged.error or "", path=damaged.target.store_path, code="store-unreadable"
        )
    return sources


def _shown(item: Item, params: Mapping[str, Any], now_ms: int) -> bool:
    key, row = keys.normalize(item.key), item.row
    if keys.is_cron_run(key):
        return False
    if key == "global" and not params.get("includeGlobal"):
        return False
    if key == "unknown" and not params.get("includeUnknown"):
        return False
    if (row.get("archivedAt") is not None) != bool(params.get("archived")):
        return False
    if "label" in params and row.get("label") != params["label"]:
        return False
    if "spawnedBy" in params and row.get("spawnedBy") != params["spawnedBy"]:
        return False
    if "agentId" in params and item.agent_id != item.source.target.agent_id:
        return False
    stamp = entry.updated_ms(row)
    if "activeMinutes" in params:
        oldest = now_ms - params["activeMinutes"] * clock.MINUTE_MS
        if stamp is None or stamp < oldest:
            return False
    wanted = params.get("search", "").strip().lower()
    if not wanted:
        return True
    told = [item.key, *(str(row[field]) for field in _SEARCHED if row.get(field))]
    return any(wanted in text.lower() for text in told)


def _children(everything: Sequence[Item]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in everything:
        named = (item.row.get("spawnedBy"), item.row.get("parentSessionKey"))
        for parent in {keys.normalize(key) for key in named if isinstance(key, str)}:
            if parent:
                found.setdefault(parent, []).append(item.key)
    return found


def _texts(item: Item, params: Mapping[str, Any], around: Surroundings) -> dict[str, str | None]:
    titled, previewed = params.get("includeDerivedTitles"), params.get("includeLastMessage")
    if not titled and not previewed:
        return {}
    named = any(entry.text(item.row, field) for field in ("label", "displayName", "subject"))
    spoken: list[tuple[str, str, dict[str, Any]]] = []
    if previewed or not named:
        target = item.source.target
        path = discovery.find_transcript(item.row, target, around.paths).path
        if path is not None and path.is_file():
            spoken = list(transcript.conversation(transcript.read(path).entries))
    first = next((text for role, text, _ in spoken if role == "user"), None)
    return {
        "title": derived_title(item.row, first) if titled else None,
        "preview": _cut(spoken[-1][1], PREVIEW_LENGTH) if previewed and spoken else None,
    }


def _cut(text: str, length: int) -> str:
    """``text`` on one line, cut at a word to ``length`` characters, the mark included."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    kept = line[: length - 1]
    words, _, broken = kept.rpartition(" ")
    whole = words if words and line[length - 1] != " " else kept
    return (whole or broken).rstrip() + "…"


def _is_unread(row: Mapping[str, Any]) -> bool:
    if row.get("markedUnreadAt") is not None:
        return True
    active, read = (
        entry.timestamp(row.get("lastActivityAt")),
        entry.timestamp(row.get("lastReadAt")),
    )
    return active is not None and read is not None and active > read


def _checkpoints(row: Mapping[str, Any]) -> dict[str, Any]:
    listed = row.get("compactionCheckpoints")
    if not isinstance(listed, list) or not listed:
        return {}
    return {"compactionCheckpointCount": len(listed), "latestCompactionCheckpoint": listed[-1]}


def _path(sources: Sequence[Source]) -> str:
    return str(sources[0].target.store_path) if len(sources) == 1 else "(multiple)"
