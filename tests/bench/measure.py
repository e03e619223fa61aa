"""What one run of the program takes, and the unit it is told in: importing click.

Judgements go by CPU time, which other work on the machine disturbs least, and by medians.
Programs run in an environment of their own: no key, no other tree, a fixed time, and with
byte code that may be written, so that only a first run compiles.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

# Data for measuring quality; beside the checkout unless OPENCLAW_EVAL_DIR names the folder.
EVAL_DIR = Path(
    os.environ.get("OPENCLAW_EVAL_DIR") or Path(__file__).resolve().parents[3] / "shared/eval"
)
NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
PROGRAM = Path(sys.executable).with_name("openclaw")
RUNNER = Path(__file__).with_name("runner.py")
IMPORT_CLICK = (sys.executable, "-c", "import click")


class Failed(Exception):
    """A program that was to be measured did not do its work."""


class Cost(NamedTuple):
    """CPU and wall seconds, peak memory in MiB."""

    cpu: float
    wall: float
    memory: float


class Target(NamedTuple):
    """The most that something may take; ``ratio`` is CPU time in units of importing click."""

    cpu: float | None = None
    memory: float | None = None
    ratio: float | None = None


class Row(NamedTuple):
    """A line of the table: a command on a tree of ``size`` (rows, entries, notes)."""

    name: str
    size: int | None
    cost: Cost
    target: Target = Target()


def median(costs: Iterable[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(figures) for figures in zip(*costs, strict=True)))


def run(home: Path, *argv: str, now: datetime = NOW) -> Cost:
    """Run a program at home in ``home``; raises ``Failed`` unless it exits with 0."""
    env = {
        "HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC",
        "LANG": "C.UTF-8", "OPENCLAW_NOW": f"{now:%Y-%m-%dT%H:%M:%SZ}",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-IS", RUNNER, *argv], env=env, cwd=home, capture_output=True, text=True
    )
    if done.returncode:
        raise Failed(f"{' '.join(argv)} ended with {done.returncode}: {done.stderr.strip()}")
    return Cost(*json.loads(done.stdout))


def openclaw(home: Path, command: str, *words: str, now: datetime = NOW) -> Cost:
    """Run ``openclaw`` with the words of ``command`` and further ones as they are."""
    return run(home, str(PROGRAM), *command.split(), *words, now=now)


class Bench:
    """One run of the benches: where trees go, how often things are done, what came out."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self.folder = folder
        self.quick = quick
        self.repeats = 3 if quick else 5
        self.rows: list[Row] = []
        self._units: list[Cost] = []
        self.take_unit()

    def take_unit(self, times: int = 7) -> None:
        """Measure the unit (again): near in time to what is told in it."""
        self._units += [run(self.folder, *IMPORT_CLICK) for _ in range(times)]

    @property
    def unit(self) -> Cost:
        """What importing click takes."""
        return median(self._units)

    def sizes(self, every: Iterable[int]) -> list[int]:
        """The sizes to measure: all of them, or all but the largest."""
        ordered = sorted(every)
        return ordered[:-1] or ordered if self.quick else ordered

    def home(self, name: str) -> Path:
        """A new empty home directory."""
        home = self.folder / name
        home.mkdir()
        return home

    def add(self, name: str, size: int | None, costs: Iterable[Cost], target: Target) -> None:
        """Put the median of ``costs`` into the table."""
        self.rows.append(Row(name, size, median(costs), target))

    def times(self) -> range:
        """How often to do what leaves the tree as it is."""
        return range(self.repeats)

    def copies(self, home: Path) -> Iterator[Path]:
        """As many copies of ``home``, one after the other, for what changes the tree."""
        for _ in self.times():
            copy = self.folder / "copy"
            shutil.copytree(home, copy)
            yield copy
            shutil.rmtree(copy)
