"""``openclaw doctor``: check the whole tree and say what to fix (``commands.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, option

WIDTH = 5


@command("doctor")
@option("--fix", is_flag=True, help="Put right what is safe to put right.")
@agent_option
@option("--lint", is_flag=True, hidden=True, help="Accepted for scripts; the check is always one.")
@dry_run_options
@click.pass_obj
def cli(
    app: App, fix: bool, agent: str | None, lint: bool, dry_run: bool, exit_code: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Check the whole tree and say what to fix.

    Looks at the configuration, sessions, memory, dreaming, follow-ups, scheduled tasks, jobs,
    delivery, models, locks, logs and file modes, and changes nothing. Each finding comes with
    the command that helps. Works with an invalid configuration, too: what is wrong in it
    counts as not set.

    --fix does only what loses nothing: file modes, stale locks, interrupted changes, torn last
    lines, and what 'memory status --fix' does. What it changes is told by 'openclaw changes'.
    --dry-run shows what --fix would do.

    Exit status 1 when a finding is an error.

    \b
    Examples:
      openclaw doctor
      openclaw doctor --fix --dry-run
      openclaw doctor --json | jq '.findings[] | select(.severity == "error")'
    """
    from openclaw_cli.doctor import checkup

    wishes = checkup.Wishes(agent, fix=fix or dry_run, dry_run=dry_run)
    document = checkup.examine(app.paths, app.environ, wishes, now_ms=app.now_ms())
    app.emit(document, as_json=as_json, render=render)
    if dry_run:
        app.finish_dry_run(work=bool(document["fixed"]), exit_code=exit_code)
        return
    app.finish(failed=document["summary"]["error"] > 0)


def render(document: dict[str, Any]) -> Iterator[str]:
    """What was fixed, then the findings under the heading of their area."""
    from openclaw_cli.doctor.checkup import TITLES

    summary, dry_run = document["summary"], document.get("dryRun", False)
    yield "Summary: " + " · ".join(
        f"{summary[name]} {word}" for name, word in _words(summary).items()
    )
    if document["fixed"]:
        yield ""
        yield "Would be fixed" if dry_run else "Fixed"
        for done in document["fixed"]:
            kept = f" (kept as {done['movedTo']})" if "movedTo" in done else ""
            yield f"  {done['id']}: {done['path']}{kept}"
    for area, rows in groupby(document["findings"], key=lambda row: row["area"]):
        yield ""
        yield TITLES[area]
        for row in rows:
            yield from _finding(row)
    if not document["findings"]:
        yield "Nothing to report."
    elif summary["fixable"] and not dry_run:
        yield ""
        yield f"'openclaw doctor --fix' can put {summary['fixable']} of these right."


def _words(summary: dict[str, int]) -> dict[str, str]:
    plural = {"error": "errors", "warn": "warnings", "info": "remarks"}
    single = {"error": "error", "warn": "warning", "info": "remark"}
    return {name: single[name] if summary[name] == 1 else plural[name] for name in single}


def _finding(row: dict[str, Any]) -> Iterator[str]:
    from openclaw_cli.cli.output import cell

    indent = " " * (WIDTH + 3)
    yield f"  {row['severity']:<{WIDTH}} {cell(row['message'])}"
    if row.get("path") and row["path"] not in row["message"]:
        yield f"{indent}{cell(row['path'])}"
    if row.get("fix"):
        yield f"{indent}fix: {cell(row['fix'])}"
    if row.get("fixError"):
        yield f"{indent}--fix failed: {cell(row['fixError'])}"
