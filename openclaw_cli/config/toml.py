"""``openclaw.toml``: the same keys as tables; read with tomllib, edited with tomlkit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.config.splice import NoSuchPlace, same, wrap
from openclaw_cli.errors import UnreadableFile

Place = Sequence[str | int]


def loads(path: Path, text: str) -> dict[str, Any]:
    """The value of a TOML text; ``UnreadableFile`` with line and column when it is none."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(f"config {path}: {error}", path=path) from error


def set_value(text: str, place: Place, value: Any) -> str:
    """``text`` with ``value`` at ``place``; raises ``NoSuchPlace`` as ``splice`` does."""
    import tomlkit

    if value is None:
        raise NoSuchPlace("TOML has no null; use config unset")
    document = tomlkit.parse(text)
    container: Any = document
    for depth, key in enumerate(place):
        last = depth == len(place) - 1
        if not _holds(container, key):
            new = wrap(value, place[depth + 1 :])
            if isinstance(key, int):
                container.append(new)
            else:
                container[key] = tomlkit.item(new)
            break
        if last and not same(_plain(container[key]), value):
            container[key] = tomlkit.item(value)
        container = container[key]
    return tomlkit.dumps(document)


def unset_value(text: str, place: Place) -> str:
    """``text`` without the key or list item at ``place``; ``NoSuchPlace`` when it is absent."""
    import tomlkit

    document = tomlkit.parse(text)
    container: Any = document
    for key in place[:-1]:
        if not _holds(container, key):
            raise NoSuchPlace("there is no such key")
        container = container[key]
    if not _holds(container, place[-1]):
        raise NoSuchPlace("there is no such key")
    del container[place[-1]]
    return tomlkit.dumps(document)


def _holds(container: Any, key: str | int) -> bool:
    if isinstance(key, str):
        if not isinstance(container, dict):
            raise NoSuchPlace(f"{key!r} is looked for in something that is no table")
        return key in container
    if not isinstance(container, list):
        raise NoSuchPlace(f"[{key}] is looked for in something that is no list")
    if key > len(container):
        raise NoSuchPlace(f"the list has {len(container)} item(s), so there is no [{key}]")
    return key < len(container)


def _plain(value: Any) -> Any:
    unwrap = getattr(value, "unwrap", None)
    return unwrap() if unwrap is not None else value
