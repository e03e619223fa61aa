"""``memory search`` over notes: the first one, which builds the index, and those after it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from tests.bench.measure import NOW, Bench, Cost, Target, openclaw
from tests.bench.prose import Prose

FIRST = {500: Target(), 2_000: Target(1.5), 8_000: Target()}
SECOND = {500: Target(), 2_000: Target(0.15), 8_000: Target()}
LINES = 20
COMMAND = "memory search --json --query"


def measure(bench: Bench) -> None:
    """First, again, with a question in many words, and after a note was edited."""
    for size in bench.sizes(FIRST):
        home = bench.home(f"search-{size}")
        words = generate(home, size)
        first = [openclaw(copy, COMMAND, words) for copy in bench.copies(home)]
        bench.add("memory search, first", size, first, FIRST[size])
        openclaw(home, COMMAND, words)
        again = [openclaw(home, COMMAND, words) for _ in bench.times()]
        bench.add("memory search, second", size, again, SECOND[size])
        question = f"what did we say about {words} and the zebra in 2022?"
        asked = [openclaw(home, COMMAND, question) for _ in bench.times()]
        bench.add("memory search, question", size, asked, Target())
        edited = [_after_edit(home, words) for _ in bench.times()]
        bench.add("memory search, after an edit", size, edited, Target())


def generate(home: Path, count: int) -> str:
    """Write ``count`` daily notes; three words of a line of theirs."""
    prose = Prose(7)
    memory = home / ".openclaw/workspace/memory"
    memory.mkdir(parents=True)
    settings = {"agents": {"defaults": {"memorySearch": {"provider": "none"}}}}
    (home / ".openclaw/openclaw.json").write_text(json.dumps(settings))
    for back in range(count):
        day = f"{NOW - timedelta(days=back):%Y-%m-%d}"
        (memory / f"{day}.md").write_text(prose.note(day, LINES))
    oldest = (memory / f"{day}.md").read_text()
    return " ".join(oldest.splitlines()[-1].removesuffix(".").split()[2:5])


def _after_edit(home: Path, words: str) -> Cost:
    note = home / f".openclaw/workspace/memory/{NOW:%Y-%m-%d}.md"
    with note.open("a") as out:
        out.write("- one more line\n")
    return openclaw(home, COMMAND, words)
