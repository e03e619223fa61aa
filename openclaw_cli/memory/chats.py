"""Which transcripts belong to a workspace, and what each of them says (``dreaming.md`` 3.3).

Runs of scheduled jobs with everything they spawned, and diary runs, are no conversations of
the owner. A transcript is read at most once per sweep; its text is redacted before it is
handed on.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import InvalidConfig, OpenClawError
from openclaw_cli.memory.spoken import LABELS, is_narrative_key, names_narrative, spoken, wrap
from openclaw_cli.memory.text import collapse
from openclaw_cli.sessions import discovery, keys, names
from openclaw_cli.sessions import store as session_store
from openclaw_cli.state import jsonl, redact
from openclaw_cli.state.files import Stat
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

PARENT_FIELDS = ("spawnedBy", "parentSessionKey")


class Piece(NamedTuple):
    """A redacted stretch of a message: its line in the file, its time, ``User: ...``."""

    line: int
    at_ms: int | None
    text: str


@dataclass
class Chat:
    """A transcript of an agent. ``excluded`` ones are not read."""

    agent_id: str
    path: Path
    stat: Stat
    excluded: bool = False
    _pieces: list[Piece] | None = None

    @property
    def reference(self) -> str:
        """The transcript's name in corpus lines."""
        return f"sessions/{self.agent_id}/{self.path.name}"

    @property
    def key(self) -> str:
        """The transcript's key in the checkpoint."""
        return f"{self.agent_id}:{self.reference}"

    @property
    def scope(self) -> str:
        """The scope of its seen messages."""
        stem = self.path.name.removesuffix(names.SUFFIX)
        return f"{self.agent_id}:{names.session_id_of(self.path.name) or stem}"


@dataclass
class Chats:
    """The transcripts of one workspace, in order, and what stood in the way."""

    found: list[Chat] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    patterns: Sequence[redact.Pattern] = ()
    heartbeat_prompts: Sequence[str] = ()

    def pieces(self, chat: Chat) -> list[Piece]:
        """What was said in ``chat``; nothing when it turns out to be a diary run."""
        if chat._pieces is None:
            chat._pieces = self._read(chat)
        return chat._pieces

    def _read(self, chat: Chat) -> list[Piece]:
        records = []
        for line in jsonl.read(chat.path, what="transcript"):
            if names_narrative(line.value):
                chat.excluded = True
                return []
            records.append((line.number, line.value))
        return [
            Piece(said.line, said.at_ms, f"{LABELS[said.role]}: {text}")
            for said in spoken(records, self.heartbeat_prompts)
            for text in wrap(redact.everything(said.text, self.patterns))
        ]


def find(config: Config, paths: Paths, agent_ids: Sequence[str]) -> Chats:
    """The transcripts of the agents of a workspace, ordered by agent and path.

    An agent whose session store cannot be read is left out with a warning: without it
    nobody knows which transcripts are a person's.
    """
    chats = Chats(
        patterns=_patterns(config), heartbeat_prompts=_heartbeat_prompts(config, agent_ids)
    )
    seen: set[str] = set()
    for agent_id in sorted(agent_ids):
        store_path = discovery.store_path(config, paths, agent_id)
        folder = os.path.realpath(store_path.parent)
        if folder in seen:
            continue
        seen.add(folder)
        others = _sharing(config, paths, folder).difference(agent_ids)
        try:
            excluded = _excluded_files(store_path, paths, others)
        except OpenClawError as error:
            chats.warnings.append(f"transcripts of agent {agent_id} are left out: {error.message}")
            continue
        for path, info in _transcripts(store_path.parent):
            chats.found.append(Chat(agent_id, path, info, str(path) in excluded))
    return chats


def _sharing(config: Config, paths: Paths, folder: str) -> set[str]:
    """The agents whose sessions are kept in ``folder``."""
    return {
        agent_id
        for agent_id in agents.agent_ids(config)
        if os.path.realpath(discovery.store_path(config, paths, agent_id).parent) == folder
    }


def _transcripts(folder: Path) -> Iterator[tuple[Path, Stat]]:
    try:
        listed = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in listed:
        if not names.is_live(name) or ".checkpoint." in name:
            continue
        path = folder / name
        try:
            info = path.lstat()
        except FileNotFoundError:
            continue  # archived by another program meanwhile
        if stat.S_ISREG(info.st_mode):
            yield path, Stat(info.st_mtime_ns // 1_000_000, info.st_size)


def _excluded_files(store_path: Path, paths: Paths, others: Collection[str]) -> set[str]:
    """The transcripts of rows that no person talks in, or that are of the agents ``others``."""
    rows = {
        keys.normalize(key): row
        for key, row in session_store.load(store_path).rows.items()
        if isinstance(row, dict)
    }
    finder = discovery.TranscriptFinder(store_path.parent, paths.state_dir)
    found = set()
    for key, row in rows.items():
        if keys.agent_of(key, "") in others or _is_automatic(key, rows):
            path = finder.resolve_text(row)
            if path is not None:
                found.add(path)
    return found


def _is_automatic(key: str, rows: dict[str, dict[str, Any]]) -> bool:
    """Whether a session is a run of a job or of the diary, or was spawned by one."""
    seen: set[str] = set()
    open_keys = [key]
    while open_keys:
        current = open_keys.pop()
        if current in seen:
            continue
        seen.add(current)
        if keys.is_cron_run(current) or is_narrative_key(current):
            return True
        row = rows.get(current, {})
        parents = (row.get(name) for name in PARENT_FIELDS)
        open_keys += [keys.normalize(p) for p in parents if isinstance(p, str) and p.strip()]
    return False


def _patterns(config: Config) -> list[redact.Pattern]:
    try:
        return redact.compile_patterns(config.get("logging", "redactPatterns"))
    except ValueError as error:
        raise InvalidConfig(
            f"logging.redactPatterns{error}",
            path=config.path,
            hint="correct the pattern; chats are not copied while it cannot be applied",
        ) from error


def _heartbeat_prompts(config: Config, agent_ids: Sequence[str]) -> list[str]:
    blocks = [agents.agent_block(config, agent_id, "heartbeat") for agent_id in agent_ids]
    prompts = (block.get("prompt") for block in blocks)
    return [text for p in prompts if isinstance(p, str) and (text := collapse(p))]
