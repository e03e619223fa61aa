"""From a model's candidate to a stored row: checks, due window, merge. Pure.

``commitments.md`` 6 and 11.5 to 11.7. A candidate belongs to one item (an exchange), whose
agent, session and recipient it takes over unchanged. It is due at the earliest one
heartbeat interval after it is stored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.commitments import due_times, lifecycle, record, texts
from openclaw_cli.commitments.record import Row, is_active, text_of
from openclaw_cli.commitments.store import Step, Store
from openclaw_cli.state.clock import HOUR_MS, day_in, find_zone
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

ORDINARY_CONFIDENCE = 0.72
CARE_CONFIDENCE = 0.86
DEFAULT_WINDOW_MS = 12 * HOUR_MS
REPEAT_QUIET_MS = 72 * HOUR_MS

_SCOPE = ("agentId", "sessionKey", "channel", "accountId", "to", "threadId", "senderId")
_ORIGIN = ("sourceMessageId", "sourceRunId")


class Item(NamedTuple):
    """One exchange as it is offered to the model.

    ``scope`` holds the row fields of ``_SCOPE`` and ``_ORIGIN`` that are known; ``now_ms``
    is the time of the turn, ``zone_name`` the user's zone.
    """

    item_id: str
    scope: dict[str, str]
    now_ms: int
    zone_name: str
    user_text: str
    assistant_text: str


class Result(NamedTuple):
    """Steps for the store, and what became of every candidate."""

    steps: list[Step]
    created: list[str]
    merged: list[str]
    skipped: Counter[str]


def scope_row(item: Item) -> Row:
    """The scope of an item as a partial row, for comparison with stored ones."""
    return {key: item.scope[key] for key in _SCOPE if item.scope.get(key)}


def existing(rows: Sequence[Row], item: Item, *, limit: int = 8) -> list[Row]:
    """Active rows of the item's exact scope that the model should know of.

    A sleeping row counts once its sleep is over.
    """
    wanted = record.scope_key(scope_row(item))
    found = [
        row
        for row in rows
        if is_active(row)
        and record.scope_key(row) == wanted
        and (row["status"] != "snoozed" or row.get("snoozedUntilMs", 0) <= item.now_ms)
    ]
    return sorted(found, key=record.due_order)[:limit]


def upsert(
    store: Store,
    candidates: Sequence[Mapping[str, Any]],
    items: Sequence[Item],
    *,
    spacing_ms: int,
    now_ms: int,
) -> Result:
    """What parsed candidates make of the store; overdue rows expire first."""
    steps = lifecycle.expire_overdue(store, now_ms)
    result = Result(steps, [], [], Counter())
    by_id = {item.item_id: item for item in items}
    for candidate in candidates:
        item = by_id.get(text_of(candidate.get("itemId")))
        made = "unknown-item" if item is None else _checked(candidate, item, spacing_ms, now_ms)
        if isinstance(made, str):
            result.skipped[made] += 1
        else:
            _put(store.after(steps), made, result, now_ms)
    return result


def _put(store: Store, made: Row, result: Result, now_ms: int) -> None:
    """Merge ``made`` into the active row of the same matter, skip it, or append it."""
    scope = record.scope_key(made)
    same = [
        (place, row)
        for place, row in enumerate(store.rows)
        if row is not None
        and row["dedupeKey"] == made["dedupeKey"]
        and record.scope_key(row) == scope
    ]
    for place, row in same:
        if is_active(row):
            merged = merge(row, made, now_ms)
            step = Step(place, merged, "merged", f"mentioned again ({made['dedupeKey']})")
            result.steps.append(step)
            result.merged.append(row["id"])
            return
    if any(_ended_lately(row, now_ms) for _, row in same):
        result.skipped["recent"] += 1
        return
    result.steps.append(Step(None, made, "created", f"from an exchange ({made['dedupeKey']})"))
    result.created.append(made["id"])


def merge(row: Row, made: Row, now_ms: int) -> Row:
    """``row`` with what a new mention adds.

    The window widens; but an event that moved to a later date, of a row that was not yet
    due, is asked about at its new time.
    """
    old, new = row["dueWindow"], made["dueWindow"]
    earliest = min(old["earliestMs"], new["earliestMs"])
    if old["earliestMs"] > now_ms and _day(new, new["timezone"]) > _day(old, new["timezone"]):
        earliest = new["earliestMs"]
    window = {
        "earliestMs": earliest,
        "latestMs": max(old["latestMs"], new["latestMs"]),
        "timezone": new["timezone"],
    }
    return {
        **row,
        "reason": made["reason"] or row["reason"],
        "suggestedText": made["suggestedText"] or row["suggestedText"],
        "confidence": max(row["confidence"], made["confidence"]),
        "dueWindow": {**old, **window},
        "updatedAtMs": now_ms,
    }


def _day(window: Mapping[str, Any], zone_name: str) -> str:
    """The calendar day on which a window opens."""
    return day_in(window["earliestMs"], find_zone(zone_name) or _utc())


def _checked(candidate: Mapping[str, Any], item: Item, spacing_ms: int, now_ms: int) -> Row | str:
    """The row that a candidate makes, or the reason why it makes none."""
    confidence = candidate["confidence"]
    care = candidate["kind"] == "care_check_in" or candidate["sensitivity"] == "care"
    if confidence > 1:
        return "confidence-out-of-range"
    if confidence < (CARE_CONFIDENCE if care else ORDINARY_CONFIDENCE):
        return "low-confidence"
    words = {
        "reason": texts.clean(candidate["reason"], texts.REASON_LENGTH),
        "suggestedText": texts.clean(candidate["suggestedText"], texts.SUGGESTED_LENGTH),
        "dedupeKey": texts.clean(candidate["dedupeKey"], texts.KEY_LENGTH),
    }
    if not all(words.values()):
        return "blank-text"
    if not all(item.scope.get(key) for key in ("agentId", "sessionKey", "channel")):
        return "no-scope"
    window = due_window(candidate["dueWindow"], item, spacing_ms=spacing_ms, now_ms=now_ms)
    if isinstance(window, str):
        return window
    row: Row = {
        "id": record.new_id(now_ms, os.urandom(5)),
        **scope_row(item),
        "kind": candidate["kind"],
        "sensitivity": candidate["sensitivity"],
        "source": candidate.get("source") or record.SOURCES[0],
        "status": "pending",
        **words,
        "confidence": confidence,
        "dueWindow": window,
        **{key: item.scope[key] for key in _ORIGIN if item.scope.get(key)},
        "createdAtMs": now_ms,
        "updatedAtMs": now_ms,
        "attempts": 0,
    }
    return row


def due_window(
    given: Mapping[str, Any], item: Item, *, spacing_ms: int, now_ms: int
) -> dict[str, Any] | str:
    """The stored window, or the reason why there is none."""
    zone_name = _zone_name(given.get("timezone"), item.zone_name)
    zone = find_zone(zone_name) or _utc()
    wished = due_times.parse(given.get("earliest"), zone)
    if wished is None:
        return "unusable-time"
    if wished <= item.now_ms:
        return "not-in-the-future"
    earliest = max(wished, now_ms + spacing_ms)
    latest = due_times.parse(given.get("latest"), zone)
    if latest is None or latest < earliest:
        latest = earliest + DEFAULT_WINDOW_MS
    return {"earliestMs": earliest, "latestMs": latest, "timezone": zone_name}


def _zone_name(given: Any, fallback: str) -> str:
    name = text_of(given)
    return name if name and find_zone(name) is not None else fallback


def _utc() -> ZoneInfo:
    from zoneinfo import ZoneInfo

    return ZoneInfo("UTC")


def _ended_lately(row: Row, now_ms: int) -> bool:
    """Whether the row was sent or dismissed within the last 72 hours."""
    at = {"sent": row.get("sentAtMs"), "dismissed": row.get("dismissedAtMs")}.get(row["status"])
    return at is not None and now_ms - at <= REPEAT_QUIET_MS
