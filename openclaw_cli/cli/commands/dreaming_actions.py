"""``openclaw dreaming backfill-diary|reset-diary|dedupe-diary|reset-grounded|repair``.

Each answers as the ``doctor.memory.*`` method of the same meaning (``dreaming.md`` 10.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command, dry_run_options, option
from openclaw_cli.state.amounts import counted

Row = dict[str, Any]


@command("backfill-diary")
@agent_option
@dry_run_options
@click.pass_obj
def backfill_diary(
    app: App, agent: str | None, *, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Write a diary entry for each daily note of the workspace.

    They take the place of all backfilled entries; ordinary ones stay. 'reset-diary' takes
    them out again.

    \b
    Examples:
      openclaw dreaming backfill-diary --dry-run
      openclaw dreaming backfill-diary --agent work
    """
    from openclaw_cli.dreaming import actions

    document = actions.backfill_diary(
        _target(app, agent, "backfill-diary"), dry_run=dry_run
    )  # fmt: skip
    for text in document["warnings"]:
        app.warn(text)
    _emit(app, document, render_backfill, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@command("reset-diary")
@agent_option
@dry_run_options
@click.pass_obj
def reset_diary(
    app: App, agent: str | None, *, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Take backfilled entries out of the diary; ordinary ones and your own text stay.

    \b
    Examples:
      openclaw dreaming reset-diary --dry-run
      openclaw dreaming reset-diary
    """
    from openclaw_cli.dreaming import actions

    document = actions.reset_diary(_target(app, agent, "reset-diary"), dry_run=dry_run)
    _emit(app, document, render_reset, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@command("dedupe-diary")
@agent_option
@dry_run_options
@click.pass_obj
def dedupe_diary(
    app: App, agent: str | None, *, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Remove diary entries that repeat an earlier one: same date line, same text.

    \b
    Examples:
      openclaw dreaming dedupe-diary --dry-run
      openclaw dreaming dedupe-diary
    """
    from openclaw_cli.dreaming import actions

    document = actions.dedupe_diary(_target(app, agent, "dedupe-diary"), dry_run=dry_run)
    _emit(app, document, render_dedupe, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@command("reset-grounded")
@agent_option
@dry_run_options
@click.pass_obj
def reset_grounded(
    app: App, agent: str | None, *, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Take evidence that a backfill staged out of the recall store.

    What searches and ingestion have met as well loses only the staged share; what was
    promoted keeps its mark, so that it is not promoted again.

    \b
    Examples:
      openclaw dreaming reset-grounded --dry-run
      openclaw dreaming reset-grounded
    """
    from openclaw_cli.dreaming import actions

    document = actions.reset_grounded(_target(app, agent, "reset-grounded"), dry_run=dry_run)
    _emit(app, document, render_grounded, dry_run=dry_run, exit_code=exit_code, as_json=as_json)


@command("repair")
@agent_option
@option("--diary", is_flag=True, help="Move the diary as well.")
@dry_run_options
@click.pass_obj
def repair(
    app: App, agent: str | None, *, diary: bool, dry_run: bool, exit_code: bool, as_json: bool
) -> None:
    """Start over with what dreaming read from conversations.

    The corpus and its checkpoint are moved to .openclaw-repair in the workspace, never
    deleted; the next sweep reads the recent conversations anew.

    \b
    Examples:
      openclaw dreaming repair --dry-run
      openclaw dreaming repair --agent work
    """
    from openclaw_cli.dreaming import actions

    document = actions.repair(_target(app, agent, "repair"), diary=diary, dry_run=dry_run)
    for text in document["warnings"]:
        app.warn(text)
    _emit(
        app,
        document,
        lambda found: render_repair(found, app.paths.display),
        dry_run=dry_run,
        exit_code=exit_code,
        as_json=as_json,
    )


def render_backfill(document: Row) -> Iterable[str]:
    """What was written."""
    if not document["scannedFiles"]:
        return ["No daily notes in the workspace."]
    verb = "Would write" if document["dryRun"] else "Wrote"
    return [
        f"{verb} {counted(document['written'], 'entry', 'entries')} to {document['path']} for "
        f"{counted(document['scannedFiles'], 'note')}, replacing {document['replaced']}."
    ]


def render_reset(document: Row) -> Iterable[str]:
    """What was taken out."""
    verb = "Would take" if document["dryRun"] else "Took"
    taken = counted(document["removedEntries"], "backfilled entry", "backfilled entries")
    return [f"{verb} {taken} out of {document['path']}."]


def render_dedupe(document: Row) -> Iterable[str]:
    """What was removed and kept."""
    verb = "Would remove" if document["dryRun"] else "Removed"
    gone = counted(document["removedEntries"], "repeated entry", "repeated entries")
    kept = counted(document["keptEntries"], "entry stays", "entries stay")
    return [f"{verb} {gone} from {document['path']}; {kept}."]


def render_grounded(document: Row) -> Iterable[str]:
    """What left the store."""
    verb = "Would remove" if document["dryRun"] else "Removed"
    gone = counted(document["removedShortTermEntries"], "staged entry", "staged entries")
    return [f"{verb} {gone}."]


def render_repair(document: Row, display: Callable[[str], str]) -> Iterable[str]:
    """What was moved, and where to."""
    parts = {
        "archivedSessionCorpus": "the corpus of conversations",
        "archivedSessionIngestion": "its checkpoint",
        "archivedDreamsDiary": "the diary",
    }
    moved = [name for key, name in parts.items() if document[key]]
    if not moved:
        return ["There is nothing to move."]
    verb = "Would move" if document["dryRun"] else "Moved"
    return [f"{verb} {', '.join(moved)} to {display(document['archiveDir'])}."]


def _target(app: App, agent: str | None, name: str) -> Any:
    from openclaw_cli.dreaming import actions

    return actions.find_target(
        app.config, app.paths, app.now_ms(), agent=agent, command=f"dreaming {name}"
    )


def _emit(
    app: App,
    document: Row,
    render: Callable[[Row], Iterable[str]],
    *,
    dry_run: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    app.emit(document | {"dryRun": dry_run}, as_json=as_json, render=render)
    if dry_run:
        app.finish_dry_run(work=document["changed"], exit_code=exit_code)
