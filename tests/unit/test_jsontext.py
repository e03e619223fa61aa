"""JSON that is nested beyond reason, on every release of Python alike."""

from __future__ import annotations

import json

import pytest

from openclaw_cli.state import jsontext
from openclaw_cli.state.jsontext import MAX_DEPTH


def nested(depth: int, opening: str = "[", closing: str = "]", inside: str = "") -> str:
    return opening * depth + inside + closing * depth


@pytest.mark.parametrize(
    "text",
    [
        nested(MAX_DEPTH),
        nested(MAX_DEPTH, '{"a":', "}", "1"),
        nested(MAX_DEPTH, '[1, "]", ', ", 2]", '"["'),
        "[" + ", ".join([nested(MAX_DEPTH - 1)] * 3) + "]",
        json.dumps({"wide": ["[" * 1000, "{" * 1000, *([[{}]] * 5000)]}),
        '"' + "[" * 100_000 + '"',
        "1" * 1000,
        "[]",
    ],
)
def test_what_is_deep_enough_for_anybody_is_read(text: str) -> None:
    assert jsontext.loads(text) == json.loads(text)
    assert jsontext.loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        nested(MAX_DEPTH + 1),
        nested(MAX_DEPTH + 1, '{"a":', "}", "1"),
        nested(MAX_DEPTH + 1, '[1, "]", ', ", 2]", '"["'),
        "[" + ", ".join(["1"] * 5000 + [nested(MAX_DEPTH)]) + "]",
        nested(5_000),
        nested(200_000),
    ],
)
def test_what_is_deeper_is_refused(text: str) -> None:
    for form in (text, text.encode()):
        with pytest.raises(RecursionError):
            jsontext.loads(form)


def test_half_a_character_is_no_obstacle() -> None:
    text = nested(MAX_DEPTH, inside='"\ud800"')
    assert jsontext.loads(text) is not None
