"""Ids made of a time and random digits, such as ``cm_mwoe5eo0_1e989e0a77``."""

from __future__ import annotations

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def stamped(prefix: str, now_ms: int, random_bytes: bytes) -> str:
    """``<prefix>_<ms in base 36>_<hex digits>``; callers give five random bytes."""
    return f"{prefix}_{base36(now_ms)}_{random_bytes.hex()}"


def base36(number: int) -> str:
    """A non-negative integer in base 36, lower case."""
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
