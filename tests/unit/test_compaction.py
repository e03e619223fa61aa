"""Compaction: when it is due, where it cuts, what it keeps; the flush; truncation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.sessions import compaction, silence
from openclaw_cli.sessions.context import ContextMessage, build

S = compaction.Settings()


def _message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}], **more}


def _context(*pairs: tuple[str, str]) -> list[ContextMessage]:
    return [ContextMessage(f"{i:08x}", _message(r, t)) for i, (r, t) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("window", "settings", "reserve"),
    [
        (200_000, S, 20_000),
        (200_000, S._replace(reserve_floor=0), 16_384),
        (200_000, S._replace(reserve_tokens=50_000), 50_000),
        (24_000, S, 16_000),
        (10_000, S, 5_000),
    ],
)
def test_reserve(window: int, settings: compaction.Settings, reserve: int) -> None:
    assert compaction.reserve(window, settings) == reserve


def test_due_only_above_the_window_less_the_reserve() -> None:
    assert not compaction.is_due(180_000, 200_000, S)
    assert compaction.is_due(180_001, 200_000, S)


@pytest.mark.parametrize(
    ("row", "tokens", "window", "size", "due"),
    [
        ({}, 176_000, 200_000, 0, True),
        ({}, 175_999, 200_000, 0, False),
        ({}, 0, 200_000, 2 * 1024 * 1024, True),
        ({"compactionCount": 2, "memoryFlushCompactionCount": 2}, 190_000, 200_000, 0, False),
        ({"memoryFlushCompactionCount": 0}, 190_000, 200_000, 0, False),
        ({"compactionCount": 3, "memoryFlushCompactionCount": 2}, 190_000, 200_000, 0, True),
        ({}, 4_000, 24_000, 0, True),
        ({}, 3_999, 24_000, 0, False),
    ],
)
def test_flush(row: dict[str, Any], tokens: int, window: int, size: int, due: bool) -> None:
    found = compaction.flush_is_due(
        row, S, tokens=tokens, window_tokens=window, transcript_bytes=size
    )
    assert found is due


def test_flush_can_be_switched_off_and_never_forced() -> None:
    off = compaction.settings_of({"memoryFlush": {"enabled": False}})
    assert not compaction.flush_is_due(
        {}, off, tokens=10**9, window_tokens=200_000, transcript_bytes=10**9
    )
    unforced = compaction.settings_of({"memoryFlush": {"forceFlushTranscriptBytes": 0}})
    assert not compaction.flush_is_due(
        {}, unforced, tokens=0, window_tokens=200_000, transcript_bytes=10**9
    )


def test_the_cut_falls_on_a_turn() -> None:
    context = _context(("user", "x" * 400), ("assistant", "y" * 400), ("user", "z" * 40),
                       ("assistant", "w" * 40))  # fmt: skip
    found = compaction.cut(context, 15)
    assert found is not None
    assert (found.first_kept_id, len(found.old), found.split_turn) == ("00000002", 2, [])


def test_the_cut_never_falls_on_a_tool_result_and_splits_a_long_turn() -> None:
    context = _context(("user", "u" * 40), ("assistant", "call"), ("toolResult", "t" * 4_000),
                       ("assistant", "a" * 40))  # fmt: skip
    found = compaction.cut(context, 500)
    assert found is not None
    assert found.first_kept_id == "00000003"
    assert [m.message["role"] for m in found.split_turn] == ["user", "assistant", "toolResult"]
    assert found.old == []


def test_a_short_conversation_is_not_cut() -> None:
    assert compaction.cut(_context(("user", "hi"), ("assistant", "ho")), 20_000) is None
    assert compaction.cut([], 10) is None


def test_files_and_failures_reach_the_summary() -> None:
    calls = [
        {"type": "toolCall", "id": "1", "name": "memory_get", "arguments": {"path": "a.md"}},
        {"type": "toolCall", "id": "2", "name": "write", "arguments": {"path": "b.md"}},
        {"type": "toolCall", "id": "3", "name": "read", "arguments": {"path": "b.md"}},
    ]
    context = [
        ContextMessage("1", {"role": "assistant", "content": calls}),
        ContextMessage("2", _message("toolResult", "no such  file", toolName="read", isError=True)),
    ]  # fmt: skip
    assert compaction.files_of(context) == (["a.md"], ["b.md"])
    plain = compaction.summary_of(" S ", context, S)
    assert plain == "S\n\n## Files read\n- a.md\n\n## Files changed\n- b.md"
    guarded = compaction.summary_of("S", context, S._replace(safeguard=True))
    assert "## Tool failures\n- read: no such file" in guarded


def test_the_prompt_names_sections_focus_and_rules() -> None:
    text = compaction.prompt(previous=True, focus=" the bike ", settings=S)
    assert all(section in text for section in compaction.SECTIONS)
    assert "the bike" in text
    assert "earlier summary" in text
    assert "exactly" in text


def _line(number: int, role: str, parent: int | None) -> dict[str, Any]:
    return {"type": "message", "id": f"{number:08x}",
            "parentId": None if parent is None else f"{parent:08x}",
            "message": _message(role, f"m{number}")}  # fmt: skip


HEADER = {"type": "session", "id": "s"}


def test_truncation_keeps_header_and_tail_rooted() -> None:
    lines = [HEADER, *[_line(i, "user", i - 1 if i else None) for i in range(10)]]
    found = compaction.truncate(lines, 4)
    assert found is not None
    assert found.dropped == 7
    assert [line["id"] for line in found.lines] == ["s", "00000007", "00000008", "00000009"]
    assert found.lines[1]["parentId"] is None
    assert compaction.truncate(lines, 11) is None


def test_truncation_orphans_no_tool_result_and_keeps_the_summary() -> None:
    roles = ["user", "assistant", "toolResult", "toolResult", "assistant"]
    lines = [HEADER, *[_line(i, r, i - 1 if i else None) for i, r in enumerate(roles)]]
    found = compaction.truncate(lines, 4)
    assert found is not None
    assert [line["id"] for line in found.lines] == ["s", "00000004"]
    summary = {"type": "compaction", "id": "c", "parentId": "00000004", "summary": "S",
               "firstKeptEntryId": "00000004"}  # fmt: skip
    after = [_line(20, "user", None) | {"parentId": "c"}, *[_line(20 + i, "user", 19 + i)
                                                           for i in range(1, 6)]]  # fmt: skip
    found = compaction.truncate([*lines, summary, *after], 4)
    assert found is not None
    assert len(found.lines) == 4
    assert found.lines[1]["id"] == "c"
    texts = [m.message["content"] for m in build(found.lines[1:]).messages]
    assert "S" in texts[0]
    assert len(texts) == 3


@given(st.lists(st.sampled_from(["user", "assistant", "toolResult"]), max_size=30),
       st.integers(1, 12))  # fmt: skip
def test_truncated_transcripts_stay_readable(roles: list[str], max_lines: int) -> None:
    lines = [HEADER, *[_line(i, r, i - 1 if i else None) for i, r in enumerate(roles)]]
    found = compaction.truncate(lines, max_lines)
    if found is None:
        assert len(lines) <= max_lines
        return
    assert found.lines[0] == HEADER
    assert len(found.lines) <= max_lines
    assert found.dropped == len(lines) - len(found.lines)
    assert len(build(found.lines[1:]).messages) == len(found.lines) - 1
    if len(found.lines) > 1:
        assert found.lines[1]["message"]["role"] != "toolResult"


@pytest.mark.parametrize(
    "text",
    ["NO_REPLY", " no_reply\n", "NO_REPLY NO_REPLY", "**NO_REPLY**", "NO_REPLY.", '"NO_REPLY"',
     '{"action":"NO_REPLY"}', '{ "action": "no_reply" }'],
)  # fmt: skip
def test_silent_answers(text: str) -> None:
    assert silence.is_silent(text)


@pytest.mark.parametrize(
    "text", ["", "NO_REPLYING", "no reply", "Done. NO_REPLY", '{"action":"NO_REPLY","x":1}', "[1"]
)
def test_answers_that_are_not_silent(text: str) -> None:
    assert not silence.is_silent(text)


def test_a_trailing_token_is_left_out() -> None:
    assert silence.without_token("Done.\n\nNO_REPLY") == "Done."
    assert silence.without_token("NO_REPLY is a token") == "NO_REPLY is a token"
    assert silence.without_token("say XNO_REPLY") == "say XNO_REPLY"


@given(st.text("NO_REPLYno_ .\nab", max_size=40), st.lists(st.integers(1, 5), max_size=20))
def test_an_answer_in_pieces_shows_what_the_whole_one_does(text: str, sizes: list[int]) -> None:
    shown: list[str] = []
    screen = silence.TokenFilter(shown.append)
    rest = text
    for size in sizes:
        screen.write(rest[:size])
        rest = rest[size:]
    screen.write(rest)
    screen.close()
    whole = "" if silence.is_silent(text) else silence.without_token(text)
    assert "".join(shown).strip() == whole.strip()


def test_without_a_compaction_nothing_is_left_out() -> None:
    header = {"type": "session", "id": "s"}
    lines = [header, {"type": "message", "id": "a", "parentId": None}]
    assert compaction.without_summarised(lines) is None
    at_start = {"type": "compaction", "id": "b", "parentId": "a", "firstKeptEntryId": "a"}
    assert compaction.without_summarised([*lines, at_start]) is None


@pytest.mark.parametrize(
    ("block", "retries", "told", "not_told"),
    [
        ({}, 0, "exactly as they stand", ""),
        ({"mode": "safeguard"}, 1, "exactly as they stand", ""),
        ({"mode": "safeguard", "qualityGuard": {"enabled": False}}, 0, "", ""),
        ({"mode": "safeguard", "qualityGuard": {"maxRetries": 9}}, 3, "", ""),
        ({"identifierPolicy": "off"}, 0, "", "exactly as they stand"),
        (
            {"identifierPolicy": "custom", "identifierInstructions": "Keep order numbers."},
            0, "Keep order numbers.", "exactly as they stand",
        ),
    ],
)  # fmt: skip
def test_the_summary_is_guarded_as_configured(
    block: dict[str, Any], retries: int, told: str, not_told: str
) -> None:
    settings = compaction.settings_of(block)
    assert settings.quality_retries == retries
    asked = compaction.prompt(previous=False, focus="", settings=settings)
    assert told in asked
    assert not (not_told and not_told in asked)
