"""Parsing and writing a store without loss."""

from __future__ import annotations

import json

import pytest

from openclaw_cli.sessions import store_text
from openclaw_cli.sessions.store_text import UnusableText

ROW = {"sessionId": "a", "updatedAt": 5}


def test_everything_survives_a_round_trip() -> None:
    text = (
        '{\n  "agent:main:2": {\n    "sessionId": "x",\n    "n": 123456789012345678901234567890,\n'
        '    "f": 0.1,\n    "s": "\\ud800 é \\u001f",\n    "e": {},\n    "l": []\n  },\n'
        '  "1": null\n}'
    ).encode()
    assert store_text.render(store_text.parse(text)) == text


def test_the_order_of_number_like_keys_is_kept() -> None:
    rows = {"b": ROW, "2": ROW, "1": ROW}
    assert list(store_text.parse(json.dumps(rows).encode())) == ["b", "2", "1"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"agent:main:main": {"sessionId": "x", "updatedAt": 17', "is not JSON"),
        (b"// note\n{}", "is not JSON"),
        (b'\xef\xbb\xbf{"agent:main:main": {}}', "byte order mark"),
        (b"[1, 2]", "not a JSON object but a list"),
        (b"7", "not a JSON object but a single value"),
        (b'{"a": {"sessionId": "\xff"}}', "not UTF-8 (byte 21)"),
        (b"\x00\x01\x02", "is not JSON"),
        (b'{"a": {"sessionId": NaN}}', "holds NaN"),
        (b'{"a": {"sessionId": "x", "n": 1e999}}', "beyond all range"),
        (b'{"a": {"sessionId": "x"}, "a": {"sessionId": "y"}}', 'the key "a" twice'),
        (b'{"a": {"sessionId": "x", "sessionId": "y"}}', 'the key "sessionId" twice'),
        (b'{"version": 1, "jobs": []}', "no session row"),
        (b'{"agents": {"list": []}, "session": {}}', "no session row"),
        (b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
        (b'{"a": {"updatedAt": ' + b"9" * 5000 + b"}}", "unusable number"),
    ],
)
def test_what_could_not_be_kept_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(UnusableText, match=reason.replace("(", r"\(").replace(")", r"\)")):
        store_text.parse(data)


@pytest.mark.parametrize(
    "rows", [{}, {"agent:main:x": None}, {"k": ROW}, {"global": {}}, {"2": None}, {"2": [1]}]
)
def test_an_empty_or_odd_store_is_a_store(rows: dict[str, object]) -> None:
    assert store_text.parse(json.dumps(rows).encode()) == rows


def test_the_size_of_a_row_is_what_it_takes_in_the_file() -> None:
    rows = {"a": ROW, 'b"é': ROW | {"o": {"deep": [1, "\ud800"]}}, "c": ROW}
    whole = len(store_text.render(rows))
    for key in rows:
        rest = {k: v for k, v in rows.items() if k != key}
        assert whole - len(store_text.render(rest)) == store_text.row_size(key, rows[key]) + 2
