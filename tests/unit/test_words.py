"""Folding words and spreading unspaced scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory.words import fold, index_text, pairs, split_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"), ("ŁÓDŹ", "lodz"), ("Straße", "strasse"), ("ёлка", "елка"),
        ("ﾙｰﾀｰ", "ルーター"), ("ＶＬＡＮ", "vlan"), ("İstanbul", "istanbul"), ("أحمد", "احمد"),
        ("Ærø", "aero"), ("λόγος", "λογοσ"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_are_equal(one: str, other: str) -> None:
    assert fold(one) == other


def test_words_with_vowel_signs_stay_whole() -> None:
    assert split_words("हिन्दी में RT-4411") == ["हिन्दी", "में", "RT", "4411"]


def test_unspaced_runs_become_pairs() -> None:
    assert index_text("备份方案").split() == ["备份", "份方", "方案", "案"]
    assert index_text("라우터를 b").split() == ["라우", "우터", "터를", "를", "b"]
    assert index_text("plain ASCII, Kept") == "plain ASCII, Kept"
    assert pairs("猫") == ["猫"]


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
