"""Backfill and rollback over diaries of any shape: nothing of the owner's is lost or moved."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from openclaw_cli.dreaming import backfill, history
from openclaw_cli.dreaming.blocks import DIARY_END, DIARY_START
from openclaw_cli.dreaming.diary_section import (
    blocks_of,
    is_backfill,
    normal_form,
    render_backfill,
    with_backfill,
    without,
)
from openclaw_cli.dreaming.rewriting import Place
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

NOW_MS = 1_795_143_600_000
DEEP = "<!-- openclaw:dreaming:deep:start -->"
OURS = {DIARY_START, DIARY_END, "# Dream Diary", "---", ""}

pieces = st.sampled_from(
    ["", "own words", "# Heading", "## Deep Sleep", "---", " --- ", "*May 1, 2026*",
     "*May 1, 2026 at 3:00 AM UTC*", "The router hummed.", DIARY_START, DIARY_END, DEEP,
     DEEP.replace("start", "end"), "<!-- mine -->", "# Dream Diary"]
)  # fmt: skip
texts = st.lists(pieces, max_size=14).map("\n".join) | st.text(max_size=40)
diaries = st.none() | texts | texts.map(lambda text: text.replace("\n", "\r\n"))
news = st.lists(
    st.builds(
        render_backfill,
        st.sampled_from(["2026-11-10", "2026-11-11"]),
        st.text(max_size=12),
        st.text(max_size=30),
    ),
    max_size=3,
)


def own_lines(text: str) -> Counter[str]:
    """The lines that are the owner's or an entry's, whatever their place."""
    lines = (line.strip() for line in text.replace("\r\n", "\n").split("\n"))
    return Counter(line for line in lines if line not in OURS)


@given(diaries, news)
def test_filling_keeps_every_line_and_emptying_takes_only_the_new(
    diary: str | None, new: list[str]
) -> None:
    text = diary or ""
    filled, gone = with_backfill(text, new)
    assert gone == []
    assert not own_lines(text) - own_lines(filled)
    emptied, taken = without(filled, is_backfill)
    assert taken == [block for block in blocks_of(filled) if is_backfill(block)]
    assert own_lines(emptied) == own_lines(text)
    assert normal_form(emptied) == normal_form(with_backfill(text, [])[0])


@given(texts, news)
@example(f"---\n{DIARY_END}", [])
@example(f"---\nThe router hummed.\n{DIARY_END}", [render_backfill("2026-11-10", "a", "b")])
def test_filling_twice_is_filling_once(text: str, new: list[str]) -> None:
    once = with_backfill(text, new)[0]
    assert with_backfill(once, new)[0] == once


@given(texts)
def test_rewriting_is_stable_and_leaves_what_is_outside(text: str) -> None:
    once = normal_form(text)
    assert normal_form(once) == once
    if DIARY_START not in text:
        assert once == text


@given(diaries, st.booleans())
def test_a_rollback_puts_the_file_back_byte_for_byte(diary: str | None, stage: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "workspace")
        workspace.memory_dir.mkdir(parents=True)
        note = workspace.memory_dir / "2026-11-10.md"
        note.write_text("## Preferences\n- Prefers short status updates.\n")
        paths = Paths(Path(folder), Path(folder) / "state")
        place = Place(workspace, paths, NOW_MS, "test")
        if diary is not None:
            place.diary.write_bytes(diary.encode("utf-8", "surrogatepass"))
        before = {p: p.read_bytes() for p in workspace.root.rglob("*") if p.is_file()}
        notes = history.ground_all(history.find(workspace.memory_dir), [])
        backfill.backfill(place, notes, stage=stage)
        backfill.roll_back(place._replace(now_ms=NOW_MS + 5), diary=True, store=True)
        after = {p: p.read_bytes() for p in workspace.root.rglob("*") if p.is_file()}
        assert after == before
        assert not workspace.dreams_dir.exists()
