"""``openclaw dreaming status``: settings, counts, runs and obstacles (``dreaming.md`` 10.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command
from openclaw_cli.state.amounts import counted

# In the order in which a sweep goes through them.
PHASE_NAMES = {"light": "light", "rem": "REM", "deep": "deep"}


@command("status")
@agent_option
@click.pass_obj
def cli(app: App, agent: str | None, as_json: bool) -> None:
    """Show whether dreaming is on, when it runs, what it has found, and what blocks it.

    \b
    Examples:
      openclaw dreaming status
      openclaw dreaming status --agent work
      openclaw dreaming status --json | jq .blocked
    """
    from openclaw_cli.dreaming import control, overview
    from openclaw_cli.jobs import starter

    started_by = starter.state(app.paths, app.environ)
    document = overview.document(
        app.config, app.paths, app.now_ms(), agent=agent, scheduler=started_by
    )
    head = control.status_lines(app.config)
    app.emit(
        document,
        as_json=as_json,
        render=lambda found: render(found, head, app.paths.display),
    )


def render(
    document: dict[str, Any], head: Iterable[str], display: Callable[[str], str]
) -> Iterable[str]:
    """The status as text."""
    from openclaw_cli.state.clock import iso

    yield from head
    phases = document["phases"]
    told = (
        f"{shown} {'on' if phases[name]['enabled'] else 'off'}"
        for name, shown in PHASE_NAMES.items()
    )
    yield f"- phases: {', '.join(told)}; storage {document['storageMode']}"
    at = document["nextRunAtMs"]
    yield f"- next sweep: {iso(at) if at is not None else 'none'}"
    kind = document["scheduler"].get("kind")
    yield f"- started by: {kind if document['scheduler']['installed'] else 'nothing installed'}"
    if document["blocked"]:
        yield f"- blocked: {document['blocked']['reason']} ({document['blocked']['detail']})"
    for row in document["workspaces"]:
        yield ""
        yield from _workspace(row, display)


def _workspace(row: dict[str, Any], display: Callable[[str], str]) -> Iterator[str]:
    yield f"{display(row['workspaceDir'])} ({', '.join(row['agentIds']) or 'no agent'})"
    if "storeError" in row:
        yield f"  recall store: {row['storeError']}"
    waiting = counted(row["shortTermCount"], "entry", "entries")
    yield (
        f"  waiting: {waiting}, signals {row['totalSignalCount']} "
        f"(recalls {row['recallSignalCount']}, daily {row['dailySignalCount']}, "
        f"grounded {row['groundedSignalCount']}), phase hits {row['phaseSignalCount']}"
    )
    yield f"  promoted: {row['promotedTotal']} in all, {row['promotedToday']} today"
    yield f"  last sweep: {_last(row['lastRun'])}"
    if row["sweeping"]:
        yield "  a sweep is going on"
    elif row["interrupted"]:
        yield "  a sweep was interrupted; the next one finishes it"
    if row["diary"]:
        yield f"  diary: {display(row['diary']['path'])}, {row['diary']['bytes']} bytes"
    for text in row["warnings"]:
        yield f"  warning: {text}"


def _last(run: dict[str, Any] | None) -> str:
    from openclaw_cli.state.clock import iso

    if not run or not run.get("finishedAtMs"):
        return "none"
    phases = run.get("phases") or {}
    told = ", ".join(
        f"{shown} {phases[name].get('status')}"
        for name, shown in PHASE_NAMES.items()
        if isinstance(phases.get(name), dict)
    )
    return f"{iso(run['finishedAtMs'])} {run.get('outcome')}" + (f" ({told})" if told else "")
