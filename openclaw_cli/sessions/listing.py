"""The rows that ``sessions`` shows, and their labels (``sessions.md`` 11). Pure.

``build`` makes the JSON document; the text table is made of the same document. Rows that
cannot be used are counted, not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any

from openclaw_cli.sessions import entry, keys
from openclaw_cli.sessions.discovery import Source, Target
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state.tuples import NamedTuple

# How many bytes the transcript of a row holds; None where there is none.
SizeOf = Callable[[Target, dict[str, Any]], int | None]

TEXT_LIMIT = 100
MAX_PERCENT = 999
KEY_WIDTH = 26

_MINUTE_MS = 60_000
_AS_STORED = (
    "sessionId", "sessionFile", "spawnedBy", "spawnedWorkspaceDir", "spawnedCwd",
    "parentSessionKey", "forkedFromParent", "spawnDepth", "subagentRole", "subagentControlScope",
    "sessionStartedAt", "lastInteractionAt", "label", "status", "systemSent",
    "abortedLastRun", "thinkingLevel", "verboseLevel", "traceLevel", "reasoningLevel",
    "elevatedLevel", "responseUsage", "groupActivation", "inputTokens", "outputTokens",
)  # fmt: skip
_OVERRIDES = ("providerOverride", "modelOverride")
_OURS = ("displayName", "sendPolicy", "compactionCount")
_IMPLICIT_RUNTIME = {"id": "auto", "source": "implicit"}
_FLAGS = (
    ("think", "thinkingLevel"),
    ("verbose", "verboseLevel"),
    ("trace", "traceLevel"),
    ("reasoning", "reasoningLevel"),
    ("elev", "elevatedLevel"),
    ("usage", "responseUsage"),
    ("activation", "groupActivation"),
)


class Selection(NamedTuple):
    """Which rows to list: ``limit`` None means all; of the others None is no condition.

    Rows last active ``active_minutes`` ago or later, longer than ``older_than_ms`` ago, of
    this ``kind``, with this ``label``, with a transcript of more than ``larger_than`` bytes.
    """

    all_agents: bool = False
    active_minutes: int | None = None
    limit: int | None = None
    kind: str | None = None
    label: str | None = None
    older_than_ms: int | None = None
    larger_than: int | None = None


class _Candidate(NamedTuple):
    updated_ms: int
    key: str
    row: dict[str, Any]
    target: Target


def build(
    sources: Sequence[Source],
    selection: Selection,
    *,
    models: ModelResolver,
    now_ms: int,
    size_of: SizeOf | None = None,
) -> dict[str, Any]:
    """The document of ``sessions --json``: newest row first, over all stores together.

    ``size_of`` adds ``transcriptBytes`` to each row; ``larger_than`` needs it.
    """
    candidates, invalid = _candidates(sources, selection, now_ms)
    wanted = _filters(selection)
    if wanted:
        candidates = [c for c in candidates if _is_wanted(c, selection, now_ms, size_of)]
    candidates.sort(key=lambda candidate: candidate.updated_ms, reverse=True)
    total, limit = len(candidates), selection.limit
    shown = candidates if limit is None else candidates[:limit]
    single = sources[0].target if len(sources) == 1 and not selection.all_agents else None
    document: dict[str, Any] = {"path": str(single.store_path) if single else None}
    if selection.all_agents:
        document["stores"] = [_store(source) for source in sources]
        document["allAgents"] = True
    rows = [describe(c.key, c.row, c.target.agent_id, models=models, now_ms=now_ms) for c in shown]
    if size_of is not None:
        for candidate, row in zip(shown, rows, strict=True):
            row["transcriptBytes"] = size_of(candidate.target, candidate.row)
    return document | {
        "count": len(shown),
        "totalCount": total,
        "limitApplied": limit,
        "hasMore": len(shown) < total,
        "activeMinutes": selection.active_minutes,
        **({"filters": wanted} if wanted else {}),
        "invalidRows": invalid,
        "sessions": rows,
    }


def describe(
    key: str, row: Mapping[str, Any], agent_id: str, *, models: ModelResolver, now_ms: int
) -> dict[str, Any]:
    """One row of the list; ``agent_id`` owns keys that name no agent."""
    named = keys.read(key)
    stamp = entry.timestamp(row.get("updatedAt"))
    if stamp is None and "updatedAt" in row:
        stamp = 0
    model = models.in_use(row, agent_id)
    found: dict[str, Any] = {
        "key": key,
        "updatedAt": stamp,
        "ageMs": now_ms - stamp if stamp else None,
    }
    for field in _AS_STORED:
        if field in row and row[field] is not None:
            found[field] = row[field]
    found["totalTokens"] = entry.total_tokens(row)
    found["totalTokensFresh"] = entry.is_fresh(row)
    found["model"] = model.name
    found["modelProvider"] = model.provider
    for field in _OVERRIDES:
        if field in row and (override := entry.text(row, field)):
            found[field] = override
    found["contextTokens"] = models.window(row, model)
    found["agentId"] = named.agent_id or agent_id
    found["acpRuntime"] = isinstance(row.get("acp"), dict)
    found["agentRuntime"] = _runtime(row)
    found["kind"] = keys.kind_in(named, row)
    found["source"] = keys.source_in(named.rest)
    chat_type = entry.text(row, "chatType") or keys.chat_type_in(named.rest)
    if chat_type is not None:
        found["chatType"] = chat_type
    channel = _channel(named, row)
    if channel is not None:
        found["channel"] = channel
    for field in _OURS:
        if field in row and row[field] is not None:
            found[field] = row[field]
    return found


# Labels


def age_label(age_ms: float | None) -> str:
    """``just now``, ``5m ago``, ``3h ago``, ``9d ago``; ``unknown`` for no or future times."""
    if age_ms is None or age_ms < 0:
        return "unknown"
    minutes = floor(floor(age_ms / 1000 + 0.5) / 60 + 0.5)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes}m ago"
    hours = floor(minutes / 60 + 0.5)
    return f"{hours}h ago" if hours < 48 else f"{floor(hours / 24 + 0.5)}d ago"


def thousands(tokens: float) -> str:
    """``0.3k``, ``9.9k``, ``11k``: one decimal below ten thousand, rounded half up."""
    value = tokens / 1000
    if value >= 10:
        return f"{floor(value + 0.5)}k"
    # Only quarters lie exactly between two tenths, and those Python rounds to even.
    tie = (value * 4).is_integer() and not (value * 2).is_integer()
    return f"{value + 0.05 if tie else value:.1f}k"


def percent_used(total: float | None, window: float | None) -> int | None:
    """How much of the window is used, rounded half up, at most 999; None when unknown."""
    if total is None or not window or window < 0:
        return None
    return min(MAX_PERCENT, floor(total / window * 100 + 0.5))


def tokens_label(total: float | None, window: float | None, *, fresh: bool) -> str:
    """``12k/200k (6%)``; a total that is not of the last run is marked ``~``."""
    used = "unknown" if total is None else ("" if fresh else "~") + thousands(total)
    share = percent_used(total, window)
    size = thousands(window) if window and window > 0 else "?"
    return f"{used}/{size} ({'?' if share is None else share}%)"


def key_label(key: str) -> str:
    """``key`` in at most 26 characters: its first 16, ``...``, its last 6."""
    return key if len(key) <= KEY_WIDTH else f"{key[:16]}...{key[-6:]}"


def flags_label(listed: Mapping[str, Any]) -> str:
    """The switches of a listed row and its session id, in the order of the reference."""
    flags = [f"{name}:{listed[field]}" for name, field in _FLAGS if listed.get(field)]
    flags += ["system"] if listed.get("systemSent") else []
    flags += ["aborted"] if listed.get("abortedLastRun") else []
    flags += [f"id:{listed['sessionId']}"] if listed.get("sessionId") else []
    return " ".join(flags)


def runtime_label(listed: Mapping[str, Any]) -> str:
    """The back end of a listed row for people."""
    if listed.get("acpRuntime"):
        return "ACP"
    runtime = listed["agentRuntime"]["id"]
    return "OpenClaw Default" if runtime == "auto" else str(runtime)


# Details


def _candidates(
    sources: Sequence[Source], selection: Selection, now_ms: int
) -> tuple[list[_Candidate], int]:
    oldest = None
    if selection.active_minutes is not None:
        oldest = now_ms - selection.active_minutes * _MINUTE_MS
    found: list[_Candidate] = []
    invalid = 0
    for source in sources:
        for key, row in source.rows.items():
            if not entry.is_usable(row):
                invalid += 1
                continue
            stamp = entry.timestamp(row.get("updatedAt"))
            if oldest is not None and (stamp is None or stamp < oldest):
                continue
            found.append(_Candidate(stamp or 0, key, row, source.target))
    return found, invalid


def _filters(selection: Selection) -> dict[str, Any]:
    """The conditions that are set, besides ``activeMinutes``, as the document names them."""
    named = {
        "kind": selection.kind,
        "label": selection.label,
        "olderThanMs": selection.older_than_ms,
        "largerThanBytes": selection.larger_than,
    }
    return {name: value for name, value in named.items() if value is not None}


def _is_wanted(
    found: _Candidate, selection: Selection, now_ms: int, size_of: SizeOf | None
) -> bool:
    row = found.row
    if selection.older_than_ms is not None:
        stamp = entry.updated_ms(row)
        if stamp is None or now_ms - stamp <= selection.older_than_ms:
            return False
    if selection.label is not None and entry.text(row, "label") != selection.label:
        return False
    if selection.kind is not None and keys.list_kind(found.key, row) != selection.kind:
        return False
    if selection.larger_than is None or size_of is None:
        return True
    return (size_of(found.target, row) or 0) > selection.larger_than


def _store(source: Source) -> dict[str, Any]:
    store = {"agentId": source.target.agent_id, "path": str(Path(source.target.store_path))}
    return store | ({"error": source.error} if source.error else {})


def _runtime(row: Mapping[str, Any]) -> dict[str, str]:
    if "agentRuntimeOverride" in row or "agentHarnessId" in row:
        chosen = entry.text(row, "agentRuntimeOverride") or entry.text(row, "agentHarnessId")
        if chosen:
            return {"id": chosen, "source": "session"}
    return _IMPLICIT_RUNTIME


def _channel(named: keys.Reading, row: Mapping[str, Any]) -> str | None:
    for field in ("channel", "provider", "lastChannel"):
        if field in row and (told := entry.text(row, field)):
            return keys.normalize_channel(told)
    return keys.channel_in(named.rest)
