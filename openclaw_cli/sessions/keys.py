"""Session keys: their grammar, their shapes, and what a key alone tells.

Pure functions on text. A key is ``global``, ``unknown``, ``agent:<id>:<rest>``, or a bare
legacy form that belongs to the default agent (``sessions.md`` 1.1-1.3, 1.6). Keys are
lowercase, except for the ids of Signal groups and Matrix rooms, which differ by case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from openclaw_cli.errors import UsageProblem

MAIN = "main"
LITERALS = ("global", "unknown")
DIRECT_MARKERS = ("direct", "dm")
GROUP_KINDS = ("group", "channel")

_PREFIX = "agent:"
_CASED_ID = re.compile(
    r"^((?:agent:[^:]+:)?(?:signal:group|matrix:(?:channel|group|room)):)(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_THREAD = re.compile(r"^(.*):(?:thread|topic):(.+)$", re.IGNORECASE | re.DOTALL)
_CRON_RUN = re.compile(r"^cron:.+:run:.+$", re.DOTALL)
_DISCORD_GUILD = re.compile(r"^discord:guild-[^:]+:channel-[^:]+")
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
    cased = _CASED_ID.match(text)
    if cased is None:
        return folded
    identity = cased.group(2)
    thread = _THREAD.match(identity)
    kept = thread.group(1) if thread else identity
    return cased.group(1).lower() + kept + identity[len(kept) :].lower()


def parse(key: str) -> AgentKey | None:
    """The parts of an agent key, None for any other key and for a malformed one."""
    text = normalize(key)
    if not text.startswith(_PREFIX):
        return None
    agent_id, _, rest = text[len(_PREFIX) :].partition(":")
    if not agent_id or not rest or rest.startswith(":"):
        return None
    return AgentKey(agent_id, rest)


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
    parsed = parse(key)
    return parsed.rest if parsed else normalize(key)


def agent_of(key: str, default: str) -> str:
    """The agent that ``key`` names, else ``default``."""
    parsed = parse(key)
    return parsed.agent_id if parsed else default


# Parts of keys


def normalize_channel(name: str | None) -> str:
    """A channel id: trimmed, lowercase, aliases resolved; ``unknown`` when empty."""
    text = (name or "").strip().lower()
    return _CHANNEL_ALIASES.get(text, text) or "unknown"


def normalize_account(name: str | None) -> str:
    """An account id: as an agent id, ``default`` when empty or a special object key."""
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
    match = _THREAD.match(normalize(key))
    return ThreadKey(match.group(1), match.group(2)) if match else ThreadKey(normalize(key), None)


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
    rest = rest_of(key)
    parts = rest.split(":")
    if "group" in parts[:2] or parts[-1].lower().endswith("@g.us"):
        return "group"
    if "channel" in parts[:2] or _DISCORD_GUILD.match(rest):
        return "channel"
    return "direct" if is_direct(rest) else None


def channel_of(key: str) -> str | None:
    """The channel that a key names, None where it names none."""
    head, _, tail = rest_of(key).partition(":")
    if not tail or head in _NO_CHANNEL or chat_type(key) is None:
        return None
    return normalize_channel(head)


def source_of(key: str) -> str:
    """``cron``, ``hook``, ``node``, ``subagent``, ``acp``, ``explicit`` or ``chat``."""
    rest = rest_of(key)
    if rest.startswith(("node-", "node:")):
        return "node"
    head = rest.partition(":")[0]
    if head == "acp-bridge":
        return "acp"
    return head if head in ("cron", "hook", "subagent", "acp", "explicit") else "chat"


def list_kind(key: str, row: Mapping[str, Any]) -> str:
    """The ``kind`` of a listed row: ``global unknown cron spawn-child group direct``."""
    text = normalize(key)
    if text in LITERALS:
        return text
    parsed = parse(text)
    rest = parsed.rest if parsed else text
    if rest.startswith("cron:"):
        return "cron"
    if row.get("spawnedBy"):
        return "spawn-child"
    grouped = row.get("chatType") in GROUP_KINDS or ":group:" in text or ":channel:" in text
    return "group" if grouped or chat_type(text) in GROUP_KINDS else "direct"


def is_cron_run(key: str) -> bool:
    """Whether ``key`` is the row of one run of a scheduled job."""
    return _CRON_RUN.match(rest_of(key)) is not None


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
