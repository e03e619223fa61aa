"""Entries that say the same: folded for display, joined for good (``dreaming.md`` 3.5, 12.2)."""

from __future__ import annotations

from collections.abc import Iterable

from openclaw_cli.memory.entries import MAX_DAYS, MAX_QUERIES, MAX_TAGS, Entry, signal_count
from openclaw_cli.memory.similarity import similarity


def merge_alike(entries: Iterable[Entry], least: float) -> list[Entry]:
    """Copies of ``entries``, those of one file that say the same folded into the first.

    The kept copy has the larger counts and scores and the union of queries, days and tags.
    """
    kept: list[Entry] = []
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        same_file = by_path.setdefault(entry["path"], [])
        first = next(
            (e for e in same_file if similarity(e["snippet"], entry["snippet"]) >= least), None
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


def join(kept: Entry, other: Entry) -> None:
    """Make ``kept`` the one entry of a statement that had two in the same note.

    Searches add up. A reading of the note that both have counted counts once.
    """
    known = not set(kept["queryHashes"]).isdisjoint(other["queryHashes"])
    signals = signal_count(kept) + signal_count(other)
    for name in ("dailyCount", "groundedCount"):
        both = (kept[name], other[name])
        kept[name] = max(both) if known else sum(both)
    kept["recallCount"] += other["recallCount"]
    score = kept["totalScore"] + other["totalScore"]
    kept["totalScore"] = score * signal_count(kept) / signals if signals else score
    kept["maxScore"] = max(kept["maxScore"], other["maxScore"])
    kept["firstRecalledAt"] = min(kept["firstRecalledAt"], other["firstRecalledAt"])
    kept["lastRecalledAt"] = max(kept["lastRecalledAt"], other["lastRecalledAt"])
    kept["recallDays"] = sorted({*kept["recallDays"], *other["recallDays"]})[-MAX_DAYS:]
    queries = dict.fromkeys([*kept["queryHashes"], *other["queryHashes"]])
    kept["queryHashes"] = list(queries)[-MAX_QUERIES:]
    tags = dict.fromkeys([*kept["conceptTags"], *other["conceptTags"]])
    kept["conceptTags"] = list(tags)[:MAX_TAGS]
