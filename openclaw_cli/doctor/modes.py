"""Who else can read or change the tree.

The findings of the security audit about modes, and the files that hold personal data
besides: all of them 0600 in 0700 folders (``commands.md``, "Files of ours").
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from openclaw_cli.doctor.finding import ERROR, INFO, WARN, Finding, Patient, Remedy
from openclaw_cli.doctor.places import OWN, workspaces
from openclaw_cli.sessions import audit_modes
from openclaw_cli.state import files
from openclaw_cli.state.amounts import counted

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_WRITABLE = "world_writable"

Mode = tuple[Path, int]


def check_audit(patient: Patient) -> Iterator[Finding]:
    """What the security audit says about modes."""
    for found in audit_modes.findings(patient.config, patient.paths):
        paths = [Path(path) for path in found.private]
        remedy = Remedy("modes", paths[0], tuple(wanted(path) for path in paths)) if paths else None
        yield Finding(
            found.check_id,
            ERROR if found.check_id.endswith(_WRITABLE) else WARN,
            found.detail,
            str(paths[0].parent if len(paths) > 1 else paths[0]) if paths else None,
            found.remediation,
            remedy,
        )


def check_own(patient: Patient) -> Iterator[Finding]:
    """The folders of the machine's own state."""
    shut = _is_private(patient.paths.state_dir)
    roots = [patient.paths.under(name) for name in OWN]
    roots += [workspace.dreams_dir for workspace in workspaces(patient)]
    roots.append(patient.paths.under(".env"))
    for root in roots:
        open_paths = list(_open(root))
        if not open_paths:
            continue
        inside = shut and root.is_relative_to(patient.paths.state_dir)
        message = f"{counted(len(open_paths), 'file or folder', 'files or folders')} open to others"
        if inside:
            message += " (the state directory around them is not)"
        remedy = Remedy("modes", root, tuple(wanted(path) for path in open_paths))
        severity = INFO if inside else WARN
        yield Finding("state-open", severity, message, str(root), "openclaw doctor --fix", remedy)


CHECKS = (check_audit, check_own)


def wanted(path: Path) -> Mode:
    """``path`` with the mode that keeps it private."""
    return path, files.PRIVATE_DIR if path.is_dir() else files.PRIVATE_FILE


def _open(root: Path) -> Iterator[Path]:
    if root.is_symlink() or not root.exists():
        return
    if not _is_private(root):
        yield root
    for folder, names, others in os.walk(root):
        for name in sorted(names + others):
            path = Path(folder, name)
            if not path.is_symlink() and not _is_private(path):
                yield path


def _is_private(path: Path) -> bool:
    try:
        return not path.stat().st_mode & _OTHERS
    except OSError:
        return True
