"""Backfill, staging and rollback killed, or refused by the disk, at every write."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import faults
import pytest
import recall_rows
from recall_rows import row

from openclaw_cli.memory.workspace import Workspace

NOW = "2026-11-20T03:00:00Z"
NOTE = "## Preferences\n- Prefers short status updates.\n- Always use the metric system.\n"
OWN = "# Mine\n\nOwn words.\n"
FILL = ["memory", "rem-backfill", "--path", "{notes}", "--stage-short-term"]
EMPTY = ["memory", "rem-backfill", "--rollback", "--rollback-short-term"]

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not faults.available(), reason="needs strace"),
]


def make_home(folder: Path, *, filled: bool = False) -> Path:
    """A home with two notes, an own diary and a live entry; ``filled`` after a backfill."""
    workspace = Workspace(folder / ".openclaw/workspace")
    for day in ("2026-11-10", "2026-11-11"):
        recall_rows.note(workspace, day, *NOTE.splitlines())
    recall_rows.write(workspace, row())
    (workspace.root / "DREAMS.md").write_text(OWN)
    if filled:
        assert faults.run(folder, words(folder, FILL), now=NOW).returncode == 0
    return folder


def words(home: Path, command: list[str]) -> list[str]:
    return [word.replace("{notes}", str(home / ".openclaw/workspace/memory")) for word in command]


def states(home: Path) -> dict[str, bytes]:
    """The diary, the store and the signals."""
    wanted = ("DREAMS.md", "short-term-recall.json", "phase-signals.json")
    return {path: data for path, data in faults.snapshot(home).items() if path.endswith(wanted)}


@pytest.mark.parametrize("fault", ["signal=KILL", "error=ENOSPC"])
@pytest.mark.parametrize(
    ("command", "filled"), [(FILL, False), (FILL, True), (EMPTY, True)],
    ids=["fill", "fill-again", "roll-back"],
)  # fmt: skip
def test_old_or_new_at_any_moment_and_new_after_another_run(
    tmp_path: Path, command: list[str], filled: bool, fault: str
) -> None:
    clean = make_home(tmp_path / "clean", filled=filled)
    old = states(clean)
    assert faults.run(clean, words(clean, command), now=NOW).returncode == 0
    new, wanted = states(clean), faults.snapshot(clean)
    counting = make_home(tmp_path / "count", filled=filled)
    counts = faults.count_calls(
        counting, words(counting, command), now=NOW, report=tmp_path / "report"
    )
    problems = []
    for label, _, tracing in faults.places(counts, (fault,)):
        home = make_home(tmp_path / "trial", filled=filled)
        hit = faults.run(home, words(home, command), now=NOW, tracing=tracing)
        if "Traceback" in hit.stderr:
            problems.append(f"{label}: {hit.stderr.strip()[-300:]}")
        for path, data in states(home).items():
            if data not in (old.get(path), new.get(path)):
                problems.append(f"{label}: {path} is neither old nor new")
            if path.endswith(".json"):
                json.loads(data)
        again = faults.run(home, words(home, command), now=NOW)
        if again.returncode:
            problems.append(f"{label}: second run exit {again.returncode}: {again.stderr[-300:]}")
        differing = faults.differing(wanted, faults.snapshot(home))
        problems += [f"{label}: {path} differs" for path in differing]
        shutil.rmtree(home)
    assert not problems, "\n".join(problems)


def test_what_a_killed_backfill_left_is_rolled_back_too(tmp_path: Path) -> None:
    before = faults.snapshot(make_home(tmp_path / "before"))
    counting = make_home(tmp_path / "count")
    counts = faults.count_calls(
        counting, words(counting, FILL), now=NOW, report=tmp_path / "report"
    )
    problems = []
    for label, _, tracing in faults.places({"rename": counts["rename"]}, ("signal=KILL",)):
        home = make_home(tmp_path / "trial")
        faults.run(home, words(home, FILL), now=NOW, tracing=tracing)
        assert faults.run(home, EMPTY, now=NOW).returncode == 0
        if faults.snapshot(home) != before:
            problems.append(label)
        shutil.rmtree(home)
    assert not problems
