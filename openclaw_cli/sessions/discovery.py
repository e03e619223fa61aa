"""Where session stores and transcripts are (``sessions.md`` 2.1, 3.4).

Reads only names and links, never content. A transcript path of a row is accepted only
inside the sessions folder or as ``agents/<other>/sessions/<file>`` of the same tree.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnknownName, UsageProblem
from openclaw_cli.sessions import names
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

STORE_NAME = "sessions.json"


class Target(NamedTuple):
    """One store: the agent whose rows it holds by default, and its file."""

    agent_id: str
    store_path: Path

    @property
    def sessions_dir(self) -> Path:
        """The folder of the store, where its transcripts live."""
        return self.store_path.parent


class Source(NamedTuple):
    """A store with its rows as read; ``error`` says why it could not be."""

    target: Target
    rows: Mapping[str, Any]
    error: str | None = None


class Resolved(NamedTuple):
    """A row's transcript: the accepted path (None: the id is unsafe) and what was refused.

    ``refused`` is a ``sessionFile`` outside the folder, or no transcript, which was ignored.
    """

    path: Path | None
    refused: str | None = None


def store_path(config: Config, paths: Paths, agent_id: str) -> Path:
    """The store of ``agent_id``: ``session.store``, else the default place."""
    template = config.get("session", "store")
    if not isinstance(template, str) or not template.strip():
        return paths.sessions_dir(agent_id) / STORE_NAME
    return paths.expand(template.strip().replace("{agentId}", agent_id))


def targets(
    config: Config,
    paths: Paths,
    *,
    agent: str | None = None,
    all_agents: bool = False,
    store: str | None = None,
) -> list[Target]:
    """The stores that ``--agent``, ``--all-agents`` and ``--store`` select.

    Default: the default agent's. ``--all-agents`` are the configured agents in their
    order; a file that several share appears once, under the first. Raises
    ``UsageProblem`` for options that exclude each other, ``UnknownName`` for an agent.
    """
    from openclaw_cli.config import agents

    agent = (agent or "").strip() or None
    if agent and all_agents:
        raise UsageProblem("--agent and --all-agents cannot be used together")
    if store is not None:
        if agent or all_agents:
            raise UsageProblem("--store cannot be combined with --agent or --all-agents")
        if not store.strip():
            raise UsageProblem("--store needs a path")
        owner = agents.default_agent_id(config)
        return [Target(owner, paths.expand(store.strip().replace("{agentId}", owner)))]
    if all_agents:
        first: dict[Path, str] = {}
        for agent_id in agents.agent_ids(config):
            first.setdefault(store_path(config, paths, agent_id), agent_id)
        return [Target(agent_id, path) for path, agent_id in first.items()]
    chosen = _required_agent(config, paths, agent) if agent else agents.default_agent_id(config)
    return [Target(chosen, store_path(config, paths, chosen))]


def unconfigured_stores(config: Config, paths: Paths) -> list[Target]:
    """Stores in the default place of agents that the config does not name."""
    from openclaw_cli.config import agents

    known = {store_path(config, paths, agent_id) for agent_id in agents.agent_ids(config)}
    found = sorted(paths.under("agents").glob(f"*/sessions/{STORE_NAME}"))
    return [Target(path.parent.parent.name, path) for path in found if path not in known]


def _required_agent(config: Config, paths: Paths, agent: str) -> str:
    from openclaw_cli.config import agents

    try:
        return agents.require_agent(config, agent)
    except UnknownName as error:
        on_disk = paths.sessions_dir(agents.normalize_agent_id(agent)) / STORE_NAME
        if not on_disk.is_file():
            raise
        raise UnknownName(
            f"{error.message}: the config does not name it, though it has a store on disk",
            path=on_disk,
            hint=f"read that with --store {paths.display(on_disk)}",
            code=error.code,
        ) from error


class TranscriptFinder:
    """Resolves the transcripts of many rows of one sessions folder.

    ``state_dir`` allows the folders of sibling agents; without it only the folder itself
    counts. The folder's real path is looked up once.
    """

    def __init__(self, sessions_dir: Path, state_dir: Path | None = None) -> None:
        self._dir = os.path.abspath(sessions_dir)
        self._real_dir = os.path.realpath(self._dir)
        self._agents = None if state_dir is None else os.path.join(state_dir, "agents")

    def resolve(self, entry: dict[str, Any], thread_id: str | None = None) -> Resolved:
        """The transcript of ``entry``: its ``sessionFile`` when acceptable, else the default.

        ``thread_id`` makes the default name a topic's. The file need not exist.
        """
        named = entry.get("sessionFile")
        refused = None
        if isinstance(named, str) and (named := named.strip()):
            accepted = self._accept(named)
            if accepted is not None:
                return Resolved(Path(accepted))
            refused = named
        return Resolved(self.default(entry.get("sessionId"), thread_id), refused)

    def resolve_text(self, entry: dict[str, Any]) -> str | None:
        """``resolve(entry).path`` as text: for loops over many rows."""
        named = entry.get("sessionFile")
        if isinstance(named, str) and (named := named.strip()):
            accepted = self._accept(named)
            if accepted is not None:
                return accepted
        session_id = entry.get("sessionId")
        if not isinstance(session_id, str):
            return None
        name = names.transcript_name(session_id.strip())
        return None if name is None else f"{self._dir}{os.sep}{name}"

    def default(self, session_id: object, thread_id: str | None = None) -> Path | None:
        """The default path of a session id, None when the id is unsafe."""
        if not isinstance(session_id, str):
            return None
        name = names.transcript_name(session_id.strip(), thread_id)
        return None if name is None else Path(self._dir, name)

    def _accept(self, named: str) -> str | None:
        """The path that ``named`` means; only transcripts count, never the store or a lock."""
        if "\0" in named or not named.endswith(names.SUFFIX):
            return None
        folder, slash, name = named.rpartition(os.sep)
        if folder == self._dir or not slash:
            path = f"{self._dir}{os.sep}{name}"  # the common form needs no look at its parts
        else:
            path = os.path.normpath(os.path.join(self._dir, named))
        if os.path.dirname(path) == self._dir:
            if not os.path.islink(path):
                return path
        elif not self._is_sibling(path) and not _is_below(path, self._dir):
            return self._accept_by_real_path(path)
        real = os.path.realpath(path)
        inside = _is_below(real, self._real_dir) or self._is_sibling(real, real=True)
        return path if inside else None

    def _accept_by_real_path(self, path: str) -> str | None:
        """A path that reaches the folder by another name, as it is called in the folder."""
        real = os.path.realpath(path)
        if not (_is_below(real, self._real_dir) and real.endswith(names.SUFFIX)):
            return None
        return self._dir + real[len(self._real_dir) :]

    def _is_sibling(self, path: str, *, real: bool = False) -> bool:
        if self._agents is None:
            return False
        root = os.path.realpath(self._agents) if real else self._agents
        parts = os.path.relpath(path, root).split(os.sep)
        return len(parts) == 3 and parts[1] == "sessions" and parts[0] not in (os.pardir, "")


def resolve_transcript(
    entry: dict[str, Any],
    sessions_dir: Path,
    *,
    state_dir: Path | None = None,
    thread_id: str | None = None,
) -> Path | None:
    """The transcript path of one row; ``TranscriptFinder`` serves many."""
    return TranscriptFinder(sessions_dir, state_dir).resolve(entry, thread_id).path


def find_transcript(
    entry: dict[str, Any], target: Target, paths: Paths, *, thread_id: str | None = None
) -> Resolved:
    """The transcript to read: the resolved one, else an existing one in an older place.

    Tried after it: the topic's name, the agent's default folder and the legacy
    ``<state>/sessions``. With none on disk the resolved path is returned.
    """
    finder = TranscriptFinder(target.sessions_dir, paths.state_dir)
    resolved = finder.resolve(entry)
    if resolved.path is None or resolved.path.exists():
        return resolved
    session_id = entry.get("sessionId")
    older = (paths.sessions_dir(target.agent_id), paths.under("sessions"))
    candidates = [
        finder.default(session_id, thread_id),
        *(TranscriptFinder(folder).default(session_id) for folder in older),
    ]
    for candidate in candidates:
        if candidate is not None and candidate.is_file() and not candidate.is_symlink():
            return Resolved(candidate, resolved.refused)
    return resolved


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)
