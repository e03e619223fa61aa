"""Reading JSON5 text as values that know where they stand.

``parse`` gives a tree of nodes with their spans, which ``splice`` uses to change one value
and leave every other byte alone; ``loads`` gives the plain value. Errors carry line and
column. Owns no files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

MAX_DEPTH = 200  # far beyond any configuration, and within Python's own recursion limit

_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TRIVIA = re.compile(rf"(?:[{_BLANK}]+|//[^\n\r\u2028\u2029]*|/\*(?:[^*]|\*(?!/))*\*/)*")
_NAME = re.compile(
    r"(?:[A-Za-z0-9_$]|\\u[0-9a-fA-F]{4}|[^\x00-\x7f\u00a0\u1680\u2000-\u200a"
    r"\u2028\u2029\u202f\u205f\u3000\ufeff])+"
)
_NUMBER = re.compile(
    r"([+-]?)(?:(Infinity|NaN)|0[xX]([0-9a-fA-F]+)"
    r"|((?:(?:0|[1-9][0-9]*)(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?))(?![A-Za-z0-9_$.\\])"
)
_STRINGS = {
    '"': re.compile(r'"((?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*)"'),
    "'": re.compile(r"'((?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*)'"),
}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])")
_ESCAPED = {
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class Json5Error(ValueError):
    """Text that is no JSON5; ``line`` and ``column`` count from 1."""

    def __init__(self, reason: str, text: str, offset: int) -> None:
        before = text[:offset]
        self.reason = reason
        self.offset = offset
        self.line = before.count("\n") + 1
        self.column = offset - (before.rfind("\n") + 1) + 1
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


class Node:
    """A value and its span ``text[start:end]``; ``members`` or ``items`` for a container."""

    __slots__ = ("end", "items", "members", "start", "value")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.value: Any = None
        self.members: list[Member] | None = None
        self.items: list[Item] | None = None


class Item(NamedTuple):
    """A list item; ``comma`` is the offset of the comma after it, -1 for none."""

    start: int
    node: Node
    comma: int


class Member(NamedTuple):
    """A key with its value; ``start`` is where the key begins."""

    start: int
    node: Node
    comma: int
    key: str


def loads(text: str) -> Any:
    """The value of a JSON5 text; raises ``Json5Error``. Of equal keys the last one counts."""
    try:
        return json.loads(text)  # most files are plain JSON, which the C reader does at once
    except (ValueError, RecursionError):
        return parse(text).value


def parse(text: str) -> Node:
    """The tree of a JSON5 text; raises ``Json5Error``."""
    reader = _Reader(text)
    reader.skip()
    node = reader.read(0)
    reader.skip()
    if reader.at < len(text):
        reader.fail("text after the end of the value")
    return node


class _Reader:
    """A cursor over the text; each ``read_*`` starts at a token and ends behind it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, reason: str, offset: int | None = None) -> NoReturn:
        raise Json5Error(reason, self.text, self.at if offset is None else offset)

    def skip(self) -> None:
        match = _TRIVIA.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        if self.text.startswith("/*", self.at):
            self.fail("comment without an end")

    def read(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.fail("nested too deeply")
        node = Node(self.at)
        first = self.text[self.at : self.at + 1]
        if first == "{":
            node.members = self.read_members(depth)
            node.value = {member.key: member.node.value for member in node.members}
        elif first == "[":
            node.items = self.read_items(depth)
            node.value = [item.node.value for item in node.items]
        elif first in _STRINGS:
            node.value = self.read_string(first)
        else:
            node.value = self.read_word()
        node.end = self.at
        return node

    def read_members(self, depth: int) -> list[Member]:
        members: list[Member] = []

        def one() -> None:
            start = self.at
            key = self.read_key()
            self.skip()
            if not self.text.startswith(":", self.at):
                self.fail(f"expected ':' after the key {key!r}")
            self.at += 1
            self.skip()
            node = self.read(depth + 1)
            members.append(Member(start, node, self.read_comma("}"), key))

        self.read_until("}", one)
        return members

    def read_items(self, depth: int) -> list[Item]:
        items: list[Item] = []

        def one() -> None:
            start = self.at
            node = self.read(depth + 1)
            items.append(Item(start, node, self.read_comma("]")))

        self.read_until("]", one)
        return items

    def read_until(self, closing: str, read_one: Callable[[], None]) -> None:
        opened = self.at
        self.at += 1
        self.skip()
        while not self.text.startswith(closing, self.at):
            if self.at >= len(self.text):
                self.fail(f"the file ends before the {closing!r} of this one", opened)
            read_one()
            self.skip()
        self.at += 1

    def read_comma(self, closing: str) -> int:
        self.skip()
        found = self.text[self.at : self.at + 1]
        if found == ",":
            self.at += 1
            return self.at - 1
        if found and found != closing:
            self.fail(f"expected ',' or {closing!r}")
        return -1

    def read_key(self) -> str:
        first = self.text[self.at : self.at + 1]
        if first in _STRINGS:
            return self.read_string(first)
        match = _NAME.match(self.text, self.at)
        if match is None:
            self.fail("expected a key")
        name = self.unescape(match.group(), match.start())
        if not _is_identifier(name):
            self.fail(f"{name!r} is no bare key: put it in quotes")
        self.at = match.end()
        return name

    def read_string(self, quote: str) -> str:
        match = _STRINGS[quote].match(self.text, self.at)
        if match is None:
            self.fail("string without an end on its line")
        self.at = match.end()
        body = match.group(1)
        return self.unescape(body, match.start(1)) if "\\" in body else body

    def unescape(self, body: str, offset: int) -> str:
        def one(match: re.Match[str]) -> str:
            code = match.group(1)
            if len(code) > 2:
                return chr(int(code[1:], 16))
            is_octal = code == "0" and body[match.end() : match.end() + 1].isdecimal()
            if code in "xu123456789" or is_octal:
                self.fail(f"unknown escape \\{code}", offset + match.start())
            return _ESCAPED.get(code, code)

        plain = _ESCAPE.sub(one, body)
        if any("\ud800" <= char <= "\udfff" for char in plain):
            # Two escaped halves are one character; a half on its own stays as it is.
            plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return plain

    def read_word(self) -> Any:
        match = _NUMBER.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
            return _number(match)
        match = _NAME.match(self.text, self.at)
        if match is None:
            self.fail("expected a value")
        if match.group() not in _WORDS:
            self.fail(f"{match.group()!r} is no value: put text in quotes")
        self.at = match.end()
        return _WORDS[match.group()]


def _number(match: re.Match[str]) -> int | float:
    sign, word, digits, decimal, fraction, bare_fraction, exponent = match.groups()
    value: int | float
    if word is not None:
        value = float("inf" if word == "Infinity" else "nan")
    elif digits is not None:
        value = int(digits, 16)
    elif fraction is None and bare_fraction is None and exponent is None:
        value = int(decimal)
    else:
        value = float(decimal)
    return -value if sign == "-" else value


def _is_identifier(name: str) -> bool:
    return name.replace("$", "_").replace("\u200c", "").replace("\u200d", "").isidentifier()


def is_bare_key(key: str) -> bool:
    """Whether a key may stand without quotes; only plain ASCII names, to be safe everywhere."""
    return key.isascii() and _is_identifier(key)
