"""``NO_REPLY``: an answer that asks not to be delivered (``sessions.md`` 9.2). Pure."""

from __future__ import annotations

import json
import re

TOKEN = "NO_REPLY"  # noqa: S105 - a word of the protocol, no secret

_ONLY = re.compile(rf"\W*(?:{TOKEN}\W*)+", re.IGNORECASE)
_ENDING = re.compile(rf"(?<!\w){TOKEN}\W*\Z", re.IGNORECASE)


def is_silent(text: str) -> bool:
    """Whether the whole answer is the token: repeated, punctuated, or wrapped in JSON."""
    stripped = text.strip()
    if _ONLY.fullmatch(stripped):
        return True
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return False
    if isinstance(value, dict):
        return set(value) == {"action"} and is_silent(str(value["action"]))
    return isinstance(value, str) and _ONLY.fullmatch(value.strip()) is not None


def without_token(text: str) -> str:
    """An answer that merely ends with the token, without it."""
    return _ENDING.sub("", text).rstrip() if _ENDING.search(text) else text
