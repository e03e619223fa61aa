"""What is shipped: a wheel alone in a clean environment, the sdist, ``make install``."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

REPOSITORY = Path(__file__).parents[2]
# One command for each area; none needs a network or a tree.
COMMANDS = [
    ["--version"], ["--help"], ["setup"], ["status"], ["doctor"], ["report"], ["sessions"],
    ["sessions", "cleanup", "--dry-run"], ["changes"], ["memory", "search", "plants"],
    ["dreaming", "sweep", "--dry-run"], ["commitments"], ["heartbeat", "status"],
    ["system", "heartbeat", "last"], ["cron", "list"], ["jobs", "list"],
    ["jobs", "print", "--cron"], ["outbox"], ["channels"], ["config", "file"],
    ["models", "status"], ["usage"], ["security", "audit"],
    ["gateway", "call", "health"], ["completion", "bash"], ["help", "state"],
    ["help", "openclaw-sessions"], ["agent", "--help"],
]  # fmt: skip


def reach_registry(folder: Path) -> None:
    """Skip the test where packages cannot be fetched."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--timeout", "5"]
    done = subprocess.run(
        [*words, "--retries", "0", "--dest", str(folder), "hatchling"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"PyPI is unreachable: {done.stderr.strip().splitlines()[-1]}")


@contextmanager
def made_once(factory: pytest.TempPathFactory, name: str) -> Iterator[tuple[Path, bool]]:
    """A folder that all workers of a parallel run share; whether it is there already."""
    root = factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    with (root / f"{name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        done = root / f"{name}.done"
        yield root / name, done.exists()
        done.touch()


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was made from it."""
    reach_registry(tmp_path_factory.mktemp("probe"))
    with made_once(tmp_path_factory, "dist") as (folder, is_there):
        if not is_there:
            subprocess.run(
                [sys.executable, "-m", "build", "--outdir", str(folder), str(REPOSITORY)],
                capture_output=True, check=True,
            )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def environment(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean environment that has the wheel and what it asks for, nothing else."""
    (wheel,) = dist.glob("*.whl")
    with made_once(tmp_path_factory, "environment") as (folder, is_there):
        if not is_there:
            pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--no-compile"]
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            subprocess.run([*pip, str(wheel)], check=True)
    return folder


def wheel_names(dist: Path) -> set[str]:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_manual_completions_templates_and_types(dist: Path) -> None:
    names = wheel_names(dist)
    shared = {name.partition(".data/data/")[2] for name in names if ".data/data/" in name}
    for page in (REPOSITORY / "man").glob("openclaw*.[157]"):
        assert f"share/man/man{page.suffix[1:]}/{page.name}" in shared
    assert "share/bash-completion/completions/openclaw" in shared
    assert "share/zsh/site-functions/_openclaw" in shared
    assert "share/fish/vendor_completions.d/openclaw.fish" in shared
    for name in ("openclaw.cron", "openclaw-jobs.service", "openclaw-jobs.timer"):
        assert f"openclaw_cli/jobs/templates/{name}" in names
    assert "openclaw_cli/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "man/"))]


def test_the_sdist_holds_what_builds_and_tests_it(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "man/build.py", "man/common.inc", "man/openclaw.1", "completions/_openclaw", "Makefile",
        "jobs/openclaw.cron", "CHANGELOG.md", "README.md", "LICENSE", "tests/conftest.py",
        "examples/month.py", "openclaw_cli/py.typed",
    } <= names  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_wheel_alone_runs(environment: Path, home: Path, words: list[str]) -> None:
    """A dependency that is only among the tools would be missing here."""
    done = subprocess.run(
        [str(environment / "bin/openclaw"), *words],
        cwd=home, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_the_wheel_does_not_bring_the_extra_along(environment: Path) -> None:
    words = [str(environment / "bin/python"), "-c", "import apprise"]
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0


def test_make_install_and_uninstall(
    dist: Path, environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A staged installation moves to its place, runs there, and leaves nothing behind."""
    stage, prefix = tmp_path / "stage", tmp_path / "prefix"
    # The libraries are taken from the other environment, to fetch them only once.
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    (libraries,) = environment.glob("lib/python*/site-packages")
    monkeypatch.setenv("PYTHONPATH", str(libraries))
    (wheel,) = dist.glob("*.whl")
    words = ["make", "-C", str(REPOSITORY), f"PYTHON={sys.executable}", f"PREFIX={prefix}"]
    words.append(f"SOURCE={wheel}")
    subprocess.run([*words, f"DESTDIR={stage}", "install"], capture_output=True, check=True)
    staged = Path(f"{stage}{prefix}")
    for name in (
        "bin/openclaw", "share/man/man1/openclaw.1", "share/man/man5/openclaw-state.5",
        "share/man/man7/openclaw-jobs.7", "share/bash-completion/completions/openclaw",
        "share/zsh/site-functions/_openclaw", "share/fish/vendor_completions.d/openclaw.fish",
        "share/openclaw-cli/jobs/openclaw-jobs.timer",
    ):  # fmt: skip
        assert (staged / name).is_file(), name
    shutil.move(staged, prefix)
    done = subprocess.run(
        [str(prefix / "bin/openclaw"), "jobs", "print", "--cron"],
        capture_output=True, text=True, check=True, env=os.environ | {"PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert f"{prefix}/bin/openclaw" in done.stdout
    subprocess.run([*words, "uninstall"], capture_output=True, check=True)
    assert [path for path in prefix.rglob("*") if not path.is_dir()] == []
