"""The top-level commands as data, so that ``--help`` imports none of them."""

from __future__ import annotations

from openclaw_cli.state.tuples import NamedTuple


class Entry(NamedTuple):
    """A command in an index: its module below ``cli.commands``, attribute, and summary."""

    module: str
    summary: str
    attribute: str = "cli"


COMMANDS: dict[str, Entry] = {
    "setup": Entry("setup", "Create a state tree and a commented configuration."),
    "status": Entry("status", "Show everything local at a glance."),
    "doctor": Entry("doctor", "Check the whole tree and say what to fix."),
    "report": Entry("report", "Tell what happened overnight."),
    "agent": Entry("agent", "Answer one message in the right session."),
    "sessions": Entry("sessions", "List, inspect, clean up and restore sessions."),
    "changes": Entry("changes", "Show what was removed and how to undo it."),
    "memory": Entry("memory", "Search, rank and promote memory."),
    "dreaming": Entry("dreaming", "Run and inspect the nightly sweep."),
    "commitments": Entry("commitments", "List and manage inferred follow-ups."),
    "heartbeat": Entry("heartbeat", "Run and inspect the agents' heartbeats."),
    "system": Entry("system", "Queue system events; heartbeat switches."),
    "cron": Entry("cron", "Manage and run scheduled tasks."),
    "jobs": Entry("jobs", "Install and inspect the background jobs."),
    "outbox": Entry("outbox", "Show and settle recorded deliveries."),
    "channels": Entry("channels", "Show and test the delivery channels."),
    "config": Entry("config", "Read, change and check the configuration."),
    "models": Entry("models", "Show and test the models in use."),
    "usage": Entry("usage", "Show tokens spent and the budget left."),
    "security": Entry("security", "Audit who can reach which session."),
    "gateway": Entry("gateway", "Answer gateway methods in this process."),
    "completion": Entry("completion", "Print a shell completion script."),
    "help": Entry("help", "Show help or a manual page by topic."),
}

# Commands of the original program that need its running gateway. Naming them tells a
# person why nothing happens, instead of a riddle about an unknown word.
GATEWAY_ONLY = frozenset(
    [
        "acp",
        "agents",
        "approvals",
        "audit",
        "backup",
        "browser",
        "clawbot",
        "configure",
        "daemon",
        "dashboard",
        "devices",
        "directory",
        "dns",
        "docs",
        "health",
        "hooks",
        "infer",
        "logs",
        "mcp",
        "message",
        "node",
        "nodes",
        "onboard",
        "pairing",
        "plugins",
        "qr",
        "reset",
        "sandbox",
        "secrets",
        "skills",
        "tasks",
        "terminal",
        "tui",
        "uninstall",
        "update",
        "voicecall",
        "webhooks",
        "channels add",
        "channels capabilities",
        "channels login",
        "channels logout",
        "channels logs",
        "channels remove",
        "channels resolve",
        "channels status",
        "gateway discover",
        "gateway health",
        "gateway install",
        "gateway probe",
        "gateway restart",
        "gateway run",
        "gateway start",
        "gateway status",
        "gateway stop",
        "gateway uninstall",
        "gateway usage-cost",
        "models aliases",
        "models auth",
        "models fallbacks",
        "models image-fallbacks",
        "models list",
        "models scan",
        "models set",
        "models set-image",
        "system presence",
    ]
)
# Others of its commands, and what to do here instead.
INSTEAD = {
    "sessions tail": "transcripts are plain JSON Lines: tail -f the file that "
    "'openclaw sessions show KEY' names",
    "sessions export-trajectory": "transcripts are plain JSON Lines: copy the file that "
    "'openclaw sessions show KEY' names",
}
