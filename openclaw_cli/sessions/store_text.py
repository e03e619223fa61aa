"""The text of a session store: parsing that loses nothing, and the form it is written in.

Pure. A store is one JSON object ``key -> row``. Integers of any size, the order of keys,
unknown fields and lone surrogates survive a round trip exactly; whatever could not
(a repeated key, ``NaN``, a number beyond all range) makes the text unusable instead
(``sessions-maintenance.md`` 2).
"""

from __future__ import annotations

import codecs
import contextlib
import gc
import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

from openclaw_cli.state import jsontext
from openclaw_cli.state.jsonnum import dump_bytes

_LARGE_BYTES = 1024 * 1024
_MARKS = ("sessionId", "updatedAt")  # a row has at least one of them
_BARE_KEYS = ("main", "global", "unknown")


class UnusableText(ValueError):
    """The bytes are no session store; the message says why, e.g. ``is not JSON: ...``."""


def parse(data: bytes) -> dict[str, Any]:
    """The rows in ``data``; ``UnusableText`` when it is not one JSON object without loss."""
    if not data.strip():
        raise UnusableText("is empty")
    if data.startswith(codecs.BOM_UTF8):
        raise UnusableText("begins with a byte order mark: save it as UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnusableText(f"is not UTF-8 (byte {error.start})") from error
    try:
        with _collector_paused(len(data)):
            rows = json.loads(
                text,
                object_pairs_hook=_object,
                parse_float=_float,
                parse_constant=_constant,
            )
            jsontext.refuse_deep(rows, data)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UnusableText(f"is not JSON: {error.msg} ({where})") from error
    except RecursionError as error:
        raise UnusableText("is nested too deeply") from error
    except UnusableText:
        raise
    except ValueError as error:  # an integer of more digits than Python converts
        raise UnusableText(f"holds an unusable number: {error}") from error
    if not isinstance(rows, dict):
        raise UnusableText(f"is not a JSON object but {_kind(rows)}")
    if _is_foreign(rows):
        raise UnusableText("holds no session row; is it another file of the program?")
    return rows


def render(rows: dict[str, Any]) -> bytes:
    """``rows`` as they stand in the file: two-space indentation, no final newline."""
    return dump_bytes(rows)


def row_size(key: str, row: Any) -> int:
    """How many bytes ``render`` spends on the row ``key``: its lines without the comma."""
    lines = dump_bytes({key: row})
    return len(lines) - len("{\n") - len("\n}")


def _is_foreign(rows: dict[str, Any]) -> bool:
    """Whether this is another JSON file: no key or row of a session, but other content.

    What is left of a store must never count as foreign, however odd its last rows are.
    """
    for key, row in rows.items():
        if ":" in key or key.strip().lower() in _BARE_KEYS:
            return False
        if isinstance(row, dict) and any(mark in row for mark in _MARKS):
            return False
    return "version" in rows or any(isinstance(row, dict) and row for row in rows.values())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise UnusableText(f"holds the key {json.dumps(key)} twice")
            seen.add(key)
    return found


def _float(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise UnusableText(f"holds a number beyond all range: {text[:40]}")
    return value


def _constant(text: str) -> float:
    raise UnusableText(f"is not JSON: it holds {text}")


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "a single value"


@contextlib.contextmanager
def _collector_paused(size: int) -> Iterator[None]:
    """Keep the cycle collector away while a large text becomes objects.

    JSON has no cycles, yet the collector would walk the growing heap again and again;
    frozen afterwards, the rows are not walked for the rest of the run either.
    """
    if size < _LARGE_BYTES or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()
