"""The plot of CPU time against size, on logarithmic scales, as SVG."""

from __future__ import annotations

from math import log10
from pathlib import Path
from typing import Any

import pygal
from pygal.style import CleanStyle

from tests.bench.measure import Row


def draw(rows: list[Row], path: Path) -> None:
    """One line per command that was measured on several sizes, and the targets as dots."""
    lines: dict[str, list[Row]] = {}
    for row in rows:
        if row.size is not None:
            lines.setdefault(row.name, []).append(row)
    lines = {name: points for name, points in lines.items() if len(points) > 1}
    sizes = sorted({row.size or 0 for points in lines.values() for row in points})
    chart = pygal.XY(
        title="CPU time against size", x_title="rows, entries or notes", y_title="CPU seconds",
        style=CleanStyle, width=900, height=560, legend_at_bottom=True,
        legend_at_bottom_columns=2, dots_size=4, js=(), show_y_guides=True,
    )  # fmt: skip
    chart.uuid = "speed"  # else every drawing differs
    chart.x_labels = [{"value": log10(size), "label": f"{size:,}"} for size in sizes]
    seconds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
    chart.y_labels = [{"value": log10(one), "label": f"{one:g}"} for one in seconds]
    for name, points in lines.items():
        chart.add(name, [_dot(row.size, row.cost.cpu, f"{row.cost.cpu:.2f} s") for row in points])
    limits = [
        _dot(row.size, row.target.cpu, f"{name}: {row.target.cpu:g} s")
        for name, points in lines.items()
        for row in points
        if row.target.cpu is not None
    ]
    chart.add("target", limits, stroke=False, dots_size=7)
    chart.render_to_file(str(path))


def _dot(size: int | None, seconds: float, label: str) -> dict[str, Any]:
    return {"value": (log10(size or 1), log10(seconds)), "label": label}
