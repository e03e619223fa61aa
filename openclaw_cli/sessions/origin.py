"""Where a session came from, and what it is called (``sessions.md`` 6). Pure.

``origin`` explains a session to people; nothing routes by it. Group facts, the label and
the display name are derived from the same inbound context.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from openclaw_cli.sessions import entry, keys
from openclaw_cli.sessions.entry import Row
from openclaw_cli.sessions.routing import Group, Inbound, group_of

_FOREIGN = re.compile(r"[^a-z0-9#@._+-]+")
_LONG_ID = 14
_PER_CHANNEL = ("accountId", "threadId", "nativeChannelId", "nativeDirectUserId")


def described(row: Row, inbound: Inbound) -> Row:
    """``row`` with origin, chat type, group facts and display name from ``inbound``.

    Blank facts keep what is stored; turns of the system contribute nothing.
    """
    if inbound.system:
        return row
    group = group_of(inbound)
    kind = _chat_type(inbound, group)
    changed = row | {"chatType": kind}
    if group is not None:
        changed |= _group_fields(inbound, group)
        changed["displayName"] = display_name(
            group.channel,
            subject=changed.get("subject"),
            group_channel=changed.get("groupChannel"),
            space=changed.get("space"),
            group_id=group.group_id,
        )
    if inbound.thread_label and inbound.thread_label.strip():
        changed["displayName"] = inbound.thread_label.strip()
    stored = row.get("origin")
    origin = merged_origin(stored if isinstance(stored, dict) else {}, inbound)
    return changed | ({"origin": origin} if origin else {})


def merged_origin(stored: Mapping[str, Any], inbound: Inbound) -> dict[str, Any]:
    """The origin with the facts of ``inbound`` over it.

    Another provider clears account, thread and native ids, which belonged to the old one.
    """
    provider = inbound.origin_channel
    told = {
        "label": label_of(inbound),
        "provider": provider,
        "surface": _text(inbound.surface),
        "chatType": _chat_type(inbound, group_of(inbound)),
        "from": _text(inbound.sender),
        "to": _text(inbound.recipient),
        "accountId": _text(inbound.account_id),
        "threadId": _text(inbound.thread_id),
    }
    moved = provider and stored.get("provider") and provider != stored.get("provider")
    base = {f: v for f, v in stored.items() if not (moved and f in _PER_CHANNEL)}
    return base | {field: value for field, value in told.items() if value}


def label_of(inbound: Inbound) -> str | None:
    """The human label of a conversation: said, the thread's, the sender's, or the group's."""
    said = _text(inbound.conversation_label) or _text(inbound.thread_label)
    if said:
        return said
    if group_of(inbound) is None:
        return _text(inbound.sender_name) or _text(inbound.sender)
    named = (inbound.group_channel, inbound.group_subject, inbound.group_space, inbound.sender)
    text = next((found for name in named if (found := _text(name))), None)
    if text is None:
        return None
    tail = (_text(inbound.group_id) or _text(inbound.sender) or "").rpartition(":")[2].strip()
    telling = tail.lstrip("-+").isdigit() or tail.lower().endswith("@g.us")
    if not telling or "#" in text or "@" in text or tail in text:
        return text
    return f"{text} id:{tail}"


def display_name(
    channel: str,
    *,
    subject: str | None,
    group_channel: str | None,
    space: str | None,
    group_id: str | None,
) -> str:
    """``<channel>:<token>`` for a group, e.g. ``telegram:g-ops-room``."""
    room = (group_channel or "").strip()
    place = (space or "").strip()
    if room:
        source = f"{place}{room if room.startswith('#') else '#' + room}" if place else room
    else:
        source = (subject or "").strip() or place
    token = _token(source)
    if not token:
        token = _token(_shortened((group_id or "").strip()))
    if not token:
        return channel
    plain = not token.startswith(("@", "#", "g-")) and "#" not in token
    return f"{channel}:{'g-' + token if plain else token}"


def _group_fields(inbound: Inbound, group: Group) -> Row:
    fields: Row = {"channel": group.channel, "groupId": group.group_id}
    subject, room = _text(inbound.group_subject), _text(inbound.group_channel)
    if subject and not room and (group.kind == "channel" or subject.startswith("#")):
        subject, room = None, subject
    told = {"subject": subject, "groupChannel": room, "space": _text(inbound.group_space)}
    return fields | {field: value for field, value in told.items() if value}


def _chat_type(inbound: Inbound, group: Group | None) -> str:
    return group.kind if group is not None else "direct"


def _token(text: str) -> str:
    dashed = re.sub(r"\s+", "-", text.strip().lower())
    return re.sub(r"-{2,}", "-", _FOREIGN.sub("-", dashed)).strip("-.")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG_ID else f"{text[:6]}...{text[-4:]}"


def _text(value: str | None) -> str | None:
    return (value or "").strip() or None


def delivery_from(inbound: Inbound) -> entry.Delivery:
    """Where an answer to ``inbound`` goes: where it says, else its group, else its sender."""
    group = group_of(inbound)
    return entry.Delivery(
        inbound.origin_channel,
        _text(inbound.recipient) or (group.group_id if group else _text(inbound.sender)),
        keys.normalize_account(inbound.account_id) if _text(inbound.account_id) else None,
        _text(inbound.thread_id),
    )
