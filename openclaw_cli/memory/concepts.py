"""Concept tags: up to eight words that say what a snippet is about (``memory.md`` 6).

Sources in order: glossary terms, compounds (``10.0.20.1``, ``rt-4411``), words. The
reference cuts Han and kana with a dictionary; here a run is cut at changes of script and
at function words, and what stays long is cut into pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from openclaw_cli.memory.text import utf16_length
from openclaw_cli.memory.vocabulary import GLOSSARY, STOP_WORDS, THEME_STOP_WORDS

MAX_TAGS = 8
MAX_TAG_LENGTH = 32
MIN_LENGTH = 3
MIN_CJK_LENGTH = 2

_HAN = "々〆\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
# Patterns are texts here: importing this module must cost next to nothing.
_CJK = f"[{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}]"
_HAN_OR_HANGUL = f"[{_HAN}{_HANGUL}]"
_HAN_START = f"[{_HAN}]"
_IDEOGRAPHIC = f"{_HAN}{_HIRAGANA}{_KATAKANA}"

# Begins at the start of a word and gives nothing back: most words are no compound.
_COMPOUND = r"(?<![^\W_])[^\W_]++(?:[._/-][^\W_]++)+"
# Letters joined by ' . : and digits joined by , . ; ' stay one word (UAX 29).
_SPACED_WORD = r"(?:L|\d)+(?:(?:(?<=L)['’‘.:·](?=L)|(?<=\d)[,.;'](?=\d))(?:L|\d)+)*"
_PLAIN_WORD = _SPACED_WORD.replace("L", r"[^\W\d]")
_FIRST_IDEOGRAPHIC = "\u3005"  # texts without it and what follows need none of the large classes
_WORD = f"[{_HAN}]+|[{_HIRAGANA}]+|[{_KATAKANA}]+|" + _SPACED_WORD.replace(
    "L", f"[^\\W\\d{_IDEOGRAPHIC}]"
)
_DATE = r"\d{4}-\d{2}-\d{2}(?:\.[a-z0-9]+)?"
_NUMBER_OR_RANGE = r"[\d.,:/+-]*\d[\d.,:/+-]*%?"
_FUNCTION_HAN = "[的了在是和与及或也就都而被把让]"


def derive_tags(path: str, snippet: str) -> list[str]:
    """The tags of ``snippet`` from the file ``path``."""
    text = f"{path.rsplit('/', 1)[-1]} {snippet}"
    tags: dict[str, None] = dict.fromkeys(_glossary_terms(text))
    for raw in _raw_tokens(text):
        if len(tags) >= MAX_TAGS:
            break
        tag = normalize_tag(raw)
        if tag is not None:
            tags.setdefault(tag)
    return list(tags)[:MAX_TAGS]


@lru_cache(maxsize=8192)
def normalize_tag(raw: str) -> str | None:
    """``raw`` as a tag, or None when it makes none."""
    tag = unicodedata.normalize("NFKC", raw) if not raw.isascii() else raw
    tag = _without_outer_signs(tag).replace("_", "-").lower()
    if not tag or utf16_length(tag) > MAX_TAG_LENGTH or tag in STOP_WORDS:
        return None
    if (tag.isascii() and tag.isdigit()) or _compiled(_DATE).fullmatch(tag):
        return None
    return tag if len(tag) >= _least_length(tag) else None


def _without_outer_signs(text: str) -> str:
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        if unicodedata.category(text[end - 1])[0] == "M":
            break  # a vowel sign ends the word, it does not surround it
        end -= 1
    return text[start:end]


def is_theme(tag: str) -> bool:
    """Whether a stored tag may stand for a theme: no filler word, bare number or range."""
    return (
        normalize_tag(tag) is not None
        and tag not in THEME_STOP_WORDS
        and _compiled(_NUMBER_OR_RANGE).fullmatch(tag) is None
    )


def _least_length(tag: str) -> int:
    if tag.isascii() or _compiled(_CJK).search(tag) is None:
        return MIN_LENGTH
    return MIN_CJK_LENGTH if _compiled(_HAN_OR_HANGUL).search(tag) else MIN_LENGTH


def _glossary_terms(text: str) -> Iterator[str]:
    haystack = unicodedata.normalize("NFKC", text).lower()
    for term in GLOSSARY:
        if term not in haystack:
            continue
        if len(term) >= _least_length(term) or re.search(rf"(?<!\w){term}(?!\w)", haystack):
            yield term


def _raw_tokens(text: str) -> Iterator[str]:
    shape = text if text.isascii() else _with_marks_as_letters(text)
    yield from (text[slice(*found.span())] for found in _compiled(_COMPOUND).finditer(shape))
    plain = max(shape, default="") < _FIRST_IDEOGRAPHIC
    for found in _compiled(_PLAIN_WORD if plain else _WORD).finditer(shape):
        word = text[slice(*found.span())]
        if not plain and _compiled(_HAN_START).match(word):
            yield from _han_words(word)
        else:
            yield word


def _with_marks_as_letters(text: str) -> str:
    """``text`` of the same length whose combining marks are letters, as for UAX 29."""
    return "".join("a" if unicodedata.category(ch)[0] == "M" else ch for ch in text)


def _han_words(run: str) -> Iterator[str]:
    """Words of an unbroken run: known terms, else what function words leave, in pairs."""
    for piece in _known_han().split(run):
        if _known_han().fullmatch(piece):
            yield piece
            continue
        for part in _compiled(_FUNCTION_HAN).split(piece):
            cuts = [*range(0, len(part) - 3, 2), max(0, (len(part) - 2) // 2 * 2)]
            yield from (part[at:end] for at, end in zip(cuts, [*cuts[1:], len(part)], strict=True))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _known_han() -> re.Pattern[str]:
    """The terms of the glossary that are written in Han only."""
    known = (term for term in GLOSSARY if _compiled(f"[{_HAN}]+").fullmatch(term))
    return re.compile(f"({'|'.join(known)})")
