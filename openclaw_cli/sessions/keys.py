"""Session keys: their grammar, their shapes, and what a key alone tells.

Pure functions on text. A key is ``global``, ``unknown``, ``agent:<id>:<rest>``, or a bare
legacy form that belongs to the default agent (``sessions.md`` 1.1-1.3, 1.6). Keys are
lowercase, except for the ids of Signal groups and Matrix rooms, which differ by case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from openclaw_cli.errors import UsageProblem
from openclaw_cli.state.tuples import NamedTuple

MAIN = "main"
LITERALS = ("global", "unknown")
DIRECT_MARKERS = ("direct", "dm")
GROUP_KINDS = ("group", "channel")

_PREFIX = "agent:"
_CASED_KINDS = {"signal": ("group",), "matrix": ("channel", "group", "room")}
_CHANNEL_ALIASES = {
    "imsg": "imessage",
    "internet-relay-chat": "irc",
    "google-chat": "googlechat",
    "gchat": "googlechat",
}
_SPECIAL_NAMES = frozenset({"__proto__", "constructor", "prototype"})
_NO_CHANNEL = frozenset(
    {*DIRECT_MARKERS, *GROUP_KINDS, "cron", "hook", "subagent", "acp", "explicit", "heartbeat"}
)


class AgentKey(NamedTuple):
    """The two parts of an agent key, both normalised."""

    agent_id: str
    rest: str


class Reading(NamedTuple):
    """A key taken apart once, for those who ask it several things.

    ``text`` is the normalised key; ``agent_id`` None where it names no agent; ``rest`` is
    what follows the agent.
    """

    text: str
    agent_id: str | None
    rest: str


class ThreadKey(NamedTuple):
    """A key split at its last ``:thread:`` or ``:topic:``; ``thread_id`` None without one."""

    base: str
    thread_id: str | None


def normalize(key: str) -> str:
    """``key`` as it is compared and written: trimmed and lowercase.

    The id of a Signal group or a Matrix room keeps its case (``sessions.md`` 1.2).
    """
    text = key.strip()
    folded = text.lower()
    if folded == text or ("signal:group:" not in folded and "matrix:" not in folded):
        return folded
    parts = text.split(":")
    at = 2 if parts[0].lower() == "agent" else 0
    if len(parts) < at + 3 or parts[at + 1].lower() not in _CASED_KINDS.get(parts[at].lower(), ()):
        return folded
    identity = ":".join(parts[at + 2 :])
    kept = split_at_thread(identity)[0]
    head = ":".join(parts[: at + 2])
    return f"{head.lower()}:{kept}{identity[len(kept) :].lower()}"


def parse(key: str) -> AgentKey | None:
    """The parts of an agent key, None for any other key and for a malformed one."""
    found = read(key)
    return None if found.agent_id is None else AgentKey(found.agent_id, found.rest)


def read(key: str) -> Reading:
    """``key`` taken apart; a malformed agent key names no agent."""
    text = normalize(key)
    if not text.startswith(_PREFIX):
        return Reading(text, None, text)
    agent_id, _, rest = text[len(_PREFIX) :].partition(":")
    if not agent_id or not rest or rest[0] == ":":
        return Reading(text, None, text)
    return Reading(text, agent_id, rest)


def is_malformed(key: str) -> bool:
    """Whether ``key`` starts like an agent key and is none."""
    return key.strip().lower().startswith(_PREFIX) and parse(key) is None


def require(key: str) -> str:
    """``key`` normalised; ``UsageProblem`` when it is empty or malformed."""
    text = normalize(key)
    if not text:
        raise UsageProblem("a session key must not be empty")
    if is_malformed(text):
        raise UsageProblem(
            f'"{key.strip()}" is no session key', hint="an agent key is agent:<id>:<name>"
        )
    return text


def for_agent(agent_id: str, rest: str) -> str:
    """``agent:<agent_id>:<rest>``; ``global``, ``unknown`` and agent keys stay as they are."""
    text = normalize(rest)
    if text in LITERALS or text.startswith(_PREFIX):
        return text
    return normalize(f"{_PREFIX}{agent_id}:{text}")


def rest_of(key: str) -> str:
    """The normalised key without its ``agent:<id>:``."""
    return read(key).rest


def agent_of(key: str, default: str) -> str:
    """The agent that ``key`` names, else ``default``."""
    return read(key).agent_id or default


# Parts of keys


def normalize_channel(name: str | None) -> str:
    """A channel id: trimmed, lowercase, aliases resolved; ``unknown`` when empty."""
    text = (name or "").strip().lower()
    return _CHANNEL_ALIASES.get(text, text) or "unknown"


def normalize_account(name: str | None) -> str:
    """An account id: as an agent id, ``default`` when empty or a special object key."""
    import re

    text = (name or "").strip().lower()
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", text):
        text = re.sub(r"[^a-z0-9_-]+", "-", text).strip("-")[:64]
    return "default" if not text or text in _SPECIAL_NAMES else text


# Shapes


def main_key(agent_id: str, main: str = MAIN) -> str:
    """The agent's main session; ``main`` is ``session.mainKey``."""
    return for_agent(agent_id, main.strip().lower() or MAIN)


def group_key(agent_id: str, channel: str, *, kind: str, group_id: str) -> str:
    """A group (``kind`` ``group``) or room (``channel``) of a channel."""
    rest = f"{normalize_channel(channel)}:{kind}:{group_id.strip() or 'unknown'}"
    return for_agent(agent_id, rest)


def thread_key(parent: str, thread_id: str, *, marker: str = "thread") -> str:
    """A thread (or, for Telegram forums, ``topic``) below ``parent``; blank id: the parent."""
    thread = thread_id.strip().lower()
    return f"{parent}:{marker}:{thread}" if thread else parent


def cron_key(agent_id: str, job_id: str, *, run: str | None = None) -> str:
    """The session of a scheduled job, or of one run of it."""
    return for_agent(agent_id, f"cron:{job_id}" + (f":run:{run}" if run else ""))


def explicit_key(agent_id: str, session_id: str) -> str:
    """The session made for an unknown ``--session-id``."""
    return for_agent(agent_id, f"explicit:{session_id.strip()}")


def hook_key(agent_id: str, hook_id: str) -> str:
    """The session of a webhook call that names none itself."""
    return for_agent(agent_id, f"hook:{hook_id}")


def node_key(agent_id: str, node_id: str) -> str:
    """The session of a node run."""
    return for_agent(agent_id, f"node-{node_id}")


def subagent_key(agent_id: str, child_id: str) -> str:
    """The session of a spawned agent."""
    return for_agent(agent_id, f"subagent:{child_id}")


def heartbeat_key(base: str) -> str:
    """The isolated heartbeat session beside ``base``."""
    return f"{base}:heartbeat"


# What a key tells


def split_thread(key: str) -> ThreadKey:
    """``key`` split at its last thread or topic marker."""
    return ThreadKey(*split_at_thread(normalize(key)))


def split_at_thread(text: str) -> tuple[str, str | None]:
    """``text`` before and after its last ``:thread:`` or ``:topic:`` with an id behind it."""
    folded = text.lower()
    if len(folded) != len(text):  # a letter that changes its length: places would not match
        folded = text
    for marker in sorted((":thread:", ":topic:"), key=folded.rfind, reverse=True):
        at = folded.rfind(marker)
        if at >= 0 and at + len(marker) < len(text):
            return text[:at], text[at + len(marker) :]
    return text, None


def is_direct(rest: str) -> bool:
    """Whether ``rest`` (without agent prefix) is a direct chat, old or new spelling."""
    return direct_peer(rest) is not None


def direct_peer(rest: str) -> str | None:
    """The peer of a direct chat's key without agent prefix, None for other keys."""
    parts = rest.split(":")
    for at in range(min(3, len(parts))):
        if parts[at] in DIRECT_MARKERS:
            tail = parts[at + 1 :]
            plain = len(tail) == 1
            threaded = len(tail) == 3 and tail[1] in ("thread", "topic")
            return tail[0] if (plain or threaded) and all(parts) else None
    return None


def chat_type(key: str) -> str | None:
    """``group``, ``channel``, ``direct``, or None where the key does not tell."""
    return chat_type_in(rest_of(key))


def chat_type_in(rest: str) -> str | None:
    """``chat_type`` of a normalised key without its agent."""
    return next(_chat_types_in(rest), None)


def is_ambiguous(key: str) -> bool:
    """Whether a key could be that of two types of chat, as ``telegram:group:direct:5``."""
    return len(list(_chat_types_in(rest_of(key)))) > 1


def _chat_types_in(rest: str) -> Iterator[str]:
    """The types of chat that a key may be of, the likeliest first."""
    parts = rest.split(":")
    if "group" in parts[:2] or parts[-1].lower().endswith("@g.us"):
        yield "group"
    if "channel" in parts[:2] or _is_guild_channel(parts):
        yield "channel"
    if is_direct(rest):
        yield "direct"


def channel_of(key: str) -> str | None:
    """The channel that a key names, None where it names none."""
    return channel_in(rest_of(key))


def channel_in(rest: str) -> str | None:
    """``channel_of`` of a normalised key without its agent."""
    head, _, tail = rest.partition(":")
    if not tail or head in _NO_CHANNEL or chat_type_in(rest) is None:
        return None
    return normalize_channel(head)


def source_of(key: str) -> str:
    """``cron``, ``hook``, ``node``, ``subagent``, ``acp``, ``explicit`` or ``chat``."""
    return source_in(rest_of(key))


def source_in(rest: str) -> str:
    """``source_of`` of a normalised key without its agent."""
    if rest.startswith(("node-", "node:")):
        return "node"
    head = rest.partition(":")[0]
    if head == "acp-bridge":
        return "acp"
    return head if head in ("cron", "hook", "subagent", "acp", "explicit") else "chat"


def list_kind(key: str, row: Mapping[str, Any]) -> str:
    """The ``kind`` of a listed row: ``global unknown cron spawn-child group direct``."""
    return kind_in(read(key), row)


def kind_in(named: Reading, row: Mapping[str, Any]) -> str:
    """``list_kind`` of a key that was taken apart already."""
    text = named.text
    if text in LITERALS:
        return text
    if named.rest.startswith("cron:"):
        return "cron"
    if row.get("spawnedBy"):
        return "spawn-child"
    if row.get("chatType") in GROUP_KINDS or ":group:" in text or ":channel:" in text:
        return "group"
    return "group" if chat_type_in(named.rest) in GROUP_KINDS else "direct"


def is_cron_run(key: str) -> bool:
    """Whether ``key`` is the row of one run of a scheduled job."""
    job, marker, run = rest_of(key).removeprefix("cron:").partition(":run:")
    return rest_of(key).startswith("cron:") and bool(job and marker and run)


def cron_job(key: str) -> str | None:
    """The scheduled job that ``key`` belongs to, with or without a run; None for others."""
    kind, _, rest = rest_of(key).partition(":")
    return rest.partition(":run:")[0] or None if kind == "cron" else None


def subagent_depth(key: str) -> int:
    """How deep a sub-agent's session is nested; 0 for others."""
    return rest_of(key).split(":").count("subagent")


def twins(key: str) -> Iterator[str]:
    """The other spelling of a direct chat's key (``dm`` for ``direct`` and back), if any."""
    text = normalize(key)
    for marker in DIRECT_MARKERS:
        spelled = _with_marker(text, marker)
        if spelled != text:
            yield spelled


def as_direct(key: str) -> str:
    """``key`` as it is written today: a direct chat says ``direct``, never ``dm``."""
    return _with_marker(normalize(key), "direct")


def _with_marker(text: str, marker: str) -> str:
    rest = rest_of(text)
    if not is_direct(rest):
        return text
    parts = rest.split(":")
    at = next(i for i, part in enumerate(parts) if part in DIRECT_MARKERS)
    parts[at] = marker
    return text[: len(text) - len(rest)] + ":".join(parts)


def _is_guild_channel(parts: list[str]) -> bool:
    """``discord:guild-<x>:channel-<y>``, an old form."""
    return (
        len(parts) > 2
        and parts[0] == "discord"
        and parts[1].startswith("guild-")
        and parts[2].startswith("channel-")
        and len(parts[1]) > len("guild-")
        and len(parts[2]) > len("channel-")
    )
