"""What people and assistants said in a transcript, without everything that nobody said.

Wrappers that the program puts around a message are taken off; prompts of schedules and
heartbeats, notices, silent answers and messages between agents are left out, and with a
prompt of a schedule the answer to it (``dreaming.md`` 3.3, 12.14). Pure functions on the
records of a transcript.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from openclaw_cli.memory.text import collapse
from openclaw_cli.sessions.transcript import text_of
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

NARRATIVE = "dreaming-narrative-"
BOOTSTRAP = "openclaw:bootstrap-context:full"
LONGEST_PIECE = 800
SECONDS_BELOW = 1e11  # a smaller number is epoch seconds, not milliseconds
LABELS = {"user": "User", "assistant": "Assistant"}

_STAMP = re.compile(
    r"\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\.? \d{4}-\d\d-\d\d \d\d:\d\d[^\]]*\]\s*"
)
_METADATA = re.compile(
    r"^[^\n]{1,120}\(untrusted[^)\n]*\):[ \t]*\r?\n```[a-z]*[ \t]*\r?\n.*?^```[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_CONTEXT_TAIL = re.compile(r"^Untrusted context \(metadata[^\n]*\):[ \t]*$.*\Z", re.DOTALL | re.M)
_DELIVERY_HINT = re.compile(
    r"^(?:To send an (?:image|attachment|file) back, prefer the message tool|Delivery:)[^\n]*$",
    re.MULTILINE,
)
_INTERNAL = re.compile(
    r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?(?:<<<END_OPENCLAW_INTERNAL_CONTEXT>>>|\Z)", re.DOTALL
)
_SYSTEM = re.compile(r"System(?: \(untrusted\))?: \[[^\]]*\]")
_EXEC_NOTICE = re.compile(
    r"(?:exec (?:completed|finished|failed|denied|running) \("
    r"|an async command (?:you ran|the user))",
    re.IGNORECASE,
)
_SCHEDULED = ("[cron:", "[subagent context]")
_SILENT = re.compile(
    r"""\W*(?:NO_REPLY\W*)+ | \{\s*"action"\s*:\s*"NO_REPLY"\s*\}""", re.VERBOSE | re.IGNORECASE
)
_ACKNOWLEDGED = re.compile(r"[\W_]*(?:HEARTBEAT_OK[\W_]*)+")


class Spoken(NamedTuple):
    """A message: the line of the transcript it stands on, who spoke, when (epoch ms), what.

    ``text`` is on one line. ``at_ms`` is None where the record has no time.
    """

    line: int
    role: str
    at_ms: int | None
    text: str


def spoken(
    records: Iterable[tuple[int, Any]], heartbeat_prompts: Sequence[str] = ()
) -> Iterator[Spoken]:
    """The messages in ``records``, pairs of line number and JSON value, in order.

    ``heartbeat_prompts`` are the configured ones, collapsed; the built-in one is known by
    the words that it must have.
    """
    answers_schedule = False
    for line, record in records:
        message = _message(record)
        if message is None:
            continue
        role = message["role"]
        text = collapse(_without_wrappers(text_of(message), role))
        if role == "user":
            answers_schedule = _is_scheduled(text, heartbeat_prompts)
        if answers_schedule or not text or _is_noise(text, role) or _is_relayed(record, message):
            continue
        yield Spoken(line, role, _time(message, record), text)


def names_narrative(record: Any) -> bool:
    """Whether a record shows that its transcript is a diary run's."""
    if not isinstance(record, dict):
        return False
    data = record.get("data")
    if not isinstance(data, dict):
        data = {}
    if record.get("customType") == BOOTSTRAP and _starts(data.get("runId")):
        return True
    return any(
        _starts(holder.get("runId")) or is_narrative_key(holder.get("sessionKey"))
        for holder in (record, data)
    )


def is_narrative_key(key: object) -> bool:
    """Whether a session key, with or without ``agent:<id>:``, is a diary run's."""
    return _starts(key) or (isinstance(key, str) and _starts(key.split(":", 2)[-1]))


def wrap(text: str) -> list[str]:
    """``text`` in pieces of at most 800 characters, cut at the last space before the limit."""
    pieces = []
    while len(text) > LONGEST_PIECE:
        space = text.rfind(" ", 0, LONGEST_PIECE + 1)
        cut = space if space > 0 else LONGEST_PIECE
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*pieces, text] if text else pieces


def _message(record: Any) -> dict[str, Any] | None:
    if not isinstance(record, dict) or record.get("type") != "message":
        return None
    message = record.get("message")
    if not isinstance(message, dict) or message.get("role") not in tuple(LABELS):
        return None
    return message


def _without_wrappers(text: str, role: str) -> str:
    if "<<<" in text:
        text = _INTERNAL.sub("", text)
    if role != "user":
        return text
    text = text.lstrip()
    if "(untrusted" in text or "Untrusted" in text:
        text = _CONTEXT_TAIL.sub("", _METADATA.sub("", text)).lstrip()
    text = _DELIVERY_HINT.sub("", text).lstrip()
    return text[found.end() :] if (found := _STAMP.match(text)) else text


def _is_scheduled(text: str, heartbeat_prompts: Sequence[str]) -> bool:
    """Whether a user's text is a prompt that a clock or another agent gave."""
    if text.lower().startswith(_SCHEDULED):
        return True
    if "HEARTBEAT.md" in text and "HEARTBEAT_OK" in text:
        return True
    return any(prompt and text.startswith(prompt) for prompt in heartbeat_prompts)


def _is_noise(text: str, role: str) -> bool:
    if _SILENT.fullmatch(text):
        return True
    if role == "assistant":
        return _ACKNOWLEDGED.fullmatch(text) is not None
    return _SYSTEM.match(text) is not None or _EXEC_NOTICE.match(text) is not None


def _is_relayed(record: dict[str, Any], message: dict[str, Any]) -> bool:
    """Whether another session sent the message."""
    if message["role"] != "user":
        return False
    origins = (message.get("provenance"), record.get("provenance"))
    return any(isinstance(o, dict) and o.get("kind") == "inter_session" for o in origins)


def _time(message: dict[str, Any], record: dict[str, Any]) -> int | None:
    at = _epoch_ms(message.get("timestamp"))
    return at if at is not None else _epoch_ms(record.get("timestamp"))


def _epoch_ms(value: object) -> int | None:
    if isinstance(value, str):
        return clock.parse_iso(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value * 1000 if value < SECONDS_BELOW else value) if value > 0 else None


def _starts(value: object) -> bool:
    return isinstance(value, str) and value.startswith(NARRATIVE)
