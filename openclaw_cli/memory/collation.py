"""The order of paths and tags for people: punctuation, then digits, then letters.

What ICU's root collation does to the characters that occur here: accents and case only
break ties (``memory.md`` 5.3).
"""

from __future__ import annotations

_PUNCTUATION = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_ORDER: dict[int, int | None] = {ord(ch): 0x21 + place for place, ch in enumerate(_PUNCTUATION)}
_ORDER |= {digit: 0x50 + place for place, digit in enumerate(range(0x30, 0x3A))}
_ORDER |= dict.fromkeys(range(768, 880))

Key = tuple[str, str, str]


def collation_key(text: str) -> Key:
    """A sort key: base characters first, then accents, then case (lower before upper)."""
    folded = text.lower() if text.isascii() else _decomposed(text)
    return folded.translate(_ORDER), folded, text.swapcase()


def _decomposed(text: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFD", text).casefold()
