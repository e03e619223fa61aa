"""Who shares a conversation with whom, and what another dmScope would change.

``sessions.md`` 16, ``sessions who``. Senders are those that were seen in rows, that are
allowed or paired, and that identity links name; each belongs to the session that a message
from it would go to today.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import entry, keys, routing, senders
from openclaw_cli.sessions.discovery import Source
from openclaw_cli.sessions.routing import Inbound, KeyRules
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


class Sender(NamedTuple):
    """A person as a channel knows them."""

    channel: str
    account_id: str
    peer: str


@dataclass
class Seen:
    """What is known about a sender besides the ids."""

    label: str | None = None
    last_seen_ms: int | None = None

    def add(self, label: str | None, last_seen_ms: int | None) -> None:
        """Take the newer sighting's label and time."""
        newer = last_seen_ms is not None and last_seen_ms >= (self.last_seen_ms or 0)
        if label and (newer or not self.label):
            self.label = label
        if newer:
            self.last_seen_ms = last_seen_ms


Known = dict[Sender, Seen]


def report(
    known: Known, rules: KeyRules, *, agent_id: str | None, new_scope: str | None
) -> dict[str, Any]:
    """The document of ``sessions who``: senders by session; with ``new_scope`` the change.

    ``agent_id`` keeps only the sessions of one agent.
    """
    now = _grouped(known, rules, agent_id)
    document: dict[str, Any] = {
        "dmScope": "global" if rules.global_scope else rules.dm_scope,
        "sessions": [_session(key, members, known) for key, members in now.items()],
    }
    if new_scope is not None:
        # A scope named on the command line is meant for every message.
        after = _grouped(known, rules._replace(dm_scope=new_scope, bindings=()), agent_id)
        document["change"] = {"dmScope": new_scope, **_change(now, after, known)}
    return document


def collect(sources: Sequence[Source], config: Config, paths: Paths, rules: KeyRules) -> Known:
    """Every sender that rows, allow lists, pairing files and identity links name."""
    known: Known = {}
    for source in sources:
        for key, row in source.rows.items():
            if entry.is_usable(row):
                for sender, label in _of_row(key, row, rules):
                    known.setdefault(sender, Seen()).add(label, _last_seen(row))
    for account in senders.accounts(config):
        for peer in senders.allowed(account, paths).ids:
            known.setdefault(Sender(account.channel, account.account_id, peer), Seen())
    for sender in _linked(rules):
        if not any(s.channel == sender.channel and s.peer == sender.peer for s in known):
            known[sender] = Seen()
    return known


def _of_row(key: str, row: dict[str, Any], rules: KeyRules) -> Iterable[tuple[Sender, str | None]]:
    """The direct senders that a row tells of: by its key, its origin, its delivery."""
    if keys.list_kind(key, row) in ("group", "cron", "spawn-child"):
        return
    if keys.source_of(key) != "chat":
        return
    stored = row.get("origin")
    origin = stored if isinstance(stored, dict) else {}
    delivery = entry.delivery_of(row)
    if entry.text(origin, "chatType") not in keys.GROUP_KINDS:
        channel = entry.text(origin, "provider") or delivery.channel
        told = entry.text(origin, "from")
        if channel and told:
            account = entry.text(origin, "accountId") or delivery.account_id
            yield _sender(channel, account, told), entry.text(origin, "label")
            return
    rest = keys.split_thread(keys.rest_of(key)).base
    peer = keys.direct_peer(rest)
    if peer is not None and not _is_canonical(peer, rules):
        channel = keys.channel_of(key) or delivery.channel
        if channel:
            yield _sender(channel, _account_in(rest) or delivery.account_id, peer), None
            return
    if delivery.channel and delivery.to and row.get("chatType", "direct") == "direct":
        yield _sender(delivery.channel, delivery.account_id, delivery.to), None


def _sender(channel: str, account: str | None, address: str) -> Sender:
    name = keys.normalize_channel(channel)
    peer = routing.bare_address(address, name).lower()
    return Sender(name, keys.normalize_account(account), peer)


def _account_in(rest: str) -> str | None:
    parts = rest.split(":")
    return parts[1] if len(parts) > 2 and parts[2] in keys.DIRECT_MARKERS else None


def _is_canonical(peer: str, rules: KeyRules) -> bool:
    return any(name.strip().lower() == peer for name in rules.links)


def _linked(rules: KeyRules) -> Iterable[Sender]:
    for ids in rules.links.values():
        for text in ids if isinstance(ids, list) else []:
            channel, colon, peer = str(text).strip().lower().partition(":")
            if colon and channel and peer:
                yield Sender(keys.normalize_channel(channel), "default", peer)


def _grouped(known: Known, rules: KeyRules, agent_id: str | None) -> dict[str, list[Sender]]:
    groups: dict[str, list[Sender]] = {}
    for sender in sorted(known):
        inbound = Inbound(channel=sender.channel, account_id=sender.account_id, sender=sender.peer)
        key = routing.session_key(inbound, rules)
        if agent_id is None or keys.agent_of(key, agent_id) == agent_id:
            groups.setdefault(key, []).append(sender)
    return dict(sorted(groups.items()))


def _change(
    now: dict[str, list[Sender]], after: dict[str, list[Sender]], known: Known
) -> dict[str, Any]:
    """Sessions whose members part, and new sessions in which members of several meet."""
    old_of = {sender: key for key, members in now.items() for sender in members}
    new_of = {sender: key for key, members in after.items() for sender in members}
    split = []
    for key, members in now.items():
        parts: dict[str, list[Sender]] = {}
        for sender in members:
            if sender in new_of:
                parts.setdefault(new_of[sender], []).append(sender)
        if len(parts) > 1:
            into = [_session(new, parts[new], known) for new in sorted(parts)]
            split.append({"key": key, "into": into})
    joined = []
    for key, members in after.items():
        origins = {old_of[sender] for sender in members if sender in old_of}
        if len(origins) > 1:
            joined.append({"from": sorted(origins), **_session(key, members, known)})
    return {"split": split, "joined": joined}


def _session(key: str, members: list[Sender], known: Known) -> dict[str, Any]:
    return {
        "key": key,
        "members": [
            {
                "channel": sender.channel,
                "accountId": sender.account_id,
                "peer": sender.peer,
                "label": known[sender].label,
                "lastSeenMs": known[sender].last_seen_ms,
            }
            for sender in members
        ],
    }


def _last_seen(row: dict[str, Any]) -> int | None:
    spoke = entry.timestamp(row.get("lastInteractionAt"))
    return spoke if spoke is not None else entry.updated_ms(row)
