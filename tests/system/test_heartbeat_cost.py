"""A heartbeat that has nothing to do costs about what a small command costs."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from builders import Tree
from conftest import PROGRAM
from model_server import ModelServer

pytestmark = pytest.mark.system

HEAVY = ("openai", "apprise", "zoneinfo", "sqlite3", "croniter", "tzlocal", "subprocess")
OURS = ("openclaw_cli.agent", "openclaw_cli.model", "openclaw_cli.dreaming")


@pytest.fixture
def idle(tree: Tree, model_server: ModelServer) -> ModelServer:
    config = model_server.config()
    config["agents"]["defaults"]["heartbeat"] = {"target": "last", "every": "30m"}
    tree.config(**config, commitments={"enabled": True})
    tree.file(".openclaw/workspace/HEARTBEAT.md", "# Nothing yet\n")
    return model_server


@pytest.mark.parametrize("words", ["status --json", "run --force --json", "run --json"])
def test_it_loads_nothing_that_talks_to_a_model(idle: ModelServer, words: str) -> None:
    code = (
        "import sys; from openclaw_cli.cli.main import run; run(sys.argv[1:]); "
        "sys.stderr.write('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "heartbeat", *words.split()],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = done.stderr.splitlines()[-1].split()
    assert [name for name in loaded if name in HEAVY or name.startswith(OURS)] == []
    assert idle.requests == []


def _cpu_s(*words: str) -> float:
    """The least CPU seconds of a few runs, which other processes disturb the least."""
    costs = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(PROGRAM), *words], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(costs)


def test_an_idle_run_costs_little_more_than_a_small_command(
    idle: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    small = _cpu_s("sessions", "--json")
    assert _cpu_s("heartbeat", "run", "--force", "--json") < 1.6 * small
    assert idle.requests == []
