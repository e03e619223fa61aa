"""Values for the TAB key that come from the tree: agents, sessions, ids, jobs, paths.

Each function is a ``shell_complete`` callback. A tree that cannot be read completes
nothing: pressing TAB is no moment for an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from openclaw_cli.errors import OpenClawError

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config

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
        return [CompletionItem(value, help=about) for value, about in fitting[:MOST]]

    return complete


def _agents(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.config import agents

    return [(agent_id, "agent") for agent_id in agents.agent_ids(config)]


def _sessions(config: Config, ctx: click.Context) -> Iterable[tuple[str, str]]:
    from openclaw_cli.sessions import discovery, entry, store

    agent = _value(ctx, "agent")
    given = _value(ctx, "store")
    targets = discovery.targets(
        config, config.paths, agent=agent, store=given, all_agents=not (agent or given)
    )
    rows = [
        (key, row)
        for target in targets
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


def _config_paths(config: Config, _ctx: click.Context) -> Iterable[tuple[str, str]]:
    def walk(value: Any, place: str) -> Iterable[tuple[str, str]]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from walk(inner, f"{place}.{key}" if place else key)
        elif place:
            yield place, type(value).__name__

    return walk(config.data, "")


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
