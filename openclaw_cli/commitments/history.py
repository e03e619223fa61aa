"""What happened to rows, from the trail of changes, else from a row's own stamps. Pure.

``commitments.md`` 10.1. Events are ``created``, ``merged``, ``attempted``, ``sent``,
``dismissed``, ``snoozed``, ``edited`` and ``expired``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from openclaw_cli.commitments.record import Row
from openclaw_cli.state.clock import parse_iso

FROM_STAMP = "from the row's own stamp"

_STAMPS = (
    ("created", "createdAtMs"),
    ("attempted", "lastAttemptAtMs"),
    ("sent", "sentAtMs"),
    ("dismissed", "dismissedAtMs"),
    ("expired", "expiredAtMs"),
)


def document(
    rows: Iterable[Row],
    trail: Iterable[Mapping[str, Any]],
    *,
    row_id: str | None = None,
    since_ms: int | None = None,
    agent_id: str | None = None,
) -> dict[str, Any]:
    """The history document, oldest first.

    An event of the trail stands for the stamp of the same row, event and instant; of
    ``created`` there is only one.
    """
    listed = [row for row in rows if agent_id in (None, row["agentId"])]
    known = {row["id"] for row in listed}
    events = [
        event
        for event in map(_from_trail, trail)
        if event is not None and (agent_id is None or event["id"] in known)
    ]
    seen = {(event["id"], event["event"], event["tsMs"]) for event in events}
    made = {event["id"] for event in events if event["event"] == "created"}
    for row in listed:
        for event in _from_stamps(row):
            told = (event["id"], event["event"], event["tsMs"]) in seen
            if not told and not (event["event"] == "created" and event["id"] in made):
                events.append(event)
    kept = [
        event
        for event in events
        if row_id in (None, event["id"]) and (since_ms is None or event["tsMs"] >= since_ms)
    ]
    kept.sort(key=lambda event: event["tsMs"])
    return {"count": len(kept), "events": [_shown(event) for event in kept]}


def _from_trail(line: Mapping[str, Any]) -> dict[str, Any] | None:
    if line.get("what") != "commitment" or not isinstance(line.get("key"), str):
        return None
    stamp = line.get("ts")
    at_ms = parse_iso(stamp) if isinstance(stamp, str) else None
    if at_ms is None:
        return None
    event, _, reason = str(line.get("rule") or "").partition(": ")
    return {
        "tsMs": at_ms,
        "id": line["key"],
        "event": event,
        "reason": reason or None,
        "command": line.get("command"),
        "undo": line.get("undo"),
    }


def _from_stamps(row: Row) -> Iterable[dict[str, Any]]:
    for event, field in _STAMPS:
        if field in row:
            yield {
                "tsMs": int(row[field]),
                "id": row["id"],
                "event": event,
                "reason": FROM_STAMP,
                "command": None,
                "undo": None,
            }


def _shown(event: dict[str, Any]) -> dict[str, Any]:
    return {"ts": event.pop("tsMs"), **event}
