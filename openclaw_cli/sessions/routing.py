"""From an inbound message to its session key (``sessions.md`` 1.2-1.5).

``KeyRules`` holds the settings that decide; ``Inbound`` what is known about a message.
Everything here is pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import keys
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

DM_SCOPES = ("main", "per-peer", "per-channel-peer", "per-account-channel-peer")

# Channels whose name may stand before the id in a sender's address.
KNOWN_CHANNELS = (
    "telegram", "whatsapp", "discord", "irc", "googlechat", "slack", "signal", "imessage",
    "line", "webchat",
)  # fmt: skip
# Short names of channels that stand before ids only.
_SHORT_PREFIXES = ("tg", "wa")


class Inbound(NamedTuple):
    """What a connector tells about a message; absent facts are None."""

    channel: str | None = None
    sender: str | None = None
    recipient: str | None = None
    account_id: str | None = None
    chat_type: str | None = None
    group_id: str | None = None
    thread_id: str | None = None
    thread_label: str | None = None
    parent_key: str | None = None
    session_key: str | None = None
    sender_name: str | None = None
    conversation_label: str | None = None
    group_subject: str | None = None
    group_channel: str | None = None
    group_space: str | None = None
    message_id: str | None = None
    surface: str | None = None
    provider: str | None = None
    system: bool = False

    @property
    def origin_channel(self) -> str | None:
        """The normalised channel it came from: channel, else surface, else provider."""
        for name in (self.channel, self.surface, self.provider):
            if name and name.strip():
                return keys.normalize_channel(name)
        return None


class KeyRules(NamedTuple):
    """The settings that turn conversations into keys."""

    default_agent: str = keys.MAIN
    main: str = keys.MAIN
    dm_scope: str = "main"
    links: Mapping[str, Any] = {}
    global_scope: bool = False
    bindings: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def from_config(cls, config: Config) -> KeyRules:
        """Read ``session``, ``agents.list`` and ``bindings``."""
        from openclaw_cli.config import agents

        session = config.get("session")
        session = session if isinstance(session, dict) else {}
        main, scope, links = (session.get(k) for k in ("mainKey", "dmScope", "identityLinks"))
        bindings = config.get("bindings")
        listed = bindings if isinstance(bindings, list) else []
        return cls(
            default_agent=agents.default_agent_id(config),
            main=(main.strip().lower() if isinstance(main, str) else "") or keys.MAIN,
            dm_scope=scope if scope in DM_SCOPES else "main",
            links=links if isinstance(links, dict) else {},
            global_scope=session.get("scope") == "global",
            bindings=tuple(b for b in listed if isinstance(b, dict)),
        )


class Group(NamedTuple):
    """A group conversation: its channel, ``group`` or ``channel``, and its id."""

    channel: str
    kind: str
    group_id: str


class Route(NamedTuple):
    """The agent that a message belongs to and the dmScope that holds for it."""

    agent_id: str
    dm_scope: str


def session_key(inbound: Inbound, rules: KeyRules, *, agent_id: str | None = None) -> str:
    """The canonical key of the session that ``inbound`` belongs to.

    An explicit key wins; ``agent_id`` overrides the bindings' choice of the agent.
    """
    route = route_of(inbound, rules)
    agent = agent_id or route.agent_id
    if inbound.session_key and inbound.session_key.strip():
        return keys.for_agent(agent, _fixed_explicit(keys.require(inbound.session_key), inbound))
    if rules.global_scope:
        return "global"
    group = group_of(inbound)
    if group is not None:
        base = keys.group_key(
            agent, group.channel, kind=group.kind, group_id=_without_topic(group, inbound)
        )
        marker = "topic" if group.channel == "telegram" else "thread"
    else:
        base = direct_key(
            rules._replace(dm_scope=route.dm_scope),
            agent,
            channel=inbound.origin_channel or "unknown",
            account=inbound.account_id,
            peer=peer_of(inbound),
        )
        marker = "thread"
    return keys.thread_key(base, inbound.thread_id or "", marker=marker)


def direct_key(
    rules: KeyRules, agent_id: str, *, channel: str, account: str | None, peer: str
) -> str:
    """The key of a direct chat under ``rules.dm_scope``; an empty peer is the main session."""
    name = peer.strip().lower()
    if not name or rules.dm_scope == "main":
        return keys.main_key(agent_id, rules.main)
    where = keys.normalize_channel(channel)
    name = linked_peer(rules.links, where, name) or name
    if rules.dm_scope == "per-peer":
        return keys.for_agent(agent_id, f"direct:{name}")
    if rules.dm_scope == "per-channel-peer":
        return keys.for_agent(agent_id, f"{where}:direct:{name}")
    return keys.for_agent(agent_id, f"{where}:{keys.normalize_account(account)}:direct:{name}")


def linked_peer(links: Mapping[str, Any], channel: str, peer: str) -> str | None:
    """The canonical name that ``session.identityLinks`` gives a peer, None without one."""
    name = peer.strip().lower()
    if not name:
        return None
    candidates = {name, f"{channel.strip().lower()}:{name}"}
    for canonical, ids in links.items():
        listed = ids if isinstance(ids, list) else []
        wanted = {str(i).strip().lower() for i in listed if isinstance(i, str | int)}
        if canonical.strip() and not candidates.isdisjoint(wanted):
            return canonical.strip().lower()
    return None


def peer_of(inbound: Inbound) -> str:
    """The other party's id in a direct chat: the sender, else the recipient, bare."""
    address = (inbound.sender or inbound.recipient or "").strip()
    return bare_address(address, inbound.origin_channel)


def bare_address(address: str, channel: str | None) -> str:
    """``address`` without the channel and the words ``direct``, ``dm``, ``user`` before it."""
    rest = address.strip()
    head, colon, tail = rest.partition(":")
    if colon and (_names_channel(head, channel) or head.strip().lower() in _SHORT_PREFIXES):
        rest = tail
    head, colon, tail = rest.partition(":")
    if colon and head.strip().lower() in ("direct", "dm", "user"):
        rest = tail
    return rest.strip()


def group_of(inbound: Inbound) -> Group | None:
    """The group that a message came from, None for a direct chat (``sessions.md`` 1.5)."""
    said = (inbound.chat_type or "").strip().lower()
    said = said if said in keys.GROUP_KINDS else ""
    if inbound.group_id and inbound.group_id.strip():
        return Group(inbound.origin_channel or "whatsapp", said or "group", inbound.group_id)
    address = (inbound.sender or "").strip()
    folded = address.lower()
    # Legacy addresses begin with the marker itself.
    marked = f":{folded}"
    whatsapp = folded.endswith("@g.us")
    if not (said or ":group:" in marked or ":channel:" in marked or whatsapp):
        return None
    channel = inbound.origin_channel
    parts = address.split(":")
    if len(parts) > 1 and _names_channel(parts[0], channel):
        channel = keys.normalize_channel(parts.pop(0))
    kind = "channel" if ":channel:" in marked or said == "channel" else "group"
    if len(parts) > 1 and parts[0].strip().lower() in keys.GROUP_KINDS:
        kind = parts.pop(0).strip().lower()
    return Group(channel or "whatsapp", kind, ":".join(parts).strip())


def is_thread(inbound: Inbound) -> bool:
    """Whether a message belongs to a thread, by what the connector says."""
    facts = (inbound.thread_id, inbound.thread_label, inbound.parent_key)
    return any(fact and fact.strip() for fact in facts)


# Bindings


def route_of(inbound: Inbound, rules: KeyRules) -> Route:
    """The most specific matching entry of ``bindings``, else the default agent."""
    best: tuple[int, Mapping[str, Any]] | None = None
    for binding in rules.bindings:
        rank = _binding_rank(binding, inbound)
        if rank is not None and (best is None or rank < best[0]):
            best = (rank, binding)
    if best is None:
        return Route(rules.default_agent, rules.dm_scope)
    from openclaw_cli.config import agents

    named, session = best[1].get("agentId"), best[1].get("session")
    scope = session.get("dmScope") if isinstance(session, dict) else None
    return Route(
        agents.normalize_agent_id(named) if isinstance(named, str) else rules.default_agent,
        scope if scope in DM_SCOPES else rules.dm_scope,
    )


def _binding_rank(binding: Mapping[str, Any], inbound: Inbound) -> int | None:
    """How specific a matching binding is (0 most), None when it does not match."""
    match = binding.get("match")
    if not isinstance(match, dict) or inbound.origin_channel is None:
        return None
    if keys.normalize_channel(str(match.get("channel") or "")) != inbound.origin_channel:
        return None
    account = str(match.get("accountId") or "").strip()
    if account != "*" and keys.normalize_account(account) != keys.normalize_account(
        inbound.account_id
    ):
        return None
    peer = match.get("peer")
    if isinstance(peer, dict):
        return _peer_rank(peer, inbound)
    for field, rank in (("guildId", 4), ("teamId", 5)):
        if match.get(field):
            if _folded(match[field]) != _folded(inbound.group_space):
                return None
            return rank - 1 if field == "guildId" and match.get("roles") else rank
    return 7 if account == "*" else 6


def _peer_rank(peer: Mapping[str, Any], inbound: Inbound) -> int | None:
    wanted, kind = _folded(peer.get("id")), _folded(peer.get("kind"))
    group = group_of(inbound)
    groups = kind in keys.GROUP_KINDS
    if kind and groups != (group is not None):
        return None
    actual = _folded(group.group_id if group else peer_of(inbound))
    if wanted == actual:
        return 0
    parent = _folded(keys.rest_of(inbound.parent_key)) if inbound.parent_key else ""
    if parent and parent.endswith(f":{wanted}"):
        return 1
    return 2 if wanted == "*" else None


# Details


def _names_channel(head: str, channel: str | None) -> bool:
    name = keys.normalize_channel(head)
    return name in KNOWN_CHANNELS or (channel is not None and name == channel)


def _without_topic(group: Group, inbound: Inbound) -> str:
    """The group id; a thread id that it carries already is not written twice."""
    thread = (inbound.thread_id or "").strip().lower()
    for marker in ("topic", "thread"):
        if thread and group.group_id.lower().endswith(f":{marker}:{thread}"):
            return group.group_id[: -len(f":{marker}:{thread}")]
    return group.group_id


def _fixed_explicit(key: str, inbound: Inbound) -> str:
    """An explicit Discord key of an older connector in today's shape."""
    rest = keys.rest_of(key)
    if not rest.startswith("discord:"):
        return key
    head = key[: len(key) - len(rest)]
    if rest.startswith("discord:dm:"):
        return f"{head}discord:direct:{rest.removeprefix('discord:dm:')}"
    told = (inbound.chat_type or "").strip().lower() in keys.DIRECT_MARKERS
    if told and rest == f"discord:channel:{peer_of(inbound).lower()}":
        return f"{head}discord:direct:{rest.removeprefix('discord:channel:')}"
    return key


def _folded(value: object) -> str:
    return str(value).strip().lower() if isinstance(value, str | int) else ""
