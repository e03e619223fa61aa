"""Ranking recall stores of 2 500 to 40 000 entries; the time grows with their number."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.bench.measure import NOW, Bench, Target, openclaw
from tests.bench.prose import Prose

TARGETS = {2_500: Target(), 10_000: Target(0.4), 40_000: Target(1.6)}
PER_NOTE = 40


def measure(bench: Bench) -> None:
    """``memory promote --json``, which writes nothing."""
    for size in bench.sizes(TARGETS):
        home = bench.home(f"promote-{size}")
        generate(home, size)
        command = "memory promote --json"
        openclaw(home, command)  # compiles what it imports
        costs = [openclaw(home, command) for _ in bench.times()]
        bench.add(command, size, costs, TARGETS[size])


def generate(home: Path, count: int) -> None:
    """Notes, and a store in which each of their lines was found a few times."""
    prose = Prose(count)
    memory = home / ".openclaw/workspace/memory"
    (memory / ".dreams").mkdir(parents=True)
    entries: dict[str, Any] = {}
    for back in range(count // PER_NOTE):
        day = f"{NOW - timedelta(days=back):%Y-%m-%d}"
        lines = [f"- {prose.sentence()}" for _ in range(PER_NOTE)]
        (memory / f"{day}.md").write_text("\n".join(lines) + "\n")
        for number, line in enumerate(lines, 1):
            entry = _entry(f"memory/{day}.md", number, line, prose)
            entries[entry["key"]] = entry
    store = {"version": 1, "updatedAt": "2026-11-19T09:00:00.000Z", "entries": entries}
    (memory / ".dreams/short-term-recall.json").write_text(json.dumps(store, indent=2) + "\n")


def _entry(path: str, line: int, snippet: str, prose: Prose) -> dict[str, Any]:
    recalls = prose.chance.randint(1, 8)
    days = [NOW - timedelta(days=prose.chance.randint(1, 40)) for _ in range(min(recalls, 4))]
    days.sort()
    scores = [prose.chance.uniform(0.5, 1.0) for _ in range(recalls)]
    return {
        "key": f"memory:{path}:{line}:{line}",
        "path": path,
        "startLine": line,
        "endLine": line,
        "source": "memory",
        "snippet": snippet,
        "recallCount": recalls,
        "dailyCount": 0,
        "groundedCount": 0,
        "totalScore": sum(scores),
        "maxScore": max(scores),
        "firstRecalledAt": f"{days[0]:%Y-%m-%d}T09:00:00.000Z",
        "lastRecalledAt": f"{days[-1]:%Y-%m-%d}T09:00:00.000Z",
        "queryHashes": [f"{prose.chance.getrandbits(48):012x}" for _ in range(recalls)],
        "recallDays": sorted({f"{day:%Y-%m-%d}" for day in days}),
        "conceptTags": sorted(set(prose.words(3, 6))),
    }
