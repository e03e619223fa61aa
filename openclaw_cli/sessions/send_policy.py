"""May a session's answers be delivered (``sessions.md`` 5)? Pure.

The row's own switch wins; otherwise any matching deny denies, in whatever position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.sessions import keys, lifecycle

ALLOW, DENY = "allow", "deny"


def decide(
    policy: object,
    key: str,
    row: Mapping[str, Any],
    *,
    channel: str | None = None,
    chat_type: str | None = None,
) -> str:
    """``allow`` or ``deny`` for the session ``key``.

    ``policy`` is ``session.sendPolicy``; ``channel`` and ``chat_type`` are what the caller
    knows, before what the row and the key tell. An unknown action counts as allow. A key
    that leaves open what type of chat it is, where nobody else tells, is denied.
    """
    own = row.get("sendPolicy")
    if own in (ALLOW, DENY):
        return str(own)
    if not isinstance(policy, dict):
        return ALLOW
    told_type = chat_type or _text(row.get("chatType"))
    if told_type is None and keys.is_ambiguous(key):
        return DENY
    facts = {
        "channel": channel_fact(key, row, channel),
        "chatType": _folded_type(told_type or keys.chat_type(key)),
    }
    rules = policy.get("rules")
    matching = [
        rule
        for rule in (rules if isinstance(rules, list) else [])
        if isinstance(rule, dict) and _matches(rule.get("match"), keys.normalize(key), facts)
    ]
    if any(rule.get("action") == DENY for rule in matching):
        return DENY
    if matching:
        return ALLOW
    return DENY if policy.get("default") == DENY else ALLOW


def channel_fact(key: str, row: Mapping[str, Any], told: str | None) -> str | None:
    """The channel that rules are compared with: the caller's, the row's, the key's."""
    if told and told.strip():
        return keys.normalize_channel(told)
    return lifecycle.channel_for(key, row)


def _matches(match: object, key: str, facts: Mapping[str, str | None]) -> bool:
    if not isinstance(match, dict):
        return True
    channel, chat_type = match.get("channel"), match.get("chatType")
    if isinstance(channel, str) and keys.normalize_channel(channel) != facts["channel"]:
        return False
    if isinstance(chat_type, str) and _folded_type(chat_type) != facts["chatType"]:
        return False
    raw, prefix = match.get("rawKeyPrefix"), match.get("keyPrefix")
    if isinstance(raw, str) and not key.lower().startswith(raw.strip().lower()):
        return False
    if isinstance(prefix, str):
        wanted = prefix.strip().lower()
        return key.lower().startswith(wanted) or keys.rest_of(key).lower().startswith(wanted)
    return True


def _folded_type(name: str | None) -> str | None:
    folded = (name or "").strip().lower()
    return "direct" if folded == "dm" else folded or None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
