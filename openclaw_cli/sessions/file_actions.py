"""Renaming and deleting files of a sessions folder, and nothing outside it.

Only regular files whose real folder is the sessions folder or below are touched, never
links; an existing archive is never replaced; a missing file counts as done, so that every
action may run twice.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_cli.sessions import names
from openclaw_cli.sessions.effects import Failure, Move
from openclaw_cli.state import files

_NUMBERED = re.compile(r"(.*\.)(\d+)", re.DOTALL)


@dataclass
class Acted:
    """What went wrong, and targets that got another name because theirs was taken."""

    failures: list[Failure] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def failed_paths(self) -> frozenset[str]:
        """The relative paths of the files that stayed."""
        return frozenset(failure.path for failure in self.failures)


def act(
    folder: str, moves: Iterable[Move], removals: Iterable[str], *, wanted: Collection[str] = ()
) -> Acted:
    """Carry out ``moves``, then ``removals``, below ``folder``; paths are relative to it.

    Files in ``wanted`` (absolute paths that rows point at) stay where they are.
    """
    acted = Acted()
    real = os.path.realpath(folder)
    touched = {folder}
    skipped: set[str] = set()
    for move in moves:
        source = os.path.join(folder, move.source)
        if source in wanted:
            skipped.add(move.target)
            continue
        try:
            if _is_ours(source, move.source, real):
                target = free_name(folder, move.target)
                if target != move.target:
                    acted.renamed[move.target] = target
                os.rename(source, os.path.join(folder, target))
                touched.add(os.path.dirname(source))
        except OSError as error:
            skipped.add(move.target)
            acted.failures.append(Failure(move.source, _why(error)))
    for name in removals:
        path = os.path.join(folder, acted.renamed.get(name, name))
        if name in skipped or path in wanted:
            continue
        try:
            if _is_ours(path, name, real):
                os.unlink(path)
                touched.add(os.path.dirname(path))
        except OSError as error:
            acted.failures.append(Failure(name, _why(error), deleting=True))
    for place in touched:
        files.sync_dir(Path(place))
    return acted


def free_name(folder: str, name: str) -> str:
    """``name``, or where that is taken the archive name of the next free millisecond."""
    while os.path.lexists(os.path.join(folder, name)):
        name = next_name(name)
    return name


def next_name(name: str) -> str:
    """The archive or backup name one millisecond later."""
    archive = names.parse_archive(name)
    if archive is not None:
        return names.archive_name(archive.base, archive.reason, archive.at_ms + 1)
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None:
        return f"{numbered.group(1)}{int(numbered.group(2)) + 1}"
    raise FileExistsError(f"{name} exists already")


def _is_ours(path: str, relative: str, real_folder: str) -> bool:
    """Whether there is a file to act on; ``PermissionError`` when we may not."""
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(info.st_mode):
        raise PermissionError("it is not a regular file")
    if os.sep in relative:
        place = os.path.realpath(os.path.dirname(path))
        if place != real_folder and not place.startswith(real_folder + os.sep):
            raise PermissionError("it is outside the sessions folder")
    return True


def _why(error: OSError) -> str:
    return error.strerror or str(error)
