"""Sweeps over a year of notes and many chats: what changed should take the time, not the rest."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from tests.bench.measure import NOW, Bench, Cost, Failed, Target, openclaw
from tests.bench.prose import Prose

NOTES, TRANSCRIPTS, MESSAGES = 400, 60, 100
COMMAND = "dreaming sweep"
TONIGHT = NOW + timedelta(days=1)
MOST_NIGHTS = 40


def measure(bench: Bench) -> None:
    """The first sweep, one after a day's changes, one that finds nothing new, one not due."""
    home = bench.home("sweep")
    generate(home)
    openclaw(home, COMMAND, "--dry-run")  # compiles what it imports
    first = [openclaw(copy, COMMAND) for copy in bench.copies(home)]
    bench.add("dreaming sweep, first", NOTES, first, Target())
    _catch_up(home)
    changed = [_after_a_day(copy) for copy in bench.copies(home)]
    bench.add("dreaming sweep, one day's changes", NOTES, changed, Target())
    same = [openclaw(copy, COMMAND, now=TONIGHT) for copy in bench.copies(home)]
    bench.add("dreaming sweep, nothing new", NOTES, same, Target())
    openclaw(home, COMMAND, now=TONIGHT)
    idle = [openclaw(home, f"{COMMAND} --if-due", now=TONIGHT) for _ in bench.times()]
    bench.add("dreaming sweep --if-due, not due", NOTES, idle, Target())


def generate(home: Path) -> None:
    """Daily notes, and chats of the last ten days."""
    prose = Prose(7, vocabulary=2_000)
    state = home / ".openclaw"
    memory, sessions = state / "workspace/memory", state / "agents/main/sessions"
    memory.mkdir(parents=True)
    sessions.mkdir(parents=True)
    dreaming = {"enabled": True, "phases": {"rem": {"lookbackDays": 30}}}
    config = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    for back in range(NOTES):
        day = f"{NOW - timedelta(days=back):%Y-%m-%d}"
        (memory / f"{day}.md").write_text(prose.note(day, 18))
    rows = {}
    for number in range(TRANSCRIPTS):
        session_id = f"{number:08d}-0000-4000-8000-000000000000"
        rows[f"agent:main:direct:p{number}"] = {"sessionId": session_id, "updatedAt": 1}
        head = {"type": "session", "version": 3, "id": session_id}
        (sessions / f"{session_id}.jsonl").write_text(json.dumps(head) + "\n")
        _chat(home, number, MESSAGES, prose, NOW - timedelta(days=number % 10, hours=20))
    (sessions / "sessions.json").write_text(json.dumps(rows))


def _chat(home: Path, number: int, messages: int, prose: Prose, start: datetime) -> None:
    path = home / f".openclaw/agents/main/sessions/{number:08d}-0000-4000-8000-000000000000.jsonl"
    with path.open("a") as out:
        for minute in range(messages):
            at = start + timedelta(minutes=minute)
            said = {
                "role": "assistant" if minute % 2 else "user",
                "content": [{"type": "text", "text": prose.sentence(30, 50)}],
            }
            row = {"type": "message", "id": f"{at:%d%H%M}{number:02}",
                   "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z", "message": said}  # fmt: skip
            out.write(json.dumps(row) + "\n")


def _catch_up(home: Path) -> None:
    """Sweep until everything was read: what a single sweep may read is limited."""
    read = home / ".openclaw/workspace/memory/.dreams/session-ingestion.json"
    before = None
    for night in range(MOST_NIGHTS):
        openclaw(home, COMMAND, now=NOW + timedelta(minutes=10 * night))
        if before == (before := read.read_bytes()):
            return
    raise Failed(f"after {MOST_NIGHTS} sweeps there still was something new")


def _after_a_day(home: Path) -> Cost:
    """A new note and twenty more messages in one chat, then the sweep of that night."""
    prose = Prose(8, vocabulary=2_000)
    note = home / f".openclaw/workspace/memory/{TONIGHT:%Y-%m-%d}.md"
    note.write_text(prose.note(note.stem, 18))
    _chat(home, 0, 20, prose, NOW + timedelta(hours=12))
    return openclaw(home, COMMAND, now=TONIGHT)
