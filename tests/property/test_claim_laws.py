"""Laws of claims: judging never fails, likeness is orderly, credit loses nothing."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from recall_rows import NOW_MS

from openclaw_cli.memory import claims, memory_file
from openclaw_cli.memory.claim_credit import credit
from openclaw_cli.memory.claim_days import HORIZON_DAYS, named_day
from openclaw_cli.memory.claim_matching import Weights, compare, read
from openclaw_cli.memory.entries import RESTATED
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.workspace import Workspace

WORDS = st.sampled_from(
    [
        "garage",
        "key",
        "neighbour",
        "violet",
        "ladder",
        "Dienstag",
        "Friday",
        "17:30",
        "45",
        "鍵",
        "予備",
        "ключ",
        "сосед",
        "anahtar",
        "moved",
        "now",
        "the",
        "und",
        "12.9.",
        "2026-09-12",
        "?",
        ":",
        "-",
        "[",
        "]",
        "/",
        "error",
    ]
)
TEXT = st.one_of(st.text(max_size=120), st.lists(WORDS, max_size=14).map(" ".join))
NOTED = st.dates(date(2025, 1, 1), date(2027, 12, 31))


@given(TEXT, st.booleans())
def test_every_text_gets_a_verdict_that_white_space_does_not_change(
    text: str, fenced: bool
) -> None:
    assert claims.refusal(text, fenced=fenced) == claims.refusal(f"  {text}\n", fenced=fenced)


@given(TEXT, TEXT)
def test_likeness_is_within_bounds_and_a_claim_is_like_itself(one: str, other: str) -> None:
    said = [read(one), read(other)]
    weights = Weights([one, other])
    found = compare(*said, weights)
    assert found is None or 0 <= found.strength <= 1.0001
    itself = compare(said[0], said[0], weights)
    assert itself is None or itself.relation == "same"


@given(TEXT, NOTED)
def test_a_named_day_lies_ahead_within_the_horizon(text: str, noted: date) -> None:
    found = named_day(text, noted)
    assert found is None or noted <= found.day <= noted + timedelta(days=HORIZON_DAYS)


@given(st.text(max_size=200), st.text(min_size=1, max_size=20))
def test_marking_only_ever_adds_the_mark(text: str, key: str) -> None:
    marked = memory_file.mark_superseded(text, key, "x")
    assert marked.replace(" [superseded by x]", "") == text or marked == text


LINES = [
    "- the garage key lies under the violet pot",
    "- garage key: under the pot with the violet, as always",
    "- choir in the parish hall is on Tuesday evening",
    "- choir in the parish hall moved from Tuesday to Friday evening",
    "- Ada prefers the ladder from the neighbour",
]
MEETINGS = st.lists(
    st.tuples(st.integers(0, len(LINES) - 1), st.integers(1, 28), st.sampled_from("abcdef")),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(MEETINGS)
def test_credit_loses_no_search_and_keeps_keys_in_order(
    meetings: list[tuple[int, int, str]],
) -> None:
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        workspace.memory_dir.mkdir()
        for number, line in enumerate(LINES):
            (workspace.memory_dir / f"2026-09-0{number + 1}.md").write_text(line + "\n")
        store = RecallStore()
        for which, day, query in meetings:
            path = f"memory/2026-09-0{which + 1}.md"
            signal = Signal(path, 1, 1, LINES[which], 0.9, query, f"2026-10-{day:02d}")
            credit(store, [signal], NoteReader(workspace), NOW_MS)
        assert sum(entry["recallCount"] for entry in store.entries.values()) == len(meetings)
        for key, entry in store.entries.items():
            assert entry["key"] == key
            assert key == f"memory:{entry['path']}:{entry['startLine']}:{entry['endLine']}"
            others = sum(row["recalls"] for row in entry.get(RESTATED, ()))
            assert 0 <= others <= entry["recallCount"]
