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

from openclaw_cli.memory.claims import said, tells_change
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.words import (
    fold,
    has_unspaced,
    is_unspaced_start,
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
OVERLAP = 0.5  # share of the shorter claim that both have
JACCARD = 0.3
REWORDED = 0.4  # enough when a value is shared as well
CLOSE = 0.35  # with shared values: enough not to write both, too little to pool them
COVERED = 0.6  # of a short claim, told by a question that both answered
SAME_WORDING = 0.5  # Jaccard from which other values contradict without a word of change
TYPICAL_SIZE = 60  # a store with fewer claims knows little about which words are common

_TIME = re.compile(r"(?<!\d)([01]?\d|2[0-3])[:.h]([0-5]\d)(?!\d|[.,]\d)")
_NUMBER = re.compile(r"\d+(?:[.,'\u00a0\u202f ]\d{3})*(?:[.,]\d+)?")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
_UNIT_BEHIND = re.compile(r"\s?([^\W\d_]+|[$€£¥%°₽₹₩])")
_CENTS = re.compile(r"[.,]0+$")


class Said(NamedTuple):
    """What a claim is compared by.

    ``values`` are its numbers, times and weekdays; ``slots`` the same with what each is the
    value of: two claims contradict each other only within a slot. ``changes``: the claim
    says that something is different now. ``heads`` are the starts of the words.
    """

    words: frozenset[str]
    values: frozenset[str]
    slots: frozenset[tuple[str, str]]
    changes: bool
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
    stops = stop_words_for(detect_languages([*words, *runs]) or ["en"])
    weekdays = _weekdays(bare, words)
    kept = {
        word
        for word in words
        if word not in stops and len(word) >= SHORTEST_WORD and _weekday(word) is None
    }
    kept.update(_carrying_pairs(runs))
    slots = {("weekday", f"day{day}") for day in weekdays} | _numbers(bare)
    values = frozenset(value for _, value in slots)
    heads = frozenset(word[:SHORTEST_START] for word in kept)
    return Said(frozenset(kept), values, frozenset(slots), tells_change(bare), heads)


def _carrying_pairs(runs: Iterable[str]) -> set[str]:
    """The pairs of characters of unspaced runs; Japanese grammar, in hiragana, left out."""
    parts = [part for run in runs for part in _HIRAGANA.split(run) if part]
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
    if len(shared) + len(common) < FEWEST_SHARED:
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
        overlap >= OVERLAP or jaccard >= JACCARD or (overlap >= REWORDED and bool(common))
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


def _contradicts(older: Said, newer: Said, jaccard: float) -> bool:
    """Whether ``newer`` gives another value: for a slot that both have nothing agrees.

    With a word of change also when it names each old value beside a new one.
    """
    apart = agree = replaced = False
    for slot in {slot for slot, _ in older.slots} & {slot for slot, _ in newer.slots}:
        was = {value for of, value in older.slots if of == slot}
        now = {value for of, value in newer.slots if of == slot}
        if was.isdisjoint(now | newer.values):
            apart = True
        else:
            agree = True
            replaced = replaced or (was < now and len(now) == 2 * len(was))
    if apart:
        return newer.changes or jaccard >= (SAME_WORDING if agree else JACCARD)
    return replaced and newer.changes


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


def _numbers(text: str) -> set[tuple[str, str]]:
    """Times and numbers; a number is the value of the word or sign beside it."""
    slots = {("time", f"{int(hour)}:{minute}") for hour, minute in _TIME.findall(text)}
    plain = _TIME.sub(" ", text)
    for found in _NUMBER.finditer(plain):
        value = re.sub(r"[^\d.,]", "", _CENTS.sub("", found[0])).rstrip(".,")
        if re.fullmatch(r"\d+(?:[.,]\d{3})+", value):
            value = re.sub(r"\D", "", value)
        slots.add((_unit(plain, found.start(), found.end()), value))
    return slots


def _unit(text: str, start: int, end: int) -> str:
    """What a number counts: the word behind it, a sign of money, else the word before it."""
    behind = _UNIT_BEHIND.match(text, end)
    if behind:
        word = behind[1]
        return "unit " + (word[0] if is_unspaced_start(word) else fold(word)[:5])
    sign = re.search(r"[$€£¥₽₹₩]\s?$", text[:start])
    if sign:
        return f"unit {sign[0].strip()}"
    before = re.search(r"([^\W\d_]+)\s$", text[:start])
    return f"of {fold(before[1])}" if before else "number"


def weekdays_in(text: str) -> set[int]:
    """The weekdays that ``text`` names, Monday 0; also in forms like "mondays"."""
    return _weekdays(text, split_words(fold(text)))


def _weekdays(text: str, words: Iterable[str]) -> set[int]:
    found = {day for word in words if (day := _weekday(word)) is not None}
    if not text.isascii():
        found.update(day for name, day in _unspaced_weekdays() if name in text)
    return found


def _weekday(word: str) -> int | None:
    names = _weekday_names()
    for end in range(len(word), max(3, len(word) - 4), -1):
        day = names.get(word[:end])
        if day is not None and (end >= 5 or end == len(word)):
            return day
    return None


@lru_cache(maxsize=1)
def _weekday_names() -> dict[str, int]:
    from openclaw_cli.memory.calendar_words import WEEKDAYS

    names = {fold(word): n for n, words in enumerate(WEEKDAYS) for word in words.split()}
    short = {name[:-1]: day for name, day in names.items() if name.endswith("曜日")}
    return names | short


@lru_cache(maxsize=1)
def _unspaced_weekdays() -> tuple[tuple[str, int], ...]:
    return tuple(item for item in _weekday_names().items() if has_unspaced(item[0]))
