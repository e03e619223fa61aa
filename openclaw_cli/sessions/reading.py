"""Reading several session stores for a command that only looks.

One store that cannot be read is an error; of several, the readable ones are still shown
and the others carry their reason (``design.md`` 3, "JSON").
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import UnreadableFile
from openclaw_cli.sessions import store
from openclaw_cli.sessions.discovery import Source, Target, TranscriptFinder

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


def load_all(targets: Sequence[Target], *, tolerate: bool = False) -> list[Source]:
    """The stores of ``targets`` in order; a single unreadable one raises ``UnreadableFile``.

    ``tolerate`` is for reports in which a store is one item of several: nothing raises.
    """
    found: list[Source] = []
    for target in targets:
        try:
            found.append(Source(target, store.load(target.store_path).rows))
        except UnreadableFile as error:
            if len(targets) == 1 and not tolerate:
                raise
            found.append(Source(target, {}, error.message))
    return found


def transcript_sizes(paths: Paths) -> Callable[[Target, dict[str, Any]], int | None]:
    """Tells how many bytes the transcript of a row holds; None where there is no file."""
    finders: dict[Path, TranscriptFinder] = {}

    def size_of(target: Target, row: dict[str, Any]) -> int | None:
        finder = finders.get(target.sessions_dir)
        if finder is None:
            finder = TranscriptFinder(target.sessions_dir, paths.state_dir)
            finders[target.sessions_dir] = finder
        path = finder.resolve_text(row)
        try:
            info = None if path is None else os.stat(path)
        except OSError:
            return None
        return info.st_size if info is not None and stat.S_ISREG(info.st_mode) else None

    return size_of


def remote_note(config: Config) -> str | None:
    """What to say where the sessions that count live on another host, else None."""
    if config.get("gateway", "mode") != "remote":
        return None
    return (
        "gateway.mode is remote: the sessions that count are on that host; "
        "this is the tree of this one"
    )
