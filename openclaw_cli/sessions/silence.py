"""Words of an answer that are not for people. Pure.

``NO_REPLY`` asks not to be delivered (``sessions.md`` 9.2); ``HEARTBEAT_OK`` acknowledges a
poll and is nothing to show either (``heartbeat.md`` 8).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

TOKEN = "NO_REPLY"  # noqa: S105 - a word of the protocol, no secret
ACK_TOKEN = "HEARTBEAT_OK"  # noqa: S105 - likewise; upper case only


def _beginnings(word: str) -> str:
    return "|".join(word[:length] for length in range(len(word) - 1, 0, -1))


_ONLY = re.compile(rf"\W*(?:{TOKEN}\W*)+", re.IGNORECASE)
# The end of a text that may become the token, or may be one that is the last word.
_HELD = re.compile(
    rf"\s*(?:(?<!\w)(?:(?i:{TOKEN}\W*|{_beginnings(TOKEN)})"
    rf"|(?:{ACK_TOKEN}\s*)+\W*|{_beginnings(ACK_TOKEN)}))?\Z"
)
_ENDING = re.compile(rf"(?<!\w){TOKEN}\W*\Z", re.IGNORECASE)
_ACK_FIRST = re.compile(rf"\A\s*(?:{ACK_TOKEN}\s*)+")
_ACK_LAST = re.compile(rf"(?:\s*{ACK_TOKEN})+(\W{{0,4}})\Z")


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


class TokenFilter:
    """An answer as it comes, passed on without the words that are not for people.

    Only what may turn out to be such a word at the end waits until more is known.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._waiting = ""
        self.has_shown = False

    def write(self, piece: str) -> None:
        """Take the next piece."""
        text = self._waiting + piece
        held = _HELD.search(text)
        keep = len(text) if held is None else held.start()
        if not self.has_shown and not any(ch.isalnum() for ch in text[:keep]):
            keep = 0  # marks before anything is said may belong to the token
        self._pass_on(text[:keep])
        self._waiting = text[keep:]

    def close(self) -> bool:
        """Pass on the rest; whether anything was shown."""
        rest, self._waiting = self._waiting, ""
        if not is_silent(rest):
            self._pass_on(_ACK_LAST.sub(r"\1", without_token(rest)).rstrip())
        return self.has_shown

    def _pass_on(self, text: str) -> None:
        if not self.has_shown:
            text = _ACK_FIRST.sub("", text)
        if text:
            self.has_shown = True
            self._show(text)
