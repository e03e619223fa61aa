"""JSON text as JavaScript prints it, without its losses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openclaw_cli.state import jsonnum
from openclaw_cli.state.jsonnum import dumps, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (1.1e-6, "0.0000011"),
        (1.5e-5, "0.000015"),
        (7.9e-7, "7.9e-7"),
        (-2.5e-7, "-2.5e-7"),
        (1e21, "1e+21"),
        (1.25e22, "1.25e+22"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e300, "1e+300"),
        (2**53, "9007199254740992"),
        (12345678901234567890123, "12345678901234567890123"),
        (float("nan"), "null"),
        (float("inf"), "null"),
    ],
    ids=str,
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_layout_and_characters() -> None:
    value = {"b": {}, "a": [1, [], {"é": "ü\n\u2028"}], "n": None, "t": True, "s": "\ud83d"}
    assert dumps(value) == (
        '{\n  "b": {},\n  "a": [\n    1,\n    [],\n    {\n      "é": "ü\\n\u2028"\n    }\n  ],\n'
        '  "n": null,\n  "t": true,\n  "s": "\\ud83d"\n}'
    )
    assert dumps(value, indent=None) == (
        '{"b":{},"a":[1,[],{"é":"ü\\n\u2028"}],"n":null,"t":true,"s":"\\ud83d"}'
    )


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-(2**53), 2**53)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_round_trip(value: Any) -> None:
    for indent in (2, None):
        assert json.loads(dumps(value, indent=indent)) == value


@given(st.lists(JSON_VALUES, max_size=6), st.sampled_from([2, None]))
@example([2.0, "2.0", 0.62, -0.5, {"a": 16.0, "b.0": "x.0,"}, []], 2)
@example([2.0], None)
@example([0.0, -0.0], 2)
@example([1e16, 1e-5, 1.5e-7, 1e21, 123456789012345680000.0], 2)
@example(["1.5e5", "1e5\n", "-0.0,"], None)
def test_large_values_are_written_no_other_way(values: list[Any], indent: int | None) -> None:
    large = [*values, *["filler"] * 200]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonnum, "_quick", lambda value, indent: None)
        slowly = dumps(large, indent=indent)
    assert dumps(large, indent=indent) == slowly


@given(st.floats(allow_nan=True))
def test_numbers_of_large_values(value: float) -> None:
    for indent in (2, None):
        written = dumps([value, *[0] * 200], indent=indent).split(",", 1)[0]
        assert written.removeprefix("[").strip() == number(value)
