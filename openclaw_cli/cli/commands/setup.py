"""``openclaw setup``: a first state tree (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, dry_run_options


@command("setup")
@click.option("--workspace", metavar="DIR", help="The agent's workspace, in a new config.")
@click.option("--baseline", is_flag=True, help="Accepted and without meaning here.")
@click.option("--non-interactive", is_flag=True, help="Accepted: there are no prompts.")
@dry_run_options
@click.pass_obj
def cli(
    app: App,
    /,
    workspace: str | None,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
    **_accepted: bool,
) -> None:
    """Create a state tree and a commented configuration; touch nothing that exists.

    Made where missing: the state directory, openclaw.json, the workspace with memory/ and a
    HEARTBEAT.md of comments, and the sessions folder. An existing config without
    session.dmScope gets "per-channel-peer", so that people do not share a conversation.

    \b
    Examples:
      openclaw setup
      openclaw setup --workspace ~/notes/agent
      openclaw setup --dry-run --json
    """
    from openclaw_cli.sessions import onboarding

    planned = onboarding.plan(app.paths, workspace)
    if not dry_run:
        onboarding.apply(planned, app.paths, now_ms=app.now_ms())
    document = planned.to_json(dry_run=dry_run)
    app.emit(document, as_json=as_json, render=render)
    if planned.ignored_workspace:
        app.warn(
            f"the config exists already, its workspace {app.paths.display(planned.workspace)} "
            "stays (openclaw config set agents.defaults.workspace DIR)"
        )
    if dry_run:
        app.finish_dry_run(work=bool(planned.steps), exit_code=exit_code)


def render(document: dict[str, Any]) -> Iterator[str]:
    """What was created and what stayed, for people."""
    made = "Would create" if document["dryRun"] else "Created"
    for name in document["created"]:
        yield f"{made} {name}"
    for name in document["kept"]:
        yield f"Kept {name}"
    yield f"session.dmScope: {document['dmScope']}"
    if not document["dryRun"]:
        yield "Next: openclaw config set agents.defaults.model PROVIDER/MODEL, openclaw status"
