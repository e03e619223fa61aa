"""What the stable reason words of heartbeats and follow-ups mean, for people.

Scripts get the word; text shows it with a sentence, so that both can be looked up.
"""

from __future__ import annotations

MEANINGS = {
    # why nothing ran
    "disabled": "switched off",
    "not-due": "its time has not come",
    "min-spacing": "it ran a moment ago",
    "flood": "it ran too often lately",
    "quiet-hours": "outside its active hours",
    "requests-in-flight": "the session is busy",
    "cron-in-progress": "a scheduled task is running",
    "lanes-busy": "its sub-agents are busy",
    "empty-heartbeat-file": "HEARTBEAT.md asks for nothing",
    "no-tasks-due": "no task of HEARTBEAT.md is due",
    "no-model": "no model is configured",
    "budget": "the day's tokens are used up",
    "cooldown": "it waits after a failed call",
    "feature-off": "openclaw config set commitments.enabled true",
    "heartbeat-off": "the agent has no heartbeat",
    # why nothing was delivered
    "duplicate": "the same was said within a day",
    "alerts-disabled": "its messages are hidden on this channel",
    "send-policy": "the session may not be written to",
    "target-none": "the heartbeat has no target",
    "no-target": "there is no conversation to answer to yet",
    "no-transport": "nothing carries this channel",
    "dm-blocked": "direct messages are blocked",
    "unknown-account": "the channel has no such account",
    # why a follow-up waits
    "not-yet": "its window is not open yet",
    "snoozed": "asleep",
    "attempts": "it waits after a failed attempt",
    "daily-cap": "enough were delivered within a day",
    "batch-limit": "others go first",
    "uncertain": "nobody knows whether it arrived",
}


def explained(reason: str) -> str:
    """The word with what it means, or alone when it speaks for itself."""
    meaning = MEANINGS.get(reason)
    return f"{reason}: {meaning}" if meaning else reason
