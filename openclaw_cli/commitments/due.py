"""Which rows are due, in which order, and what holds the others back. Pure.

A row is due for exactly its own agent and session; at most three at once, all of one
conversation, within the daily cap (``commitments.md`` 7 and 11.8).
"""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_cli.commitments.record import (
    Row,
    conversation,
    due_order,
    earliest_ms,
    expires_at_ms,
    is_active,
)
from openclaw_cli.state.clock import DAY_MS, HOUR_MS, MINUTE_MS
from openclaw_cli.state.tuples import NamedTuple

BATCH_LIMIT = 3
SESSIONS_PER_RUN = 10
MAX_ATTEMPTS = 5

# How long after its n-th attempt a row rests.
BACKOFF_MS = (30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS)

NOT_YET, SNOOZED, ATTEMPTS = "not-yet", "snoozed", "attempts"
DAILY_CAP, BATCH = "daily-cap", "batch-limit"
HELD_REASONS = (NOT_YET, SNOOZED, DAILY_CAP, BATCH, ATTEMPTS)


class Due(NamedTuple):
    """The rows of one session that may be delivered now, and the others with the reason."""

    rows: list[Row]
    held: list[tuple[Row, str]]


def query(
    rows: Iterable[Row], agent_id: str, session_key: str, *, now_ms: int, max_per_day: int
) -> Due:
    """What is due for one agent and session, first due first.

    The limit of a batch applies before rows of another conversation are left out, so a
    fourth row of the same conversation waits for the next query.
    """
    own = [r for r in rows if r["agentId"] == agent_id and r["sessionKey"] == session_key]
    ready: list[Row] = []
    held: list[tuple[Row, str]] = []
    for row in own:
        if not is_active(row) or expires_at_ms(row) < now_ms:
            continue
        reason = held_by_itself(row, now_ms)
        if reason is None:
            ready.append(row)
        else:
            held.append((row, reason))
    ready.sort(key=due_order)
    left = max(0, max_per_day - sent_lately(own, now_ms))
    held += [(row, DAILY_CAP) for row in ready[left:]]
    allowed = ready[:left]
    batch = [row for row in allowed[:BATCH_LIMIT] if conversation(row) == conversation(allowed[0])]
    held += [(row, BATCH) for row in allowed if all(row is not kept for kept in batch)]
    return Due(batch, held)


def held_by_itself(row: Row, now_ms: int) -> str | None:
    """Why an active row is not ready, looking at the row alone; None when it is."""
    if earliest_ms(row) > now_ms:
        return NOT_YET
    if row["status"] == "snoozed" and row.get("snoozedUntilMs", 0) > now_ms:
        return SNOOZED
    if row["attempts"] >= MAX_ATTEMPTS or next_attempt_ms(row) > now_ms:
        return ATTEMPTS
    return None


def next_attempt_ms(row: Row) -> float:
    """When the back-off of earlier attempts ends; 0 for a row without any."""
    last = row.get("lastAttemptAtMs")
    if not row["attempts"] or last is None:
        return 0
    at: float = last + BACKOFF_MS[min(int(row["attempts"]), len(BACKOFF_MS)) - 1]
    return at


def sent_lately(rows: Iterable[Row], now_ms: int) -> int:
    """Rows sent in the last 24 hours; exactly 24 hours ago still counts."""
    return sum(1 for row in rows if _sent_at(row) >= now_ms - DAY_MS)


def next_slot_ms(
    rows: Iterable[Row], agent_id: str, session_key: str, *, now_ms: int, max_per_day: int
) -> float | None:
    """When the daily cap lets the session have another one; None when it does now."""
    stamps = sorted(
        _sent_at(row)
        for row in rows
        if row["agentId"] == agent_id
        and row["sessionKey"] == session_key
        and _sent_at(row) >= now_ms - DAY_MS
    )
    if len(stamps) < max_per_day:
        return None
    return stamps[len(stamps) - max_per_day] + DAY_MS + 1


def by_session(
    rows: Iterable[Row], agent_id: str | None = None
) -> dict[tuple[str, str], list[Row]]:
    """The rows (of one agent) grouped by agent and session, in file order."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if agent_id is None or row["agentId"] == agent_id:
            groups.setdefault((row["agentId"], row["sessionKey"]), []).append(row)
    return groups


def sessions_with_due(
    rows: Iterable[Row], agent_id: str, *, now_ms: int, max_per_day: int
) -> list[str]:
    """Session keys of the agent with something due: the first ten of the file, sorted."""
    found: list[str] = []
    for (_, key), own in by_session(rows, agent_id).items():
        if query(own, agent_id, key, now_ms=now_ms, max_per_day=max_per_day).rows:
            found.append(key)
        if len(found) == SESSIONS_PER_RUN:
            break
    return sorted(found)


def _sent_at(row: Row) -> float:
    """When the row was sent, or a time before any when it was not."""
    if row["status"] != "sent":
        return -1
    at: float = row.get("sentAtMs", -1)
    return at
