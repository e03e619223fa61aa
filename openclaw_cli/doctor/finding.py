"""What a check reports, and what it looks at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import OpenClawError, UnreadableFile
from openclaw_cli.state import files
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.dreaming.workspaces import Target as MemoryTarget
    from openclaw_cli.jobs.look import View
    from openclaw_cli.sessions.discovery import Target as StoreTarget
    from openclaw_cli.state.paths import Paths

ERROR, WARN, INFO = "error", "warn", "info"
SEVERITIES = (ERROR, WARN, INFO)
CORRECT = "correct the file, or move it aside"


class Remedy(NamedTuple):
    """What ``--fix`` does about a finding: one of ``remedies.KINDS``, and on what."""

    kind: str
    path: Path
    subject: Any = None


class Finding(NamedTuple):
    """One thing that an owner should know.

    ``id`` is a stable word for scripts. ``fix`` is a command for the owner, or words where
    no command helps; ``remedy`` is what ``--fix`` would do by itself.
    """

    id: str
    severity: str
    message: str
    path: str | None = None
    fix: str | None = None
    remedy: Remedy | None = None
    area: str = ""

    def to_json(self) -> dict[str, Any]:
        """The finding in a report."""
        found: dict[str, Any] = {"id": self.id, "severity": self.severity, "area": self.area}
        if self.path is not None:
            found["path"] = self.path
        found["message"] = self.message
        if self.fix is not None:
            found["fix"] = self.fix
        return found | {"fixable": self.remedy is not None}


class Patient:
    """The tree under examination: its settings, the instant, and whose parts are looked at.

    ``agent`` is a normalised id, None for all. ``config`` holds no invalid values: what the
    settings get wrong is a finding of its own and must not hide the rest.
    """

    def __init__(
        self, config: Config, environ: Mapping[str, str], now_ms: int, agent: str | None = None
    ) -> None:
        self.config = config
        self.environ = environ
        self.now_ms = now_ms
        self.agent = agent

    @property
    def paths(self) -> Paths:
        """Where the tree is."""
        return self.config.paths

    @cached_property
    def agent_ids(self) -> list[str]:
        """The agents that are looked at."""
        from openclaw_cli.config import agents

        return [self.agent] if self.agent else agents.agent_ids(self.config)

    @cached_property
    def stores(self) -> list[StoreTarget]:
        """The session stores of those agents."""
        from openclaw_cli.sessions import discovery

        everyone = self.agent is None
        return discovery.targets(self.config, self.paths, agent=self.agent, all_agents=everyone)

    @cached_property
    def workspaces(self) -> list[MemoryTarget]:
        """The workspaces of those agents, each folder once."""
        from openclaw_cli.dreaming import workspaces

        return workspaces.find(self.config, self.paths, self.agent)

    @cached_property
    def scheduler(self) -> dict[str, Any]:
        """What starts the background jobs on this host; not asked of it after a recent tick."""
        from openclaw_cli.jobs import starter

        return starter.brief_state(self.paths, self.environ, self.now_ms)

    @cached_property
    def jobs(self) -> list[View]:
        """How the background jobs stand."""
        from openclaw_cli.jobs import look

        around = look.Surroundings(self.config, self.now_ms)
        return [look.look(name, around) for name in look.NAMES]

    def agent_flag(self, agent_id: str) -> str:
        """How a command is told the agent; nothing for the default one."""
        from openclaw_cli.config import agents

        return "" if agent_id == agents.default_agent_id(self.config) else f" --agent {agent_id}"


def of_error(name: str, severity: str, error: OpenClawError, fix: str | None = None) -> Finding:
    """The finding that an error of the domain amounts to."""
    return Finding(name, severity, error.message, error.path, fix or error.hint or CORRECT)


def unreadable_json(name: str, path: Path, *, what: str, then: str) -> Iterator[Finding]:
    """A warning when the object that ``path`` should hold cannot be read.

    ``then`` says what follows from that. For files that the program itself can do without.
    """
    try:
        found = files.load_json(path, what=what)
    except UnreadableFile as error:
        yield Finding(name, WARN, f"{error.message}; {then}", str(path), CORRECT)
        return
    if found is not None and not isinstance(found, dict):
        message = f"{what} {path} holds no object; {then}"
        yield Finding(name, WARN, message, str(path), CORRECT)
