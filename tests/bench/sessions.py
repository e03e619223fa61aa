"""Session stores of 10 000 and 50 000 rows with transcripts: listed, planned for, cleaned."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.bench.measure import NOW, Bench, Target, openclaw

NOW_MS = int(NOW.timestamp() * 1000)
DAY_MS = 86_400_000
READING = {10_000: Target(0.35, 120), 50_000: Target(1.6, 450)}
CLEANING = {10_000: Target(1.0), 50_000: Target(4.5)}


def measure(bench: Bench) -> None:
    """Reading commands on the tree itself, the cleanup on a new copy each time."""
    for size in bench.sizes(READING):
        home = bench.home(f"sessions-{size}")
        generate(home, size)
        openclaw(home, "sessions cleanup --dry-run --json")  # compiles what it imports
        for command in ("sessions --json", "sessions cleanup --dry-run --json"):
            costs = [openclaw(home, command) for _ in bench.times()]
            bench.add(command, size, costs, READING[size])
        command = "sessions cleanup --enforce --json"
        costs = [openclaw(copy, command) for copy in bench.copies(home)]
        bench.add(command, size, costs, CLEANING[size])


def generate(home: Path, count: int) -> None:
    """A tree of ``count`` sessions, two thirds of them past the retention."""
    chance = random.Random(count)
    folder = home / ".openclaw/agents/main/sessions"
    folder.mkdir(parents=True)
    rows: dict[str, Any] = {}
    for number in range(count):
        session_id = f"{number:08x}-0000-4000-8000-{number:012x}"
        rows[_key(number, session_id)] = _row(number, session_id, chance)
        lines = [
            {"type": "session", "version": 3, "id": session_id},
            {"type": "message", "message": {"role": "user", "content": f"hello {number}"}},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"{session_id}.jsonl").write_text(text)
    (folder / "sessions.json").write_text(json.dumps(rows, indent=2))


def _key(number: int, session_id: str) -> str:
    kinds = (
        f"telegram:group:-100{number}", f"whatsapp:direct:{_peer(number)}",
        f"whatsapp:direct:{_peer(number)}", f"cron:job{number % 50}:run:{session_id}",
        f"subagent:{session_id}",
    )  # fmt: skip
    return "agent:main:" + ("main" if number == 0 else kinds[number % 5])


def _peer(number: int) -> str:
    return f"+1555{number:07d}"


def _row(number: int, session_id: str, chance: random.Random) -> dict[str, Any]:
    return {
        "sessionId": session_id,
        "updatedAt": NOW_MS - chance.randrange(90 * DAY_MS),
        "systemSent": True,
        "abortedLastRun": False,
        "chatType": "direct" if number % 5 or not number else "group",
        "deliveryContext": {"channel": "whatsapp", "to": _peer(number)},
        "lastChannel": "whatsapp",
        "lastTo": _peer(number),
        "modelProvider": "anthropic",
        "model": "claude-opus-4-6",
        "inputTokens": chance.randrange(9000),
        "outputTokens": chance.randrange(900),
        "totalTokens": chance.randrange(90_000),
        "totalTokensFresh": True,
        "contextTokens": 200_000,
        "compactionCount": 0,
    }
