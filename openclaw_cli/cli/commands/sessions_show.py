"""``openclaw sessions show``: one row and its lifecycle verdict (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import (
    WholeNumber,
    agent_option,
    command,
    completed,
    option,
    store_option,
)
from openclaw_cli.state.amounts import counted


@command("show")
@click.argument("key", shell_complete=completed("session_keys"))
@agent_option
@store_option
@option(
    "--messages",
    metavar="N",
    type=WholeNumber(1),
    help="Also print the last N messages.",
)
@click.pass_obj
def cli(
    app: App,
    key: str,
    agent: str | None,
    store: str | None,
    messages: int | None,
    as_json: bool,
) -> None:
    """Show one session: its row, whether it is still fresh, and why not.

    KEY is a full key, a key without its agent:<id>: (then of --agent, else of the default
    agent), or a session id.

    \b
    Examples:
      openclaw sessions show main
      openclaw sessions show agent:work:telegram:direct:123 --json
      openclaw sessions show telegram:direct:123 --messages 5
    """
    from openclaw_cli.sessions import inspection, selection

    selected = selection.select(app.config, app.paths, key, agent=agent, store=store)
    document = inspection.inspect(
        selected, app.config, app.paths, now_ms=app.now_ms(), messages=messages or 0
    )
    app.emit(document, as_json=as_json, render=lambda found: render(found, app))
    if document.get("refusedSessionFile"):
        app.warn(
            "the row's sessionFile is no transcript in the sessions folder and is ignored: "
            f"{document['refusedSessionFile']}"
        )
    if document.get("skippedLines"):
        app.warn(f"{document['skippedLines']} unreadable lines of the transcript were skipped")


def render(document: dict[str, Any], app: App) -> Iterator[str]:
    """The session for people."""
    from openclaw_cli.cli.output import cell
    from openclaw_cli.sessions import entry, listing
    from openclaw_cli.state import clock

    row = document["entry"]
    now_ms = app.now_ms()
    stamp = row.get("updatedAt")
    usable = isinstance(stamp, int | float) and not isinstance(stamp, bool) and stamp >= 0
    yield cell(f"Session:    {document['key']}")
    name = entry.text(row, "label") or entry.text(row, "displayName")
    if name:
        yield cell(f"Name:       {name}")
    yield f"Kind:       {document['kind']} ({document['source']})"
    yield f"Session id: {row.get('sessionId') or '-'}"
    if usable:
        yield f"Updated:    {listing.age_label(now_ms - stamp)} ({clock.iso(stamp)})"
    if entry.total_tokens(row) is not None:
        yield cell(f"Tokens:     {_tokens(document, app)}")
    yield f"Verdict:    {_verdict(document)}"
    yield f"Policy:     {_policy(document['policy'])}"
    yield f"Delivery:   {document['sendPolicy']}"
    yield f"Store:      {document['storePath']}"
    missing = "" if document["transcriptExists"] else " (not there)"
    yield f"Transcript: {document['transcriptPath'] or '-'}{missing}"
    if "messages" in document:
        yield ""
        yield f"Last {len(document['messages'])} of {counted(document['messageCount'], 'message')}:"
        for message in document["messages"]:
            when = clock.iso(message["timestampMs"]) if message["timestampMs"] else "-"
            text = message["text"].replace("\n", "\n  ")  # so that no line looks like another's
            yield f"[{when}] {cell(message['role'])}: {text}"


def _tokens(document: dict[str, Any], app: App) -> str:
    """How full the window of the model is, and which model that is."""
    from openclaw_cli.sessions import entry, listing
    from openclaw_cli.sessions.model_in_use import ModelResolver

    row, models = document["entry"], ModelResolver(app.config)
    model = models.in_use(row, document["agentId"])
    total, window = entry.total_tokens(row), models.window(row, model)
    used = listing.tokens_label(total, window, fresh=entry.is_fresh(row))
    return f"{used} of {model}" if model.name else used


def _verdict(document: dict[str, Any]) -> str:
    from openclaw_cli.state import clock

    ends = document["expiresAtMs"]
    at = clock.iso(ends) if ends is not None else None
    if document["fresh"]:
        return f"fresh until {at}" if at else "fresh, never expires"
    return f"stale ({document['reason']}{' since ' + at if at else ''}): next message starts anew"


def _policy(policy: dict[str, Any]) -> str:
    parts = [f"daily at {policy['atHour']:02d}:00"] if policy["mode"] == "daily" else []
    if policy["idleMinutes"]:
        parts.append(f"idle {policy['idleMinutes']} minutes")
    return f"{' and '.join(parts) or policy['mode']} ({policy['type']}; from {policy['source']})"
