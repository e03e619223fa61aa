"""``openclaw status``: everything local at a glance (``sessions.md`` 12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, option
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.cli.status_parts import Part
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths


@command("status")
@option("--deep", is_flag=True, help="Also the last heartbeat, and whether the model answers.")
@click.pass_obj
def cli(app: App, deep: bool, as_json: bool) -> None:
    """Show everything local at a glance: sessions, agents, heartbeat, follow-ups, jobs.

    Reads the tree only; nothing needs a network, except --deep, which asks the model for
    one short answer. Exit status 1 when a part could not be read.

    \b
    Examples:
      openclaw status
      openclaw status --json | jq .sessions.recent
      openclaw status --deep
    """
    from openclaw_cli.sessions import reading

    document, parts = build(app.config, app.paths, app.now_ms(), deep=deep)
    app.emit(
        document, as_json=as_json, render=lambda found: render(found, parts, app.out.terminal_room)
    )
    note = reading.remote_note(app.config)
    if note:
        app.warn(note)
    app.finish(failed=any("error" in item for item in _items(document)))


def answer(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """The gateway method ``status``: the document of ``status --json``."""
    return build(config, paths, now_ms)[0]


def health(config: Config, paths: Paths, params: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """The gateway method ``health``: can everything local be read, in short."""
    document = build(config, paths, now_ms)[0]
    sessions = document["sessions"]
    return {
        "ok": not any("error" in item for item in _items(document)),
        "ts": now_ms,
        "defaultAgentId": document["agents"]["defaultId"],
        "agents": [
            {"agentId": store["agentId"], "sessions": {k: store[k] for k in ("path", "count")}}
            for store in sessions["byAgent"]
        ],
        "sessions": {"count": sessions["count"], "recent": sessions["recent"][:5]},
    }


def build(
    config: Config, paths: Paths, now_ms: int, *, deep: bool = False
) -> tuple[dict[str, Any], list[Part]]:
    """The document of ``status --json``, and the parts whose rows people see."""
    from openclaw_cli import __version__
    from openclaw_cli.cli import status_parts
    from openclaw_cli.config import agents
    from openclaw_cli.errors import OpenClawError
    from openclaw_cli.sessions import discovery, model_in_use, overview, reading

    sources = reading.load_all(discovery.targets(config, paths, all_agents=True), tolerate=True)
    models = model_in_use.ModelResolver(config)
    parts: list[Part] = []
    for describe in status_parts.PARTS + (status_parts.DEEP_PARTS if deep else ()):
        try:
            parts.append(describe(config, paths, now_ms))
        except OpenClawError as error:  # one damaged file must not hide all the rest
            name = describe.__name__.replace("_", " ")
            rows = [(name[:1].upper() + name[1:], f"cannot be read: {error.message}")]
            parts.append(status_parts.Part(describe.__name__, {"error": error.message}, rows))
    document = {
        "version": __version__,
        "stateDir": str(paths.state_dir),
        "configPath": str(config.path) if config.exists else None,
        "sessions": overview.sessions_part(
            sources, models, default_agent=agents.default_agent_id(config), now_ms=now_ms
        ),
        "agents": overview.agents_part(sources, config, paths, now_ms=now_ms),
        "timezones": overview.zones_part(config),
        **{part.key: part.value for part in parts},
    }
    return document, parts


def _items(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Whatever in the document can carry an ``error``."""
    parts = [value for value in document.values() if isinstance(value, dict)]
    return [*parts, *document["sessions"]["byAgent"]]


def render(document: dict[str, Any], parts: list[Part], room: int | None = None) -> Iterator[str]:
    """The overview and the recent sessions for people; cut to a terminal's ``room``."""
    from openclaw_cli.cli.output import Column, table, table_within

    yield "OpenClaw status"
    yield ""
    overview = [*_overview(document), *(row for part in parts for row in part.rows)]
    yield from table([Column("Item"), Column("Value")], overview)
    recent = document["sessions"]["recent"]
    if not recent:
        return
    yield ""
    yield "Recent sessions"
    columns = [
        Column("Key"), Column("Kind", rank=3), Column("Age"), Column("Model", narrow=8, rank=2),
        Column("Runtime", rank=1), Column("Tokens"),
    ]  # fmt: skip
    yield from table_within(columns, [_recent(row) for row in recent], room)


def _overview(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    from openclaw_cli.sessions import listing

    sessions, agents, zones = (document[key] for key in ("sessions", "agents", "timezones"))
    yield "Version", document["version"]
    yield "State", document["stateDir"]
    yield "Config", document["configPath"] or "none (defaults)"
    model = sessions["defaults"]["model"] or "none"
    window = listing.thousands(sessions["defaults"]["contextTokens"])
    stores = sessions["byAgent"]
    yield (
        "Sessions",
        f"{sessions['count']} active · default {model} ({window} ctx)"
        f" · {counted(len(stores), 'store')}",
    )
    for store in stores:
        yield f"  store of {store['agentId']}", store.get("error") or store["path"]
    for agent in agents["agents"]:
        default = ", default" if agent["id"] == agents["defaultId"] else ""
        pending = ", bootstrap pending" if agent["bootstrapPending"] else ""
        age = agent["lastActiveAgeMs"]
        active = f"active {listing.age_label(age)}" if age is not None else "never active"
        yield (
            f"Agent {agent['id']}",
            f"{counted(agent['sessionsCount'], 'session')}, {active}{default}{pending}",
        )
    if zones["differ"]:
        yield (
            "Time zones",
            f"resets go by {zones['host']} (this host), days by {zones['user']} (the user)",
        )


def _recent(row: dict[str, Any]) -> list[str]:
    from openclaw_cli.sessions import listing

    total, window = row["totalTokens"], row["contextTokens"]
    return [
        listing.key_label(row["key"]),
        row["kind"],
        listing.age_label(row["age"]),
        row["model"] or "-",
        row["runtime"],
        listing.tokens_label(total, window, fresh=row["totalTokensFresh"]),
    ]
