"""The run document of ``openclaw agent --json`` (``sessions.md`` 14.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openclaw_cli.agent.message import Reply
    from openclaw_cli.delivery.outbox import Record


def document(reply: Reply, *, duration_ms: int, delivery: Record | None) -> dict[str, Any]:
    """What happened, in the shape of a local run of the reference, with our own facts."""
    payloads: list[dict[str, Any]] = []
    if reply.text:
        payloads.append({"text": reply.text, "mediaUrl": None})
    if reply.notice:
        payloads.append({"text": reply.notice, "mediaUrl": None, "isStatusNotice": True})
    found: dict[str, Any] = {
        "payloads": payloads,
        "meta": _meta(reply, duration_ms),
        "status": reply.status,
        "sessionKey": reply.key,
        "reason": reply.reason,
        "reset": reply.reset,
    }
    if reply.notes:
        found["warnings"] = reply.notes
    if delivery is not None:
        found["deliveryStatus"] = delivery["status"]
        found["delivery"] = {
            name: delivery.get(name)
            for name in ("id", "channel", "to", "accountId", "threadId", "status", "error")
        }
    return found


def _meta(reply: Reply, duration_ms: int) -> dict[str, Any]:
    row, spoken = reply.row or {}, reply.spoken
    agent_meta: dict[str, Any] = {
        "sessionId": row.get("sessionId"),
        "sessionFile": str(reply.path) if reply.path else None,
    }
    if spoken is not None:
        usage = spoken.answer.usage
        total = sum(usage.values())
        agent_meta |= {
            "provider": spoken.answer.ref.provider,
            "model": spoken.answer.ref.model,
            "contextTokens": spoken.window,
            "usage": usage | {"total": total},
            "promptTokens": spoken.answer.prompt_tokens,
            "lastCallUsage": {
                "input": spoken.answer.prompt_tokens,
                "output": spoken.answer.last_output_tokens,
            },
            "compacted": spoken.compacted,
        }
    return {
        "durationMs": duration_ms,
        "agentMeta": agent_meta,
        "aborted": False,
        "stopReason": spoken.answer.stop_reason if spoken else None,
        "finalAssistantVisibleText": reply.text or None,
    }
