"""The part of a recall entry's evidence that a backfill put there (``dreaming.md`` 12.9).

An entry that both a backfill and searches have met carries the backfill's part apart, in
``groundedShare``, so that a rollback takes out exactly that:

``count`` and ``totalScore`` are contained in the entry's own; ``queryHashes`` and
``recallDays`` are those that only the backfill has brought; ``live`` holds the fields that
the entry would have without it. An entry of another program has no share: then nobody
knows, and its evidence stays.
"""

from __future__ import annotations

from typing import Any

from openclaw_cli.memory.entries import Entry

SHARE = "groundedShare"
DECIMALS = 10  # sums of scores come back without the dust of binary fractions
_LISTS = ("queryHashes", "recallDays")
_LIVE = ("maxScore", "lastRecalledAt", "conceptTags", "claimHash")


def is_grounded_only(entry: Entry) -> bool:
    """Whether nothing but backfills has met the entry."""
    return bool(entry["groundedCount"]) and not _is_live(entry)


def share_of(entry: Entry) -> dict[str, Any] | None:
    """The share of an entry, None when it has none that can be used."""
    stored = entry.get(SHARE)
    if not isinstance(stored, dict) or not isinstance(stored.get("live"), dict):
        return None
    share: dict[str, Any] = stored
    numbers = all(_is_number(share.get(name)) for name in ("count", "totalScore"))
    lists = all(isinstance(share.get(name), list) for name in _LISTS)
    return share if numbers and lists else None


def note_grounded(before: Entry, entry: Entry) -> None:
    """Keep apart what a grounded signal has made of ``before``; ``entry`` is that now."""
    if entry["groundedCount"] == before["groundedCount"]:
        return
    known = share_of(before)
    share: dict[str, Any] = known or {
        "count": 0,
        "totalScore": 0,
        "queryHashes": [],
        "recallDays": [],
        "live": {name: before[name] for name in _LIVE if name in before},
    }
    score = share["totalScore"] + entry["totalScore"] - before["totalScore"]
    added = {
        name: [*share[name], *(one for one in entry[name] if one not in before[name])]
        for name in _LISTS
    }
    entry[SHARE] = {
        **share,
        "count": share["count"] + entry["groundedCount"] - before["groundedCount"],
        "totalScore": round(score, DECIMALS),
        **added,
    }


def note_live(entry: Entry, *, query: str, day: str, score: float) -> None:
    """A search or an ingestion has met the entry too: what it brought is no longer the share's."""
    share = share_of(entry)
    if share is None:
        return
    live = {name: entry[name] for name in _LIVE if name in entry}
    live["maxScore"] = max(score, share["live"].get("maxScore", 0))
    entry[SHARE] = {
        **share,
        "queryHashes": [one for one in share["queryHashes"] if one != query],
        "recallDays": [one for one in share["recallDays"] if one != day],
        "live": live,
    }


def note_join(before: Entry, other: Entry, joined: Entry) -> None:
    """Two entries became one: ``joined`` is what ``before`` is now that ``other`` is in it."""
    if share_of(before) is None and share_of(other) is None:
        return
    first, second = _whole_share(before), _whole_share(other)
    total = before["totalScore"] + other["totalScore"]
    scale = joined["totalScore"] / total if total else 1
    met = [part for part, entry in ((first, before), (second, other)) if _is_live(entry)]
    live = dict((met or [first])[0]["live"])
    for name in ("maxScore", "lastRecalledAt"):
        live[name] = max(part["live"][name] for part in met or [first])
    share: dict[str, Any] = {
        "count": min(joined["groundedCount"], first["count"] + second["count"]),
        "totalScore": round((first["totalScore"] + second["totalScore"]) * scale, DECIMALS),
        "live": live,
    }
    for name in _LISTS:
        brought = dict.fromkeys([*first[name], *second[name]])
        own = {one for part, entry in ((first, before), (second, other))
               for one in entry[name] if one not in part[name]}  # fmt: skip
        share[name] = [one for one in brought if one not in own]
    joined[SHARE] = share


def take_out(entry: Entry) -> Entry | None:
    """The entry without its share; None when there is nothing that could be taken out."""
    share = share_of(entry)
    if share is None:
        return None
    rest = {name: value for name, value in entry.items() if name != SHARE}
    rest["groundedCount"] = max(0, int(entry["groundedCount"] - share["count"]))
    rest["totalScore"] = max(0, round(entry["totalScore"] - share["totalScore"], DECIMALS))
    for name in _LISTS:
        rest[name] = [one for one in entry[name] if one not in share[name]]
    rest.pop("claimHash", None)
    live: Entry = share["live"]
    return rest | live


def without_evidence(entry: Entry) -> Entry:
    """A promoted entry reduced to its mark: what was written once is not written again."""
    rest = {name: value for name, value in entry.items() if name != SHARE}
    return rest | {
        "groundedCount": 0,
        "totalScore": 0,
        "maxScore": 0,
        "queryHashes": [],
        "recallDays": [],
    }


def _whole_share(entry: Entry) -> dict[str, Any]:
    """The share of an entry, an empty one for an entry that has none."""
    live = {name: entry[name] for name in _LIVE if name in entry}
    none: dict[str, Any] = {"count": 0, "totalScore": 0, "live": live}
    return share_of(entry) or none | {name: [] for name in _LISTS}


def _is_live(entry: Entry) -> bool:
    return bool(entry["recallCount"] or entry["dailyCount"])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
