"""Making room among hits: what says the same is shown once, no note fills the page.

``memory.md`` 12.20.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from openclaw_cli.memory import scoring
from openclaw_cli.memory.hits import Hit
from openclaw_cli.memory.text import bare_claim
from openclaw_cli.memory.words import index_text, split_words

# Of one note, so many windows count fully; further ones make room for other notes.
FEWEST_OF_A_NOTE = 3
NOTE_SHARE_OF_RESULTS = 10
CROWDED = 0.6
ALIKE = 0.85
SHORTEST_DUPLICATE = 4

Words = frozenset[str]


def fold_hits(hits: Sequence[Hit], max_results: int) -> list[Hit]:
    """``hits`` (best first) with near-duplicates folded into the first, best first.

    A folded hit is named in ``duplicates`` of the one that stays. From the fourth window of
    a note on (later when many results are wanted) a hit loses score.
    """
    words = [frozenset(split_words(index_text(bare_claim(hit.text)).lower())) for hit in hits]
    twins = _Twins(Counter(word for each in words for word in each))
    crowd = max(FEWEST_OF_A_NOTE, max_results // NOTE_SHARE_OF_RESULTS)
    of_note: Counter[str] = Counter()
    answered: set[tuple[str, int, int, str]] = set()
    kept: list[Hit] = []
    for hit, its_words in zip(hits, words, strict=True):
        if hit.answer is not None:
            # A heading takes the window below it along, which may be a hit by itself.
            place = (hit.path, hit.answer.start, hit.answer.end, hit.answer.text)
            if place in answered:
                continue
            answered.add(place)
        twin = twins.of(its_words)
        if twin is not None:
            twin.duplicates.append({"path": hit.path, "startLine": hit.start, "endLine": hit.end})
            continue
        of_note[hit.path] += 1
        further = of_note[hit.path] - crowd
        if further > 0:
            hit.score *= CROWDED**further
            hit.explain["crowded"] = further
        twins.note(its_words, hit)
        kept.append(hit)
    return sorted(kept, key=lambda hit: -hit.score)


class _Twins:
    """Finds earlier hits that say the same in (nearly) the same words.

    Two sets of words that are alike share one of the first few of each in any fixed order;
    only hits with such a word in common are compared. Rare words come first.
    """

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts
        self._by_word: dict[str, list[tuple[Words, Hit]]] = {}

    def of(self, words: Words) -> Hit | None:
        """The first hit noted that is like ``words``."""
        if len(words) < SHORTEST_DUPLICATE:
            return None
        for word in self._first(words):
            for other, hit in self._by_word.get(word, ()):
                if scoring.jaccard(words, other) >= ALIKE:
                    return hit
        return None

    def note(self, words: Words, hit: Hit) -> None:
        """Remember a hit."""
        for word in self._first(words):
            self._by_word.setdefault(word, []).append((words, hit))

    def _first(self, words: Words) -> list[str]:
        order = sorted(words, key=lambda word: (self._counts[word], word))
        return order[: len(words) - ceil(ALIKE * len(words)) + 1]
