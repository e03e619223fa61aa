"""Rows of the short-term recall store: their form, their keys, which ones are kept.

A row is a plain dict with the camelCase keys of the file (``memory.md`` 4.3); a normalised
row has every known key with its right type, and carries unknown ones along untouched.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from openclaw_cli.memory import junk
from openclaw_cli.memory.text import collapse, cut_utf16, encode_like_javascript, utf16_length
from openclaw_cli.memory.workspace import normalize_path

Entry = dict[str, Any]

MAX_ENTRIES = 512
MAX_SNIPPET = 800
MAX_QUERIES = 32
MAX_DAYS = 16
MAX_TAGS = 8
HASH_LENGTH = 12
# Fields of ours: the days of an entry's searches, where all are known; other phrasings that
# were met; the promoted entry that it corrects.
ASKED_DAYS = "askedDays"
RESTATED = "restated"
SUPERSEDES = "supersedes"
MAX_COUNT = 2**53 - 1  # larger whole numbers are none in JavaScript either

_FIELDS = (
    "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount",
    "groundedCount", "totalScore", "maxScore", "firstRecalledAt", "lastRecalledAt",
    "queryHashes", "recallDays", "conceptTags", "claimHash", "promotedAt",
)  # fmt: skip
KNOWN_FIELDS = frozenset(_FIELDS)
_REQUIRED_COUNT = 16  # the others are optional
_NUMBERS = (int, float)
_DAY = r"\d{4}-\d{2}-\d{2}"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_MONTH_STARTS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def normalize_entry(key: str, raw: Any, now_iso: str) -> Entry | None:
    """The row under ``key`` with its types put right; None when it is no usable row.

    ``now_iso`` stands in for missing timestamps.
    """
    if not isinstance(raw, dict) or raw.get("source") != "memory":
        return None
    if _is_normal(key, raw):
        return None if junk.is_artefact(raw["snippet"]) else raw
    path = raw.get("path")
    start, end = _whole(raw.get("startLine")), _whole(raw.get("endLine"))
    if not isinstance(path, str) or not path or start is None or end is None:
        return None
    snippet = _snippet(raw.get("snippet"))
    if junk.is_artefact(snippet):
        return None
    path = normalize_path(path)
    entry: Entry = {
        "key": key,
        "path": path,
        "startLine": start,
        "endLine": end,
        "source": "memory",
        "snippet": snippet,
        "recallCount": _count(raw.get("recallCount")),
        "dailyCount": _count(raw.get("dailyCount")),
        "groundedCount": _count(raw.get("groundedCount")),
        "totalScore": max(0, _number(raw.get("totalScore"))),
        "maxScore": clamp(_number(raw.get("maxScore"))),
        "firstRecalledAt": _text(raw.get("firstRecalledAt"), now_iso),
        "lastRecalledAt": _text(raw.get("lastRecalledAt"), now_iso),
        "queryHashes": _distinct(raw.get("queryHashes"))[:MAX_QUERIES],
        "recallDays": _days(raw.get("recallDays"))[-MAX_DAYS:],
        "conceptTags": _tags(raw.get("conceptTags"), path, snippet),
    }
    for optional in ("claimHash", "promotedAt"):
        if isinstance(value := raw.get(optional), str) and value:
            entry[optional] = value
    if len(raw) > len(entry) or not raw.keys() <= KNOWN_FIELDS:
        entry.update((name, raw[name]) for name in raw if name not in KNOWN_FIELDS)
    return entry


def normalize_snippet(text: str) -> str:
    """``text`` as it is stored: white space collapsed, at most 800 UTF-16 units."""
    collapsed = collapse(text)
    if utf16_length(collapsed) <= MAX_SNIPPET:
        return collapsed
    return cut_utf16(collapsed, MAX_SNIPPET).rstrip()


def entry_key(path: str, start: int, end: int, claim: str | None = None) -> str:
    """The key of a range in a normalised path, with a claim hash where one belongs to it."""
    return f"memory:{path}:{start}:{end}" + (f":{claim}" if claim else "")


def claim_hash(text: str) -> str:
    """12 hex digits that stand for a statement's text."""
    return _short_hash(collapse(text))


def query_hash(query: str) -> str:
    """12 hex digits that stand for a query, whatever its case and outer white space."""
    return _short_hash(query.strip().lower())


def signal_count(entry: Entry) -> int:
    """How often the entry was met: searches, ingestion, backfill."""
    total: int = entry["recallCount"] + entry["dailyCount"] + entry["groundedCount"]
    return total


def line_count(entry: Entry) -> int:
    """How many lines the entry's range has, at least one."""
    return max(1, int(entry["endLine"]) - int(entry["startLine"]) + 1)


def clamp(value: float) -> float:
    """``value`` within 0..1."""
    return 0 if value < 0 else 1 if value > 1 else value


def stamp_ms(text: str) -> int | None:
    """Epoch ms of a stored timestamp, None when it is none.

    The form that both programs write is read by its positions; ranking and retention
    read thousands.
    """
    if len(text) == 24 and text[23] == "Z" and text[10] == "T":
        day = day_number(text[:10])
        clock = text[11:13] + text[14:16] + text[17:19] + text[20:23]
        if day is not None and clock.isascii() and clock.isdigit():
            hours, minutes, seconds = int(clock[:2]), int(clock[2:4]), int(clock[4:6])
            if hours < 24 and minutes < 60 and seconds < 60:
                at = (day * 24 + hours) * 3600 + minutes * 60 + seconds
                return at * 1000 + int(clock[6:])
    from openclaw_cli.state.clock import parse_iso

    return parse_iso(text)


def day_number(day: str) -> int | None:
    """Days from 1970-01-01 to ``YYYY-MM-DD``, None when there is no such day."""
    if len(day) != 10 or not day.isascii() or not _are_dates(day):
        return None
    year, month, number = int(day[:4]), int(day[5:7]), int(day[8:])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or year == 0:
        return None
    length = (31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    if not 1 <= number <= length:
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    return days + _MONTH_STARTS[month - 1] + (leap and month > 2) + number - 719163


def retain(entries: dict[str, Entry]) -> tuple[dict[str, Entry], list[str]]:
    """The at most 512 entries that are kept, and the keys of the others.

    What was searched for or staged on purpose stays before what ingestion saw, unpromoted
    before promoted, then the newest (``memory.md`` 4.3, 12.11). Survivors of a cut are
    ordered by key.
    """
    if len(entries) <= MAX_ENTRIES:
        return entries, []
    from openclaw_cli.memory.collation import collation_key

    classes: dict[tuple[bool, bool], list[tuple[str, Entry]]] = {}
    for item in entries.items():
        entry = item[1]
        met_only_in_passing = not (entry["recallCount"] or entry["groundedCount"])
        classes.setdefault((met_only_in_passing, "promotedAt" in entry), []).append(item)
    kept: list[tuple[str, Entry]] = []
    for _, items in sorted(classes.items(), key=lambda found: found[0]):
        room = MAX_ENTRIES - len(kept)
        if room > 0:
            kept += items if len(items) <= room else _retention_order(items, room)
    kept.sort(key=lambda item: collation_key(item[0]))
    survivors = dict(kept)
    return survivors, [key for key in entries if key not in survivors]


def _retention_order(items: list[tuple[str, Entry]], wanted: int) -> list[tuple[str, Entry]]:
    """The first ``wanted`` of ``items`` of one class: newest first, then the richer ones.

    Times are compared as text, which for the form in files is their order; only those of
    the oldest minute that still gets in are compared in full.
    """
    stamps = sorted((_sortable(entry["lastRecalledAt"]) for _, entry in items), reverse=True)
    oldest = stamps[wanted - 1]
    newer, equal = [], []
    for item in items:
        stamp = _sortable(item[1]["lastRecalledAt"])
        if stamp > oldest:
            newer.append(item)
        elif stamp == oldest:
            equal.append(item)
    equal.sort(key=lambda item: _richness(*item))
    return newer + equal[: wanted - len(newer)]


def _sortable(stamp: str) -> str:
    """A timestamp as text in the order of time; empty when it is none."""
    if len(stamp) == 24 and stamp[10] == "T" and stamp[23] == "Z" and stamp[:4].isdigit():
        return stamp
    at = stamp_ms(stamp)
    if at is None:
        return ""
    from openclaw_cli.state.clock import iso

    return iso(at)


def _richness(key: str, entry: Entry) -> tuple[Any, ...]:
    promoted = _sortable(entry["promotedAt"]) if "promotedAt" in entry else ""
    at = stamp_ms(promoted) or 0
    counts = (-signal_count(entry), -entry["totalScore"], -entry["maxScore"])
    return (*counts, -at, key)


def _is_normal(key: str, row: Entry) -> bool:
    """Whether a row surely has its normalised form already, as nearly all have.

    A quick look for stores of thousands of rows; False only means "look closer".
    """
    if tuple(row)[:_REQUIRED_COUNT] != _FIELDS[:_REQUIRED_COUNT]:
        return False
    (own_key, path, start, end, _, snippet, recalls, daily, grounded, total, best, first, last,
     queries, days, tags, *rest) = row.values()  # fmt: skip
    return (
        own_key == key
        and type(path) is type(snippet) is type(first) is type(last) is str
        and type(start) is type(end) is type(recalls) is type(daily) is type(grounded) is int
        and type(total) in _NUMBERS
        and type(best) in _NUMBERS
        and 0 <= best <= 1
        and total >= 0 <= recalls
        and daily >= 0 <= grounded
        and max(start, end, recalls, daily, grounded, total) <= MAX_COUNT
        and min(start, end) >= -MAX_COUNT
        and path != ""
        and not (path.startswith("./") or "\\" in path)
        and first != "" != last
        and _is_normal_snippet(snippet)
        and _are_plain(queries, MAX_QUERIES, str.isalnum)
        and _are_plain(days, MAX_DAYS, _are_dates)
        and {10}.issuperset(map(len, days))
        and _are_plain(tags, MAX_TAGS, _are_lower_words)
        and (not rest or set(row).isdisjoint(("claimHash", "promotedAt")) or _has_texts(row))
    )


def _is_normal_snippet(text: str) -> bool:
    return (
        len(text) <= MAX_SNIPPET
        and text.isascii()
        and text.isprintable()
        and "  " not in text
        and text[:1] != " " != text[-1:]
    )


def _are_plain(values: Any, limit: int, test: Callable[[str], bool]) -> bool:
    """Whether a list holds distinct texts within its limit, which joined pass ``test``."""
    if type(values) is not list or len(values) > limit:
        return False
    if not values:
        return True
    try:
        return len(set(values)) == len(values) and "" not in values and test("".join(values))
    except TypeError:
        return False


def _are_dates(joined: str) -> bool:
    dashes = joined[4::10] + joined[7::10]
    digits = joined.replace("-", "")
    return not dashes.strip("-") and len(digits) * 10 == len(joined) * 8 and digits.isdigit()


def _are_lower_words(joined: str) -> bool:
    return joined.islower() and " " not in joined and joined.isprintable()


def _has_texts(row: Entry) -> bool:
    return all(type(row[name]) is str and row[name] for name in _FIELDS[16:] if name in row)


def _short_hash(text: str) -> str:
    from hashlib import sha1

    digest = sha1(encode_like_javascript(text), usedforsecurity=False)
    return digest.hexdigest()[:HASH_LENGTH]


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value if -MAX_COUNT <= value <= MAX_COUNT else None
    number = _number(value, missing=math.nan)
    return int(number) if number.is_integer() else None


def _count(value: Any) -> int:
    if type(value) is int:
        return 0 if value < 0 else min(value, MAX_COUNT)
    return min(MAX_COUNT, max(0, math.floor(_number(value))))


def _number(value: Any, *, missing: float = 0.0) -> float:
    """A stored number; numeric text counts, anything else is ``missing``."""
    if type(value) is float:
        return value if math.isfinite(value) else missing
    if type(value) is int:
        return max(-MAX_COUNT, min(value, MAX_COUNT))
    if isinstance(value, str) and re.fullmatch(_NUMBER, value.strip()):
        return _number(float(value), missing=missing)
    return missing


def _text(value: Any, default: str) -> str:
    return value if isinstance(value, str) and value else default


def _snippet(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return normalize_snippet(value)


def _distinct(values: Any) -> list[str]:
    if not isinstance(values, list):
        return []
    trimmed = (value.strip() for value in values if isinstance(value, str))
    return list(dict.fromkeys(value for value in trimmed if value))


def _days(values: Any) -> list[str]:
    if not isinstance(values, list):
        return []
    found = (re.match(_DAY, value.strip()) for value in values if isinstance(value, str))
    return list(dict.fromkeys(match[0] for match in found if match))


def _tags(values: Any, path: str, snippet: str) -> list[str]:
    if isinstance(values, list):
        lowered = [value.lower() for value in values if isinstance(value, str)]
        return _distinct(lowered)[:MAX_TAGS]
    from openclaw_cli.memory.concepts import derive_tags

    return derive_tags(path, snippet)
