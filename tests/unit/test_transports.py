"""Which transport carries a channel, and the URL of one message (``design.md`` 3)."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import Config, load
from openclaw_cli.delivery import transports
from openclaw_cli.state.paths import Paths

TOKEN = "123456:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp"


def config_with(tree: Tree, own: dict[str, Any] | None = None, **channels: Any) -> Config:
    plugins = {"entries": {"openclaw-cli": {"config": {"channels": own or {}}}}}
    tree.config(channels=channels, plugins=plugins)
    return load(Paths.from_env(), validate=False)


def url_of(config: Config, channel: str, to: str, thread: str | None = None) -> str:
    chosen = transports.choose(config, channel, None)
    assert chosen.kind == "account", chosen
    return transports.fill(chosen.template, channel, to=to, account_id="", thread_id=thread)


@pytest.mark.parametrize(
    ("channel", "account", "to", "thread", "expected"),
    [
        ("telegram", {"botToken": TOKEN}, "telegram:55", None, f"tgram://{TOKEN}/55/"),
        ("telegram", {"botToken": TOKEN}, "-100:topic:7", None, f"tgram://{TOKEN}/-100%3A7/"),
        ("telegram", {"botToken": TOKEN}, "-100", "9", f"tgram://{TOKEN}/-100%3A9/"),
        ("slack", {"botToken": "xoxb-1-2-a"}, "channel:C1", None, "slack://xoxb-1-2-a/%2BC1"),
        ("slack", {"botToken": "xoxb-1-2-a"}, "#ops", "17.5", "slack://xoxb-1-2-a/%23ops%3A17.5"),
        ("matrix", {"homeserver": "https://m.example:8448", "accessToken": "s/x"},
         "!r:m.example", None, "matrixs://s%2Fx@m.example:8448/%21r%3Am.example"),
        ("signal", {"httpUrl": "http://127.0.0.1:8080", "account": "+481"}, "signal:+482", None,
         "signal://127.0.0.1:8080/%2B481/%2B482"),
        ("signal", {"httpUrl": "http://h", "account": "+481"}, "group:YWI=", None,
         "signal://h/%2B481/group.WVdJPQ%3D%3D"),
        ("mattermost", {"baseUrl": "https://mm.example", "botToken": "tok"}, "channel:abc", None,
         "mmosts://mm.example/tok?mode=bot&to=abc"),
        ("line", {"channelAccessToken": "t=="}, "line:U1", None, "line://t%3D%3D/U1?image=no"),
        ("irc", {"host": "irc.example", "nick": "oc", "tls": True}, "channel:#room", None,
         "ircs://oc@irc.example/%23room"),
    ],
)  # fmt: skip
def test_accounts_of_the_original_become_urls(
    tree: Tree, channel: str, account: dict[str, Any], to: str, thread: str | None, expected: str
) -> None:
    assert url_of(config_with(tree, **{channel: account}), channel, to, thread) == expected


def test_each_account_uses_its_own_secret(tree: Tree) -> None:
    config = config_with(
        tree, telegram={"botToken": "1:one", "accounts": {"work": {"botToken": "2:two"}}}
    )
    assert transports.choose(config, "telegram", "work").template == "tgram://2:two/{to}/"
    assert transports.choose(config, "telegram", None).template == "tgram://1:one/{to}/"


def test_secret_references_resolve_on_use(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT", TOKEN)
    config = config_with(tree, telegram={"botToken": "${BOT}"})
    chosen = transports.choose(config, "telegram", None)
    assert (chosen.kind, chosen.secret_values) == ("account", (TOKEN,))


def test_an_unset_secret_is_named_and_nothing_else_is_tried(tree: Tree) -> None:
    config = config_with(tree, {"telegram": {"url": "json://x"}}, telegram={"botToken": "${NO}"})
    chosen = transports.choose(config, "telegram", None)
    assert chosen.kind == "off"
    assert "NO" in (chosen.reason or "")


def test_an_account_that_cannot_be_mapped_falls_to_our_own_settings(tree: Tree) -> None:
    config = config_with(tree, {"discord": {"command": ["post", "x"]}}, discord={"token": "t"})
    chosen = transports.choose(config, "discord", None)
    assert (chosen.kind, chosen.words) == ("command", ("post", "x"))


def test_without_any_transport_the_outbox_carries_and_says_why(tree: Tree) -> None:
    config = config_with(tree, discord={"token": "t"})
    chosen = transports.choose(config, "discord", None)
    assert chosen.kind == "outbox"
    assert "cli.channels.discord.url" in (chosen.reason or "")
    assert transports.choose(config, "telegram", None) == transports.Transport("outbox")


@pytest.mark.parametrize(
    "block", [{"enabled": False}, {"accounts": {"default": {"enabled": False}}}]
)
def test_a_channel_switched_off_carries_nothing(tree: Tree, block: dict[str, Any]) -> None:
    config = config_with(tree, {"telegram": {"command": ["x"]}}, telegram=block)
    assert transports.choose(config, "telegram", "default").kind == "off"


def test_the_account_comes_before_our_own_settings_which_is_said(tree: Tree) -> None:
    config = config_with(tree, {"telegram": {"command": ["x"]}}, telegram={"botToken": TOKEN})
    chosen = transports.choose(config, "telegram", None)
    assert chosen.kind == "account"
    assert "not used" in (transports.unused_setting(config, "telegram", chosen) or "")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("json://h/p?:to={to}", "json://h/p?:to=a%40b.c"),
        ("json://h/{accountId}/{threadId}", "json://h/acc/t"),
        ("mailtos://u:p@h", "mailtos://u:p@h?to=a%40b.c"),
        ("mailtos://u:p@h/{to}", "mailtos://u:p@h/a%40b.c"),
        ("ntfy://topic", "ntfy://topic"),
    ],
)
def test_urls_of_our_own_are_filled_in(template: str, expected: str) -> None:
    found = transports.fill(template, "email", to="email:a@b.c", account_id="acc", thread_id="t")
    assert found == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("json://h", "json://h?rto=5&cto=10&overflow=split"),
        ("json://h?rto=9&x=1", "json://h?rto=9&x=1&cto=10&overflow=split"),
        ("https://discord.com/api/webhooks/1/a", "https://discord.com/api/webhooks/1/a"),
    ],
)
def test_time_limits_do_not_override_the_url(url: str, expected: str) -> None:
    assert transports.with_limits(url, 5) == expected
