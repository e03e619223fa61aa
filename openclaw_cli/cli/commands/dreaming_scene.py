"""``openclaw dreaming scene``: the lanes of the Dreams view (``dreaming.md`` 10.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import agent_option, command

SHOWN = 8
LANES = {"staged": "Staged", "grounded": "Grounded", "promoted": "Promoted"}


@command("scene")
@agent_option
@click.pass_obj
def cli(app: App, agent: str | None, as_json: bool) -> None:
    """Show what waits for deep sleep, what a backfill staged, and what was promoted.

    The text shows the first of each lane, --json all of them.

    \b
    Examples:
      openclaw dreaming scene
      openclaw dreaming scene --agent work --json | jq '.promoted[] | select(.groundedLed)'
    """
    from openclaw_cli.dreaming import actions, scene
    from openclaw_cli.dreaming.settings import resolve

    target = actions.find_target(
        app.config, app.paths, app.now_ms(), agent=agent, command="dreaming scene"
    )
    found = scene.document(target.workspace, resolve(app.config), app.now_ms())
    app.emit({"agentId": target.agent_id, **found}, as_json=as_json, render=render)


def render(document: dict[str, Any]) -> Iterable[str]:
    """The lanes as text."""
    from openclaw_cli.state.clock import iso

    yield f"Dreams of {document['agentId']}"
    if "storeError" in document:
        yield f"Recall store: {document['storeError']}"
    at = document["nextRunAtMs"]
    yield f"Next sweep: {iso(at) if at is not None else 'none'}"
    yield f"Promoted today: {document['promotedToday']}"
    for lane, title in LANES.items():
        rows = document[lane]
        yield ""
        yield f"{title} ({len(rows)})"
        for row in rows[:SHOWN]:
            yield from _row(row)
        if len(rows) > SHOWN:
            yield f"  and {len(rows) - SHOWN} more"


def _row(row: dict[str, Any]) -> Iterator[str]:
    from openclaw_cli.memory.text import strip_list_marker

    place = f"{row['path']}:{row['startLine']}-{row['endLine']}"
    yield f"- {strip_list_marker(row['snippet'])}"
    told = f"signals {row['totalSignalCount']}, phase hits {row['phaseHitCount']}, {row['origin']}"
    if "promotedAt" in row:
        led = ", led by the backfill" if row["groundedLed"] else ""
        told = f"{told}, promoted {row['promotedAt']}{led}"
    yield f"  {place}  {told}"
