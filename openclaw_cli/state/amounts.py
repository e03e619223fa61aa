"""Amounts as people read them: ``1 row``, ``3 rows``, ``1.3kb``. Pure."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 row``, ``3 rows``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def size_label(size: int) -> str:
    """``732b``, ``1.3kb``, ``24mb``: bytes in the units that settings and options take."""
    amount, unit = float(size), "b"
    for larger in ("kb", "mb", "gb", "tb"):
        if round(amount) < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f}{unit}" if unit != "b" and amount < 9.95 else f"{amount:.0f}{unit}"
