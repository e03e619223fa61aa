"""``openclaw dreaming reconcile`` (``dreaming.md`` 2.3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, dry_run_options


@command("reconcile")
@dry_run_options
@click.pass_obj
def cli(app: App, dry_run: bool, exit_code: bool, as_json: bool) -> None:
    """Put the sweep's task right in the list of scheduled tasks.

    One task stands there for the nightly sweep, for a gateway that shares the tree and for
    'openclaw cron list'. This makes it say what the settings say: it is added, changed, or
    with dreaming off removed; duplicates and the tasks of earlier releases go. Also done by
    'dreaming on', 'dreaming off' and 'cron run-due'.

    \b
    Examples:
      openclaw dreaming reconcile --dry-run
      openclaw dreaming reconcile --json
    """
    from openclaw_cli.jobs import reconcile

    document = reconcile.reconcile(app.config, dry_run=dry_run)
    app.emit(document, as_json=as_json, render=render)
    if dry_run:
        work = document["status"] in ("added", "updated") or bool(document["removedIds"])
        app.finish_dry_run(work=work, exit_code=exit_code)


def render(document: Any) -> Iterable[str]:
    """What became of the task."""
    words = {
        "added": "The task was added.",
        "updated": "The task was changed.",
        "noop": "The task is as it should be.",
        "disabled": "Dreaming is off: no task is kept for it.",
    }
    if document.get("dryRun"):
        words |= {"added": "The task would be added.", "updated": "The task would be changed."}
    yield words[document["status"]]
    if document["jobId"]:
        yield f"Task: {document['jobId']}"
    verb = "Would remove" if document.get("dryRun") else "Removed"
    for task_id in document["removedIds"]:
        yield f"{verb}: {task_id}"
