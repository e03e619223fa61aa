"""Which transport carries a channel: its account, a URL, a program, or the outbox.

The account of ``channels.<id>`` as the original names its settings, mapped to an apprise
URL; else ``cli.channels.<id>.url`` or ``.command``; else the built-in outbox (``design.md``
3, "Delivery"). Deciding sends nothing. A template holds ``{to}``, ``{accountId}`` and
``{threadId}``, which are filled in for one message.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from openclaw_cli.config import secrets
from openclaw_cli.delivery import channels
from openclaw_cli.delivery.recipients import Recipient, parse
from openclaw_cli.errors import InvalidConfig
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

ACCOUNT, URL, COMMAND, OUTBOX, OFF = "account", "url", "command", "outbox", "off"
DEFAULT_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 10

# Why the original's own account settings cannot be used from here.
_UNMAPPED = {
    "discord": "a Discord bot token needs the gateway; a webhook works as cli.channels.discord.url",
    "whatsapp": "a linked WhatsApp device needs the gateway",
    "imessage": "iMessage needs the gateway",
    "bluebubbles": "BlueBubbles needs the gateway",
    "googlechat": "a Google Chat service account needs the gateway",
    "msteams": "a Teams bot needs the gateway",
}


class Transport(NamedTuple):
    """How messages of a channel travel.

    ``kind`` is one of the words above; ``template`` an apprise URL (account, url),
    ``words`` a program (command). ``reason`` says why there is none (off), or why only the
    outbox. ``secret_values`` must not appear in any message.
    """

    kind: str
    template: str = ""
    words: tuple[str, ...] = ()
    timeout_s: float = DEFAULT_TIMEOUT_S
    reason: str | None = None
    secret_values: tuple[str, ...] = ()


class Unmappable(Exception):
    """Account settings that name no service which apprise could reach."""


def choose(config: Config, channel: str, account_id: str | None) -> Transport:
    """The transport of one account of a channel."""
    if channel == OUTBOX:
        return Transport(OUTBOX)
    account = channels.account_settings(config, channel, account_id)
    if account.get("enabled") is False or channels.block(config, channel).get("enabled") is False:
        return Transport(OFF, reason=f"channels.{channel} is switched off (enabled: false)")
    own = config.cli("channels", channel, default={})
    try:
        timeout_s = _timeout(own)
        reason = None
        if account:
            try:
                return _from_account(config, channel, account, timeout_s)
            except Unmappable as unmappable:
                reason = str(unmappable)
        return _from_own(config, channel, own, timeout_s) or Transport(OUTBOX, reason=reason)
    except InvalidConfig as error:  # a secret that gives no value, named in the message
        return Transport(OFF, reason=error.message)


def unused_setting(config: Config, channel: str, transport: Transport) -> str | None:
    """A remark about ``cli.channels`` settings that another setting overrides, or None."""
    own = config.cli("channels", channel, default={})
    if transport.kind == ACCOUNT and (own.get("url") or own.get("command")):
        return f"cli.channels.{channel} is not used: the account in channels.{channel} comes first"
    if transport.kind == URL and own.get("command"):
        return f"cli.channels.{channel}.command is not used: .url comes first"
    return None


def fill(template: str, channel: str, *, to: str, account_id: str, thread_id: str | None) -> str:
    """The apprise URL for one message; values are percent-encoded.

    A mail URL without a recipient gets this one, or the mail would go to its own sender.
    """
    found = parse(channel, to)
    thread = thread_id or found.thread_id or ""
    to_text = _TARGET_FORMS.get(channel, _plain)(found._replace(thread_id=thread or None))
    filled = template
    for name, value in (("to", to_text), ("accountId", account_id), ("threadId", thread)):
        filled = filled.replace("{" + name + "}", quote(value, safe=""))
    if _is_mail(template) and "{to}" not in template:
        filled = _with_query(filled, {"to": to_text})
    return filled


def names_recipient(transport: Transport) -> bool:
    """Whether the URL depends on the recipient; others lead to one place always."""
    return "{to}" in transport.template or _is_mail(transport.template)


def _is_mail(template: str) -> bool:
    return template.startswith(("mailto://", "mailtos://"))


def with_limits(url: str, timeout_s: float) -> str:
    """``url`` with time limits, and long texts split, unless it says otherwise itself."""
    if "://" not in url or url.startswith(("http://", "https://")):
        return url  # a service's own address: apprise turns it into one of its URLs
    limits = {"rto": f"{timeout_s:g}", "cto": str(CONNECT_TIMEOUT_S), "overflow": "split"}
    return _with_query(url, limits)


def _with_query(url: str, values: Mapping[str, str]) -> str:
    head, mark, query = url.partition("?")
    present = {part.partition("=")[0] for part in query.split("&")} if mark else set()
    added = [
        f"{key}={quote(value, safe='')}" for key, value in values.items() if key not in present
    ]
    return "?".join((head, "&".join([query, *added] if query else added)))


def _timeout(own: Mapping[str, Any]) -> float:
    value = own.get("timeoutSeconds")
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return float(value) if usable else DEFAULT_TIMEOUT_S  # type: ignore[arg-type]


def _from_own(
    config: Config, channel: str, own: Mapping[str, Any], timeout_s: float
) -> Transport | None:
    """The transport of ``cli.channels.<channel>``, None when there is none."""
    if own.get("url"):
        where = f"cli.channels.{channel}.url"
        url = secrets.resolve(own["url"], config, where=where)
        hidden = tuple(part for part in _secrets_in(url) if len(part) >= 4)
        return Transport(URL, url, timeout_s=timeout_s, secret_values=hidden)
    words = own.get("command")
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        first = str(config.paths.expand(words[0])) if words[0].startswith("~") else words[0]
        return Transport(COMMAND, words=(first, *words[1:]), timeout_s=timeout_s)
    return None


def _secrets_in(url: str) -> list[str]:
    """The parts of a URL that may be secret: the whole of it, user, password, path words."""
    parts = urlsplit(url)
    return [url, *(p for p in (parts.username, parts.password) if p), *parts.path.split("/")]


# Accounts of the original program


def _from_account(
    config: Config, channel: str, account: Mapping[str, Any], timeout_s: float
) -> Transport:
    mapper = _ACCOUNTS.get(channel)
    if mapper is None:
        raise Unmappable(_UNMAPPED.get(channel, f"no transport is known for {channel} accounts"))
    reader = _Account(config, channel, account)
    template = mapper(reader)
    return Transport(
        ACCOUNT, template, timeout_s=timeout_s, secret_values=tuple(reader.secret_values)
    )


class _Account:
    """Reads an account's settings and remembers which of them are secret."""

    def __init__(self, config: Config, channel: str, settings: Mapping[str, Any]) -> None:
        self._config, self._channel, self._settings = config, channel, settings
        self.secret_values: list[str] = []

    def text(self, name: str) -> str:
        """A plain setting, empty when it is absent."""
        value = self._settings.get(name)
        return str(value).strip() if isinstance(value, str | int) else ""

    def is_true(self, name: str) -> bool:
        """Whether a setting is literally true."""
        return self._settings.get(name) is True

    def secret(self, name: str, *, file_name: str = "", variable: str = "") -> str:
        """A secret setting, else the file or the variable; raises ``Unmappable``."""
        where = f"channels.{self._channel}.{name}"
        value = self._settings.get(name)
        if not value and file_name and self.text(file_name):
            value = {"source": "file", "id": self.text(file_name)}
        if not value and variable and secrets.lookup(self._config, variable):
            value = "${" + variable + "}"
        if not value:
            raise Unmappable(f"{where} is not set")
        found = secrets.resolve(value, self._config, where=where)
        self.secret_values.append(found)
        return found

    def server(self, name: str, default_port: int | None = None) -> tuple[bool, str]:
        """Whether an address is encrypted, and its ``host[:port][/path]``."""
        parts = urlsplit(self.text(name))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Unmappable(f"channels.{self._channel}.{name} is no http(s) address")
        port = parts.port or default_port
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = f"{host}:{port}" if port else host
        return parts.scheme == "https", place + parts.path.rstrip("/")


def _telegram(account: _Account) -> str:
    token = account.secret("botToken", file_name="tokenFile", variable="TELEGRAM_BOT_TOKEN")
    return f"tgram://{token}/{{to}}/"


def _slack(account: _Account) -> str:
    return f"slack://{account.secret('botToken', variable='SLACK_BOT_TOKEN')}/{{to}}"


def _matrix(account: _Account) -> str:
    secure, place = account.server("homeserver")
    token = quote(account.secret("accessToken", variable="MATRIX_ACCESS_TOKEN"), safe="")
    return f"{'matrixs' if secure else 'matrix'}://{token}@{place}/{{to}}"


def _signal(account: _Account) -> str:
    """The REST service of signal-cli; its native daemon speaks another protocol."""
    if account.text("apiMode") == "native":
        raise Unmappable("signal-cli's native daemon needs the gateway (apiMode: native)")
    secure, place = account.server("httpUrl")
    sender = account.text("account")
    if not sender:
        raise Unmappable("channels.signal.account is not set")
    return f"{'signals' if secure else 'signal'}://{place}/{quote(sender, safe='')}/{{to}}"


def _mattermost(account: _Account) -> str:
    secure, place = account.server("baseUrl")
    token = quote(account.secret("botToken", variable="MATTERMOST_BOT_TOKEN"), safe="")
    return f"{'mmosts' if secure else 'mmost'}://{place}/{token}?mode=bot&to={{to}}"


def _line(account: _Account) -> str:
    token = account.secret(
        "channelAccessToken", file_name="tokenFile", variable="LINE_CHANNEL_ACCESS_TOKEN"
    )
    return f"line://{quote(token, safe='')}/{{to}}?image=no"


def _irc(account: _Account) -> str:
    host, nick = account.text("host"), account.text("nick")
    if not host or not nick:
        raise Unmappable("channels.irc needs host and nick")
    password = ""
    with contextlib.suppress(Unmappable):  # most networks want none
        password = ":" + quote(account.secret("password", file_name="passwordFile"), safe="")
    port = account.text("port")
    place = f"{host}:{port}" if port else host
    scheme = "ircs" if account.is_true("tls") else "irc"
    return f"{scheme}://{quote(nick, safe='')}{password}@{place}/{{to}}"


_ACCOUNTS: dict[str, Callable[[_Account], str]] = {
    "telegram": _telegram,
    "slack": _slack,
    "matrix": _matrix,
    "signal": _signal,
    "mattermost": _mattermost,
    "line": _line,
    "irc": _irc,
}


def _plain(recipient: Recipient) -> str:
    return recipient.id


def _with_topic(recipient: Recipient) -> str:
    return recipient.id if not recipient.thread_id else f"{recipient.id}:{recipient.thread_id}"


def _slack_target(recipient: Recipient) -> str:
    name = recipient.id.lstrip("#@+")
    mark = "#" if recipient.id.startswith("#") else "+"
    return _with_topic(recipient._replace(id=mark + name))


def _signal_target(recipient: Recipient) -> str:
    if recipient.kind != "group" or recipient.id.startswith("group."):
        return recipient.id
    from base64 import b64encode

    return "group." + b64encode(recipient.id.encode()).decode()


_TARGET_FORMS: dict[str, Callable[[Recipient], str]] = {
    "telegram": _with_topic,
    "slack": _slack_target,
    "signal": _signal_target,
}
