"""Cutting notes into chunks, to the character of the original program."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory.chunks import chunk_text, weight
from openclaw_cli.memory.index_rows import chunk_id, sha256


def ranges(text: str, tokens: int, overlap: int) -> list[tuple[int, int]]:
    return [(c.start, c.end) for c in chunk_text(text, tokens=tokens, overlap=overlap)]


def test_final_newline_counts_as_an_empty_line() -> None:
    assert ranges("# a\n- b\n", 400, 80) == [(1, 3)]


def test_id_is_that_of_the_recorded_chunk() -> None:
    text = "# Projects\n\nThe backup tool is written in Go. The router config lives in git.\n"
    (chunk,) = chunk_text(text, tokens=400, overlap=80)
    found = chunk_id("memory/projects.md", chunk.start, chunk.end, sha256(chunk.text), "fts-only")
    assert found == "5387f19ac7fb62386a30619aa65f74117f15b1ccb2e5d8d12534b81c5267bc0b"


def test_blank_chunks_are_dropped() -> None:
    assert chunk_text(" \n\n\t\n", tokens=400, overlap=80) == []
    assert chunk_text("", tokens=400, overlap=80) == []


def test_a_new_chunk_starts_with_the_tail_of_the_last() -> None:
    lines = [f"line {n:02d} {'x' * 22}" for n in range(1, 9)]  # 31 with the newline
    assert ranges("\n".join(lines), 31, 7) == [(1, 4), (4, 7), (7, 8)]
    assert ranges("\n".join(lines), 31, 8) == [(1, 4), (3, 6), (5, 8)]
    assert ranges("\n".join(lines), 31, 0) == [(1, 4), (5, 8)]


def test_smallest_chunk_is_32_characters() -> None:
    assert ranges("a" * 15 + "\n" + "b" * 15 + "\n" + "c", 1, 0) == [(1, 2), (3, 3)]


def test_a_long_line_is_cut_and_keeps_its_number() -> None:
    chunks = chunk_text("x" * 100, tokens=10, overlap=0)
    assert [(c.start, c.end, len(c.text)) for c in chunks] == [(1, 1, 40), (1, 1, 40), (1, 1, 20)]


def test_heavy_text_is_cut_finer() -> None:
    chunks = chunk_text("汉" * 25, tokens=10, overlap=0)
    assert [c.text for c in chunks] == ["汉" * 10, "汉" * 10, "汉" * 5]


def test_no_cut_inside_a_surrogate_pair() -> None:
    chunks = chunk_text("a" + "𠀀" * 20, tokens=10, overlap=0)
    assert [c.text for c in chunks] == ["a" + "𠀀" * 5, "𠀀" * 5, "𠀀" * 5, "𠀀" * 5]


def test_weights() -> None:
    assert (weight("abc"), weight("é"), weight("汉"), weight("한"), weight("𠀀"), weight("😀")) == (
        3, 1, 4, 4, 4, 2,
    )  # fmt: skip


LINES = st.lists(st.text(alphabet="ab 汉é😀\r\t", max_size=60), max_size=40)


@given(LINES, st.integers(1, 40), st.integers(0, 39))
def test_line_ranges_rebuild_the_note(lines: list[str], tokens: int, overlap: int) -> None:
    text = "\n".join(lines)
    chunks = chunk_text(text, tokens=tokens, overlap=min(overlap, tokens - 1))
    source = text.split("\n")
    limit = max(32, tokens * 4)
    rebuilt: dict[int, str] = {}
    for chunk in chunks:
        assert 1 <= chunk.start <= chunk.end <= len(source)
        if all(len(source[n - 1]) < 8 for n in range(chunk.start, chunk.end + 1)) and limit >= 33:
            assert chunk.text == "\n".join(source[chunk.start - 1 : chunk.end])
        for number in range(chunk.start, chunk.end + 1):
            rebuilt[number] = source[number - 1]
    missing = [line for number, line in enumerate(source, 1) if number not in rebuilt]
    assert not any(line.strip() for line in missing)


@given(LINES, st.integers(1, 40))
def test_without_overlap_no_character_is_lost_or_doubled(lines: list[str], tokens: int) -> None:
    text = "\n".join(lines)
    chunks = chunk_text(text, tokens=tokens, overlap=0)
    kept = "".join("".join(c.text.split()) for c in chunks)
    assert kept == "".join(text.split())
