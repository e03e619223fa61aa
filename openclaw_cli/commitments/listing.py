"""The documents that listings print (``commitments.md`` 10, 10.1). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from openclaw_cli.commitments import blocking, due
from openclaw_cli.commitments.blocking import AgentFacts, Hint
from openclaw_cli.commitments.record import (
    ACTIVE,
    STATUSES,
    Row,
    due_order,
    expires_at_ms,
    is_active,
    public,
)
from openclaw_cli.commitments.store import Store
from openclaw_cli.errors import UnknownName
from openclaw_cli.state.tuples import NamedTuple


class Filter(NamedTuple):
    """Which rows a listing shows; ``status`` None is every status."""

    status: str | None
    agent_id: str | None

    @property
    def statuses(self) -> Sequence[str]:
        """The statuses shown; an empty word stands for everything that is open."""
        if self.status is None:
            return STATUSES
        return (self.status,) if self.status else ACTIVE

    def keeps(self, row: Row) -> bool:
        """Whether ``row`` is shown."""
        return row["status"] in self.statuses and self.agent_id in (None, row["agentId"])


class Surroundings(NamedTuple):
    """What decides about delivery besides the rows.

    ``in_flight`` maps ids of rows that wait for the outbox to the reason.
    """

    feature_on: bool
    max_per_day: int
    now_ms: int
    facts: dict[str, AgentFacts]
    in_flight: dict[str, str]


def make_filter(*, show_all: bool, status: str | None, agent: str | None) -> Filter:
    """The filter that the options mean; raises ``UnknownName`` for a status word."""
    word = "pending" if status is None else status.strip()
    if not show_all and word and word not in STATUSES:
        raise UnknownName(
            f"unknown commitment status {word!r}; use one of: {', '.join(STATUSES)}",
            code="unknown-status",
        )
    reported = None if show_all else word
    return Filter(reported, (agent or "").strip() or None)


def document(store: Store, chosen: Filter, around: Surroundings) -> dict[str, Any]:
    """The list document; an empty status word is reported as ``pending``."""
    rows = sorted((row for row in store.valid if chosen.keeps(row)), key=due_order)
    return {
        "count": len(rows),
        "status": "pending" if chosen.status == "" else chosen.status,
        "agentId": chosen.agent_id,
        "store": str(store.path),
        "commitments": [public(row) for row in rows],
        "invalidRows": len(store.invalid),
        "hints": [hint._asdict() for hint in _hints(store, chosen, around, empty=not rows)],
    }


def due_document(
    rows: Sequence[Row], agent_id: str | None, session_key: str | None, around: Surroundings
) -> dict[str, Any]:
    """What is due now per conversation, what is held back, and what blocks delivery."""
    shown: list[Row] = []
    held: Counter[str] = Counter(dict.fromkeys(due.HELD_REASONS, 0))
    for (agent, key), own in sorted(due.by_session(rows, agent_id).items()):
        if session_key is not None and key != session_key:
            continue
        found = _due_of(own, agent, key, around)
        shown += found.rows
        held.update(reason for _, reason in found.held)
    return {
        "count": len(shown),
        "commitments": [public(row) for row in shown],
        "held": dict(held),
        "blocked": _blocked_for_all(around),
        "blockedByAgent": {
            name: blocking.blocked(around.feature_on, fact) for name, fact in around.facts.items()
        },
    }


def show_document(rows: Sequence[Row], row: Row, around: Surroundings) -> dict[str, Any]:
    """One row, whether it is due, and if not what holds it back."""
    held_by = None
    is_due = False
    if not is_active(row):
        held_by = row["status"]
    elif expires_at_ms(row) < around.now_ms:
        held_by = "expired"
    else:
        found = _due_of(rows, row["agentId"], row["sessionKey"], around)
        is_due = any(kept is row for kept in found.rows)
        held_by = next((reason for other, reason in found.held if other is row), None)
    return {
        "commitment": public(row),
        "due": is_due,
        "heldBy": held_by,
        "blocked": _blocked_for_all(around),
        "expiresAtMs": expires_at_ms(row) if is_active(row) else None,
    }


def _due_of(rows: Sequence[Row], agent: str, key: str, around: Surroundings) -> due.Due:
    """The due query without the open rows that wait for the outbox, which are held."""
    waiting = [row for row in rows if is_active(row) and row["id"] in around.in_flight]
    free = [row for row in rows if not any(row is held for held in waiting)]
    found = due.query(free, agent, key, now_ms=around.now_ms, max_per_day=around.max_per_day)
    own = [row for row in waiting if (row["agentId"], row["sessionKey"]) == (agent, key)]
    return due.Due(found.rows, found.held + [(row, around.in_flight[row["id"]]) for row in own])


def _blocked_for_all(around: Surroundings) -> str | None:
    """The reason that blocks every agent concerned, the first one's where they differ."""
    reasons = [blocking.blocked(around.feature_on, fact) for fact in around.facts.values()]
    return None if not reasons or None in reasons else reasons[0]


def _hints(store: Store, chosen: Filter, around: Surroundings, *, empty: bool) -> list[Hint]:
    concerned = [row for row in store.valid if chosen.agent_id in (None, row["agentId"])]
    hints = blocking.delivery_hints(
        concerned,
        around.facts.values(),
        feature_on=around.feature_on,
        max_per_day=around.max_per_day,
        now_ms=around.now_ms,
    )
    if empty:
        counts = Counter(row["status"] for row in concerned)
        hints += blocking.empty_hints(counts, chosen.statuses)
    return hints
