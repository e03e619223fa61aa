"""Amounts as people read them: ``1 row``, ``3 rows``. Pure."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 row``, ``3 rows``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
