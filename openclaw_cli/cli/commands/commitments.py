"""``openclaw commitments``: list, dismiss, show and due (``commitments.md`` 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import (
    agent_option,
    completed,
    dry_run_options,
    group,
    option,
    require_words,
)
from openclaw_cli.cli.reasons import explained
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.commitments.listing import Surroundings
    from openclaw_cli.commitments.record import Row
    from openclaw_cli.commitments.store import Store

INDEX = {
    "list": Entry("commitments", "List follow-ups, first due first.", "list_"),
    "show": Entry("commitments", "Show one follow-up and what holds it back.", "show"),
    "due": Entry("commitments", "Show what the next heartbeat would deliver.", "due"),
    "dismiss": Entry("commitments", "Dismiss open follow-ups.", "dismiss"),
    "snooze": Entry("commitments_change", "Put follow-ups to sleep for a while.", "snooze"),
    "edit": Entry("commitments_change", "Change the text or the window of one.", "edit"),
    "export": Entry("commitments_data", "Print stored rows as JSON lines.", "export"),
    "history": Entry("commitments_data", "Tell what happened to follow-ups.", "history"),
    "extract": Entry("commitments_data", "Look for follow-ups in new exchanges.", "extract"),
}


def filter_options(function: Any) -> Any:
    """``--all``, ``--status`` and ``--agent``, as the group and ``list`` share them."""
    function = agent_option(function)
    function = option(
        "--status",
        metavar="WORD",
        shell_complete=completed("commitment_statuses"),
        help="Only this status: pending (default), sent, dismissed, snoozed, expired.",
    )(function)
    return option("--all", "show_all", is_flag=True, help="Every status.")(function)


@group("commitments", index=INDEX, invoke_without_command=True)
@filter_options
@click.pass_context
def cli(
    ctx: click.Context, show_all: bool, status: str | None, agent: str | None, as_json: bool
) -> None:
    """List and manage inferred follow-ups.

    Follow-ups are noticed in conversations and delivered by the heartbeat. Exact reminders
    are something else: see 'openclaw cron list'.

    \b
    Examples:
      openclaw commitments                     what is open
      openclaw commitments --all --json        everything, with full ids
      openclaw commitments dismiss cm_abc123   drop one
      openclaw commitments due                 what the next heartbeat would deliver
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.obj, show_all=show_all, status=status, agent=agent, as_json=as_json)


@cli.command("list")
@filter_options
@click.pass_obj
def list_(app: App, show_all: bool, status: str | None, agent: str | None, as_json: bool) -> None:
    """List follow-ups, first due first.

    Rows whose window closed more than 72 hours ago are marked expired on the way.

    \b
    Examples:
      openclaw commitments list --status snoozed
      openclaw commitments list --agent work --json
    """
    _list(app, show_all=show_all, status=status, agent=agent, as_json=as_json)


@cli.command()
@click.argument("ids", nargs=-1, metavar="ID...", shell_complete=completed("commitment_ids"))
@dry_run_options
@click.pass_obj
def dismiss(app: App, ids: tuple[str, ...], dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Dismiss open follow-ups; nothing is sent for them any more.

    ID is a full id, as 'openclaw commitments --json' shows it. Exit status 1 when an id is
    not known; the others are dismissed all the same.

    \b
    Example:
      openclaw commitments dismiss cm_mwoe5eo0_1e989e0a77
    """
    from openclaw_cli.commitments import lifecycle

    require_words(ids, "commitment id")
    words = [word.strip() for word in ids if word.strip()]
    outcome = change_rows(
        app,
        lambda found: lifecycle.dismiss(found, words, app.now_ms()),
        command="commitments dismiss",
        dry_run=dry_run,
    )
    report = {
        "dismissed": words,
        "changed": outcome.changed,
        "unchanged": outcome.unchanged,
        "unknown": outcome.unknown,
        "dryRun": dry_run,
    }
    verb = "Would dismiss" if dry_run else "Dismissed"
    app.emit(report, as_json=as_json, render=lambda doc: render_outcome(doc, verb))
    if dry_run:
        app.finish_dry_run(work=bool(outcome.steps), exit_code=exit_code)
    app.finish(failed=bool(outcome.unknown))


@cli.command()
@click.argument("row_id", metavar="ID", shell_complete=completed("commitment_ids"))
@click.pass_obj
def show(app: App, row_id: str, as_json: bool) -> None:
    """Show one follow-up, and why it is not due or what holds it back.

    \b
    Example:
      openclaw commitments show cm_mwoe5eo0_1e989e0a77
    """
    from openclaw_cli.commitments import lifecycle, listing, store

    config = app.config
    found = store.load(app.paths)
    _, row = lifecycle.find(found, row_id.strip())
    around = surroundings(app, config, [row["agentId"]], with_outbox=True)
    document = listing.show_document(found.valid, row, around)
    app.emit(document, as_json=as_json, render=render_show)


@cli.command()
@agent_option
@option(
    "--session-key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="Only this session.",
)
@click.pass_obj
def due(app: App, agent: str | None, session_key: str | None, as_json: bool) -> None:
    """Show what the next heartbeat would deliver; changes nothing.

    \b
    Examples:
      openclaw commitments due
      openclaw commitments due --session-key agent:main:telegram:direct:123 --json
    """
    from openclaw_cli.commitments import listing, store

    config = app.config
    agent_id = (agent or "").strip() or None
    key = (session_key or "").strip() or None
    rows = store.load(app.paths).valid
    around = surroundings(app, config, _concerned(rows, agent_id, key), with_outbox=True)
    document = listing.due_document(rows, agent_id, key, around)
    app.emit(document, as_json=as_json, render=render_due)


def change_rows(app: App, decide: Any, *, command: str, dry_run: bool) -> Any:
    """Carry out (or only plan) what ``decide`` makes of the store; its outcome."""
    from openclaw_cli.commitments import store

    app.config  # noqa: B018 - an invalid configuration stops before the store is touched
    if dry_run:
        return decide(store.load(app.paths))
    outcomes: list[Any] = []

    def steps(found: Store) -> Any:
        outcomes[:] = [decide(found)]
        return outcomes[0].steps

    store.update(app.paths, steps, command=command, now_ms=app.now_ms())
    return outcomes[0]


def surroundings(
    app: App, config: Any, agents: Iterable[str], *, with_outbox: bool = False
) -> Surroundings:
    """What decides about delivery for these agents (the default one when there are none)."""
    from openclaw_cli.commitments import settings
    from openclaw_cli.commitments.listing import Surroundings
    from openclaw_cli.config.agents import default_agent_id
    from openclaw_cli.heartbeat import followups

    in_flight: dict[str, str] = {}
    if with_outbox:
        from openclaw_cli.commitments import delivery
        from openclaw_cli.delivery import outbox

        in_flight = delivery.in_flight(outbox.load(app.paths))
    names = list(dict.fromkeys(agents)) or [default_agent_id(config)]
    facts = {name: followups.facts(config, app.paths, name, now_ms=app.now_ms()) for name in names}
    feature_on, cap = settings.enabled(config), settings.max_per_day(config)
    return Surroundings(feature_on, cap, app.now_ms(), facts, in_flight)


def _list(
    app: App, *, show_all: bool, status: str | None, agent: str | None, as_json: bool
) -> None:
    from openclaw_cli.commitments import lifecycle, listing, store

    config = app.config
    chosen = listing.make_filter(show_all=show_all, status=status, agent=agent)
    found = store.update(
        app.paths,
        lambda seen: lifecycle.expire_overdue(seen, app.now_ms()),
        command="commitments list",
        now_ms=app.now_ms(),
        scrub=True,
    )
    around = surroundings(app, config, _concerned(found.valid, chosen.agent_id, None))
    document = listing.document(found, chosen, around)
    if document["invalidRows"]:
        app.warn(
            f"{counted(document['invalidRows'], 'row')} of {app.paths.display(found.path)} "
            "not valid and not shown ('openclaw commitments export --all' prints them)"
        )
    app.emit(document, as_json=as_json, render=lambda doc: render_list(doc, chosen.status))


def _concerned(rows: Sequence[Row], agent_id: str | None, session_key: str | None) -> list[str]:
    """The agents whose heartbeat matters: the one asked for, else those with open rows."""
    from openclaw_cli.commitments.record import is_active

    if agent_id is not None:
        return [agent_id]
    return [
        row["agentId"]
        for row in rows
        if is_active(row) and session_key in (None, row["sessionKey"])
    ]


def render_list(document: Any, status: str | None) -> Iterable[str]:
    """The listing for people."""
    yield f"Commitments: {document['count']}"
    yield f"Store: {document['store']}"
    if status is not None:
        yield f"Status filter: {document['status']}"
    if document["agentId"]:
        yield f"Agent filter: {document['agentId']}"
    if not document["count"]:
        yield "No commitments found."
        for hint in document["hints"]:
            yield f"- {hint['message']}"
        return
    yield from rows_table(document["commitments"])
    for hint in document["hints"]:
        if hint["due"]:
            yield f"Note: {hint['message']}"


def rows_table(rows: Sequence[Row]) -> list[str]:
    """Rows as a table; cells are cut as the columns demand."""
    from openclaw_cli.cli.output import Column, table

    columns = [
        Column("ID", 16),
        Column("Status", 10),
        Column("Kind", 16),
        Column("Due", 24),
        Column("Scope", 28),
        Column("Suggested text"),
    ]
    cells = [
        (
            cut(row["id"], 16),
            row["status"],
            row["kind"],
            instant(row["dueWindow"]["earliestMs"]),
            cut("/".join((row["agentId"], row["channel"], row.get("to") or row["sessionKey"])), 28),
            cut(row["suggestedText"], 90),
        )
        for row in rows
    ]
    lines = table(columns, cells)
    if any(len(row["id"]) > 16 for row in rows):
        lines.append("Ids are cut; --json shows them whole.")
    return lines


def cut(text: str, limit: int) -> str:
    """``text`` made safe for one cell and cut to ``limit`` UTF-16 units, ``…`` included."""
    from openclaw_cli.cli.output import cell

    shown = cell(text)
    units = shown.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * limit:
        return shown
    kept = units[: 2 * (limit - 1)].decode("utf-16-le", "surrogatepass")
    if kept and "\ud800" <= kept[-1] <= "\udbff":  # half of a pair: drop it whole
        kept = kept[:-1]
    return kept + "…"


def instant(ms: float) -> str:
    """``ms`` as ISO UTC, ``n/a`` when no calendar has it."""
    from openclaw_cli.state.clock import iso

    try:
        return iso(ms)
    except OverflowError:
        return "n/a"


def render_outcome(document: Any, verb: str) -> Iterable[str]:
    """Which rows changed, which did not and why, which ids are not known."""
    changed = document["changed"]
    if changed:
        yield f"{verb} commitments: {', '.join(changed)}"
    by_status: dict[str, list[str]] = {}
    for row_id, status in document["unchanged"].items():
        by_status.setdefault(status, []).append(row_id)
    for status, ids in by_status.items():
        yield f"Not changed, already {status}: {', '.join(ids)}"
    if document["unknown"]:
        yield f"Unknown ids: {', '.join(document['unknown'])}"
    if not changed:
        yield "Nothing changed."


def render_show(document: Any) -> Iterable[str]:
    """One row, and what holds it back."""
    yield from render_row(document["commitment"])
    if document["expiresAtMs"] is not None:
        yield f"Expires:  {instant(document['expiresAtMs'])}"
    yield "Due now." if document["due"] else f"Not due ({explained(document['heldBy'])})."
    if document["blocked"]:
        yield f"Delivery is blocked ({explained(document['blocked'])})."


def render_row(row: Row) -> Iterable[str]:
    """One row, line by line."""
    window = row["dueWindow"]
    yield f"{row['id']}  {row['status']}  {row['kind']} ({row['sensitivity']}, {row['source']})"
    yield f"Text:     {row['suggestedText']}"
    yield f"Reason:   {row['reason']}"
    yield (
        f"Window:   {instant(window['earliestMs'])} to {instant(window['latestMs'])} "
        f"({window['timezone']})"
    )
    yield f"For:      {row['sessionKey']} on {row['channel']} to {row.get('to', '-')}"
    yield f"Attempts: {row['attempts']}"
    if row["status"] == "snoozed" and "snoozedUntilMs" in row:
        yield f"Asleep:   until {instant(row['snoozedUntilMs'])}"


def render_due(document: Any) -> Iterable[str]:
    """What is due, held and blocked."""
    yield f"Due now: {document['count']}"
    if document["count"]:
        yield from rows_table(document["commitments"])
    held = {reason: n for reason, n in document["held"].items() if n}
    if held:
        parts = (f"{n} ({explained(reason)})" for reason, n in held.items())
        yield "Held back: " + ", ".join(parts)
    for agent, reason in document["blockedByAgent"].items():
        if reason:
            yield f"Nothing is delivered for agent {agent} ({explained(reason)})"
