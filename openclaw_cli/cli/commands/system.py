"""``openclaw system``: queue a line for a session; the switches of the heartbeats."""

from __future__ import annotations

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import completed, dry_run_options, group, option
from openclaw_cli.errors import UsageProblem

INDEX = {"heartbeat": Entry("system_heartbeat", "The last event, and the switch for all.")}
NOW, NEXT = "now", "next-heartbeat"


@group("system", index=INDEX)
def cli(as_json: bool) -> None:
    """Queue system events; pause and resume heartbeats.

    \b
    Examples:
      openclaw system event "The washing machine is done"
      openclaw system heartbeat disable
    """


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
@option(
    "--session-key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="The session; default: the agent's main one.",
)
@option(
    "--agent",
    metavar="ID",
    shell_complete=completed("agent_ids"),
    help="The agent; default: the default agent.",
)
@dry_run_options
@click.pass_obj
def event(
    app: App,
    words: tuple[str, ...],
    text: str | None,
    *,
    mode: str,
    session_key: str | None,
    agent: str | None,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Queue a line that the session's next heartbeat or message gets to see.

    \b
    Examples:
      openclaw system event "The washing machine is done"
      openclaw system event --text "Backup failed" --mode now
    """
    from openclaw_cli.heartbeat import system_event

    if text is not None and words:
        raise UsageProblem("give the text once: as an argument or with --text")
    wanted = text if text is not None else " ".join(words)
    if dry_run:
        line = system_event.plan(app.config, wanted, session_key=session_key, agent=agent)
        document = {"ok": True, "dryRun": True, "sessionKey": line.key, "text": line.text}
        shown = [f"Would queue for {line.key}: {line.text}"]
        app.emit(document, as_json=as_json, render=lambda _document: shown)
        app.finish_dry_run(work=True, exit_code=exit_code)
        return
    note = system_event.queue(
        app.config,
        app.paths,
        wanted,
        session_key=session_key,
        agent=agent,
        mode=mode,
    )
    if note:
        app.warn(note)
    app.emit({"ok": True}, as_json=as_json, render=lambda _document: ["ok"])
