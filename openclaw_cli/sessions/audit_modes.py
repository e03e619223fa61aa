"""Findings about the modes of files and folders that hold conversations or secrets."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from openclaw_cli.sessions import discovery, names
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

CRITICAL, WARN, INFO = "critical", "warn", "info"

_READABLE = stat.S_IRGRP | stat.S_IROTH


class Finding(NamedTuple):
    """One thing that an owner should know; ``remediation`` says what to do about it.

    ``private`` are the files and folders that nobody else should be able to open.
    """

    check_id: str
    severity: str
    title: str
    detail: str
    remediation: str | None = None
    private: tuple[str, ...] = ()

    def to_json(self) -> dict[str, str]:
        """The finding as the reference writes it."""
        found = {
            "checkId": self.check_id,
            "severity": self.severity,
            "title": self.title,
            "detail": self.detail,
        }
        return found | ({"remediation": self.remediation} if self.remediation else {})


def findings(config: Config, paths: Paths) -> Iterator[Finding]:
    """What others than the owner can read or change below the state directory."""
    yield from _folder("fs.state_dir", "State directory", paths.state_dir)
    yield from _folder("fs.credentials_dir", "Credentials folder", paths.under("credentials"))
    yield from _config_file(config.path)
    for target in discovery.targets(config, paths, all_agents=True):
        mode = _mode(target.store_path)
        if mode is not None and mode & _READABLE:
            yield Finding(
                "fs.sessions_store.perms_readable",
                WARN,
                "Session store is readable by others",
                f"{target.store_path} mode={mode:03o}; it tells who talks to the agent.",
                f"chmod 600 {shlex.quote(str(target.store_path))}",
                (str(target.store_path),),
            )
        yield from _transcripts(target.sessions_dir)


def _folder(check: str, what: str, path: Path) -> Iterator[Finding]:
    mode = _mode(path)
    if mode is None:
        return
    fix = f"chmod 700 {shlex.quote(str(path))}"
    if mode & stat.S_IWOTH:
        yield Finding(
            f"{check}.perms_world_writable",
            CRITICAL,
            f"{what} is writable by everybody",
            f"{path} mode={mode:03o}; others can change what the agent reads.",
            fix,
            (str(path),),
        )
    elif mode & _READABLE:
        yield Finding(
            f"{check}.perms_readable",
            WARN,
            f"{what} is readable by others",
            f"{path} mode={mode:03o}; 700 keeps it private.",
            fix,
            (str(path),),
        )


def _config_file(path: Path) -> Iterator[Finding]:
    mode = _mode(path)
    if mode is None:
        return
    fix = f"chmod 600 {shlex.quote(str(path))}"
    for bit, name, severity in (
        (stat.S_IWOTH, "world_writable", CRITICAL),
        (stat.S_IROTH, "world_readable", CRITICAL),
        (stat.S_IRGRP, "group_readable", WARN),
    ):
        if mode & bit:
            yield Finding(
                f"fs.config.perms_{name}",
                severity,
                f"Config file is {name.replace('_', '-')}",
                f"{path} mode={mode:03o}; it can hold tokens and private settings.",
                fix,
                (str(path),),
            )
            return


def _transcripts(folder: Path) -> Iterator[Finding]:
    """One finding for all the transcripts and archives of a folder that others can read."""
    try:
        with os.scandir(folder) as entries:
            readable = [
                entry.name
                for entry in entries
                if names.session_id_of(entry.name)
                and entry.is_file(follow_symlinks=False)
                and entry.stat(follow_symlinks=False).st_mode & _READABLE
            ]
    except FileNotFoundError:
        return
    except OSError as error:
        yield Finding(
            "session.transcripts.unreadable",
            WARN,
            "Sessions folder cannot be read",
            f"{folder}: {error.strerror or error}; its transcripts were not checked.",
        )
        return
    if readable:
        count = f"{len(readable)} transcript{'s' if len(readable) > 1 else ''}"
        yield Finding(
            "session.transcripts.perms_readable",
            WARN,
            "Transcripts are readable by others",
            f"{count} in {folder}, for example {min(readable)}; they hold whole conversations.",
            f"chmod 600 {shlex.quote(str(folder))}/*.jsonl*",
            tuple(os.path.join(folder, name) for name in readable),
        )


def _mode(path: Path) -> int | None:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
