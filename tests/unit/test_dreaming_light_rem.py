"""What light sleep stages and REM sleep makes of it."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from openclaw_cli.dreaming import light, rem
from openclaw_cli.dreaming.days import lookback
from openclaw_cli.dreaming.merging import merge_alike
from openclaw_cli.dreaming.settings import Light, Rem
from openclaw_cli.memory.joining import join
from openclaw_cli.memory.similarity import are_alike, is_same_claim, similarity

NOW = 1_795_143_600_000  # 2026-11-20T03:00Z
SPAN = lookback(NOW, 2, ZoneInfo("UTC"))
LIGHT = Light(True, 2, 100, 0.9, None)
REM = Rem(True, 7, 10, 0.75, None)


def entry(snippet: str, line: int = 1, **fields: Any) -> dict[str, Any]:
    path = fields.pop("path", "memory/2026-11-19.md")
    return {
        "key": f"memory:{path}:{line}:{line}", "path": path, "startLine": line, "endLine": line,
        "source": "memory", "snippet": snippet, "recallCount": 0, "dailyCount": 1,
        "groundedCount": 0, "totalScore": 0.62, "maxScore": 0.62,
        "firstRecalledAt": "2026-11-19T10:00:00.000Z", "lastRecalledAt": "2026-11-19T10:00:00.000Z",
        "queryHashes": ["q1"], "recallDays": ["2026-11-19"], "conceptTags": [],
    } | fields  # fmt: skip


@pytest.mark.parametrize(
    ("one", "two", "value"),
    [("a b c", "c b a", 1.0), ("a b", "b c", 1 / 3), ("!!", "!!", 1.0), ("!!", "??", 0.0),
     ("备份方案", "备份方法", 5 / 9), ("Kettle", "kettle", 1.0)],
)  # fmt: skip
def test_similarity(one: str, two: str, value: float) -> None:
    assert similarity(one, two) == pytest.approx(value)
    assert are_alike(one, two, value)
    assert not are_alike(one, two, value + 0.01)


def test_an_edited_line_is_the_same_claim() -> None:
    assert is_same_claim("The kettle is on the left shelf", "The kettle is on the right shelf")
    assert not is_same_claim("The kettle is on the shelf", "Trains leave at nine")


@pytest.mark.parametrize(
    ("line", "other"),
    [("Запасной ключ висит за щитком в 15:30", "Поезд уходит с вокзала в 15:30"),
     ("مفتاح الاحتياط عند الجار، الباب 4", "القطار يغادر من الرصيف 4"),
     ("मीरा को मूंगफली से एलर्जी है", "बैठक शुक्रवार को होगी"),
     ("กาต้มน้ำอยู่บนชั้นซ้าย", "รถไฟออกเก้าโมง"), ("Ο βραστήρας είναι αριστερά", "Το τρένο φεύγει")],
)  # fmt: skip
def test_lines_of_other_scripts_are_compared_by_their_words(line: str, other: str) -> None:
    assert is_same_claim(line, f"- {line}.")
    assert not is_same_claim(line, other)


def test_newest_first_then_recalls_then_order() -> None:
    rows = [
        entry("one alpha", 1),
        entry("two beta", 2, recallCount=3),
        entry("three gamma", 3, lastRecalledAt="2026-11-19T12:00:00.000Z"),
        entry("four delta", 4, lastRecalledAt="2026-11-01T12:00:00.000Z", recallDays=[]),
        entry("five epsilon", 5),
    ]
    assert [e["startLine"] for e in light.select(rows, LIGHT, SPAN)] == [3, 2, 1, 5]


def test_look_alikes_of_one_note_are_folded_and_the_store_is_not_touched() -> None:
    first = entry("The kettle is on the left shelf now", 1, queryHashes=["a"], conceptTags=["x"])
    again = entry("the kettle is on the left shelf now", 2, recallCount=5, totalScore=3.0,
                  queryHashes=["b"], recallDays=["2026-11-18"], conceptTags=["y"])  # fmt: skip
    other = entry("The kettle is on the left shelf now", 3, path="memory/2026-11-18.md")
    staged = light.select([first, again, other], LIGHT, SPAN)
    assert [e["startLine"] for e in staged] == [2, 3]
    assert staged[0]["queryHashes"] == ["b", "a"]
    assert staged[0]["recallDays"] == ["2026-11-18", "2026-11-19"]
    assert (first["queryHashes"], again["queryHashes"]) == (["a"], ["b"])


def test_what_the_diary_told_comes_last_and_the_limit_cuts() -> None:
    rows = [entry("The kettle sings at night", 1), entry("Trains leave at nine sharp", 2)]
    diary = ["I heard: the kettle sings at night, again."]
    assert [e["startLine"] for e in light.select(rows, LIGHT, SPAN, diary)] == [2, 1]
    short = LIGHT._replace(limit=1)
    assert [e["startLine"] for e in light.select(rows, short, SPAN, diary)] == [2]
    old = [*diary, "b", "c", "d", "e"]
    assert [e["startLine"] for e in light.select(rows, LIGHT, SPAN, old)] == [1, 2]


def test_body_of_light_sleep() -> None:
    assert light.body([]) == ["- No notable updates."]
    shown = light.body([entry("", 3, recallCount=1, dailyCount=0, totalScore=0.125)])
    assert shown == [
        "- Candidate: (no snippet captured)",
        "  - confidence: 0.13",
        "  - evidence: memory/2026-11-19.md:3-3",
        "  - recalls: 1",
        "  - status: staged",
    ]


def test_themes_by_strength_count_and_tag() -> None:
    rows = [
        entry("a", 1, conceptTags=["router", "vlan"]),
        entry("b", 2, conceptTags=["router", "backup"]),
        entry(
            "c", 3, conceptTags=["router", "backup", "user", "1.00"], path="memory/2026-11-18.md"
        ),
        entry("d", 4, conceptTags=["attic"]),
    ]
    themes = rem.preview(rows, REM).themes
    assert [(t.tag, t.entries, t.strength) for t in themes] == [
        ("router", 3, 1.0),
        ("backup", 2, 1.0),
    ]
    assert rem.preview(rows, REM._replace(min_pattern_strength=0.5)).themes[2].tag == "attic"
    assert themes[0].lines()[2] == (
        "  - evidence: memory/2026-11-19.md:1-1, memory/2026-11-19.md:2-2, memory/2026-11-18.md:3-3"
    )


def test_a_theme_of_one_note_is_shown_but_not_solid() -> None:
    first, second = entry("a", 1, conceptTags=["kettle"]), entry("b", 2, conceptTags=["kettle"])
    together = rem.preview([first, second], REM).themes
    assert [(theme.tag, theme.is_solid) for theme in together] == [("kettle", False)]
    apart = rem.preview([first, second | {"path": "memory/2026-11-18.md"}], REM).themes
    assert [(theme.tag, theme.is_solid) for theme in apart] == [("kettle", True)]


def test_truths_by_confidence_then_text_without_promoted_ones() -> None:
    strong = {"recallCount": 6, "dailyCount": 2, "totalScore": 7.4, "conceptTags": list("abcdef"),
              "recallDays": ["2026-11-17", "2026-11-18", "2026-11-19"]}  # fmt: skip
    rows = [
        entry("Printer tray two jams", 1, **strong),
        entry("Attic windows stay shut", 2, **strong),
        entry("Promoted long ago", 3, promotedAt="2026-11-18T00:00:00.000Z", **strong),
        entry("Weak line", 4),
    ]
    truths = rem.preview(rows, REM).truths
    assert [t.entry["snippet"] for t in truths] == [
        "Attic windows stay shut",
        "Printer tray two jams",
    ]
    assert truths[0].line == (
        "- Attic windows stay shut [confidence=0.97 evidence=memory/2026-11-19.md:2-2]"
    )
    assert (
        len(
            rem.preview(
                [entry(f"text number {n} {'abcdefgh'[n]}", n, **strong) for n in range(8)], REM
            ).truths
        )
        == 3
    )


def test_the_list_marker_of_a_note_is_not_doubled() -> None:
    truth = rem.Truth(entry("- Attic windows stay shut", 2), 0.97)
    assert truth.line == (
        "- Attic windows stay shut [confidence=0.97 evidence=memory/2026-11-19.md:2-2]"
    )


def test_empty_preview_says_so() -> None:
    assert rem.preview([], REM).body == [
        "### Reflections", "- No strong patterns surfaced.", "",
        "### Possible Lasting Truths", "- No strong candidate truths surfaced.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "is_pending"),
    [
        (None, False),
        ({"lightHits": 0}, False),
        ({"lightHits": 1}, True),
        ({"lightHits": 1, "lastRemAt": "2026-11-19T00:00:00.000Z"}, False),
        ({"lightHits": 1, "lastLightAt": "2026-11-20T00:00:00.000Z"}, True),
        ({"lightHits": 1, "lastLightAt": "2026-11-20T00:00:00.000Z",
          "lastRemAt": "2026-11-19T00:00:00.000Z"}, True),
        ({"lightHits": 1, "lastLightAt": "2026-11-20T00:00:00.000Z",
          "lastRemConsideredAt": "2026-11-20T00:00:00.000Z"}, False),
    ],
)  # fmt: skip
def test_pending_are_those_that_light_met_since(row: Any, is_pending: bool) -> None:
    one = entry("text", 1)
    found = rem.pending([one], {} if row is None else {one["key"]: row})
    assert bool(found) is is_pending


def test_joining_counts_one_reading_once() -> None:
    kept = entry("same", 1, recallCount=2, totalScore=2.42, queryHashes=["q1", "s1"])
    other = entry("same", 9, recallCount=1, totalScore=1.42, queryHashes=["q1"],
                  lastRecalledAt="2026-11-20T00:00:00.000Z")  # fmt: skip
    join(kept, other)
    assert (kept["recallCount"], kept["dailyCount"]) == (3, 1)
    assert kept["totalScore"] == pytest.approx((2.42 + 1.42) * 4 / 5)
    assert kept["lastRecalledAt"] == "2026-11-20T00:00:00.000Z"


def test_merging_keeps_order() -> None:
    rows = [entry(f"statement {word} here", n) for n, word in enumerate(("one", "two", "three"))]
    assert [e["startLine"] for e in merge_alike(rows, 0.9)] == [0, 1, 2]
