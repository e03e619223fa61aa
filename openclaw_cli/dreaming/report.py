"""Report files of the phases: ``memory/dreaming/<phase>/<day>.md`` (``dreaming.md`` 6.2).

A later sweep of the same day takes nothing away: the file is written anew when it then
holds all that it held, left alone when nothing is new, and gets a part of its own otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from openclaw_cli.dreaming.blocks import phase_title
from openclaw_cli.memory.workspace import Workspace

EMPTY = "- No durable changes."


def report_path(workspace: Workspace, phase: str, day: str) -> Path:
    """Where the report of ``phase`` for ``day`` is."""
    return workspace.memory_dir / "dreaming" / phase / f"{day}.md"


def report_text(phase: str, body: list[str], earlier: str | None, clock_time: str) -> str:
    """The report with ``body``; ``earlier`` is the day's report so far.

    ``clock_time`` is ``HH:MM`` of this sweep, the heading of a part of its own.
    """
    lines = body or [EMPTY]
    fresh = "\n".join([f"# {phase_title(phase)}", "", *lines]) + "\n"
    if earlier is None:
        return fresh
    old, new = _items(earlier.splitlines()), _items(lines)
    if old <= new:
        return fresh
    if new <= old:
        return earlier
    return "\n".join([earlier.rstrip(), "", f"## {clock_time}", "", *lines]) + "\n"


def _items(lines: Iterable[str]) -> set[tuple[str, ...]]:
    """The list items with what is indented below them; "none" lines say nothing."""
    items: list[list[str]] = []
    for line in lines:
        if line.startswith("- "):
            items.append([line])
        elif line.startswith("  ") and items:
            items[-1].append(line)
        elif line.strip() and not line.startswith("#"):
            items.append([line])
    return {tuple(item) for item in items if not item[0].startswith("- No ")}
