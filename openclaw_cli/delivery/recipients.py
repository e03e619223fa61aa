"""How recipients are written: channel prefixes, kinds, and the type of chat. Pure.

``telegram:123``, ``123`` and ``tg:123`` are one person; ``group:``, ``user:`` and
``channel:`` say what kind of place it is (``heartbeat.md`` 7 and 9).
"""

from __future__ import annotations

import re

from openclaw_cli.state.tuples import NamedTuple

_ALIASES = {
    "telegram": ("tg",),
    "whatsapp": ("wa",),
    "imessage": ("imsg",),
    "googlechat": ("gchat",),
}
_KINDS = {
    "user": "direct", "direct": "direct", "dm": "direct", "channel": "channel",
    "thread": "channel", "room": "channel", "group": "group",
}  # fmt: skip
_TOPIC = re.compile(r"(.+?):(?:topic|thread):(.+)", re.DOTALL)

# What an id alone tells on a channel; the first pattern that fits counts.
_BY_FORM: dict[str, list[tuple[str, str]]] = {
    "telegram": [(r"-\d+", "group"), (r"\d+", "direct")],
    "whatsapp": [(r".+@g\.us", "group"), (r"\+?\d+(@.*)?", "direct")],
    "signal": [(r"group\..+", "group"), (r"\+?\d+|[0-9a-f-]{36}", "direct")],
    "imessage": [(r"\+?\d+|.+@.+", "direct")],
    "slack": [(r"[UW][A-Z0-9]+|@.+", "direct"), (r"D[A-Z0-9]+", "direct"),
              (r"[CG][A-Z0-9]+|#.+", "channel")],
    "matrix": [(r"@.+", "direct"), (r"[!#].+", "channel")],
    "line": [(r"u.+", "direct"), (r"[cr].+", "group")],
    "irc": [(r"[#&].+", "channel"), (r".+", "direct")],
    "email": [(r".+@.+", "direct")],
}  # fmt: skip


class Recipient(NamedTuple):
    """A recipient taken apart: its id, the kind that its form names, and a thread."""

    id: str
    kind: str | None
    thread_id: str | None


def strip_channel(channel: str, to: str) -> str:
    """``to`` without any prefixes that name its channel."""
    text = to.strip()
    names = (channel, *_ALIASES.get(channel, ()))
    while True:
        head, colon, tail = text.partition(":")
        if not colon or head.strip().lower() not in names or not tail.strip():
            return text
        text = tail.strip()


def parse(channel: str, to: str) -> Recipient:
    """Take ``to`` apart; ``kind`` is ``direct``, ``channel``, ``group`` or None."""
    text = strip_channel(channel, to)
    head, colon, tail = text.partition(":")
    kind = _KINDS.get(head.lower()) if colon and tail.strip() else None
    if kind is not None and not (channel == "matrix" and head[:1] in "!#@"):
        text = tail.strip()
    thread = _TOPIC.fullmatch(text)
    return Recipient(thread[1], kind, thread[2]) if thread else Recipient(text, kind, None)


def chat_type(channel: str, to: str) -> str | None:
    """The type of chat that a recipient's form or its channel tells, None when neither."""
    found = parse(channel, to)
    if found.kind is not None:
        return found.kind
    for pattern, kind in _BY_FORM.get(channel, ()):
        if re.fullmatch(pattern, found.id, re.IGNORECASE if channel != "slack" else 0):
            return kind
    return None


def same(channel: str, first: str, second: str) -> bool:
    """Whether two spellings name the same recipient of a channel."""
    return strip_channel(channel, first) == strip_channel(channel, second)


def channel_prefix(to: str) -> str | None:
    """What stands before the first colon of ``to``, lower case; None without one."""
    head, colon, tail = to.partition(":")
    return head.strip().lower() if colon and tail.strip() else None
