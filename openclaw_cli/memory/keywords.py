"""What a query is about: its words without those that name nothing (``memory.md`` 2.6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from openclaw_cli.memory import stopwords
from openclaw_cli.memory.words import fold, pairs, split_words, unspaced_runs

MOST_KEYWORDS = 6
SHORTEST_ASCII = 3

# Compiled on first use: most questions have none of these letters.
_KANA = "[\u3040-\u30ff]"
_HAN_RUN = "[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
_HANGUL = "[\u1100-\u11ff\uac00-\ud7af]"
_JAPANESE_RUN = (
    "[a-z0-9_]+|[\u30a1-\u30fa\u30fc-\u30ff]+"
    "|[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|[\u3041-\u309f]{2,}"
)
# Korean particles written behind a noun, longest first.
_PARTICLES = """
    에서부터 으로부터 에게서 한테서 이라고 이라는 에서는 에서도 으로는 으로도 까지는
    부터는 이랑 에서 에게 한테 께서 으로 까지 부터 보다 처럼 마다 밖에 조차 마저 이나 이라
    라고 라는 하고 에는 에도 로는 은 는 이 가 을 를 의 에 와 과 도 로 만 랑 나 야
"""


def detect_languages(words: Collection[str]) -> list[str]:
    """The languages whose function words ``words`` (folded) has most of; empty when none."""
    known = stopwords.languages_by_word()
    counts: dict[str, int] = {}
    for word in words:
        for language in known.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    most = max(counts.values(), default=0)
    return [language for language in stopwords.LANGUAGES if counts.get(language, 0) * 4 > most * 3]


def stop_words_for(languages: Collection[str]) -> frozenset[str]:
    """The function words of these languages together."""
    return frozenset().union(*(stopwords.stop_words(language) for language in languages))


def extract_keywords(query: str, *, trigram: bool = False) -> list[str]:
    """The words of a natural-language query that name something, in order, each once.

    ``trigram`` keeps runs of Han whole, since that tokenizer finds them inside sentences.
    """
    found: dict[str, None] = {}
    words = [fold(word) for word in split_words(query)]
    stops = stop_words_for(detect_languages([*words, *_unspaced_parts(words)]))
    for word in words:
        for part in segment(word, stops, trigram=trigram):
            if part not in stops and _names_something(part):
                found[part] = None
    return list(found)


def segment(word: str, stops: Collection[str], *, trigram: bool = False) -> list[str]:
    """The search words in one folded word of a query, which may be an unbroken sentence."""
    if word.isascii():
        return [word]
    if re.search(_KANA, word):
        parts = []
        for run in re.findall(_JAPANESE_RUN, word):
            parts.append(run)
            if re.match(_HAN_RUN, run) and len(run) > 2 and not trigram:
                parts += pairs(run)
        return parts
    if re.search(_HAN_RUN, word):
        runs = re.findall(_HAN_RUN, word)
        rest = [part for part in re.split(_HAN_RUN, word) if part]
        if trigram:
            return [*runs, *rest]
        return [p for run in runs for p in (*run, *pairs(run))] + rest
    if re.search(_HANGUL, word):
        stem = korean_stem(word)
        return [part for part in (word, stem) if part and part not in stops]
    return [word]


def korean_stem(word: str) -> str | None:
    """``word`` without one particle at its end, None when nothing sensible is left."""
    for particle in _PARTICLES.split():
        if word.endswith(particle):
            stem = word[: -len(particle)]
            if len(stem) >= 2 and (re.search(_HANGUL, stem) or stem.isascii()):
                return stem
    return None


def _unspaced_parts(words: Collection[str]) -> Iterator[str]:
    """Pieces of unbroken sentences that may be function words, for telling the language."""
    for word in words:
        for run in unspaced_runs(word):
            yield from (run[at : at + size] for size in (1, 2) for at in range(len(run)))


def _names_something(word: str) -> bool:
    if word.isdecimal():
        return False
    return not (word.isascii() and len(word) < SHORTEST_ASCII)
