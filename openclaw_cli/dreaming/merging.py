"""Entries that say the same, folded for display (``dreaming.md`` 3.5)."""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_cli.memory.entries import Entry
from openclaw_cli.memory.similarity import are_alike


def merge_alike(entries: Iterable[Entry], least: float) -> list[Entry]:
    """Copies of ``entries``, those of one file that say the same folded into the first.

    The kept copy has the larger counts and scores and the union of queries, days and tags.
    """
    kept: list[Entry] = []
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        same_file = by_path.setdefault(entry["path"], [])
        first = next(
            (e for e in same_file if are_alike(e["snippet"], entry["snippet"], least)), None
        )
        if first is None:
            copy = dict(entry)
            kept.append(copy)
            same_file.append(copy)
        else:
            _fold(first, entry)
    return kept


def _fold(kept: Entry, other: Entry) -> None:
    for name in ("recallCount", "totalScore", "maxScore", "lastRecalledAt"):
        kept[name] = max(kept[name], other[name])
    for name in ("queryHashes", "conceptTags"):
        kept[name] = list(dict.fromkeys([*kept[name], *other[name]]))
    kept["recallDays"] = sorted({*kept["recallDays"], *other["recallDays"]})
