"""The heartbeat: a periodic turn in an agent's main session (``heartbeat.md``)."""
