"""Reading JSON5 with spans."""

from __future__ import annotations

import math

import pytest

from openclaw_cli.config.json5 import Json5Error, Node, parse

RICH = """// a configuration kept by hand
{
  unquoted: 'single', "quoted": "double", $dollar_1: null,
  ключ: true, \\u0061b: false,  /* block
  comment */
  numbers: [+1, -2, .5, 5., 0x1F, -0xa, 1e3, 1.5E-2, Infinity, -Infinity, 0],
  'esc': 'it\\'s \\x41\\u0042\\n\\
joined\\0',
  "trailing": [ { } , [], ],
}
"""


def test_everything_that_json5_allows_is_read() -> None:
    value = parse(RICH).value
    assert value == {
        "unquoted": "single",
        "quoted": "double",
        "$dollar_1": None,
        "ключ": True,
        "ab": False,
        "numbers": [1, -2, 0.5, 5.0, 31, -10, 1000.0, 0.015, math.inf, -math.inf, 0],
        "esc": "it's AB\njoined\0",
        "trailing": [{}, []],
    }


def test_spans_cover_exactly_the_text_of_each_value() -> None:
    def check(node: Node) -> None:
        assert parse(RICH[node.start : node.end]).value == node.value
        for entry in [*(node.members or []), *(node.items or [])]:
            assert entry.comma == -1 or RICH[entry.comma] == ","
            check(entry.node)

    check(parse(RICH))


def test_of_equal_keys_the_last_one_counts() -> None:
    assert parse("{a: 1, 'a': 2}").value == {"a": 2}


def test_halves_of_a_character_are_joined_and_a_lone_half_stays() -> None:
    assert parse(r"'\ud83d\ude00'").value == "😀"
    assert parse(r"'\ud83d'").value == "\ud83d"


def test_line_ends_of_other_kinds_end_a_comment() -> None:
    assert parse("{a: 1, // x\r b: 2, // y\u2028 c: 3}").value == {"a": 1, "b": 2, "c": 3}


def test_rare_blanks_separate() -> None:
    assert parse("\ufeff{\u00a0a\u00a0:\u20031\u2029}").value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("{a: 1 b: 2}", 1, 7, "expected ','"),
        ("{\n  a: 1,\n  b 2\n}", 3, 5, "expected ':'"),
        ("{a:", 1, 4, "expected a value"),
        ("[1,,2]", 1, 4, "expected a value"),
        ("{,}", 1, 2, "expected a key"),
        ("{a: 01}", 1, 5, "'01' is no value"),
        ("{a: tru}", 1, 5, "'tru' is no value"),
        ("{5a: 1}", 1, 2, "no bare key"),
        ('{"a": "x\n"}', 1, 7, "without an end"),
        ("{} x", 1, 4, "text after the end"),
        ("/* x", 1, 1, "comment without an end"),
        ("[/ 1]", 1, 2, "unexpected '/'"),
        (r"'\1'", 1, 2, "unknown escape"),
        (r"'\u12'", 1, 2, "unknown escape"),
        ("", 1, 1, "expected a value"),
        ("{a: {b: [1", 1, 9, "the text ends before"),
        ("+", 1, 1, "'+' is no value"),
        ("[" * 500, 1, 202, "too deeply"),
    ],
)
def test_errors_tell_line_column_and_reason(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(Json5Error) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert reason in str(caught.value)
