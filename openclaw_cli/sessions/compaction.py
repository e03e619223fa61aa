"""When a conversation is condensed, where it is cut, and what the summary line holds. Pure.

Also the memory flush before it, and truncation to a number of lines (``sessions.md`` 9).
The model calls are made by ``agent``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_cli.config import units
from openclaw_cli.sessions import transcript
from openclaw_cli.sessions.context import ContextMessage
from openclaw_cli.state.tuples import NamedTuple

CHARS_PER_TOKEN = 4
IMAGE_CHARS = 4_800
MARGIN_TOKENS = 8_000
TOOL_RESULT_CHARS = 2_000
FILE_LIST_CHARS = 2_000
SUMMARY_CHARS = 16_000
MAX_FAILURES, FAILURE_CHARS = 8, 240
MAX_RETRIES = 3
RECENT_TURNS, MAX_RECENT_TURNS = 3, 12
SECTIONS = (
    "Goal", "Constraints", "Progress", "Key Decisions", "Next Steps", "Critical Context",
)  # fmt: skip
_SETTINGS_LINES = ("model_change", "thinking_level_change", "session_info", "custom")
_READERS = ("read", "memory_get")
_WRITERS = ("write", "edit", "memory_append")


class Settings(NamedTuple):
    """``agents.defaults.compaction`` with its ``memoryFlush``, resolved. Tokens and bytes.

    ``shorten`` takes what was summarised out of the transcript; ``max_bytes`` condenses a
    transcript of that size before the next turn (0: never); ``notify`` tells the user;
    ``precheck`` looks at the window between the calls of a turn.
    """

    safeguard: bool = False
    reserve_tokens: int = 16_384
    reserve_floor: int = 20_000
    keep_recent_tokens: int = 20_000
    keep_recent_turns: int = 0
    model: str | None = None
    instructions: str = ""
    identifiers: str = "Copy identifiers, paths, numbers and names exactly as they stand."
    timeout_s: int = 180
    quality_retries: int = 0
    shorten: bool = False
    max_bytes: int = 0
    notify: bool = False
    precheck: bool = False
    flush_enabled: bool = True
    flush_soft_tokens: int = 4_000
    flush_force_bytes: int = 2 * 1024 * 1024
    flush_prompt: str = ""
    flush_system_prompt: str = ""
    flush_model: str | None = None


class Cut(NamedTuple):
    """What is summarised (``old``), and the id of the first line that stays as it is.

    ``split_turn`` are the messages at the start of a long turn of which only the end stays.
    """

    old: list[ContextMessage]
    split_turn: list[ContextMessage]
    first_kept_id: str


class Truncation(NamedTuple):
    """The lines of a truncated transcript, and how many were dropped."""

    lines: list[dict[str, Any]]
    dropped: int


def settings_of(block: object) -> Settings:
    """Resolve a ``compaction`` block; the schema has refused what makes no sense."""
    found = block if isinstance(block, Mapping) else {}
    flush = found.get("memoryFlush")
    flush = flush if isinstance(flush, Mapping) else {}
    guard = found.get("qualityGuard")
    guard = guard if isinstance(guard, Mapping) else {}
    default = Settings()
    guards = guard.get("enabled") is not False
    retries = min(MAX_RETRIES, _count(guard, "maxRetries", 1))
    precheck = found.get("midTurnPrecheck")
    return Settings(
        safeguard=found.get("mode") == "safeguard",
        reserve_tokens=_count(found, "reserveTokens", default.reserve_tokens),
        reserve_floor=_count(found, "reserveTokensFloor", default.reserve_floor),
        keep_recent_tokens=_count(found, "keepRecentTokens", default.keep_recent_tokens),
        keep_recent_turns=_recent_turns(found),
        model=_text(found, "model") or None,
        instructions=_text(found, "customInstructions"),
        identifiers=_identifier_rule(found),
        timeout_s=_count(found, "timeoutSeconds", default.timeout_s) or default.timeout_s,
        quality_retries=retries if found.get("mode") == "safeguard" and guards else 0,
        shorten=found.get("truncateAfterCompaction") is True,
        max_bytes=_size(found.get("maxActiveTranscriptBytes"), default.max_bytes),
        notify=found.get("notifyUser") is True,
        precheck=isinstance(precheck, Mapping) and precheck.get("enabled") is True,
        flush_enabled=flush.get("enabled") is not False,
        flush_soft_tokens=_count(flush, "softThresholdTokens", default.flush_soft_tokens),
        flush_force_bytes=_size(flush.get("forceFlushTranscriptBytes"), default.flush_force_bytes),
        flush_prompt=_text(flush, "prompt"),
        flush_system_prompt=_text(flush, "systemPrompt"),
        flush_model=_text(flush, "model") or None,
    )


def reserve(window_tokens: int, settings: Settings) -> int:
    """Tokens kept free for the answer: never so many that nothing is left to talk in."""
    wanted = max(settings.reserve_tokens, settings.reserve_floor)
    return min(wanted, window_tokens - min(MARGIN_TOKENS, window_tokens // 2))


def room(window_tokens: int, settings: Settings) -> int:
    """The tokens that a conversation may have before it is condensed."""
    return window_tokens - reserve(window_tokens, settings)


def is_due(context_tokens: int, window_tokens: int, settings: Settings) -> bool:
    """Whether a conversation of this size is condensed after the turn."""
    return context_tokens > room(window_tokens, settings)


def flush_is_due(
    row: Mapping[str, Any],
    settings: Settings,
    *,
    tokens: int,
    window_tokens: int,
    transcript_bytes: int,
) -> bool:
    """Whether the silent memory flush runs before this turn.

    ``tokens``: the last prompt, the last answer and the new prompt. Once per compaction
    cycle; the capped reserve keeps the threshold positive for small windows.
    """
    if not settings.flush_enabled:
        return False
    flushed = row.get("memoryFlushCompactionCount")
    if flushed is not None and flushed == (row.get("compactionCount") or 0):
        return False
    limit = room(window_tokens, settings) - settings.flush_soft_tokens
    forced = 0 < settings.flush_force_bytes <= transcript_bytes
    return forced or (limit > 0 and tokens >= limit)


def estimate_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """The size of messages in tokens, rounded up: a quarter of their characters."""
    chars = sum(_chars(message) for message in messages)
    return -(-chars // CHARS_PER_TOKEN)


def cut(messages: Sequence[ContextMessage], keep_tokens: int, *, keep_turns: int = 0) -> Cut | None:
    """Where to cut so that about ``keep_tokens`` stay; None when there is nothing to condense.

    The kept part starts at a user, assistant or custom message, never at a tool result. A
    turn that is longer than the kept part is split. The last ``keep_turns`` turns stay even
    where that keeps up to twice as much.
    """
    start = _kept_turns(messages, keep_turns, 2 * keep_tokens)
    if start is None:
        start = _kept_tokens(messages, keep_tokens)
    first = messages[start] if 0 < start < len(messages) else None
    if first is None or first.entry_id is None:
        return None
    turn = start
    while turn > 0 and messages[turn].message.get("role") != "user":
        turn -= 1
    split = messages[turn:start] if messages[start].message.get("role") != "user" else []
    old = messages[:turn] if split else messages[:start]
    return Cut(list(old), list(split), first.entry_id)


def _kept_tokens(messages: Sequence[ContextMessage], keep_tokens: int) -> int:
    """Where the newest messages of about ``keep_tokens`` begin."""
    start = len(messages)
    kept = 0
    while start > 0 and kept < keep_tokens:
        start -= 1
        kept += estimate_tokens([messages[start].message])
    while start < len(messages) and messages[start].message.get("role") == "toolResult":
        start += 1
    return start if start < len(messages) else _last_turn(messages)


def _kept_turns(messages: Sequence[ContextMessage], turns: int, most_tokens: int) -> int | None:
    """Where the last ``turns`` turns begin; None when that is later than the tokens' cut anyway,
    keeps too much, or leaves nothing to condense."""
    begins = [at for at, item in enumerate(messages) if item.message.get("role") == "user"]
    if not turns or len(begins) <= turns:
        return None
    start = begins[-turns]
    kept = estimate_tokens([item.message for item in messages[start:]])
    return start if most_tokens // 2 <= kept <= most_tokens else None


def transcript_text(messages: Sequence[ContextMessage]) -> str:
    """The messages as text for the summariser; tool results are cut."""
    return "\n\n".join(_spoken(item.message) for item in messages)


def prompt(*, previous: bool, focus: str, settings: Settings) -> str:
    """The summariser's instruction; ``focus`` is what a person asked to keep in view."""
    parts = [
        "Condense the conversation below so that it can go on without it. Write Markdown with "
        f"the sections {', '.join(SECTIONS)}. Keep facts, decisions, open questions and what "
        "was promised; leave out what is settled and greetings. Do not answer the conversation.",
    ]
    if previous:
        parts.append("It begins with an earlier summary: fold that into yours, losing nothing.")
    if settings.identifiers:
        parts.append(settings.identifiers)
    if settings.instructions:
        parts.append(settings.instructions)
    if focus.strip():
        parts.append(f"Above all keep in view: {focus.strip()}")
    return "\n".join(parts)


def summary_of(text: str, messages: Sequence[ContextMessage], settings: Settings) -> str:
    """The stored summary: the model's text, the files touched, in safeguard the failures."""
    parts = [text.strip()]
    failures = _failures(messages) if settings.safeguard else []
    if failures:
        parts.append("## Tool failures\n" + "\n".join(f"- {line}" for line in failures))
    for title, paths in zip(("Files read", "Files changed"), files_of(messages), strict=True):
        if paths:
            listed = "\n".join(f"- {path}" for path in paths)
            if settings.safeguard:
                listed = listed[:FILE_LIST_CHARS]
            parts.append(f"## {title}\n{listed}")
    whole = "\n\n".join(parts)
    return whole[:SUMMARY_CHARS] if settings.safeguard else whole


def missing_sections(text: str) -> list[str]:
    """The sections that a summary lacks."""
    lowered = text.lower()
    return [section for section in SECTIONS if section.lower() not in lowered]


def files_of(messages: Sequence[ContextMessage]) -> tuple[list[str], list[str]]:
    """The files that tool calls read, and those that they changed, in order, each once."""
    read: dict[str, None] = {}
    changed: dict[str, None] = {}
    for name, arguments in _tool_calls(messages):
        path = arguments.get("path") or arguments.get("file_path")
        if isinstance(path, str) and name in _WRITERS:
            changed[path] = None
        elif isinstance(path, str) and name in _READERS:
            read[path] = None
    return [path for path in read if path not in changed], list(changed)


def truncate(lines: Sequence[dict[str, Any]], max_lines: int) -> Truncation | None:
    """The header and the last lines of a transcript, ``max_lines`` in all; None: short enough.

    ``lines`` start with the header. The cut moves forward past tool results whose call was
    cut; a ``compaction`` line that keeps the kept lines readable stays. The first line
    after the header becomes the root.
    """
    if len(lines) <= max_lines:
        return None
    header, body = lines[0], list(lines[1:])
    start = len(body) - max(0, max_lines - 1)
    while start < len(body) and _is_tool_result(body[start]):
        start += 1
    kept = body[start:]
    summary = next((x for x in reversed(body[:start]) if x.get("type") == "compaction"), None)
    if summary is not None and not any(x.get("type") == "compaction" for x in kept):
        kept = [summary, *(kept[1:] if len(kept) > max_lines - 2 else kept)]
        while len(kept) > 1 and _is_tool_result(kept[1]):
            del kept[1]
    if kept:
        kept = _rooted(kept)
    return Truncation([header, *kept], len(lines) - 1 - len(kept))


def without_summarised(lines: Sequence[dict[str, Any]]) -> Truncation | None:
    """A transcript without what its last compaction summarised; None: nothing to leave out.

    ``lines`` start with the header. The settings of the branch as they were last stay.
    """
    path = transcript.active_path(list(lines[1:]))
    at = next((i for i in range(len(path) - 1, -1, -1) if path[i].get("type") == "compaction"), -1)
    if at < 0:
        return None
    kept_id = path[at].get("firstKeptEntryId")
    first = next((i for i in range(at) if path[i].get("id") == kept_id), at)
    latest = {
        (entry["type"], str(entry.get("customType"))): i
        for i, entry in enumerate(path[:first])
        if entry.get("type") in _SETTINGS_LINES
    }
    kept = _rooted([path[i] for i in [*sorted(latest.values()), *range(first, len(path))]])
    dropped = len(lines) - 1 - len(kept)
    return Truncation([lines[0], *kept], dropped) if dropped else None


def _rooted(kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines whose parent was cut hang from the line before them."""
    known = {line["id"] for line in kept if isinstance(line.get("id"), str)}
    rooted: list[dict[str, Any]] = []
    for line in kept:
        parent = line.get("parentId")
        if isinstance(parent, str) and parent in known:
            rooted.append(line)
            continue
        before = rooted[-1].get("id") if rooted else None
        rooted.append(line | {"parentId": before})
    return rooted


def _is_tool_result(line: Mapping[str, Any]) -> bool:
    message = line.get("message")
    return isinstance(message, Mapping) and message.get("role") == "toolResult"


def _last_turn(messages: Sequence[ContextMessage]) -> int:
    """Where the last user message stands; the end when there is none."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].message.get("role") == "user":
            return at
    return len(messages)


def _chars(message: Mapping[str, Any]) -> int:
    content = message.get("content")
    if isinstance(content, str):
        return len(content)
    blocks = content if isinstance(content, list) else []
    return sum(_block_chars(block) for block in blocks if isinstance(block, Mapping))


def _block_chars(block: Mapping[str, Any]) -> int:
    kind = block.get("type")
    if kind == "image":
        return IMAGE_CHARS
    if kind == "toolCall":
        arguments = json.dumps(block.get("arguments") or {}, ensure_ascii=False)
        return len(str(block.get("name") or "")) + len(arguments)
    text = block.get("thinking") if kind == "thinking" else block.get("text")
    return len(text) if isinstance(text, str) else 0


def _spoken(message: Mapping[str, Any]) -> str:
    role = str(message.get("role"))
    text = transcript.text_of(dict(message))
    if role == "toolResult":
        name = message.get("toolName") or "tool"
        return f"[result of {name}]: {text[:TOOL_RESULT_CHARS]}"
    calls = [f"[calls {name}]" for name, _ in _calls_of(message)]
    return f"[{role}]: " + "\n".join([text, *calls]).strip()


def _failures(messages: Sequence[ContextMessage]) -> list[str]:
    found = [
        f"{item.message.get('toolName') or 'tool'}: "
        + " ".join(transcript.text_of(item.message).split())[:FAILURE_CHARS]
        for item in messages
        if item.message.get("role") == "toolResult" and item.message.get("isError") is True
    ]
    return found[-MAX_FAILURES:]


def _tool_calls(messages: Sequence[ContextMessage]) -> list[tuple[str, Mapping[str, Any]]]:
    return [call for item in messages for call in _calls_of(item.message)]


def _calls_of(message: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    content = message.get("content")
    return [
        (str(block.get("name")), block["arguments"])
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, Mapping)
        and block.get("type") == "toolCall"
        and isinstance(block.get("arguments"), Mapping)
    ]


def _count(block: Mapping[str, Any], key: str, default: int) -> int:
    value = block.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or value < 0:
        return default
    return int(value)


def _identifier_rule(block: Mapping[str, Any]) -> str:
    """What the summariser is told about identifiers; the owner's words where they are custom."""
    policy = block.get("identifierPolicy", "strict")
    if policy == "custom":
        return _text(block, "identifierInstructions")
    return Settings().identifiers if policy == "strict" else ""


def _recent_turns(block: Mapping[str, Any]) -> int:
    """``recentTurnsPreserve``, which counts in safeguard mode only."""
    if block.get("mode") != "safeguard":
        return 0
    return min(MAX_RECENT_TURNS, _count(block, "recentTurnsPreserve", RECENT_TURNS))


def _size(value: object, default: int) -> int:
    if value is None:
        return default
    try:
        return units.parse_size(value)
    except ValueError:
        return default


def _text(block: Mapping[str, Any], key: str) -> str:
    value = block.get(key)
    return value.strip() if isinstance(value, str) else ""
