"""Delivering the answer of a turn, once it is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from openclaw_cli.delivery import send, targets
from openclaw_cli.delivery.outbox import Message, Record

if TYPE_CHECKING:
    from openclaw_cli.agent.inbound import Reply
    from openclaw_cli.config.load import Config


class Destination(NamedTuple):
    """Where the caller wants the answer; None: where the session's answers go."""

    channel: str | None = None
    to: str | None = None
    account_id: str | None = None


def deliver(
    config: Config, reply: Reply, agent_id: str, wish: Destination, *, now_ms: int
) -> Record | None:
    """Hand the answer over; None when there is nothing to send or nowhere to send it.

    ``reply.reason`` says which. A part that is missing is never taken from another channel.
    """
    if not reply.deliverable or not reply.text:
        return None
    last = targets.last_route(reply.row)
    channel = (wish.channel or last.channel or "").strip().lower()
    same = channel == (last.channel or "")
    to = wish.to or (last.to if same else None)
    if not channel or not to:
        reply.reason = "no-target"
        return None
    moved = wish.to is not None and wish.to != last.to
    return send.deliver(
        config.paths,
        config,
        Message(
            text=reply.text,
            channel=channel,
            to=to,
            source="agent",
            account_id=wish.account_id or (last.account_id if same else None),
            thread_id=last.thread_id if same and not moved else None,
            agent_id=agent_id,
            session_key=reply.key,
        ),
        now_ms=now_ms,
    )
