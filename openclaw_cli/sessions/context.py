"""What of a transcript the model gets to see (``sessions.md`` 3.3). Pure.

The active branch, with everything before the last compaction replaced by its summary.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.sessions import transcript
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

_COMPACTED = "The conversation before this point was condensed into this summary:"
_BRANCHED = "The conversation left another branch; this is its summary:"


class ContextMessage(NamedTuple):
    """A message of the context and the line it comes from; summaries are user messages."""

    entry_id: str | None
    message: dict[str, Any]


class Context(NamedTuple):
    """The messages in order, and the last model and thinking level chosen on the branch."""

    messages: list[ContextMessage]
    provider: str | None
    model: str | None
    thinking: str | None


def build(entries: list[dict[str, Any]]) -> Context:
    """The context that the lines of a transcript (``transcript.read().entries``) add up to."""
    path = transcript.active_path(entries)
    model = _last(path, "model_change")
    thinking = _last(path, "thinking_level_change")
    shown = [message for entry in _visible(path) if (message := _message(entry)) is not None]
    return Context(
        shown,
        model.get("provider"),
        model.get("modelId"),
        thinking.get("thinkingLevel"),
    )


def _visible(path: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines that count: the last compaction, what it kept, and what came after it."""
    at = next((i for i in range(len(path) - 1, -1, -1) if path[i].get("type") == "compaction"), -1)
    if at < 0:
        return path
    compaction, kept_id = path[at], path[at].get("firstKeptEntryId")
    first = next((i for i in range(at) if path[i].get("id") == kept_id), at)
    kept = [entry for entry in path[first:at] if entry.get("type") != "compaction"]
    return [compaction, *kept, *path[at + 1 :]]


def _message(entry: dict[str, Any]) -> ContextMessage | None:
    kind, identity = entry.get("type"), entry.get("id")
    entry_id = identity if isinstance(identity, str) else None
    if kind == "message":
        message = transcript.message_of(entry)
        return None if message is None else ContextMessage(entry_id, message)
    if kind == "custom_message":
        return ContextMessage(entry_id, _user(entry.get("content"), entry))
    if kind == "compaction":
        return ContextMessage(entry_id, _summary(_COMPACTED, entry))
    if kind == "branch_summary" and entry.get("summary"):
        return ContextMessage(entry_id, _summary(_BRANCHED, entry))
    return None


def _summary(opening: str, entry: dict[str, Any]) -> dict[str, Any]:
    return _user(f"{opening}\n\n<summary>\n{entry.get('summary') or ''}\n</summary>", entry)


def _user(content: object, entry: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "user", "content": content}
    stamp = entry.get("timestamp")
    at = clock.parse_iso(stamp) if isinstance(stamp, str) else None
    return message if at is None else message | {"timestamp": at}


def _last(path: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next((entry for entry in reversed(path) if entry.get("type") == kind), {})
