"""Finding chunks that have every word of a query (``memory.md`` 2.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3

# Runs of these shorter than a trigram are looked for with LIKE. Compiled on use.
_CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]"
SHORTEST_TRIGRAM = 3
EXACT_RANK = 0.0


class Match(NamedTuple):
    """A chunk with every word; ``rank`` is FTS5's, lower is better."""

    id: str
    path: str
    start: int
    end: int
    text: str
    rank: float


_COLUMNS = "SELECT id, path, start_line, end_line, text"
_RANKED = f"""{_COLUMNS}, bm25(chunks_fts) AS rank FROM chunks_fts
WHERE chunks_fts MATCH ? ORDER BY rank LIMIT ?"""


def find_chunks(
    db: sqlite3.Connection, tokens: Sequence[str], *, tokenizer: str, limit: int
) -> list[Match]:
    """The best ``limit`` chunks that have all ``tokens``, best first; none for no tokens."""
    import sqlite3

    if not tokens:
        return []
    short = [token for token in tokens if tokenizer == "trigram" and _is_short(token)]
    matched = [token for token in tokens if token not in short]
    try:
        if not short:
            found = db.execute(_RANKED, (match_expression(matched), limit))
        elif matched:
            conditions = " AND text LIKE ? ESCAPE '\\'" * len(short)
            statement = _RANKED.replace(" ORDER BY", f"{conditions} ORDER BY")
            patterns = [like_pattern(token) for token in short]
            found = db.execute(statement, (match_expression(matched), *patterns, limit))
        else:
            return _like(db, short, limit)
        return [Match(*row) for row in found]
    except sqlite3.OperationalError as error:
        if "fts5" not in str(error) and "syntax" not in str(error):
            raise
        return _like(db, tokens, limit)


def match_expression(tokens: Sequence[str]) -> str:
    """An FTS5 expression for text with all of ``tokens``, whatever they are."""
    return " AND ".join('"' + token.replace("\0", "").replace('"', '""') + '"' for token in tokens)


def like_pattern(token: str) -> str:
    """A LIKE pattern (escaped by ``\\``) for text that holds ``token``."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", token) + "%"


def _is_short(token: str) -> bool:
    return len(token) < SHORTEST_TRIGRAM and re.search(_CJK, token) is not None


def _like(db: sqlite3.Connection, tokens: Sequence[str], limit: int) -> list[Match]:
    conditions = " AND ".join(["text LIKE ? ESCAPE '\\'"] * len(tokens))
    found = db.execute(
        f"{_COLUMNS} FROM chunks_fts WHERE {conditions} LIMIT ?",
        (*map(like_pattern, tokens), limit),
    )
    return [Match._make((*row, EXACT_RANK)) for row in found]
