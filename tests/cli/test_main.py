"""The frame of the command line: exit statuses, errors, help, pipes, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable

import click
import pytest
from conftest import PROGRAM, Result

from openclaw_cli.cli import main, options
from openclaw_cli.cli.app import App
from openclaw_cli.cli.index import COMMANDS
from openclaw_cli.errors import Busy, OpenClawError

Run = Callable[..., Result]


def test_version_is_one_line(openclaw_inproc: Run) -> None:
    found = openclaw_inproc("--version")
    assert (found.exit, found.err) == (0, "")
    assert found.out.startswith("openclaw, version ")


def test_help_lists_every_command_with_its_summary(openclaw_inproc: Run) -> None:
    for flag in ("-h", "--help"):
        found = openclaw_inproc(flag)
        assert found.exit == 0
        for name, entry in COMMANDS.items():
            assert name in found.out
            assert entry.summary in found.out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["sesions"], "Did you mean 'sessions'?"),
        (["tui"], "'openclaw tui' belongs to the gateway program"),
        (["gateway", "run"], "'openclaw gateway run' belongs to the gateway program"),
        (["channels", "add"], "'openclaw channels add' belongs to the gateway program"),
        (["sessions", "tail"], "tail -f"),
        (["--nonsense"], "No such option"),
        (["config", "gett"], "Did you mean 'get'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_exits_2_with_one_line(
    openclaw_inproc: Run, argv: list[str], said: str
) -> None:
    found = openclaw_inproc(*argv)
    assert (found.exit, found.out) == (2, "")
    assert said in found.err
    assert len(found.err.splitlines()) == 1


def test_json_errors_are_the_last_line_of_stderr(openclaw_inproc: Run) -> None:
    found = openclaw_inproc("sesions", "--json")
    assert (found.exit, found.out) == (2, "")
    assert found.error["code"] == "usage"
    assert "hint" in found.error
    assert len(found.err.splitlines()) == 2


def _with(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> None:
    def invoke(*_args: object) -> None:
        raise problem

    monkeypatch.setattr(main, "_invoke", invoke)


def test_domain_errors_carry_status_path_and_hint(
    openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with(monkeypatch, Busy("held\nby \x1b[31mpid\x1b[0m 7", path="/x.lock", hint="wait"))
    found = openclaw_inproc("status", "--json")
    assert found.exit == 75
    assert found.err.splitlines()[0] == "openclaw: held\\nby pid 7 (wait)"
    assert json.loads(found.err.splitlines()[1]) == {
        "error": {"code": "locked", "message": "held\nby \x1b[31mpid\x1b[0m 7",
                  "path": "/x.lock", "hint": "wait"}
    }  # fmt: skip


def test_a_bug_is_one_line_unless_debugging(
    openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with(monkeypatch, KeyError("surprise"))
    found = openclaw_inproc("status")
    assert (found.exit, len(found.err.splitlines())) == (1, 1)
    assert "internal error: KeyError" in found.err
    assert "Traceback" in openclaw_inproc("status", env={"OPENCLAW_DEBUG": "1"}).err


def test_outer_options_are_inherited_and_inner_ones_win() -> None:
    seen = []

    @options.group("outer", invoke_without_command=True)
    @options.agent_option
    def outer(agent: str | None, as_json: bool) -> None:
        pass

    @outer.command("inner")
    @options.agent_option
    def inner(agent: str | None, as_json: bool) -> None:
        seen.append((agent, as_json))

    for argv in (
        ["inner"], ["--agent", "a", "inner"], ["--json", "inner", "--agent", "b"],
        ["--agent", "a", "inner", "--agent", "b"],
    ):  # fmt: skip
        with outer.make_context("outer", argv, obj=App()) as ctx:
            outer.invoke(ctx)
    assert seen == [(None, False), ("a", False), ("b", True), ("b", False)]


def test_since_takes_durations_and_times() -> None:
    since = options.SinceType()
    assert since.convert("24h", None, None) == 1795143600000 - 86_400_000
    assert since.convert("2026-11-20T03:00:00Z", None, None) == 1795143600000
    with pytest.raises(click.UsageError):
        since.convert("soon", None, None)


@pytest.mark.system
def test_a_reader_that_went_away_is_141() -> None:
    process = subprocess.Popen(
        [str(PROGRAM), "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(PROGRAM), "config", "schema"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"openclaw: the operating system refused: No space left on device\n"


WAIT = """
import signal, sys
from openclaw_cli.cli import main
def wait(*_args):
    print("ready", flush=True)
    signal.pause()
main._invoke = wait
sys.exit(main.run([]))
"""


@pytest.mark.system
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_have_their_statuses(number: int, status: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WAIT], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    _out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (status, b"")


def test_unknown_errors_keep_their_code() -> None:
    assert OpenClawError("x", code="store-unreadable").to_json() == {
        "code": "store-unreadable",
        "message": "x",
    }


@pytest.mark.parametrize("words", [[], ["jobs"], ["cron"]])
def test_a_group_alone_shows_its_help_line_by_line(openclaw_inproc: Run, words: list[str]) -> None:
    done = openclaw_inproc(*words)
    assert (done.exit, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[0].startswith(" ".join(["Usage: openclaw", *words]))
    assert "Commands:" in lines


def test_a_group_alone_is_wrong_usage_for_a_script(openclaw_inproc: Run) -> None:
    for words in (["memory"], ["jobs"]):
        done = openclaw_inproc(*words, "--json")
        assert (done.exit, done.out, done.error["code"]) == (2, "", "usage")
