"""From the hits of both sides to the results of a search (``memory.md`` 2.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.memory import scoring
from openclaw_cli.memory.hits import Hit
from openclaw_cli.memory.keyword_search import answering_window, windows_of_range
from openclaw_cli.memory.search_settings import QuerySettings

if TYPE_CHECKING:
    import sqlite3

    from openclaw_cli.memory.vectors import Embedder


def diversify(hits: list[Hit], lam: float) -> list[Hit]:
    """``hits`` (by score) in the order of maximal marginal relevance of their snippets."""
    scores, texts = [hit.score for hit in hits], [hit.snippet for hit in hits]
    order = scoring.pick_diverse(scores, texts, lam)
    for position, index in enumerate(order, 1):
        hits[index].explain["mmr"] = {"position": position, "byScore": index + 1}
    return [hits[index] for index in order]


def select(hits: list[Hit], max_results: int, floor: float, *, strict: bool) -> list[Hit]:
    """The first hits that reach ``floor``; when none does and it is only a wish, the best.

    Of hits below it only those that the keyword side found are taken.
    """
    good = [hit for hit in hits if hit.score >= floor]
    if not good and not strict:
        good = [hit for hit in hits if hit.keyword]
    return good[:max_results]


def merge(
    db: sqlite3.Connection,
    keyword: list[Hit],
    vector: list[float],
    weights: QuerySettings,
    *,
    query: str,
) -> list[Hit]:
    """The union of both sides by chunk, scored by their weights.

    ``vector`` is the embedding of ``query``; one of zeros leaves the keyword side alone.
    """
    from openclaw_cli.memory import vectors

    near = vectors.nearest(db, vector, weights.candidates())
    merged: dict[str, Hit] = {}
    for hit in keyword:
        best = merged.setdefault(hit.chunk_id, hit)
        if best.text_score < hit.text_score:
            merged[hit.chunk_id] = hit
    tokens = scoring.query_tokens(query)
    for chunk, similarity in near:
        if chunk not in merged:
            merged[chunk] = _vector_hit(db, chunk, tokens)
        merged[chunk].vector_score = similarity
    for hit in merged.values():
        hit.vector_score = hit.vector_score or 0.0
        hit.score = weights.vector_weight * hit.vector_score + weights.text_weight * hit.text_score
        hit.explain |= {"vectorScore": hit.vector_score, "textScore": hit.text_score}
        if not near:  # no vectors to compare with: the merged score is all there is
            hit.boosted = 0.0
    return list(merged.values())


def _vector_hit(db: sqlite3.Connection, chunk: str, tokens: list[str]) -> Hit:
    path, start, end, text = db.execute(
        "SELECT path, start_line, end_line, text FROM chunks WHERE id = ?", (chunk,)
    ).fetchone()
    answer = answering_window(db, path, (start, end), tokens)
    return Hit(
        chunk, path, start, end, text, score=0.0, keyword=False, answer=answer,
        explain={"mode": "vector"},
    )  # fmt: skip


def find_answers(
    db: sqlite3.Connection, hits: list[Hit], embedder: Embedder, vector: list[float]
) -> None:
    """Tell by meaning which window answered where no word of the query does."""
    from openclaw_cli.memory import vectors

    for hit in hits:
        if hit.answer is None:
            windows = windows_of_range(db, hit.path, (hit.start, hit.end))
            best = vectors.closest(embedder, vector, [window.text for window in windows])
            hit.answer = None if best is None else windows[best]


def age(db: sqlite3.Connection, hits: list[Hit], now_ms: int, half_life_days: int) -> None:
    times = dict(db.execute("SELECT path, mtime FROM files").fetchall())
    for hit in hits:
        factor = scoring.decay(hit.path, times.get(hit.path, now_ms), now_ms, half_life_days)
        hit.score *= factor
        hit.boosted *= factor
        hit.explain["decay"] = factor


def recalls(hits: list[Hit]) -> list[dict[str, Any]]:
    """What to record of hits, each window once: overlapping chunks may share the one."""
    found: dict[tuple[str, int, int], dict[str, Any]] = {}
    for hit in hits:
        recall = hit.to_recall()
        place = (recall["path"], recall["startLine"], recall["endLine"])
        known = found.setdefault(place, recall)
        known["score"] = max(known["score"], recall["score"])
    return list(found.values())
