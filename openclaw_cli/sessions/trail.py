"""The lines of ``logs/changes.jsonl`` for what happens to sessions, with their undo.

Pure. Every session that leaves its row, and every file that leaves its name, is one line.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.sessions import discovery, keys, names, store
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.sessions.plan_files import FileAction
from openclaw_cli.state.changes import Change

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


@dataclass
class Trail:
    """Makes the lines of one command on one store.

    ``option`` is what selects this store on a command line (``--store`` or ``--agent``)
    where a key alone does not.
    """

    command: str
    store_path: Path
    agent_id: str
    default_store: bool = True

    def session(
        self, key: str, row: Any, rule: str, *, action: FileAction | None, final: bool = False
    ) -> Change:
        """A row that left; ``action`` archived its transcript. ``final``: nothing is kept."""
        return Change(
            self.command,
            rule,
            "session",
            key=key,
            path=None if action is None else self._path(action.path),
            moved_to=None if action is None or not action.target else self._path(action.target),
            row=row,
            undo=None if final else self.undo_key(key),
        )

    def file(
        self, action: FileAction, *, key: str | None = None, row: Any = None, replace: bool = False
    ) -> Change:
        """A file that was archived or deleted. ``replace``: its row has begun a new session."""
        target = None if action.target is None else self._path(action.target)
        return Change(
            self.command,
            action.rule,
            kind_of(action.path, self.store_path.name),
            key=key,
            path=self._path(action.path),
            moved_to=target,
            row=row,
            undo=None if target is None else self.undo_file(target, replace=replace),
        )

    def undo_key(self, key: str) -> str:
        """The command that brings the session ``key`` back."""
        named = keys.parse(key)
        option = "" if named and named.agent_id == self.agent_id else f" --agent {self.agent_id}"
        return f"openclaw sessions restore {shlex.quote(key)}{self._option(option)}"

    def undo_restore(self, key: str) -> str:
        """The command that archives the restored session ``key`` again."""
        return self.undo_key(key).replace(" restore ", " delete ", 1)

    def undo_file(self, path: str, *, replace: bool = False) -> str:
        """The command that brings the archive at ``path`` back."""
        option = " --replace" if replace else ""
        return f"openclaw sessions restore {shlex.quote(path)}{option}{self._option('')}"

    def _option(self, usual: str) -> str:
        if self.default_store:
            return usual
        return f" --store {shlex.quote(os.fspath(self.store_path))}"

    def _path(self, name: str) -> str:
        return f"{self.store_path.parent}{os.sep}{name}"


def for_target(command: str, config: Config, paths: Paths, target: Target) -> Trail:
    """The trail of ``command`` on a store that its options selected."""
    usual = discovery.store_path(config, paths, target.agent_id)
    return Trail(command, target.store_path, target.agent_id, target.store_path == usual)


def kind_of(path: str, store_name: str) -> str:
    """What the file ``path`` is, in the words of the trail."""
    name = os.path.basename(path)
    if names.parse_archive(name) is not None:
        return "archive"
    if name.startswith(store_name + store.BACKUP_MARK):
        return "backup"
    if name.startswith(store_name):
        return "temporary"
    if names.is_trajectory(name):
        return "trajectory"
    if names.is_checkpoint(name):
        return "checkpoint"
    return "transcript" if name.endswith(names.SUFFIX) else "prompt"
