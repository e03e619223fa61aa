"""How alike two texts are (``dreaming.md`` 3.5, 12.2; ``memory.md`` 2.5).

Jaccard similarity of words; of scripts without spaces every character and every adjacent
pair is a word. The reference knows Latin letters and East Asian scripts; without words of
the others every edit of a Russian or Arabic line would make it another statement.
"""

from __future__ import annotations

import re
from functools import lru_cache

SAME_CLAIM = 0.6  # below it a text is another statement

_WORD = re.compile(r"[a-z0-9_]+")
_UNSPACED = (  # compiled on first use: it takes a millisecond
    "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"  # Thai, Lao, Myanmar, Khmer
)
# Letters and vowel signs from Greek on, without the stops and commas among them.
_OTHER_WORD = (
    "[\u0370-\u037d\u037f-\u0386\u0388-\u0588\u0591-\u05bd\u05bf-\u05f2\u0610-\u061a"
    "\u0620-\u063f\u0641-\u0669\u066e-\u06d3\u06d5-\u0963\u0966-\u0dff\u0f00-\u0fff"
    "\u10a0-\u10ff\u1200-\u1360\u1369-\u16ff\u1800-\u18af\u1f00-\u1fff\ufb1d-\ufefc]+"
)


@lru_cache(maxsize=8192)
def tokens(text: str) -> frozenset[str]:
    """The words of ``text`` that similarity counts."""
    lowered = text.lower()
    found = set(_WORD.findall(lowered))
    if not lowered.isascii():
        for run in re.findall(_UNSPACED, lowered):
            found.update(run)
            found.update(run[at : at + 2] for at in range(len(run) - 1))
        found.update(re.findall(_OTHER_WORD, lowered))
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
