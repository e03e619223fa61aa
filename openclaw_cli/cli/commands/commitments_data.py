"""``openclaw commitments export``, ``history`` and ``extract`` (``commitments.md`` 10.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.commands.commitments import filter_options, instant
from openclaw_cli.cli.options import agent_option, command, completed, dry_run_options, since_option
from openclaw_cli.cli.reasons import explained


@command()
@filter_options
@click.pass_obj
def export(app: App, show_all: bool, status: str | None, agent: str | None, as_json: bool) -> None:
    """Print stored rows as JSON lines, those that are not valid included.

    Rows are printed as they stand in the file. Without --all or --status: the open ones,
    pending and snoozed. With --json they come as one list.

    \b
    Examples:
      openclaw commitments export --all > follow-ups.jsonl
      openclaw commitments export --agent work
    """
    from openclaw_cli.commitments import listing, store

    app.config  # noqa: B018 - an invalid configuration stops first, as for every command here
    word = "" if status is None else status
    chosen = listing.make_filter(show_all=show_all, status=word, agent=agent)
    found = store.load(app.paths)
    items = [
        item
        for item, row in zip(found.items, found.rows, strict=True)
        if row is None or chosen.keeps(row)
    ]
    if as_json:
        app.out.document(items)
    else:
        app.out.json_lines(items)


@command()
@click.argument(
    "row_id",
    metavar="[ID]",
    required=False,
    shell_complete=completed("commitment_ids"),
)
@since_option()
@agent_option
@click.pass_obj
def history(
    app: App, row_id: str | None, since_ms: int | None, agent: str | None, as_json: bool
) -> None:
    """Tell what happened to follow-ups, oldest first.

    \b
    Examples:
      openclaw commitments history
      openclaw commitments history cm_mwoe5eo0_1e989e0a77 --json
      openclaw commitments history --since 7d
    """
    from openclaw_cli.commitments import history as core
    from openclaw_cli.commitments import lifecycle, store
    from openclaw_cli.state import changes

    app.config  # noqa: B018 - an invalid configuration stops first, as for every command here
    found = store.load(app.paths)
    wanted = row_id.strip() if row_id is not None else None
    document = core.document(
        found.valid,
        changes.read(app.paths),
        row_id=wanted,
        since_ms=since_ms,
        agent_id=(agent or "").strip() or None,
    )
    if wanted is not None and not document["count"]:
        lifecycle.find(found, wanted)  # an id that nothing knows is an error
    app.emit(document, as_json=as_json, render=_render_history)


@command()
@agent_option
@dry_run_options
@click.pass_obj
def extract(app: App, agent: str | None, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Look for follow-ups in exchanges since the last pass.

    A session met for the first time starts at its end. With --dry-run no model is asked:
    it tells how many exchanges would be looked at.

    \b
    Examples:
      openclaw commitments extract
      openclaw commitments extract --agent work --dry-run
    """
    from openclaw_cli.commitments import extraction_pass, settings
    from openclaw_cli.config import agents
    from openclaw_cli.heartbeat.settings import spacing_ms
    from openclaw_cli.state import lock

    config = app.config
    chosen = [agents.require_agent(config, agent)] if agent else agents.agent_ids(config)
    report = extraction_pass.Report()
    if settings.enabled(config):
        scope = extraction_pass.Scope(
            chosen, lambda agent_id: spacing_ms(config, agent_id), dry_run=dry_run
        )
        if dry_run:
            report = extraction_pass.run(config, app.paths, scope, now_ms=app.now_ms())
        else:
            with lock.run_lock(app.paths.job("extract.lock")):
                report = extraction_pass.run(config, app.paths, scope, now_ms=app.now_ms())
    else:
        report.reasons = dict.fromkeys(chosen, "feature-off")
    for warning in dict.fromkeys(report.warnings):
        app.warn(warning)
    document = {**report.to_json(), "dryRun": dry_run}
    app.emit(document, as_json=as_json, render=_render_extract)
    if dry_run:
        app.finish_dry_run(work=bool(report.turns), exit_code=exit_code)
    app.finish(failed=report.failed)


def _render_history(document: Any) -> Iterable[str]:
    if not document["count"]:
        yield "No events."
    for event in document["events"]:
        parts = [event["reason"], event["command"]]
        yield f"{instant(event['ts'])}  {event['id']}  {event['event']}  " + " - ".join(
            part for part in parts if part
        )
        if event["undo"]:
            yield f"    undo: {event['undo']}"


def _render_extract(document: Any) -> Iterable[str]:
    if document["dryRun"]:
        yield f"Exchanges to look at: {document['turns']}"
    else:
        yield (
            f"Exchanges: {document['turns']}, candidates: {document['candidates']}, "
            f"created: {document['created']}, merged: {document['merged']}"
        )
    if document["newSessions"]:
        yield f"Sessions met for the first time: {document['newSessions']} (from their end on)"
    for reason, count in document["skipped"].items():
        yield f"Skipped: {count} ({explained(reason)})"
    for agent, reason in document["reasons"].items():
        yield f"Agent {agent}: nothing was looked at ({explained(reason)})"
