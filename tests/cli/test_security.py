"""``openclaw security audit`` (``sessions.md`` 14.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

Run = Callable[..., Any]
SHARED = "channels.telegram.dm.scope_main_multiuser"


def _audit(run: Run) -> dict[str, Any]:
    done = run("security", "audit", "--json")
    assert done.exit == 0
    document: dict[str, Any] = done.json()
    return document


def _ids(document: dict[str, Any]) -> list[str]:
    return [finding["checkId"] for finding in document["findings"]]


@pytest.fixture
def private(tree: Tree) -> Tree:
    """A tree that nobody else can read."""
    tree.config()
    tree.state.chmod(0o700)
    return tree


def _config(tree: Tree, **blocks: Any) -> None:
    tree.config(**blocks).chmod(0o600)


@pytest.mark.parametrize(
    ("telegram", "session", "paired", "shared"),
    [
        ({"allowFrom": ["111", "222"]}, {}, [], True),
        ({"allowFrom": ["111"]}, {}, [], False),
        ({"allowFrom": ["111", "tg:111", "telegram:111"]}, {}, ["111"], False),
        ({"allowFrom": ["111"]}, {}, ["222"], True),
        ({"allowFrom": ["*"]}, {}, [], True),
        ({"allowFrom": ["111", "222"]}, {"dmScope": "main"}, [], True),
        ({"allowFrom": ["111", "222"]}, {"dmScope": "per-peer"}, [], False),
        ({"allowFrom": ["111", "222"], "enabled": False}, {}, [], False),
        ({"allowFrom": ["111", "222"], "dmPolicy": "disabled"}, {}, [], False),
    ],
)
def test_senders_that_share_the_main_session(
    private: Tree,
    openclaw_inproc: Run,
    telegram: dict[str, Any],
    session: dict[str, Any],
    paired: list[str],
    shared: bool,
) -> None:
    _config(private, channels={"telegram": {"botToken": "1:a", **telegram}}, session=session)
    if paired:
        private.json(
            ".openclaw/credentials/telegram-allowFrom.json", {"version": 1, "allowFrom": paired}
        )
    assert (SHARED in _ids(_audit(openclaw_inproc))) is shared


def test_the_finding_names_the_remedy(private: Tree, openclaw_inproc: Run) -> None:
    _config(private, channels={"telegram": {"botToken": "1:a", "allowFrom": [1, 2]}})
    found = next(f for f in _audit(openclaw_inproc)["findings"] if f["checkId"] == SHARED)
    assert found["severity"] == "warn"
    assert found["title"] == "Telegram DMs share the main session"
    assert 'session.dmScope "per-channel-peer"' in found["remediation"]


@pytest.mark.parametrize(
    ("telegram", "ids"),
    [
        ({"dmPolicy": "open", "allowFrom": ["*"]}, {"channels.telegram.dm.open": "critical"}),
        (
            {"dmPolicy": "open", "allowFrom": ["1"]},
            {"channels.telegram.dm.open": "critical", "channels.telegram.dm.open_invalid": "warn"},
        ),
        ({"dmPolicy": "disabled"}, {"channels.telegram.dm.disabled": "info"}),
        (
            {"groupPolicy": "open"},
            {"security.trust_model.multi_user_heuristic": "warn"},
        ),
        (
            {"groupPolicy": "allowlist", "groups": {"-1": {}}},
            {"security.trust_model.multi_user_heuristic": "warn"},
        ),
        ({"groupPolicy": "allowlist"}, {}),
        ({"allowFrom": ["1"]}, {}),
    ],
)
def test_open_doors(
    private: Tree, openclaw_inproc: Run, telegram: dict[str, Any], ids: dict[str, str]
) -> None:
    _config(private, channels={"telegram": {"botToken": "1:a", **telegram}})
    findings = {f["checkId"]: f["severity"] for f in _audit(openclaw_inproc)["findings"]}
    assert ids.items() <= findings.items()
    if not ids:
        assert findings == {}


@pytest.mark.parametrize(
    ("scope", "check"),
    [
        ("main", "session.dm_scope.multiple_accounts"),
        ("per-channel-peer", "session.dm_scope.shared_account"),
        ("per-account-channel-peer", None),
    ],
)
def test_several_accounts_of_one_channel(
    private: Tree, openclaw_inproc: Run, scope: str, check: str | None
) -> None:
    accounts = {"biz": {"botToken": "1:a"}, "home": {"botToken": "2:b"}}
    _config(private, channels={"telegram": {"accounts": accounts}}, session={"dmScope": scope})
    document = _audit(openclaw_inproc)
    found = [name for name in _ids(document) if name.startswith("session.dm_scope")]
    assert found == ([check] if check else [])
    if check:
        assert "biz, home" in document["findings"][0]["detail"]


def test_links_without_a_channel(private: Tree, openclaw_inproc: Run) -> None:
    _config(private, session={"identityLinks": {"alice": ["telegram:1", "55"]}})
    found = _audit(openclaw_inproc)["findings"]
    assert [f["checkId"] for f in found] == ["session.identity_links.bare_id"]
    assert "alice: 55" in found[0]["detail"]
    assert "telegram:1" not in found[0]["detail"]


@pytest.mark.parametrize(
    ("hooks", "ids"),
    [
        ({"enabled": False}, []),
        ({"enabled": True, "defaultSessionKey": "hook:in"}, []),
        ({"enabled": True}, ["hooks.default_session_key_unset"]),
        (
            {"enabled": True, "defaultSessionKey": "hook:in", "allowRequestSessionKey": True},
            ["hooks.request_session_key_enabled", "hooks.request_session_key_prefixes_missing"],
        ),
        (
            {
                "enabled": True, "defaultSessionKey": "hook:in", "allowRequestSessionKey": True,
                "allowedSessionKeyPrefixes": ["hook:"],
            },
            ["hooks.request_session_key_enabled"],
        ),
    ],
)  # fmt: skip
def test_webhooks(
    private: Tree, openclaw_inproc: Run, hooks: dict[str, Any], ids: list[str]
) -> None:
    _config(private, hooks=hooks)
    assert _ids(_audit(openclaw_inproc)) == ids


def test_modes_that_let_others_read(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config().chmod(0o644)
    tree.file(".openclaw/credentials/x.json", "{}")
    tree.sessions({}).chmod(0o640)
    tree.transcript("m", []).chmod(0o644)
    for folder in (tree.state, tree.state / "credentials"):
        folder.chmod(0o755)
    document = _audit(openclaw_inproc)
    assert {f["checkId"]: f["severity"] for f in document["findings"]} == {
        "fs.config.perms_world_readable": "critical",
        "fs.state_dir.perms_readable": "warn",
        "fs.credentials_dir.perms_readable": "warn",
        "fs.sessions_store.perms_readable": "warn",
        "session.transcripts.perms_readable": "warn",
    }
    assert document["summary"] == {"critical": 1, "warn": 4, "info": 0}


def test_a_private_tree_has_nothing_to_report(private: Tree, openclaw_inproc: Run) -> None:
    _config(private)
    run = openclaw_inproc("security", "audit")
    assert run.out.splitlines() == [
        "OpenClaw security audit",
        "Summary: 0 critical · 0 warn · 0 info",
        "Nothing to report.",
    ]


def test_text_has_one_block_per_severity(private: Tree, openclaw_inproc: Run) -> None:
    _config(private, channels={"telegram": {"botToken": "secret", "dmPolicy": "open"}})
    out = openclaw_inproc("security", "audit").out
    assert out.index("CRITICAL") < out.index("channels.telegram.dm.open ") < out.index("WARN")
    assert "  Fix: " in out
    assert "secret" not in out


def test_a_damaged_pairing_file_is_a_finding(private: Tree, openclaw_inproc: Run) -> None:
    _config(private, channels={"telegram": {"botToken": "1:a"}})
    private.file(".openclaw/credentials/telegram-allowFrom.json", "{").chmod(0o600)
    (private.state / "credentials").chmod(0o700)
    assert _ids(_audit(openclaw_inproc)) == ["channels.telegram.pairing_unreadable"]
