"""Scores of hits of the full match, vectors and age (``memory.md`` 2.4, 2.5). Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from openclaw_cli.memory.text import utf16_length
from openclaw_cli.state.tuples import NamedTuple

DAY_MS = 86_400_000
WORST_SCORE = 0.001
BIG_CHUNK = 160
MOST_FOR_SIZE = 0.18

_TOKEN = re.compile(r"\w+")
_DAILY_NOTE = re.compile(r"(?:^|/)memory/(\d{4})-(\d{2})-(\d{2})\.md$")
# Compiled on use: large character classes take milliseconds.
_SIMILARITY = "[a-z0-9_]+|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"


def query_tokens(query: str) -> list[str]:
    """The words of a query: maximal runs of letters, digits and ``_``."""
    return _TOKEN.findall(query)


def text_score(rank: float) -> float:
    """A share 0..1 for an FTS5 rank, where lower is better."""
    if not math.isfinite(rank):
        return WORST_SCORE
    return -rank / (1 - rank) if rank < 0 else 1 / (1 + rank)


class Boost(NamedTuple):
    """What is added to a text score for how well a chunk fits a query."""

    coverage: float
    density: float
    path: float
    size: float

    def on(self, score: float) -> float:
        """The boosted score."""
        return min(1.0, score + self.coverage + self.density + self.path + self.size)


def boost(tokens: Sequence[str], text: str, path: str) -> Boost:
    """Score what share of the query a chunk has, of itself the query has, path and size."""
    wanted = {token.lower() for token in tokens}
    has = {token.lower() for token in _TOKEN.findall(text)}
    both = len(wanted & has)
    lower_path = path.lower()
    return Boost(
        coverage=0.45 * both / len(wanted) if wanted else 0.0,
        density=0.2 * both / len(has) if has else 0.0,
        path=0.18 * sum(token in lower_path for token in wanted),
        size=min(utf16_length(text) / BIG_CHUNK, MOST_FOR_SIZE),
    )


def decay(path: str, mtime_ms: float, now_ms: int, half_life_days: int) -> float:
    """What the age of a note leaves of a score: a half every ``half_life_days``.

    Dated notes age from midnight UTC of their date; ``MEMORY.md`` and other notes do not
    age; other files age from their modification time. The future is no age.
    """
    born = _born_ms(path, mtime_ms)
    if born is None:
        return 1.0
    age_days = max(0.0, (now_ms - born) / DAY_MS)
    return math.exp(-math.log(2) / half_life_days * age_days)


def pick_diverse(scores: Sequence[float], texts: Sequence[str], lam: float) -> list[int]:
    """Indexes in the order of maximal marginal relevance (``lam`` 1 is plain score order)."""
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    if lam >= 1 or len(order) < 2:
        return order
    low, high = min(scores), max(scores)
    spread = high - low
    relevance = [(score - low) / spread if spread else 1.0 for score in scores]
    tokens = [_similarity_tokens(text) for text in texts]
    closest = [0.0] * len(scores)
    taken: list[int] = []
    while order:
        best = max(order, key=lambda i: (lam * relevance[i] - (1 - lam) * closest[i], scores[i]))
        order.remove(best)
        taken.append(best)
        for index in order:
            closest[index] = max(closest[index], jaccard(tokens[index], tokens[best]))
    return taken


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two sets have in common; two empty sets are the same."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def _similarity_tokens(text: str) -> frozenset[str]:
    found: set[str] = set()
    for run in re.findall(_SIMILARITY, text.lower()):
        if run[0] < "\u3000":
            found.add(run)
        else:
            found.update(run)
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def _born_ms(path: str, mtime_ms: float) -> float | None:
    dated = _DAILY_NOTE.search(path)
    if dated:
        try:
            year, month, day = map(int, dated.groups())
            return datetime(year, month, day, tzinfo=UTC).timestamp() * 1000
        except ValueError:
            return None
    if path == "MEMORY.md" or path.startswith("memory/"):
        return None
    return mtime_ms
