"""One commitment as a row: its fields, what makes it valid, ids and scopes.

A row is a plain dict in the file's own camelCase, so that fields which we do not know
survive. ``normalize`` is the only way from stored data to a row that the rest of the
package works with (``commitments.md`` 2.1, 2.4 and 6).
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from openclaw_cli.state import ids

Row = dict[str, Any]

KINDS = ("event_check_in", "deadline_check", "care_check_in", "open_loop")
SENSITIVITIES = ("routine", "personal", "care")
SOURCES = ("inferred_user_context", "agent_promise")
STATUSES = ("pending", "sent", "dismissed", "snoozed", "expired")
ACTIVE = ("pending", "snoozed")

EXPIRY_GRACE_MS = 72 * 3_600_000

CANONICAL_ORDER = (
    "id", "agentId", "sessionKey", "channel", "accountId", "to", "threadId", "senderId", "kind",
    "sensitivity", "source", "status", "reason", "suggestedText", "dedupeKey", "confidence",
    "dueWindow", "sourceMessageId", "sourceRunId", "createdAtMs", "updatedAtMs", "attempts",
    "lastAttemptAtMs", "sentAtMs", "dismissedAtMs", "snoozedUntilMs", "expiredAtMs",
)  # fmt: skip

# Conversation text of older releases: never loaded, and removed by the next write.
PRIVATE_FIELDS = ("sourceUserText", "sourceAssistantText")

_REQUIRED_TEXT = (
    "id", "agentId", "sessionKey", "channel", "reason", "suggestedText", "dedupeKey",
)  # fmt: skip
_OPTIONAL_TEXT = ("accountId", "to", "threadId", "senderId", "sourceMessageId", "sourceRunId")
_REQUIRED_NUMBERS = ("confidence", "createdAtMs", "updatedAtMs")
_OPTIONAL_TIMES = (
    "lastAttemptAtMs", "sentAtMs", "dismissedAtMs", "snoozedUntilMs", "expiredAtMs",
)  # fmt: skip
_WORDS = {"kind": KINDS, "sensitivity": SENSITIVITIES, "source": SOURCES, "status": STATUSES}
_KNOWN = frozenset(CANONICAL_ORDER)


def normalize(raw: Any) -> Row | None:
    """The valid row that ``raw`` holds, or None.

    Text is trimmed, optional fields that hold nothing usable are left out, unknown fields
    and the order of keys stay; conversation text goes.
    """
    if not isinstance(raw, dict) or not _is_valid(raw):
        return None
    row: Row = {}
    for key, value in raw.items():
        if key in PRIVATE_FIELDS:
            continue
        if key in _REQUIRED_TEXT:
            row[key] = value.strip()
        elif key in _OPTIONAL_TEXT:
            if text := text_of(value):
                row[key] = text
        elif key == "dueWindow":
            row[key] = {**value, "timezone": value["timezone"].strip()}
        elif key not in _OPTIONAL_TIMES or is_amount(value):
            row[key] = value
    return row


def public(row: Row) -> Row:
    """The row as listings show it: known fields in canonical order."""
    return {key: row[key] for key in CANONICAL_ORDER if key in row}


def _is_valid(raw: dict[str, Any]) -> bool:
    window, attempts = raw.get("dueWindow"), raw.get("attempts")
    return (
        all(text_of(raw.get(key)) for key in _REQUIRED_TEXT)
        and all(raw.get(key) in words for key, words in _WORDS.items())
        and all(is_amount(raw.get(key)) for key in _REQUIRED_NUMBERS)
        and is_amount(attempts)
        and attempts == int(attempts)  # type: ignore[arg-type]
        and isinstance(window, dict)
        and is_amount(window.get("earliestMs"))
        and is_amount(window.get("latestMs"))
        and window["latestMs"] >= window["earliestMs"]
        and bool(text_of(window.get("timezone")))
    )


def text_of(value: Any) -> str:
    """``value`` trimmed when it is a string, else the empty string."""
    return value.strip() if isinstance(value, str) else ""


def is_amount(value: Any) -> bool:
    """Whether ``value`` is a finite number that is not negative (a bool is none)."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return isfinite(value) and value >= 0
    except OverflowError:  # an integer beyond what the file's other readers can hold
        return False


def new_id(now_ms: int, random_bytes: bytes) -> str:
    """The id of a row made at ``now_ms``; ``random_bytes`` are five."""
    return ids.stamped("cm", now_ms, random_bytes)


def conversation(row: Row) -> tuple[str, ...]:
    """Where a row is delivered: channel, account, recipient, thread, sender."""
    return tuple(
        text_of(row.get(key)) for key in ("channel", "accountId", "to", "threadId", "senderId")
    )


def scope_key(row: Row) -> str:
    """The exact context of a row: agent, session and conversation joined by U+001F."""
    head = (text_of(row.get("agentId")), text_of(row.get("sessionKey")))
    return "\x1f".join(head + conversation(row))


def is_active(row: Row) -> bool:
    """Whether the row may still change: pending or snoozed."""
    return row["status"] in ACTIVE


def earliest_ms(row: Row) -> float:
    """Start of the due window, epoch ms."""
    value: float = row["dueWindow"]["earliestMs"]
    return value


def latest_ms(row: Row) -> float:
    """End of the due window, epoch ms."""
    value: float = row["dueWindow"]["latestMs"]
    return value


def expires_at_ms(row: Row) -> float:
    """The last instant at which an active row is still alive, epoch ms."""
    return latest_ms(row) + EXPIRY_GRACE_MS


def is_overdue(row: Row, now_ms: int) -> bool:
    """Whether an active row must be marked expired."""
    return is_active(row) and expires_at_ms(row) < now_ms


def due_order(row: Row) -> tuple[float, float]:
    """Sort key of listings and due queries: earliest due, then creation."""
    return earliest_ms(row), row["createdAtMs"]
