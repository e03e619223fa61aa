"""Logs and other JSON Lines files that only grow: torn ends, unreadable lines, sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.delivery import outbox
from openclaw_cli.doctor import torn
from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient, Remedy, of_error
from openclaw_cli.doctor.places import workspaces
from openclaw_cli.errors import OpenClawError
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.schedule import settings, store
from openclaw_cli.state import jsonl
from openclaw_cli.state.amounts import counted

LARGE_BYTES = 64 * 1024 * 1024


def check_logs(patient: Patient) -> Iterator[Finding]:
    """Each log, the outbox, the run histories and the event logs."""
    for path, owner in _files(patient):
        try:
            yield from _log(path, owner)
        except OpenClawError as error:
            yield of_error("log-unreadable", WARN, error)


CHECKS = (check_logs,)


def _files(patient: Patient) -> Iterator[tuple[Path, Workspace | None]]:
    """The files, and the workspace whose lock guards one (None: a lock of its own)."""
    paths = patient.paths
    runs = store.files_of(settings.store_path(patient.config, paths)).runs
    for folder in (paths.under("logs"), runs):
        for path in sorted(folder.glob("*.jsonl")):
            yield path, None
    yield outbox.path_of(paths), None
    for workspace in workspaces(patient):
        yield workspace.events_path, workspace


def _log(path: Path, owner: Workspace | None) -> Iterator[Finding]:
    bad = sum(
        1
        for line in jsonl.read(path, what="log")
        if line.value is None and line.text.strip() and not line.torn
    )
    if bad:
        message = f"{counted(bad, 'line')} cannot be read and {'is' if bad == 1 else 'are'} skipped"
        fix = "correct those lines, or leave them: they do no harm"
        yield Finding("log-lines-unreadable", INFO, f"{path.name}: {message}", str(path), fix)
    if torn.find(path) is not None:
        message = f"the last line of {path.name} was cut off by a crash"
        remedy = Remedy("torn-line", path, owner)
        yield Finding("log-torn", WARN, message, str(path), "openclaw doctor --fix", remedy)
    size = path.stat().st_size if path.exists() else 0
    if size > LARGE_BYTES:
        fix = "keep what you need of it elsewhere, then shorten it"
        yield Finding("log-large", INFO, f"{path.name} has {size} bytes", str(path), fix)
