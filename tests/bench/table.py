"""The table of what was measured, and whether the targets are kept."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from tests.bench.measure import Cost, Row, Target

# Over its target by more than this, a row is a failure; below it, machines differ.
TOLERANCE = 1.5


def excess(row: Row, unit: Cost) -> float | None:
    """The largest share of a target that was used up; None without one."""
    target, cost = row.target, row.cost
    shares = [
        (cost.cpu, target.cpu),
        (cost.memory, target.memory),
        (cost.cpu / unit.cpu, target.ratio),
    ]
    used = [measured / limit for measured, limit in shares if limit is not None]
    return max(used, default=None)


def missed(row: Row, unit: Cost) -> bool:
    """Whether a target is missed by more than half."""
    return (excess(row, unit) or 0.0) > TOLERANCE


def lines(rows: list[Row], unit: Cost) -> Iterator[str]:
    """The table as text, the unit first."""
    width = max((len(row.name) for row in rows), default=12)
    yield (
        f"{'':{width}} {'size':>7} {'CPU s':>7} {'wall s':>7} {'MiB':>6} {'x click':>8}"
        f"  {'target':15}"
    )
    for row in [Row("import click", None, unit), *rows]:
        cost, size = row.cost, "" if row.size is None else f"{row.size:,}".replace(",", " ")
        yield (
            f"{row.name:{width}} {size:>7} {cost.cpu:7.3f} {cost.wall:7.3f} {cost.memory:6.1f}"
            f" {cost.cpu / unit.cpu:8.2f}  {_limits(row.target):15} {_verdict(row, unit)}"
        ).rstrip()


def _limits(target: Target) -> str:
    told = [
        (target.ratio, "{:g} x"),
        (target.cpu, "{:g} s"),
        (target.memory, "{:g} MiB"),
    ]
    return ", ".join(form.format(limit) for limit, form in told if limit is not None)


def _verdict(row: Row, unit: Cost) -> str:
    share = excess(row, unit)
    if share is None:
        return ""
    return "ok" if share <= 1 else f"over by {ceil(100 * (share - 1))}%"
