"""What one turn says to the model and how: the parameters of ``turn.speak``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, tools

if TYPE_CHECKING:
    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.heartbeat.events import Event

DEFAULT_TIMEOUT_S = 600.0


@dataclass
class Speech:
    """What ``speak`` says to the model and how.

    ``text`` is the user message of the transcript, unless ``record`` is False; ``prompt``
    replaces it in the request (hidden instructions). ``record_first`` writes it before the
    call, so that a crash cannot lose it; else it is written with the answer, and only when
    ``keep`` says so of the answer. ``events`` are the session's waiting lines, told before the
    user message and used up with it. ``sections`` go into the system prompt; ``only_files``
    limits the bootstrap files. ``offer`` are the tools, of which ``extra_tools`` runs those
    that are not memory's. ``timeout_s`` limits all that comes before the answer stands: the
    flush, every call, a compaction when the context overflows. ``is_person`` tells a
    person's message from a turn of the system, which touches neither the idle clock nor routing.
    """

    text: str
    purpose: str = "agent"
    prompt: str | None = None
    record: bool = True
    record_first: bool = True
    message_fields: dict[str, Any] = field(default_factory=dict)
    events: Sequence[Event] = ()
    sections: Sequence[str] = ()
    only_files: Sequence[str] = bootstrap.NAMES
    with_history: bool = True
    offer: Sequence[dict[str, Any]] = tuple(tools.DEFINITIONS)
    extra_tools: dict[str, Callable[[dict[str, Any]], str]] = field(default_factory=dict)
    is_over: Callable[[], bool] | None = None
    model: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    stream: Callable[[str], None] | None = None
    is_person: bool = True
    keep: Callable[[Answer], bool] = lambda _answer: True
