"""The ``heartbeat`` blocks resolved: which agents run, how often, in which hours.

Pure functions of the configuration (``heartbeat.md`` 1 and 3). An agent's block lies over
the defaults key by key; an ``every`` that cannot be read means switched off.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import agents, units
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from openclaw_cli.config.load import Config

DEFAULT_EVERY = "30m"
DEFAULT_EVERY_MS = 30 * clock.MINUTE_MS
DEFAULT_ACK_CHARS = 300
DAY_MINUTES = 24 * 60
NO_MODEL = "no-model"

_HOURS = r"([01]\d|2[0-3]):([0-5]\d)"


class Settings(NamedTuple):
    """The heartbeat of one agent.

    ``in_set`` tells whether the agent is among those that run at all; ``every_ms`` is None
    where the interval is 0 or unreadable. ``block`` is the merged block for all other keys.
    """

    agent_id: str
    in_set: bool
    every_ms: int | None
    block: dict[str, Any]

    @property
    def enabled(self) -> bool:
        """Whether this agent's heartbeat runs (the global switch aside)."""
        return self.in_set and self.every_ms is not None

    @property
    def has_section(self) -> bool:
        """Whether system prompts tell of the heartbeat."""
        return self.block.get("includeSystemPromptSection") is not False

    @property
    def target(self) -> str:
        """``none``, ``last`` or a channel id."""
        value = self.block.get("target")
        return value.strip().lower() or "none" if isinstance(value, str) else "none"


def of_agent(config: Config, agent_id: str) -> Settings:
    """The heartbeat settings of a normalised agent id."""
    block = agents.agent_block(config, agent_id, "heartbeat")
    every = block.get("every", DEFAULT_EVERY)
    return Settings(agent_id, agent_id in running_agents(config), interval_ms(every), block)


def running_agents(config: Config) -> list[str]:
    """The agents whose heartbeat runs, in config order.

    Only those with a block of their own when any has one; else all when the defaults have
    one; else the default agent.
    """
    own = [
        agents.normalize_agent_id(str(entry.get("id") or ""))
        for entry in agents.agent_entries(config)
        if isinstance(entry.get("heartbeat"), dict)
    ]
    if own:
        return list(dict.fromkeys(own))
    if isinstance(config.get("agents", "defaults", "heartbeat"), dict):
        return agents.agent_ids(config)
    return [agents.default_agent_id(config)]


def has_model(config: Config, found: Settings) -> bool:
    """Whether the configuration names a model for an agent's heartbeat."""
    from openclaw_cli.model import refs

    own = found.block.get("model")
    if isinstance(own, str) and own.strip():
        return True
    return bool(refs.default_choice(config, found.agent_id).refs)


def interval_ms(every: object) -> int | None:
    """Milliseconds of ``every`` (a bare number counts minutes); None means switched off."""
    try:
        return units.parse_duration_ms(every, "m") or None
    except ValueError:
        return None


def spacing_ms(config: Config, agent_id: str) -> int:
    """The shortest time between the making of a follow-up and its delivery.

    One interval; half an hour where the heartbeat is off (``commitments.md`` 11.5).
    """
    return of_agent(config, agent_id).every_ms or DEFAULT_EVERY_MS


def is_open(settings: Settings, now_ms: int, user_zone: ZoneInfo) -> bool:
    """Whether ``now_ms`` is inside the active hours; an unusable window is ignored."""
    hours = settings.block.get("activeHours")
    window = window_minutes(hours)
    if window is None:
        return True
    start, end = window
    at = clock.local(now_ms, zone_of(hours, user_zone))
    minute = at.hour * 60 + at.minute
    if start <= end:
        return start <= minute < end
    return minute >= start or minute < end


def window_minutes(hours: object) -> tuple[int, int] | None:
    """Start and end of ``activeHours`` in minutes of the day, None where unusable."""
    if not isinstance(hours, dict):
        return None
    start, end = _minute(hours.get("start")), _minute(hours.get("end"), end=True)
    return None if start is None or end is None else (start, end)


def zone_of(hours: object, user_zone: ZoneInfo) -> ZoneInfo:
    """The zone of a window: ``user`` and unknown names are the user's, ``local`` the host's."""
    name = hours.get("timezone") if isinstance(hours, dict) else None
    if not isinstance(name, str) or name.strip() in ("", "user"):
        return user_zone
    if name.strip() == "local":
        return clock.host_zone()
    return clock.find_zone(name.strip()) or user_zone


def unknown_zone(settings: Settings) -> str | None:
    """The name of a zone that active hours give and nobody knows, None without one."""
    hours = settings.block.get("activeHours")
    name = hours.get("timezone") if isinstance(hours, dict) else None
    if not isinstance(name, str) or name.strip() in ("", "user", "local"):
        return None
    return None if clock.find_zone(name.strip()) else name.strip()


def _minute(text: object, *, end: bool = False) -> int | None:
    if end and text == "24:00":
        return DAY_MINUTES
    match = re.fullmatch(_HOURS, text) if isinstance(text, str) else None
    return int(match[1]) * 60 + int(match[2]) if match else None
