"""The searchable memory of one agent: its settings, notes, provider and index."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.errors import ModelUnavailable
from openclaw_cli.memory import index
from openclaw_cli.memory.index_build import IndexFile, Report
from openclaw_cli.memory.index_notes import NoteState, state_of
from openclaw_cli.memory.index_schema import KEYWORD_MODEL, Identity, sha256
from openclaw_cli.memory.search_settings import KEYWORD_ONLY, SearchSettings, search_settings
from openclaw_cli.memory.workspace import CONVERSATIONS, NOTES, Scan, Workspace, scan_memory
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths

if TYPE_CHECKING:
    import sqlite3
    from datetime import date

    from openclaw_cli.memory.conversations import Conversations
    from openclaw_cli.memory.vectors import Embedder


@dataclass
class Memory:
    """The searchable memory of one agent (its normalised id)."""

    config: Config
    paths: Paths
    agent_id: str
    now_ms: int

    def __post_init__(self) -> None:
        self.settings = search_settings(self.config, self.agent_id)
        root = agents.workspace_dir(self.config, self.paths, self.agent_id)
        self.workspace = Workspace(root)

    @property
    def index_path(self) -> Path:
        """Where the index is."""
        return self.paths.under("memory", f"{self.agent_id}.sqlite")

    def scan(self) -> Scan:
        """The memory files that there are."""
        extra = self.settings.extra_dirs(self.workspace.root, self.paths)
        return scan_memory(self.workspace, extra, display=self.paths.display)

    def conversations(self) -> Conversations | None:
        """The transcripts that search looks into; None when it is to look into none."""
        if CONVERSATIONS not in self.settings.sources:
            return None
        from openclaw_cli.memory.conversations import Conversations

        return Conversations(self.config, self.paths, self.agent_id)

    def notes(self) -> list[NoteState]:
        """What is to be indexed, as it is now."""
        found = state_of(self.scan().files) if NOTES in self.settings.sources else []
        spoken = self.conversations()
        return found if spoken is None else found + spoken.notes()

    def issues(self) -> list[str]:
        """What stands in the way of looking into everything."""
        found = self.scan().issues if NOTES in self.settings.sources else []
        spoken = self.conversations()
        return found if spoken is None else found + spoken.issues

    def today(self) -> date:
        """The user's day."""
        return clock.local(self.now_ms, agents.user_zone(self.config)).date()

    def embedder(self, warnings: list[str]) -> Embedder | None:
        """The embedding provider; None for keywords only. A missing one is warned of once.

        Raises ``ModelUnavailable`` when a provider that was named cannot be used.
        """
        if self.settings.keyword_only:
            return None
        from openclaw_cli.memory import vectors

        try:
            return vectors.find_embedder(self.config, self.agent_id, self.settings, self.now_ms)
        except ModelUnavailable as error:
            if self.settings.explicit:
                raise
            warnings.append(f"searched by keywords only: {error.message}")
            return None

    def index_file(self, embedder: Embedder | None, *, asked_for: bool = False) -> IndexFile:
        """The index for a search with or without embeddings."""
        return IndexFile(
            self.index_path,
            make_identity(self.settings, embedder),
            self.now_ms,
            keep_embeddings=embedder is None and self.settings.provider != KEYWORD_ONLY,
            asked_for=asked_for,
        )

    @contextlib.contextmanager
    def opened(
        self,
        embedder: Embedder | None,
        *,
        sync: bool = True,
        force: bool = False,
        asked_for: bool = False,
    ) -> Iterator[tuple[sqlite3.Connection, Report]]:
        """The index with every wanted embedding in it; for the options see ``index.opened``."""
        from openclaw_cli.state import lock

        place = self.index_file(embedder, asked_for=asked_for)
        with index.opened(place, self.notes(), sync=sync, force=force) as (db, report):
            if embedder is not None:
                from openclaw_cli.memory import vectors

                vectors.embed_missing(db, embedder, lambda: lock.file_lock(place.path))
            yield db, report


def make_identity(settings: SearchSettings, embedder: Embedder | None) -> Identity:
    """What an index has to be built for."""
    scope = ""
    if settings.extra_paths:
        scope = sha256("\n".join(settings.extra_paths))
    return Identity(
        model=embedder.model if embedder else KEYWORD_MODEL,
        provider=embedder.place.provider if embedder else KEYWORD_ONLY,
        provider_key=embedder.key if embedder else KEYWORD_ONLY,
        sources=settings.sources,
        scope_hash=scope,
        chunk_tokens=settings.chunk_tokens,
        chunk_overlap=settings.chunk_overlap,
        tokenizer=settings.tokenizer,
    )
