"""``openclaw sessions who``: who shares which session (``sessions.md`` 16)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, option, store_option

SCOPES = ("main", "per-peer", "per-channel-peer", "per-account-channel-peer")


@command("who")
@agent_option
@store_option
@option(
    "--dm-scope",
    type=click.Choice(SCOPES),
    help="Also tell whom this scope would part or bring together.",
)
@click.pass_obj
def cli(
    app: App, agent: str | None, store: str | None, dm_scope: str | None, as_json: bool
) -> None:
    """Tell who shares which session, under the dmScope and identity links in force.

    Senders are those seen in the stores, allowed in the config, paired, or named by
    identity links. Nothing is changed; to change the scope use
    'openclaw config set session.dmScope VALUE'.

    \b
    Examples:
      openclaw sessions who
      openclaw sessions who --dm-scope per-channel-peer
      openclaw sessions who --agent work --json
    """
    from openclaw_cli.sessions import discovery, reading, routing, sharing

    targets = discovery.targets(
        app.config,
        app.paths,
        agent=agent,
        all_agents=not agent and store is None,
        store=store,
    )
    rules = routing.KeyRules.from_config(app.config)
    sources = reading.load_all(targets)
    known = sharing.collect(sources, app.config, app.paths, rules)
    only = targets[0].agent_id if agent else None
    document = sharing.report(known, rules, agent_id=only, new_scope=dm_scope)
    app.emit(document, as_json=as_json, render=lambda found: render(found, app.now_ms()))
    for source in sources:
        if source.error:
            app.warn(source.error)
    app.finish(failed=any(source.error for source in sources))


def render(document: dict[str, Any], now_ms: int) -> Iterator[str]:
    """Senders by session for people."""
    yield f"dmScope: {document['dmScope']}"
    if not document["sessions"]:
        yield "No senders seen, allowed or paired."
    for session in document["sessions"]:
        yield from _session(session, now_ms)
    change = document.get("change")
    if change is None:
        return
    yield ""
    yield f"With dmScope {change['dmScope']}:"
    if not change["split"] and not change["joined"]:
        yield "  everybody keeps the company they have."
    for split in change["split"]:
        yield f"  {split['key']} would be split:"
        for part in split["into"]:
            yield from ("  " + line for line in _session(part, now_ms, mark="  "))
    for joined in change["joined"]:
        yield f"  {', '.join(joined['from'])} would be joined:"
        yield from ("  " + line for line in _session(joined, now_ms, mark="  "))


def _session(session: dict[str, Any], now_ms: int, mark: str = "") -> Iterator[str]:
    from openclaw_cli.cli.output import cell
    from openclaw_cli.sessions import listing

    members = session["members"]
    shared = f" ({len(members)} share it)" if len(members) > 1 else ""
    yield cell(f"{mark}{session['key']}{shared}")
    for member in members:
        seen = member["lastSeenMs"]
        account = "" if member["accountId"] == "default" else f" via {member['accountId']}"
        label = f" {member['label']}" if member["label"] else ""
        age = f", {listing.age_label(now_ms - seen)}" if seen is not None else ", not seen yet"
        yield cell(f"{mark}  {member['channel']}:{member['peer']}{account}{label}{age}")
