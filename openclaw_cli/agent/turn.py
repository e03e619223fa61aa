"""One turn of an agent: a message in, an answer out, the state left as documented.

``speak`` is what messages, heartbeats and scheduled tasks share: repair, flush, context,
pruning, model, transcript lines, counters, compaction (``sessions.md`` 14.2). Routing,
resets and delivery are ``inbound``'s.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_cli.agent import condense, exchange
from openclaw_cli.agent.draft import Draft
from openclaw_cli.errors import Interrupted
from openclaw_cli.model import refs
from openclaw_cli.model.failures import ModelFailure, NoModel, Overflow
from openclaw_cli.sessions import compaction, entry, repair
from openclaw_cli.sessions.model_in_use import ModelResolver

if TYPE_CHECKING:
    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.agent.session import Place
    from openclaw_cli.agent.speech import Speech
    from openclaw_cli.sessions.entry import Row


@dataclass
class Spoken:
    """What came of it: the answer, the row as written, and remarks for people."""

    answer: Answer
    row: Row
    path: Path
    window: int
    notes: list[str] = field(default_factory=list)
    compacted: bool = False


def speak(place: Place, row: Row, path: Path, speech: Speech) -> Spoken:
    """Hold one exchange in the session whose turn the caller holds.

    Flush check, context, pruning, the user line, the model, its lines, the counters; then
    a compaction when the window is nearly full. A failed or aborted call leaves the user
    line with an assistant line of stop reason ``error`` or ``aborted``, never half a line.
    Raises the ``ModelFailure``.
    """
    model = speech.model or _pinned(place, row)
    window = condense.window_of(place.config, model, place.agent_id)
    notes = _repaired(place, row, path)
    now = time.monotonic()
    # What is done before the turn leaves it half of the time at least.
    housekeeping = now + speech.timeout_s / 2
    subject = condense.Subject(place, row, path, model, window, until=housekeeping)
    draft = Draft(place, row, path, speech, model, now + speech.timeout_s)
    try:
        if speech.record and speech.is_person and condense.flush_is_due(subject, speech.text):
            warning = condense.flush(subject)
            notes += [warning] if warning else []
        early = speech.record_first and condense.has_outgrown(subject)
        compacted = early and _condensed(subject, notes)
        draft.begin()
        answer = _asked(draft, subject, window)
    except ModelFailure as failure:
        draft.fail("error", failure.message)
        raise
    except (Interrupted, KeyboardInterrupt):
        draft.fail("aborted", "the run was stopped")
        raise
    written = draft.finish(answer, window)
    spoken = Spoken(answer, written, path, window, notes, compacted or draft.follows)
    # A run that leaves no line, such as an acknowledged heartbeat, condenses nothing either.
    if draft.is_kept:
        _compact_if_due(spoken, subject)
    return spoken


def _asked(draft: Draft, subject: condense.Subject, window: int) -> Answer:
    """The answer; a context that overflows is condensed once and asked again."""
    config, now_ms = draft.place.config, draft.place.now_ms
    try:
        return exchange.hold(config, draft.ask(window), now_ms=now_ms)
    except Overflow as failure:
        is_our_guess = isinstance(failure, exchange.NoRoom)
        if not _made_room(draft, subject, window) and not is_our_guess:
            raise
        draft.checks_room = False  # now it is for the provider to say whether it fits
        return exchange.hold(config, draft.ask(window), now_ms=now_ms)


def _made_room(draft: Draft, subject: condense.Subject, window: int) -> bool:
    if not draft.speech.with_history or not subject.path.exists():
        return False
    subject.until = draft.until
    if not condense.condense(subject, keep_tokens=window // 8).done:
        return False
    draft.follow_compaction()
    return True


def _compact_if_due(spoken: Spoken, subject: condense.Subject) -> None:
    total = spoken.answer.context_tokens + spoken.answer.last_output_tokens
    if not compaction.is_due(total, spoken.window, subject.settings):
        return
    subject.row, subject.until = spoken.row, None
    if _condensed(subject, spoken.notes):
        spoken.compacted = True
        spoken.row = subject.place.row() or spoken.row


def _condensed(subject: condense.Subject, notes: list[str]) -> bool:
    """Condense what came before; a failure is noted, and the next turn tries again."""
    try:
        return condense.condense(subject).done
    except ModelFailure as failure:
        notes.append(f"the conversation could not be condensed: {failure.message}")
        return False


def _pinned(place: Place, row: Row) -> str | None:
    """The model that the row pins, as a name for the model layer; None for the default."""
    if not entry.text(row, "modelOverride"):
        return None
    pinned = ModelResolver(place.config).in_use(row, place.agent_id)
    return str(pinned) if pinned.name else None


def _repaired(place: Place, row: Row, path: Path) -> list[str]:
    """Put a damaged transcript right before writing to it; what was done, for people."""
    plan = repair.plan(
        path, session_id=str(row.get("sessionId")), now_ms=place.now_ms, cwd=str(path.parent)
    )
    if plan is None:
        return []
    kept = repair.apply(path, plan, now_ms=place.now_ms)
    return [f"the transcript was damaged and has been put right; the old file is {kept}"]


def require_model(place: Place, asked: str | None) -> None:
    """Raise ``NoModel`` before anything is written when no model is configured at all."""
    choice = (
        refs.choose(place.config, place.agent_id, asked)
        if asked
        else refs.default_choice(place.config, place.agent_id)
    )
    if not choice.refs:
        raise NoModel(
            f"no model is configured for agent {place.agent_id}",
            hint="openclaw config set agents.defaults.model provider/model",
        )
