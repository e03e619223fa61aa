"""How long a sweep takes, and that it is reading what changed that takes the time.

Generates a workspace of 400 daily notes and 60 transcripts, then measures the CPU time and
wall time of: the first sweep of everything, the next night's with one new note and one
grown transcript, a sweep that finds nothing new, and ``--if-due`` with nothing due. Run:

    python tests/bench/bench_sweep.py [--notes N] [--transcripts N] [--messages N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
TEXT = """router gateway backup volume kettle garden invoice window heater violin orchard ledger
    bicycle harbour lantern meadow copper station winter parcel kitchen engine paper signal"""
WORDS = TEXT.split()
PROGRAM = Path(sys.executable).with_name("openclaw")


def sentence(random_: random.Random, words: int = 12) -> str:
    return " ".join(random_.choice(WORDS) for _ in range(words)).capitalize() + "."


def note(random_: random.Random, day: datetime) -> str:
    lines = [f"# {day:%Y-%m-%d}", ""]
    for topic in ("Home", "Work", "Ideas"):
        lines += [f"## {topic}", *(f"- {sentence(random_)}" for _ in range(6)), ""]
    return "\n".join(lines)


def message(random_: random.Random, at: datetime, number: int) -> str:
    role = "user" if number % 2 else "assistant"
    row = {
        "type": "message", "id": f"{number:08x}", "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": sentence(random_, 40)}]},
    }  # fmt: skip
    return json.dumps(row)


def generate(home: Path, notes: int, transcripts: int, messages: int) -> None:
    random_ = random.Random(7)
    state = home / ".openclaw"
    memory, sessions = state / "workspace/memory", state / "agents/main/sessions"
    memory.mkdir(parents=True)
    sessions.mkdir(parents=True)
    block = {"enabled": True, "phases": {"rem": {"lookbackDays": 30}}}
    config = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": block}}}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    for back in range(notes):
        day = NOW - timedelta(days=back)
        (memory / f"{day:%Y-%m-%d}.md").write_text(note(random_, day))
    rows = {}
    for number in range(transcripts):
        name = f"{number:08d}-0000-4000-8000-000000000000"
        rows[f"agent:main:direct:p{number}"] = {"sessionId": name, "updatedAt": 1}
        start = NOW - timedelta(days=number % 10, hours=20)
        lines = [json.dumps({"type": "session", "version": 3, "id": name})]
        lines += [message(random_, start + timedelta(minutes=n), n + 1) for n in range(messages)]
        (sessions / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (sessions / "sessions.json").write_text(json.dumps(rows))


def grow(home: Path) -> None:
    """What a day brings: a note and twenty more messages in one transcript."""
    random_ = random.Random(8)
    day = NOW + timedelta(days=1)
    (home / f".openclaw/workspace/memory/{day:%Y-%m-%d}.md").write_text(note(random_, day))
    path = sorted((home / ".openclaw/agents/main/sessions").glob("*.jsonl"))[0]
    with path.open("a") as out:
        for number in range(20):
            at = NOW + timedelta(hours=12, minutes=number)
            out.write(message(random_, at, 900 + number) + "\n")


def measure(label: str, home: Path, now: datetime, *argv: str) -> None:
    env = dict(os.environ, HOME=str(home), TZ="UTC", OPENCLAW_NOW=f"{now:%Y-%m-%dT%H:%M:%S}Z")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run([str(PROGRAM), *argv], env=env, check=True, capture_output=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{label:44s} cpu {cpu:6.2f} s   wall {wall:6.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--transcripts", type=int, default=60)
    parser.add_argument("--messages", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        generate(home, chosen.notes, chosen.transcripts, chosen.messages)
        measure("nothing: --version", home, NOW, "--version")
        measure("first sweep of everything, dry", home, NOW, "dreaming", "sweep", "--dry-run")
        measure("first sweep of everything", home, NOW, "dreaming", "sweep")
        nights = 1
        checkpoint = home / ".openclaw/workspace/memory/.dreams/session-ingestion.json"
        while True:  # the caps of one call leave the rest for the following nights
            before = checkpoint.read_bytes()
            measure(f"night {nights + 1}, catching up", home, NOW + timedelta(hours=nights),
                    "dreaming", "sweep")  # fmt: skip
            nights += 1
            if before == checkpoint.read_bytes() or nights > 40:
                break
        grow(home)
        later = NOW + timedelta(days=1)
        measure("one new note, one grown transcript", home, later, "dreaming", "sweep")
        measure("nothing new", home, later + timedelta(hours=1), "dreaming", "sweep")
        measure("--if-due, nothing due", home, later + timedelta(hours=2),
                "dreaming", "sweep", "--if-due")  # fmt: skip
        measure("status", home, later, "dreaming", "status", "--json")


if __name__ == "__main__":
    main()
