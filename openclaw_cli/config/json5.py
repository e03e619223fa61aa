"""Reading JSON5 text as values that know where they stand.

``parse`` gives a tree of nodes with their spans, which ``splice`` uses to change one value
and leave every other byte alone. Errors carry line and column. Owns no files.

Most configurations are small and read once per process, so what would cost more to compile
than to run (patterns for rare spellings) is compiled on first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from openclaw_cli.state.tuples import NamedTuple

MAX_DEPTH = 200  # far beyond any configuration, and within Python's own recursion limit

_BLANKS = re.compile(r"[ \t\n\r\v\f]*")
_RARE_BLANKS = (
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_WORD = re.compile(r"[^\x00-#%-*,/:-@\[-^`{-\x7f]+")  # what a number, name or literal is made of
_DECIMAL = r"(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_STRINGS = {
    '"': r'"((?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*)"',
    "'": r"'((?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*)'",
}
_ESCAPE = r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|[\s\S])"
_ESCAPED = {
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0",
    "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": "",
}  # fmt: skip
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}


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


def parse(text: str) -> Node:
    """The tree of a JSON5 text; raises ``Json5Error``. Of equal keys the last one counts."""
    reader = _Reader(text)
    reader.skip()
    node = reader.read(0)
    reader.skip()
    if reader.at < len(text):
        reader.fail("text after the end of the value")
    return node


def is_bare_key(key: str) -> bool:
    """Whether a key may stand without quotes; only plain ASCII names, to be safe everywhere."""
    return key.isascii() and _is_identifier(key)


class _Reader:
    """A cursor over the text; each ``read_*`` starts at a token and ends behind it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, reason: str, offset: int | None = None) -> NoReturn:
        raise Json5Error(reason, self.text, self.at if offset is None else offset)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def skip(self) -> None:
        """Move over blanks and comments."""
        while True:
            match = _BLANKS.match(self.text, self.at)
            self.at = match.end() if match else self.at
            found = self.peek()
            if found == "/":
                self.skip_comment()
            elif found and found in _RARE_BLANKS:
                self.at += 1
            else:
                return

    def skip_comment(self) -> None:
        kind = self.text[self.at : self.at + 2]
        if kind == "//":
            end = self.text.find("\n", self.at)
            line = self.text[self.at : end if end >= 0 else len(self.text)]
            stops = [at for char in "\r\u2028\u2029" if (at := line.find(char)) >= 0]
            self.at += min(stops, default=len(line))
        elif kind == "/*":
            end = self.text.find("*/", self.at + 2)
            if end < 0:
                self.fail("comment without an end")
            self.at = end + 2
        else:
            self.fail("unexpected '/'")

    def read(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            self.fail("nested too deeply")
        node = Node(self.at)
        first = self.peek()
        if first == "{":
            node.members = self.read_members(depth)
            node.value = {member.key: member.node.value for member in node.members}
        elif first == "[":
            node.items = self.read_items(depth)
            node.value = [item.node.value for item in node.items]
        elif first in ("'", '"'):
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
            if self.peek() != ":":
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
        while self.peek() != closing:
            if self.at >= len(self.text):
                self.fail(f"the text ends before the {closing!r} of this one", opened)
            read_one()
            self.skip()
        self.at += 1

    def read_comma(self, closing: str) -> int:
        self.skip()
        found = self.peek()
        if found == ",":
            self.at += 1
            return self.at - 1
        if found and found != closing:
            self.fail(f"expected ',' or {closing!r}")
        return -1

    def read_key(self) -> str:
        first = self.peek()
        if first in _STRINGS:
            return self.read_string(first)
        start = self.at
        name = self.take_name()
        if not name:
            self.fail("expected a key")
        if not _is_identifier(name):
            self.fail(f"{name!r} is no bare key: put it in quotes", start)
        return name

    def take_name(self) -> str:
        """The bare name here, with ``\\u`` escapes resolved; empty when there is none."""
        name = ""
        while True:
            name += self.take_word()
            if self.peek() != "\\":
                return name
            escape = self.text[self.at : self.at + 6]
            name += self.unescape(escape, self.at)
            self.at += len(escape)

    def take_word(self) -> str:
        match = _WORD.match(self.text, self.at)
        word = match.group() if match else ""
        if not word.isascii():
            stops = [at for char in _RARE_BLANKS if (at := word.find(char)) >= 0]
            word = word[: min(stops, default=len(word))]
        self.at += len(word)
        return word

    def read_string(self, quote: str) -> str:
        end = self.text.find(quote, self.at + 1)
        body = self.text[self.at + 1 : end]
        if end >= 0 and "\\" not in body and "\n" not in body and "\r" not in body:
            self.at = end + 1
            return body
        match = re.compile(_STRINGS[quote]).match(self.text, self.at)
        if match is None:
            self.fail("string without an end on its line")
        self.at = match.end()
        return self.unescape(match.group(1), match.start(1))

    def unescape(self, body: str, offset: int) -> str:
        def one(match: re.Match[str]) -> str:
            code = match.group(1)
            if len(code) > 2:
                return chr(int(code[1:], 16))
            is_octal = code == "0" and body[match.end() : match.end() + 1].isdecimal()
            if code in "xu123456789" or is_octal:
                self.fail(f"unknown escape \\{code}", offset + match.start())
            return _ESCAPED.get(code, code)

        plain = re.sub(_ESCAPE, one, body)
        if any("\ud800" <= char <= "\udfff" for char in plain):
            # Two escaped halves are one character; a half on its own stays as it is.
            plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return plain

    def read_word(self) -> Any:
        start = self.at
        word = self.take_word()
        if word in _LITERALS:
            return _LITERALS[word]
        if not word:
            self.fail("expected a value")
        try:
            value = _number(word)
        except ValueError as error:  # a number of thousands of digits
            self.fail(str(error), start)
        if value is None:
            self.fail(f"{word!r} is no value: put text in quotes", start)
        return value


def _number(word: str) -> int | float | None:
    sign = -1 if word[0] == "-" else 1
    digits = word[1:] if word[0] in "+-" else word
    if digits.isascii() and digits.isdigit() and (digits[0] != "0" or digits == "0"):
        return sign * int(digits)
    if digits in ("Infinity", "NaN"):
        return sign * float("inf" if digits == "Infinity" else "nan")
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", digits):
        return sign * int(digits, 16)
    return sign * float(digits) if re.fullmatch(_DECIMAL, digits) else None


def _is_identifier(name: str) -> bool:
    return name.replace("$", "_").replace("\u200c", "").replace("\u200d", "").isidentifier()
