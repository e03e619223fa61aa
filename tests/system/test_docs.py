"""README and the guides show what the program really prints.

Each document is lived through from top to bottom, on the sample month of
``examples/month.py`` at one frozen morning: a ``console`` block whose commands are all
``openclaw`` is run in order, and what it prints is compared. A line ``...`` stands for any
lines, ``...`` inside a line for any characters. Blocks that show no output are not run.

    UPDATE_DOCS=1 pytest tests/system/test_docs.py      rewrite the blocks that differ
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PROGRAM

ROOT = Path(__file__).parents[2]
MORNING = "2026-11-20T06:30:00Z"
HOME_SHOWN = "/home/ilse"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```console\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
RANDOM_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"
    r"|(?<=\bob_)[0-9a-z]+_[0-9a-f]{10}\b"
)


@dataclass
class Step:
    """A command of a block and what the document says that it prints."""

    command: str
    shown: list[str]


def steps_of(block: str) -> list[Step]:
    """The commands of a console block, each with the lines below it."""
    steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:], []))
        elif steps and steps[-1].command.endswith("\\"):
            steps[-1].command += "\n" + line
        elif steps:
            steps[-1].shown.append(line)
    for step in steps:
        while step.shown and not step.shown[-1]:
            step.shown.pop()
    return steps


def is_run(steps: list[Step]) -> bool:
    """Whether a block is more than a list of commands to type."""
    ours = all(step.command.startswith("openclaw ") for step in steps)
    return ours and any(step.shown for step in steps)


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of a document stand for the lines that were printed."""
    parts = []
    for line in shown:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*")
        else:
            parts.append(re.escape(line.rstrip()).replace(r"\.\.\.", "[^\\n]*") + r"\n")
    return bool(re.fullmatch("".join(parts), "".join(line + "\n" for line in printed)))


def shortened(shown: list[str], printed: list[str]) -> list[str]:
    """``printed`` with the lines left out that the document left out before."""
    lines = [RANDOM_ID.sub("...", line) for line in printed]
    gaps = [at for at, line in enumerate(shown) if line.strip() == "..."]
    if not gaps or len(printed) <= len(shown):
        return lines
    tail = len(shown) - gaps[-1] - 1
    return [*lines[: gaps[0]], "...", *lines[len(lines) - tail :]]


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample month on the evening before its sweep."""
    folder = tmp_path_factory.mktemp("month")
    env = os.environ | {"OPENCLAW_NOW": MORNING, "TZ": "Europe/Berlin"}
    command = [sys.executable, ROOT / "examples" / "month.py", folder, "--no-sweep"]
    subprocess.run(command, env=env, check=True, capture_output=True, timeout=120)
    return folder


class Shell:
    """Runs the commands of one document on its own copy of the month."""

    def __init__(self, month: Path, folder: Path) -> None:
        self.home = folder / "ilse"
        shutil.copytree(month, self.home)
        stubs = folder / "bin"
        stubs.mkdir()
        for name in ("crontab", "systemctl", "loginctl"):
            (stubs / name).write_text("#!/bin/sh\nexit 1\n")
            (stubs / name).chmod(0o755)
        (stubs / "openclaw").symlink_to(PROGRAM)
        self.env = {
            "HOME": str(self.home), "PATH": f"{stubs}:/usr/bin:/bin", "TZ": "Europe/Berlin",
            "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "OPENCLAW_NOW": MORNING,
        }  # fmt: skip

    def run(self, command: str) -> list[str]:
        """What ``command`` prints, on both streams, with the home replaced."""
        done = subprocess.run(
            ["bash", "-c", command], env=self.env, cwd=self.home, check=False, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert "internal error" not in done.stdout, done.stdout
        text = done.stdout.replace(str(self.home), HOME_SHOWN)
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def live_through(text: str, shell: Shell) -> tuple[str, list[str]]:
    """``text`` with every block as it should be, and what differed in the old one."""
    wrong: list[str] = []

    def rewrite(found: re.Match[str]) -> str:
        steps = steps_of(found[1])
        if not is_run(steps):
            return found[0]
        blocks = []
        for step in steps:
            printed = shell.run(step.command)
            shown = step.shown
            if not matches(shown, printed):
                wrong.append("\n".join([f"$ {step.command}", *printed]))
                shown = shortened(shown, printed)
            blocks.append("\n".join([f"$ {step.command}", *shown]))
        # Commands that print much stand apart, silent ones below each other.
        return "```console\n" + "\n".join(_spaced(blocks)) + "\n```\n"

    return FENCE.sub(rewrite, text), wrong


def _spaced(blocks: list[str]) -> Iterator[str]:
    for place, block in enumerate(blocks):
        if place and "\n" in blocks[place - 1]:
            yield ""
        yield block


@pytest.mark.system
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document_shows_what_the_program_prints(path: Path, month: Path, tmp_path: Path) -> None:
    text = path.read_text()
    right, wrong = live_through(text, Shell(month, tmp_path))
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(right)
        return
    assert not wrong, f"{path.name} is out of date (UPDATE_DOCS=1 rewrites it):\n" + "\n\n".join(
        wrong
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text()):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_dots_stand_for_what_was_left_out() -> None:
    assert matches(["a", "...", "d ... f"], ["a", "b", "c", "d 1 e f"])
    assert matches(["...", "z"], ["z"])
    assert not matches(["a", "..."], ["b", "c"])
    assert not matches(["a"], ["a", "b"])
    assert shortened(["a", "...", "z"], ["A", "b", "c", "Z"]) == ["A", "...", "Z"]


def test_blocks_of_other_programs_are_not_run() -> None:
    assert not is_run(steps_of("$ make run\nall of it\n"))
    assert not is_run(steps_of("$ openclaw status\n$ openclaw jobs install\n"))
    assert is_run(steps_of("$ openclaw status\nOpenClaw status\n"))
