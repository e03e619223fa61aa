"""Changing an active row by hand: its text and its window. Pure (``commitments.md`` 10.1)."""

from __future__ import annotations

import shlex

from openclaw_cli.commitments import lifecycle, record, texts
from openclaw_cli.commitments.candidates import DEFAULT_WINDOW_MS
from openclaw_cli.commitments.record import Row
from openclaw_cli.commitments.store import Step, Store
from openclaw_cli.errors import NotAllowed, UsageProblem
from openclaw_cli.state.clock import iso
from openclaw_cli.state.tuples import NamedTuple


class Wish(NamedTuple):
    """What shall change; None leaves a part as it is. Times in epoch ms."""

    text: str | None = None
    earliest_ms: int | None = None
    latest_ms: int | None = None


def plan(store: Store, row_id: str, wish: Wish, now_ms: int) -> tuple[Row, list[Step]]:
    """The row as it will be, and the step that makes it so (none when nothing differs).

    An earliest time in the past is allowed: the row is due at once. Raises ``UnknownName``,
    ``NotAllowed`` for a row that is over, ``UsageProblem`` for a window that is none.
    """
    place, row = lifecycle.find(store, row_id)
    status = "expired" if record.is_overdue(row, now_ms) else row["status"]
    if status not in record.ACTIVE:
        raise NotAllowed(
            f"commitment {row_id} is {status}; only pending and snoozed ones can be edited",
            path=store.path,
        )
    changed = {**row, "dueWindow": _window(row, wish, now_ms)}
    if wish.text is not None:
        changed["suggestedText"] = texts.clean(wish.text, texts.SUGGESTED_LENGTH)
        if not changed["suggestedText"]:
            raise UsageProblem("--text must not be empty")
    if changed == row:
        return row, []
    changed["updatedAtMs"] = now_ms
    before = {key: row[key] for key in ("suggestedText", "dueWindow")}
    step = Step(place, changed, "edited", _reason(row, changed), before, _undo(row))
    return changed, [step]


def _window(row: Row, wish: Wish, now_ms: int) -> Row:
    """The window as in extraction: an end before the start means half a day after it."""
    old = row["dueWindow"]
    earliest = old["earliestMs"] if wish.earliest_ms is None else wish.earliest_ms
    latest = old["latestMs"] if wish.latest_ms is None else wish.latest_ms
    if latest < earliest:
        if wish.latest_ms is not None:
            raise UsageProblem(
                f"--latest {iso(latest)} is before the earliest time {iso(earliest)}"
            )
        latest = earliest + DEFAULT_WINDOW_MS
    if latest + record.EXPIRY_GRACE_MS < now_ms:
        raise UsageProblem(
            f"a window that closed at {iso(latest)} is over: it would expire at once"
        )
    return {**old, "earliestMs": earliest, "latestMs": latest}


def _reason(row: Row, changed: Row) -> str:
    parts = []
    if row["suggestedText"] != changed["suggestedText"]:
        parts.append("text")
    if row["dueWindow"] != changed["dueWindow"]:
        window = changed["dueWindow"]
        parts.append(f"window {iso(window['earliestMs'])} to {iso(window['latestMs'])}")
    return "by command: " + ", ".join(parts)


def _undo(row: Row) -> str:
    window = row["dueWindow"]
    words = ["openclaw", "commitments", "edit", row["id"], "--text", row["suggestedText"]]
    words += ["--earliest", iso(window["earliestMs"]), "--latest", iso(window["latestMs"])]
    return shlex.join(words)
