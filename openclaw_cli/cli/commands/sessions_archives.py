"""``openclaw sessions archives``: list and search archived transcripts (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    agent_option,
    all_agents_option,
    command,
    completed,
    limit_option,
    option,
    since_option,
    store_option,
)
from openclaw_cli.state.amounts import counted

SNIPPET = 60


@command("archives")
@option(
    "--key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="Only archives of this session (key or session id).",
)
@option("--search", metavar="TEXT", help="Only where a user or the assistant said TEXT.")
@option(
    "--reason",
    type=click.Choice(["deleted", "reset", "bak"]),
    help="Only archives made for this reason.",
)
@since_option()
@limit_option(help="Show at most N archives.")
@option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON row a line.")
@agent_option
@all_agents_option
@store_option
@click.pass_obj
def cli(
    app: App,
    /,
    agent: str | None,
    all_agents: bool,
    store: str | None,
    as_jsonl: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """List archived transcripts, newest first.

    Sessions that were deleted, reset or removed by maintenance stay as archives until
    their retention ends. 'openclaw sessions restore' brings one back.

    \b
    Examples:
      openclaw sessions archives --since 7d
      openclaw sessions archives --search "train to Bern" --all-agents
      openclaw sessions archives --key agent:main:main --reason reset --json
    """
    from openclaw_cli.sessions import archives, discovery

    targets = discovery.targets(
        app.config, app.paths, agent=agent, all_agents=all_agents, store=store
    )
    document = archives.listing(targets, app.config, app.paths, archives.Filter(**chosen))
    if as_jsonl:
        app.out.json_lines(document["archives"])
    else:
        app.emit(document, as_json=as_json, render=lambda found: render(found, app.now_ms()))


def render(document: dict[str, Any], now_ms: int) -> Iterator[str]:
    """The archives for people: one block each."""
    from openclaw_cli.cli.output import cell
    from openclaw_cli.sessions import listing
    from openclaw_cli.state import clock

    if not document["archives"]:
        yield "No archives found."
        return
    yield f"Archives: {document['count']}"
    for found in document["archives"]:
        age = listing.age_label(now_ms - found["archivedAtMs"])
        yield ""
        yield cell(f"{found['key'] or '(key unknown)'}  {found['reason']} {age}")
        yield f"  {found['path']}"
        said = " ".join((found["firstUserText"] or "").split())
        shown = said if len(said) <= SNIPPET else said[: SNIPPET - 1] + "…"
        details = [counted(found["messages"], "message"), counted(found["bytes"], "byte")]
        if found["purgeAtMs"] is not None:
            details.append(f"kept until {clock.iso(found['purgeAtMs'])}")
        yield f"  {', '.join(details)}" + (f': "{shown}"' if shown else "")
