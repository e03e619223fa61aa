"""Knowing without a look that nothing is due: ``<state>/jobs/quiet.json``.

A tick that found nothing due writes down until when that holds, provided that none of the
files it looked at changes. The next ticks compare a few file stamps and are done, without
reading the configuration or any store. The file is a cache: deleting it costs one full look.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from openclaw_cli import __version__
from openclaw_cli.state import clock, files
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.paths import Paths

NAME = "quiet.json"
LAST_TICK = "last-tick"
LONGEST_MS = 10 * clock.MINUTE_MS  # a full look at least that often, whatever was overlooked
_LOCALTIME = "/etc/localtime"
_VARIABLES = (
    "HOME", "TZ", "OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH",
    "OPENCLAW_SKIP_CRON", "OPENCLAW_WORKSPACE_DIR", "OPENCLAW_PROFILE",
)  # fmt: skip

Stamp = list[int] | None


def holds(paths: Paths, environ: Mapping[str, str], now_ms: int) -> bool:
    """Whether nothing can be due now."""
    try:
        with open(paths.job(NAME), "rb") as source:
            memo = json.loads(source.read())
        if memo["fromMs"] > now_ms or now_ms >= memo["untilMs"]:
            return False
        if memo["key"] != _key(environ):
            return False
        return all(stamp(path) == seen for path, seen in memo["files"].items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def remember(
    paths: Paths, environ: Mapping[str, str], watched: dict[str, Stamp], *,
    now_ms: int, until_ms: int | None,
) -> None:  # fmt: skip
    """Write down that nothing is due before ``until_ms`` while ``watched`` stays as it is."""
    furthest = now_ms + LONGEST_MS
    memo = {
        "fromMs": now_ms,
        "untilMs": furthest if until_ms is None else min(until_ms, furthest),
        "key": _key(environ),
        "files": watched,
    }
    files.write_atomic(paths.job(NAME), dumps(memo, indent=None) + "\n")


def watch(paths: Iterable[Path | str]) -> dict[str, Stamp]:
    """The stamps of the files that a look depends on, and of the host's zone."""
    return {str(path): stamp(path) for path in (*paths, _LOCALTIME)}


def stamp(path: Path | str) -> Stamp:
    """What tells one version of a file from another; None for a missing one."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return [info.st_mtime_ns, info.st_size, info.st_ino]


def note_tick(paths: Paths, now_ms: int) -> None:
    """Leave a trace of this tick: the time of an empty file."""
    path = paths.job(LAST_TICK)
    try:
        os.utime(path, ns=(now_ms * 1_000_000, now_ms * 1_000_000))
    except OSError:
        with contextlib.suppress(OSError):  # a tree that cannot be written is told elsewhere
            files.make_dir(path.parent)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, files.PRIVATE_FILE))
            os.utime(path, ns=(now_ms * 1_000_000, now_ms * 1_000_000))


def last_tick_ms(paths: Paths) -> int | None:
    """When the last tick was; None when there was none."""
    try:
        return os.stat(paths.job(LAST_TICK)).st_mtime_ns // 1_000_000
    except OSError:
        return None


def _key(environ: Mapping[str, str]) -> list[Any]:
    """What else decides: the release, and the environment that settings can come from."""
    return [__version__, [[name, environ.get(name)] for name in _VARIABLES]]
