"""Reading, building and repairing transcripts (``sessions.md`` 3.2, 3.3, 3.5)."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.sessions import context, repair, transcript
from openclaw_cli.state import clock

NOW = clock.parse_iso("2026-11-20T03:00:00Z") or 0
HEADER = {
    "type": "session", "version": 3, "id": "s1",
    "timestamp": "2026-11-19T01:00:00.000Z", "cwd": "/w",
}  # fmt: skip


def _message(line_id: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "message", "id": line_id, "parentId": parent,
        "timestamp": "2026-11-19T01:00:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}], **more},
    }  # fmt: skip


def _write(path: Path, *lines: Any, end: str = "\n") -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + end)
    return path


def test_what_cannot_be_read_is_counted_and_nothing_is_repaired(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "s1.jsonl",
        HEADER,
        _message("a", None, "user", "hi"),
        "{cut",
        {"type": "message", "id": "b", "parentId": "a", "message": {"content": "no role"}},
        "",
        [1],
        _message("c", "a", "assistant", "ho"),
        '{"type": "mess',
        end="",
    )
    before = path.read_bytes()
    read = transcript.read(path)
    assert read.header == HEADER
    assert [line["id"] for line in read.entries] == ["a", "c"]
    assert read.skipped == 4
    assert read.exists
    assert path.read_bytes() == before


def test_a_missing_file_is_an_empty_transcript(tmp_path: Path) -> None:
    read = transcript.read(tmp_path / "no.jsonl")
    assert (read.header, read.entries, read.exists) == (None, [], False)


def test_without_a_valid_header_the_lines_still_count(tmp_path: Path) -> None:
    path = _write(tmp_path / "s.jsonl", {"type": "session"}, _message("a", None, "user", "x"))
    read = transcript.read(path)
    assert read.header is None
    assert [line["id"] for line in read.entries] == ["a"]
    assert transcript.started_at(path) is None


def test_the_start_of_a_session_is_in_its_header(tmp_path: Path) -> None:
    path = _write(tmp_path / "s.jsonl", HEADER)
    assert transcript.started_at(path) == clock.parse_iso("2026-11-19T01:00:00Z")
    assert transcript.started_at(tmp_path / "no.jsonl") is None


@pytest.mark.parametrize(
    ("value", "is_message"),
    [
        ({"type": "message"}, True),
        ({"type": "compaction", "role": "user"}, False),
        ({"message": {"role": "user"}}, True),
        ({"role": "toolResult"}, True),
        ({"role": "tool"}, True),
        ({"role": "custom"}, False),
        ({"message": {"role": "bashExecution"}}, False),
        ([], False),
        (None, False),
    ],
)
def test_what_counts_as_a_message(value: object, is_message: bool) -> None:
    assert transcript.is_message(value) is is_message


def test_version_one_is_linked_and_its_compaction_named_in_memory(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "s.jsonl",
        {"type": "session", "id": "s", "timestamp": "2026-01-01T00:00:00Z"},
        {"type": "message", "message": {"role": "user", "content": "one"}},
        {"type": "message", "message": {"role": "hookMessage", "content": "two"}},
        {"type": "compaction", "summary": "S", "firstKeptEntryIndex": 2},
        {"role": "user", "content": "bare"},
    )
    entries = transcript.read(path).entries
    assert [entry["parentId"] for entry in entries] == [None, *(e["id"] for e in entries[:-1])]
    assert len({entry["id"] for entry in entries}) == 4
    assert entries[1]["message"]["role"] == "custom"
    assert entries[2]["firstKeptEntryId"] == entries[1]["id"]
    assert "firstKeptEntryIndex" not in entries[2]
    assert entries[3]["message"] == {"role": "user", "content": "bare"}


def test_the_active_branch_is_walked_from_its_leaf() -> None:
    lines = [
        _message("a", None, "user", "1"),
        _message("b", "a", "assistant", "2"),
        _message("c", "a", "assistant", "other branch"),
        {"type": "leaf", "id": "l", "parentId": "c", "targetId": "b"},
    ]
    assert [line["id"] for line in transcript.active_path(lines)] == ["a", "b"]
    assert [line["id"] for line in transcript.active_path(lines[:3])] == ["a", "c"]


def test_the_chain_ends_at_a_lost_parent_and_at_a_loop() -> None:
    lost = [_message("b", "gone", "user", "x"), _message("c", "b", "user", "y")]
    assert [line["id"] for line in transcript.active_path(lost)] == ["b", "c"]
    loop = [_message("a", "b", "user", "x"), _message("b", "a", "user", "y")]
    assert [line["id"] for line in transcript.active_path(loop)] == ["a", "b"]


def test_the_context_is_the_last_summary_what_it_kept_and_what_followed() -> None:
    lines = [
        {"type": "model_change", "id": "m", "parentId": None, "provider": "p", "modelId": "one"},
        _message("a", "m", "user", "old"),
        _message("b", "a", "assistant", "kept"),
        {
            "type": "compaction", "id": "k", "parentId": "b", "summary": "S",
            "firstKeptEntryId": "b", "timestamp": "2026-11-19T01:00:00.000Z",
        },
        {"type": "custom", "id": "x", "parentId": "k", "customType": "mark", "data": {}},
        {"type": "custom_message", "id": "n", "parentId": "x", "content": "note"},
        {"type": "thinking_level_change", "id": "t", "parentId": "n", "thinkingLevel": "high"},
        {"type": "model_change", "id": "o", "parentId": "t", "provider": "p", "modelId": "two"},
        {"type": "branch_summary", "id": "r", "parentId": "o", "summary": "B"},
        _message("c", "r", "user", "new"),
    ]  # fmt: skip
    built = context.build(lines)
    assert [item.entry_id for item in built.messages] == ["k", "b", "n", "r", "c"]
    assert "S" in built.messages[0].message["content"]
    assert built.messages[0].message["role"] == "user"
    assert built.messages[2].message == {"role": "user", "content": "note"}
    assert (built.provider, built.model, built.thinking) == ("p", "two", "high")


def test_an_empty_transcript_builds_an_empty_context() -> None:
    assert context.build([]) == ([], None, None, None)


def test_usage_of_mirrors_does_not_count() -> None:
    usage = {"input": 5, "output": 2}
    lines = [
        _message("a", None, "assistant", "x", provider="p", model="m", usage=usage),
        _message("b", "a", "assistant", "y", provider="openclaw", model="delivery-mirror",
                 usage={"input": 0}),
    ]  # fmt: skip
    assert transcript.last_usage(lines) == ("p", "m", usage)
    assert transcript.last_usage([]) is None


def test_texts_are_joined_from_their_blocks() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert transcript.text_of({"content": blocks}) == "a\nb"
    assert transcript.text_of({"content": "plain"}) == "plain"
    assert transcript.text_of({}) == ""
    lines = [_message("a", None, "user", " "), _message("b", "a", "user", "first")]
    assert transcript.first_user_text(lines) == "first"


def test_new_transcripts_are_private_and_a_torn_line_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    header = transcript.make_header("s1", now_ms=NOW, cwd="/w", parent="/p.jsonl")
    taken: set[str] = set()
    line = transcript.make_entry(
        "model_change", {"provider": "p"}, parent_id=None, now_ms=NOW, taken=taken
    )
    transcript.append(path, [header])
    path.write_text(path.read_text() + '{"cut')
    transcript.append(path, [line])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [json.loads(text) for text in path.read_text().splitlines() if "cut" not in text] == [
        header,
        line,
    ]
    assert header["timestamp"] == "2026-11-20T03:00:00.000Z"
    assert line["id"] in taken
    assert len(line["id"]) == 8


def _repair(path: Path) -> tuple[repair.RepairPlan | None, Path | None]:
    planned = repair.plan(path, session_id="s1", now_ms=NOW, cwd="/w")
    kept = repair.apply(path, planned, now_ms=NOW) if planned else None
    return planned, kept


def test_a_sound_transcript_is_left_alone(tmp_path: Path) -> None:
    path = _write(tmp_path / "s1.jsonl", HEADER, _message("a", None, "user", "hi"))
    assert _repair(path) == (None, None)
    assert repair.plan(tmp_path / "no.jsonl", session_id="s", now_ms=NOW, cwd="/") is None


def test_a_repair_drops_broken_lines_and_keeps_the_file_as_it_was(tmp_path: Path) -> None:
    good = _message("a", None, "user", "hi")
    path = _write(tmp_path / "s1.jsonl", HEADER, "{cut", good, '{"torn', end="")
    before = path.read_bytes()
    planned, kept = _repair(path)
    assert planned is not None
    assert kept is not None
    assert (planned.dropped, planned.no_header) == (2, False)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [HEADER, good]
    assert kept.read_bytes() == before
    assert repair.leftovers(tmp_path) == [kept]


def test_a_blank_user_text_becomes_a_word_that_models_accept(tmp_path: Path) -> None:
    path = _write(tmp_path / "s1.jsonl", HEADER, _message("a", None, "user", "  "))
    _repair(path)
    line = json.loads(path.read_text().splitlines()[1])
    assert line["message"]["content"] == "(continue)"


def test_a_picture_without_words_is_not_blank(tmp_path: Path) -> None:
    line = _message("a", None, "user", "")
    line["message"]["content"] = [{"type": "image", "data": "x"}]
    assert repair.plan(_write(tmp_path / "s1.jsonl", HEADER, line),
                       session_id="s1", now_ms=NOW, cwd="/") is None  # fmt: skip


def test_a_file_without_header_is_set_aside_and_gets_a_new_one(tmp_path: Path) -> None:
    good = _message("a", None, "user", "hi")
    path = _write(tmp_path / "s1.jsonl", good)
    planned, kept = _repair(path)
    assert planned is not None
    assert kept is not None
    assert planned.no_header
    assert kept.name == "s1.jsonl.corrupt-2026-11-20T03-00-00.000Z"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["type"] == "session"
    assert lines[0]["id"] == "s1"
    assert lines[1:] == [good]


@pytest.mark.parametrize("stamp", ["NaN", "1e400", "-1e400", "true", "[]", '"soon"'])
def test_a_time_that_is_none_is_no_time(stamp: str) -> None:
    line = json.loads(f'{{"type": "message", "message": {{"timestamp": {stamp}, "role": "user"}}}}')
    assert transcript.timestamp_of(line) is None
    assert transcript.timestamp_of(line | {"timestamp": json.loads(stamp)}) is None
