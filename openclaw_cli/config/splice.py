"""Changing one value of a JSON5 text while every other byte stays.

Comments, order, quotes, indentation and line ends are kept; an added key takes the look of
its neighbours. Pure functions from text to text (``design.md`` 3, "Config").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from openclaw_cli.config import json5, paths
from openclaw_cli.config.json5 import Item, Member, Node
from openclaw_cli.state.jsonnum import dumps

Place = Sequence[str | int]
Entries = Sequence[Item | Member]

DEFAULT_STEP = "  "


class NoSuchPlace(LookupError):
    """A path that the text does not have, or that cannot be made in it; says why."""


def set_value(text: str, place: Place, value: Any) -> str:
    """``text`` with ``value`` at ``place``; missing objects on the way are created.

    Raises ``NoSuchPlace`` when a step leads through something that is no object or list,
    or to a list item that is not there (the one after the last appends).
    """
    root = json5.parse(text)
    style = _Style(text, root)
    node, flat = root, False
    for depth, key in enumerate(place):
        entries = entries_at(node, place[:depth], key)
        found = _find(entries, key)
        if found is None:
            return _insert(style, node, key, wrap(value, place[depth + 1 :]), flat=flat)
        flat = not style.starts_line(entries[-1].start)
        node = found.node
    if same(node.value, value):
        return text
    if isinstance(node.value, dict | list) and node.value:
        flat = flat or "\n" not in text[node.start : node.end]
    rendered = style.value(value, style.indent_at(node.start), flat=flat)
    return text[: node.start] + rendered + text[node.end :]


def unset_value(text: str, place: Place) -> str:
    """``text`` without the key or list item at ``place``; ``NoSuchPlace`` when it is absent."""
    node = json5.parse(text)
    for depth, key in enumerate(place[:-1]):
        found = _find(entries_at(node, place[:depth], key), key)
        if found is None:
            raise NoSuchPlace("there is no such key")
        node = found.node
    last = place[-1]
    entries = entries_at(node, place[:-1], last)
    found = _find(entries, last)
    if found is None:
        raise NoSuchPlace("there is no such key")
    shorter = _remove(text, entries, entries.index(found))
    if isinstance(last, str) and sum(_key(entry) == last for entry in entries) > 1:
        return unset_value(shorter, place)  # an earlier twin of the key would come to life
    return shorter


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as data: ``1`` is ``1.0`` but not ``true``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) or isinstance(other, float):
        try:
            return float(one) == float(other)
        except (TypeError, ValueError, OverflowError):
            return False
    return type(one) is type(other) and bool(one == other)


def wrap(value: Any, keys: Place) -> Any:
    """``value`` inside the objects and one-item lists that ``keys`` lead through."""
    for key in reversed(keys):
        if isinstance(key, int) and key != 0:
            raise NoSuchPlace(f"a new list begins with [0], not [{key}]")
        value = [value] if isinstance(key, int) else {key: value}
    return value


def entries_at(node: Node, so_far: Place, key: str | int) -> Entries:
    """The members or items of the container that ``key`` addresses something in."""
    if isinstance(key, str) and node.members is not None:
        return node.members
    if isinstance(key, int) and node.items is not None:
        return node.items
    raise not_below(node.value, key, so_far)


def not_below(value: Any, key: str | int, so_far: Place) -> NoSuchPlace:
    """Why ``key`` addresses nothing in the ``value`` at ``so_far``."""
    name = paths.render(tuple(so_far)) or "the configuration"
    if isinstance(value, list):
        return NoSuchPlace(f"{name} is a list: address its items as {name}[0], {name}[1], ...")
    if isinstance(key, int):
        return NoSuchPlace(f"{name} is no list")
    return NoSuchPlace(f"{name} is a single value, not an object")


class _Style:
    """How a text is written: line end, indentation step, and quotes around keys."""

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        members = root.members or []
        indents = [self.indent_at(member.start) for member in members]
        self.step = next((indent for indent in indents if indent), DEFAULT_STEP)
        self.quote = self.quote_of(members[0]) if members else '"'

    def indent_at(self, offset: int) -> str:
        """The blanks that the line of ``offset`` begins with."""
        line = self.text[_line_start(self.text, offset) : offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def starts_line(self, offset: int) -> bool:
        """Whether nothing but blanks stands before ``offset`` on its line."""
        return not self.text[_line_start(self.text, offset) : offset].strip()

    def quote_of(self, member: Member) -> str:
        first = self.text[member.start]
        return first if first in "\"'" else ""

    def key(self, name: str, quote: str) -> str:
        if not quote and json5.is_bare_key(name):
            return name
        if quote == "'" and not re.search(r"['\\\x00-\x1f\u2028\u2029]", name):
            return f"'{name}'"
        return dumps(name)

    def value(self, value: Any, indent: str, *, flat: bool) -> str:
        """``value`` on one line, or on several that start at ``indent``."""
        if not isinstance(value, dict | list) or not value:
            return dumps(value)
        inner = indent + self.step
        if isinstance(value, dict):
            parts = [
                f"{self.key(key, self.quote)}: {self.value(item, inner, flat=flat)}"
                for key, item in value.items()
            ]
            opening, closing = ("{ ", " }") if flat else "{}"
        else:
            parts = [self.value(item, inner, flat=flat) for item in value]
            opening, closing = "[]"
        if flat:
            return opening + ", ".join(parts) + closing
        line = self.newline + inner
        return opening + line + ("," + line).join(parts) + self.newline + indent + closing


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _find(entries: Entries, key: str | int) -> Item | Member | None:
    if isinstance(key, str):
        return next((entry for entry in reversed(entries) if _key(entry) == key), None)
    if key > len(entries):
        raise NoSuchPlace(f"the list has {len(entries)} item(s), so there is no [{key}]")
    return entries[key] if key < len(entries) else None


def _key(entry: Item | Member) -> str | None:
    return entry.key if isinstance(entry, Member) else None


def _insert(style: _Style, node: Node, key: str | int, value: Any, *, flat: bool) -> str:
    """Add a member or item at the end of an object or list."""
    entries: Entries = node.items if node.items is not None else node.members or []
    last = entries[-1] if entries else None
    quote = style.quote_of(last) if isinstance(last, Member) else style.quote
    label = style.key(key, quote) + ": " if isinstance(key, str) else ""
    if last is None:
        return _insert_first(style, node, label, value, flat=flat)
    if not style.starts_line(last.start):
        return _insert_beside(style.text, last, label + style.value(value, "", flat=True))
    indent = style.indent_at(last.start)
    return _insert_below(style, last, indent + label + style.value(value, indent, flat=False))


def _insert_first(style: _Style, node: Node, label: str, value: Any, *, flat: bool) -> str:
    """Fill an empty object or list; comments inside it stay, above the new entry."""
    text = style.text
    before = text[: node.end - 1].rstrip(" \t\r\n")
    after = text[node.end - 1 :]
    if flat and "//" not in before[node.start :]:
        pad = " " if label else ""
        return before + pad + label + style.value(value, "", flat=True) + pad + after
    outer = style.indent_at(node.start)
    indent = outer + style.step
    entry = indent + label + style.value(value, indent, flat=False)
    return before + style.newline + entry + style.newline + outer + after


def _insert_beside(text: str, last: Item | Member, entry: str) -> str:
    if last.comma < 0:
        return text[: last.node.end] + ", " + entry + text[last.node.end :]
    return text[: last.comma + 1] + f" {entry}," + text[last.comma + 1 :]


def _insert_below(style: _Style, last: Item | Member, entry: str) -> str:
    """Put ``entry`` on a line below the last one, behind the comment on that one's line."""
    text = style.text
    end = last.node.end if last.comma < 0 else last.comma + 1
    match = re.compile(r"(?:[ \t]*/\*[^\n\r]*?\*/)*(?:[ \t]*//[^\n\r]*)?").match(text, end)
    line_end = match.end() if match else end
    comma, tail = (",", "") if last.comma < 0 else ("", ",")
    return (
        text[: last.node.end]
        + comma
        + text[last.node.end : line_end]
        + style.newline
        + entry
        + tail
        + text[line_end:]
    )


def _remove(text: str, entries: Entries, index: int) -> str:
    """Cut an entry with its comma, or, for the last one, the comma before it."""
    entry = entries[index]
    start = entry.start
    stop = entry.node.end if entry.comma < 0 else entry.comma + 1
    line_start = _line_start(text, start)
    match = re.compile(r"[ \t]*(\r\n|\n|\r)?").match(text, stop)
    if match is not None and not text[line_start:start].strip() and match.group(1):
        start, stop = line_start, match.end()  # alone on its lines: they go as a whole
    elif index + 1 < len(entries) and match is not None:
        stop = match.end()
    elif text[line_start:start].strip():
        start = len(text[:start].rstrip(" \t"))
    shorter = text[:start] + text[stop:]
    if entry.comma < 0 and index > 0:
        comma = entries[index - 1].comma
        shorter = shorter[:comma] + shorter[comma + 1 :]
    return shorter
