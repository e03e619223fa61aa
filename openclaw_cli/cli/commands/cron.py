"""``openclaw cron``: scheduled tasks (``scheduled-tasks.md`` 5)."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.gateway_flags import gateway_flags
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import (
    WholeNumber,
    agent_option,
    completed,
    dry_run_options,
    group,
    limit_option,
    option,
)
from openclaw_cli.cli.output import Column, table_within
from openclaw_cli.cli.task_access import find_task, load_tasks, settings_of, warn_if_off

if TYPE_CHECKING:
    from openclaw_cli.schedule.job import Task

INDEX = {
    "add": Entry("cron_add", "Add a task: a reminder, an interval or a cron expression.", "add"),
    "create": Entry("cron_add", "The same as add.", "create"),
    "edit": Entry("cron_edit", "Change a task.", "edit"),
    "run": Entry("cron_run", "Run one task now.", "run"),
    "run-due": Entry("cron_run", "Run everything that is due.", "run_due"),
    "runs": Entry("cron_run", "Show the runs of a task.", "runs"),
}


@group("cron", index=INDEX)
def cli(as_json: bool) -> None:
    """Manage and run scheduled tasks.

    Exact times belong here: "at three", "in twenty minutes", "every weekday". The tick that
    'openclaw jobs install' sets up runs what is due; 'cron run-due' does it by hand.

    \b
    Examples:
      openclaw cron add --name bread --at 20m --system-event "Take the bread out"
      openclaw cron add "0 9 * * 1-5" "Sum up my inbox" --name inbox --tz Europe/Warsaw
      openclaw cron list                   what runs next
      openclaw cron runs --id ID           how it went
    """


@cli.command("status")
@gateway_flags
@click.pass_obj
def status(app: App, as_json: bool) -> None:
    """Show whether tasks run, how many there are, and when the next is due.

    \b
    Example:
      openclaw cron status
    """
    settings, tasks, _ = load_tasks(app)
    wakes = [task.next_run_ms for task in tasks if task.enabled and task.next_run_ms is not None]
    warn_if_off(app, settings)
    app.out.document(
        {
            "enabled": settings.enabled,
            "storePath": str(settings.store_path),
            "jobs": len(tasks),
            "nextWakeAtMs": min(wakes, default=None),
        }
    )


@cli.command("list")
@option("--all", "show_all", is_flag=True, help="Disabled tasks too.")
@agent_option
@limit_option()
@click.option(
    "--offset", type=WholeNumber(0), default=0, metavar="N", help="Pass over the first N."
)
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON row a line.")
@gateway_flags
@click.pass_obj
def list_(
    app: App, /, show_all: bool, agent: str | None, limit: int | None, offset: int,
    as_jsonl: bool, as_json: bool,
) -> None:  # fmt: skip
    """List tasks, the next one first.

    \b
    Examples:
      openclaw cron list
      openclaw cron list --all --json
    """
    from openclaw_cli.config import agents
    from openclaw_cli.schedule import listing

    settings, tasks, moment = load_tasks(app)
    chosen = listing.choose(
        tasks,
        show_all=show_all,
        agent=agents.normalize_agent_id(agent) if agent else None,
        default_agent=agents.default_agent_id(app.config),
    )
    document = listing.document(chosen, moment, limit=limit, offset=offset)
    warn_if_off(app, settings)
    if as_jsonl:
        app.out.json_lines(document["jobs"])
        return
    app.emit(
        document,
        as_json=as_json,
        render=lambda doc: render_list(doc, moment.now_ms, app.out.room),
    )


@cli.command("get")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@gateway_flags
@click.pass_obj
def get(app: App, task_id: str, as_json: bool) -> None:
    """Print one task as JSON.

    \b
    Example:
      openclaw cron get 0c0f7a54-6c0e-4a52-8f2e-6f8f5b8b1d11
    """
    from openclaw_cli.schedule import listing

    _, tasks, moment = load_tasks(app)
    app.out.document(listing.to_json(find_task(tasks, task_id), moment))


@cli.command("show")
@click.argument("name", metavar="ID|NAME", shell_complete=completed("task_ids"))
@gateway_flags
@click.pass_obj
def show(app: App, name: str, as_json: bool) -> None:
    """Show one task, by its id or its name.

    \b
    Example:
      openclaw cron show inbox
    """
    from openclaw_cli.schedule import listing

    _, tasks, moment = load_tasks(app)
    task = find_task(tasks, name, by_name=True)
    document = listing.to_json(task, moment)
    app.emit(
        document, as_json=as_json, render=lambda doc: render_task(task, doc, moment.now_ms)
    )  # fmt: skip


@cli.command("enable")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@dry_run_options
@gateway_flags
@click.pass_obj
def enable(app: App, task_id: str, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Let a task run again; it starts with its next regular time.

    \b
    Example:
      openclaw cron enable ID
    """
    from openclaw_cli.cli.commands.cron_edit import change_task
    from openclaw_cli.schedule.edit import Wish

    change_task(app, task_id, Wish(enabled=True), dry_run=dry_run, exit_code=exit_code)


@cli.command("disable")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@dry_run_options
@gateway_flags
@click.pass_obj
def disable(app: App, task_id: str, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Keep a task but do not run it.

    \b
    Example:
      openclaw cron disable ID
    """
    from openclaw_cli.cli.commands.cron_edit import change_task
    from openclaw_cli.schedule.edit import Wish

    change_task(app, task_id, Wish(enabled=False), dry_run=dry_run, exit_code=exit_code)


@cli.command("rm")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@dry_run_options
@gateway_flags
@click.pass_obj
def rm(app: App, task_id: str, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Remove a task.

    Its history stays, and 'openclaw changes' keeps the removed row. Exit status 1 when there
    is no such task.

    \b
    Example:
      openclaw cron rm ID
    """
    from openclaw_cli.schedule import edit_store

    removed = edit_store.remove(
        settings_of(app).store_path, task_id.strip(), paths=app.paths, now_ms=app.now_ms(),
        dry_run=dry_run,
    )  # fmt: skip
    app.out.document({"ok": True, "removed": removed, **({"dryRun": True} if dry_run else {})})
    if dry_run:
        app.finish_dry_run(work=removed, exit_code=exit_code)
    app.finish(failed=not removed)


for _alias in ("remove", "delete"):
    _same = copy.copy(rm)
    _same.name, _same.hidden = _alias, True
    cli.add_command(_same)


def render_list(document: Any, now_ms: int, room: int | None) -> Iterable[str]:
    """The table of tasks, in ``room`` cells a line (None: whole)."""
    from openclaw_cli.schedule import listing

    rows = document["jobs"]
    if not rows:
        return ["No scheduled tasks.", "Add one with 'openclaw cron add --help'."]
    ranks = {title: rank for rank, title in enumerate(listing.LESS_NEEDED, 1)}
    columns = [
        Column(title, narrow=listing.NARROWEST.get(title, 0), rank=ranks.get(title, 0))
        for title, _ in listing.COLUMNS
    ]
    cells = [listing.cells(row, now_ms) for row in rows]
    return table_within(columns, cells, room)


def render_task(task: Task, document: Any, now_ms: int) -> Iterable[str]:
    """One task, a labelled line for each fact."""
    from openclaw_cli.schedule import job, listing

    facts = [
        ("id", task.id),
        ("name", task.name),
        ("description", job.text(task.row.get("description"))),
        ("enabled", "yes" if task.enabled else "no"),
        ("schedule", listing.schedule_text(task)),
        ("next run", _when(task.next_run_ms, now_ms)),
        ("last run", _when(task.last_run_ms, now_ms, past=True)),
        ("status", document["status"]),
        ("last error", job.text(task.state.get("lastError"))),
        ("not run because", job.foreign(task.row)),
        ("agent", task.agent_id or "default"),
        ("session", task.target),
        ("message" if task.is_turn else "event", task.text),
        ("model", job.text(task.payload.get("model"))),
        ("delivery", listing.delivery_text(task)),
        ("last delivery", job.text(task.state.get("lastDeliveryStatus"))),
        ("delivery error", job.text(task.state.get("lastDeliveryError"))),
    ]
    width = max(len(label) for label, value in facts if value) + 1
    return [f"{label + ':':<{width}} {value}" for label, value in facts if value]


def _when(at_ms: int | None, now_ms: int, *, past: bool = False) -> str | None:
    from openclaw_cli.schedule import spans
    from openclaw_cli.state import clock

    if at_ms is None:
        return None
    return f"{clock.iso(at_ms)} ({spans.relative(at_ms, now_ms, past=past)})"
