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
        moved = None if action is None or not action.target else self._path(action.target)
        return Change(
            self.command,
            rule,
            "session",
            key=key,
            path=None if action is None else self._path(action.path),
            moved_to=moved,
            row=row,
            undo=self.undo_key(key, archive=moved) if isinstance(row, dict) and not final else None,
        )

    def file(
        self, action: FileAction, *, key: str | None = None, row: Any = None, replace: bool = False
    ) -> Change:
        """A file that was archived or deleted. ``replace``: its row has begun a new session."""
        path = self._path(action.path)
        target = None if action.target is None else self._path(action.target)
        kind = kind_of(action.path, self.store_path.name)
        undo = None if target is None else self.undo_file(target, replace=replace)
        if kind == "checkpoint" and target is not None:  # no session that a row could have
            undo = f"mv -n {shlex.quote(target)} {shlex.quote(path)}"
        return Change(
            self.command, action.rule, kind, key=key, path=path, moved_to=target, row=row,
            undo=undo,
        )  # fmt: skip

    def undo_key(self, key: str, *, archive: str | None = None) -> str | None:
        """The command that brings the session ``key`` back.

        A key that nobody could type, or that is none, is called by its ``archive``; without
        one there is no way back.
        """
        if not key.strip() or not key.isprintable() or keys.is_malformed(key):
            return None if archive is None else self.undo_file(archive)
        named = keys.parse(key)
        option = "" if named else f" --agent {self.agent_id}"
        if named and named.agent_id != self.agent_id:  # another agent's key in this store
            option = self._store_option
        return f"openclaw sessions restore {shlex.quote(key)}{self._option(option)}"

    def undo_restore(self, key: str) -> str | None:
        """The command that archives the restored session ``key`` again."""
        undo = self.undo_key(key)
        return undo and undo.replace(" restore ", " delete ", 1)

    def undo_file(self, path: str, *, replace: bool = False) -> str:
        """The command that brings the archive at ``path`` back."""
        option = " --replace" if replace else ""
        return f"openclaw sessions restore {shlex.quote(path)}{option}{self._option('')}"

    def _option(self, usual: str) -> str:
        return usual if self.default_store else self._store_option

    @property
    def _store_option(self) -> str:
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
