"""Rows of the recall store: their form, keys, and which ones stay."""

from __future__ import annotations

from typing import Any

import pytest
from recall_rows import NOW_ISO, ROUTER, row

from openclaw_cli.memory import entries
from openclaw_cli.memory.collation import collation_key
from openclaw_cli.state import clock


def test_a_normal_row_stays_as_it_is() -> None:
    given = row(promotedAt="2026-11-18T03:00:00.000Z", note={"kept": [1]})
    assert entries.normalize_entry(given["key"], given, NOW_ISO) == given


def test_loose_fields_are_put_right_and_unknown_ones_kept() -> None:
    given = {
        "path": ".\\memory\\2026-11-17.md",
        "startLine": 3,
        "endLine": " 4 ",
        "source": "memory",
        "snippet": "  Router   moved\n\tto VLAN 20  ",
        "recallCount": 3.9,
        "dailyCount": -2,
        "groundedCount": True,
        "totalScore": "2.5",
        "maxScore": 4,
        "lastRecalledAt": "2026-11-19T03:00:00.000Z",
        "queryHashes": ["a", " a ", "b", "", 7],
        "recallDays": ["2026-11-18T10:00:00Z", "bad", "2026-11-19"],
        "origin": "import",
    }
    assert entries.normalize_entry("custom-key", given, NOW_ISO) == {
        "key": "custom-key",
        "path": "memory/2026-11-17.md",
        "startLine": 3,
        "endLine": 4,
        "source": "memory",
        "snippet": "Router moved to VLAN 20",
        "recallCount": 3,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": 2.5,
        "maxScore": 1,
        "firstRecalledAt": NOW_ISO,
        "lastRecalledAt": "2026-11-19T03:00:00.000Z",
        "queryHashes": ["a", "b"],
        "recallDays": ["2026-11-18", "2026-11-19"],
        "conceptTags": ["router", "vlan", "moved"],
        "origin": "import",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"path": ""},
        {"path": None},
        {"path": 7},
        {"startLine": 1.5},
        {"startLine": None},
        {"startLine": True},
        {"endLine": "four"},
        {"endLine": 2**60},
        {"source": "sessions"},
        {"source": None},
        {"snippet": "<!-- openclaw-memory-promotion:k -->"},
    ],
)
def test_unusable_rows_are_none(changes: dict[str, Any]) -> None:
    assert entries.normalize_entry("k", {**row(), "key": "k", **changes}, NOW_ISO) is None


@pytest.mark.parametrize("raw", [None, 5, "text", [], [row()]])
def test_what_is_no_object_is_no_row(raw: Any) -> None:
    assert entries.normalize_entry("k", raw, NOW_ISO) is None


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("recallCount", float("inf"), 0),
        ("recallCount", 10**400, 2**53 - 1),
        ("totalScore", float("nan"), 0),
        ("totalScore", "1e3", 1000),
        ("totalScore", -1, 0),
        ("maxScore", "x", 0),
        ("maxScore", 0.5, 0.5),
        ("snippet", 5, ""),
        ("snippet", "x" * 900, "x" * 800),
        ("snippet", "ab " * 300, ("ab " * 266 + "ab").rstrip()),
        ("queryHashes", "abc", []),
        ("queryHashes", [f"{n:012d}" for n in range(40)], [f"{n:012d}" for n in range(32)]),
        ("recallDays", [f"2026-10-{n:02d}" for n in range(1, 21)],
         [f"2026-10-{n:02d}" for n in range(5, 21)]),
        ("recallDays", [["2026-10-01"]], []),
        ("conceptTags", ["Router", "router", " ", 5, "b"], ["router", "b"]),
        ("conceptTags", [], []),
        ("firstRecalledAt", 5, NOW_ISO),
        ("lastRecalledAt", "", NOW_ISO),
        ("promotedAt", "2026-11-18T00:00:00Z", "2026-11-18T00:00:00Z"),
    ],
)  # fmt: skip
def test_each_field_gets_its_type(field: str, value: Any, wanted: Any) -> None:
    entry = entries.normalize_entry("k", {**row(), "key": "k", field: value}, NOW_ISO)
    assert entry is not None
    assert entry[field] == wanted


@pytest.mark.parametrize("value", [None, 5, "", False])
def test_a_promotion_stamp_that_is_no_text_is_none(value: Any) -> None:
    entry = entries.normalize_entry("k", {**row(), "promotedAt": value}, NOW_ISO)
    assert entry is not None
    assert "promotedAt" not in entry


def test_hashes_are_those_of_the_original_program() -> None:
    assert entries.query_hash(" Router VLAN ") == "ddf671495620"
    assert entries.claim_hash("a  b") == entries.claim_hash("a b")
    long = "x" * 801
    assert entries.claim_hash(long) != entries.claim_hash(long[:800])
    assert entries.entry_key("memory/a.md", 1, 2) == "memory:memory/a.md:1:2"
    assert entries.entry_key("memory/a.md", 1, 2, "abc") == "memory:memory/a.md:1:2:abc"


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-11-20T03:00:00.123Z",
        "2024-02-29T23:59:59.999Z",
        "2026-11-20",
        "2026-11-20T05:00+02:00",
    ],
)
def test_stored_times_are_read_as_the_clock_reads_them(stamp: str) -> None:
    assert entries.stamp_ms(stamp) == clock.parse_iso(stamp) is not None


@pytest.mark.parametrize(
    "stamp", ["", "never", "2026-02-30T00:00:00.000Z", "2026-11-20T25:00:00.000Z", "x" * 23 + "Z"]
)
def test_what_is_no_time_is_none(stamp: str) -> None:
    assert entries.stamp_ms(stamp) is None


@pytest.mark.parametrize("day", ["2026-13-01", "2026-11-31", "2026-1-001", "0000-01-01", "x"])
def test_days_that_do_not_exist_are_none(day: str) -> None:
    assert entries.day_number(day) is None


def _many(count: int, start: int = 0, **changes: Any) -> dict[str, entries.Entry]:
    rows = {}
    for number in range(start, start + count):
        one = row(f"fact {number}", line=number + 1, **changes)
        one["lastRecalledAt"] = f"2026-11-{1 + number % 19:02d}T{number // 40 % 24:02d}:00:00.000Z"
        rows[one["key"]] = one
    return rows


def test_up_to_512_rows_stay_in_their_order() -> None:
    rows = dict(reversed(_many(512).items()))
    assert entries.retain(rows) == (rows, [])


def test_the_newest_512_are_kept_ordered_by_key() -> None:
    rows = _many(600)
    kept, dropped = entries.retain(rows)
    oldest_kept = min(entry["lastRecalledAt"] for entry in kept.values())
    assert len(kept) == 512
    assert len(dropped) == 88
    assert all(rows[key]["lastRecalledAt"] <= oldest_kept for key in dropped)
    assert list(kept) == sorted(kept, key=collation_key)


def test_what_was_searched_for_outlasts_what_ingestion_saw() -> None:
    searched = _many(10)
    seen = _many(600, 10, recallCount=0, dailyCount=4, lastRecalledAt="2026-11-20T00:00:00.000Z")
    grounded = _many(5, 700, recallCount=0, groundedCount=2)
    kept, _ = entries.retain(seen | searched | grounded)
    assert searched.keys() | grounded.keys() <= kept.keys()


def test_promoted_rows_make_room_first() -> None:
    rows = _many(512) | _many(100, 600, promotedAt="2026-11-19T00:00:00.000Z")
    kept, dropped = entries.retain(rows)
    assert len(dropped) == 100
    assert all("promotedAt" not in entry for entry in kept.values())


def test_of_equally_old_rows_the_richer_ones_are_kept() -> None:
    rows = _many(513)
    for number, entry in enumerate(rows.values()):
        entry["lastRecalledAt"] = "2026-11-19T00:00:00.000Z"
        entry["totalScore"] = number / 10
    poorest = next(iter(rows))
    assert entries.retain(rows)[1] == [poorest]


def test_unreadable_times_are_the_first_to_go() -> None:
    rows = _many(513)
    key = list(rows)[100]
    rows[key]["lastRecalledAt"] = "some day"
    other = list(rows)[200]
    rows[other]["lastRecalledAt"] = "2026-11-19T23:00:00+00:00"
    assert entries.retain(rows)[1] == [key]


def test_snippet_is_normalised_text() -> None:
    assert entries.normalize_snippet(f"  {ROUTER}\n") == ROUTER
    assert entries.normalize_snippet("😀" * 500) == "😀" * 400
