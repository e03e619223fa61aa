"""Fixtures shared by all tests: an empty home, a tree builder, the program itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders import Tree as Tree
from hypothesis import settings

pytest_plugins = ["model_server"]

# The same examples in every run, so that a failure is news of the code; `make test-all` looks on.
settings.register_profile("deterministic", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("ci", max_examples=200, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deterministic"))

NOW = "2026-11-20T03:00:00Z"
PROGRAM = Path(sys.executable).with_name("openclaw")
CRONTAB = """\
case "$1" in
  -l) cat "$HOME/crontab.txt" 2>/dev/null || { echo "no crontab for $USER" >&2; exit 1; } ;;
  -r) rm "$HOME/crontab.txt" ;;
  -) cat > "$HOME/crontab.txt" ;;
  *) exit 2 ;;
esac"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what runs longest, so that several workers end at the same time."""
    items.sort(key=lambda item: item.get_closest_marker("system") is None)


@dataclass
class Result:
    """What a run of the program left behind."""

    exit: int
    out: str
    err: str

    def json(self) -> Any:
        """stdout as the one JSON document that it must be."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error object on the last line of stderr."""
        found: dict[str, Any] = json.loads(self.err.splitlines()[-1])["error"]
        return found


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with programs that stand for the host's schedulers.

    ``crontab`` keeps one in the home of the test; no systemd answers.
    """
    folder = tmp_path_factory.mktemp("bin")
    for name, text in {"crontab": CRONTAB, "systemctl": "exit 1", "loginctl": "exit 1"}.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, stand_ins: Path
) -> Path:
    """An empty home directory; nothing of the real one is reachable, its crontab included."""
    for name in list(os.environ):
        if name.startswith(("OPENCLAW_", "OPENAI_", "ANTHROPIC_", "XDG_")):
            monkeypatch.delenv(name)
    folder = tmp_path_factory.mktemp("home")
    for name, value in {
        "HOME": str(folder),
        "PATH": f"{stand_ins}{os.pathsep}{os.environ['PATH']}",
        "TZ": "UTC",
        "NO_COLOR": "1",
        "COLUMNS": "200",
        "LC_ALL": "C.UTF-8",
        "OPENCLAW_NOW": NOW,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tree(home: Path) -> Tree:
    """A builder of state trees in ``home``."""
    return Tree(home)


@pytest.fixture
def openclaw(home: Path) -> Callable[..., Result]:
    """Run the program as a real process in ``home``."""

    def run(
        *argv: str,
        now: str | None = None,
        env: Mapping[str, str] | None = None,
        input: str | None = None,  # noqa: A002 - the name that subprocess uses
        timeout: float = 60,
    ) -> Result:
        surroundings = dict(os.environ) | dict(env or {})
        if now is not None:
            surroundings["OPENCLAW_NOW"] = now
        done = subprocess.run(
            [str(PROGRAM), *argv],
            cwd=home, env=surroundings, input=input, capture_output=True, text=True,
            timeout=timeout, check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def openclaw_inproc(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Result]]:
    """Run the program inside this process: fast, and open to frozen clocks."""
    import signal

    from openclaw_cli.cli.main import run as run_cli

    handlers = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def run(*argv: str, now: str | None = None, env: Mapping[str, str] | None = None) -> Result:
        with monkeypatch.context() as patch:
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            if now is not None:
                patch.setenv("OPENCLAW_NOW", now)
            capsys.readouterr()
            status = run_cli(list(argv))
            captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)
