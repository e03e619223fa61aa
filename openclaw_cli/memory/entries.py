"""Rows of the short-term recall store: their form, their keys, which ones are kept.

A row is a plain dict with the camelCase keys of the file (``memory.md`` 4.3); a normalised
row has every known key with its right type, and carries unknown ones along untouched.
"""

from __future__ import annotations

import math
import re
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
MAX_COUNT = 2**53 - 1  # larger whole numbers are none in JavaScript either

_FIELDS = (
    "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount",
    "groundedCount", "totalScore", "maxScore", "firstRecalledAt", "lastRecalledAt",
    "queryHashes", "recallDays", "conceptTags", "claimHash", "promotedAt",
)  # fmt: skip
_KNOWN = frozenset(_FIELDS)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_MONTH_STARTS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def normalize_entry(key: str, raw: Any, now_iso: str) -> Entry | None:
    """The row under ``key`` with its types put right; None when it is no usable row.

    ``now_iso`` stands in for missing timestamps.
    """
    if not isinstance(raw, dict) or raw.get("source") != "memory":
        return None
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
    if len(raw) > len(entry) or not raw.keys() <= _KNOWN:
        entry.update((name, raw[name]) for name in raw if name not in _KNOWN)
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
    if not _DAY.fullmatch(day):
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

    ordered = sorted(entries.items(), key=lambda item: _retention_rank(*item))
    kept = sorted(ordered[:MAX_ENTRIES], key=lambda item: collation_key(item[0]))
    return dict(kept), [key for key, _ in ordered[MAX_ENTRIES:]]


def _retention_rank(key: str, entry: Entry) -> tuple[Any, ...]:
    promoted = stamp_ms(entry["promotedAt"]) if "promotedAt" in entry else None
    seen = stamp_ms(entry["lastRecalledAt"])
    return (
        not (entry["recallCount"] or entry["groundedCount"]),
        "promotedAt" in entry,
        seen is None,
        -(seen or 0),
        -signal_count(entry),
        -entry["totalScore"],
        -entry["maxScore"],
        -(promoted or 0),
        key,
    )


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
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
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
    found = (_DAY.match(value.strip()) for value in values if isinstance(value, str))
    return list(dict.fromkeys(match[0] for match in found if match))


def _tags(values: Any, path: str, snippet: str) -> list[str]:
    if isinstance(values, list):
        lowered = [value.lower() for value in values if isinstance(value, str)]
        return _distinct(lowered)[:MAX_TAGS]
    from openclaw_cli.memory.concepts import derive_tags

    return derive_tags(path, snippet)
