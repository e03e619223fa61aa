"""Text measures shared by memory and dreaming.

The files are shared with a JavaScript program, so lengths and cuts count UTF-16 units,
and "normalised" means white space collapsed to single spaces and trimmed (``memory.md`` 4.3).
"""

from __future__ import annotations

import re

# Patterns are texts here: importing this module must cost next to nothing.
_LIST_MARKER = r"(?:[-*+]|\d{1,9}[.)])(?:\s+|$)"
_PROMOTED = r"\s*\[score=[^\]\n]*\bsource=[^\]\n]*\]"
_CHECKBOX = r"\[[ xX]\]\s+"
_IMAGE = r"!\[[^\]]*\]\([^)]*\)"
_LINK = r"\[([^\]]*)\]\([^)]*\)"
_SENTENCE_END = r"[.!?](?= )|[。！？]"


def collapse(text: str) -> str:
    """``text`` with every run of white space as one space, trimmed."""
    if "\ufeff" in text:
        text = text.replace("\ufeff", " ")
    return " ".join(text.split())


def utf16_length(text: str) -> int:
    """How many UTF-16 units ``text`` takes."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for ch in text if ch > "\uffff")


def cut_utf16(text: str, limit: int) -> str:
    """The longest start of ``text`` of at most ``limit`` UTF-16 units, whole characters only."""
    if len(text) * 2 <= limit or utf16_length(text) <= limit:
        return text
    if text.isascii():
        return text[:limit]
    units = 0
    for index, ch in enumerate(text):
        units += 2 if ch > "\uffff" else 1
        if units > limit:
            return text[:index]
    return text


def strip_list_marker(text: str) -> str:
    """``text`` (normalised) without one leading list marker: ``- * +`` or ``1.``."""
    if not text or text[0].isalpha():
        return text
    found = re.match(_LIST_MARKER, text)
    return text[found.end() :] if found else text


def strip_checkbox(text: str) -> str:
    """``text`` (without list marker) without the box of a task in front."""
    found = re.match(_CHECKBOX, text) if text.startswith("[") else None
    return text[found.end() :] if found else text


def without_markup(text: str) -> str:
    """``text`` without Markdown: images gone, links as their text, no emphasis."""
    shown = re.sub(_LINK, r"\1", re.sub(_IMAGE, "", text)) if "](" in text else text
    return " ".join(re.sub(r"[`*_~>#]", "", shown).split())


def bare_claim(text: str) -> str:
    """``text`` without what promotion writes behind a bullet."""
    return re.sub(_PROMOTED, "", text) if "[score=" in text else text


def has_list_marker(text: str) -> bool:
    """Whether ``text`` begins with a list marker."""
    return strip_list_marker(text) != text


def same_claim_form(text: str) -> str:
    """The form in which two texts count as the same statement: no marker, case folded."""
    return strip_list_marker(collapse(text)).casefold()


def encode_like_javascript(text: str) -> bytes:
    """UTF-8 of ``text`` for hashing: surrogate pairs joined, lone halves as U+FFFD."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def shorten(text: str, limit: int) -> str:
    """``text`` cut to about ``limit`` UTF-16 units at a sensible place, ``...`` appended.

    The last sentence end is taken when at least 55 % of the limit is kept, else the last
    space at 65 %, else the cut is hard (``memory.md`` 7.2).
    """
    window = cut_utf16(text, limit)
    if window == text:
        return text
    ends = [found.end() for found in re.finditer(_SENTENCE_END, window)]
    space = window.rfind(" ")
    if ends and utf16_length(window[: ends[-1]]) - 1 >= limit * 0.55:
        kept = window[: ends[-1]]
    elif space >= 0 and utf16_length(window[:space]) >= limit * 0.65:
        kept = window[:space]
    else:
        kept = window
    return re.sub(r"[.\s]+$", "", kept) + "..."  # which stands for the full stop, too


def fixed(value: float, digits: int) -> str:
    """``value`` with fixed decimals, an exact half rounded up, as JavaScript's ``toFixed``."""
    numerator, denominator = abs(value).as_integer_ratio()
    scale: int = 10**digits
    whole, part = divmod((2 * numerator * scale + denominator) // (2 * denominator), scale)
    sign = "-" if value < 0 and (whole or part) else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"
