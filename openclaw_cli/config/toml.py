"""``openclaw.toml``: the same keys as tables; read with tomllib, edited with tomlkit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openclaw_cli.config.splice import NoSuchPlace, not_below, same, wrap
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

    if _has_null(value):
        raise NoSuchPlace("TOML has no null; use config unset")
    document = tomlkit.parse(text)
    container: Any = document
    for depth, key in enumerate(place):
        rest = place[depth + 1 :]
        if _holds(container, key, place[:depth]):
            if not rest and not same(_plain(container[key]), value):
                _put(container, key, value)
            container = container[key]
            continue
        _put(container, key, wrap(value, rest))
        break
    return tomlkit.dumps(document)


def unset_value(text: str, place: Place) -> str:
    """``text`` without the key or list item at ``place``; ``NoSuchPlace`` when it is absent."""
    import tomlkit

    document = tomlkit.parse(text)
    container: Any = document
    for depth, key in enumerate(place[:-1]):
        if not _holds(container, key, place[:depth]):
            raise NoSuchPlace("there is no such key")
        container = container[key]
    if not _holds(container, place[-1], place[:-1]):
        raise NoSuchPlace("there is no such key")
    del container[place[-1]]
    return tomlkit.dumps(document)


def _put(container: Any, key: str | int, value: Any) -> None:
    """Set or append ``value``; inside an inline table or array it has to be inline as well."""
    import tomlkit
    from tomlkit.container import OutOfOrderTableProxy
    from tomlkit.items import AoT, Array, InlineTable

    is_table = isinstance(value, dict)
    if isinstance(container, AoT) and not is_table:
        raise NoSuchPlace("a list of tables can hold nothing but tables")
    # Tables made by dotted keys (a.b = 1) mix badly with tables that have a header.
    dotted = isinstance(container, OutOfOrderTableProxy)
    inline = dotted or isinstance(container, Array | InlineTable)
    item = _inline(value) if inline else tomlkit.item(value)
    if isinstance(key, int) and key == len(container):
        container.append(item)
    else:
        container[key] = item


def _inline(value: Any) -> Any:
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({key: _inline(item) for key, item in value.items()})
        return table
    if isinstance(value, list):
        array = tomlkit.array()
        array.extend(_inline(item) for item in value)
        return array
    return tomlkit.item(value)


def _holds(container: Any, key: str | int, so_far: Place) -> bool:
    if isinstance(container, dict) and isinstance(key, str):
        return key in container
    if not (isinstance(container, list) and isinstance(key, int)):
        raise not_below(container, key, so_far)
    if key > len(container):
        raise NoSuchPlace(f"the list has {len(container)} item(s), so there is no [{key}]")
    return key < len(container)


def _has_null(value: Any) -> bool:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(_has_null, below))


def _plain(value: Any) -> Any:
    unwrap = getattr(value, "unwrap", None)
    return unwrap() if unwrap is not None else value
