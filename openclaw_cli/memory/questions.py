"""What a natural-language question asks for: weighted terms, days, languages.

``memory.md`` 12.20. Terms are words of the question without function words; which words of
the index stand for a term (inflections, compounds, misspellings) is found in the index's
vocabulary, so that nothing depends on a language being known when notes are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date

from openclaw_cli.memory import keywords
from openclaw_cli.memory.dates import (
    DayRange,
    find_days,
    is_day_word,
    is_month_or_year,
    without_days,
)
from openclaw_cli.memory.stems import (
    are_forms,
    has_endings,
    irregular_forms,
    prefixes,
    without_prefixes,
)
from openclaw_cli.memory.words import (
    fold,
    has_unspaced,
    is_unspaced_start,
    pairs,
    split_words,
)
from openclaw_cli.state.tuples import NamedTuple

NAME_WEIGHT = 1.15
FORM_WEIGHT = 0.9
JOINED_WEIGHT = 0.9
GUESS_WEIGHT = 0.6
STRANGER = 15  # a form met so many times as often as the others together is another word
LONGEST_GUESS = 64
SHORTEST_GUESS = 5
PREFIX = 3
MOST_TERMS = 64  # of a pasted text, its start is searched for

# Words of the index that begin with a prefix, each with the number of windows it is in.
Vocabulary = Callable[[str], Iterable[tuple[str, int]]]


class Term(NamedTuple):
    """One thing to look for: a folded word or pair of characters, and how much it counts.

    ``joined`` are spellings in which it is one word with its neighbour; ``starts`` asks for
    every word that begins with it (one character of an unspaced script).
    """

    word: str
    weight: float = 1.0
    joined: tuple[str, ...] = ()
    starts: bool = False


@dataclass
class Question:
    """A question taken apart. ``languages`` may be empty; ``days`` are the days it names.

    ``only_days``: nothing is asked for but what was noted on them.
    """

    terms: list[Term] = field(default_factory=list)
    days: list[DayRange] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    only_days: bool = False


def parse_question(text: str, today: date) -> Question:
    """Take ``text`` apart; ``today`` is what relative days count from."""
    languages = _languages(text)
    days = find_days(text, today, languages)
    written = split_words(without_days(text) if days else text)
    words = [fold(word) for word in written]
    stops = keywords.stop_words_for(languages)
    kept = [
        at
        for at, word in enumerate(words)
        if word not in stops and _can_count(word) and not (days and is_day_word(word))
    ]
    if not kept and not days:  # nothing but function words: then they are looked for
        kept = list(range(len(words)))
    found: dict[str, Term] = {}
    for at in kept:
        for term in _terms(written, words, at, stops):
            found.setdefault(term.word, term)
    only_days = bool(days) and all(is_month_or_year(word) for word in found)
    return Question(list(found.values())[:MOST_TERMS], days, languages, only_days)


def variants(term: Term, vocabulary: Vocabulary, languages: list[str]) -> dict[str, float]:
    """The words of the index that stand for ``term``, with how well each does (0..1]."""
    if is_unspaced_start(term.word):
        if not term.starts:
            return {term.word: 1.0}
        return {word: 1.0 for word, _count in vocabulary(term.word)}
    found: dict[str, float] = {}
    counts: dict[str, int] = {}
    forms = irregular_forms().get(term.word, ()) if "en" in languages else ()
    begin = term.word[:PREFIX]
    written_before = [letters + begin for lang in languages for letters in prefixes(lang)]
    for start in {begin, *(form[:PREFIX] for form in forms), *written_before}:
        for word, count in vocabulary(start):
            if word == term.word or word in forms or _is_form(term.word, word, languages):
                found[word] = 1.0 if word == term.word else FORM_WEIGHT
                counts[word] = count
    for word in _strangers(term.word, counts):
        del found[word]
    for joined in term.joined:
        if any(word == joined for word, _count in vocabulary(joined)):
            found.setdefault(joined, JOINED_WEIGHT)
    return found or _guesses(term.word, vocabulary)


def _strangers(word: str, counts: dict[str, int]) -> list[str]:
    """Of the words that may be forms of ``word``, those that are others: "off" of "offer"."""
    total = sum(counts.values())
    return [
        form
        for form, count in counts.items()
        if form != word and total > count > STRANGER * (total - count)
    ]


def _terms(written: list[str], words: list[str], at: int, stops: frozenset[str]) -> list[Term]:
    word = words[at]
    if has_unspaced(word):
        return _unspaced_terms(word, stops)
    name = at > 0 and written[at][:1].isupper()
    joined = []
    if at > 0:
        joined.append(words[at - 1] + word)
    if at + 1 < len(words):
        joined.append(word + words[at + 1])
    return [Term(word, NAME_WEIGHT if name else 1.0, tuple(joined))]


def _unspaced_terms(word: str, stops: frozenset[str]) -> list[Term]:
    """Pairs of characters of the naming parts of an unbroken sentence.

    Together the pairs of a part count a little more than one word, as they stand for it.
    """
    found = []
    for part in keywords.segment(word, stops, trigram=True):
        if part in stops:
            continue
        if not is_unspaced_start(part):
            found.append(Term(part))
            continue
        chosen = [pair for pair in pairs(part) if pair not in stops] or pairs(part)
        weight = 1.5 / len(chosen) if len(chosen) > 1 else 1.0
        found += [Term(pair, max(weight, 0.4), starts=len(pair) == 1) for pair in chosen]
    return found


def _languages(text: str) -> list[str]:
    words = [fold(word) for word in split_words(text)]
    return keywords.detect_languages(
        [part for word in words for part in (word, *_sentence_parts(word))]
    )


def _sentence_parts(word: str) -> list[str]:
    if not has_unspaced(word):
        return []
    return [word[at : at + size] for size in (1, 2) for at in range(len(word) - size + 1)]


def _can_count(word: str) -> bool:
    return len(word) > 1 or not word.isascii() or word.isdecimal()


def _is_form(word: str, other: str, languages: list[str]) -> bool:
    for language in languages:
        if not has_endings(language):
            continue
        if any(
            are_forms(bare, bare_other, language)
            for bare in without_prefixes(word, language)
            for bare_other in without_prefixes(other, language)
        ):
            return True
    return False


def _guesses(word: str, vocabulary: Vocabulary) -> dict[str, float]:
    """What a word that the index does not know may stand for: two words, or a misspelling."""
    if len(word) > LONGEST_GUESS:
        return {}  # no word of any language, and each cut of it would ask the index
    for cut in range(PREFIX, len(word) - PREFIX + 1):
        one, other = word[:cut], word[cut:]
        if _knows(vocabulary, one) and _knows(vocabulary, other):
            return {f"{one} {other}": JOINED_WEIGHT}
    if len(word) < SHORTEST_GUESS:
        return {}
    near = [known for known, _count in vocabulary(word[:1]) if _one_edit(word, known)]
    return dict.fromkeys(near, GUESS_WEIGHT)


def _knows(vocabulary: Vocabulary, word: str) -> bool:
    return any(known == word for known, _count in vocabulary(word))


def _one_edit(one: str, other: str) -> bool:
    """Whether one letter added, left out, changed or swapped makes ``other`` of ``one``."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return one == other
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    rest, rest_other = one[at:], other[at:]
    return (
        rest[1:] == rest_other[1:]
        or rest == rest_other[1:]
        or rest[1:] == rest_other
        or (rest[2:] == rest_other[2:] and rest[:2] == rest_other[1::-1])
    )
