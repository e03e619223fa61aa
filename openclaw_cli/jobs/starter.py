"""What starts the tick on this host (``scheduled-tasks.md`` 6). Reads only.

Of the units and crontabs only what ``scheduler`` put there counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from openclaw_cli.errors import NotAllowed
from openclaw_cli.jobs import crontab, quiet, systemd
from openclaw_cli.state import clock, files

if TYPE_CHECKING:
    from openclaw_cli.state.paths import Paths

CRON, SYSTEMD = "cron", "systemd"
RECENT_TICK_MS = 3 * clock.MINUTE_MS


def state(paths: Paths, environ: Mapping[str, str]) -> dict[str, Any]:
    """What starts the tick: ``{kind, installed, entry, lastTickAtMs}``."""
    kind, text = _found(environ)
    return _document(kind, text, kind is not None, quiet.last_tick_ms(paths))


def brief_state(paths: Paths, environ: Mapping[str, str], now_ms: int) -> dict[str, Any]:
    """The same for those who only ask whether anything does.

    A tick of the last minutes is proof enough, and cheaper than a question to cron; then
    ``kind`` and ``entry`` stay open.
    """
    tick_ms = quiet.last_tick_ms(paths)
    if tick_ms is not None and 0 <= now_ms - tick_ms <= RECENT_TICK_MS:
        return _document(None, None, True, tick_ms)
    return state(paths, environ)


def cron_file_text() -> str | None:
    """Our file in ``/etc/cron.d``; ``NotAllowed`` when it is somebody else's."""
    text = files.read_text(crontab.SYSTEM_FILE, what="system crontab")
    if text is not None and not text.startswith(crontab.BEGIN.decode()):
        raise NotAllowed(
            f"{crontab.SYSTEM_FILE} was not written by openclaw-cli, so it is left alone",
            path=crontab.SYSTEM_FILE,
        )
    return text


def _found(environ: Mapping[str, str]) -> tuple[str | None, str | None]:
    for system in (False, True):
        folder = systemd.unit_dir(environ, system=system)
        if systemd.installed(folder):
            return SYSTEMD, str(folder / systemd.TIMER)
    block = crontab.installed_block() or cron_file_text()
    return (CRON, block) if block else (None, None)


def _document(
    kind: str | None, text: str | None, installed: bool, tick_ms: int | None
) -> dict[str, Any]:
    return {"kind": kind, "installed": installed, "entry": text, "lastTickAtMs": tick_ms}
