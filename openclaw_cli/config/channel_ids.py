"""The channel ids that are meant even without a block in the configuration."""

from __future__ import annotations

KNOWN = frozenset(
    [
        "bluebubbles", "discord", "email", "feishu", "googlechat", "imessage", "irc", "line",
        "matrix", "mattermost", "msteams", "nextcloud-talk", "nostr", "ntfy", "outbox", "qqbot",
        "signal", "slack", "synology-chat", "telegram", "tlon", "twitch", "webchat", "webhook",
        "wechat", "whatsapp", "zalo", "zalouser",
    ]
)  # fmt: skip
