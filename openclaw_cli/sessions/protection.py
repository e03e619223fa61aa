"""Which rows maintenance leaves alone, and how old a row is. Pure functions on one row.

``sessions-maintenance.md`` 4.1 (ages), 4.2 (protected rows), 4.3 (probes).
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from openclaw_cli.state.clock import MINUTE_MS

RUNNING_MS = 30 * MINUTE_MS
PROTECTED_CHAT_TYPES = ("group", "channel", "thread")

_SYNTHETIC = ("subagent:", "acp:", "acp-bridge:", "hook:", "node:")
_GROUP_KINDS = ("group", "channel")
# Patterns stay texts: most runs need none of them, and ``re`` keeps those that it compiled.
_TELEGRAM_TOPIC = r"(?s:telegram:(?:group|channel|direct|dm):.+:topic:[^:]+)"
_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_PROBE_MARK = ":explicit:model-run-"
_PROBE = rf"agent:[^:\s]+{_PROBE_MARK}{_UUID}"
_DIRECT = r"(?!agent:)(?:[^:]+:){0,2}direct:[^:]+"
_THREAD = ":thread:"


def updated_at(row: Any) -> int | float | None:
    """When ``row`` was last active, epoch ms; None when it does not tell.

    Only a finite number from 0 on tells; everything else is an unknown age, which is never
    pruned for its age and goes first where numbers decide.
    """
    value = row.get("updatedAt") if isinstance(row, dict) else None
    if isinstance(value, int):
        return value if value >= 0 and not isinstance(value, bool) else None
    if isinstance(value, float) and isfinite(value) and value >= 0:
        return value
    return None


def is_running(row: Any, now_ms: int) -> bool:
    """Whether the row says that a turn is going on, and said so within 30 minutes."""
    if not isinstance(row, dict) or row.get("status") != "running":
        return False
    touched = updated_at(row)
    return touched is not None and now_ms - touched < RUNNING_MS


def is_protected(key: str, row: Any) -> bool:
    """Whether ``row`` is a durable pointer to a group, channel or thread (4.2)."""
    folded = key.strip().lower()
    prefixed, rest = _rest(folded)
    if rest.startswith(_SYNTHETIC) or (prefixed and rest.startswith("cron:")):
        return False
    if rest == "heartbeat" or rest.endswith(":heartbeat") or ":heartbeat:" in rest:
        return False
    at = folded.rfind(_THREAD)
    if at >= 0 and folded[at + len(_THREAD) :].strip():
        return True
    parts = rest.split(":", 2)
    if len(parts) == 3 and parts[1] in _GROUP_KINDS and parts[0] and parts[2]:
        return True
    if rest.startswith("telegram:") and ":topic:" in rest and re.fullmatch(_TELEGRAM_TOPIC, rest):
        return True
    return _chat_type(row) in PROTECTED_CHAT_TYPES


def is_probe(key: str) -> bool:
    """Whether ``key`` belongs to a one-off run of a model (4.3)."""
    return _PROBE_MARK in key and re.fullmatch(_PROBE, key) is not None


def is_peer_chat(key: str, agent_id: str) -> bool:
    """Whether ``key`` is a direct chat of ``agent_id`` that has its own session (4.11)."""
    prefix, text = f"agent:{agent_id}:", key.strip().lower()
    rest = text.removeprefix(prefix)
    return rest != text and re.fullmatch(_DIRECT, rest) is not None


def _rest(folded: str) -> tuple[bool, str]:
    """Whether the key names an agent, and the key without that."""
    if folded.startswith("agent:"):
        agent, _, rest = folded[len("agent:") :].partition(":")
        if agent and rest:
            return True, rest
    return False, folded


def _chat_type(row: Any) -> str | None:
    if not isinstance(row, dict):
        return None
    own = row.get("chatType")
    if own is None:
        origin = row.get("origin")
        own = origin.get("chatType") if isinstance(origin, dict) else None
    return own.strip().lower() if isinstance(own, str) else None
