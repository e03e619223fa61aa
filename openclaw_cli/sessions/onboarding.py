"""A first state tree: what ``openclaw setup`` creates (``sessions.md`` 16).

Only what is missing is created. An existing config gets ``session.dmScope`` when it has
none, and nothing else; what is there stays as it is.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from openclaw_cli.config import agents, edit
from openclaw_cli.config.load import Config, load
from openclaw_cli.errors import NotAllowed
from openclaw_cli.sessions import discovery
from openclaw_cli.state import files
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

SAFE_SCOPE = "per-channel-peer"
SCOPE_PLACE: tuple[str | int, ...] = ("session", "dmScope")

CONFIG = """\
// The settings of OpenClaw. JSON5: comments and trailing commas are welcome.
// Change a value with 'openclaw config set PATH VALUE'; what you wrote here stays.
{{
  // The agent: where it keeps its notes, and which model it uses.
  agents: {{
    defaults: {{
      workspace: {workspace},
      // model: "ollama/llama3.2",   // PROVIDER/MODEL; see 'openclaw models status'
      // userTimezone: "Europe/Warsaw",
    }},
  }},

  // Conversations. With this scope nobody reads along in somebody else's: each sender of
  // each channel has a session of their own. "main" lets all direct chats share one.
  session: {{
    dmScope: "per-channel-peer",
  }},
}}
"""

HEARTBEAT = """\
<!--
What the agent should look at on every heartbeat, one line each, for example:

- Is there mail that cannot wait?

While this file holds nothing but comments, a heartbeat calls no model and costs nothing.
-->
"""


class Step(NamedTuple):
    """One thing to create: a folder, a file with its text, or (``text`` None) a config key."""

    path: Path
    kind: str
    text: str | None = None


class Plan(NamedTuple):
    """What is missing, what is there, and how the config reads afterwards."""

    steps: list[Step]
    kept: list[Path]
    config_path: Path
    workspace: Path
    dm_scope: str
    ignored_workspace: bool

    def to_json(self, *, dry_run: bool) -> dict[str, Any]:
        """The document of ``setup --json``."""
        return {
            "created": [_name(step) for step in self.steps],
            "kept": [str(path) for path in self.kept],
            "configPath": str(self.config_path),
            "workspaceDir": str(self.workspace),
            "dmScope": self.dm_scope,
            "dryRun": dry_run,
        }


def plan(paths: Paths, workspace: str | None) -> Plan:
    """What a set-up would create. ``workspace`` counts only for a new config.

    Raises ``NotAllowed`` where a file is in the place of a folder, ``InvalidConfig`` or
    ``UnreadableFile`` for a config that is wrong already.
    """
    config = load(paths)
    asked = paths.expand(workspace) if workspace else None
    agent_id = agents.default_agent_id(config)
    present = agents.workspace_dir(config, paths, agent_id)
    chosen = present if config.exists or asked is None else asked
    wanted = [
        Step(paths.state_dir, "folder"),
        *_config_steps(config, paths, chosen),
        Step(chosen, "folder"),
        Step(chosen / "memory", "folder"),
        Step(chosen / "HEARTBEAT.md", "file", HEARTBEAT),
        Step(discovery.store_path(config, paths, agent_id).parent, "folder"),
    ]
    steps: list[Step] = []
    kept: list[Path] = []
    for step in wanted:
        if step.kind == "key" or not os.path.lexists(step.path):
            steps.append(step)
        elif step.kind == "folder" and not step.path.is_dir():
            raise NotAllowed(f"{step.path} is in the way: it is no folder", path=step.path)
        else:
            kept.append(step.path)
    scope = edit.find(config.data, SCOPE_PLACE)
    return Plan(
        steps,
        kept,
        config.path,
        chosen,
        scope if isinstance(scope, str) else SAFE_SCOPE,
        asked is not None and asked != chosen,
    )


def apply(planned: Plan, paths: Paths, *, now_ms: int) -> None:
    """Create what ``planned`` lacks; folders 0700, files 0600."""
    for step in planned.steps:
        if step.kind == "folder":
            files.make_dir(step.path)
        elif step.kind == "file":
            files.write_atomic(step.path, step.text or "")
        else:
            edit.set_value(paths, SCOPE_PLACE, SAFE_SCOPE, now_ms=now_ms)


def _config_steps(config: Config, paths: Paths, workspace: Path) -> list[Step]:
    if not config.exists and config.path.suffix != ".toml":
        text = CONFIG.format(workspace=json.dumps(_written(workspace, paths), ensure_ascii=False))
        return [Step(config.path, "file", text)]
    file = [Step(config.path, "file")] if config.exists else []
    unset = edit.find(config.data, SCOPE_PLACE) is edit.MISSING
    return [*file, Step(config.path, "key")] if unset else file


def _written(path: Path, paths: Paths) -> str:
    """``path`` as it stands in a config: below the home directory it begins with ``~``."""
    home = str(paths.home)
    return "~" + str(path)[len(home) :] if path.is_relative_to(home) else str(path)


def _name(step: Step) -> str:
    return f"{step.path}: session.dmScope" if step.kind == "key" else str(step.path)
