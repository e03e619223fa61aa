"""Pruning of old tool results: when, what, and that it sticks."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.sessions import pruning
from openclaw_cli.sessions.context import ContextMessage

NOW = 1_795_143_600_000
COLD = NOW - 300_000


def _user(text: str = "hi") -> dict[str, Any]:
    return {"role": "user", "content": text}


def _assistant(text: str = "ok") -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _tool(text: str, name: str = "memory_search") -> dict[str, Any]:
    return {"role": "toolResult", "toolName": name, "content": [{"type": "text", "text": text}]}


def _context(*messages: dict[str, Any]) -> list[ContextMessage]:
    return [ContextMessage(f"{i:08x}", message) for i, message in enumerate(messages)]


def _text(message: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in message["content"])


LONG = "a" * 1_500 + "b" * 57_000 + "c" * 1_500
TAIL = [_assistant(), _assistant(), _assistant()]


def _prune(
    messages: list[ContextMessage],
    *,
    memory: pruning.Memory | None = None,
    touched_ms: int | None = COLD,
    window_tokens: int = 20_000,
    **block: Any,
) -> pruning.Pruned:
    return pruning.prune(
        messages, memory or pruning.Memory(), pruning.settings_of(block),
        window_tokens=window_tokens, touched_ms=touched_ms, now_ms=NOW,
    )  # fmt: skip


def test_a_long_old_result_keeps_head_and_tail() -> None:
    found = _prune(_context(_user(), _tool(LONG), *TAIL))
    text = _text(found.messages[1])
    assert text.startswith("a" * 1_500 + "\n...\n" + "c" * 1_500 + "\n\n[Shortened")
    assert "1500" in text
    assert "60000" in text
    assert found.memory == pruning.Memory(frozenset({"00000001"}), frozenset(), NOW)


@pytest.mark.parametrize(
    "touched", [None, COLD + 1], ids=["never seen by a provider", "still warm"]
)
def test_a_warm_or_unknown_cache_is_left_alone(touched: int | None) -> None:
    found = _prune(_context(_user(), _tool(LONG), *TAIL), touched_ms=touched)
    assert found.memory is None
    assert _text(found.messages[1]) == LONG


@pytest.mark.parametrize(
    ("messages", "block"),
    [
        ([_user(), _tool(LONG), *TAIL], {"mode": "off"}),
        ([_user(), _tool(LONG), *TAIL[:2]], {}),
        ([_user(), *TAIL, _tool(LONG)], {}),
        ([_tool(LONG), _user(), *TAIL], {}),
        ([_user(), _tool(LONG, "Exec"), *TAIL], {"tools": {"deny": ["ex*"]}}),
        ([_user(), _tool(LONG, "exec"), *TAIL], {"tools": {"allow": ["memory_*"]}}),
        ([_user(), _tool(LONG), *TAIL], {"softTrimRatio": 1}),
    ],
    ids=["off", "too few answers", "recent", "before the first user", "denied", "not allowed",
         "small"],
)  # fmt: skip
def test_what_is_never_touched(messages: list[dict[str, Any]], block: dict[str, Any]) -> None:
    assert _prune(_context(*messages), **block).memory is None


def test_results_with_images_are_skipped() -> None:
    image = {
        "role": "toolResult",
        "toolName": "x",
        "content": [
            {"type": "text", "text": LONG},
            {"type": "image", "data": "", "mimeType": "image/png"},
        ],
    }
    assert _prune(_context(_user(), image, *TAIL)).memory is None  # fmt: skip


def test_still_too_large_clears_the_oldest_until_below_the_hard_ratio() -> None:
    tools = [_tool(f"{i}" * 3_900) for i in range(16)]
    found = _prune(_context(_user(), *tools, *TAIL))
    assert found.memory is not None
    cleared = [i for i in range(16) if _text(found.messages[1 + i]) == pruning.DEFAULT_PLACEHOLDER]
    assert cleared == list(range(len(cleared)))
    assert 0 < len(cleared) < 16
    total = sum(pruning.weight(message) for message in found.messages)
    assert total / 80_000 < 0.5 <= (total + 3_900 - 33) / 80_000


@pytest.mark.parametrize(
    "block", [{"hardClear": {"enabled": False}}, {"minPrunableToolChars": 62_401}]
)
def test_hard_clearing_can_be_off_or_not_worth_it(block: dict[str, Any]) -> None:
    tools = [_tool("x" * 3_900) for _ in range(16)]
    assert _prune(_context(_user(), *tools, *TAIL), **block).memory is None


def test_what_was_pruned_stays_pruned_while_the_cache_is_warm() -> None:
    context = _context(_user(), _tool(LONG), _tool(LONG), *TAIL)
    memory = pruning.Memory(frozenset({"00000001"}), frozenset({"00000002"}), NOW)
    found = _prune(context, memory=memory, touched_ms=NOW)
    assert found.memory is None
    assert _text(found.messages[1]).startswith("a" * 1_500 + "\n...\n")
    assert _text(found.messages[2]) == pruning.DEFAULT_PLACEHOLDER


def test_memory_survives_as_a_custom_line() -> None:
    memory = pruning.Memory(frozenset({"b", "a"}), frozenset({"c"}), NOW)
    line = {"type": "custom", "customType": pruning.CUSTOM_TYPE, "data": memory.to_data()}
    assert line["data"] == {"soft": ["a", "b"], "hard": ["c"], "touchedMs": NOW}
    assert pruning.memory_of([line, {"type": "message"}]) == memory
    assert pruning.memory_of([]) == pruning.Memory()


@pytest.mark.parametrize(
    ("block", "field", "value"),
    [
        ({}, "enabled", True),
        ({"ttl": "1h"}, "ttl_ms", 3_600_000),
        ({"ttl": 7}, "ttl_ms", 420_000),
        ({"ttl": "soon"}, "ttl_ms", 300_000),
        ({"softTrimRatio": 3}, "soft_ratio", 1.0),
        ({"hardClearRatio": "x"}, "hard_ratio", 0.5),
        ({"keepLastAssistants": 0}, "keep_last_assistants", 0),
        ({"keepLastAssistants": -1}, "keep_last_assistants", 3),
        ({"softTrim": {"maxChars": 9}}, "soft_max_chars", 9),
        ({"hardClear": {"placeholder": "  "}}, "placeholder", pruning.DEFAULT_PLACEHOLDER),
        ({"tools": {"deny": ["A*"]}}, "deny", ("a*",)),
    ],
    ids=str,
)
def test_settings(block: dict[str, Any], field: str, value: object) -> None:
    assert getattr(pruning.settings_of(block), field) == value


def test_wide_scripts_weigh_fourfold() -> None:
    assert pruning.weight(_user("ab漢字")) == 10
    assert pruning.weight({"role": "custom", "content": "x" * 9_999}) == 256
    assert pruning.weight({"role": "user", "content": [{"type": "image"}]}) == 8_000


@pytest.mark.parametrize("touched", [float("inf"), float("nan"), "soon", None])
def test_a_touch_without_a_time_is_unknown(touched: object) -> None:
    line = {"type": "custom", "customType": pruning.CUSTOM_TYPE, "data": {"touchedMs": touched}}
    assert pruning.memory_of([line]) == pruning.Memory()
