"""What the model's answer to a heartbeat means: nothing to report, or an alert. Pure.

Follows ``heartbeat.md`` 8, table included. ``HEARTBEAT_OK`` is recognised in upper case
only, at the start or at the end of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from openclaw_cli.sessions import silence
from openclaw_cli.state.tuples import NamedTuple

TOKEN = silence.ACK_TOKEN
OUTCOMES = ("no_change", "progress", "done", "blocked", "needs_attention")

_AT_END = re.compile(rf"{TOKEN}(\W{{0,4}})$", re.ASCII)
_TAG = re.compile(r"<[^>]*>")
_EDGES = re.compile(r"^[*`~_]+|[*`~_]+$")
_SILENT_LINE = re.compile(r"(?:^|\n)[ \t]*notify=false[ \t]*\s*\Z", re.IGNORECASE)


class Reply(NamedTuple):
    """The reading of one answer.

    ``status`` is ``ok-token``, ``ok-empty`` or ``alert``; ``text`` is what to deliver of an
    alert; ``silent`` asks for a delivery without a sound; ``stripped_chars`` counts the
    UTF-16 units of real text that an acknowledgement swallowed.
    """

    status: str
    text: str = ""
    silent: bool = False
    stripped_chars: int = 0
    preview: str = ""

    @property
    def is_alert(self) -> bool:
        """Whether there is something to deliver."""
        return self.status == "alert"


def read(text: str, *, ack_max_chars: int, prefix: str = "") -> Reply:
    """Read an answer; ``ack_max_chars`` is the longest remainder still acknowledged.

    ``prefix`` is the configured response prefix: taken off before, put back on an alert.
    """
    body = text.strip()
    if prefix and body.startswith(prefix):
        body = body[len(prefix) :].strip()
    if not body:
        return Reply("ok-empty")
    rest = _strip_token(body)
    if rest is not None:
        length = utf16_length(rest)
        if length <= ack_max_chars:
            return Reply("ok-token", stripped_chars=length, preview=rest)
        body = " ".join(rest.split())
    spoken = _SILENT_LINE.sub("", body)
    silent = spoken != body
    if not spoken.strip():
        return Reply("ok-empty", silent=silent)
    shown = spoken.strip() if silent else body
    return Reply("alert", _prefixed(shown, prefix), silent)


def spoken(text: str) -> str:
    """An ordinary answer, to nobody's poll, without the token; empty when it was all of it."""
    body = text.strip()
    rest = _strip_token(body)
    return body if rest is None else " ".join(rest.split())


def read_all(texts: Iterable[str], *, ack_max_chars: int, prefix: str = "") -> Reply:
    """Read several answers of one run: an alert anywhere wins, the last one of them."""
    readings = [read(text, ack_max_chars=ack_max_chars, prefix=prefix) for text in texts]
    alerts = [reading for reading in readings if reading.is_alert]
    if alerts:
        return alerts[-1]
    spoken = [reading for reading in readings if reading.status == "ok-token"]
    return (spoken or readings or [Reply("ok-empty")])[-1]


def read_structured(arguments: Mapping[str, Any], *, prefix: str = "") -> Reply | None:
    """Read the arguments of a ``heartbeat_respond`` call; None when they are not valid."""
    summary, notify = arguments.get("summary"), arguments.get("notify")
    if arguments.get("outcome") not in OUTCOMES or not isinstance(notify, bool):
        return None
    if not isinstance(summary, str) or not summary.strip():
        return None
    if not notify:
        return Reply("ok-token", preview=summary.strip())
    text = arguments.get("notificationText")
    shown = text.strip() if isinstance(text, str) and text.strip() else summary.strip()
    return Reply("alert", _prefixed(shown, prefix))


def _prefixed(text: str, prefix: str) -> str:
    return text if not prefix or text.startswith(prefix) else f"{prefix} {text}"


def utf16_length(text: str) -> int:
    """The length of ``text`` as JavaScript counts it."""
    return len(text) + sum(ch > "\uffff" for ch in text)


def _strip_token(text: str) -> str | None:
    """What is left without the token at either end; None when it stands at neither."""
    if TOKEN not in text:
        return None
    for candidate in (text, _without_markup(text)):
        rest = _strip_ends(candidate)
        if rest != candidate.strip():
            return rest
    return None


def _strip_ends(text: str) -> str:
    rest = text.strip()
    while True:
        if rest.startswith(TOKEN):
            rest = rest[len(TOKEN) :].strip()
            continue
        ending = _AT_END.search(rest)
        if ending is None:
            return rest
        rest = rest[: ending.start()].rstrip() + ending[1]
        rest = rest.strip()


def _without_markup(text: str) -> str:
    plain = _TAG.sub(" ", text).replace("&nbsp;", " ").strip()
    return _EDGES.sub("", plain).strip()
