"""Checking what dreaming left behind, and moving it away when it fed on itself.

``memory.md`` 9.3, ``dreaming.md`` 10.4. A corpus line that holds the diary's own prompt
shows that dreaming ingested its own sessions; then corpus and checkpoint are moved to
``.openclaw-repair/dreaming`` and rebuilt by the next sweep. The diary is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.memory.audit import issue
from openclaw_cli.memory.junk import DIARY_PROMPT
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import clock, files

DIARY_NAMES = ("DREAMS.md", "dreams.md")
NARRATIVE_MARK = b"dreaming-narrative-"
SELF_INGESTED = "dreaming-session-corpus-self-ingested"


def find_diary(workspace: Workspace) -> Path | None:
    """The diary of the workspace: ``DREAMS.md``, else ``dreams.md``, else None."""
    for name in DIARY_NAMES:
        if os.path.lexists(workspace.root / name):
            return workspace.root / name
    return None


def audit(workspace: Workspace) -> dict[str, Any]:
    """The dreaming audit object; problems are issues, never errors."""
    issues: list[dict[str, Any]] = []
    diary = find_diary(workspace)
    report: dict[str, Any] = {} if diary is None else {"dreamsPath": str(diary)}
    if diary is not None and _cannot_read(diary):
        message = f"Dream diary could not be read: {diary}."
        issues.append(issue("error", "dreaming-diary-unreadable", message, fixable=False))
    count, bad_files, bad_lines = _scan_corpus(workspace, issues)
    if bad_lines:
        noun = "line" if bad_lines == 1 else "lines"
        message = (
            "Dreaming session corpus appears to contain self-ingested narrative content "
            f"({bad_lines} suspicious {noun})."
        )
        issues.append(issue("warn", SELF_INGESTED, message, fixable=True))
    ingestion = workspace.session_ingestion_path
    if os.path.lexists(ingestion) and _cannot_read(ingestion):
        message = f"Dreaming session ingestion state could not be read: {ingestion}."
        issues.append(
            issue("error", "dreaming-session-ingestion-unreadable", message, fixable=False)
        )
    return report | {
        "sessionCorpusDir": str(workspace.corpus_dir),
        "sessionCorpusFileCount": count,
        "suspiciousSessionCorpusFileCount": bad_files,
        "suspiciousSessionCorpusLineCount": bad_lines,
        "sessionIngestionPath": str(ingestion),
        "sessionIngestionExists": ingestion.exists(),
        "issues": issues,
    }


class ArtifactRepair:
    """What was moved into ``archive_dir``; None when there was nothing to move."""

    def __init__(self) -> None:
        self.archive_dir: str | None = None
        self.archived_diary = False
        self.archived_corpus = False
        self.archived_ingestion = False
        self.warnings: list[str] = []

    def to_json(self) -> dict[str, Any]:
        """The repair object of reports."""
        report: dict[str, Any] = {"changed": self.archive_dir is not None}
        if self.archive_dir is not None:
            report["archiveDir"] = self.archive_dir
        return report | {
            "archivedDreamsDiary": self.archived_diary,
            "archivedSessionCorpus": self.archived_corpus,
            "archivedSessionIngestion": self.archived_ingestion,
            "warnings": self.warnings,
        }


def repair(
    workspace: Workspace, now_ms: int, *, diary: bool = False, dry_run: bool = False
) -> ArtifactRepair:
    """Move corpus and ingestion checkpoint (and the ``diary`` on request) to the archive.

    Symbolic links are left where they are, with a warning. With ``dry_run`` only the
    report is made. Raises ``NotWritable``.
    """
    done = ArtifactRepair()
    stamp = clock.archive_stamp(now_ms).replace(".", "-")
    folder = workspace.repair_dir / "dreaming" / stamp
    sources = [workspace.corpus_dir, workspace.session_ingestion_path]
    found = find_diary(workspace) if diary else None
    moved = [_can_move(source, done) for source in (*sources, found)]
    done.archived_corpus, done.archived_ingestion, done.archived_diary = moved
    if any(moved):
        done.archive_dir = str(folder)
    if not dry_run:
        for source, wanted in zip((*sources, found), moved, strict=True):
            if wanted and source is not None:
                _move(source, folder)
    return done


def _can_move(source: Path | None, done: ArtifactRepair) -> bool:
    if source is None or not os.path.lexists(source):
        return False
    if source.is_symlink():
        done.warnings.append(f"{source} is a symbolic link; it was left in place")
        return False
    return True


def _move(source: Path, folder: Path) -> None:
    from uuid import uuid4

    files.make_dir(folder)
    files.rename_durable(source, folder / f"{source.name}.{uuid4()}")


def _scan_corpus(workspace: Workspace, issues: list[dict[str, Any]]) -> tuple[int, int, int]:
    """Number of corpus files, of those with self-ingested lines, and of such lines."""
    count = bad_files = bad_lines = 0
    try:
        for path in _corpus_files(workspace.corpus_dir):
            count += 1
            hits = _self_ingested_lines(path)
            bad_files += bool(hits)
            bad_lines += hits
    except OSError as error:
        reason = error.strerror or error
        message = f"Dreaming session corpus could not be read: {reason} ({error.filename})."
        code = "dreaming-session-corpus-unreadable"
        issues.append(issue("error", code, message, fixable=False))
    return count, bad_files, bad_lines


def _corpus_files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for name in sorted(os.listdir(folder)):
        path = folder / name
        if name.endswith(".txt") and path.is_file() and not path.is_symlink():
            yield path


def _self_ingested_lines(path: Path) -> int:
    data = path.read_bytes()
    if NARRATIVE_MARK not in data:
        return 0
    prompt = DIARY_PROMPT.encode()
    return sum(1 for line in data.split(b"\n") if NARRATIVE_MARK in line and prompt in line.lower())


def _cannot_read(path: Path) -> bool:
    return path.is_symlink() or not path.is_file() or not os.access(path, os.R_OK)
