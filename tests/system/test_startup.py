"""Start-up is a feature: what each command imports on a small tree (``design.md`` 6).

A reading command has to cost at most 1.6 times ``python -c 'import click'``. CPU time is for
``make bench``; here is what decides it and can be tested exactly: which libraries a command
loads, and how many modules of our own. Whoever needs more raises the number on purpose.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from builders import Tree

HEAVY = frozenset({
    "rich", "openai", "croniter", "tomlkit", "asyncio", "importlib.metadata", "sqlite3",
    "apprise", "orjson", "tzlocal", "zoneinfo", "subprocess", "urllib.request", "pydantic",
    "logging", "tempfile", "email", "socket", "hashlib", "random",
})  # fmt: skip
ZONE, INDEX, RECALL = frozenset({"zoneinfo"}), frozenset({"sqlite3"}), frozenset({"hashlib"})
NOW = "2026-11-20T03:00:00Z"


class Cost(NamedTuple):
    """What a command may load: this many modules of ours, and of ``HEAVY`` only ``needs``."""

    modules: int
    needs: frozenset[str] = frozenset()


COSTS = {
    "--help": Cost(12),
    "--version": Cost(12),
    "sessions": Cost(41),
    "sessions --json": Cost(41),
    "sessions cleanup --dry-run": Cost(49),
    "status": Cost(76, ZONE),
    "memory status": Cost(55, ZONE | INDEX),
    "memory search kettle": Cost(78, ZONE | INDEX | RECALL),
    "memory get memory/2026-11-18.md": Cost(37),
    "memory promote --json": Cost(40),
    "dreaming": Cost(32, ZONE),
    "dreaming status": Cost(58, ZONE),
    "dreaming diary": Cost(44),
    "commitments --json": Cost(43),
    "heartbeat status": Cost(66),
    "heartbeat last": Cost(22),
    "cron list": Cost(38, ZONE),
    "jobs list": Cost(58, ZONE),
    "jobs log": Cost(26),
    "jobs run-due": Cost(18),
    "config validate": Cost(34),
    "changes --json": Cost(20),
    "outbox": Cost(22),
    "usage": Cost(33, ZONE),
    "models status": Cost(32),
    "memory promote-explain kettle": Cost(66),
    "report": Cost(85, ZONE),
    "doctor": Cost(156, ZONE | INDEX),
}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a small tree in use: sessions, notes, an index, a sweep, ticks."""
    home = tmp_path_factory.mktemp("lived-in")
    tree = Tree(home)
    tree.dreaming()
    tree.note("2026-11-18", "# Kitchen\n\n- The red kettle leaks at the spout.\n")
    tree.file(".openclaw/workspace/MEMORY.md", "# Memory\n\n- Anna lives in Graz.\n")
    row = {"sessionId": "s1", "updatedAt": 1_795_000_000_000, "model": "gpt-5"}
    tree.sessions({"agent:main:main": row})
    tree.transcript("s1", [("user", "Is the kettle mended?"), ("assistant", "Not yet.")])
    for argv in (["memory", "index"], ["jobs", "run-due"], ["jobs", "run-due"]):
        subprocess.run(
            [sys.executable, "-m", "openclaw_cli", *argv],
            env=_environment(home), check=True, capture_output=True,
        )  # fmt: skip
    return home


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENCLAW_")}
    own = {"HOME": str(home), "TZ": "UTC", "OPENCLAW_NOW": NOW, "PYTHONPATH": ""}
    return kept | own


def _imported(home: Path, *argv: str) -> set[str]:
    """The modules that are loaded when a command is done."""
    code = (
        "import sys; from openclaw_cli.cli.main import run; status = run(sys.argv[1:]); "
        "sys.stderr.write('\\n' + ' '.join(sys.modules)); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, check=False,
        env=_environment(home),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.system
@pytest.mark.parametrize("command", COSTS)
def test_a_command_loads_what_it_needs_and_no_more(command: str, lived_in: Path) -> None:
    loaded = _imported(lived_in, *command.split())
    assert loaded & HEAVY == COSTS[command].needs
    own = sorted(name for name in loaded if name.startswith("openclaw_cli."))
    assert len(own) <= COSTS[command].modules, own


@pytest.mark.system
@pytest.mark.parametrize("command", ["--help", "--version"])
def test_help_and_version_load_no_command(command: str, lived_in: Path) -> None:
    loaded = _imported(lived_in, command)
    assert not [name for name in loaded if name.startswith("openclaw_cli.cli.commands.")]
