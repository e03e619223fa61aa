"""Killing a command, or failing a system call, at every place where it writes.

Uses strace: a clean run counts the calls that change files, then each one is hit in a
fresh tree, the command is run once more, and the tree must be as after the clean run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("openclaw"))
CALLS = "write,fsync,rename,link,linkat,unlink,mkdir"
VOLATILE = ("logs", "jobs")


def available() -> bool:
    """Whether strace is there and may trace."""
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return tried.returncode == 0


def run(
    home: Path, words: list[str], *, now: str, tracing: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program in ``home``, under strace where ``tracing`` is given."""
    prefix = ["strace", "-f", "--seccomp-bpf", *tracing] if tracing else []
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENCLAW_")}
    env |= {"HOME": str(home), "OPENCLAW_NOW": now, "TZ": "UTC"}
    return subprocess.run(
        [*prefix, PROGRAM, *words],
        cwd=home, env=env, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def count_calls(home: Path, words: list[str], *, now: str, report: Path) -> dict[str, int]:
    """How often a run makes each of the calls that change files."""
    run(home, words, now=now, tracing=["-c", "-o", str(report), "-e", f"trace={CALLS}"])
    rows = re.findall(
        r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", report.read_text(), re.M
    )
    return {name: int(count) for count, name in rows if name != "total"}


def places(counts: dict[str, int], faults: tuple[str, ...]) -> Iterator[tuple[str, str, list[str]]]:
    """A label, the call and the strace options for each place and fault."""
    for call, count in counts.items():
        for number in range(1, count + 1):
            for fault in faults:
                inject = f"inject={call}:{fault}:when={number}"
                tracing = ["-o", os.devnull, "-e", f"trace={call}", "-e", inject]
                yield f"{call} #{number} {fault}", call, tracing


def snapshot(home: Path) -> dict[str, bytes]:
    """The files that must be as after an undisturbed run."""
    found = {}
    for path in home.rglob("*"):
        parts = path.relative_to(home).parts
        passing = path.suffix in (".lock", ".tmp") or any(part in VOLATILE for part in parts)
        if path.is_file() and not passing:
            text = path.read_bytes().replace(str(home).encode(), b"~")
            found["/".join(parts)] = text
    return found


def differing(wanted: dict[str, bytes], got: dict[str, bytes]) -> list[str]:
    """The files of two snapshots that are not the same in both."""
    return [
        path for path in sorted(wanted.keys() | got.keys()) if wanted.get(path) != got.get(path)
    ]
