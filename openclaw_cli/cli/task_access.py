"""What every ``cron`` command begins with: settings, tasks and the moment it looks at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from openclaw_cli.cli.app import App
from openclaw_cli.errors import UnknownName
from openclaw_cli.state.amounts import counted

if TYPE_CHECKING:
    from openclaw_cli.schedule.due import Moment
    from openclaw_cli.schedule.job import Task
    from openclaw_cli.schedule.settings import Settings


def settings_of(app: App) -> Settings:
    """The ``cron`` block of this tree."""
    from openclaw_cli.schedule import settings

    return settings.from_config(app.config, app.paths, app.environ)


def load_tasks(app: App) -> tuple[Settings, list[Task], Moment]:
    """The settings, all tasks in display order, and the moment they are shown for."""
    from openclaw_cli.schedule import listing, store

    settings = settings_of(app)
    found = store.load(settings.store_path)
    moment = moment_of(app)
    if found.rejected:
        app.warn(
            f"{counted(len(found.rejected), 'row')} of {app.paths.display(settings.store_path)} "
            f"cannot be used ({found.rejected[0].reason}); the next run moves "
            f"{'it' if len(found.rejected) == 1 else 'them'} to {found.files.quarantine.name}"
        )
    return settings, listing.shown(found, moment), moment


def moment_of(app: App) -> Moment:
    """Now, in the host's zone."""
    from openclaw_cli.schedule.due import Moment
    from openclaw_cli.state import clock

    return Moment(app.now_ms(), clock.host_zone())


def find_task(tasks: Iterable[Task], wanted: str, *, by_name: bool = False) -> Task:
    """The task with that id, or name; ``UnknownName`` when there is none or several."""
    listed, text = list(tasks), wanted.strip()
    found = [task for task in listed if task.id == text]
    if not found and by_name:
        found = [task for task in listed if task.name.casefold() == text.casefold()]
    if len(found) == 1 or (found and found[0].id == text):
        return found[0]
    if found:
        ids = ", ".join(task.id for task in found)
        raise UnknownName(f"{len(found)} tasks are called {text!r}: {ids}", hint="give the id")
    raise UnknownName(f"no task {text!r}", hint="openclaw cron list --all", code="unknown-task")


def warn_if_off(app: App, settings: Settings) -> None:
    """Say that nothing runs, where that is so."""
    if not settings.enabled:
        app.warn("scheduled tasks are switched off (cron.enabled, OPENCLAW_SKIP_CRON): none runs")
