"""The configuration file: reading, checking and editing it (``design.md`` 3, "Config").

Owns ``openclaw.json`` or ``openclaw.toml``; nothing else writes there.
"""
