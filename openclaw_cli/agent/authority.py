"""Who may ask what of an agent through a channel (``sessions.md`` 10).

Without a sender it is the owner at the terminal. Everybody else is judged by the channel's
allow lists and pairing file; an owner is named by id, never by ``*``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openclaw_cli.sessions import keys, routing, senders
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.routing import Inbound
    from openclaw_cli.state.paths import Paths


class Standing(NamedTuple):
    """What a sender may do; ``reason`` tells why an unauthorised one may not."""

    authorised: bool
    owner: bool
    reason: str | None = None


AT_TERMINAL = Standing(True, True)


def standing_of(config: Config, paths: Paths, inbound: Inbound) -> Standing:
    """The standing of the sender of ``inbound``; an unreadable pairing file is an error."""
    if inbound.sender is None:
        return AT_TERMINAL
    channel = inbound.origin_channel or ""
    peer = _bare(inbound.sender, channel)
    if not peer:
        return Standing(False, False, "the sender is blank")
    account = _account(config, channel, inbound.account_id)
    if account is None:
        if _is_configured(config, channel):
            return Standing(False, False, f"account {inbound.account_id!r} is not enabled")
        # The caller vouches for a channel that the configuration does not know.
        return Standing(True, _is_owner(config, peer, channel, None))
    group = routing.group_of(inbound)
    owner = _is_owner(config, peer, channel, account)
    if group is not None:
        admitted = _admits_group(account, group.group_id, peer)
    else:
        allowed = senders.allowed(account, paths)
        is_open = account.dm_policy == "open"
        listed = peer in allowed.ids or allowed.wildcard
        admitted = is_open or (listed and account.dm_policy != "disabled")
    if admitted or owner:
        return Standing(True, owner)
    where = "groupAllowFrom" if group is not None else "allowFrom"
    return Standing(False, False, f"{peer} is not in channels.{channel}.{where}")


def _is_owner(config: Config, peer: str, channel: str, account: senders.Account | None) -> bool:
    named = config.get("commands", "ownerAllowFrom")
    if isinstance(named, list) and named:
        return peer in {_bare(str(item), channel) for item in named} - {"*", ""}
    if account is None:
        return False
    return peer in {_bare(item, channel) for item in account.allow_from} - {"*", ""}


def _admits_group(account: senders.Account, group_id: str, peer: str) -> bool:
    settings = account.settings
    if settings.get("groupPolicy") == "open":
        return True
    if settings.get("groupPolicy") == "disabled":
        return False
    listed = settings.get("groupAllowFrom")
    named = listed if isinstance(listed, list) else []
    members = {_bare(str(item), account.channel) for item in named}
    if "*" in members or peer in members:
        return True
    groups = settings.get("groups")
    known = {str(name).strip().lower() for name in groups} if isinstance(groups, dict) else set()
    return group_id.strip().lower() in known or "*" in known


def _account(config: Config, channel: str, account_id: str | None) -> senders.Account | None:
    wanted = keys.normalize_account(account_id)
    for account in senders.accounts(config):
        if account.channel == channel and keys.normalize_account(account.account_id) == wanted:
            return account
    return None


def _is_configured(config: Config, channel: str) -> bool:
    blocks = config.get("channels")
    named = blocks if isinstance(blocks, dict) else {}
    return any(keys.normalize_channel(name) == channel for name in named if name != "defaults")


def _bare(address: str, channel: str) -> str:
    return routing.bare_address(address, channel).lower()
