"""The manual pages: current, well-formed, complete; and finding them by ``openclaw help``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from openclaw_cli import __version__
from openclaw_cli.cli.index import COMMANDS
from openclaw_cli.cli.main import cli
from openclaw_cli.commitments import cursors
from openclaw_cli.commitments import store as commitments
from openclaw_cli.delivery import outbox
from openclaw_cli.dreaming import run_record, workspaces
from openclaw_cli.heartbeat import state as heartbeat
from openclaw_cli.jobs import quiet, records
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.schedule.store import files_of
from openclaw_cli.sessions.store import JOURNAL_SUFFIX
from openclaw_cli.state.paths import Paths

Run = Callable[..., Any]

EVERYWHERE = {"--json", "-v", "--no-color"}  # told once, in openclaw(1)
REPOSITORY = Path(__file__).parents[2]
MANUAL = REPOSITORY / "man"
PAGES = sorted(MANUAL.glob("openclaw*.[157]"))


def build(*options: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(MANUAL / "build.py"), *options],
        env=os.environ | env, capture_output=True, text=True, check=False,
    )  # fmt: skip


def every_command() -> Iterator[tuple[str, click.Command]]:
    def walk(command: click.Command, ctx: click.Context, path: str) -> Iterator[Any]:
        yield path, command
        if isinstance(command, click.Group):
            for name in command.list_commands(ctx):
                inner = command.get_command(ctx, name)
                assert inner is not None
                inner_ctx = click.Context(inner, info_name=name, parent=ctx)
                yield from walk(inner, inner_ctx, f"{path} {name}")

    yield from walk(cli, click.Context(cli, info_name="openclaw"), "openclaw")


def plain(page: Path) -> str:
    """A page's source without its escapes."""
    text = page.read_text().replace("\\-", "-").replace("\\&", "")
    return re.sub(r"\\f[BIR]", "", text)


@pytest.mark.parametrize("path", [path for path, _ in every_command()])
def test_every_command_has_help_with_an_example(path: str) -> None:
    text = dict(every_command())[path].help or ""
    assert re.search(r"^\s*Examples?:$", text, re.MULTILINE), f"'{path}' has no example"
    assert len(text.strip().splitlines()[0]) < 90


@pytest.mark.parametrize("path", [path for path, found in every_command() if not found.hidden])
def test_every_command_and_option_is_in_its_page(path: str) -> None:
    words = path.split()
    page = MANUAL / ("openclaw.1" if len(words) == 1 else f"openclaw-{words[1]}.1")
    text = " ".join(plain(page).split())
    command = dict(every_command())[path]
    if not isinstance(command, click.Group):
        assert path in text
    for param in command.params:
        if isinstance(param, click.Option) and not param.hidden:
            everywhere = EVERYWHERE & set(param.opts)
            assert everywhere or param.opts[0] in text


def test_the_pages_are_what_the_commands_say() -> None:
    done = build("--check")
    assert done.returncode == 0, done.stderr


def test_a_stale_page_is_told(tmp_path: Path) -> None:
    assert build("--into", str(tmp_path)).returncode == 0
    (tmp_path / "openclaw-status.1").write_text("old")
    (tmp_path / "openclaw-gone.1").write_text("old")
    done = build("--check", "--into", str(tmp_path))
    assert done.returncode == 1
    assert "openclaw-status.1 is stale" in done.stderr
    assert "openclaw-gone.1 is stale" in done.stderr


def test_pages_come_out_the_same_and_take_the_date_of_the_environment(tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert build("--into", str(tmp_path / name)).returncode == 0
    for page in (tmp_path / "one").iterdir():
        assert page.read_text() == (tmp_path / "two" / page.name).read_text()
    build("--into", str(tmp_path / "dated"), SOURCE_DATE_EPOCH="86400")
    assert "1970-01-02" in (tmp_path / "dated/openclaw.1").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_is_well_formed(page: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    done = subprocess.run(
        ["mandoc", "-Tlint", "-W", "style", str(page)], capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_references_lead_somewhere(page: Path) -> None:
    own = re.findall(r"openclaw(?:-[a-z]+)?(?= ?\(\d\))", plain(page))
    sections = re.findall(r"openclaw(?:-[a-z]+)? ?\((\d)\)", plain(page))
    for name, section in zip(own, sections, strict=True):
        assert (MANUAL / f"{name}.{section}").is_file(), f"{name}({section})"


@pytest.mark.parametrize("name", ["openclaw-state.5", "openclaw-jobs.7"])
def test_pages_written_by_hand_are_of_this_release(name: str) -> None:
    head = (MANUAL / name).read_text().splitlines()[0]
    released = re.search(
        rf"^## \[{re.escape(__version__)}\] - (\S+)$",
        (REPOSITORY / "CHANGELOG.md").read_text(),
        re.MULTILINE,
    )
    assert released is not None
    assert f"openclaw-cli {__version__}" in head
    assert released[1] in head


def test_every_file_that_the_program_writes_is_described() -> None:
    paths = Paths(Path("/home/x"), Path("/home/x/.openclaw"))
    workspace = Workspace(Path("/w"))
    tasks = files_of(paths.under("cron", "jobs.json"))
    files = [
        commitments.path_of(paths), cursors.path_of(paths), outbox.path_of(paths),
        heartbeat.path_of(paths), paths.job(records.NAME), paths.job(run_record.NAME),
        paths.job(quiet.NAME), paths.job(quiet.LAST_TICK), tasks.jobs, tasks.state, tasks.backup,
        tasks.quarantine, paths.log("changes"), paths.log("jobs"), paths.log("usage"),
        workspace.recall_path, workspace.signals_path, workspace.events_path,
        workspace.session_ingestion_path, workspace.lock_path, workspaces.lock_path(workspace),
        workspaces.journal_path(workspace), workspaces.note_checkpoint_path(workspace),
        Path(f"sessions.json{JOURNAL_SUFFIX}"),
    ]  # fmt: skip
    text = plain(MANUAL / "openclaw-state.5")
    assert [path.name for path in files if path.name not in text] == []


def test_the_advice_on_maintenance_is_given() -> None:
    text = " ".join(plain(MANUAL / "openclaw-sessions.1").split())
    for advice in (
        "Use .B enforce", "limit of time and a limit of number", "highWaterBytes",
        "sessions cleanup --dry-run --json", "--active-key", "openclaw sessions delete",
    ):  # fmt: skip
        assert advice in text


@pytest.mark.parametrize(
    ("topic", "title"),
    [
        ("state", "OPENCLAW-STATE(5)"),
        ("openclaw-state", "OPENCLAW-STATE(5)"),
        ("openclaw-state(5)", "OPENCLAW-STATE(5)"),
        ("jobs-manual", "OPENCLAW-JOBS(7)"),
        ("jobs(7)", "OPENCLAW-JOBS(7)"),
        ("jobs(1)", "OPENCLAW-JOBS(1)"),
        ("openclaw-sessions", "OPENCLAW-SESSIONS(1)"),
        ("openclaw", "OPENCLAW(1)"),
    ],
)
def test_help_shows_a_manual_page(openclaw_inproc: Run, topic: str, title: str) -> None:
    done = openclaw_inproc("help", topic)
    assert done.exit == 0
    assert done.out.startswith((title, ".TH", '.\\"'))


def test_help_of_a_command_is_not_its_page(openclaw_inproc: Run) -> None:
    assert openclaw_inproc("help", "jobs").out.startswith("Usage: openclaw jobs")


def test_help_on_nothing_known(openclaw_inproc: Run) -> None:
    done = openclaw_inproc("help", "nothing(1)")
    assert done.exit == 1
    assert "no help on" in done.err


def test_every_page_is_shipped() -> None:
    import tomllib

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    for page in PAGES:
        section = page.suffix[1:]
        assert shipped[f"man/{page.name}"] == f"share/man/man{section}/{page.name}"
    assert {Path(name).name for name in shipped if name.startswith("man/")} == {
        page.name for page in PAGES
    }


def test_there_is_a_page_for_each_command() -> None:
    names = {page.name for page in PAGES}
    assert {f"openclaw-{name}.1" for name in COMMANDS} <= names
