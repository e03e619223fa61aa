"""``sessions compact``: the model's summary, asked for outside a chat (``sessions.md`` 9.3)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import condense, session
from openclaw_cli.agent.session import Place
from openclaw_cli.sessions import compaction, context, transcript
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.sessions.selection import Selected
    from openclaw_cli.sessions.work import Work


class Wish(NamedTuple):
    """What to keep in view, and the limit of the wait and of the summary (None: settings)."""

    instructions: str = ""
    timeout_s: float | None = None


def summarise(selected: Selected, wish: Wish, work: Work) -> dict[str, Any]:
    """Condense the session of ``selected`` under its turn lock; what came of it.

    Raises ``ModelFailure`` when no summary could be had (nothing is written then), and
    ``Busy`` while a turn of the session runs.
    """
    place, row = _place_of(selected, work), selected.row
    if not isinstance(row, dict) or not session.usable(row):
        return _skipped(selected.key, "no sessionId")
    window = condense.window_of(work.config, None, place.agent_id)
    with session.turn(place, row, wait_s=wish.timeout_s or 0) as (held, path):
        limit_s = wish.timeout_s
        until = None if limit_s is None else time.monotonic() + limit_s
        subject = condense.Subject(place, held, path, None, window, limit_s, until)
        done = condense.condense(subject, focus=wish.instructions)
    if not done.done:
        return _skipped(selected.key, done.reason)
    result = {"tokensBefore": done.tokens_before, "tokensAfter": done.tokens_after}
    return {"ok": True, "key": selected.key, "compacted": True, "result": result}


def preview(selected: Selected, work: Work) -> dict[str, Any]:
    """What ``summarise`` would work on; asks nobody and changes nothing."""
    place, row = _place_of(selected, work), selected.row
    if not isinstance(row, dict) or not session.usable(row):
        return _skipped(selected.key, "no sessionId") | {"dryRun": True}
    messages = context.build(transcript.read(place.transcript_path(row)).entries).messages
    total = compaction.estimate_tokens([item.message for item in messages])
    cut = compaction.cut(messages, max(1, total // 2))
    found = {"key": selected.key, "dryRun": True, "messages": len(messages), "tokens": total}
    return {"ok": True, "compacted": False, "wouldCompact": cut is not None, **found}


def _place_of(selected: Selected, work: Work) -> Place:
    return Place(
        work.config,
        selected.target.agent_id,
        selected.key,
        work.now_ms,
        command=work.command,
        store=selected.target.store_path,
    )


def _skipped(key: str, reason: str | None) -> dict[str, Any]:
    return {"ok": True, "key": key, "compacted": False, "reason": reason}
