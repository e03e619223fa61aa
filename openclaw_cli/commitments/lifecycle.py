"""The status machine: every change of a row, as pure functions that yield steps.

Active rows (pending, snoozed) alone may change status; the rest is terminal
(``commitments.md`` 3, 10.1 and 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from openclaw_cli.commitments import record
from openclaw_cli.commitments.record import Row
from openclaw_cli.commitments.store import Step, Store
from openclaw_cli.errors import UnknownName
from openclaw_cli.state.clock import iso
from openclaw_cli.state.tuples import NamedTuple

OVERDUE = "its window closed more than 72 h ago"

_STAMPS = {"sent": "sentAtMs", "dismissed": "dismissedAtMs", "expired": "expiredAtMs"}


class Outcome(NamedTuple):
    """What a command over ids comes to: steps, and where each id ended up.

    ``unchanged`` maps an id to the status that it has (after expiry).
    """

    steps: list[Step]
    changed: list[str]
    unchanged: dict[str, str]
    unknown: list[str]


def end(row: Row, status: str, now_ms: int) -> Row:
    """``row`` in a terminal status, stamped."""
    return {**row, "status": status, "updatedAtMs": now_ms, _STAMPS[status]: now_ms}


def expire_overdue(store: Store, now_ms: int) -> list[Step]:
    """Steps that mark every active row whose grace is over."""
    return [
        Step(index, end(row, "expired", now_ms), "expired", OVERDUE)
        for index, row in enumerate(store.rows)
        if row is not None and record.is_overdue(row, now_ms)
    ]


def dismiss(store: Store, ids: Sequence[str], now_ms: int) -> Outcome:
    """Dismiss the active rows among ``ids``; an overdue one is expired instead."""
    return _for_each(
        store, ids, now_ms, lambda row: (end(row, "dismissed", now_ms), "dismissed", "by command")
    )


def snooze(store: Store, ids: Sequence[str], until: Mapping[str, int], now_ms: int) -> Outcome:
    """Put the active rows among ``ids`` to sleep; ``until`` maps each id to an instant."""

    def asleep(row: Row) -> tuple[Row, str, str]:
        at = until[row["id"]]
        return snoozed(row, at, now_ms), "snoozed", f"by command, until {iso(at)}"

    return _for_each(store, ids, now_ms, asleep)


def snoozed(row: Row, until_ms: int, now_ms: int) -> Row:
    """``row`` asleep until ``until_ms``.

    A sleep past the end of the window moves the end to it plus the old width of the
    window, so that the row does not expire asleep.
    """
    window = row["dueWindow"]
    if until_ms > window["latestMs"]:
        width = window["latestMs"] - window["earliestMs"]
        window = {**window, "latestMs": until_ms + width}
    return {
        **row,
        "status": "snoozed",
        "dueWindow": window,
        "updatedAtMs": now_ms,
        "snoozedUntilMs": until_ms,
    }


def find(store: Store, row_id: str) -> tuple[int, Row]:
    """Place and row of ``row_id``; the first one where an id stands twice.

    Raises ``UnknownName``.
    """
    for index, row in enumerate(store.rows):
        if row is not None and row["id"] == row_id:
            return index, row
    raise UnknownName(
        f"no commitment has the id {row_id}",
        path=store.path,
        hint="'openclaw commitments --all --json' lists the full ids",
    )


def attempted(row: Row, now_ms: int) -> Row:
    """``row`` about to be offered to the model, or found undeliverable."""
    return {
        **row,
        "attempts": row["attempts"] + 1,
        "lastAttemptAtMs": now_ms,
        "updatedAtMs": now_ms,
    }


def _for_each(
    store: Store,
    ids: Sequence[str],
    now_ms: int,
    change: Callable[[Row], tuple[Row, str, str]],
) -> Outcome:
    outcome = Outcome([], [], {}, [])
    places: dict[str, list[tuple[int, Row]]] = {}
    for index, row in enumerate(store.rows):
        if row is not None:
            places.setdefault(row["id"], []).append((index, row))
    for row_id in dict.fromkeys(ids):
        if row_id not in places:
            outcome.unknown.append(row_id)
        for index, row in places.get(row_id, []):
            if record.is_overdue(row, now_ms):
                expired = end(row, "expired", now_ms)
                outcome.steps.append(Step(index, expired, "expired", OVERDUE))
                outcome.unchanged[row_id] = "expired"
            elif record.is_active(row):
                outcome.steps.append(Step(index, *change(row)))
                if row_id not in outcome.changed:
                    outcome.changed.append(row_id)
            else:
                outcome.unchanged[row_id] = row["status"]
    return outcome
