"""How alike two texts are (``dreaming.md`` 3.5, 12.2; ``memory.md`` 2.5).

Jaccard similarity of words; of scripts without spaces every character and every adjacent
pair is a word.
"""

from __future__ import annotations

import re
from functools import lru_cache

SAME_CLAIM = 0.6  # below it a text is another statement

_WORD = re.compile(r"[a-z0-9_]+")
_CJK = (  # compiled on first use: it takes a millisecond
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]+"
)


@lru_cache(maxsize=8192)
def tokens(text: str) -> frozenset[str]:
    """The words of ``text`` that similarity counts."""
    lowered = text.lower()
    found = set(_WORD.findall(lowered))
    if not lowered.isascii():
        for run in re.findall(_CJK, lowered):
            found.update(run)
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def similarity(first: str, second: str) -> float:
    """0..1; texts without words are alike when they are equal, case aside."""
    a, b = tokens(first), tokens(second)
    if not a and not b:
        return 1.0 if first.lower() == second.lower() else 0.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)


def are_alike(first: str, second: str, least: float) -> bool:
    """Whether the similarity of two texts is ``least`` or more.

    Most pairs differ so much in length that no word need be compared.
    """
    shorter, longer = sorted((len(tokens(first)), len(tokens(second))))
    if longer and shorter / longer < least:
        return False
    return similarity(first, second) >= least


def is_same_claim(first: str, second: str) -> bool:
    """Whether one text can be the other after an edit, not another statement."""
    return similarity(first, second) >= SAME_CLAIM
