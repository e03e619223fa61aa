"""``openclaw dreaming sweep``: one sweep now, or when a slot is due (``dreaming.md`` 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, option
from openclaw_cli.errors import Busy
from openclaw_cli.state.amounts import counted

REASONS = {
    "disabled": "Dreaming is off: nothing was done. 'openclaw dreaming on' switches it on; "
    "--force sweeps once.",
    "not-due": "No sweep is due.",
    "locked": "Another sweep is going on: nothing was done.",
}
PHASE_NAMES = {"light": "Light", "rem": "REM", "deep": "Deep"}
SHOWN = 10
TEXT_LENGTH = 80


@command("sweep")
@option("--if-due", is_flag=True, help="Only where the last slot of the schedule was missed.")
@option("--force", is_flag=True, help="Sweep although dreaming is switched off.")
@agent_option
@option("--no-diary", is_flag=True, help="Write no diary entries.")
@dry_run_options
@click.pass_obj
def cli(
    app: App, agent: str | None, *, if_due: bool, force: bool, no_diary: bool, dry_run: bool,
    exit_code: bool, as_json: bool,
) -> None:  # fmt: skip
    """Run light, REM and deep sleep over the workspaces, once.

    New pieces of daily notes and of conversations are staged, reflected upon, and the best
    are promoted to MEMORY.md. A sweep that was killed is finished by the next one.

    \b
    Exit status: 0 done or nothing to do, 1 a workspace failed, 75 a sweep is going on.

    \b
    Examples:
      openclaw dreaming sweep --dry-run          what would be written, and why not more
      openclaw dreaming sweep --agent work       one agent's workspace
      openclaw dreaming sweep --if-due           for a crontab line of your own
      openclaw dreaming sweep --json | jq '.workspaces[].deep.rejected'
    """
    from openclaw_cli.dreaming.sweep import sweep
    from openclaw_cli.dreaming.sweep_request import Options

    def deliver(document: dict[str, Any]) -> None:
        for row in document["workspaces"]:
            for text in row.get("warnings", ()):
                app.warn(f"{app.paths.display(row['workspaceDir'])}: {text}")
        app.emit(document, as_json=as_json, render=lambda found: render(found, app.paths.display))

    options = Options(if_due, force, agent, dry_run, diary=not no_diary)
    rows = sweep(app.config, app.paths, app.now_ms(), options, deliver)["workspaces"]
    if dry_run:
        app.finish_dry_run(work=bool(rows), exit_code=exit_code)
        return
    app.finish(failed=any("error" in row and not row.get("locked") for row in rows))
    locked = [row for row in rows if row.get("locked")]
    if locked:
        app.warn(locked[0]["error"])
        raise click.exceptions.Exit(Busy.exit_status)


def render(document: dict[str, Any], display: Callable[[str], str]) -> Iterable[str]:
    """The sweep, a few lines for each workspace."""
    if document["reason"] and not document["workspaces"]:
        yield REASONS[document["reason"]]
    for row in document["workspaces"]:
        yield from _workspace(row, display, dry_run=document["dryRun"])
    if document["nextRunAtMs"] is not None:
        from openclaw_cli.state.clock import iso

        yield f"Next sweep: {iso(document['nextRunAtMs'])}"


def _workspace(
    row: dict[str, Any], display: Callable[[str], str], *, dry_run: bool
) -> Iterator[str]:
    head = "Would sweep" if dry_run else "Swept"
    if row.get("resumed"):
        head = "Finished the interrupted sweep of"
    if row.get("locked") and not dry_run:
        head = "Left out"
    elif "error" in row:
        head = "Failed:"
    yield f"{head} {display(row['workspaceDir'])}"
    if "light" not in row:
        hint = f" ({row['hint']})" if "hint" in row else ""
        yield f"  {row['error']}{hint}"
        return
    for phase, name in PHASE_NAMES.items():
        yield f"  {name}: {_phase(phase, row[phase])}"
    if row["deep"]["status"] == "completed":
        yield from _deep(row["deep"], dry_run=dry_run)
    yield f"  Diary: {_diary(row['diary'], display)}"


def _phase(phase: str, report: dict[str, Any]) -> str:
    if report["status"] == "skipped":
        return f"skipped ({report['reason']})"
    if report["status"] == "failed":
        return f"failed: {report['error']}"
    if phase == "deep":
        return (
            f"ranked {report['ranked']}, promoted {report['applied']} "
            f"({report['appended']} new in MEMORY.md)"
        )
    read = (
        f"{counted(report['notesRead'], 'note')} and {counted(report['messages'], 'message')} "
        f"read, {counted(report['noteSignals'] + report['messageSignals'], 'new signal')}"
    )
    if phase == "light":
        return f"{read}, {report['staged']} staged"
    themes, truths = (len(report[name]) for name in ("themes", "truths"))
    return f"{read}, {counted(themes, 'theme')}, {counted(truths, 'likely truth')}"


def _diary(report: dict[str, Any], display: Callable[[str], str]) -> str:
    if report["status"] == "skipped":
        return f"nothing was written ({report['reason']})"
    phases = [PHASE_NAMES[p] for p, row in report["phases"].items() if row["status"] != "skipped"]
    what = "an entry without words" if report["status"] == "fallback" else "written"
    return f"{what} for {', '.join(phases)} in {display(report['path'])}"


def _deep(report: dict[str, Any], *, dry_run: bool) -> Iterator[str]:
    from openclaw_cli.memory.text import strip_list_marker

    verb = "would promote" if dry_run else "promoted"
    for one in report["promoted"]:
        place = f"{one['path']}:{one['startLine']}-{one['endLine']}"
        text = strip_list_marker(one["snippet"])
        yield f"    {verb}: {text} [{place} score={one['score']:.3f}]"
    near = [one for one in report["rejected"] if "detail" in one or one["reason"] == "limit"]
    for one in near[:SHOWN]:
        yield f"    not promoted: {_refused(one)}: {one.get('detail') or one['reason']}"
    counts = Counter(one["reason"] for one in report["rejected"] if one not in near)
    if counts:
        told = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
        yield f"    stopped by a gate: {told}"


def _refused(row: dict[str, Any]) -> str:
    """The text, shortened, and where it stands; its key where no text may be shown."""
    from openclaw_cli.memory.text import collapse, strip_list_marker

    if "snippet" not in row:
        return str(row["key"])
    text = strip_list_marker(collapse(row["snippet"]))
    if len(text) > TEXT_LENGTH:
        text = text[: TEXT_LENGTH - 1] + "…"
    return f"{text} [{row['path']}:{row['startLine']}-{row['endLine']}]"
