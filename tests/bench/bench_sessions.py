"""How fast session stores of 10 000 and 50 000 rows are listed and cleaned.

Generates the trees, runs each command several times in a process of its own, and prints
medians of CPU and wall time, the peak memory, and the CPU time as a multiple of
``python -c 'import click'`` in the same run. Exit status 1 when a target is missed by more
than half. Run:

    python tests/bench/bench_sessions.py [--rows N ...] [--runs N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

NOW_MS = 1_795_143_600_000
DAY_MS = 86_400_000
PROGRAM = Path(sys.executable).with_name("openclaw")
# CPU seconds and MiB at 10 000 and 50 000 rows.
TARGETS = {
    "list --json": {10_000: (0.35, 120), 50_000: (1.6, 450)},
    "cleanup --dry-run --json": {10_000: (0.35, 120), 50_000: (1.6, 450)},
    "cleanup --enforce --json": {10_000: (1.0, 120), 50_000: (4.5, 450)},
}


class Cost(NamedTuple):
    """What one run took: CPU and wall seconds, peak memory in MiB."""

    cpu: float
    wall: float
    memory: float


def generate(home: Path, count: int) -> None:
    """A tree of ``count`` sessions with transcripts, two thirds of them past the retention."""
    chance = random.Random(count)
    folder = home / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    rows: dict[str, Any] = {}
    for number in range(count):
        session_id = f"{number:08x}-0000-4000-8000-{number:012x}"
        peer = f"+1555{number:07d}"
        kinds = (
            f"telegram:group:-100{number}", f"whatsapp:direct:{peer}", f"whatsapp:direct:{peer}",
            f"cron:job{number % 50}:run:{session_id}", f"subagent:{session_id}",
        )  # fmt: skip
        key = "agent:main:" + ("main" if number == 0 else kinds[number % 5])
        rows[key] = {
            "sessionId": session_id,
            "updatedAt": NOW_MS - chance.randrange(90 * DAY_MS),
            "systemSent": True,
            "abortedLastRun": False,
            "chatType": "group" if "group" in key else "direct",
            "deliveryContext": {"channel": "whatsapp", "to": peer},
            "lastChannel": "whatsapp",
            "lastTo": peer,
            "modelProvider": "anthropic",
            "model": "claude-opus-4-6",
            "inputTokens": chance.randrange(9000),
            "outputTokens": chance.randrange(900),
            "totalTokens": chance.randrange(90_000),
            "totalTokensFresh": True,
            "contextTokens": 200_000,
            "compactionCount": 0,
        }
        lines = [
            {"type": "session", "version": 3, "id": session_id},
            {"type": "message", "message": {"role": "user", "content": f"hello {number}"}},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session_id}.jsonl").write_text(text)
    (folder / "sessions.json").write_text(json.dumps(rows, indent=2))


def run(argv: list[str], home: Path) -> Cost:
    """Run ``argv`` once; what it took by the kernel's account of that very process."""
    env = os.environ | {"HOME": str(home), "OPENCLAW_NOW": "2026-11-20T03:00:00Z", "TZ": "UTC"}
    env = {name: value for name, value in env.items() if name != "OPENCLAW_STATE_DIR"}
    started = time.perf_counter()
    child = os.posix_spawn(
        argv[0], argv, env,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
    )  # fmt: skip
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    if status:
        raise SystemExit(f"{' '.join(argv)} failed with status {status}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def median(costs: list[Cost]) -> Cost:
    """The median of each figure."""
    return Cost(*(statistics.median(figures) for figures in zip(*costs, strict=True)))


def measure(words: str, home: Path, runs: int) -> Cost:
    """The median cost of ``sessions <words>``; a run that writes gets a fresh copy each time."""
    argv = [str(PROGRAM), "sessions", *words.split()]
    if "--enforce" not in words:
        return median([run(argv, home) for _ in range(runs)])
    costs = []
    for _ in range(runs):
        copy = home.with_name("copy")
        shutil.copytree(home, copy)
        costs.append(run(argv, copy))
        shutil.rmtree(copy)
    return median(costs)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        click = [sys.executable, "-c", "import click"]
        base = median([run(click, Path(folder)) for _ in range(chosen.runs)])
        print(f"python -c 'import click'            {base.cpu:6.3f} s CPU {base.wall:6.3f} s")
        for count in chosen.rows:
            home = Path(folder, str(count), "home")
            home.mkdir(parents=True)
            generate(home, count)
            for words, targets in TARGETS.items():
                cost = measure(words, home, chosen.runs)
                limit = targets.get(count)
                told = f"   (target {limit[0]} s, {limit[1]} MiB)" if limit else ""
                print(
                    f"{count:6d} rows, {words:25s} {cost.cpu:6.2f} s CPU {cost.wall:6.2f} s "
                    f"{cost.memory:5.0f} MiB  x{cost.cpu / base.cpu:.1f}{told}"
                )
                if limit and (cost.cpu > 1.5 * limit[0] or cost.memory > 1.5 * limit[1]):
                    missed = True
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
