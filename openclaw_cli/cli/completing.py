"""Values for the TAB key that come from the tree: agents, sessions, ids, jobs, paths.

Each function is a ``shell_complete`` callback. A tree that cannot be read completes
nothing: pressing TAB is no moment for an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from openclaw_cli.cli.output import cell
from openclaw_cli.errors import OpenClawError

if TYPE_CHECKING:
    from pathlib import Path

    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.discovery import Target

MOST = 200
Callback = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _from_tree(find: Callable[[Config, click.Context], Iterable[tuple[str, str]]]) -> Callback:
    """A callback that offers the (value, description) pairs of ``find`` that fit."""

    def complete(
        ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from openclaw_cli.config.load import load
        from openclaw_cli.state.paths import Paths

        try:
            found = list(find(load(Paths.from_env(), validate=False), ctx))
        except (OpenClawError, OSError):
            return []
        fitting = [pair for pair in found if pair[0].startswith(incomplete)]
        # The shells read one answer a line.
        return [
            CompletionItem(value, help=cell(about))
            for value, about in fitting[:MOST]
            if value == cell(value)
        ]

    return complete


def _agents(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.config import agents

    return [(agent_id, "agent") for agent_id in agents.agent_ids(config)]


def _sessions(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.sessions import entry, store

    rows = [
        (key, row)
        for target in _targets(config, ctx)
        for key, row in store.load(target.store_path).rows.items()
        if isinstance(row, dict)
    ]
    rows.sort(key=lambda pair: -(entry.updated_ms(pair[1]) or 0))
    return [(key, str(row.get("label") or row.get("displayName") or "")) for key, row in rows]


def _commitments(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.commitments import store

    rows = store.load(config.paths).valid
    return [(row["id"], f"{row['status']}: {row['suggestedText'][:40]}") for row in rows]


def _jobs(_config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.jobs.look import NAMES

    return [(name, "job") for name in NAMES]


def _tasks(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.schedule import settings, store

    found = store.load(settings.store_path(config, config.paths))
    return [(task.id, str(task.row.get("name") or "")) for task in found.tasks]


def _deliveries(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.delivery import outbox

    records = reversed(outbox.load(config.paths))
    return [(str(r["id"]), f"{r['status']} {r['channel']}:{r['to']}") for r in records]


def _channels(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.delivery import channels

    return [(name, "channel") for name in channels.configured(config)]


def _archives(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    """What can be restored: the archives, then the keys of sessions."""
    from openclaw_cli.sessions import names

    for target in _targets(config, ctx):
        for name in sorted(_listed(target.sessions_dir), reverse=True):
            archive = names.parse_archive(name)
            if archive is not None:
                yield name, archive.reason
    yield from _sessions(config, ctx)


def _candidates(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    """What is in the recall stores, the newest first."""
    from openclaw_cli.dreaming import workspaces
    from openclaw_cli.memory import recall_store
    from openclaw_cli.state import clock

    for target in workspaces.find(config, config.paths, _value(ctx, "agent")):
        entries = recall_store.load(target.workspace, clock.now_ms()).entries
        for entry in sorted(entries.values(), key=lambda e: e["lastRecalledAt"], reverse=True):
            yield entry["key"], entry["snippet"][:40]


def _memory_files(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.config import agents
    from openclaw_cli.memory.workspace import Workspace, scan_memory

    agent_id = _value(ctx, "agent") or agents.default_agent_id(config)
    workspace = Workspace(agents.workspace_dir(config, config.paths, agent_id))
    return [(file.name, "") for file in scan_memory(workspace).files]


def _models(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.config import agents
    from openclaw_cli.model import status

    agent_id = _value(ctx, "agent") or agents.default_agent_id(config)
    document = status.describe(config, agent_id)
    aliases = [(name, str(model)) for name, model in document["aliases"].items()]
    return [*((name, "") for name in status.used_models(document)), *aliases]


def _commitment_statuses(_config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.commitments.record import STATUSES

    return [(word, "") for word in STATUSES]


def _delivery_statuses(_config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.delivery.outbox import STATUSES

    return [(word, "") for word in STATUSES]


def _gateway_methods(_config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.cli.gateway_methods import METHODS

    return [(name, "") for name in sorted(METHODS)]


def _config_paths(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    def walk(value: Any, place: str) -> Iterable[tuple[str, str]]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from walk(inner, f"{place}.{key}" if place else key)
        elif place:
            yield place, type(value).__name__

    return walk(config.data, "")


def _targets(config: Config, ctx: click.Context) -> list[Target]:
    """The stores that the options given so far select; without any every agent's."""
    from openclaw_cli.sessions import discovery

    agent, given = _value(ctx, "agent"), _value(ctx, "store")
    return discovery.targets(
        config, config.paths, agent=agent, store=given, all_agents=not (agent or given)
    )


def _listed(folder: Path) -> list[str]:
    """The names in a folder; a missing one has none."""
    return os.listdir(folder) if folder.is_dir() else []


def _value(ctx: click.Context, name: str) -> str | None:
    """An option given so far, on the command or a group around it."""
    here: click.Context | None = ctx
    while here is not None:
        if here.params.get(name):
            return str(here.params[name])
        here = here.parent
    return None


agent_ids = _from_tree(_agents)
session_keys = _from_tree(_sessions)
commitment_ids = _from_tree(_commitments)
job_names = _from_tree(_jobs)
task_ids = _from_tree(_tasks)
delivery_ids = _from_tree(_deliveries)
channel_names = _from_tree(_channels)
config_paths = _from_tree(_config_paths)
archives = _from_tree(_archives)
candidate_keys = _from_tree(_candidates)
memory_files = _from_tree(_memory_files)
model_names = _from_tree(_models)
commitment_statuses = _from_tree(_commitment_statuses)
delivery_statuses = _from_tree(_delivery_statuses)
gateway_methods = _from_tree(_gateway_methods)


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell offer file names."""
    return [CompletionItem(incomplete, type="file")]


def topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The next word of a command, and at the beginning the manual pages."""
    found: click.Command = ctx.find_root().command
    here = ctx.find_root()
    words = ctx.params.get(param.name or "") or ()
    for word in words:
        inner = found.get_command(here, word) if isinstance(found, click.Group) else None
        if inner is None:
            return []
        here, found = click.Context(inner, info_name=word, parent=here), inner
    names = found.list_commands(here) if isinstance(found, click.Group) else []
    from openclaw_cli.cli.manual import SHORT_NAMES

    pages = [] if words else list(SHORT_NAMES)
    return [CompletionItem(name) for name in [*names, *pages] if name.startswith(incomplete)]
