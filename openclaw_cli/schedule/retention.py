"""Session rows of single runs go after a day, their transcripts into archives.

``cron.sessionRetention`` by ``updatedAt``; ``false`` keeps them. At most every five minutes. The
row of the task itself stays (``scheduled-tasks.md`` 4).
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from openclaw_cli.errors import OpenClawError
from openclaw_cli.sessions import discovery, keys, store
from openclaw_cli.state import clock, files

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.config.load import Config
    from openclaw_cli.schedule.settings import Settings
    from openclaw_cli.sessions.write_path import Draft
    from openclaw_cli.state.paths import Paths

EVERY_MS = 5 * clock.MINUTE_MS
MARK = "last-run-row-purge"
RULE = "cron.sessionRetention"


def purge(config: Config, paths: Paths, settings: Settings, now_ms: int) -> int:
    """Remove the rows of runs that are older than allowed; how many.

    A store that cannot be changed now is left for the next time.
    """
    retention_ms = settings.retention_ms
    if retention_ms is None or not _is_time(paths, now_ms):
        return 0
    oldest_ms = now_ms - retention_ms
    count = 0
    for target in discovery.targets(config, paths, all_agents=True):
        with contextlib.suppress(OpenClawError):
            count += _purge_store(target.store_path, paths, oldest_ms, now_ms)
    return count


def _purge_store(path: Path, paths: Paths, oldest_ms: int, now_ms: int) -> int:
    if not _expired(store.load(path).rows, oldest_ms):
        return 0

    def change(draft: Draft) -> int:
        gone = _expired(draft.rows, oldest_ms)
        for key in gone:
            draft.archive(key, draft.rows.pop(key), rule=RULE, reason="deleted")
        return len(gone)

    from openclaw_cli.sessions import write_path

    return write_path.update(path, change, paths=paths, now_ms=now_ms, command="cron run-due")


def _expired(rows: dict[str, object], oldest_ms: int) -> list[str]:
    """The keys of run rows that were last touched before ``oldest_ms``."""
    found = []
    for key, row in rows.items():
        if not keys.is_cron_run(key) or not isinstance(row, dict):
            continue
        touched = row.get("updatedAt")
        if isinstance(touched, int | float) and touched < oldest_ms:
            found.append(key)
    return found


def _is_time(paths: Paths, now_ms: int) -> bool:
    """Whether the last purge is five minutes ago; if so, this one is noted."""
    path = paths.job(MARK)
    try:
        if 0 <= now_ms - os.stat(path).st_mtime_ns // 1_000_000 < EVERY_MS:
            return False
    except FileNotFoundError:
        files.make_dir(path.parent)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, files.PRIVATE_FILE))
    os.utime(path, ns=(now_ms * 1_000_000, now_ms * 1_000_000))
    return True
