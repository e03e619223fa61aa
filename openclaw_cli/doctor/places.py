"""Which files of the tree hold state: what the checks of locks, logs and leftovers walk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.doctor.finding import Patient
from openclaw_cli.memory.workspace import Workspace

OWN = ("jobs", "heartbeat", "outbox", "commitments", "logs", "cron", "memory")
_SHARED = ("agents", "credentials")


def state_files(patient: Patient) -> Iterator[Path]:
    """Every regular file of the machine's own state, sorted; links are not followed.

    The folders that this program or the original writes, not the owner's workspaces.
    """
    state = patient.paths.state_dir
    yield from _files(state, deep=False)
    for name in (*OWN, *_SHARED):
        if patient.agent is not None and name == "agents":
            yield from _files(patient.paths.agent_dir(patient.agent))
        else:
            yield from _files(state / name)
    for folder in extra_store_folders(patient):
        yield from _files(folder)
    for workspace in workspaces(patient):
        yield from _files(workspace.dreams_dir)


def workspaces(patient: Patient) -> list[Workspace]:
    """The workspaces that are looked at."""
    return [target.workspace for target in patient.workspaces]


def extra_store_folders(patient: Patient) -> list[Path]:
    """Sessions folders that the settings put outside ``agents/``."""
    inside = patient.paths.under("agents")
    folders = {target.sessions_dir for target in patient.stores}
    return sorted(folder for folder in folders if not folder.is_relative_to(inside))


def _files(folder: Path, *, deep: bool = True) -> Iterator[Path]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return  # missing, or closed to us: then the check that needs it says so
    for entry in entries:
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
        elif deep and entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
