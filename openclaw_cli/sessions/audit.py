"""Who can reach which session, and which files others can read (``sessions.md`` 14.1).

Findings carry the check ids of the reference. Nothing is changed, and a finding never
quotes a secret.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import audit_modes, routing, senders
from openclaw_cli.sessions.audit_modes import CRITICAL, INFO, WARN, Finding
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

SEVERITIES = (CRITICAL, WARN, INFO)

_LABELS = {
    "bluebubbles": "BlueBubbles", "googlechat": "Google Chat", "imessage": "iMessage",
    "irc": "IRC", "line": "LINE", "msteams": "Microsoft Teams", "whatsapp": "WhatsApp",
}  # fmt: skip
_ISOLATE = (
    'Run: openclaw config set session.dmScope "per-channel-peer" (or '
    '"per-account-channel-peer" for multi-account channels) to isolate DM sessions per sender.'
)


class _Inbox(NamedTuple):
    """An account with who is admitted to it."""

    account: senders.Account
    allowed: senders.Allowed

    @property
    def where(self) -> str:
        return f"channels.{self.account.channel}"

    @property
    def label(self) -> str:
        return label_of(self.account.channel)


def audit(config: Config, paths: Paths, *, now_ms: int) -> dict[str, Any]:
    """The document of ``security audit --json``, worst findings first."""
    findings = sorted(
        [*_about_settings(config, paths), *audit_modes.findings(config, paths)],
        key=lambda finding: SEVERITIES.index(finding.severity),
    )
    counts = {s: sum(finding.severity == s for finding in findings) for s in SEVERITIES}
    return {
        "ts": now_ms,
        "summary": counts,
        "findings": [finding.to_json() for finding in findings],
        "secretDiagnostics": [],
    }


def label_of(channel: str) -> str:
    """A channel's name for people."""
    return _LABELS.get(channel, channel[:1].upper() + channel[1:])


def _about_settings(config: Config, paths: Paths) -> Iterator[Finding]:
    rules = routing.KeyRules.from_config(config)
    inboxes: list[_Inbox] = []
    for account in senders.accounts(config):
        try:
            inboxes.append(_Inbox(account, senders.allowed(account, paths)))
        except UnreadableFile as error:
            yield Finding(
                f"channels.{account.channel}.pairing_unreadable",
                WARN,
                f"{label_of(account.channel)} pairing file cannot be read",
                f"{error.message}; who is paired is not known.",
            )
    for inbox in inboxes:
        yield from _about_inbox(inbox, rules)
    yield from _about_accounts(inboxes, rules)
    yield from _about_trust(inboxes)
    yield from _about_links(rules)
    yield from _about_hooks(config)


def _about_inbox(inbox: _Inbox, rules: routing.KeyRules) -> Iterator[Finding]:
    account, allowed = inbox
    where = f"{inbox.where}.dm"
    of_account = "" if account.account_id == "default" else f" (account {account.account_id})"
    if account.dm_policy == "open":
        yield Finding(
            f"{where}.open",
            CRITICAL,
            f"{inbox.label} DMs are open to anyone{of_account}",
            f'{inbox.where}: dmPolicy="open" lets any sender talk to the agent.',
            'Use dmPolicy "pairing" or "allowlist".',
        )
        if senders.WILDCARD not in account.allow_from:
            yield Finding(
                f"{where}.open_invalid",
                WARN,
                f"{inbox.label} DM settings contradict each other{of_account}",
                f'{inbox.where}: dmPolicy="open", but allowFrom lacks "*".',
                'Add "*" to allowFrom, or choose another dmPolicy.',
            )
    if account.dm_policy == "disabled":
        yield Finding(
            f"{where}.disabled",
            INFO,
            f"{inbox.label} DMs are disabled{of_account}",
            f'{inbox.where}: dmPolicy="disabled"; direct messages are ignored.',
        )
        return
    if rules.dm_scope != "main" and not rules.global_scope:
        return
    if allowed.wildcard or len(allowed.ids) > 1:
        who = "Any sender" if allowed.wildcard else f"{len(allowed.ids)} DM senders"
        yield Finding(
            f"{where}.scope_main_multiuser",
            WARN,
            f"{inbox.label} DMs share the main session",
            f"{who}{of_account} can share the main session now, which can leak context "
            "from one person to another.",
            _ISOLATE,
        )


def _about_accounts(inboxes: list[_Inbox], rules: routing.KeyRules) -> Iterator[Finding]:
    """Several accounts of one channel whose senders the scope does not keep apart."""
    by_channel: dict[str, list[str]] = {}
    for inbox in inboxes:
        if inbox.account.dm_policy != "disabled":
            by_channel.setdefault(inbox.account.channel, []).append(inbox.account.account_id)
    for channel, ids in by_channel.items():
        if len(ids) < 2:
            continue
        named = ", ".join(ids)
        if rules.dm_scope == "per-channel-peer":
            yield Finding(
                "session.dm_scope.shared_account",
                WARN,
                f"{label_of(channel)} accounts share the sessions of their senders",
                f"{len(ids)} accounts of {channel} ({named}) receive; the same sender has one "
                "session through all of them.",
                'Run: openclaw config set session.dmScope "per-account-channel-peer"',
            )
        elif rules.dm_scope == "main":
            yield Finding(
                "session.dm_scope.multiple_accounts",
                WARN,
                f"{label_of(channel)} accounts all lead to the main session",
                f"{len(ids)} accounts of {channel} ({named}) receive into one session.",
                'Run: openclaw config set session.dmScope "per-account-channel-peer"',
            )


def _about_trust(inboxes: list[_Inbox]) -> Iterator[Finding]:
    signals = []
    for inbox in inboxes:
        settings = inbox.account.settings
        if inbox.account.dm_policy == "open":
            signals.append(f'{inbox.where}.dmPolicy="open"')
        if inbox.allowed.wildcard:
            signals.append(f'{inbox.where}.allowFrom includes "*"')
        policy = settings.get("groupPolicy")
        if policy == "open":
            signals.append(f'{inbox.where}.groupPolicy="open"')
        elif policy == "allowlist" and (settings.get("groups") or settings.get("groupAllowFrom")):
            signals.append(f'{inbox.where}.groupPolicy="allowlist" with configured groups')
    if signals:
        yield Finding(
            "security.trust_model.multi_user_heuristic",
            WARN,
            "Several people may reach this agent",
            "It is meant for one owner; these settings let others in: "
            + "; ".join(dict.fromkeys(signals)),
            "Keep people who do not trust each other on separate agents and state trees.",
        )


def _about_links(rules: routing.KeyRules) -> Iterator[Finding]:
    bare = [
        f"{name}: {text}"
        for name, ids in rules.links.items()
        for text in (ids if isinstance(ids, list) else [])
        if ":" not in str(text) and str(text).strip()
    ]
    if bare:
        yield Finding(
            "session.identity_links.bare_id",
            WARN,
            "Identity links hold ids without a channel",
            "A bare id matches on every channel and can merge unrelated people: " + ", ".join(bare),
            "Write each id as <channel>:<peer> in session.identityLinks.",
        )


def _about_hooks(config: Config) -> Iterator[Finding]:
    hooks = config.get("hooks")
    if not isinstance(hooks, dict) or hooks.get("enabled") is not True:
        return
    if not str(hooks.get("defaultSessionKey") or "").strip():
        yield Finding(
            "hooks.default_session_key_unset",
            WARN,
            "Webhook calls have no session of their own",
            "hooks.defaultSessionKey is not set: each call makes a new session.",
            'Set hooks.defaultSessionKey, for example "hook:ingress".',
        )
    if hooks.get("allowRequestSessionKey") is not True:
        return
    exposed = config.get("gateway", "bind") not in (None, "loopback")
    severity = CRITICAL if exposed else WARN
    yield Finding(
        "hooks.request_session_key_enabled",
        severity,
        "Webhook callers may choose the session",
        "hooks.allowRequestSessionKey is on: whoever holds the token can write into any session.",
        "Set hooks.allowRequestSessionKey to false, or bound it by prefixes.",
    )
    prefixes = hooks.get("allowedSessionKeyPrefixes")
    if not (isinstance(prefixes, list) and any(str(p).strip() for p in prefixes)):
        yield Finding(
            "hooks.request_session_key_prefixes_missing",
            severity,
            "The sessions that webhook callers may choose are not bounded",
            "hooks.allowRequestSessionKey is on without hooks.allowedSessionKeyPrefixes.",
            'Set hooks.allowedSessionKeyPrefixes, for example ["hook:"].',
        )
