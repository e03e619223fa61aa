"""``openclaw jobs install``, ``uninstall`` and ``print`` (``scheduled-tasks.md`` 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, dry_run_options

if TYPE_CHECKING:
    from openclaw_cli.jobs.scheduler import Choice

F = TypeVar("F", bound=Callable[..., Any])


def choice_options(function: F) -> F:
    """``--cron|--systemd`` and ``--user|--system``."""
    for one in (
        click.option("--system", is_flag=True, help="For the whole system."),
        click.option("--user", is_flag=True, help="For this user (the default)."),
        click.option("--systemd", is_flag=True, help="A systemd timer."),
        click.option("--cron", is_flag=True, help="A crontab entry."),
    ):
        function = one(function)
    return function


@command("install")
@choice_options
@dry_run_options
@click.pass_obj
def install(
    app: App, /, dry_run: bool, exit_code: bool, as_json: bool, **choice: bool
) -> None:  # fmt: skip
    """Have the host's scheduler start 'openclaw jobs run-due' each minute.

    Without a choice: a systemd timer of the user where that works, else the crontab. Only
    the marked lines, or our own unit files, are written; the same again changes nothing.

    \b
    Examples:
      openclaw jobs install
      openclaw jobs install --cron --dry-run
    """
    from openclaw_cli.jobs import scheduler

    document = scheduler.install(_choice(**choice), app.environ, dry_run=dry_run)
    document["dryRun"] = dry_run
    app.emit(document, as_json=as_json, render=render_installed)
    for note in document["notes"]:
        app.warn(note)
    if dry_run:
        app.finish_dry_run(work=document["changed"], exit_code=exit_code)


@command("uninstall")
@choice_options
@dry_run_options
@click.pass_obj
def uninstall(
    app: App, /, dry_run: bool, exit_code: bool, as_json: bool, **choice: bool
) -> None:  # fmt: skip
    """Remove what 'openclaw jobs install' put there, and nothing else.

    \b
    Example:
      openclaw jobs uninstall
    """
    from openclaw_cli.jobs import scheduler

    document = scheduler.uninstall(_choice(**choice), app.environ, dry_run=dry_run)
    document["dryRun"] = dry_run
    app.emit(document, as_json=as_json, render=render_uninstalled)
    if dry_run:
        app.finish_dry_run(work=document["changed"], exit_code=exit_code)


@command("print")
@choice_options
@click.pass_obj
def print_(app: App, /, as_json: bool, **choice: bool) -> None:
    """Print the entry as 'openclaw jobs install' would write it.

    \b
    Examples:
      openclaw jobs print --cron
      openclaw jobs print --systemd --system
    """
    from openclaw_cli.jobs import scheduler

    document = scheduler.shown(_choice(**choice), app.environ)
    app.emit(document, as_json=as_json, render=lambda doc: doc["entry"].rstrip().split("\n"))


def render_installed(document: Mapping[str, Any]) -> Iterable[str]:
    """What was installed where."""
    where = "the crontab" if not document["files"] else " and ".join(document["files"])
    if not document["changed"]:
        yield f"Already installed ({document['kind']}): {where}"
        return
    verb = "Would install" if document["dryRun"] else "Installed"
    yield f"{verb} the tick ({document['kind']}) in {where}:"
    yield ""
    yield from document["entry"].rstrip().split("\n")


def render_uninstalled(document: Mapping[str, Any]) -> Iterable[str]:
    """What was removed."""
    if not document["changed"]:
        yield "Nothing is installed."
        return
    verb = "Would remove" if document["dryRun"] else "Removed"
    if document["entry"]:
        yield f"{verb} the entry of the crontab."
    for path in document["files"]:
        yield f"{verb} {path}"


def _choice(*, cron: bool, systemd: bool, user: bool, system: bool) -> Choice:
    from openclaw_cli.jobs.scheduler import Choice

    if cron and systemd:
        raise click.UsageError("--cron and --systemd cannot be used together")
    if user and system:
        raise click.UsageError("--user and --system cannot be used together")
    kind = "cron" if cron else "systemd" if systemd else None
    return Choice(kind, system)
