"""What the entry of the host's scheduler says: program, environment, templates.

Pure but for reading a template. The entry names the absolute program and sets what decides
which tree it works on; secrets never stand in it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.tuples import NamedTuple

CARRIED = ("OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "PATH", "TZ")
LONGEST_COMMAND = 990  # cron cuts a command at 999 bytes
_PLACES = (Path(__file__).parent / "templates", Path(__file__).parents[2] / "jobs")


class Program(NamedTuple):
    """The command to start, as words, and the environment that it needs."""

    words: list[str]
    environment: dict[str, str]


def this_program(environ: Mapping[str, str]) -> Program:
    """The program that runs now; ``OpenClawError`` for a value that no entry can hold."""
    carried = {name: environ[name] for name in CARRIED if environ.get(name)}
    if "PATH" in carried:
        carried["PATH"] = os.pathsep.join(dict.fromkeys(carried["PATH"].split(os.pathsep)))
    for name, value in carried.items():
        if not value.isprintable():
            raise OpenClawError(f"{name} holds a character that no scheduler entry can: {value!r}")
    return Program(_words(), carried)


def template(name: str) -> str:
    """The text of a template, from the package or from the checkout."""
    for place in _PLACES:
        path = place / name
        if path.is_file():
            return path.read_text("utf-8")
    raise OpenClawError(f"the template {name} is missing from this installation")


def cron_line_text(program: Program, user: str | None = None) -> str:
    """The marked block; ``user`` fills the extra field of a system crontab."""
    from shlex import quote

    pairs = [quote(f"{name}={value}") for name, value in program.environment.items()]
    words = [quote(word) for word in program.words]
    command = " ".join(["/usr/bin/env", *pairs, *words] if pairs else words)
    # A bare % ends the command in a crontab.
    command = command.replace("%", "\\%") + " jobs run-due"
    if len(command) > LONGEST_COMMAND:
        raise OpenClawError(
            f"the command is too long for a crontab: {len(command)} characters, not "
            f"{LONGEST_COMMAND}",
            hint="give it a shorter PATH: PATH=/usr/local/bin:/usr/bin:/bin openclaw jobs install",
        )
    text = template("openclaw.cron")
    return text.replace("{WHO}", f"{user} " if user else "").replace("{COMMAND}", command)


def service_text(program: Program, user: str | None = None) -> str:
    """The service unit; ``user`` is who runs it in the system's manager."""
    lines = "".join(
        f"Environment={_unit_word(f'{name}={value}')}\n"
        for name, value in program.environment.items()
    )
    command = " ".join(_unit_word(word.replace("$", "$$")) for word in program.words)
    text = template("openclaw-jobs.service").replace("{COMMAND}", command)
    text = text.replace("{ENVIRONMENT}", lines)
    return text.replace("{USER}", f"User={user}\n" if user else "")


def timer_text() -> str:
    """The timer unit."""
    return template("openclaw-jobs.timer")


def _words() -> list[str]:
    """The script that was started, one beside the interpreter, else the module itself."""
    started = Path(os.path.abspath(sys.argv[0]))
    beside = Path(sys.executable).with_name("openclaw")
    for path in (started, beside):
        if path.name == "openclaw" and path.is_file() and os.access(path, os.X_OK):
            return [str(path)]
    return [sys.executable, "-m", "openclaw_cli"]


def _unit_word(word: str) -> str:
    """One word of a unit file: specifiers doubled, quoted where needed."""
    word = word.replace("%", "%%")
    if word and not any(sign in word for sign in " \t\"'\\;"):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
