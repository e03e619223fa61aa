"""Secret references: resolved when used, never printed (``design.md`` 3).

A reference is ``${NAME}`` inside a string, or an object ``{source: "env"|"file"|"exec"}``.
Names are looked up in the environment, then in ``<state>/.env`` (``KEY=value`` lines),
then in the config's own ``env`` block.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import InvalidConfig

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

EXEC_TIMEOUT_S = 10

_REFERENCE = re.compile(r"(\$?)\$\{([A-Z_][A-Z0-9_]*)\}")
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")


class Unresolved(InvalidConfig):
    """A reference whose variable, file or program gives no value; never names a value."""

    code = "secret-unresolved"


def lookup(config: Config, name: str) -> str | None:
    """The value of a variable: environment, ``<state>/.env``, config ``env``; blank is none."""
    value = config.environ.get(name) or read_dotenv(config).get(name)
    if value:
        return value
    block = config.data.get("env")
    if isinstance(block, dict):
        for source in (block.get("vars"), block):
            found = source.get(name) if isinstance(source, dict) else None
            if isinstance(found, str) and found and "${" not in found:
                return found
    return None


def read_dotenv(config: Config) -> dict[str, str]:
    """The names of ``<state>/.env``; empty when it is missing or unreadable."""
    try:
        text = (config.paths.state_dir / ".env").read_text("utf-8", "replace")
    except OSError:
        return {}
    return parse_dotenv(text)


def parse_dotenv(text: str) -> dict[str, str]:
    """``KEY=value`` lines; quotes around a value are taken off, ``#`` starts a comment."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        match = _LINE.fullmatch(line)
        if match is None or line.lstrip().startswith("#"):
            continue
        name, value = match.groups()
        if value[:1] in ("'", '"'):
            end = value.find(value[0], 1)
            value = value[1:end] if end > 0 else value
        else:
            value = re.split(r"\s#", value, maxsplit=1)[0].rstrip()
        values[name] = value
    return values


def substitute(value: Any, config: Config, *, where: tuple[str | int, ...] = ()) -> Any:
    """``value`` with ``${NAME}`` replaced in its strings (``$${NAME}`` is a literal).

    A string with an unset variable raises ``Unresolved``; inside objects and lists such a
    string stays as it is, for whoever uses it to complain.
    """
    if isinstance(value, str):
        return _substitute_text(value, config, where)
    if isinstance(value, dict):
        return {key: _substitute_inside(item, config) for key, item in value.items()}
    if isinstance(value, list):
        return [_substitute_inside(item, config) for item in value]
    return value


def resolve(value: Any, config: Config, *, where: str) -> str:
    """The text of a secret setting ``where`` (a path for messages); raises ``Unresolved``."""
    if isinstance(value, str):
        return _substitute_text(value, config, (where,))
    if isinstance(value, dict) and isinstance(value.get("source"), str):
        return _resolve_reference(value, config, where)
    raise InvalidConfig(
        f"{where}: expected text, ${{NAME}} or a secret reference", path=config.path
    )


def describe_source(value: Any) -> str:
    """Where a secret comes from, in words that never contain it."""
    if isinstance(value, dict):
        source = value.get("source")
        return f"{source}:{value.get('id')}" if source in ("env", "file", "exec") else "config"
    if isinstance(value, str):
        names = [name for escaped, name in _REFERENCE.findall(value) if not escaped]
        if names:
            return "env:" + ",".join(names)
    return "config"


def _substitute_inside(value: Any, config: Config) -> Any:
    try:
        return substitute(value, config)
    except Unresolved:
        return value


def _substitute_text(text: str, config: Config, where: tuple[str | int, ...]) -> str:
    if "${" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match.group()[1:]
        value = lookup(config, name)
        if value is None:
            raise _unset(config, name, ".".join(map(str, where)))
        return value

    return _REFERENCE.sub(one, text)


def _resolve_reference(reference: dict[str, Any], config: Config, where: str) -> str:
    source, name = reference["source"], reference.get("id")
    if not isinstance(name, str) or not name.strip():
        raise InvalidConfig(f"{where}.id: expected the name of the secret", path=config.path)
    if source == "env":
        value = lookup(config, name)
        if value is None:
            raise _unset(config, name, where)
        return value
    named = str(reference.get("provider") or "default")
    provider = config.get("secrets", "providers", named)
    settings = provider if isinstance(provider, dict) else {}
    if source == "file":
        return _from_file(settings, name, config, where)
    if source == "exec":
        return _from_program(settings, name, config, where)
    raise InvalidConfig(f"{where}.source: {source!r} is none of env, file, exec", path=config.path)


def _from_file(settings: dict[str, Any], name: str, config: Config, where: str) -> str:
    """A file's text, or the string below a JSON pointer ``/a/b`` in the provider's file."""
    import json

    path = config.paths.expand(str(settings.get("path") or name))
    try:
        text = path.read_text("utf-8")
        if settings.get("path") and settings.get("mode") != "singleValue":
            found: Any = json.loads(text)
            for part in name.strip("/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            text = found if isinstance(found, str) else ""
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise Unresolved(
            f"{where}: the secret file {config.paths.display(path)} gives no value for {name!r} "
            f"({type(error).__name__})",
            path=path,
        ) from None
    return _only_line(text, where, config)


def _from_program(settings: dict[str, Any], name: str, config: Config, where: str) -> str:
    """What a program prints: its output, or with ``jsonOnly`` the value of ``name`` in it."""
    import json
    import subprocess

    command = str(settings.get("command") or name)
    program = str(config.paths.expand(command)) if "/" in command else command
    words = [program, *map(str, settings.get("args") or [])]
    request = json.dumps({"protocolVersion": 1, "ids": [name]})
    try:
        done = subprocess.run(
            words, input=request, capture_output=True, text=True, timeout=EXEC_TIMEOUT_S,
            check=True, env={**os.environ, **config.environ},
        )  # fmt: skip
        text = done.stdout
        if text.lstrip().startswith("{"):
            text = str(json.loads(text)["values"][name])
    except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
        raise Unresolved(
            f"{where}: the program {words[0]} gives no value for {name!r} ({type(error).__name__})",
            path=config.path,
        ) from None
    return _only_line(text, where, config)


def _only_line(text: str, where: str, config: Config) -> str:
    value = text.strip()
    if not value:
        raise Unresolved(f"{where}: the secret is empty", path=config.path)
    return value


def _unset(config: Config, name: str, where: str) -> Unresolved:
    return Unresolved(
        f"{where or 'config'}: the variable {name} is not set",
        path=config.path,
        hint=f"export {name}, or put {name}=... into "
        f"{config.paths.display(config.paths.state_dir / '.env')}",
    )
