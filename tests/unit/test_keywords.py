"""What a query is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory.keywords import detect_languages, extract_keywords, korean_stem


@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("what did we say about the glacier password", ["glacier", "password"]),
        ("Wo liegt die Sicherung vom Router?", ["liegt", "sicherung", "router"]),
        ("gdzie jest hasło do routera", ["haslo", "routera"]),
        ("¿dónde está la contraseña del router?", ["contrasena", "router"]),
        ("où est le mot de passe du routeur", ["mot", "passe", "routeur"]),
        ("какой пароль у роутера", ["пароль", "роутера"]),
        ("go to S3 at 10", ["go"]),
        ("the of and", []),
        ("12 345 ab", []),
    ],
)  # fmt: skip
def test_function_words_numbers_and_short_words_fall_away(query: str, keywords: list[str]) -> None:
    found = extract_keywords(query)
    assert [word for word in found if len(word) > 2] == [w for w in keywords if len(w) > 2]


def test_han_gives_characters_and_pairs() -> None:
    assert extract_keywords("备份方案") == ["备", "份", "方", "案", "备份", "份方", "方案"]
    assert extract_keywords("备份方案", trigram=True) == ["备份方案"]


def test_japanese_runs_by_script() -> None:
    found = extract_keywords("バックアップの計画書はどこですか")
    assert found[:3] == ["バックアップ", "計画書", "計画"]
    assert "はどこですか" in found or "はどこ" not in found


def test_korean_particles_are_taken_off() -> None:
    assert korean_stem("라우터에서") == "라우터"
    assert korean_stem("가") is None
    assert extract_keywords("라우터를 언제") == ["라우터를", "라우터"]


def test_first_occurrence_wins() -> None:
    assert extract_keywords("router gateway Router") == ["router", "gateway"]


@pytest.mark.parametrize(
    ("text", "language"),
    [("what did we say", "en"), ("was haben wir gesagt", "de"), ("что мы решили", "ru"),
     ("co my o tym wiemy", "pl"), ("qu est ce que nous avons", "fr"), ("ما هو", "ar")],
)  # fmt: skip
def test_the_language_is_told_by_function_words(text: str, language: str) -> None:
    assert language in detect_languages(text.split())


def test_no_function_word_no_language() -> None:
    assert detect_languages(["router", "glacier"]) == []


@given(st.text())
def test_any_query_is_taken(query: str) -> None:
    found = extract_keywords(query)
    assert len(found) == len(set(found))
