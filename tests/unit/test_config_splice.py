"""Editing JSON5 text: what changes, and that nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.config.splice import NoSuchPlace, same, set_value, unset_value

HAND_WRITTEN = """\
// household assistant, edited by hand
{
  agents: {
    defaults: { workspace: "~/.openclaw/workspace" },
    list: [ { id: "main", default: true }, { id: "work" }, { id: "garden" } ],
  },
  // three weeks: the accountant asks for invoices late
  session: { maintenance: { pruneAfter: "21d", /* not less than 200 */ maxEntries: 250 } },
}
"""

CASES: list[tuple[str, str, tuple[str | int, ...], Any, str]] = [
    ("replaced in place", "{a: 1, /* x */ b: 'y'} // z", ("b",), 2, "{a: 1, /* x */ b: 2} // z"),
    ("added to a flat object", "{ a: 1 }", ("b",), "x", '{ a: 1, b: "x" }'),
    ("added behind a trailing comma", "{ a: 1, }", ("b",), 2, "{ a: 1, b: 2, }"),
    ("added with the quotes of its neighbour", '{"a": 1}', ("b",), 2, '{"a": 1, "b": 2}'),
    ("added with single quotes", "{'a': 1}", ("b c",), 2, "{'a': 1, 'b c': 2}"),
    ("quoted only where it must be", "{a: 1}", ("b-c",), 2, '{a: 1, "b-c": 2}'),
    ("added on its own line", "{\n\ta: 1\n}\n", ("b",), 2, "{\n\ta: 1,\n\tb: 2\n}\n"),
    (
        "added behind the comment of the last line",
        "{\n  a: 1 // one\n}\n",
        ("b",),
        2,
        "{\n  a: 1, // one\n  b: 2\n}\n",
    ),
    (
        "added behind comma and comment",
        "{\n  a: 1, // one\n  // more to come\n}\n",
        ("b",),
        2,
        "{\n  a: 1, // one\n  b: 2,\n  // more to come\n}\n",
    ),
    (
        "added with Windows line ends",
        "{\r\n  a: 1\r\n}\r\n",
        ("b", "c"),
        2,
        "{\r\n  a: 1,\r\n  b: {\r\n    c: 2\r\n  }\r\n}\r\n",
    ),
    ("first key of an empty file", "{}\n", ("a",), 1, '{\n  "a": 1\n}\n'),
    ("first key below a comment", "{ // note\n}", ("a",), 1, '{ // note\n  "a": 1\n}'),
    ("first key of a flat object", "{ a: {} }", ("a", "b"), 1, "{ a: { b: 1 } }"),
    ("first key of a block", "{\n  a: {},\n}", ("a", "b"), 1, "{\n  a: {\n    b: 1\n  },\n}"),
    ("first item of a list", "{ a: [] }", ("a", 0), "x", '{ a: ["x"] }'),
    ("appended to a list", "{ a: [1, 2] }", ("a", 2), 3, "{ a: [1, 2, 3] }"),
    (
        "appended to a list in lines",
        "{\n  a: [\n    1,\n  ],\n}",
        ("a", 1),
        2,
        "{\n  a: [\n    1,\n    2,\n  ],\n}",
    ),
    ("created with all its parents", "{ a: 1 }", ("b", "c", 0, "d"), True,
     "{ a: 1, b: { c: [{ d: true }] } }"),
    ("flat object replaced by a flat one", "{\n  a: { b: 1 },\n}", ("a",), {"c": [1]},
     "{\n  a: { c: [1] },\n}"),
    ("scalar replaced by a block", "{\n  a: 1,\n}", ("a",), {"c": []},
     "{\n  a: {\n    c: []\n  },\n}"),
    ("the last of two equal keys is the one", "{ a: 1, a: 2 }", ("a",), 3, "{ a: 1, a: 3 }"),
    ("equal value", "{ a: 0x10 }", ("a",), 16, "{ a: 0x10 }"),
    ("non-ASCII text is kept", "{ a: 1 }", ("ключ",), "żółw", '{ a: 1, "ключ": "żółw" }'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "value", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_set(text: str, place: tuple[str | int, ...], value: Any, expected: str) -> None:
    assert set_value(text, place, value) == expected


REMOVALS: list[tuple[str, str, tuple[str | int, ...], str]] = [
    ("first of several", "{ a: 1, b: 2 }", ("a",), "{ b: 2 }"),
    ("last of several", "{ a: 1, b: 2 }", ("b",), "{ a: 1 }"),
    ("last with a trailing comma", "{ a: 1, b: 2, }", ("b",), "{ a: 1, }"),
    ("the only one", "{ a: 1 }", ("a",), "{ }"),
    ("a whole line", "{\n  a: 1,\n  b: 2,\n}", ("a",), "{\n  b: 2,\n}"),
    ("the last line of strict JSON", '{\n  "a": 1,\n  "b": 2\n}', ("b",), '{\n  "a": 1\n}'),
    ("several lines", "{\n  a: {\n    x: 1,\n  },\n  b: 2,\n}", ("a",), "{\n  b: 2,\n}"),
    ("a comment beside it stays", "{\n  a: 1, // why\n  b: 2,\n}", ("a",),
     "{\n  // why\n  b: 2,\n}"),
    ("a comment above it stays", "{\n  // why\n  a: 1,\n}", ("a",), "{\n  // why\n}"),
    ("a comment after the one before stays", "{\n  a: 1, // one\n  b: 2\n}", ("b",),
     "{\n  a: 1 // one\n}"),
    ("middle item of a list", "[1, 2, 3]", (1,), "[1, 3]"),
    ("last item of a list", "[1, 2, /* x */ 3]", (2,), "[1, 2 /* x */]"),
    ("all of equal keys", "{ a: 1, b: 2, a: 3 }", ("a",), "{ b: 2 }"),
    ("Windows line ends", "{\r\n  a: 1,\r\n  b: 2\r\n}", ("a",), "{\r\n  b: 2\r\n}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "place", "expected"), [case[1:] for case in REMOVALS], ids=[c[0] for c in REMOVALS]
)
def test_unset(text: str, place: tuple[str | int, ...], expected: str) -> None:
    assert unset_value(text, place) == expected


def test_one_value_of_a_hand_written_file_is_one_changed_line() -> None:
    changed = set_value(HAND_WRITTEN, ("session", "maintenance", "maxEntries"), 300)
    assert changed == HAND_WRITTEN.replace("maxEntries: 250", "maxEntries: 300")


def test_one_item_of_a_hand_written_list_goes() -> None:
    assert unset_value(HAND_WRITTEN, ("agents", "list", 1)) == HAND_WRITTEN.replace(
        ' { id: "work" },', ""
    )


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("{a: 1}", ("a", "b"), "a is a single value"),
        ("{a: {b: null}}", ("a", "b", "c"), "a.b is a single value"),
        ("{a: [1]}", ("a", "1"), r"a\[0\]"),
        ("{a: {}}", ("a", 0), "a is no list"),
        ("{a: [1]}", ("a", 2), "1 item"),
        ("{}", ("a", 1), "begins with"),
    ],
)
def test_places_that_cannot_be_set(text: str, place: tuple[str | int, ...], reason: str) -> None:
    with pytest.raises(NoSuchPlace, match=reason):
        set_value(text, place, 1)


@pytest.mark.parametrize("place", [("b",), ("a", "b"), ("l", 1), ("l", 7), ("b", "c")])
def test_places_that_cannot_be_removed(place: tuple[str | int, ...]) -> None:
    with pytest.raises(NoSuchPlace):
        unset_value("{a: {}, l: [1]}", place)


def test_equality_knows_types() -> None:
    assert same({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})
    assert same(1, 1.0)
    assert not same(1, True)
    assert not same(1, "1")
    assert not same({"a": 0}, {"a": False})
    assert not same([1], [1, 2])
