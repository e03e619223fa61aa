"""The keyword side of a search: every word, else what a question asks for.

A query whose words all stand in some chunk is answered by chunks with the scores of
``memory.md`` 2.4; any other by windows, ranked as 12.20 says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from openclaw_cli.memory import matching, relevance, scoring
from openclaw_cli.memory.hits import Answer, Hit
from openclaw_cli.memory.questions import parse_question
from openclaw_cli.memory.words import index_text, split_words

if TYPE_CHECKING:
    import sqlite3

# Of one note, so many windows count fully; further ones make room for other notes.
FEWEST_OF_A_NOTE = 3
NOTE_SHARE_OF_RESULTS = 10
CROWDED = 0.6
ALIKE = 0.85
SHORTEST_DUPLICATE = 4
RANKED_WINDOWS = 10


class Asked(NamedTuple):
    """What the keyword side needs to know: the query, how many hits, which tokenizer, today."""

    query: str
    max_results: int
    candidates: int
    tokenizer: str
    today: date


@dataclass
class Found:
    """Hits by boosted score (not yet sorted by it), and what was looked for.

    ``tried`` holds ``tokens``, and ``keywords`` with the words that stood for each when
    the query was taken as a question.
    """

    hits: list[Hit] = field(default_factory=list)
    tried: dict[str, Any] = field(default_factory=dict)


def keyword_hits(db: sqlite3.Connection, asked: Asked) -> Found:
    """Search by words."""
    tokens = scoring.query_tokens(asked.query)
    found = Found(tried={"tokens": tokens})
    matches = matching.find_chunks(
        db, tokens, tokenizer=asked.tokenizer, limit=asked.candidates
    )
    if matches:
        found.hits = [_chunk_hit(db, match, tokens, rank) for rank, match in enumerate(matches, 1)]
    elif tokens:
        _ask(db, asked, found)
    return found


def answering_window(
    db: sqlite3.Connection, path: str, lines: tuple[int, int], tokens: list[str]
) -> Answer | None:
    """The window within ``lines`` of a note with most of ``tokens``, the shortest such."""
    wanted = set(index_text(" ".join(tokens)).lower().split())
    best: tuple[int, int] = (0, 0)
    answer = None
    for window in windows_of_range(db, path, lines):
        has = set(split_words(index_text(window.text).lower()))
        value = (len(wanted & has), -len(window.text))
        if value[0] and value > best:
            best, answer = value, window
    return answer


def windows_of_range(
    db: sqlite3.Connection, path: str, lines: tuple[int, int]
) -> list[Answer]:
    """The windows within ``lines`` of a note, headings left out."""
    return [Answer(*row) for row in db.execute(_WINDOWS_OF_RANGE, (path, lines[1], lines[0]))]


def _chunk_hit(
    db: sqlite3.Connection, match: matching.Match, tokens: list[str], position: int
) -> Hit:
    text_score = scoring.text_score(match.rank)
    boost = scoring.boost(tokens, match.text, match.path)
    score = boost.on(text_score)
    return Hit(
        match.id, match.path, match.start, match.end, match.text,
        score=score, text_score=text_score, boosted=score,
        answer=answering_window(db, match.path, (match.start, match.end), tokens),
        explain={"mode": "match", "textRank": position, "textScore": text_score,
                 "boost": boost._asdict()},
    )  # fmt: skip


def _ask(db: sqlite3.Connection, asked: Asked, found: Found) -> None:
    """Take the query as a question; fills ``found``."""
    question = parse_question(asked.query, asked.today)
    wanted = max(asked.candidates, asked.max_results * RANKED_WINDOWS)
    ranking = relevance.rank_windows(db, question, wanted)
    found.tried["keywords"] = [term.word for term in question.terms]
    found.tried["forms"] = ranking.forms
    if question.days:
        found.tried["days"] = [[str(first), str(last)] for first, last in question.days]
    crowd = max(FEWEST_OF_A_NOTE, asked.max_results // NOTE_SHARE_OF_RESULTS)
    of_note: dict[str, int] = {}
    kept: list[tuple[Hit, frozenset[str]]] = []
    for position, (window, score) in enumerate(ranking.scores, 1):
        hit = _window_hit(db, window, score, position)
        words = frozenset(split_words(index_text(hit.text).lower()))
        twin = _twin(words, kept)
        if twin is not None:
            twin.duplicates.append({"path": hit.path, "startLine": hit.start, "endLine": hit.end})
            continue
        before = of_note[hit.path] = of_note.get(hit.path, 0) + 1
        if before > crowd:
            hit.score *= CROWDED ** (before - crowd)
            hit.explain["crowded"] = before - crowd
        kept.append((hit, words))
        if len(of_note) >= asked.max_results and len(kept) >= asked.candidates:
            break
    found.hits = sorted((hit for hit, _words in kept), key=lambda hit: -hit.score)
    del found.hits[asked.candidates :]
    for hit in found.hits:
        hit.text_score = hit.boosted = hit.score


def _window_hit(db: sqlite3.Connection, window: int, score: float, position: int) -> Hit:
    """The hit for a ranked window; a heading takes the window below it along."""
    path, note, start, end, text, is_heading = db.execute(_WINDOW, (window,)).fetchone()
    answer = Answer(start, end, text)
    if is_heading:
        below = db.execute(_BELOW, (window + 1, note, window)).fetchone()
        if below is not None:
            answer = Answer(*below)
            end, text = answer.end, f"{text}\n{answer.text}"
    chunk = db.execute(_CHUNK_OF_LINES, (path, start, start)).fetchone()
    return Hit(
        chunk[0] if chunk else "", path, start, end, text, score=score, answer=answer,
        explain={"mode": "question", "textRank": position, "relevance": score},
    )  # fmt: skip


def _twin(words: frozenset[str], kept: list[tuple[Hit, frozenset[str]]]) -> Hit | None:
    """An earlier hit that says the same in (nearly) the same words."""
    if len(words) < SHORTEST_DUPLICATE:
        return None
    for hit, other in kept:
        if abs(len(other) - len(words)) <= 0.2 * len(words) + 1 and (
            scoring.jaccard(words, other) >= ALIKE
        ):
            return hit
    return None


_WINDOW = """
SELECT n.path, w.note, w.start_line, w.end_line, w.text, w.is_heading
FROM windows w JOIN notes n ON n.id = w.note WHERE w.id = ?"""
_BELOW = """
SELECT start_line, end_line, text FROM windows
WHERE id = ? AND note = ? AND heading = ? AND NOT is_heading"""
_CHUNK_OF_LINES = """
SELECT id FROM chunks WHERE path = ? AND start_line <= ? AND end_line >= ?
ORDER BY start_line LIMIT 1"""
_WINDOWS_OF_RANGE = """
SELECT w.start_line, w.end_line, w.text FROM windows w JOIN notes n ON n.id = w.note
WHERE n.path = ? AND w.start_line <= ? AND w.end_line >= ? AND NOT w.is_heading
ORDER BY w.id"""
