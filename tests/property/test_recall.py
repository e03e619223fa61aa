"""Rules that hold for any recall store, note and ``MEMORY.md``."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import recall_rows
from hypothesis import example, given, settings
from hypothesis import strategies as st
from recall_rows import NOW_ISO, NOW_MS, row

from openclaw_cli.memory import entries, memory_file, ranking, recall_store, recording
from openclaw_cli.memory.notes import parse_note
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.rehydration import Live, find_live
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.text import collapse, cut_utf16, shorten, utf16_length
from openclaw_cli.memory.workspace import Workspace

WORKSPACE = Workspace(Path("/ws"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e15, 1e15) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(row()))
WORDS = st.text("abcde .,:#-*\n日本", min_size=1, max_size=60)


@st.composite
def loose_rows(draw: st.DrawFn) -> dict[str, Any]:
    """A good row in which some fields hold anything."""
    changed: dict[str, Any] = row()
    for name in draw(st.lists(FIELDS, max_size=4)):
        changed[name] = draw(JSON)
    return changed | draw(st.dictionaries(st.text(min_size=1, max_size=5), JSON, max_size=2))


@given(loose_rows())
def test_normalising_twice_is_normalising_once(raw: dict[str, Any]) -> None:
    entry = entries.normalize_entry("k", raw, NOW_ISO)
    if entry is None:
        return
    assert entries.normalize_entry("k", dict(entry), NOW_ISO) == entry
    known = set(row()) | {"claimHash", "promotedAt"}
    assert {n: v for n, v in raw.items() if n not in known}.items() <= entry.items()
    assert isinstance(entry["startLine"], int)
    assert entry["recallCount"] >= 0
    assert 0 <= entry["maxScore"] <= 1
    assert len(entry["recallDays"]) <= 16
    ranking.score_entry(entry, None, half_life=14, now_ms=NOW_MS)


@given(st.lists(loose_rows(), max_size=5), st.dictionaries(st.text(max_size=3), JSON, max_size=2))
def test_a_store_survives_being_read_and_written(
    rows: list[dict[str, Any]], extra: dict[str, Any]
) -> None:
    raw = {f"key{number}": one for number, one in enumerate(rows)}
    text = json.dumps({"version": 1, **extra, "updatedAt": NOW_ISO, "entries": raw})
    store = recall_store.parse(text, WORKSPACE, NOW_MS)
    assert store.entries.keys() | store.invalid.keys() == raw.keys()
    written = recall_store.dumps(store, NOW_ISO)
    again = recall_store.parse(written, WORKSPACE, NOW_MS)
    assert again.entries == store.entries
    assert again.invalid.keys() == store.invalid.keys()
    assert recall_store.dumps(again, NOW_ISO) == written


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4) | JSON)
def test_any_json_document_is_read_without_an_error(document: Any) -> None:
    recall_store.parse(json.dumps({"entries": document}), WORKSPACE, NOW_MS)
    recall_store.parse(json.dumps(document), WORKSPACE, NOW_MS)


@settings(max_examples=20)
@given(st.integers(500, 530), st.integers(0, 1000))
def test_retention_keeps_the_512_rows_of_the_highest_grade(count: int, seed: int) -> None:
    random = Random(seed)
    rows = {}
    for number in range(count):
        one = row(f"fact {number}", line=number + 1)
        one["recallCount"] = random.choice([0, 1, 5])
        one["dailyCount"] = random.choice([0, 1])
        one["lastRecalledAt"] = f"2026-11-{random.randint(1, 19):02d}T00:00:00.000Z"
        if random.random() < 0.2:
            one["promotedAt"] = NOW_ISO
        rows[one["key"]] = one
    kept, dropped = entries.retain(rows)
    assert len(kept) == min(count, 512)
    assert kept.keys() | set(dropped) == rows.keys()
    assert not kept.keys() & set(dropped)

    def grade(key: str) -> tuple[Any, ...]:
        entry = rows[key]
        searched = bool(entry["recallCount"] or entry["groundedCount"])
        return searched, "promotedAt" not in entry, entry["lastRecalledAt"]

    if dropped:
        assert max(grade(key) for key in dropped) <= min(grade(key) for key in kept)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), max_size=12))
def test_daily_signals_count_each_query_and_day_once(met: list[tuple[str, str]]) -> None:
    store = recall_store.RecallStore()
    for query, day in met:
        signal = Signal(
            "memory/2026-11-17.md", 1, 1, "a fact", 0.5, query, f"2026-11-0{ord(day) - 119}"
        )
        recording.add(store, [signal], kind="daily", now_ms=NOW_MS)
    for entry in store.entries.values():
        assert entry["dailyCount"] <= len(set(met))
        assert entry["totalScore"] == entry["dailyCount"] * 0.5


@given(st.lists(loose_rows(), max_size=6), st.floats(0, 1))
def test_ranking_sorts_every_row_into_candidates_or_reasons(
    rows: list[dict[str, Any]], min_score: float
) -> None:
    raw = {f"k{number}": one for number, one in enumerate(rows)}
    store = recall_store.parse(json.dumps({"entries": raw}), WORKSPACE, NOW_MS)
    wanted = DeepSettings(min_score=min_score)
    ranked = ranking.rank(store.kept().values(), {}, settings=wanted, now_ms=NOW_MS)
    assert len(ranked.candidates) + len(ranked.rejected) == len(store.entries)
    scores = [candidate.score for candidate in ranked.candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(candidate.total >= min_score for candidate in ranked.candidates)


# -- text and notes --------------------------------------------------------------------------


@given(st.text(max_size=60), st.integers(0, 40))
def test_a_cut_is_the_longest_start_that_fits(text: str, limit: int) -> None:
    cut = cut_utf16(text, limit)
    assert text.startswith(cut)
    assert utf16_length(cut) <= limit
    assert cut == text or utf16_length(cut) >= limit - 1


@given(WORDS.map(collapse), st.integers(4, 40))
def test_a_shortened_text_is_a_start_with_an_ellipsis(text: str, limit: int) -> None:
    short = shorten(text, limit)
    if utf16_length(text) <= limit:
        assert short == text
        return
    assert short.endswith("...")
    assert not short.endswith("....")
    assert utf16_length(short) <= limit + 3
    assert text.startswith(short[:-3])


class _Reader:
    """A reader that knows one note."""

    def __init__(self, text: str) -> None:
        self.note = parse_note(text)

    def read(self, _path: str) -> Any:
        return self.note


@given(st.lists(WORDS.map(collapse), min_size=1, max_size=12), st.data())
def test_a_range_of_the_note_is_always_found_again(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, min(len(lines), start + 3)))
    snippet = collapse(" ".join(lines[start - 1 : end]))
    stored = row(snippet, line=start, endLine=end)
    reader: Any = _Reader("\n".join(lines))
    found = find_live(stored, reader)
    if isinstance(found, Live) and snippet:
        assert found.text == snippet
        assert (found.start_line, found.end_line) == (start, end)
    moved: Any = _Reader("\n".join(["# new heading", "", *lines]))
    again = find_live(stored, moved)
    if isinstance(again, Live) and snippet:
        live = collapse(" ".join(moved.note.lines[again.start_line - 1 : again.end_line]))
        assert live in again.text or again.text in live or live in snippet


OWN = st.text("abcdefgh ", min_size=1, max_size=30).map(lambda t: "own " + t.strip())


@given(
    st.lists(
        st.tuples(st.dates().map(str), st.integers(1, 4), st.lists(OWN, max_size=3), st.booleans()),
        min_size=1,
        max_size=5,
    ),
    st.integers(0, 12_000),
)
@example([("2000-01-01", 1, [], False), ("2000-01-01", 1, ["own "], False)], 9637)
def test_making_room_never_takes_a_line_of_the_owner(
    parts: list[tuple[str, int, list[str], bool]], needed: int
) -> None:
    text, own = "# Long-Term Memory\n\n", []
    for number, (date, count, lines, as_bullets) in enumerate(parts):
        made = [
            line
            for item in range(count)
            for line in memory_file.bullet_lines(
                {"key": f"k{number}:{item}", "path": "memory/a.md", "startLine": 1, "endLine": 1,
                 "snippet": f"fact {number} {item}", "score": 0.9, "recallCount": 1,
                 "avgScore": 0.5}, 160)
        ]  # fmt: skip
        text += memory_file.section(date, made)
        kept = [f"- {line}" for line in lines] if as_bullets else ["", *lines]
        own += [line for line in kept if line]
        text += "".join(f"{line}\n" for line in kept)
    left = memory_file.make_room(text, needed)
    remaining = left.text.splitlines()
    assert [line for line in remaining if line in own] == own
    fits = utf16_length(left.text) + needed <= memory_file.BUDGET - memory_file.RESERVE
    assert fits or "openclaw-memory-promotion" not in left.text
    assert left.text == text or left.dates


def test_the_reader_of_these_tests_reads_notes() -> None:
    assert find_live(row(line=1), _Reader(recall_rows.ROUTER)) == Live(1, 1, recall_rows.ROUTER)  # type: ignore[arg-type]
