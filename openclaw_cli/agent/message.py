"""A person's message on its way in, and what came of it (``sessions.md`` 14.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_cli.agent.speech import DEFAULT_TIMEOUT_S

if TYPE_CHECKING:
    from openclaw_cli.agent.turn import Spoken
    from openclaw_cli.sessions.entry import Row
    from openclaw_cli.sessions.routing import Inbound

ANSWERED, COMMAND, IGNORED, DROPPED, RECORDED = "ok", "command", "ignored", "dropped", "recorded"


@dataclass
class Message:
    """What came in, and how it is to be answered.

    ``received_ms`` is when this process took it; a stop after that drops it while it waits.
    ``by_program`` marks what a webhook or a node sent: nobody there is the owner.
    ``stream`` gets the answer as it comes.
    """

    text: str
    inbound: Inbound
    agent_id: str
    key: str
    received_ms: int
    model: str | None = None
    thinking: str | None = None
    verbose: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    stream: Callable[[str], None] | None = None
    by_program: bool = False


@dataclass
class Reply:
    """What came of a message.

    ``text`` is what may be delivered (empty: nothing); ``deliverable`` is False when the
    send policy forbids it, ``reason`` says why something was not done. ``notice`` is a word
    of the program itself that goes behind the answer.
    """

    status: str
    key: str
    text: str = ""
    reason: str | None = None
    deliverable: bool = True
    row: Row | None = None
    path: Path | None = None
    spoken: Spoken | None = None
    reset: str | None = None
    notice: str = ""
    notes: list[str] = field(default_factory=list)
