"""Reading JSON that somebody may have nested beyond reason.

How deep a text the standard parser takes differs between releases of Python, and what it
takes can be too deep for everything that walks the value afterwards. So there is one limit,
well within Python's own; deeper texts fail as the parser itself fails on them, with
``RecursionError``.
"""

from __future__ import annotations

import json
from typing import Any

MAX_DEPTH = 300

_HALF = MAX_DEPTH // 2
_OTHER_BYTES = bytes(set(range(256)) - set(b"[]{}"))


def loads(text: str | bytes) -> Any:
    """``json.loads`` with ``RecursionError`` for what is nested more than ``MAX_DEPTH`` deep."""
    value = json.loads(text)
    refuse_deep(value, text)
    return value


def refuse_deep(value: Any, text: str | bytes) -> None:
    """``RecursionError`` when ``value``, which was read from ``text``, is nested too deeply."""
    if len(text) > 2 * MAX_DEPTH and _may_be_deep(text) and _is_deep(value):
        raise RecursionError(f"nested more than {MAX_DEPTH} levels deep")


def _may_be_deep(text: str | bytes) -> bool:
    """Whether the brackets of ``text`` leave that open: a look at every value costs much more.

    Pairs with nothing between them go, level by level; what is left is no deeper than long.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    brackets = data.translate(None, _OTHER_BYTES)
    for _ in range(_HALF):
        if len(brackets) <= _HALF:
            return False
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return True


def _is_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else container)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True
