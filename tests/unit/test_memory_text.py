"""Lengths, cuts and number formats shared with a JavaScript program."""

from __future__ import annotations

import pytest

from openclaw_cli.memory import text
from openclaw_cli.memory.collation import collation_key


def test_white_space_of_any_kind_collapses_to_single_spaces() -> None:
    assert text.collapse("\ufeff a\u00a0\t b\r\n\u3000c ") == "a b c"


def test_lengths_count_utf16_units() -> None:
    assert [text.utf16_length(t) for t in ("abc", "日本", "a😀")] == [3, 2, 3]


@pytest.mark.parametrize(
    ("limit", "kept"), [(0, ""), (1, "a"), (2, "a"), (3, "a😀"), (4, "a😀b"), (9, "a😀b")]
)
def test_a_cut_never_splits_a_surrogate_pair(limit: int, kept: str) -> None:
    assert text.cut_utf16("a😀b", limit) == kept


@pytest.mark.parametrize(
    ("given", "bare"),
    [
        ("- one", "one"),
        ("* one", "one"),
        ("+ one", "one"),
        ("12. one", "one"),
        ("3) one", "one"),
        ("- - one", "- one"),
        ("-one", "-one"),
        ("2026-11-17 one", "2026-11-17 one"),
        ("-", ""),
    ],
)
def test_one_leading_list_marker_is_removed(given: str, bare: str) -> None:
    assert text.strip_list_marker(given) == bare


def test_equal_statements_have_one_form() -> None:
    assert text.same_claim_form("-  Router   Moved") == text.same_claim_form("router moved")


@pytest.mark.parametrize(
    ("given", "limit", "cut"),
    [
        ("short", 10, "short"),
        # the last sentence end, when at least 55 % is kept: one ellipsis
        ("One two three. Four five six seven", 20, "One two three..."),
        ("One two three! Four five six seven", 20, "One two three!..."),
        # too early a sentence end: the last space
        ("One. Two three four five six seven", 20, "One. Two three four..."),
        # no space late enough: a hard cut
        ("a" * 30, 20, "a" * 20 + "..."),
        ("一二三四五六七八九十。" + "壱" * 20, 16, "一二三四五六七八九十。..."),
        ("ab😀" * 10, 18, "ab😀ab😀ab😀ab😀ab..."),
    ],
)
def test_long_text_is_cut_at_a_sensible_place(given: str, limit: int, cut: str) -> None:
    assert text.shorten(given, limit) == cut


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.25, 1, "0.3"),
        (0.125, 2, "0.13"),
        (1.005, 2, "1.00"),
        (0.9128, 3, "0.913"),
        (1, 3, "1.000"),
        (2, 0, "2"),
        (-0.25, 1, "-0.3"),
        (-0.001, 1, "0.0"),
    ],
)
def test_fixed_decimals_round_an_exact_half_up(value: float, digits: int, shown: str) -> None:
    assert text.fixed(value, digits) == shown


def test_hashing_text_with_a_lone_surrogate_works() -> None:
    assert text.encode_like_javascript("a\ud83d") == b"a\xef\xbf\xbd"
    assert text.encode_like_javascript("\ud83d\ude00") == "😀".encode()


@pytest.mark.parametrize(
    "ordered",
    [
        ["_a", "-a", ".a", "1a", "2A", "a", "A", "ä", "b", "Z"],
        ["memory/2026-11-18-b.md", "memory/2026-11-18.md"],
    ],
)
def test_paths_sort_punctuation_then_digits_then_letters_ignoring_case(ordered: list[str]) -> None:
    shuffled = ordered[::-1]
    assert sorted(shuffled, key=collation_key) == ordered
