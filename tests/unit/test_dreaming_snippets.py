"""How a note is cut into snippets: headings, kinds of lines, length, managed blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.dreaming.snippets import LONGEST, cut_note, is_generic_heading, split_text
from openclaw_cli.memory.text import collapse, utf16_length


def cut(text: str, limit: int = 99) -> list[tuple[int, int, str]]:
    return [tuple(snippet) for snippet in cut_note(text, limit)]  # type: ignore[misc]


def test_lines_of_a_list_are_joined_under_their_heading() -> None:
    text = "# 2026-11-19\n\n## Network\n- Router one.\n- Router two.\n\nPlain words here.\n"
    assert cut(text) == [
        (4, 5, "Network: Router one.; Router two."),
        (7, 7, "Network: Plain words here."),
    ]


def test_kind_and_number_of_lines_end_a_snippet() -> None:
    text = "- bullet one\n- bullet two\nprose of a line\n" + "more prose again\n" * 5
    assert cut(text) == [
        (1, 2, "bullet one; bullet two"),
        (3, 6, "prose of a line more prose again more prose again more prose again"),
        (7, 8, "more prose again more prose again"),
    ]


def test_numbered_and_nested_markers_are_taken_off() -> None:
    assert cut("1. first of all\n2. - second one\n   * third one\n") == [
        (1, 3, "first of all; second one; third one")
    ]


def test_short_lines_comments_and_hashes_end_a_snippet_and_are_dropped() -> None:
    text = (
        "long enough\nshort\nlong enough too\n<!-- remark -->\nand a third\n"
        "#tag without blank\nfourth\n"
    )
    assert [snippet[2] for snippet in cut(text)] == [
        "long enough", "long enough too", "and a third",
    ]  # fmt: skip


def test_generic_heading_leaves_the_earlier_one_in_force() -> None:
    text = (
        "## Garden\nfirst words\n### Morning\nsecond words\n"
        "## 1. - House\nthird words\n##\nfourth words"
    )
    assert [snippet[2] for snippet in cut(text)] == [
        "Garden: first words", "Garden: second words", "House: third words", "House: fourth words",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "heading",
    ["", "today", "Yesterday", "EVENING", "night", "2026-11-19", "2026/11/19", "2026-11-19.md",
     "2026-11-19-standup.md", "November 20", "Nov 20th, 2026", "Friday, November 20", "Fri Nov 20",
     "20/11", "20-11-2026", "Thu. 20/11/26"],
)  # fmt: skip
def test_generic_headings(heading: str) -> None:
    assert is_generic_heading(heading)


@pytest.mark.parametrize(
    "heading", ["Friday", "Network", "November", "today's plan", "May the 4th"]
)
def test_topics_are_no_generic_headings(heading: str) -> None:
    assert not is_generic_heading(heading)


def test_limit_counts_finished_snippets() -> None:
    assert len(cut("\n\n".join(f"- item number {n}" for n in range(9)), 4)) == 4


def test_long_chunk_is_split_at_line_ends_and_nothing_is_lost() -> None:
    lines = [f"- line {n} {'word ' * 17}end{n}." for n in range(4)]
    found = cut("## Topic\n" + "\n".join(lines))
    assert [(a, b) for a, b, _ in found] == [(2, 3), (4, 5)]
    for number in range(4):
        assert f"end{number}." in found[number // 2][2]
    assert all(utf16_length(text) <= LONGEST for *_, text in found)


def test_long_line_becomes_several_snippets_of_that_line() -> None:
    text = "- " + " ".join(f"word{n}" for n in range(120))
    found = cut("## Topic\n" + text)
    assert {(a, b) for a, b, _ in found} == {(2, 2)}
    joined = " ".join(part.removeprefix("Topic: ") for *_, part in found)
    assert joined == text[2:]


def test_crlf_and_line_numbers() -> None:
    assert cut("\r\n# A topic\r\n\r\n- one thing here\r\n") == [(4, 4, "A topic: one thing here")]


@pytest.mark.parametrize("phase", ["light", "rem", "deep", "diary"])
def test_managed_blocks_of_every_kind_are_not_read(phase: str) -> None:
    text = (
        "- mine before\n\n## REM Sleep\n"
        f"<!-- openclaw:dreaming:{phase}:start -->\n### Reflections\n- Theme: `x` kept surfacing\n"
        f"## any heading\n- echo echo echo\n<!-- openclaw:dreaming:{phase}:end -->\n- mine after\n"
    )
    assert [(a, t) for a, _, t in cut(text)] == [(1, "mine before"), (10, "mine after")]


def test_unterminated_block_ends_before_the_next_block_of_its_kind() -> None:
    start, end = (f"<!-- openclaw:dreaming:light:{word} -->" for word in ("start", "end"))
    text = (
        f"{start}\n- echo one two\n## My heading\n- mine in between\n"
        f"{start}\n- echo two three\n{end}\n"
    )
    assert [t for *_, t in cut(text)] == ["My heading: mine in between"]


def test_split_prefers_sentences_then_spaces() -> None:
    assert split_text("One two three. Four five six seven.", 20) == [
        "One two three.",
        "Four five six seven.",
    ]
    assert split_text("aaaa bbbb cccc", 10) == ["aaaa bbbb", "cccc"]
    assert split_text("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]
    assert split_text("", 10) == []


@given(st.text(max_size=400), st.integers(min_value=2, max_value=60))
def test_split_loses_nothing_but_space(text: str, longest: int) -> None:
    text = collapse(text)
    pieces = split_text(text, longest)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < utf16_length(piece) <= longest for piece in pieces)


@given(st.text(alphabet="ab .-#*1\n\r`<!>🙂é", max_size=300))
def test_any_note_is_cut_within_its_lines(text: str) -> None:
    total = text.count("\n") + 1
    for snippet in cut_note(text, 50):
        assert 1 <= snippet.start <= snippet.end <= total
        assert 8 <= utf16_length(snippet.text) <= LONGEST
