"""Who may write to the agents: channel accounts, their allow lists and pairing files.

``sessions.md`` 14.1. An id counts once, however it is prefixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import channels
from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import keys, routing
from openclaw_cli.state import files
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

WILDCARD = "*"


class Account(NamedTuple):
    """An enabled account of a channel, with its settings over the channel's."""

    channel: str
    account_id: str
    settings: dict[str, Any]

    @property
    def dm_policy(self) -> str | None:
        """``dmPolicy``, else the older ``dm.policy``."""
        dm = self.settings.get("dm")
        older = dm.get("policy") if isinstance(dm, dict) else None
        policy = self.settings.get("dmPolicy", older)
        return policy if isinstance(policy, str) else None

    @property
    def allow_from(self) -> list[str]:
        """The configured allow list as written, else the older ``dm.allowFrom``."""
        dm = self.settings.get("dm")
        older = dm.get("allowFrom") if isinstance(dm, dict) else None
        return _texts(self.settings.get("allowFrom", older))


class Allowed(NamedTuple):
    """Who an account admits: distinct bare ids, and whether it admits anybody."""

    ids: list[str]
    wildcard: bool


def accounts(config: Config) -> list[Account]:
    """The accounts of every channel block that are not disabled, in config order."""
    found: list[Account] = []
    blocks = config.get("channels")
    for name, block in (blocks if isinstance(blocks, dict) else {}).items():
        if name == "defaults" or not isinstance(block, dict) or block.get("enabled") is False:
            continue
        channel = keys.normalize_channel(name)
        for account_id in channels.account_ids(config, name) or [channels.DEFAULT_ACCOUNT]:
            settings = channels.account_settings(config, name, account_id)
            if settings.get("enabled") is not False:
                found.append(Account(channel, account_id, settings))
    return found


def allowed(account: Account, paths: Paths) -> Allowed:
    """Who ``account`` admits, by its allow list and its pairing file.

    Raises ``UnreadableFile`` for a pairing file that is none.
    """
    listed = [*account.allow_from, *paired(account, paths)]
    bare = (routing.bare_address(text, account.channel).lower() for text in listed)
    ids = list(dict.fromkeys(peer for peer in bare if peer))
    return Allowed([peer for peer in ids if peer != WILDCARD], WILDCARD in ids)


def pairing_path(account: Account, paths: Paths) -> Path:
    """Where approved senders of an account are stored."""
    infix = "" if account.account_id == channels.DEFAULT_ACCOUNT else f"-{account.account_id}"
    return paths.under("credentials", f"{account.channel}{infix}-allowFrom.json")


def paired(account: Account, paths: Paths) -> list[str]:
    """The approved senders of an account as stored; none without a file."""
    path = pairing_path(account, paths)
    data = files.load_json(path, what="pairing file")
    if data is None:
        return []
    listed = data.get("allowFrom") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        raise UnreadableFile(f"pairing file {path} holds no list allowFrom", path=path)
    return _texts(listed)


def _texts(value: object) -> list[str]:
    listed = value if isinstance(value, list) else []
    return [
        str(item).strip() for item in listed if isinstance(item, str | int) and str(item).strip()
    ]
