"""A service and a timer for systemd, of the user or of the system (``scheduled-tasks.md`` 6).

Both files carry a header that says whose they are; a file without it is never touched. When
systemd refuses the timer, the files are taken away again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from openclaw_cli.errors import NotAllowed, OpenClawError
from openclaw_cli.state import files

SERVICE, TIMER = "openclaw-jobs.service", "openclaw-jobs.timer"
HEADER = "# Owned by openclaw-cli"
SYSTEM_DIR = Path("/etc/systemd/system")


def unit_dir(environ: Mapping[str, str], *, system: bool) -> Path:
    """Where the units go."""
    if system:
        return SYSTEM_DIR
    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return Path(base) / "systemd" / "user"


def works(*, system: bool) -> bool:
    """Whether a manager answers that could run a timer."""
    try:
        return _systemctl("show-environment", system=system)[0] == 0
    except OpenClawError:
        return False


def installed(folder: Path) -> bool:
    """Whether our timer is in ``folder``."""
    return _is_ours(folder / TIMER)


def install(folder: Path, units: Mapping[str, str], *, system: bool) -> list[Path]:
    """Write what differs and enable the timer; the files written."""
    before = {name: _text(folder / name) for name in units}
    for name, text in before.items():
        if text is not None and not text.startswith(HEADER):
            raise NotAllowed(
                f"{folder / name} was not written by openclaw-cli, so it is left alone",
                path=folder / name,
                hint="move it away, or use 'openclaw jobs install --cron'",
            )
    changed = [folder / name for name, text in units.items() if before[name] != text]
    if not changed and _is_enabled(system=system):
        return []
    files.make_dir(folder, 0o755)
    for name, text in units.items():
        files.write_if_changed(folder / name, text, mode=0o644)
    try:
        _require("daemon-reload", system=system)
        _require("enable", "--now", TIMER, system=system)
    except OpenClawError:
        for name, text in before.items():
            if text is None:
                files.remove_durable(folder / name)
            else:
                files.write_if_changed(folder / name, text, mode=0o644)
        raise
    return changed or [folder / name for name in units]


def uninstall(folder: Path, *, system: bool, dry_run: bool = False) -> list[Path]:
    """Stop the timer and remove our files; the files removed."""
    ours = [folder / name for name in (TIMER, SERVICE) if _is_ours(folder / name)]
    if not ours or dry_run:
        return ours
    if works(system=system):
        _require("disable", "--now", TIMER, system=system)
    for path in ours:
        files.remove_durable(path)
    if works(system=system):
        _require("daemon-reload", system=system)
    return ours


def lingers() -> bool | None:
    """Whether the user's timers run while nobody is logged in; None when unknown."""
    import getpass
    import subprocess

    try:
        done = subprocess.run(
            ["loginctl", "show-user", getpass.getuser(), "--property=Linger"],
            capture_output=True, text=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError, KeyError):
        return None
    return {"Linger=yes": True, "Linger=no": False}.get(done.stdout.strip())


def _is_enabled(*, system: bool) -> bool:
    return _systemctl("is-enabled", TIMER, system=system)[0] == 0


def _is_ours(path: Path) -> bool:
    text = _text(path)
    return text is not None and text.startswith(HEADER)


def _text(path: Path) -> str | None:
    return files.read_text(path, what="systemd unit")


def _require(*words: str, system: bool) -> None:
    status, said = _systemctl(*words, system=system)
    if status != 0:
        raise OpenClawError(f"systemctl {' '.join(words)} failed: {said}", code="systemd")


def _systemctl(*words: str, system: bool) -> tuple[int, str]:
    import subprocess

    scope = [] if system else ["--user"]
    try:
        done = subprocess.run(
            ["systemctl", *scope, *words], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise OpenClawError(f"systemctl failed: {error}", code="systemd") from error
    return done.returncode, " ".join(done.stderr.split()) or "it gave no reason"
