"""``openclaw system``: queue a line for a session; the switches of the heartbeats."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import Entry, group, option
from openclaw_cli.errors import NotAllowed, OpenClawError, UsageProblem

INDEX = {"heartbeat": Entry("system_heartbeat", "The last event, and the switch for all.")}
NOW, NEXT = "now", "next-heartbeat"


@group("system", index=INDEX)
def cli(as_json: bool) -> None:
    """Queue system events; pause and resume heartbeats."""


@cli.command("event")
@click.argument("words", nargs=-1, metavar="[TEXT]")
@option("--text", metavar="TEXT", help="The line to queue.")
@option(
    "--mode",
    type=click.Choice([NOW, NEXT]),
    default=NEXT,
    show_default=True,
    help="Run a heartbeat at once, or wait for the next one.",
)
@option("--session-key", metavar="KEY", help="The session; default: the agent's main one.")
@option("--agent", metavar="ID", help="The agent; default: the default agent.")
@click.pass_obj
def event(
    app: App,
    words: tuple[str, ...],
    text: str | None,
    *,
    mode: str,
    session_key: str | None,
    agent: str | None,
    as_json: bool,
) -> None:
    """Queue a line that the next heartbeat of the session gets to see.

    \b
    Examples:
      openclaw system event "The washing machine is done"
      openclaw system event --text "Backup failed" --mode now
    """
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat import events, look
    from openclaw_cli.sessions import keys
    from openclaw_cli.sessions.routing import KeyRules

    if text is not None and words:
        raise UsageProblem("give the text once: as an argument or with --text")
    line = events.cleaned(text if text is not None else " ".join(words))
    if not line:
        raise UsageProblem("the text is blank", hint='openclaw system event "TEXT"')
    named = keys.require(session_key) if session_key else None
    owner = keys.agent_of(named, "") if named else ""
    agent_id = agents.require_agent(
        app.config, agent or owner or agents.default_agent_id(app.config)
    )
    if owner and owner != agent_id:
        raise UsageProblem(f'Agent id "{agent_id}" does not match session key agent "{owner}".')
    if named and keys.subagent_depth(named):
        raise NotAllowed(f"{named} belongs to a sub-agent: events are refused there")
    rules = KeyRules.from_config(app.config)
    key = keys.for_agent(agent_id, named) if named else look.session_key(
        app.config, agent_id, None, rules
    )  # fmt: skip
    events.queue(app.paths, key, line)
    # With a session key the reference acts at once in either mode.
    if mode == NOW or named:
        _run_now(app, agent_id)
    app.emit({"ok": True}, as_json=as_json, render=lambda _document: ["ok"])


def _run_now(app: App, agent_id: str) -> None:
    """Run the agent's heartbeat; the event is queued whatever comes of it."""
    from openclaw_cli.heartbeat import run
    from openclaw_cli.heartbeat.look import Wish

    try:
        beat = run.run_agent(app.config, agent_id, Wish(force=True))
    except OpenClawError as error:
        app.warn(f"queued, but the heartbeat did not run: {error.message}")
        return
    if beat.status != run.RAN:
        app.warn(f"queued, but the heartbeat was {beat.status}: {beat.reason}")
