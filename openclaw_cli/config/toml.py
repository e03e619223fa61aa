"""``openclaw.toml``: the same keys as tables; read with tomllib, edited with tomlkit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openclaw_cli.errors import UnreadableFile


def loads(path: Path, text: str) -> dict[str, Any]:
    """The value of a TOML text; ``UnreadableFile`` with line and column when it is none."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(f"config {path}: {error}", path=path) from error
