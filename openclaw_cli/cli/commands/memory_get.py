"""``openclaw memory get``: print a memory file or some of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, completed


@command("get")
@click.argument("place", metavar="PATH[:FROM[-TO]]", shell_complete=completed("memory_files"))
@agent_option
@click.pass_obj
def cli(app: App, place: str, *, agent: str | None, as_json: bool) -> None:
    """Print a memory file, or its lines FROM to TO.

    PATH is relative to the agent's workspace, or absolute; only memory files can be read:
    MEMORY.md, memory/**/*.md and the extra paths. Lines count from 1; a TO past the end is
    cut.

    \b
    Examples:
      openclaw memory get MEMORY.md
      openclaw memory get memory/2026-11-17.md:3-5
      openclaw memory get memory/projects.md:10 --json
    """
    from openclaw_cli.config import agents
    from openclaw_cli.memory.access import Memory
    from openclaw_cli.memory.reading import read_excerpt

    config = app.config
    agent_id = agents.require_agent(config, agent) if agent else agents.default_agent_id(config)
    excerpt = read_excerpt(Memory(config, app.paths, agent_id, app.now_ms()), place)
    app.emit(excerpt.to_json(), as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterator[str]:
    """The text, line by line."""
    text: str = document["text"]
    yield from text.removesuffix("\n").split("\n") if text else ()
