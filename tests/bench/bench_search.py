"""How much CPU ``memory search`` takes over 2 000 notes: first, second, after an edit.

The targets are 1.5 s for the first search (which builds the index) and 0.15 s for the
second. Prints the median CPU and wall time of each, the peak memory, and the ratio to
``python -c 'import click'`` of the same run. Run:

    python tests/bench/bench_search.py [--notes N] [--lines N] [--repeat N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("openclaw")
ONSETS = [*"bcdfghjklmnprstvwz", "st", "tr", "pl"]
VOWELS = [*"aeiou", "ai", "ou"]


def vocabulary(random_: random.Random, size: int = 9_000) -> list[str]:
    def word() -> str:
        parts = random_.randint(1, 4)
        return "".join(random_.choice(ONSETS) + random_.choice(VOWELS) for _ in range(parts))

    return [word() for _ in range(size)]


def generate(home: Path, notes: int, lines: int) -> str:
    """Write ``notes`` daily notes; three words of one line of theirs."""
    random_ = random.Random(7)
    words = vocabulary(random_)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    memory = home / ".openclaw/workspace/memory"
    memory.mkdir(parents=True)
    search = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}}
    (home / ".openclaw/openclaw.json").write_text(json.dumps(search))
    query = ""
    for number in range(notes):
        day = date(2021, 1, 1) + timedelta(number)
        text = [f"# {day}", ""]
        for _ in range(lines):
            chosen = random_.choices(words, weights, k=random_.randint(6, 18))
            text.append(f"- {' '.join(chosen).capitalize()}.")
        (memory / f"{day}.md").write_text("\n".join(text) + "\n")
        query = " ".join(chosen[1:4])
    return query


def measure(home: Path, argv: list[str]) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and peak KiB of one process."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
    environment |= {"HOME": str(home), "TZ": "UTC"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    process = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL)
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{argv} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - started, used.ru_maxrss


def report(name: str, runs: list[tuple[float, float, int]], unit: float) -> None:
    cpu, wall, memory = (statistics.median(column) for column in zip(*runs, strict=True))
    print(f"{name:22} {cpu:8.3f} {wall:8.3f} {memory / 1024:8.1f} {cpu / unit:8.1f}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--notes", type=int, default=2_000)
    options.add_argument("--lines", type=int, default=20)
    options.add_argument("--repeat", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        words = generate(home, chosen.notes, chosen.lines)
        search = [str(PROGRAM), "memory", "search", "--json", "--query"]
        question = f"what did we say about {words} and the zebra in 2022?"
        base = [measure(home, [sys.executable, "-c", "import click"]) for _ in range(5)]
        unit = statistics.median(run[0] for run in base)
        measure(home, [str(PROGRAM), "memory", "search", "--help"])  # compile the modules
        print(f"{chosen.notes} notes of {chosen.lines} lines")
        print(f"{'':22} {'CPU s':>8} {'wall s':>8} {'MiB':>8} {'x click':>8}")
        report("import click", base, unit)
        report("first search", [measure(home, [*search, words])], unit)
        again = range(chosen.repeat)
        report("second search", [measure(home, [*search, words]) for _ in again], unit)
        report("question", [measure(home, [*search, question]) for _ in again], unit)
        edited = []
        note = next((home / ".openclaw/workspace/memory").glob("*.md"))
        for turn in again:
            note.write_text(note.read_text() + f"- one more line {turn}\n")
            edited.append(measure(home, [*search, words]))
        report("after an edit", edited, unit)


if __name__ == "__main__":
    main()
