"""Checking a configuration against the tree of kinds (``design.md`` 3, "Config").

Strict blocks refuse unknown keys; elsewhere only the name of a strict block in the wrong
place is refused. A wrong type is an error wherever this program reads the setting.
Unreadable durations, sizes and the like are looked for only when all shapes are right
(``sessions-maintenance.md`` 1.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from openclaw_cli.config import paths as config_paths
from openclaw_cli.config.schema import Kind, expected
from openclaw_cli.errors import InvalidConfig, OpenClawError
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

Place = tuple[str | int, ...]

_SHOWN = frozenset(
    ("bool", "integer", "number", "enum", "duration", "size", "clock", "zone", "cron")
)


class Issue(NamedTuple):
    """A place in the configuration and what is wrong there."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class Findings(NamedTuple):
    """What a check found: errors stop commands, warnings do not."""

    issues: list[Issue]
    warnings: list[Issue]


def check(config: Config) -> Findings:
    """Every issue of a configuration, in the order of its keys."""
    from openclaw_cli.config.tree import ROOT

    walk = _Walk(config)
    walk.visit(ROOT, config.data, (), strict=False)
    if not walk.found.issues:
        walk.read_texts()
        walk.found.issues.extend(_unknown_targets(config))
    return walk.found


def heartbeats(config: Config) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path and the value of each ``heartbeat`` block of the agents."""
    agents = config.get("agents", default={})
    blocks = [("agents.defaults.heartbeat", (agents.get("defaults") or {}).get("heartbeat"))]
    for index, entry in enumerate(agents.get("list") or []):
        blocks.append((f"agents.list[{index}].heartbeat", (entry or {}).get("heartbeat")))
    yield from ((where, block) for where, block in blocks if isinstance(block, dict))


def _unknown_targets(config: Config) -> Iterator[Issue]:
    """Heartbeats that are to be sent to a channel which does not exist."""
    for where, block in heartbeats(config):
        target = str(block.get("target") or "none").strip().lower()
        if "${" in target or target in ("", "none", "last"):
            continue
        from openclaw_cli.config.channel_ids import KNOWN

        own = {*(config.get("channels") or {}), *(config.cli("channels") or {})}
        if target not in KNOWN and target not in own:
            near = _near(target, sorted(KNOWN | own))
            guess = f"; did you mean {near}?" if near else ": none, last or a channel id"
            yield Issue(f"{where}.target", f"{target!r} is no channel{guess}")


def require_valid(config: Config) -> None:
    """Raise ``InvalidConfig`` that names the file and each wrong place."""
    issues = check(config).issues
    if issues:
        raise InvalidConfig(
            f"config {config.paths.display(config.path)} is invalid: "
            + "; ".join(map(str, issues)),
            path=config.path,
            hint="openclaw doctor explains it, openclaw config set|unset corrects a key",
        )


class _Walk:
    """One pass over the data: shapes at once, the texts of durations and such afterwards."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.found = Findings([], [])
        self.texts: list[tuple[Kind, Any, Place, bool]] = []

    def report(self, at: Place, message: str, *, strict: bool) -> None:
        where = self.found.issues if strict else self.found.warnings
        where.append(Issue(config_paths.render(at), message))

    def visit(self, kind: Kind, value: Any, at: Place, *, strict: bool) -> None:
        if kind.name == "any" or (value is None and not strict):
            return
        value = self.substituted(value)
        if value is _UNRESOLVED:
            return
        if kind.name == "either":
            kind = _matching(kind, value) or kind
        if not fits(kind, value):
            self.report(at, _wrong(kind, value), strict=True)
        elif kind.name in ("object", "open"):
            self.visit_keys(kind, value, at)
        elif kind.name == "map" and kind.item is not None:
            for key, item in value.items():
                self.visit(kind.item, item, (*at, key), strict=strict)
        elif kind.name == "list" and kind.item is not None:
            for index, item in enumerate(value):
                self.visit(kind.item, item, (*at, index), strict=strict)
        elif kind.name in _READERS:
            self.texts.append((kind, value, at, strict))

    def visit_keys(self, kind: Kind, value: dict[str, Any], at: Place) -> None:
        strict = kind.name == "object"
        for key, item in value.items():
            known = kind.keys.get(key)
            if known is not None:
                self.visit(known, item, (*at, key), strict=strict)
            elif key in kind.homes:
                here = config_paths.render((*at, key))
                self.report(
                    (*at, key),
                    f"does nothing here: move {here} to {kind.homes[key]}",
                    strict=True,
                )
            elif strict:
                self.report((*at, key), _unknown(kind, key, at), strict=True)

    def read_texts(self) -> None:
        for kind, value, at, strict in self.texts:
            try:
                _READERS[kind.name](kind, value)
            except ValueError as error:
                self.report(at, str(error), strict=strict)

    def substituted(self, value: Any) -> Any:
        if not isinstance(value, str) or "${" not in value:
            return value
        from openclaw_cli.config import secrets

        try:
            return secrets.substitute(value, self.config)
        except OpenClawError:
            return _UNRESOLVED  # the one who uses the setting will say so


_UNRESOLVED = object()


def fits(kind: Kind, value: Any) -> bool:
    """Whether ``value`` has the shape of ``kind``; contents and texts are not looked at."""
    match kind.name:
        case "any":
            return True
        case "bool":
            return isinstance(value, bool)
        case "text" | "clock" | "zone" | "cron":
            return isinstance(value, str)
        case "duration" | "size":
            return isinstance(value, str) or _is_number(value)
        case "integer":
            return _is_number(value) and value == value // 1 and _within(kind, value)
        case "number":
            return _is_number(value) and _within(kind, value)
        case "enum":
            return any(type(value) is type(word) and value == word for word in kind.options)
        case "list":
            return isinstance(value, list)
        case "either":
            return any(fits(option, value) for option in kind.options)
    return isinstance(value, dict)


def read_text(kind: Kind, value: Any) -> None:
    """Raise ``ValueError`` when the text of a duration, size, time, zone or schedule is none."""
    reader = _READERS.get(kind.name)
    if reader is not None:
        reader(kind, value)


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _within(kind: Kind, value: float) -> bool:
    low, high = kind.low, kind.high
    return (low is None or value >= low) and (high is None or value <= high)


def _matching(kind: Kind, value: Any) -> Kind | None:
    return next((option for option in kind.options if fits(option, value)), None)


def _wrong(kind: Kind, value: Any) -> str:
    if value is None:
        got = "null"
    elif isinstance(value, dict):
        got = "an object"
    elif isinstance(value, list):
        got = "a list"
    elif kind.name in _SHOWN or isinstance(value, bool):
        got = str(value).lower() if isinstance(value, bool) else repr(value)
    else:
        got = "text" if isinstance(value, str) else "a number"  # it could be a secret
    return f"expected {expected(kind)}, not {got}"


def _unknown(kind: Kind, key: str, at: Place) -> str:
    """What to do about a key that a strict block does not have."""
    from openclaw_cli.config.tree import HOMES

    for deeper in _places_of(key, kind, ()):
        return f"unknown key here; it belongs at {config_paths.render((*at, *deeper))}"
    if key in HOMES and HOMES[key] != config_paths.render(at):
        here = config_paths.render((*at, key))
        return f"does nothing here: move {here} to {HOMES[key]}"
    near = _near(key, list(kind.keys))
    if near is not None:
        return f"unknown key; did you mean {near} ({expected(kind.keys[near])})?"
    return f"unknown key; known here: {', '.join(kind.keys)}"


def _near(key: str, known: list[str]) -> str | None:
    from difflib import get_close_matches

    folded = {name.lower(): name for name in known}
    found = get_close_matches(key.lower(), list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _places_of(key: str, kind: Kind, at: Place) -> Iterator[Place]:
    for name, below in kind.keys.items():
        if below.name == "object":
            if key in below.keys:
                yield (*at, name, key)
            yield from _places_of(key, below, (*at, name))


def _read_duration(kind: Kind, value: Any) -> None:
    from openclaw_cli.config import units

    units.parse_duration_ms(value, kind.unit)


def _read_size(_kind: Kind, value: Any) -> None:
    from openclaw_cli.config import units

    units.parse_size(value)


def _read_clock(kind: Kind, value: str) -> None:
    if value == "24:00" and kind.high is not None:
        raise ValueError("'24:00' can only be an end; write 00:00")
    if not re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00", value):
        raise ValueError(f"{value!r} is no time of day; write it as 08:00")


def _read_zone(_kind: Kind, value: str) -> None:
    from openclaw_cli.state import clock

    if value.strip() and clock.find_zone(value.strip()) is None:
        raise ValueError(f"{value!r} is no known time zone; write it as Europe/Warsaw")


def _read_cron(_kind: Kind, value: str) -> None:
    # The field values are for the schedule's own parser; here a slip of the pen is caught.
    words = value.split()
    names = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
    if [word.lower() for word in words] in [[name] for name in names]:
        return
    field = r"[0-9A-Za-z*/,?#+-]+"
    if not (5 <= len(words) <= 7 and all(re.fullmatch(field, word) for word in words)):
        raise ValueError(f"{value!r} is no cron expression; write it as '0 3 * * *'")


_READERS = {
    "duration": _read_duration,
    "size": _read_size,
    "clock": _read_clock,
    "zone": _read_zone,
    "cron": _read_cron,
}
