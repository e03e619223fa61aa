"""Where a heartbeat's answer or a follow-up goes, or why it goes nowhere. Pure.

``heartbeat.md`` 7 and ``commitments.md`` 8. The result is always one exact place; a part
that is missing is never filled in from another channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import channels, recipients
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

TARGET_NONE, NO_TARGET = "target-none", "no-target"
DM_BLOCKED, UNKNOWN_ACCOUNT = "dm-blocked", "unknown-account"


class Route(NamedTuple):
    """Where the last reply of a session went; empty parts are None."""

    channel: str | None = None
    to: str | None = None
    account_id: str | None = None
    thread_id: str | None = None
    chat_type: str | None = None


class Target(NamedTuple):
    """One destination. ``problem`` says why nothing can be sent there, None when it can."""

    channel: str | None = None
    to: str | None = None
    account_id: str | None = None
    thread_id: str | None = None
    chat_type: str | None = None
    problem: str | None = None


def last_route(entry: Mapping[str, Any] | None) -> Route:
    """The last route of a session row: ``deliveryContext``, else the older fields."""
    if not entry:
        return Route()
    context = entry.get("deliveryContext")
    if not isinstance(context, dict) or not _text(context.get("channel")):
        names = ("lastChannel", "lastTo", "lastAccountId", "lastThreadId")
        context = dict(
            zip(
                ("channel", "to", "accountId", "threadId"),
                (entry.get(name) for name in names),
                strict=True,
            )
        )
    return Route(
        (_text(context.get("channel")) or "").lower() or None,
        _text(context.get("to")),
        _text(context.get("accountId")),
        _text(context.get("threadId")),
        _text(entry.get("chatType")),
    )


def for_heartbeat(block: Mapping[str, Any], route: Route, config: Config) -> Target:
    """The destination of an ordinary run: ``block`` is the agent's heartbeat block."""
    wanted = (_text(block.get("target")) or "none").lower()
    to = _text(block.get("to"))
    channel = _channel(wanted, to, route, config)
    if channel is None:
        return Target(problem=NO_TARGET if wanted == "last" else TARGET_NONE)
    is_last = channel == route.channel
    place = to or (route.to if is_last else None)
    account = _text(block.get("accountId")) or (route.account_id if is_last else None)
    thread = recipients.parse(channel, to).thread_id if to else None
    kind = None
    if place is not None:
        kind = route.chat_type if is_last and not to else None
        kind = kind or recipients.chat_type(channel, place)
    return _checked(Target(channel, place, account, thread, kind), block, config)


def for_row(
    row: Mapping[str, Any],
    route: Route,
    config: Config,
    *,
    block: Mapping[str, Any],
    key_chat_type: str | None = None,
) -> Target:
    """The destination of a follow-up: exactly its own channel, account, recipient, thread.

    A row without recipient falls back to the session's last one, on the same channel only.
    ``block`` is the agent's heartbeat block, of which ``directPolicy`` counts;
    ``key_chat_type`` what the session's key tells about the chat.
    """
    channel = str(row["channel"]).strip().lower()
    is_last = channel == route.channel
    own = _text(row.get("to"))
    place = own or (route.to if is_last else None)
    kind = None
    if place is not None:
        same_chat = is_last and (own is None or recipients.same(channel, own, route.to or ""))
        kind = route.chat_type if same_chat else None
        kind = kind or key_chat_type or recipients.chat_type(channel, place)
    target = Target(channel, place, _text(row.get("accountId")), _text(row.get("threadId")), kind)
    return _checked(target, block, config)


def _channel(wanted: str, to: str | None, route: Route, config: Config) -> str | None:
    if wanted == "last":
        named = recipients.channel_prefix(to) if to else None
        if named and channels.is_known(config, named):
            return named
        return None if route.channel == channels.INTERNAL_CHANNEL else route.channel
    known = wanted != "none" and channels.is_known(config, wanted)
    return wanted if known and wanted != channels.INTERNAL_CHANNEL else None


def _checked(target: Target, block: Mapping[str, Any], config: Config) -> Target:
    """``target`` with the first problem that it has."""
    problem = None
    if target.channel is None or target.to is None or target.channel == channels.INTERNAL_CHANNEL:
        problem = NO_TARGET
    elif not channels.has_account(config, target.channel, target.account_id):
        problem = UNKNOWN_ACCOUNT
    elif target.chat_type in ("direct", "dm") and block.get("directPolicy") == "block":
        problem = DM_BLOCKED
    return target._replace(problem=problem)


def _text(value: Any) -> str | None:
    """``value`` as trimmed text; numbers (thread ids) count, nothing else does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None
