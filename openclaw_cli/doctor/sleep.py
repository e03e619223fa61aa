"""Dreaming: interrupted sweeps, what blocks the next one, checkpoints, the size of the diary."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient, Remedy, unreadable_json
from openclaw_cli.dreaming import overview, run_record, workspaces
from openclaw_cli.dreaming.blocks import DIARY_WARN_BYTES
from openclaw_cli.memory.workspace import Workspace

_FIX_OF = {
    "last-sweep-failed": "openclaw jobs log sweep",
    "overdue": "openclaw dreaming sweep --if-due",
    "job-disabled": "openclaw dreaming reconcile",
    "no-scheduler": "openclaw jobs install",
}


def check_sweeps(patient: Patient) -> Iterator[Finding]:
    """What keeps sweeps from happening, and what an interrupted one has left."""
    document = overview.document(
        patient.config,
        patient.paths,
        patient.now_ms,
        agent=patient.agent,
        scheduler=patient.scheduler,
    )
    blocked = document["blocked"]
    if blocked:
        fix = _FIX_OF.get(blocked["reason"])
        yield Finding(f"dreaming-{blocked['reason']}", WARN, blocked["detail"], fix=fix)
    for row in document["workspaces"]:
        yield from _interrupted(row)
        diary = row["diary"]
        if diary and diary["bytes"] > DIARY_WARN_BYTES:
            message = f"the diary has {diary['bytes']} bytes; it is loaded and read by people"
            fix = "the next sweep moves the oldest entries into memory/dreaming/"
            yield Finding("diary-large", WARN, message, diary["path"], fix)


def check_task(patient: Patient) -> Iterator[Finding]:
    """Whether the task that stands for the sweep says what the settings say."""
    from openclaw_cli.schedule import settings

    if not settings.has_store(settings.store_path(patient.config, patient.paths)):
        return
    from openclaw_cli.jobs import reconcile

    document = reconcile.reconcile(patient.config, dry_run=True)
    if document["status"] == "updated" or document["removedIds"]:
        message = "the scheduled task of the sweep does not say what the settings say"
        yield Finding("dreaming-task-outdated", INFO, message, fix="openclaw dreaming reconcile")


def check_records(patient: Patient) -> Iterator[Finding]:
    """The record of sweeps and the checkpoints of what was ingested."""
    path = patient.paths.job(run_record.NAME)
    then = "sweeps count as never done"
    yield from unreadable_json("sweep-record-unreadable", path, what=run_record.WHAT, then=then)
    then = "the next sweep keeps it aside and starts anew"
    for target in patient.workspaces:
        workspace = target.workspace
        notes = workspaces.note_checkpoint_path(workspace)
        chats = workspace.session_ingestion_path
        name = "ingestion-unreadable"
        yield from unreadable_json(name, notes, what=workspaces.NOTE_CHECKPOINT, then=then)
        yield from unreadable_json(name, chats, what=workspaces.CHAT_CHECKPOINT, then=then)


CHECKS = (check_sweeps, check_task, check_records)


def _interrupted(row: dict[str, Any]) -> Iterator[Finding]:
    if not row["interrupted"] or row["sweeping"]:
        return
    workspace = Workspace(Path(row["workspaceDir"]))
    from openclaw_cli.dreaming import journal

    path = workspaces.journal_path(workspace)
    if journal.read(workspace) is None:
        message = "the journal of a sweep cannot be read; the next sweep starts anew"
        yield Finding(
            "sweep-journal-unreadable", WARN, message, str(path), "openclaw dreaming sweep"
        )
        return
    message = "a sweep was interrupted; the next one finishes it first"
    remedy = Remedy("sweep-journal", path, workspace)
    yield Finding("sweep-interrupted", WARN, message, str(path), "openclaw doctor --fix", remedy)
