"""Forms of words."""

from __future__ import annotations

import pytest

from openclaw_cli.memory.stems import are_forms, irregular_forms, without_prefixes


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("camp", "camping", "en"), ("run", "running", "en"), ("party", "parties", "en"),
        ("paint", "painter", "en"), ("adopt", "adoption", "en"), ("hobby", "hobbies", "en"),
        ("zahlung", "zahlungen", "de"), ("ksiazki", "ksiazka", "pl"), ("роутер", "роутера", "ru"),
        ("casa", "casas", "es"), ("reunion", "reuniones", "es"), ("maison", "maisons", "fr"),
        ("talo", "talossa", "fi"), ("kitap", "kitaplar", "tr"), ("hus", "husen", "sv"),
    ],
)  # fmt: skip
def test_forms_of_one_word(one: str, other: str, language: str) -> None:
    assert are_forms(one, other, language)
    assert are_forms(other, one, language)


@pytest.mark.parametrize(
    ("one", "other"), [("camping", "campaign"), ("par", "party"), ("cat", "dog"), ("go", "got")]
)
def test_other_words_are_none(one: str, other: str) -> None:
    assert not are_forms(one, other, "en")


def test_irregular_forms_are_mutual() -> None:
    assert "bought" in irregular_forms()["buying"]
    assert "children" in irregular_forms()["kids"]


def test_articles_written_together() -> None:
    assert "كتاب" in without_prefixes("والكتاب", "ar")
    assert without_prefixes("router", "en") == ["router"]
