"""Do two claims say the same, or something else about the same thing (``memory.md`` 12.21)?

A claim is compared by the words that carry it and by its values: numbers, times of day,
weekdays. Re-phrasings share most words; a newer claim that shares the words and has other
values contradicts the older one. Works on spellings, without a dictionary, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import log1p
from typing import Literal

from openclaw_cli.memory.claim_values import values_in, weekday_of
from openclaw_cli.memory.claims import (
    is_change_word,
    is_hearsay,
    said,
    tells_change,
    tells_replacement,
)
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.words import (
    fold,
    pairs,
    split_words,
    unspaced_runs,
    without_unspaced,
)
from openclaw_cli.state.tuples import NamedTuple

Relation = Literal["same", "other-value"]

SHORTEST_WORD = 3
SHORTEST_START = 4  # letters that two forms of a word share at least
SHORTEST_PART = 5  # of a compound, ASCII; others write more with fewer letters
FEWEST_SHARED = 3
FEWEST_OF_A_CHANGE = 2  # when the newer claim says that it holds now, with another value or name
OVERLAP = 0.5  # share of the shorter claim that both have
JACCARD = 0.3
REWORDED = 0.4  # enough when a value is shared as well
CLOSE = 0.35  # with shared values: enough not to write both, too little to pool them
COVERED = 0.6  # of a short claim, told by a question that both answered
SAME_WORDING = 0.5  # Jaccard from which other values contradict without a word of change
TYPICAL_SIZE = 60  # a store with fewer claims knows little about which words are common

_GRAMMAR = re.compile("[\u3041-\u309f的了在是和与及或也就都而被把让到从已]+")


class Said(NamedTuple):
    """What a claim is compared by.

    ``values`` are its numbers, times and weekdays; ``slots`` the same with what each is the
    value of: two claims contradict each other only within a slot. ``changes``: the claim
    says for sure that something is different or new; ``replaces``: that it holds now, or
    from some day on. ``names`` are words with a capital letter, the first aside, and all of
    scripts without spaces; ``sure_names`` only the former, none in German, which writes all
    nouns so. ``heads`` are the starts of the words.
    """

    words: frozenset[str]
    values: frozenset[str]
    slots: frozenset[tuple[str, str]]
    changes: bool
    replaces: bool
    names: frozenset[str]
    sure_names: frozenset[str]
    heads: frozenset[str]

    @property
    def size(self) -> int:
        """How much there is to compare."""
        return len(self.words) + len(self.values)


class Weights:
    """How much a shared word tells: a rare one more than one that many texts have."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [fold(text) for text in texts]
        self._total = max(len(self._texts), TYPICAL_SIZE)
        self._known: dict[str, float] = {}

    def of(self, word: str) -> float:
        """The weight of a word or value."""
        if word not in self._known:
            count = sum(1 for text in self._texts if word in text)
            self._known[word] = log1p(self._total / max(1, count))
        return self._known[word]

    def sum(self, words: Iterable[str]) -> float:
        """The weight of several."""
        return sum(map(self.of, words))


@lru_cache(maxsize=2048)
def read(text: str) -> Said:
    """What the text of a claim is compared by."""
    from openclaw_cli.memory.keywords import detect_languages, stop_words_for

    bare = said(collapse(text))
    words = [
        word
        for word in split_words(without_unspaced(fold(bare)))
        if not any(ch.isdigit() for ch in word)
    ]
    runs = unspaced_runs(fold(bare))
    languages = detect_languages([*words, *runs]) or ["en"]
    stops = stop_words_for(languages)
    kept = {
        word
        for word in words
        if word not in stops
        and len(word) >= SHORTEST_WORD
        and weekday_of(word) is None
        and not is_change_word(word)
    }
    is_sure = not is_hearsay(bare)
    slots, begins, rest = values_in(bare, words, stops)
    parts = _carrying_pairs(unspaced_runs(fold(rest)))
    kept |= parts
    names = frozenset(fold(w) for w in split_words(bare)[1:] if w[0].isupper()) & kept
    return Said(
        frozenset(kept),
        frozenset(value for _, value in slots),
        slots,
        changes=is_sure and (begins or tells_change(bare)),
        replaces=is_sure and (begins or tells_replacement(bare)),
        names=names | parts,
        sure_names=frozenset() if languages[0] == "de" else names,
        heads=frozenset(word[:SHORTEST_START] for word in kept),
    )


def _carrying_pairs(runs: Iterable[str]) -> set[str]:
    """The pairs of characters of unspaced runs, without what is mostly grammar."""
    parts = [part for run in runs for part in _GRAMMAR.split(run) if part]
    return {pair for part in parts or runs for pair in pairs(part)}


class Likeness(NamedTuple):
    """How two claims are related, and how much they share (0..1)."""

    relation: Relation
    strength: float


def compare(older: Said, newer: Said, weights: Weights) -> Likeness | None:
    """What ``newer`` is to ``older``; None when they speak of different things."""
    if older.heads.isdisjoint(newer.heads):
        return None  # most pairs end here
    shared = _shared(older.words, newer.words)
    common = older.values & newer.values
    is_update = _is_update(older, newer)
    if len(shared) + len(common) < FEWEST_SHARED and not (
        is_update and len(shared) >= FEWEST_OF_A_CHANGE
    ):
        return None
    both = sum((weights.of(a) + weights.of(b)) / 2 for a, b in shared)
    overlap, jaccard = _shares(both, weights.sum(older.words), weights.sum(newer.words))
    also = both + weights.sum(common)
    overlap_of_all, jaccard_of_all = _shares(
        also,
        weights.sum(older.words | older.values),
        weights.sum(newer.words | newer.values),
    )
    by_words = len(shared) >= FEWEST_SHARED - 1 and (
        overlap >= OVERLAP
        or jaccard >= JACCARD
        or (overlap >= REWORDED and (is_update or bool(common)))
    )
    if not by_words and overlap_of_all < OVERLAP and jaccard_of_all < JACCARD:
        return None
    relation: Relation = "other-value" if _contradicts(older, newer, jaccard) else "same"
    return Likeness(relation, max(jaccard, jaccard_of_all))


def is_close(one: Said, other: Said) -> bool:
    """Whether two claims are about the same thing with the same values, however worded.

    Every word counts alike here: what is often spoken of is no less what it is about.
    """
    common = len(one.values & other.values)
    shared = len(_shared(one.words, other.words))
    if not shared or not common or common + shared < FEWEST_SHARED:
        return False
    return common + shared >= CLOSE * min(one.size, other.size)


def share_a_word(one: Said, other: Said) -> bool:
    """Whether two claims have a carrying word in common, spelled alike."""
    return not one.words.isdisjoint(other.words)


def is_covered(one: Said, other: Said) -> bool:
    """Whether most of the shorter claim stands in the other: two words or values at least."""
    shared = len(_shared(one.words, other.words)) + len(one.values & other.values)
    return shared >= FEWEST_SHARED - 1 and shared >= COVERED * min(one.size, other.size)


def _shares(both: float, one: float, other: float) -> tuple[float, float]:
    """Overlap (share of the smaller) and Jaccard similarity."""
    smaller = min(one, other)
    return (both / smaller if smaller else 0.0), (both / (one + other - both) if both else 0.0)


def _is_update(older: Said, newer: Said) -> bool:
    """Whether ``newer`` says that something holds now, by another name or value."""
    was = {slot for slot, _ in older.slots - newer.slots}
    now = {slot for slot, _ in newer.slots - older.slots}
    if newer.replaces and (was & now or _differ(older.names, newer.names)):
        return True
    return newer.changes and _differ(older.sure_names, newer.sure_names)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether each of two sets of names has one that the other lacks."""
    return bool(one - other) and bool(other - one)


def _contradicts(older: Said, newer: Said, jaccard: float) -> bool:
    """Whether ``newer`` gives another value: for a slot that both have nothing agrees.

    With a word of change also when some of a slot's values have given way to others, or it
    names each old value beside a new one. What says that it holds now, of the same thing,
    takes the place of what tells of no change: names have no slots.
    """
    apart = agree = replaced = False
    for slot in {slot for slot, _ in older.slots} & {slot for slot, _ in newer.slots}:
        was = {value for of, value in older.slots if of == slot}
        now = {value for of, value in newer.slots if of == slot}
        if was.isdisjoint(now | newer.values):
            apart = True
        else:
            agree = True
            gave_way = bool(was - newer.values) and bool(now - was)
            replaced = replaced or gave_way or (was < now and len(now) == 2 * len(was))
    if apart and (newer.changes or jaccard >= (SAME_WORDING if agree else JACCARD)):
        return True
    if replaced and newer.changes:
        return True
    renamed = newer.changes and _differ(older.sure_names, newer.sure_names)
    return (newer.replaces or renamed) and not older.changes


def _shared(one: frozenset[str], other: frozenset[str]) -> list[tuple[str, str]]:
    """The pairs of words that are forms of each other, each word in one pair."""
    same = one & other
    found = [(word, word) for word in same]
    free = other - same
    for word in sorted(one - same):
        match = next((o for o in sorted(free) if _are_forms(word, o)), None)
        if match is not None:
            free -= {match}
            found.append((word, match))
    return found


@lru_cache(maxsize=16384)
def _are_forms(one: str, other: str) -> bool:
    """Whether two words share a long enough start, or one is a part of the other."""
    short, long = sorted((one, other), key=len)
    if len(short) < SHORTEST_START:
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    if start >= SHORTEST_START and start >= 0.7 * len(short):
        return True
    return len(short) >= (SHORTEST_PART if short.isascii() else SHORTEST_PART - 1) and short in long
