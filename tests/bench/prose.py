"""Invented prose: words of a made-up language, some frequent and most of them rare."""

from __future__ import annotations

import random
from itertools import accumulate

ONSETS = [*"bcdfghjklmnprstvwz", "st", "tr", "pl"]
VOWELS = [*"aeiou", "ai", "ou"]


class Prose:
    """A source of text, always the same for the same seed."""

    def __init__(self, seed: int, vocabulary: int = 9_000) -> None:
        self.chance = random.Random(seed)
        self._words = [self._word() for _ in range(vocabulary)]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(vocabulary)))

    def words(self, least: int, most: int) -> list[str]:
        """Between ``least`` and ``most`` words."""
        count = self.chance.randint(least, most)
        return self.chance.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self, least: int = 6, most: int = 18) -> str:
        """A sentence with a capital and a full stop."""
        return " ".join(self.words(least, most)).capitalize() + "."

    def note(self, title: str, lines: int) -> str:
        """A Markdown note: a heading and a list."""
        return "\n".join([f"# {title}", "", *(f"- {self.sentence()}" for _ in range(lines)), ""])

    def _word(self) -> str:
        syllables = range(self.chance.randint(1, 4))
        return "".join(self.chance.choice(ONSETS) + self.chance.choice(VOWELS) for _ in syllables)
