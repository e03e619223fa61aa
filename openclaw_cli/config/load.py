"""Finding, reading and holding the configuration (``design.md`` 3, "Config").

``load`` is on the path of nearly every command: a plain JSON file costs one C parse, and
JSON5 or TOML readers are imported only for files that need them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_cli.config import OWN_BLOCK
from openclaw_cli.errors import InvalidConfig, UnreadableFile
from openclaw_cli.state import files, jsontext
from openclaw_cli.state.paths import Paths


class Config:
    """What the file says; empty when there is none (``path`` is then where it would be).

    ``data`` is the plain value, ``text`` the file's text (None: no file).
    """

    def __init__(
        self, paths: Paths, path: Path, text: str | None, *, environ: Mapping[str, str]
    ) -> None:
        self.paths = paths
        self.path = path
        self.text = text
        self.environ = environ
        self.data: dict[str, Any] = {} if text is None else _parse(path, text, paths)

    @property
    def exists(self) -> bool:
        """Whether the file is there."""
        return self.text is not None

    def get(self, *keys: str | int, default: Any = None) -> Any:
        """The value below ``keys`` with ``${NAME}`` references resolved, or ``default``.

        An explicit null counts as absent. Raises ``InvalidConfig`` when the value is a
        string that refers to a variable that is not set.
        """
        found = dig(self.data, keys)
        if found is None:
            return default
        if self.text is None or "${" not in self.text:
            return found
        from openclaw_cli.config import secrets

        return secrets.substitute(found, self, where=keys)

    def cli(self, *keys: str | int, default: Any = None) -> Any:
        """``get`` below ``cli.``, the settings that only this program has."""
        return self.get(*OWN_BLOCK, *keys, default=default)


def load(
    paths: Paths, *, validate: bool = True, environ: Mapping[str, str] | None = None
) -> Config:
    """Read the configuration of this tree.

    Raises ``UnreadableFile`` when it cannot be parsed, and ``InvalidConfig`` for two files
    side by side or, with ``validate``, for anything the strict blocks do not allow.
    """
    env = os.environ if environ is None else environ
    path = find_path(paths, env)
    text = files.read_text(path, what="config")
    config = Config(paths, path, text, environ=env)
    if validate and config.data:
        from openclaw_cli.config import validation

        validation.require_valid(config)
    return config


def find_path(paths: Paths, environ: Mapping[str, str]) -> Path:
    """Where the configuration is, or would be written."""
    named = environ.get("OPENCLAW_CONFIG_PATH", "").strip()
    if named:
        return paths.expand(named)
    as_json, as_toml = paths.under("openclaw.json"), paths.under("openclaw.toml")
    if not os.path.lexists(as_toml):
        return as_json
    if os.path.lexists(as_json):
        raise InvalidConfig(
            f"there are two configurations: {paths.display(as_json)} and {paths.display(as_toml)}",
            path=as_json,
            hint="keep one of them, or name one with OPENCLAW_CONFIG_PATH",
        )
    return as_toml


def dig(data: Any, keys: tuple[str | int, ...]) -> Any:
    """The value below ``keys`` in nested objects and lists, None where there is none."""
    for key in keys:
        if isinstance(data, dict) and isinstance(key, str):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
            data = data[key]
        else:
            return None
    return data


def _parse(path: Path, text: str, paths: Paths) -> dict[str, Any]:
    if not text.strip():
        return {}
    if path.suffix == ".toml":
        from openclaw_cli.config import toml

        value = toml.loads(path, text)
    else:
        value = _parse_json5(path, text)
    if not isinstance(value, dict):
        raise UnreadableFile(
            f"config {paths.display(path)} holds no object at its top level", path=path
        )
    return value


def _parse_json5(path: Path, text: str) -> Any:
    try:
        return jsontext.loads(text)
    except (ValueError, RecursionError):  # not plain JSON: comments, bare keys, or a mistake
        from openclaw_cli.config import json5

        try:
            return json5.parse(text).value
        except json5.Json5Error as error:
            raise UnreadableFile(
                f"config {path}:{error.line}:{error.column}: {error.reason}",
                path=path,
                hint="openclaw config file prints which file that is; correct that line",
            ) from error
