"""Rewriting diary and recall store as one planned step (``dreaming.md`` 8.4).

A plan is made from what is on disk and carried out under the workspace's lock: first the
diary, which may be refused, then phase signals and store. Each file is whole at any moment,
and the same command run again ends in the same state.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.dreaming import originals
from openclaw_cli.dreaming.originals import Texts
from openclaw_cli.memory import recall_store, signals
from openclaw_cli.memory.artifacts import find_diary
from openclaw_cli.memory.recording import Signal
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import changes, files
from openclaw_cli.state.changes import Change
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

DIARY = "dream diary"

Row = dict[str, Any]


class Place(NamedTuple):
    """Where and when, and for which command: what every plan needs."""

    workspace: Workspace
    paths: Paths
    now_ms: int
    command: str

    @property
    def diary(self) -> Path:
        """``DREAMS.md``, or the ``dreams.md`` that is there instead."""
        return find_diary(self.workspace) or self.workspace.root / "DREAMS.md"


class Write(NamedTuple):
    """A file to be written; ``text`` None removes it."""

    path: Path
    text: str | None


class Part(NamedTuple):
    """What a plan does about one file, or one pair of files."""

    counts: Row
    writes: Sequence[Write] = ()
    removed: Sequence[Change] = ()
    refused: Sequence[tuple[Signal, str]] = ()


class Plan(NamedTuple):
    """What is to be done: numbers for the report, writes in order, lines of the change log.

    ``originals`` is what is remembered afterwards; ``refused`` are statements that were not
    staged, each with a reason word.
    """

    counts: Row
    writes: list[Write]
    removed: list[Change]
    refused: list[tuple[Signal, str]]
    originals: Texts


def joined(parts: Sequence[Part], remembered: Texts) -> Plan:
    """One plan of several parts."""
    counts: Row = {}
    for part in parts:
        counts |= part.counts
    return Plan(
        counts,
        [write for part in parts for write in part.writes],
        [change for part in parts for change in part.removed],
        [one for part in parts for one in part.refused],
        remembered,
    )


def carry_out(place: Place, make: Callable[[], Plan], *, dry_run: bool) -> Plan:
    """Make a plan and, unless it is only to be shown, carry it out under the lock.

    Without anything to write no lock is taken and no folder made. Raises ``Busy``,
    ``NotAllowed``, ``NotWritable``, ``UnreadableFile``.
    """
    plan = make()
    if dry_run:
        return plan
    if not plan.writes:
        _remember(place, plan.originals)
        return plan
    with recall_store.lock(place.workspace):
        plan = make()
        known = originals.load(place.paths, place.workspace)
        _remember(place, known | plan.originals)
        changes.record(place.paths, plan.removed, place.now_ms)
        for write in plan.writes:
            _write(place, write)
        _remember(place, plan.originals)
    for folder in known:
        if folder not in plan.originals and folder.is_dir():
            with contextlib.suppress(OSError):  # it holds something of others by now
                folder.rmdir()
    return plan


def _remember(place: Place, texts: Texts) -> None:
    if texts != originals.load(place.paths, place.workspace):
        originals.save(place.paths, place.workspace, texts)


def _write(place: Place, write: Write) -> None:
    workspace, (path, text) = place.workspace, write
    if text is None:
        files.remove_durable(path)
    elif path == workspace.recall_path:
        recall_store.write_document(workspace, text)
    elif path == workspace.signals_path:
        recall_store.make_dreams_dir(workspace)
        files.refuse_link(path, what=signals.WHAT)
        files.write_atomic(path, text, force_mode=True)
    else:
        files.refuse_link(path, what=DIARY)
        files.write_atomic(path, text)
