"""The system prompt of a run: rules, time, what the run adds, and the workspace files.

What comes from a channel, names and labels, is data and stands as such (``sessions.md``
14.2, ``design.md`` 3, "Secrets and privacy").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_cli.agent import bootstrap
from openclaw_cli.config import agents
from openclaw_cli.heartbeat import prompt, settings
from openclaw_cli.model import prompts
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.agent.session import Place


def system_prompt(
    place: Place, *, only_files: Sequence[str], sections: Sequence[str]
) -> bootstrap.SystemPrompt:
    """The system prompt of a run in this place."""
    workspace = agents.workspace_dir(place.config, place.paths, place.agent_id)
    found = bootstrap.load(workspace, only=only_files)
    return bootstrap.system_prompt(
        place.agent_id, found, workspace=workspace, sections=[_time_line(place), *sections]
    )


def conversation_section(facts: dict[str, str]) -> list[str]:
    """What the model should know about where a message comes from; labels are data."""
    told = {name: value for name, value in facts.items() if value}
    if not told:
        return []
    listed = "\n".join(f"{name}: {' '.join(value.split())}" for name, value in told.items())
    return [prompts.with_untrusted("Where this conversation takes place:", conversation=listed)]


def heartbeat_section(place: Place) -> list[str]:
    """What the default agent should know about its heartbeat, where that runs."""
    found = settings.of_agent(place.config, place.agent_id)
    is_default = place.agent_id == agents.default_agent_id(place.config)
    if not is_default or not found.enabled or not found.has_section:
        return []
    return [prompt.SECTION]


def _time_line(place: Place) -> str:
    zone = agents.user_zone(place.config)
    at = clock.local(place.now_ms, zone)
    return f"Current time: {at:%A, %Y-%m-%d %H:%M} ({zone.key})."
