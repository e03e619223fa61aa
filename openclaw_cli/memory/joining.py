"""Two entries of one statement made one (``memory.md`` 12.21, ``dreaming.md`` 12.2)."""

from __future__ import annotations

from openclaw_cli.memory.entries import (
    ASKED_DAYS,
    KNOWN_FIELDS,
    MAX_DAYS,
    MAX_QUERIES,
    MAX_TAGS,
    RESTATED,
    SUPERSEDES,
    Entry,
    signal_count,
)
from openclaw_cli.memory.grounded_share import SHARE, note_join

# Fields that tell of one entry's own place; those of the other go with it.
_OWN = KNOWN_FIELDS | {ASKED_DAYS, SHARE, RESTATED, SUPERSEDES}


def join(kept: Entry, other: Entry) -> None:
    """Make ``kept`` the one entry of a statement that had two.

    Searches add up. A reading of the note that both have counted counts once. What other
    programs have put into ``other`` stays, unless ``kept`` has its own.
    """
    before = dict(kept)
    known = not set(kept["queryHashes"]).isdisjoint(other["queryHashes"])
    signals = signal_count(kept) + signal_count(other)
    for name in ("dailyCount", "groundedCount"):
        both = (kept[name], other[name])
        kept[name] = max(both) if known else sum(both)
    _join_asked_days(kept, other)
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
    note_join(before, other, kept)
    for name, value in other.items():
        if name not in _OWN:
            kept.setdefault(name, value)


def _join_asked_days(kept: Entry, other: Entry) -> None:
    """The days of all searches; unknown when one of the two does not know its own."""
    if all(ASKED_DAYS in entry or not entry["recallCount"] for entry in (kept, other)):
        days = {*kept.get(ASKED_DAYS, ()), *other.get(ASKED_DAYS, ())}
        if days:
            kept[ASKED_DAYS] = sorted(days)[-MAX_DAYS:]
    else:
        kept.pop(ASKED_DAYS, None)
