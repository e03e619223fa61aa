"""JSON5 read and edited: against another reader, and as round trips."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pyjson5
from hypothesis import assume, given
from hypothesis import strategies as st

from openclaw_cli.config import json5, splice
from openclaw_cli.config.edit import MISSING, replaced
from openclaw_cli.state.jsonnum import dumps

BLANKS = (
    "", " ", "\n", "\r\n", "\t", "/* c, } ] */", "// c { \" '\n", "\n  // x\r\n  ", "\u00a0",
)  # fmt: skip
KEYS = st.one_of(
    st.sampled_from(["a", "b", "list", "$x", "_y", "a-b", "1", "naïve", "with space", "a.b", ""]),
    st.text(max_size=6),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=0, max_size=5)


@st.composite
def texts(draw: st.DrawFn, values: st.SearchStrategy[Any] = OBJECTS) -> tuple[str, Any]:
    """A JSON5 text in a random style, and the value that it holds."""
    value = draw(values)
    # One seed decides about all blanks and quotes: drawing each of them costs seconds.
    style = Random(draw(st.integers(0, 2**20)))
    return style.choice(BLANKS) + _write(style, value) + style.choice(BLANKS), value


def _write(style: Random, value: Any) -> str:
    if isinstance(value, dict | list):
        is_object = isinstance(value, dict)
        text = ""
        for label, item in value.items() if is_object else enumerate(value):
            key = _key(style, label) + style.choice(BLANKS) + ":" if is_object else ""
            text += style.choice(BLANKS) + key + style.choice(BLANKS)
            text += _write(style, item) + style.choice(BLANKS) + ","
        text = text[:-1] if style.random() < 0.5 else text
        return ("{%s%s}" if is_object else "[%s%s]") % (text, style.choice(BLANKS))
    return _string(style, value) if isinstance(value, str) else dumps(value)


def _key(style: Random, key: str) -> str:
    return key if json5.is_bare_key(key) and style.random() < 0.5 else _string(style, key)


def _string(style: Random, text: str) -> str:
    if style.random() < 0.5:
        return dumps(text)
    body = dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{body}'"


@given(texts())
def test_a_text_reads_as_the_value_it_was_written_from(case: tuple[str, Any]) -> None:
    text, value = case
    assert splice.same(json5.parse(text).value, value)


@given(texts(VALUES))
def test_another_reader_agrees(case: tuple[str, Any]) -> None:
    text, _ = case
    assert pyjson5.decode(text) == json5.parse(text).value


@given(st.text(alphabet="{}[],:'\"\\/*\n ab1.+-e0xu\u00a0", max_size=20))
def test_noise_that_is_accepted_is_read_alike(text: str) -> None:
    try:
        ours = json5.parse(text).value
    except json5.Json5Error:
        return  # the other reader is more generous with numbers, e.g. 0e and -.
    assert repr(ours) == repr(pyjson5.decode(text))


@given(texts(), st.data())
def test_setting_changes_that_value_and_no_other_byte_outside(
    case: tuple[str, Any], data: st.DataObject
) -> None:
    text, value = case
    place = data.draw(places(value, grow=True))
    new = data.draw(VALUES)
    changed = splice.set_value(text, place, new)
    assert splice.same(json5.parse(changed).value, replaced(copy.deepcopy(value), place, new))
    assert _comments(text) - _comments(changed) <= _comments(_span(text, place))


@given(texts(), st.data())
def test_unsetting_removes_that_value_and_keeps_comments(
    case: tuple[str, Any], data: st.DataObject
) -> None:
    text, value = case
    assume(value)
    place = data.draw(places(value, grow=False))
    changed = splice.unset_value(text, place)
    assert splice.same(json5.parse(changed).value, replaced(value, place, MISSING))
    assert _comments(text) - _comments(changed) <= _comments(_span(text, place))


@given(texts(), KEYS, VALUES)
def test_setting_and_unsetting_a_new_key_gives_the_same_data(
    case: tuple[str, Any], key: str, new: Any
) -> None:
    text, value = case
    assume(key not in value)
    back = splice.unset_value(splice.set_value(text, (key,), new), (key,))
    assert splice.same(json5.parse(back).value, value)


@st.composite
def places(draw: st.DrawFn, value: Any, *, grow: bool) -> tuple[str | int, ...]:
    """A path into ``value``; with ``grow`` it may end in something new."""
    place: list[str | int] = []
    while isinstance(value, dict | list):
        known: list[str | int] = list(value) if isinstance(value, dict) else list(range(len(value)))
        new = draw(KEYS) if isinstance(value, dict) else len(value)
        options = [*known, new] if grow else known
        if not options:
            break
        key = draw(st.sampled_from(options))
        place.append(key)
        if key not in known or draw(st.booleans()):
            break
        value = value[key]
    if not place:
        place.append(draw(KEYS))
    return tuple(place)


def _comments(text: str) -> int:
    return text.count("/* c, } ] */") + text.count("// c { ") + text.count("// x")


def _span(text: str, place: tuple[str | int, ...]) -> str:
    """The text of the entry at ``place``, from its key to its comma; empty for a new one."""
    node, span = json5.parse(text), ""
    for key in place:
        entries = (node.members if isinstance(key, str) else node.items) or []
        names = [
            entry.key if isinstance(entry, json5.Member) else index
            for index, entry in enumerate(entries)
        ]
        if key not in names:
            return ""
        entry = entries[names.index(key)]
        node, span = entry.node, text[entry.start : max(entry.node.end, entry.comma + 1)]
    return span
