"""The plot of CPU time against size, on logarithmic scales, as SVG."""

from __future__ import annotations

from math import log10
from pathlib import Path
from typing import Any

import pygal
from pygal.style import Style

from tests.bench.measure import Row

SECONDS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
COLOURS = (
    "#1f77b4", "#17a2b8", "#d62728", "#2ca02c", "#9467bd", "#e377c2", "#8c564b", "#ff7f0e",
)  # fmt: skip
STYLE = Style(
    background="white", plot_background="white", font_family="sans-serif",
    colors=(*COLOURS, "#999999"), label_font_size=12, major_label_font_size=12,
)  # fmt: skip


def draw(rows: list[Row], path: Path) -> None:
    """One line per command that was measured on several sizes, its targets as large dots."""
    lines = _lines(rows)
    chart = pygal.XY(
        title="CPU time against size", x_title="rows, entries or notes", y_title="CPU seconds",
        style=STYLE, width=900, height=640, legend_at_bottom=True, legend_at_bottom_columns=3,
        truncate_legend=-1, legend_font_size=12, margin_bottom=30, dots_size=3, js=(),
    )  # fmt: skip
    chart.uuid = "speed"  # else no two drawings are the same
    sizes = sorted({row.size or 0 for points in lines.values() for row in points})
    chart.x_labels = [{"value": log10(size), "label": f"{size / 1000:g} k"} for size in sizes]
    chart.y_labels = [{"value": log10(one), "label": f"{one:g}"} for one in SECONDS]
    limits = []
    for (name, points), colour in zip(lines.items(), COLOURS * len(lines), strict=False):
        chart.add(name, [_dot(row, row.cost.cpu) for row in points])
        limits += [
            {**_dot(row, row.target.cpu), "color": colour} for row in points if row.target.cpu
        ]
    chart.add("target (in the same colour)", limits, stroke=False, dots_size=7)
    chart.render_to_file(str(path))


def _lines(rows: list[Row]) -> dict[str, list[Row]]:
    """The rows of each command that was measured on several sizes."""
    lines: dict[str, list[Row]] = {}
    for row in rows:
        if row.size is not None:
            lines.setdefault(row.name, []).append(row)
    return {name: points for name, points in lines.items() if len(points) > 1}


def _dot(row: Row, seconds: float) -> dict[str, Any]:
    return {"value": (log10(row.size or 1), log10(seconds)), "label": f"{seconds:.2f} s"}
