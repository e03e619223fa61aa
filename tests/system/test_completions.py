"""The TAB key in real shells, with the scripts that are shipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Tree
from conftest import PROGRAM

from openclaw_cli.cli.shells import SCRIPTS

pytestmark = pytest.mark.system

REPOSITORY = Path(__file__).parents[2]
NAMES = {"bash": "openclaw.bash", "zsh": "_openclaw", "fish": "openclaw.fish"}
Ask = Callable[[str], list[str]]

# What a terminal would do on TAB, without one: fill the variables and call the function.
_BASH = """
source {script}
COMP_LINE={line!r} COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=($COMP_LINE) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
compopt() {{ echo "compopt $*"; }}
_openclaw_completion openclaw
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
_ZSH = """
autoload -U compinit; compinit -D -u
function _describe {{ local name=$3; print -rl -- described:${{(P)^name}} }}
function compadd {{ print -rl -- plain:${{(P)^@[-1]}} }}
function _path_files {{ print file }}
source {script}
words=({words}) CURRENT={current}
_openclaw_completion
"""


@pytest.fixture
def tree(home: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}:{os.environ['PATH']}")
    tree = Tree(home)
    tree.config(
        agents={"list": [{"id": "main"}, {"id": "work"}]}, channels={"telegram": {"botToken": "x"}}
    )
    tree.sessions(
        {
            "agent:main:main": {"sessionId": "a", "updatedAt": 2, "label": "Home, sweet\thome"},
            "agent:main:telegram:direct:7": {"sessionId": "b", "updatedAt": 1},
        }
    )
    return tree


@pytest.fixture(params=["bash", "zsh", "fish"])
def ask(request: pytest.FixtureRequest, tree: Tree) -> Ask:
    """What a shell would offer behind a line, descriptions left out."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = REPOSITORY / "completions" / NAMES[shell]

    def run(line: str) -> list[str]:
        if shell == "bash":
            words = ["bash", "--norc", "-c", _BASH.format(script=script, line=line)]
        elif shell == "zsh":
            given = line.split(" ")
            quoted = " ".join(f"'{word}'" for word in given)
            text = _ZSH.format(script=script, words=quoted, current=len(given))
            words = ["zsh", "-f", "-c", text]
        else:
            words = ["fish", "--no-config", "-c", f"source {script}; complete -C {line!r}"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        assert done.stderr == ""
        return [_value(shell, row, line) for row in done.stdout.splitlines() if row]

    return run


def _value(shell: str, row: str, line: str) -> str:
    if shell == "fish":
        return row.partition("\t")[0]
    if shell == "zsh":
        kind, _, rest = row.partition(":")
        if kind == "described":  # what stands before the description has its colons escaped
            return rest.replace("\\:", "\0").partition(":")[0].replace("\0", ":")
        return rest or kind
    word = line.rpartition(" ")[2].rpartition("=")[2]
    return word[: word.rfind(":") + 1] + row.replace("\\", "")


def test_offers_commands(ask: Ask) -> None:
    assert ask("openclaw comm") == ["commitments"]


def test_offers_subcommands(ask: Ask) -> None:
    assert ask("openclaw sessions re") == ["reset", "restore", "rebuild"]


def test_offers_options(ask: Ask) -> None:
    assert ask("openclaw sessions cleanup --fix-m") == ["--fix-missing"]


def test_offers_values_from_the_tree(ask: Ask) -> None:
    assert ask("openclaw sessions list --agent wo") == ["work"]
    assert ask("openclaw channels test t") == ["telegram"]


def test_offers_session_keys_with_their_colons(ask: Ask) -> None:
    assert ask("openclaw sessions show ") == ["agent:main:main", "agent:main:telegram:direct:7"]
    assert ask("openclaw sessions show agent:main:t") == ["agent:main:telegram:direct:7"]


def test_leaves_file_names_to_the_shell(ask: Ask, tree: Tree) -> None:
    tree.file("note.txt", "hello")
    offered = ask("openclaw agent --message-file no")
    assert offered in (["compopt default"], ["compopt -o default"], ["file"], ["note.txt"])


def test_bash_offers_values_behind_an_equals_sign(tree: Tree) -> None:
    text = _BASH.format(
        script=REPOSITORY / "completions/openclaw.bash",
        line="openclaw system event --session-key=agent:main:t",
    )
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "telegram:direct:7\n"


def test_an_unreadable_tree_offers_nothing(ask: Ask, tree: Tree) -> None:
    tree.file(".openclaw/openclaw.json", "{")
    tree.file(".openclaw/agents/main/sessions/sessions.json", "{")
    assert ask("openclaw sessions show agent:x") == []


def test_an_answer_comes_at_once(tree: Tree) -> None:
    surroundings = os.environ | {
        "_OPENCLAW_COMPLETE": "bash_complete",
        "COMP_WORDS": "openclaw sessions show agent:",
    }
    started = time.monotonic()
    done = subprocess.run([str(PROGRAM)], env=surroundings, capture_output=True, check=True)
    assert time.monotonic() - started < 2
    assert done.stdout.count(b"plain,") == 2


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shipped_script_is_the_one_that_is_printed(shell: str) -> None:
    assert (REPOSITORY / "completions" / NAMES[shell]).read_text() == SCRIPTS[shell]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_is_well_formed(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = REPOSITORY / "completions" / NAMES[shell]
    subprocess.run([shell, "-n", str(script)], check=True)
