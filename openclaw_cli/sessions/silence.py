"""``NO_REPLY``: an answer that asks not to be delivered (``sessions.md`` 9.2). Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

TOKEN = "NO_REPLY"  # noqa: S105 - a word of the protocol, no secret

_ONLY = re.compile(rf"\W*(?:{TOKEN}\W*)+", re.IGNORECASE)
# The end of a text that may become the token, or may be one that is the last word.
_HELD = re.compile(
    r"\s*(?:(?<!\w)(?:NO_REPLY\W*|NO_REPL|NO_REP|NO_RE|NO_R|NO_|NO|N))?\Z", re.IGNORECASE
)
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


class TokenFilter:
    """An answer as it comes, passed on without a token that asks for silence.

    Only what may turn out to be the token at the end waits until more is known.
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
            self._pass_on(without_token(rest).rstrip())
        return self.has_shown

    def _pass_on(self, text: str) -> None:
        if text:
            self.has_shown = True
            self._show(text)
