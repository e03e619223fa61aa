"""Conversations as a source of search: transcripts as notes of an index (``memory.md`` 2.1).

On wish (``sources`` with ``sessions`` and ``experimental.sessionMemory``) search looks into
what people and the assistant said to each other. A transcript is indexed without secrets and
without what nobody said; its lines are those of the file. What is found counts as no recall.
"""

from __future__ import annotations

from functools import partial
from zoneinfo import ZoneInfo

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.memory import chats
from openclaw_cli.memory.chats import Chat
from openclaw_cli.memory.index_notes import Message, NoteState, state_of
from openclaw_cli.memory.workspace import MemoryFile
from openclaw_cli.state import clock
from openclaw_cli.state.paths import Paths


class Conversations:
    """The transcripts of an agent that search looks into.

    ``issues`` tell what stands in the way: then nobody knows how many there are.
    """

    def __init__(self, config: Config, paths: Paths, agent_id: str) -> None:
        self._chats = chats.find(config, paths, [agent_id])
        self._zone: ZoneInfo = agents.user_zone(config)
        self.files = {
            f"sessions/{chat.path.name}": chat for chat in self._chats.found if not chat.excluded
        }
        self.issues = self._chats.warnings

    def notes(self) -> list[NoteState]:
        """The transcripts as they are now."""
        listed = [MemoryFile(str(chat.path), name) for name, chat in self.files.items()]
        return [
            state._replace(said=partial(self._said, self.files[state.path]))
            for state in state_of(listed)
        ]

    def _said(self, chat: Chat) -> list[Message]:
        return [
            Message(
                piece.line,
                piece.text,
                None if piece.at_ms is None else clock.day_in(piece.at_ms, self._zone),
            )
            for piece in self._chats.pieces(chat)
        ]
