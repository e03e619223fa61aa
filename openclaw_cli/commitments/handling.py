"""What a heartbeat run does to the store, each in one short read-modify-write.

Decisions are those of ``delivery``; nothing is locked while a model or a transport works.
The order for one row: ``prepare`` once per run, ``take`` before the call, ``is_unchanged``
before handing the message over, ``settle`` afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from openclaw_cli.commitments import delivery, store
from openclaw_cli.commitments.record import Row
from openclaw_cli.commitments.store import Step, Store
from openclaw_cli.state.paths import Paths

COMMAND = "heartbeat run"


def prepare(paths: Paths, records: Iterable[Mapping[str, Any]], *, now_ms: int) -> Store:
    """Mark what is over or was delivered already; ``records`` are the outbox's."""
    known = list(records)
    return store.update(
        paths,
        lambda found: delivery.prepare(found, known, now_ms),
        command=COMMAND,
        now_ms=now_ms,
        scrub=True,
    )


def take(paths: Paths, planned: Row, *, now_ms: int, reason: str) -> Row | None:
    """Count an attempt of a due row; the row as it then is, None when it changed meanwhile.

    ``reason`` tells why: the model is asked, or what makes a delivery impossible.
    """
    return _single(
        paths, lambda found: delivery.take(found, planned, now_ms, reason=reason), now_ms
    )


def settle(paths: Paths, taken: Row, outcome: str, *, now_ms: int, detail: str = "") -> Row | None:
    """Record what came of a taken row; the row when that changed it."""
    return _single(
        paths, lambda found: delivery.settle(found, taken, outcome, now_ms, detail=detail), now_ms
    )


def is_unchanged(paths: Paths, taken: Row) -> bool:
    """Whether nobody dismissed, snoozed or edited the row while the model thought."""
    return taken in store.load(paths).valid


def _single(paths: Paths, decide: Any, now_ms: int) -> Row | None:
    steps: list[Step] = []

    def once(found: Store) -> list[Step]:
        steps[:] = decide(found)
        return steps

    store.update(paths, once, command=COMMAND, now_ms=now_ms)
    return steps[0].row if steps else None
