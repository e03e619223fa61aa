"""The channels of the configuration: their accounts and what may show on them. Pure.

A channel is a block of ``channels``, as the original program names it, or of our own
``cli.channels``. Account settings lie over those of their channel (``heartbeat.md`` 1, 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.config.channel_ids import KNOWN
from openclaw_cli.errors import UnknownName
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

DEFAULT_ACCOUNT = "default"
INTERNAL_CHANNEL = "webchat"  # the gateway's own page: nothing can be sent there

# Settings that make a channel's own block an account, beside those it lists.
CREDENTIALS = frozenset(
    [
        "account", "accessToken", "baseUrl", "botToken", "channelAccessToken", "homeserver",
        "host", "httpUrl", "token", "tokenFile",
    ]
)  # fmt: skip


class Visibility(NamedTuple):
    """What of a heartbeat may show on a channel."""

    show_ok: bool = False
    show_alerts: bool = True
    use_indicator: bool = True

    @property
    def shows_nothing(self) -> bool:
        """Whether the channel is wholly invisible, so that no model need be asked."""
        return not (self.show_ok or self.show_alerts or self.use_indicator)


def configured(config: Config) -> list[str]:
    """The channel ids that the configuration names, sorted."""
    return sorted({*_table(config.get("channels")), *_table(config.cli("channels"))} - {"defaults"})


def is_known(config: Config, channel: str) -> bool:
    """Whether ``channel`` is a channel at all, configured or not."""
    return channel in KNOWN or channel in configured(config)


def require_known(config: Config, channel: str) -> str:
    """``channel`` normalised; ``UnknownName`` when there is none of that name."""
    name = channel.strip().lower()
    if not is_known(config, name):
        known = ", ".join(configured(config)) or "none"
        raise UnknownName(f"unknown channel {channel!r}", hint=f"configured: {known}")
    return name


def block(config: Config, channel: str) -> dict[str, Any]:
    """``channels.<channel>``, empty when there is none."""
    return _table(config.get("channels", channel))


def account_ids(config: Config, channel: str) -> list[str]:
    """The accounts that a channel lists, normalised; empty when it lists none."""
    own = block(config, channel)
    ids = [_account_id(name) for name in _table(own.get("accounts"))]
    if any(own.get(name) for name in CREDENTIALS):
        ids.insert(0, DEFAULT_ACCOUNT)
    return list(dict.fromkeys(ids))


def has_account(config: Config, channel: str, account_id: str | None) -> bool:
    """Whether the account may be used: a channel that lists none takes any."""
    listed = account_ids(config, channel)
    return not account_id or not listed or _account_id(account_id) in listed


def chosen_account(config: Config, channel: str, account_id: str | None) -> str:
    """``account_id``, else the channel's default account."""
    if account_id:
        return _account_id(account_id)
    named = block(config, channel).get("defaultAccount")
    if isinstance(named, str) and named.strip():
        return _account_id(named)
    listed = account_ids(config, channel)
    return DEFAULT_ACCOUNT if DEFAULT_ACCOUNT in listed or not listed else listed[0]


def account_settings(config: Config, channel: str, account_id: str | None) -> dict[str, Any]:
    """The settings of one account: its own block over the channel's."""
    own = block(config, channel)
    wanted = chosen_account(config, channel, account_id)
    merged = {key: value for key, value in own.items() if key != "accounts"}
    for name, settings in _table(own.get("accounts")).items():
        if _account_id(name) == wanted:
            merged.update(_table(settings))
    return merged


def visibility(config: Config, channel: str | None, account_id: str | None) -> Visibility:
    """What may show: account over channel over ``channels.defaults`` over built-in.

    The internal channel uses the defaults only; without a channel the built-in values hold.
    """
    if channel is None:
        return Visibility()
    layers = [_table(config.get("channels", "defaults"))]
    if channel != INTERNAL_CHANNEL:
        own = block(config, channel)
        wanted = chosen_account(config, channel, account_id)
        accounts = _table(own.get("accounts"))
        layers += [own, *(_table(a) for n, a in accounts.items() if _account_id(n) == wanted)]
    keys: dict[str, Any] = {}
    for layer in layers:
        keys.update(_table(layer.get("heartbeat")))
    built_in = Visibility()
    return Visibility(
        _flag(keys.get("showOk"), built_in.show_ok),
        _flag(keys.get("showAlerts"), built_in.show_alerts),
        _flag(keys.get("useIndicator"), built_in.use_indicator),
    )


def _flag(value: Any, default: bool) -> bool:
    return value if isinstance(value, bool) else default


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _account_id(text: str) -> str:
    return text.strip().lower() or DEFAULT_ACCOUNT
