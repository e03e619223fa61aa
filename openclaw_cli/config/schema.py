"""The shapes that settings may take, as values (``design.md`` 3, "Config").

The tables themselves are data: ``blocks_sessions``, ``blocks_agents``, ``blocks_plugins``
and ``tree``, which joins them into one. ``validation`` walks the tree, ``json_schema``
exports it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from openclaw_cli.state.tuples import NamedTuple


class Kind(NamedTuple):
    """What a setting takes.

    ``name`` is one of ``any``, ``bool``, ``text``, ``integer``, ``number``, ``enum``,
    ``duration``, ``size``, ``clock``, ``zone``, ``cron``, ``list`` (of ``item``), ``map``
    (any key, values of ``item``), ``object`` (only ``keys``), ``open`` (``keys`` and
    whatever else) and ``either`` (one of ``options``). ``homes`` tells for names that do
    not belong into an ``open`` object where they do.
    """

    name: str
    low: float | None = None
    high: float | None = None
    options: tuple[Any, ...] = ()
    unit: str = ""
    keys: Mapping[str, Kind] = {}
    item: Kind | None = None
    homes: Mapping[str, str] = {}


ANY = Kind("any")
BOOL = Kind("bool")
TEXT = Kind("text")
SIZE = Kind("size")
CLOCK = Kind("clock")  # 24:00 as well
CLOCK_START = Kind("clock", high=23)
ZONE = Kind("zone")
CRON = Kind("cron")
COUNT = Kind("integer", low=0)
POSITIVE = Kind("integer", low=1)
RATIO = Kind("number", low=0, high=1)
SOME_OBJECT = Kind("map", item=ANY)


def integer(low: int | None = None, high: int | None = None) -> Kind:
    """A whole number within bounds."""
    return Kind("integer", low=low, high=high)


def number(low: float | None = None, high: float | None = None) -> Kind:
    """A number within bounds."""
    return Kind("number", low=low, high=high)


def one_of(*words: str) -> Kind:
    """One of fixed words."""
    return Kind("enum", options=words)


def duration(unit: str) -> Kind:
    """A duration; ``unit`` is the one of a number without any."""
    return Kind("duration", unit=unit)


def list_of(item: Kind) -> Kind:
    """A list whose items all are ``item``."""
    return Kind("list", item=item)


def map_of(item: Kind) -> Kind:
    """An object with free keys."""
    return Kind("map", item=item)


def strict(**keys: Kind) -> Kind:
    """An object with these keys and no others."""
    return Kind("object", keys=keys)


def either(*kinds: Kind) -> Kind:
    """Any of several kinds; the first is the one that messages name first."""
    return Kind("either", options=kinds)


FALSE = Kind("enum", options=(False,))
LIST_OF_TEXT = list_of(TEXT)
SECRET = either(TEXT, strict(source=one_of("env", "file", "exec"), provider=TEXT, id=TEXT))

_UNIT_NAMES = {"ms": "milliseconds", "s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def expected(kind: Kind) -> str:
    """What a setting takes, in words for a message."""
    if kind.name in ("integer", "number"):
        return _expected_number(kind)
    if kind.name == "enum":
        words = [str(word).lower() if word is False else str(word) for word in kind.options]
        return words[0] if len(words) == 1 else "one of " + ", ".join(words)
    if kind.name == "either":
        return " or ".join(expected(option) for option in kind.options)
    if kind.name == "list":
        return "a list of text values" if kind.item == TEXT else "a list"
    if kind.name == "duration":
        return f"a duration such as 30m, 12h or 7d (a bare number counts {_UNIT_NAMES[kind.unit]})"
    return _EXPECTED[kind.name]


_EXPECTED = {
    "any": "any value",
    "bool": "true or false",
    "text": "text",
    "size": "a size such as 500kb, 10mb or 2gb (a bare number counts bytes)",
    "clock": "a time of day such as 08:00",
    "zone": "an IANA time zone such as Europe/Warsaw",
    "cron": "a cron expression such as '0 3 * * *'",
    "map": "an object",
    "object": "an object",
    "open": "an object",
}


def _expected_number(kind: Kind) -> str:
    noun = "a whole number" if kind.name == "integer" else "a number"
    if kind.low is not None and kind.high is not None:
        return f"{noun} from {kind.low} to {kind.high}"
    if kind.low is not None:
        return f"{noun} of at least {kind.low}"
    return noun


def child(kind: Kind, key: str | int) -> Kind | None:
    """The kind below ``key``; None when ``key`` is not known there, ANY when all goes."""
    if kind.name == "either":
        found = [below for option in kind.options if (below := child(option, key)) is not None]
        return found[0] if found else None
    if isinstance(key, int):
        return kind.item if kind.name == "list" else ANY if kind.name == "any" else None
    if kind.name in ("object", "open"):
        known = kind.keys.get(key)
        return known if known is not None or kind.name == "object" else ANY
    if kind.name == "map":
        return kind.item
    return ANY if kind.name == "any" else None
