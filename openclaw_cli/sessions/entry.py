"""One row of a session store (``sessions.md`` 2.2, 2.5, 2.6).

Rows stay plain dicts, so that unknown fields and their order survive. Reading functions
never change a row; the others return a new one, or the same object when nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from openclaw_cli.sessions import keys, names
from openclaw_cli.state.tuples import NamedTuple

Row = dict[str, Any]

# Fields that a store write may have to bring into their present form.
_LEGACY = ("provider", "lastProvider", "room")
_MODEL = ("model", "modelProvider")
_DELIVERY = (
    "channel",
    "lastChannel",
    "lastTo",
    "lastAccountId",
    "lastThreadId",
    "deliveryContext",
    "origin",
)
_NORMALIZED = frozenset({*_LEGACY, *_MODEL, *_DELIVERY})


class Delivery(NamedTuple):
    """Where replies of a session go; absent parts are None."""

    channel: str | None = None
    to: str | None = None
    account_id: str | None = None
    thread_id: str | int | None = None


# Reading


def is_usable(row: object) -> bool:
    """Whether a row can be worked with: an object whose session id, if any, is safe.

    Others are left out of listings, counted, and written back unchanged.
    """
    return isinstance(row, dict) and ("sessionId" not in row or names.is_row_id(row["sessionId"]))


def number(value: object) -> float | int | None:
    """``value`` when it is a finite number, else None; ``true`` is no number."""
    if type(value) is int:
        return value
    return value if isinstance(value, float) and isfinite(value) else None


def timestamp(value: object) -> int | None:
    """``value`` as epoch ms, None unless it is a finite number of at least 0."""
    found = number(value)
    return int(found) if found is not None and found >= 0 else None


def updated_ms(row: object) -> int | None:
    """When a row was last active; None when absent or unusable."""
    return timestamp(row.get("updatedAt")) if isinstance(row, dict) else None


def text(row: Mapping[str, Any], field: str) -> str | None:
    """A field's trimmed text, None when it is absent, blank or no text."""
    value = row.get(field)
    return (value.strip() or None) if isinstance(value, str) else None


def total_tokens(row: Mapping[str, Any]) -> int | float | None:
    """The stored prompt size; None when absent or negative. Fresh or not is another matter."""
    found = number(row.get("totalTokens"))
    return found if found is not None and found >= 0 else None


def is_fresh(row: Mapping[str, Any]) -> bool:
    """Whether the total belongs to the last run: there is one, not marked otherwise."""
    return number(row.get("totalTokens")) is not None and row.get("totalTokensFresh") is not False


def delivery_of(row: Mapping[str, Any]) -> Delivery:
    """Where replies go: the ``last*`` mirror over ``deliveryContext``, never across channels."""
    context = row.get("deliveryContext")
    context = context if isinstance(context, dict) else {}
    origin = row.get("origin")
    threads = [row.get("lastThreadId"), context.get("threadId")]
    if isinstance(origin, dict):
        threads.append(origin.get("threadId"))
    mirror = Delivery(
        _channel(row.get("lastChannel")) or _channel(row.get("channel")),
        text(row, "lastTo"),
        _account(row.get("lastAccountId")),
        next((found for thread in threads if (found := _thread(thread)) is not None), None),
    )
    stored = Delivery(
        _channel(context.get("channel")),
        text(context, "to"),
        _account(context.get("accountId")),
        _thread(context.get("threadId")),
    )
    if mirror.channel and stored.channel and mirror.channel != stored.channel:
        return mirror
    return Delivery(
        mirror.channel or stored.channel,
        mirror.to or stored.to,
        mirror.account_id or stored.account_id,
        mirror.thread_id if mirror.thread_id is not None else stored.thread_id,
    )


# Changing


def normalized(row: Row) -> Row:
    """``row`` with legacy names, model and delivery fields in their present form.

    Unknown fields and the order stay; new fields go to the end. The same object comes
    back when there is nothing to do.
    """
    if _NORMALIZED.isdisjoint(row):
        return row
    changed = _renamed(row)
    changed = _with_trimmed_model(changed)
    return with_delivery(changed, delivery_of(changed))


def with_delivery(row: Row, delivery: Delivery) -> Row:
    """``row`` with ``delivery`` in ``deliveryContext`` and in its mirror.

    An existing ``route`` of the newer release follows; unknown keys of either stay.
    """
    told = {
        "channel": delivery.channel,
        "to": delivery.to,
        "accountId": delivery.account_id,
        "threadId": delivery.thread_id,
    }
    before = row.get("deliveryContext")
    context = _merged(before if isinstance(before, dict) else {}, told)
    mirror = {"last" + name[0].upper() + name[1:]: value for name, value in told.items()}
    changed = _merged(row, {"deliveryContext": context or None, **mirror})
    route = row.get("route")
    if changed is not row and isinstance(route, dict) and delivery.channel:
        target = route.get("target")
        target = _merged(target if isinstance(target, dict) else {}, {"to": delivery.to})
        changed = _merged(
            changed, {"route": route | {"channel": delivery.channel, "target": target}}
        )
    return changed


def routed(row: Row, update: Delivery) -> Row:
    """``row`` after a message that came through ``update``; blank parts keep what is there.

    A new target without a thread drops the old thread, another channel drops all of the
    old. Turns of the system do not touch routing: they do not call this.
    """
    old = delivery_of(row)
    if update.channel and old.channel and update.channel != old.channel:
        return with_delivery(row, update)
    moved = update.to is not None and update.to != old.to
    kept = Delivery() if moved else old
    return with_delivery(
        row,
        Delivery(
            update.channel or old.channel,
            update.to or old.to,
            update.account_id or old.account_id,
            update.thread_id if update.thread_id is not None else kept.thread_id,
        ),
    )


def merged(
    existing: Row | None, patch: Row, *, now_ms: int, new_id: str, touch: bool = True
) -> Row:
    """``existing`` with ``patch`` laid over it by the rules of ``sessions.md`` 2.5.

    ``new_id`` is taken where neither has a session id. A patch value of None removes the
    field. ``touch`` False is for metadata, which does not count as activity.
    """
    old = existing or {}
    session_id = patch.get("sessionId") or old.get("sessionId") or new_id
    same = session_id == old.get("sessionId")
    row = _merged(old, patch)
    row = _merged(row, {"sessionId": session_id, "updatedAt": _activity(old, patch, now_ms, touch)})
    if "sessionStartedAt" not in patch and not same:
        row = _merged(row, {"sessionStartedAt": row["updatedAt"]})
    if "sessionFile" not in patch and not same:
        row = _merged(row, {"sessionFile": _moved_file(old.get("sessionFile"), session_id)})
    if "model" in patch and "modelProvider" not in patch and patch["model"] != old.get("model"):
        row = _merged(row, {"modelProvider": None})
    return row


def with_usage(
    row: Row, *, run: Mapping[str, int] | None, prompt_tokens: int | None, window: int | None
) -> Row:
    """``row`` after a run: ``run`` is the usage of all its calls, ``prompt_tokens`` of the last.

    Keys of ``run``: ``input``, ``output``, ``cacheRead``, ``cacheWrite``. Without usable
    usage the counters stay and the total is marked as not fresh.
    """
    changes: Row = {"contextTokens": window} if window else {}
    if run is None or prompt_tokens is None:
        return _merged(row, changes | {"totalTokensFresh": False})
    changes |= {
        "inputTokens": run.get("input", 0),
        "outputTokens": run.get("output", 0),
        "cacheRead": run.get("cacheRead", 0),
        "cacheWrite": run.get("cacheWrite", 0),
        "totalTokens": prompt_tokens,
        "totalTokensFresh": True,
    }
    return _merged(row, changes)


def after_compaction(row: Row, *, tokens_after: int | None) -> Row:
    """``row`` after a compaction: one more of it, the total as estimated, the rest unknown."""
    count = number(row.get("compactionCount")) or 0
    changes: Row = dict.fromkeys(("inputTokens", "outputTokens", "cacheRead", "cacheWrite"))
    changes |= {"totalTokens": tokens_after, "totalTokensFresh": tokens_after is not None}
    return _merged(row, changes | {"compactionCount": int(count) + 1})


# Details


def _merged(row: Row, changes: Mapping[str, Any]) -> Row:
    """``row`` with ``changes``, None removing a field; the same object when none changes."""
    differing = {
        field: value
        for field, value in changes.items()
        if (field in row if value is None else field not in row or row[field] != value)
    }
    if not differing:
        return row
    result = row | differing
    for field, value in differing.items():
        if value is None:
            del result[field]
    return result


def _renamed(row: Row) -> Row:
    if not any(field in row for field in _LEGACY):
        return row
    result = dict(row)
    for old, new in (
        ("provider", "channel"),
        ("lastProvider", "lastChannel"),
        ("room", "groupChannel"),
    ):
        if isinstance(result.get(old), str) and not isinstance(result.get(new), str):
            result[new] = result.pop(old)
    result.pop("room", None)
    return result


def _with_trimmed_model(row: Row) -> Row:
    if not any(field in row for field in _MODEL):
        return row
    model = text(row, "model")
    return _merged(
        row, {"model": model, "modelProvider": text(row, "modelProvider") if model else None}
    )


def _activity(old: Row, patch: Row, now_ms: int, touch: bool) -> int:
    """The new ``updatedAt``; what lies in the future counts as now."""
    before = timestamp(old.get("updatedAt"))
    if not touch and before is not None:
        return before
    told = timestamp(patch.get("updatedAt"))
    return max(min(stamp, now_ms) for stamp in (before or 0, told or 0, now_ms))


def _moved_file(named: object, session_id: str) -> str | None:
    """``sessionFile`` for a new session id; None where there was none or it has no name."""
    if not isinstance(named, str) or not named.strip():
        return None
    folder, slash, name = named.strip().rpartition("/")
    renamed = names.renamed_for(name, session_id)
    return None if renamed is None else f"{folder}{slash}{renamed}"


def _channel(value: object) -> str | None:
    return keys.normalize_channel(value) if isinstance(value, str) and value.strip() else None


def _account(value: object) -> str | None:
    return keys.normalize_account(value) if isinstance(value, str) and value.strip() else None


def _thread(value: object) -> str | int | None:
    if isinstance(value, str):
        return value.strip() or None
    found = number(value)
    return None if found is None else int(found)
