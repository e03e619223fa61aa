"""Which workspaces are swept, and whose transcripts feed each (``dreaming.md`` 2.1)."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.paths import Paths

LOCK_NAME = "sweep.lock"
JOURNAL_NAME = "sweep-journal.json"
NOTE_CHECKPOINT, CHAT_CHECKPOINT = "note checkpoint", "transcript checkpoint"


@dataclass
class Target:
    """A workspace to sweep and the agents that work in it (none: no transcripts)."""

    workspace: Workspace
    agent_ids: list[str] = field(default_factory=list)


def find(config: Config, paths: Paths, agent: str | None = None) -> list[Target]:
    """The workspaces of the configured agents in their order, each folder once.

    The default workspace comes last when it exists and no agent has it. ``agent`` selects
    one agent's workspace, with all that share it. Raises ``UnknownName``.
    """
    found: dict[str, Target] = {}
    for agent_id in agents.agent_ids(config):
        root = agents.workspace_dir(config, paths, agent_id)
        target = found.setdefault(os.path.realpath(root), Target(Workspace(root)))
        target.agent_ids.append(agent_id)
    if agent is not None:
        chosen = agents.require_agent(config, agent)
        return [target for target in found.values() if chosen in target.agent_ids]
    shared = agents.shared_workspace_dir(config, paths)
    if shared.is_dir():
        found.setdefault(os.path.realpath(shared), Target(Workspace(shared)))
    return list(found.values())


def lock_path(workspace: Workspace) -> Path:
    """The run lock of a workspace's sweep."""
    return workspace.dreams_dir / LOCK_NAME


def journal_path(workspace: Workspace) -> Path:
    """Where the journal of a sweep that is being carried out is."""
    return workspace.dreams_dir / JOURNAL_NAME


def note_checkpoint_path(workspace: Workspace) -> Path:
    """What is remembered of the notes that were ingested."""
    return workspace.dreams_dir / "daily-ingestion.json"
