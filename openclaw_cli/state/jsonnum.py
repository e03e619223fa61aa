"""JSON text as JavaScript's ``JSON.stringify`` writes it.

The files are shared with a JavaScript program: an integer-valued number has no ``.0``,
exponents are written ``1e-7`` and ``1e+21``, non-ASCII stays, a lone surrogate is escaped.
Unlike JavaScript, integers of any size and the order of keys are kept exactly.
"""

from __future__ import annotations

import re
import sys
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

_SURROGATE = "[\ud800-\udfff]"
_LARGE_ITEMS = 200
_ATOMS = {True: "true", False: "false", None: "null"}
# orjson writes exponents (and a negative zero) in another notation: those go the slow way.
# What looks like one inside a string only costs time. In indented text a line that ends in a
# digit holds a bare number, so that there ".0" can be cut off. Each pattern begins with a
# fixed byte, which the search finds many times faster than a set.
_OTHER_NOTATION = {
    2: (rb"e[+-]?[0-9]+,?(?:\n|\Z)", rb"-0\.0,?(?:\n|\Z)"),
    None: (rb"e[+-]?[0-9]+(?:[,}\]]|\Z)", rb"\.0(?:[,}\]]|\Z)"),
}
_WHOLE = rb"\.0(?=,?(?:\n|\Z))"


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """``value`` as JSON text; ``indent`` None is the compact form without spaces.

    Not-a-number and infinities become ``null``, as in JavaScript.
    """
    quick = _quick(value, indent)
    if quick is not None:
        return quick.decode()
    parts: list[str] = []
    _write(value, parts.append, "\n", " " * (indent or 0), indent is None)
    text = "".join(parts)
    if not text.isascii() and re.search(_SURROGATE, text):
        text = re.sub(_SURROGATE, lambda found: f"\\u{ord(found.group()):04x}", text)
    return text


def dump_bytes(value: Any, *, indent: int | None = 2) -> bytes:
    """``dumps`` in UTF-8, without the detour over text where there is a lot of it."""
    quick = _quick(value, indent)
    return dumps(value, indent=indent).encode("utf-8") if quick is None else quick


def number(value: int | float) -> str:
    """A number as JavaScript prints it."""
    if isinstance(value, int):
        return int.__repr__(value)
    if not isfinite(value):
        return "null"
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return _from_shortest(float.__repr__(value))


def _quick(value: Any, indent: int | None) -> bytes | None:
    """``dumps`` by orjson, ten times faster, where the result is provably the same.

    It refuses integers beyond 64 bits, lone surrogates and deep nesting, and writes
    exponents in another notation; None then. Loading it takes longer than writing a
    small value without it.
    """
    if indent not in _OTHER_NOTATION or not isinstance(value, dict | list):
        return None
    if "orjson" not in sys.modules and not _is_large(value):
        return None
    import orjson

    native = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
    try:
        data = orjson.dumps(value, option=native | (orjson.OPT_INDENT_2 if indent else 0))
    except TypeError:
        return None
    if any(re.search(mark, data) for mark in _OTHER_NOTATION[indent]):
        return None
    return re.sub(_WHOLE, b"", data) if indent else data


def _is_large(value: dict[str, Any] | list[Any]) -> bool:
    if len(value) >= _LARGE_ITEMS:
        return True
    children = value.values() if isinstance(value, dict) else value
    return any(isinstance(child, dict | list) and len(child) >= _LARGE_ITEMS for child in children)


def _from_shortest(text: str) -> str:
    """Python's shortest digits in JavaScript's notation (exponents below 1e-6, from 1e21)."""
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text.removesuffix(".0")
    power = int(exponent)
    if power >= 21 or power < -6:
        return f"{mantissa.removesuffix('.0')}e{'+' if power > 0 else ''}{power}"
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if power > 0:
        return sign + digits.ljust(power + 1, "0")
    return f"{sign}0.{'0' * (-power - 1)}{digits}"


def _write(value: Any, put: Any, line: str, step: str, compact: bool) -> None:
    if isinstance(value, str):
        put(encode_basestring(value))
    elif value is None or value is True or value is False:
        put(_ATOMS[value])
    elif isinstance(value, int | float):
        put(number(value))
    elif isinstance(value, dict):
        _write_block(value.items(), put, (line, step, compact), "{}")
    elif isinstance(value, list | tuple):
        _write_block(value, put, (line, step, compact), "[]")
    else:
        raise TypeError(f"{type(value).__name__} is no JSON value")


def _write_block(items: Any, put: Any, layout: tuple[str, str, bool], brackets: str) -> None:
    line, step, compact = layout
    if not items:
        put(brackets)
        return
    inner = line + step
    opening, between = ("", ",") if compact else (inner, "," + inner)
    put(brackets[0] + opening)
    first = True
    for item in items:
        if not first:
            put(between)
        first = False
        if brackets == "{}":
            key, item = item
            put(encode_basestring(key) + (":" if compact else ": "))
        _write(item, put, inner, step, compact)
    put(brackets[1] if compact else line + brackets[1])
