"""The keyword side of a search: every word, else what a question asks for.

A query whose words all stand in some chunk is answered by chunks with the scores of
``memory.md`` 2.4; any other by windows, ranked as 12.20 says. When the words of a whole
question stand in a chunk or two by chance, the windows come after those chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.memory import matching, scoring
from openclaw_cli.memory.hits import Answer, Hit
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from datetime import date

RANKED_WINDOWS = 10
SHORTEST_QUESTION = 4
FEWEST_FUNCTION_WORDS = 2


class Asked(NamedTuple):
    """What the keyword side needs to know.

    ``answers``: find the window that answered in every chunk, for a recall to be counted.
    """

    query: str
    max_results: int
    candidates: int
    tokenizer: str
    today: Callable[[], date]
    answers: bool = True


@dataclass
class Found:
    """Hits by boosted score (not yet sorted by it), and what was looked for.

    ``tried`` holds ``tokens``; when the query was taken as a question also ``keywords``,
    ``forms`` (for each word looked for, the words of the index that stood for it) and
    ``days``.
    """

    hits: list[Hit] = field(default_factory=list)
    tried: dict[str, Any] = field(default_factory=dict)


def keyword_hits(db: sqlite3.Connection, asked: Asked) -> Found:
    """Search by words."""
    tokens = scoring.query_tokens(asked.query)
    found = Found(tried={"tokens": tokens})
    matches = matching.find_chunks(db, tokens, tokenizer=asked.tokenizer, limit=asked.candidates)
    found.hits = [_chunk_hit(match, tokens, rank) for rank, match in enumerate(matches, 1)]
    for hit in found.hits if asked.answers else ():
        hit.answer = answering_window(db, hit.path, (hit.start, hit.end), tokens)
    if not matches and tokens:
        found.hits = _ask(db, asked, found.tried)
    elif len(matches) < asked.max_results and _is_question(tokens):
        found.hits += _further(found.hits, _ask(db, asked, found.tried))
    return found


def answering_window(
    db: sqlite3.Connection, path: str, lines: tuple[int, int], tokens: list[str]
) -> Answer | None:
    """The window within ``lines`` of a note with most of ``tokens``, the shortest such."""
    from openclaw_cli.memory.words import index_text, split_words

    wanted = set(index_text(" ".join(tokens)).lower().split())
    best: tuple[int, int] = (0, 0)
    answer = None
    for window in windows_of_range(db, path, lines):
        has = set(split_words(index_text(window.text).lower()))
        value = (len(wanted & has), -len(window.text))
        if value[0] and value > best:
            best, answer = value, window
    return answer


def windows_of_range(db: sqlite3.Connection, path: str, lines: tuple[int, int]) -> list[Answer]:
    """The windows within ``lines`` of a note that may be claims: no headings, no dreams."""
    return [Answer(*row) for row in db.execute(_WINDOWS_OF_RANGE, (path, lines[1], lines[0]))]


def _chunk_hit(match: matching.Match, tokens: list[str], position: int) -> Hit:
    text_score = scoring.text_score(match.rank)
    boost = scoring.boost(tokens, match.text, match.path)
    score = boost.on(text_score)
    return Hit(
        match.id, match.path, match.start, match.end, match.text,
        score=score, text_score=text_score, boosted=score,
        explain={"mode": "match", "textRank": position, "textScore": text_score,
                 "boost": boost._asdict()},
    )  # fmt: skip


def _is_question(tokens: list[str]) -> bool:
    """Whether a query is a sentence with function words, not a handful of search words."""
    if len(tokens) < SHORTEST_QUESTION:
        return False
    from openclaw_cli.memory.keywords import detect_languages, stop_words_for
    from openclaw_cli.memory.words import fold

    words = [fold(token) for token in tokens]
    stops = stop_words_for(detect_languages(words))
    return sum(word in stops for word in words) >= FEWEST_FUNCTION_WORDS


def _further(chunks: list[Hit], windows: list[Hit]) -> list[Hit]:
    """The windows outside ``chunks``, none with a higher score than they."""
    ceiling = min(hit.score for hit in chunks)
    further = []
    for hit in windows:
        if any(c.path == hit.path and c.start <= hit.start <= c.end for c in chunks):
            continue
        hit.score = hit.text_score = hit.boosted = min(hit.score, ceiling)
        further.append(hit)
    return further


def _ask(db: sqlite3.Connection, asked: Asked, tried: dict[str, Any]) -> list[Hit]:
    """Take the query as a question: windows by score; ``tried`` gets what was looked for."""
    from openclaw_cli.memory import relevance
    from openclaw_cli.memory.folding import fold_hits
    from openclaw_cli.memory.keywords import MOST_KEYWORDS, extract_keywords
    from openclaw_cli.memory.questions import parse_question

    question = parse_question(asked.query, asked.today())
    wanted = max(asked.candidates, asked.max_results * RANKED_WINDOWS)
    ranking = relevance.rank_windows(db, question, wanted)
    trigram = asked.tokenizer == "trigram"
    tried["keywords"] = extract_keywords(asked.query, trigram=trigram)[:MOST_KEYWORDS]
    tried["forms"] = ranking.forms
    if question.days:
        tried["days"] = [[str(first), str(last)] for first, last in question.days]
    ranked = [
        _window_hit(db, window, score, position)
        for position, (window, score) in enumerate(ranking.scores, 1)
    ]
    hits = fold_hits(ranked, asked.max_results)
    for hit in hits:
        hit.text_score = hit.boosted = hit.score
    return hits[: asked.candidates]


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
WHERE n.path = ? AND w.start_line <= ? AND w.end_line >= ?
AND NOT w.is_heading AND NOT w.derived
ORDER BY w.id"""
