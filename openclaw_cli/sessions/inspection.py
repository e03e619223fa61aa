"""One stored session with its lifecycle verdict at now (``design.md`` 3.1). Reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed
from openclaw_cli.sessions import (
    discovery,
    entry,
    keys,
    lifecycle,
    send_policy,
    transcript,
)
from openclaw_cli.sessions.selection import Selected
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


def inspect(
    selected: Selected, config: Config, paths: Paths, *, now_ms: int, messages: int = 0
) -> dict[str, Any]:
    """The document of ``sessions show``; ``messages`` adds that many of the last ones.

    Raises ``NotAllowed`` for a row that cannot be used.
    """
    target, key, row = selected
    if not entry.is_usable(row):
        raise NotAllowed(
            f'the row "{key}" cannot be used: it is no object, or its session id is unsafe',
            path=target.store_path,
        )
    thread = keys.split_thread(key).thread_id
    found = discovery.find_transcript(row, target, paths, thread_id=thread)
    session = config.get("session")
    session = session if isinstance(session, dict) else {}
    chat_type = entry.text(row, "chatType")
    kind = lifecycle.reset_type(key, chat_type=chat_type)
    policy = lifecycle.policy_for(session, kind=kind, channel=lifecycle.channel_for(key, row))
    header_ms = None
    if found.path is not None and lifecycle.needs_header(row, now_ms):
        header_ms = transcript.started_at(found.path)
    verdict = lifecycle.judge(
        row, policy, now_ms=now_ms, zone=clock.host_zone(), header_ms=header_ms
    )
    document: dict[str, Any] = {
        "key": key,
        "agentId": keys.agent_of(key, target.agent_id),
        "storePath": str(target.store_path),
        "transcriptPath": None if found.path is None else str(found.path),
        "transcriptExists": found.path is not None and found.path.is_file(),
        "fresh": verdict.fresh,
        "reason": verdict.reason,
        "expiresAtMs": verdict.expires_at_ms,
        "policy": policy.to_json() | {"type": kind},
        "kind": keys.list_kind(key, row),
        "source": keys.source_of(key),
        "sendPolicy": send_policy.decide(session.get("sendPolicy"), key, row),
        "entry": row,
    }
    if found.refused:
        document["refusedSessionFile"] = found.refused
    if messages and found.path is not None:
        document |= _last_messages(transcript.read(found.path), messages)
    return document


def _last_messages(read: transcript.Transcript, count: int) -> dict[str, Any]:
    """The last messages of the active branch, oldest first, and how many lines were skipped."""
    shown = [
        {
            "id": line.get("id"),
            "role": message["role"],
            "text": transcript.text_of(message),
            "timestampMs": transcript.timestamp_of(line),
        }
        for line in transcript.active_path(read.entries)
        if (message := transcript.message_of(line)) is not None
    ]
    return {"messages": shown[-count:], "messageCount": len(shown), "skippedLines": read.skipped}
