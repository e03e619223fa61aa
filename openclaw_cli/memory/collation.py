"""The order of paths and tags for people: punctuation, then digits, then letters.

What ICU's root collation does to the characters that occur here: accents and case only
break ties (``memory.md`` 5.3).
"""

from __future__ import annotations

from functools import lru_cache

_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANK = {ch: index for index, ch in enumerate(_PUNCTUATION)}
_DIGITS = 1_000
_LETTERS = 2_000

Key = tuple[tuple[int, ...], str, str]


@lru_cache(maxsize=4096)
def collation_key(text: str) -> Key:
    """A sort key: base characters first, then accents, then case (lower before upper)."""
    folded = text if text.isascii() else _decomposed(text)
    primary = tuple(_weight(ch) for ch in folded.casefold() if not _is_mark(ch))
    return primary, folded.casefold(), text.swapcase()


def _weight(ch: str) -> int:
    rank = _RANK.get(ch)
    if rank is not None:
        return rank
    if ch.isdigit():
        return _DIGITS + ord(ch)
    return (_LETTERS if ch.isalpha() else 100) + ord(ch)


def _is_mark(ch: str) -> bool:
    return "\u0300" <= ch <= "\u036f"


def _decomposed(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFD", text)
