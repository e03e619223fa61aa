"""What a row keeps when its session begins anew (``sessions.md`` 4.5). Pure.

A reset ends a conversation, not the owner's choices: switches, overrides, labels, routing,
lineage and every field this project does not know stay. What describes the finished run
goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.sessions import entry
from openclaw_cli.sessions.entry import Row

DEFAULT_FORK_TOKENS = 100_000

_ENDED = (
    "inputTokens", "outputTokens", "cacheRead", "cacheWrite", "contextTokens",
    "estimatedCostUsd", "contextBudgetStatus", "model", "modelProvider",
    "fallbackNoticeSelectedModel", "fallbackNoticeActiveModel", "fallbackNoticeReason",
    "compactionCheckpoints", "memoryFlushAt", "memoryFlushCompactionCount",
    "memoryFlushContextHash", "memoryFlushFailureCount", "memoryFlushLastFailedAt",
    "memoryFlushLastFailureError", "skillsSnapshot", "systemPromptReport", "systemSent",
    "abortedLastRun", "goal", "status", "startedAt", "endedAt", "runtimeMs",
    "lastInteractionAt", "cliSessionIds", "cliSessionBindings", "claudeCliSessionId",
)  # fmt: skip
_BOOTSTRAP = ("systemSent", "skillsSnapshot", "systemPromptReport")
_MODEL_PIN = ("providerOverride", "modelOverride", "modelOverrideSource")
_AUTH_PIN = (
    "authProfileOverride",
    "authProfileOverrideSource",
    "authProfileOverrideCompactionCount",
)
_CRON_CARRIES = (
    "thinkingLevel", "fastMode", "verboseLevel", "traceLevel", "reasoningLevel", "ttsAuto",
    "responseUsage", "label", "displayName", *_MODEL_PIN, *_AUTH_PIN, "heartbeatTaskState",
)  # fmt: skip


def renewed(row: Row, *, new_id: str, now_ms: int) -> Row:
    """``row`` with a new session id, begun at ``now_ms``.

    Pins of model and credentials stay unless a fallback set them. The old id joins
    ``usageFamilySessionIds``; a stored ``sessionFile`` is renamed for the new id.
    """
    gone = set(_ENDED) | _automatic_pins(row)
    kept = {field: value for field, value in row.items() if field not in gone}
    old_id = row.get("sessionId")
    fresh = entry.merged(kept, {"sessionId": new_id}, now_ms=now_ms, new_id=new_id)
    fresh = fresh | {
        "sessionStartedAt": now_ms,
        "updatedAt": now_ms,
        "compactionCount": 0,
        "totalTokens": 0,
        "totalTokensFresh": True,
    }
    if isinstance(old_id, str):
        fresh["usageFamilySessionIds"] = _family(row, old_id)
    return fresh


def refreshed(row: Row) -> Row:
    """``row`` for a soft reset: the conversation goes on, its start is told anew."""
    return {field: value for field, value in row.items() if field not in _BOOTSTRAP}


def isolated(row: Row | None, *, new_id: str, now_ms: int) -> Row:
    """The row of an isolated scheduled run: always a new session, few settings carried over."""
    old = row or {}
    gone = _automatic_pins(old)
    carried = {f: old[f] for f in _CRON_CARRIES if f in old and f not in gone}
    return {
        "sessionId": new_id,
        "updatedAt": now_ms,
        "sessionStartedAt": now_ms,
        **carried,
    }


def forks_parent(parent: Mapping[str, Any], session: Mapping[str, Any]) -> bool:
    """Whether a new thread starts from its parent's transcript: the parent is small enough.

    ``session.parentForkMaxTokens`` 0 means no limit; an unknown size counts as small.
    """
    limit = entry.number(session.get("parentForkMaxTokens"))
    limit = DEFAULT_FORK_TOKENS if limit is None else limit
    total = entry.total_tokens(parent)
    return limit == 0 or total is None or total <= limit


def _automatic_pins(row: Mapping[str, Any]) -> set[str]:
    gone: set[str] = set()
    if row.get("modelOverrideSource") == "auto":
        gone.update(_MODEL_PIN)
    if row.get("authProfileOverrideSource") == "auto":
        gone.update(_AUTH_PIN)
    return gone


def _family(row: Mapping[str, Any], old_id: str) -> list[Any]:
    known = row.get("usageFamilySessionIds")
    listed = list(known) if isinstance(known, list) else []
    return listed if old_id in listed else [*listed, old_id]
