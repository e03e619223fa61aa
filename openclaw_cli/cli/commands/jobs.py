"""``openclaw jobs``: the background jobs and the host's scheduler (``scheduled-tasks.md`` 6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import Entry
from openclaw_cli.cli.options import (
    completed,
    dry_run_options,
    group,
    limit_option,
    since_option,
)
from openclaw_cli.cli.output import Column, table

INDEX = {
    "install": Entry("jobs_install", "Have the host's scheduler start the tick.", "install"),
    "uninstall": Entry("jobs_install", "Remove what install put there.", "uninstall"),
    "print": Entry("jobs_install", "Show the entry without installing it.", "print_"),
}


@group("jobs", index=INDEX)
def cli(as_json: bool) -> None:
    """Install and inspect the background jobs.

    One entry in the crontab (or a systemd timer) starts 'openclaw jobs run-due' each minute;
    it decides what is due: heartbeat, sweep, cleanup, extract and cron. Each is also a
    command of its own for those who write their own crontab.

    \b
    Examples:
      openclaw jobs install        set it up
      openclaw jobs list           what is next, what ran, and why not
      openclaw jobs run cleanup    one job now
      openclaw jobs log --since 24h
    """


@cli.command("list")
@click.pass_obj
def list_(app: App, as_json: bool) -> None:
    """List the jobs: due or not and why, the next and the last run.

    \b
    Example:
      openclaw jobs list --json
    """
    from openclaw_cli.jobs import look, starter

    views = look.look_at_all(app.config)
    document = {
        "jobs": [view.to_json() for view in views],
        "scheduler": starter.state(app.paths, app.environ),
    }
    app.emit(document, as_json=as_json, render=lambda doc: render_list(doc, app.now_ms()))


@cli.command("run-due")
@dry_run_options
@click.pass_obj
def run_due(app: App, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Run every job that is due (what the scheduler starts each minute).

    Prints nothing when all went well. Exit status 1 when a job failed; one whose lock is
    held is left out.

    \b
    Examples:
      openclaw jobs run-due
      openclaw jobs run-due --dry-run --exit-code    3 when something is due
    """
    from openclaw_cli.jobs import quiet

    if not (dry_run or as_json) and quiet.holds(app.paths, app.environ, app.now_ms()):
        quiet.note_tick(app.paths, app.now_ms())
        return
    from openclaw_cli.jobs import tick

    if dry_run:
        report = tick.preview(app.config)
        app.emit(report, as_json=as_json, render=render_preview)
        app.finish_dry_run(work=bool(report["ran"]), exit_code=exit_code)
        return
    report = tick.run_due(app.config)
    if as_json:
        app.out.document(report)
    failed = list(tick.failures(report))
    for line in failed:
        app.warn(line)
    app.finish(failed=bool(failed))


@cli.command("run")
@click.argument("name", metavar="NAME", shell_complete=completed("job_names"))
@dry_run_options
@click.pass_obj
def run(app: App, name: str, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Run one job now, due or not.

    NAME is heartbeat, sweep, cleanup, extract or cron. Exit status 75 when it is running already.

    \b
    Examples:
      openclaw jobs run cleanup
      openclaw jobs run sweep --dry-run
    """
    from openclaw_cli.jobs import look, tick

    tick.require(name)
    if dry_run:
        around = look.look_at_all(app.config)
        document = next(view.to_json() for view in around if view.name == name)
        document["dryRun"] = True
        app.emit(document, as_json=as_json, render=lambda doc: _view_lines([doc]))
        work = document["reason"] not in ("disabled", "feature-off")
        app.finish_dry_run(work=work, exit_code=exit_code)
        return
    ran = tick.run_now(name, app.config)
    app.emit(ran.to_json(), as_json=as_json, render=render_run)
    app.finish(failed=ran.done.outcome == "failed")


@cli.command("log")
@click.argument("name", metavar="[NAME]", required=False, shell_complete=completed("job_names"))
@since_option()
@limit_option(default=50)
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Print one JSON row a line.")
@click.pass_obj
def log(
    app: App, /, name: str | None, since_ms: int | None, limit: int, as_jsonl: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Show the runs of the jobs, the newest first.

    \b
    Examples:
      openclaw jobs log
      openclaw jobs log sweep --since 7d --json
    """
    from openclaw_cli.jobs import journal, tick

    if name is not None:
        tick.require(name)
    runs = journal.read(app.paths, job=name, since_ms=since_ms, limit=limit)
    if as_jsonl:
        app.out.json_lines(runs)
        return
    app.emit({"count": len(runs), "runs": runs}, as_json=as_json, render=render_log)


def render_list(document: Mapping[str, Any], now_ms: int) -> Iterable[str]:
    """The table of jobs, and what starts them."""
    from openclaw_cli.schedule.spans import relative

    columns = [Column(t) for t in ("Job", "State", "Next", "Last run", "Outcome", "Error")]
    rows = []
    for job in document["jobs"]:
        last = job["lastRun"] or {}
        rows.append(
            [
                job["name"],
                "due" if job["due"] else str(job["reason"]),
                "now" if job["due"] else relative(job["nextRunAtMs"], now_ms),
                relative(last.get("startedAtMs"), now_ms, past=True),
                last.get("outcome") or "-",
                last.get("error") or job.get("error") or "",
            ]
        )
    yield from table(columns, rows)
    yield ""
    scheduler = document["scheduler"]
    if scheduler["installed"]:
        last_tick = relative(scheduler["lastTickAtMs"], now_ms, past=True)
        yield f"Started by {scheduler['kind']}; last tick {last_tick}."
    else:
        yield "Nothing starts them. Set that up with 'openclaw jobs install'."


def render_preview(document: Mapping[str, Any]) -> Iterable[str]:
    """Which jobs would run."""
    return _view_lines(document["jobs"])


def render_run(document: Mapping[str, Any]) -> Iterable[str]:
    """One run in a line."""
    seconds = (document["finishedAtMs"] - document["startedAtMs"]) / 1000
    counts = ", ".join(f"{name} {value}" for name, value in document["counts"].items())
    error = f": {document['error']}" if document.get("error") else ""
    yield f"{document['name']}: {document['outcome']} in {seconds:.1f} s ({counts or '-'}){error}"


def render_log(document: Mapping[str, Any]) -> Iterable[str]:
    """The runs, a line each."""
    for line in document["runs"]:
        counts = ", ".join(f"{name} {value}" for name, value in line.get("counts", {}).items())
        error = f": {line['error']}" if line.get("error") else ""
        start = line.get("start") or "-"
        yield f"{start} {line['job']:9} {line['outcome']:11} {counts}{error}"
    if not document["runs"]:
        yield "No runs are recorded."


def _view_lines(jobs: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for job in jobs:
        state = "due" if job["due"] else f"not due ({job['reason']})"
        yield f"{job['name']}: {state}"
