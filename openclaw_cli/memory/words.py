"""Words of a text in the form in which the line index keeps them.

Folding makes spellings of one word equal: case, accents, width, vowel points. Scripts
written without spaces (Han, kana, Thai...) and Hangul are cut into overlapping pairs of
characters, so that a word is found inside a sentence (``memory.md`` 12.4). The index and
the query go through the same functions, so a change here needs a new schema version.
"""

from __future__ import annotations

import re

_UNSPACED_RANGES = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\U00020000-\U0003134f"
)
_FIRST_UNSPACED = "\u0e00"
_UNSPACED_RUN = f"[{_UNSPACED_RANGES}]+"  # compiled on first use: it takes a millisecond

_ASCII_WORD = re.compile("[A-Za-z0-9]+")
# Letters and digits, and the combining signs of scripts whose vowels are signs.
_WORD = (
    "(?:[^\\W_]|[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0e00-\u0e4e\u0e50-\u0eff\u0f18-\u0f39\u0f71-\u0fbc"
    "\u1000-\u1049\u1050-\u109f\u1780-\u17d3])+"
)
_MARKS = "[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th",
     "ة": "ه", "ى": "ي", "ک": "ك", "ی": "ي", "ς": "σ"}
)  # fmt: skip


def fold(text: str) -> str:
    """``text`` without the differences that do not matter when words are compared."""
    if text.isascii():
        return text.lower()
    import unicodedata

    bare = re.sub(_MARKS, "", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", bare).translate(_LETTERS)


def split_words(text: str) -> list[str]:
    """The words of ``text`` as they stand, runs of unspaced scripts still whole."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return re.findall(_WORD, text)


def index_text(text: str) -> str:
    """What the line index stores of ``text``: folded words, unspaced runs as pairs."""
    if text.isascii():
        return text  # the index folds ASCII by itself
    folded = fold(text)
    return re.sub(_UNSPACED_RUN, _spread, folded) if _may_be_unspaced(folded) else folded


def _may_be_unspaced(text: str) -> bool:
    """A quick look that spares Latin, Greek, Cyrillic, Arabic and Indic texts the pattern."""
    return not text.isascii() and max(text) >= _FIRST_UNSPACED


def unspaced_runs(text: str) -> list[str]:
    """The stretches of ``text`` in scripts that are written without spaces."""
    return re.findall(_UNSPACED_RUN, text) if _may_be_unspaced(text) else []


def without_unspaced(text: str) -> str:
    """``text`` with a space for each such stretch."""
    return re.sub(_UNSPACED_RUN, " ", text) if _may_be_unspaced(text) else text


def has_unspaced(text: str) -> bool:
    """Whether ``text`` has such a stretch."""
    return _may_be_unspaced(text) and re.search(_UNSPACED_RUN, text) is not None


def is_unspaced_start(text: str) -> bool:
    """Whether ``text`` begins with such a stretch."""
    return _may_be_unspaced(text[:1]) and re.match(_UNSPACED_RUN, text) is not None


def pairs(run: str) -> list[str]:
    """The overlapping pairs of an unspaced run; a single character stands for itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _spread(found: re.Match[str]) -> str:
    # The last character also stands alone, so that every character starts some token and
    # a one-character query is a prefix search.
    run = found.group()
    return f" {' '.join(run[at : at + 2] for at in range(len(run)))} "
