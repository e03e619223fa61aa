"""The surroundings of one command that changes sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from openclaw_cli.sessions import maintenance_settings
from openclaw_cli.sessions.discovery import Target
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.write_path import Draft
    from openclaw_cli.state.paths import Paths

T = TypeVar("T")


class Work(NamedTuple):
    """Settings, tree and clock of a change; ``command`` is named in the trail."""

    config: Config
    paths: Paths
    command: str
    now_ms: int

    def change_rows(self, target: Target, key: str, change: Callable[[dict[str, Any]], T]) -> T:
        """Let ``change`` edit the rows of ``target`` under its lock; ``key`` is being written.

        The maintenance of ordinary writes runs with it. ``change`` may be called again
        when another program changed the store meanwhile.
        """

        from openclaw_cli.sessions import write_path

        def on_draft(draft: Draft) -> T:
            return change(draft.rows)

        return write_path.update(
            target.store_path,
            on_draft,
            paths=self.paths,
            now_ms=self.now_ms,
            command=self.command,
            upkeep=maintenance_settings.from_config(self.config, target.agent_id),
            active_keys=[key],
        )
