"""In-memory pruning: old tool results are shortened in what the model gets. Pure.

The transcript is never touched; what was pruned is remembered per session and applied to
every later request, so that the provider's prefix cache keeps matching (``sessions.md`` 8).
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_cli.config import units
from openclaw_cli.sessions import entry, transcript
from openclaw_cli.sessions.context import ContextMessage
from openclaw_cli.state.tuples import NamedTuple

CUSTOM_TYPE = "openclaw-cli:pruned"
CHARS_PER_TOKEN = 4
IMAGE_CHARS = 8_000
OTHER_ROLE_CHARS = 256
DEFAULT_PLACEHOLDER = "[Old tool result content cleared]"
_WIDE = ((0x2E80, 0x9FFF), (0xA000, 0xA4FF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF),
         (0x20000, 0x2FA1F))  # fmt: skip


class Settings(NamedTuple):
    """``agents.defaults.contextPruning``, resolved. Sizes in characters, ``ttl_ms`` in ms."""

    enabled: bool = True
    ttl_ms: int = 300_000
    keep_last_assistants: int = 3
    soft_ratio: float = 0.3
    hard_ratio: float = 0.5
    min_prunable_chars: int = 50_000
    soft_max_chars: int = 4_000
    head_chars: int = 1_500
    tail_chars: int = 1_500
    hard_enabled: bool = True
    placeholder: str = DEFAULT_PLACEHOLDER
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class Memory(NamedTuple):
    """What earlier requests pruned, by line id, and when they last did (epoch ms)."""

    soft: frozenset[str] = frozenset()
    hard: frozenset[str] = frozenset()
    touched_ms: int | None = None

    def to_data(self) -> dict[str, Any]:
        """The ``data`` of the ``custom`` line that remembers it."""
        return {"soft": sorted(self.soft), "hard": sorted(self.hard), "touchedMs": self.touched_ms}


class Pruned(NamedTuple):
    """The messages to send, and the new memory when something more was pruned."""

    messages: list[dict[str, Any]]
    memory: Memory | None


def settings_of(block: object) -> Settings:
    """Resolve a ``contextPruning`` block; values that make no sense fall back one by one."""
    found = block if isinstance(block, Mapping) else {}
    soft, hard, tools = (_mapping(found.get(key)) for key in ("softTrim", "hardClear", "tools"))
    default = Settings()
    return Settings(
        enabled=found.get("mode") != "off",
        ttl_ms=_duration(found.get("ttl"), default.ttl_ms),
        keep_last_assistants=_count(found, "keepLastAssistants", default.keep_last_assistants),
        soft_ratio=_share(found, "softTrimRatio", default.soft_ratio),
        hard_ratio=_share(found, "hardClearRatio", default.hard_ratio),
        min_prunable_chars=_count(found, "minPrunableToolChars", default.min_prunable_chars),
        soft_max_chars=_count(soft, "maxChars", default.soft_max_chars),
        head_chars=_count(soft, "headChars", default.head_chars),
        tail_chars=_count(soft, "tailChars", default.tail_chars),
        hard_enabled=hard.get("enabled") is not False,
        placeholder=_placeholder(hard.get("placeholder")),
        allow=_globs(tools.get("allow")),
        deny=_globs(tools.get("deny")),
    )


def memory_of(entries: Sequence[Mapping[str, Any]]) -> Memory:
    """What the newest memory line on the branch says was pruned."""
    for line in reversed(entries):
        data = line.get("data")
        if line.get("customType") == CUSTOM_TYPE and isinstance(data, Mapping):
            return Memory(
                frozenset(_texts(data.get("soft"))),
                frozenset(_texts(data.get("hard"))),
                entry.timestamp(data.get("touchedMs")),
            )
    return Memory()


def prune(
    messages: Sequence[ContextMessage],
    memory: Memory,
    settings: Settings,
    *,
    window_tokens: int,
    touched_ms: int | None,
    now_ms: int,
) -> Pruned:
    """Shorten old tool results when the context is large and its cache has gone cold.

    ``touched_ms`` is when the provider last saw this context (None: never, so nothing is
    pruned anew). What ``memory`` names is applied always.
    """
    if not settings.enabled:
        return Pruned([item.message for item in messages], None)
    plain = [_remembered(item, memory, settings) for item in messages]
    touches = [at for at in (touched_ms, memory.touched_ms) if at is not None]
    cold = bool(touches) and now_ms - max(touches) >= settings.ttl_ms
    window = window_tokens * CHARS_PER_TOKEN
    places = _prunable(messages, settings) if cold and window > 0 else []
    if not places or _total(plain) / window < settings.soft_ratio:
        return Pruned(plain, None)
    soft, hard = set(memory.soft), set(memory.hard)
    for at in places:
        identity = messages[at].entry_id
        if identity is None or identity in soft or identity in hard:
            continue
        trimmed = _soft(plain[at], settings)
        if trimmed is not None:
            plain[at] = trimmed
            soft.add(identity)
    if settings.hard_enabled and _chars(plain, places) >= settings.min_prunable_chars:
        _clear(plain, places, messages, hard, window=window, settings=settings)
    if soft == memory.soft and hard == memory.hard:
        return Pruned(plain, None)
    return Pruned(plain, Memory(frozenset(soft), frozenset(hard), now_ms))


def weight(message: Mapping[str, Any]) -> int:
    """The estimated size of a message in characters, wide scripts counted fourfold."""
    if message.get("role") not in ("user", "assistant", "toolResult"):
        return OTHER_ROLE_CHARS
    content = message.get("content")
    if isinstance(content, str):
        return _text_weight(content)
    return sum(_block_weight(block) for block in content) if isinstance(content, list) else 0


def _clear(
    plain: list[dict[str, Any]],
    places: Sequence[int],
    messages: Sequence[ContextMessage],
    hard: set[str],
    *,
    window: int,
    settings: Settings,
) -> None:
    total = _total(plain)
    for at in places:
        if total / window < settings.hard_ratio:
            return
        identity = messages[at].entry_id
        if identity is None or identity in hard:
            continue
        cleared = _cleared(plain[at], settings)
        total += weight(cleared) - weight(plain[at])
        plain[at] = cleared
        hard.add(identity)


def _remembered(item: ContextMessage, memory: Memory, settings: Settings) -> dict[str, Any]:
    if item.entry_id in memory.hard:
        return _cleared(item.message, settings)
    if item.entry_id in memory.soft:
        return _soft(item.message, settings) or item.message
    return item.message


def _prunable(messages: Sequence[ContextMessage], settings: Settings) -> list[int]:
    """Where tool results stand that may be shortened: old enough, allowed, without images."""
    roles = [item.message.get("role") for item in messages]
    if "user" not in roles:
        return []
    end = len(messages)
    if settings.keep_last_assistants:
        assistants = [at for at, role in enumerate(roles) if role == "assistant"]
        if len(assistants) < settings.keep_last_assistants:
            return []
        end = assistants[-settings.keep_last_assistants]
    return [
        at
        for at in range(roles.index("user"), end)
        if roles[at] == "toolResult"
        and _is_allowed(str(messages[at].message.get("toolName") or ""), settings)
        and not _has_image(messages[at].message)
    ]


def _is_allowed(tool: str, settings: Settings) -> bool:
    name = tool.lower()
    if any(fnmatch.fnmatchcase(name, glob) for glob in settings.deny):
        return False
    return not settings.allow or any(fnmatch.fnmatchcase(name, g) for g in settings.allow)


def _has_image(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(block, Mapping) and block.get("type") == "image" for block in content
    )


def _soft(message: dict[str, Any], settings: Settings) -> dict[str, Any] | None:
    text = transcript.text_of(message)
    head, tail = settings.head_chars, settings.tail_chars
    if len(text) <= max(settings.soft_max_chars, head + tail):
        return None
    ending = text[-tail:] if tail else ""
    note = f"[Shortened: the first {head} and last {tail} of {len(text)} characters]"
    return _with_text(message, f"{text[:head]}\n...\n{ending}\n\n{note}")


def _cleared(message: dict[str, Any], settings: Settings) -> dict[str, Any]:
    return _with_text(message, settings.placeholder)


def _with_text(message: dict[str, Any], text: str) -> dict[str, Any]:
    return message | {"content": [{"type": "text", "text": text}]}


def _total(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(weight(message) for message in messages)


def _chars(messages: Sequence[Mapping[str, Any]], places: Sequence[int]) -> int:
    return sum(weight(messages[at]) for at in places)


def _block_weight(block: object) -> int:
    if not isinstance(block, Mapping):
        return 0
    kind = block.get("type")
    if kind == "image":
        return IMAGE_CHARS
    if kind == "toolCall":
        return len(json.dumps(block.get("arguments") or {}, ensure_ascii=False))
    text = block.get("thinking") if kind == "thinking" else block.get("text")
    return _text_weight(text) if isinstance(text, str) else 0


def _text_weight(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(any(low <= ord(ch) <= high for low, high in _WIDE) for ch in text)
    return len(text) + 3 * wide


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(block: Mapping[str, Any], key: str, default: int) -> int:
    value = block.get(key)
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return int(value) if usable and value is not None else default


def _share(block: Mapping[str, Any], key: str, default: float) -> float:
    value = block.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return default
    return min(1.0, max(0.0, float(value)))


def _duration(value: object, default: int) -> int:
    try:
        return units.parse_duration_ms(value, "m")
    except ValueError:
        return default


def _placeholder(value: object) -> str:
    return value.strip() if isinstance(value, str) and value.strip() else DEFAULT_PLACEHOLDER


def _globs(value: object) -> tuple[str, ...]:
    return tuple(text.strip().lower() for text in _texts(value) if text.strip())


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
