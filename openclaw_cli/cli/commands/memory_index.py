"""``openclaw memory index``: bring the search index up to date."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.memory_search import say_disabled
from openclaw_cli.cli.options import agent_option, command, option

if TYPE_CHECKING:
    from openclaw_cli.memory.access import Memory


@command("index")
@agent_option
@option("--force", is_flag=True, help="Build it anew, whatever is there.")
@option("--verbose", is_flag=True, help="Say what is indexed, and how, first.")
@click.pass_obj
def cli(app: App, agent: str | None, *, force: bool, verbose: bool, as_json: bool) -> None:
    """Bring the search index up to date, of every agent or one.

    A search does this by itself. The index (memory/<agent>.sqlite in the state directory)
    holds nothing that is not in the notes; it may be deleted at any time.

    \b
    Examples:
      openclaw memory index
      openclaw memory index --force --agent work
    """
    from openclaw_cli.config import agents

    config = app.config
    ids = [agents.require_agent(config, agent)] if agent else agents.agent_ids(config)
    reports = []
    wishes = {"force": force, "verbose": verbose, "as_json": as_json, "alone": len(ids) == 1}
    for agent_id in ids:
        report = _update(app, agent_id, **wishes)
        if report is not None:
            reports.append(report)
    app.emit({"agents": reports}, as_json=as_json, render=render)
    app.finish(failed=any("error" in report for report in reports))


def _update(
    app: App, agent_id: str, *, force: bool, verbose: bool, as_json: bool, alone: bool
) -> dict[str, Any] | None:
    """The report of one agent; a failure is reported, and the others go on.

    An index that is being written is no failure of the only agent: it is to be tried again.
    """
    from openclaw_cli.errors import Busy, OpenClawError
    from openclaw_cli.memory.access import Memory
    from openclaw_cli.memory.index_status import update_index

    memory = Memory(app.config, app.paths, agent_id, app.now_ms())
    if not memory.settings.enabled:
        say_disabled(app, as_json=as_json)
        return None
    if verbose and not as_json:
        app.out.lines(describe(app, memory))
    try:
        report = update_index(memory, force=force)
    except OpenClawError as error:
        if alone and isinstance(error, Busy):
            raise
        app.out.note(f"Memory index failed ({agent_id}): {error.message}")
        return {"agentId": agent_id, "error": error.to_json()}
    for warning in report.pop("warnings"):
        app.out.note(f"Memory index WARNING ({agent_id}): {warning}")
    return report


def render(document: dict[str, Any]) -> Iterator[str]:
    """One line for each agent that succeeded."""
    for report in document["agents"]:
        if "error" not in report:
            yield f"Memory index updated ({report['agentId']})."


def describe(app: App, memory: Memory) -> Iterator[str]:
    """What is indexed, from where, for which model."""
    settings = memory.settings
    workspace = app.paths.display(memory.workspace.root)
    yield f"Memory Index ({memory.agent_id})"
    yield f"Provider: {settings.provider} (requested: {settings.requested_provider})"
    yield f"Model: {settings.provider if settings.keyword_only else settings.model}"
    folder = app.paths.display(app.paths.sessions_dir(memory.agent_id))
    places = {
        "memory": f"MEMORY.md + {workspace}/memory/*.md",
        "sessions": f"{folder}/*.jsonl",
    }
    yield f"Sources: {', '.join(f'{one} ({places[one]})' for one in settings.sources)}"
    if settings.extra_paths:
        yield f"Extra paths: {', '.join(settings.extra_paths)}"
    yield ""
