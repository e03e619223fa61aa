"""What a sweep is asked for, and what it is about."""

from __future__ import annotations

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming.settings import Dreaming
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple


class Options(NamedTuple):
    """How a sweep is asked for; ``agent`` None means all workspaces."""

    if_due: bool = False
    force: bool = False
    agent: str | None = None
    dry_run: bool = False
    diary: bool = True


class Context(NamedTuple):
    """What a run is about: the tree, its settings, the one instant, the slot that counts."""

    config: Config
    paths: Paths
    settings: Dreaming
    now_ms: int
    slot_ms: int | None
    options: Options
