"""The heartbeat of one agent as it is told afterwards, and its event (``heartbeat.md`` 10).

Events are kept in the heartbeat state: the last one of all, and the last of each agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import channels, outbox
from openclaw_cli.heartbeat import look, state
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.delivery.targets import Target
    from openclaw_cli.heartbeat.look import Look

RAN, SKIPPED, FAILED = "ran", "skipped", "failed"
PREVIEW_UNITS = 200
_INDICATORS = {"sent": "alert", "ok-token": "ok", "ok-empty": "ok", "failed": "error"}


@dataclass
class Beat:
    """What came of one agent's heartbeat."""

    agent_id: str
    status: str = SKIPPED
    reason: str | None = None
    sent: bool = False
    duration_ms: int = 0
    next_due_ms: int | None = None
    event: dict[str, Any] | None = None
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    commitments: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    stripped_chars: int = 0

    def to_json(self) -> dict[str, Any]:
        """The agent's part of the report of ``heartbeat run`` (``design.md`` 3.1)."""
        shown = {k: v for k, v in (self.event or {}).items() if k != "preview"}
        return {
            "agentId": self.agent_id,
            "status": self.status,
            "reason": self.reason,
            "sent": self.sent,
            "durationMs": self.duration_ms,
            "nextDueAtMs": self.next_due_ms,
            "event": shown or None,
            "deliveries": self.deliveries,
            "commitments": self.commitments,
            "tasks": self.tasks,
            "problems": self.problems,
            "usage": self.usage,
            "strippedChars": self.stripped_chars,
        }

    def end(self, status: str, reason: str | None) -> None:
        """Tell how the ordinary run ended."""
        self.status, self.reason = status, reason

    def add_usage(self, usage: dict[str, int]) -> None:
        """Count the tokens of one more exchange."""
        for name, count in usage.items():
            self.usage[name] = self.usage.get(name, 0) + count

    def add_delivery(self, record: outbox.Record) -> None:
        """Tell of a delivery; its text only where it was handed over."""
        shown = {name: record.get(name) for name in ("id", "channel", "to", "status", "error")}
        if record["status"] in outbox.HANDED_OVER:
            shown["text"] = record["text"]
        self.deliveries.append({k: v for k, v in shown.items() if v is not None})


def begin(found: Look) -> Beat:
    """The report of a run that is about to begin, or that ``found.reason`` keeps back."""
    listed = found.checklist.tasks if found.checklist else []
    due = {id(task) for task in found.tasks}
    problems = found.checklist.problems if found.checklist else []
    return Beat(
        found.agent_id,
        reason=found.reason,
        tasks=[{"name": t.name, "due": id(t) in due, "ran": False} for t in listed],
        problems=[problem._asdict() for problem in problems],
    )


class Outcome(NamedTuple):
    """How a run ended, for its event; ``took`` is in seconds.

    ``target`` is the place that it was about, where that is not the heartbeat's own.
    """

    status: str
    reason: str | None = None
    took: float | None = None
    preview: str = ""
    silent: bool = False
    target: Target | None = None


def note(found: Look, beat: Beat, outcome: Outcome) -> None:
    """Write the event of a run."""
    place = found.target if outcome.target is None else outcome.target
    known = place.channel if place.problem is None else None
    visible = channels.visibility(found.config, known, place.account_id)
    hidden = outcome.reason == look.ALERTS_OFF and not visible.shows_nothing
    kind = _INDICATORS.get(outcome.status, "alert" if hidden else None)
    told = {
        "ts": clock.now_ms(),
        "status": outcome.status,
        "reason": outcome.reason,
        "to": place.to,
        "preview": _preview(outcome.preview),
        "durationMs": None if outcome.took is None else int(outcome.took * 1000),
        "hasMedia": False,
        "channel": place.channel,
        "accountId": place.account_id,
        "silent": outcome.silent,
        "indicatorType": kind if visible.use_indicator else None,
    }
    event = {name: value for name, value in told.items() if value is not None}
    beat.event = event

    def write(known: dict[str, Any]) -> None:
        known["lastEvent"] = event | {"agentId": found.agent_id}
        state.agent_state(known, found.agent_id)["lastEvent"] = event

    state.change(found.config.paths, write)


def _preview(text: str) -> str | None:
    if not text:
        return None
    from openclaw_cli.memory.text import cut_utf16

    return cut_utf16(text, PREVIEW_UNITS)


def note_once(found: Look, beat: Beat, reason: str) -> None:
    """The event of a run that will be tried again soon: written once, not at each try."""
    last = state.peek(state.read(found.config.paths), found.agent_id).get("lastEvent")
    before = last if isinstance(last, dict) else {}
    if (before.get("status"), before.get("reason")) != ("skipped", reason):
        note(found, beat, Outcome("skipped", reason))
    else:
        beat.event = before
