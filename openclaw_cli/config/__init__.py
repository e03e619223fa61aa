"""The configuration file: reading, checking and editing it (``design.md`` 3, "Config").

Owns ``openclaw.json`` or ``openclaw.toml``; nothing else writes there.
"""

# Where the settings are that only this program has; people write ``cli.`` for it.
OWN_BLOCK = ("plugins", "entries", "openclaw-cli", "config")
