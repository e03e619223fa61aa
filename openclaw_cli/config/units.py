"""Durations and sizes: one parser each for every setting and option (``design.md`` 3).

The grammars are those of ``sessions-maintenance.md`` 1.1 and 1.2; only the meaning of a
number without a unit differs from key to key.
"""

from __future__ import annotations

import re

MAX_EXACT = 2**53 - 1  # the largest whole number that every program reads back unchanged

UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
SIZE_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

_PART = r"[0-9]+(?:\.[0-9]+)?"
# Compiled on first use: most commands read one of them or none.
_ONE = rf"({_PART})(ms|s|m|h|d)?"
_CHAIN = rf"(?:{_PART}(?:ms|s|m|h|d))+"
_LINK = rf"({_PART})(ms|s|m|h|d)"
_SIZE = rf"({_PART})(b|[kmgt]b?)?"


def parse_duration_ms(value: object, default_unit: str | None, *, chain: bool = True) -> int:
    """Milliseconds of ``30d``, ``1d12h``, ``1.5h`` or a number in ``default_unit``.

    ``default_unit`` None wants a unit; ``chain`` False allows one part only. Raises
    ``ValueError`` with the reason.
    """
    text = _as_text(value, "a duration such as 30m, 12h or 7d")
    match = re.fullmatch(_ONE, text)
    if match is not None:
        unit = match.group(2) or default_unit
        if unit is None:
            raise ValueError(f"{text!r} needs a unit: ms, s, m, h or d")
        return _whole(float(match.group(1)) * UNIT_MS[unit])
    if chain and re.fullmatch(_CHAIN, text):
        return _whole(sum(float(part) * UNIT_MS[unit] for part, unit in re.findall(_LINK, text)))
    raise ValueError(f"{text!r} is no duration; write it as 30m, 12h, 7d or 1h30m")


def parse_size(value: object) -> int:
    """Bytes of ``10mb``, ``1.6gb`` or a plain number; raises ``ValueError``."""
    text = _as_text(value, "a size such as 500kb, 10mb or 2gb")
    match = re.fullmatch(_SIZE, text)
    if match is None:
        raise ValueError(f"{text!r} is no size; write it as 500kb, 10mb or 2gb")
    return _whole(float(match.group(1)) * SIZE_UNITS[(match.group(2) or "")[:1]])


def _as_text(value: object, expected: str) -> str:
    if isinstance(value, str):
        text = value.strip().lower()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # A number counts as it would be printed by the program that wrote it: 1e21 is none.
        if abs(value) >= 10**21:
            raise ValueError(f"{value} is too large")
        text = str(int(value)) if value == value // 1 else repr(value)
    else:
        raise ValueError(f"expected {expected}")
    if not text:
        raise ValueError(f"expected {expected}")
    return text


def _whole(value: float) -> int:
    if value > MAX_EXACT:
        raise ValueError("too large")
    return int(value + 0.5)
