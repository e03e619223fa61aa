"""The full match: any text is a safe query."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_cli.memory import index_rows as rows
from openclaw_cli.memory import index_schema as schema
from openclaw_cli.memory.index_notes import NoteText
from openclaw_cli.memory.index_schema import Identity
from openclaw_cli.memory.matching import find_chunks, like_pattern, match_expression
from openclaw_cli.memory.scoring import query_tokens

NOTES = {
    "memory/a.md": "The router moved to VLAN 20.\n",
    "memory/b.md": "备份方案和路由器。\n",
    "memory/c.md": "100% of a_b\\c\n",
}


def build(tokenizer: str) -> sqlite3.Connection:
    identity = Identity("fts-only", "none", "none", ("memory",), "", 400, 80, tokenizer)
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(db, identity)
    for path, text in NOTES.items():
        rows.add_note(db, NoteText(path, text, "", 0, 0.0), identity, 0)
    return db


@pytest.fixture(scope="module", params=["unicode61", "trigram"])
def index(request: pytest.FixtureRequest) -> Iterator[tuple[sqlite3.Connection, str]]:
    db = build(request.param)
    yield db, request.param
    db.close()


def paths(db: sqlite3.Connection, query: str, tokenizer: str) -> list[str]:
    found = find_chunks(db, query_tokens(query), tokenizer=tokenizer, limit=10)
    return [match.path for match in found]


def test_all_words_are_needed(index: tuple[sqlite3.Connection, str]) -> None:
    db, tokenizer = index
    assert paths(db, "router VLAN", tokenizer) == ["memory/a.md"]
    assert paths(db, "router glacier", tokenizer) == []
    assert paths(db, "", tokenizer) == []


def test_short_unspaced_words_with_trigrams() -> None:
    db = build("trigram")
    found = find_chunks(db, ["备份"], tokenizer="trigram", limit=10)
    assert [(match.path, match.rank) for match in found] == [("memory/b.md", 0.0)]
    assert paths(db, "备份方案 路由", "trigram") == ["memory/b.md"]
    db.close()


def test_patterns_and_expressions_are_escaped() -> None:
    assert like_pattern("100%_\\") == "%100\\%\\_\\\\%"
    assert match_expression(['say "x"', "NEAR"]) == '"say ""x""" AND "NEAR"'


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text())
def test_any_text_is_a_safe_query(index: tuple[sqlite3.Connection, str], text: str) -> None:
    db, tokenizer = index
    paths(db, text, tokenizer)
    find_chunks(db, [text] if text.strip() else [], tokenizer=tokenizer, limit=5)
