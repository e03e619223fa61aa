"""``openclaw cron run``, ``run-due`` and ``runs`` (``scheduled-tasks.md`` 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.gateway_flags import gateway_flags
from openclaw_cli.cli.options import WholeNumber, command, completed, dry_run_options, limit_option
from openclaw_cli.cli.task_access import settings_of, warn_if_off


@command("run")
@click.argument("task_id", metavar="ID", shell_complete=completed("task_ids"))
@click.option("--due", "only_due", is_flag=True, help="Only when it is due.")
@click.option("--wait", is_flag=True, help="Accepted for old scripts: it always waits.")
@dry_run_options
@gateway_flags
@click.pass_obj
def run(
    app: App, /, task_id: str, only_due: bool, dry_run: bool, exit_code: bool, **_: Any
) -> None:
    """Run one task now, in the foreground, due or not.

    Exit status 0 only when it ran and ended well; 1 when it failed or did not run (the
    reason is printed: not-due, already-running, invalid-spec, disabled).

    \b
    Examples:
      openclaw cron run ID
      openclaw cron run ID --due
      openclaw cron run ID --due --dry-run    whether it would run
    """
    from openclaw_cli.jobs import execute
    from openclaw_cli.schedule import run as core

    host = execute.make_host(app.config)
    if dry_run:
        plan = core.preview_one(host, task_id.strip(), only_due=only_due)
        app.out.document(plan)
        app.finish_dry_run(work=plan["wouldRun"], exit_code=exit_code)
        return
    report = core.run_one(host, task_id.strip(), only_due=only_due)
    app.out.document(report)
    app.finish(failed=report.get("status") != "ok")


@command("run-due")
@limit_option(help="Run at most N tasks.")
@dry_run_options
@gateway_flags
@click.pass_obj
def run_due(
    app: App, limit: int | None, dry_run: bool, exit_code: bool, as_json: bool
) -> None:  # fmt: skip
    """Run everything that is due, one task after the other.

    With cron.maxConcurrentRuns above 1 that many run at once, each in its own process. A run
    that takes longer than its --timeout-seconds (default: an hour for a turn of an agent,
    ten minutes otherwise) is cut off and counts as an error.

    Exit status 1 when a run ended in an error, 75 when another process does the same.

    \b
    Examples:
      openclaw cron run-due
      openclaw cron run-due --dry-run --exit-code
    """
    from openclaw_cli.jobs import execute, reconcile
    from openclaw_cli.schedule import run as core

    host = execute.make_host(app.config)
    warn_if_off(app, host.settings)
    if dry_run:
        report = core.preview(host, limit=limit)
    else:
        if host.settings.enabled:
            reconcile.reconcile(app.config)
        report = core.run_due(host, limit=limit)
    app.emit(report, as_json=as_json, render=lambda doc: render_report(doc, app.now_ms()))
    if dry_run:
        app.finish_dry_run(work=bool(report["ran"]), exit_code=exit_code)
        return
    app.finish(failed=any(row["status"] == "error" for row in report["ran"]))


@command("runs")
@click.option(
    "--id",
    "task_id",
    required=True,
    metavar="ID",
    shell_complete=completed("task_ids"),
    help="The task.",
)
@click.option("--run-id", metavar="R", help="Only this run.")
@click.option("--status", type=click.Choice(["ok", "error", "skipped"]), help="Only these.")
@click.option("--delivery-status", metavar="WORD", help="Only runs delivered like this.")
@click.option("--text", metavar="T", help="Only runs whose summary or error has this text.")
@click.option(
    "--limit", type=WholeNumber(1, 200), default=50, metavar="N", help="At most N runs (50)."
)
@click.option(
    "--offset", type=WholeNumber(0), default=0, metavar="N", help="Pass over the N newest."
)
@gateway_flags
@click.pass_obj
def runs(app: App, /, task_id: str, **given: Any) -> None:  # fmt: skip
    """Show the runs of a task as JSON, the newest first.

    \b
    Example:
      openclaw cron runs --id ID --limit 5
    """
    from openclaw_cli.errors import UnknownName
    from openclaw_cli.schedule import history, store

    given.pop("as_json")
    path = settings_of(app).store_path
    file = history.path_of(store.files_of(path).runs, task_id)
    if not file.exists() and store.load(path).find(task_id.strip()) is None:
        raise UnknownName(
            f"no task {task_id!r}, and no history of one", hint="openclaw cron list --all",
            code="unknown-task",
        )  # fmt: skip
    app.out.document(history.page(file, history.Query(**given)))


def render_report(document: Any, now_ms: int) -> Iterable[str]:
    """What ran, what did not and why, and what is next."""
    from openclaw_cli.schedule import spans

    for row in document["ran"]:
        error = f": {row['error']}" if row.get("error") else ""
        yield f"{row['status']:8} {row['name']} ({row['id']}){error}"
    for row in document["skipped"]:
        yield f"{'skipped':8} {row['id']}: {row['reason']}"
    if not document["ran"]:
        following = spans.relative(document["nextWakeAtMs"], now_ms)
        yield "Nothing is due." + ("" if following == "-" else f" The next task runs {following}.")
