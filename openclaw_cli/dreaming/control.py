"""Switching dreaming on and off, and telling how it is set (``dreaming.md`` 10.1).

What the command line and the ``/dreaming`` command of a conversation share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming.settings import resolve
from openclaw_cli.memory.settings import DREAMING
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    from openclaw_cli.config.edit import Edit

PHASES = (
    "Phases:",
    "- light, REM and deep sleep run one after the other in every sweep.",
    "- Only deep sleep writes lasting memory: MEMORY.md.",
    "- DREAMS.md is for reading: the diary and the summary of the last deep sleep.",
)


def switch(paths: Paths, *, enabled: bool, now_ms: int, dry_run: bool = False) -> Edit:
    """Set ``enabled`` in the configuration, everything else in it kept."""
    from openclaw_cli.config import edit

    return edit.set_value(paths, (*DREAMING, "enabled"), enabled, now_ms=now_ms, dry_run=dry_run)


def settings_document(config: Config) -> dict[str, Any]:
    """The settings that people ask for first."""
    settings = resolve(config)
    gates = settings.deep.gates
    return {
        "enabled": settings.enabled,
        "frequency": settings.frequency,
        "timezone": settings.timezone,
        "minScore": gates.min_score,
        "minRecallCount": gates.min_recall_count,
        "minUniqueQueries": gates.min_unique_queries,
    }


def settings_lines(document: dict[str, Any]) -> list[str]:
    """``settings_document`` as text."""
    switched = "on" if document["enabled"] else "off"
    zone = f" ({document['timezone']})" if document["timezone"] else ""
    return [
        "Dreaming status:",
        f"- enabled: {switched}{zone}",
        f"- sweep cadence: {document['frequency']}",
        f"- promotion policy: score>={document['minScore']:g}, "
        f"recalls>={document['minRecallCount']}, uniqueQueries>={document['minUniqueQueries']}",
    ]


def status_lines(config: Config) -> list[str]:
    """How dreaming is set."""
    return settings_lines(settings_document(config))


def help_lines(config: Config, command: str = "/dreaming") -> list[str]:
    """Usage of ``command``, settings, and what the phases do."""
    return [
        f"Usage: {command} status - the settings at a glance",
        f"       {command} on|off - switch the nightly sweep",
        "",
        *status_lines(config),
        "",
        *PHASES,
    ]
