"""Delivering the answer of a turn, once it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli.agent.message import COMMAND
from openclaw_cli.delivery import send, targets
from openclaw_cli.delivery.outbox import Message as Parcel
from openclaw_cli.delivery.outbox import Record
from openclaw_cli.sessions import origin, send_policy
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.agent.message import Message, Reply
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.routing import Inbound


class Destination(NamedTuple):
    """Where the caller wants the answer; None: where the message came from."""

    channel: str | None = None
    to: str | None = None
    account_id: str | None = None


def deliver(
    config: Config, reply: Reply, message: Message, wish: Destination, *, now_ms: int
) -> Record | None:
    """Hand the answer over; None when there is nothing to send or nowhere to send it.

    ``reply.reason`` says which. A part that is missing is never taken from another channel.
    """
    if not reply.deliverable or not reply.text:
        return None
    route = route_of(reply, message.inbound)
    channel = (wish.channel or route.channel or "").strip().lower()
    same = channel == (route.channel or "")
    to = wish.to or (route.to if same else None)
    if not channel or not to:
        reply.reason = "no-target"
        return None
    if reply.status != COMMAND and _is_denied(config, reply, channel):
        reply.reason = "send-policy"
        return None
    moved = wish.to is not None and wish.to != route.to
    parcel = Parcel(
        text=reply.text,
        channel=channel,
        to=to,
        source="agent",
        account_id=wish.account_id or (route.account_id if same else None),
        thread_id=route.thread_id if same and not moved else None,
        agent_id=message.agent_id,
        session_key=reply.key,
    )
    record = send.deliver(config.paths, config, parcel, now_ms=now_ms)
    if reply.notice:
        send.deliver(config.paths, config, parcel._replace(text=reply.notice), now_ms=now_ms)
    return record


def route_of(reply: Reply, inbound: Inbound) -> targets.Route:
    """Where the message came from; where the session was last where that is not told.

    Several people may share a session, so that its row may name another one by now.
    """
    last = targets.last_route(reply.row)
    if inbound.origin_channel is None:
        return last
    told = origin.delivery_from(inbound)
    if told.to is None:
        return last if told.channel == last.channel else targets.Route(told.channel)
    account = told.account_id
    if account is None and (told.channel, told.to) == (last.channel, last.to):
        account = last.account_id
    thread = None if told.thread_id is None else str(told.thread_id)
    return targets.Route(told.channel, told.to, account, thread, last.chat_type)


def _is_denied(config: Config, reply: Reply, channel: str) -> bool:
    policy = config.get("session", "sendPolicy")
    decision = send_policy.decide(policy, reply.key, reply.row or {}, channel=channel)
    return decision == send_policy.DENY
