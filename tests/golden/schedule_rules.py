"""Recordings of the managed task: driven through a list of jobs, not through our files.

``dreaming cron --jobs FILE`` is ``dreaming reconcile`` on a tree whose ``cron.store`` is that
file. The recorded calls and log lines are the driver's; what counts is the list of tasks
that is there afterwards, in the answer and on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from golden.harness import Expectation, subset

if TYPE_CHECKING:
    from golden.harness import Case, Outcome


def applies(case: Case) -> bool:
    """Whether the recording is one of these."""
    return bool(case.spec["argv"][:2] == ["dreaming", "cron"])


def argv() -> list[str]:
    """Our command for it."""
    return ["dreaming", "reconcile", "--json"]


@contextmanager
def surroundings(case: Case) -> Iterator[dict[str, str]]:
    """A configuration that names the list of the recording as the store."""
    config = json.loads((case.folder / "home/.openclaw/openclaw.json").read_text())
    words = case.spec["argv"]
    if "--jobs" in words:
        config["cron"] = {"store": f"~/{words[words.index('--jobs') + 1]}"}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "openclaw.json"
        path.write_text(json.dumps(config))
        yield {"OPENCLAW_CONFIG_PATH": str(path)}


def expectation(case: Case) -> Expectation | None:
    """What is compared; None for other recordings."""
    if not applies(case):
        return None
    return Expectation(
        json_ignore=["calls", "logs", *(["jobs[].id"] if _adds(case) else [])],
        check=lambda outcome: _on_disk(case, outcome),
    )


def _adds(case: Case) -> bool:
    return any(call["op"] == "add" for call in json.loads(case.expected("stdout"))["calls"])


def _on_disk(case: Case, outcome: Outcome) -> list[str]:
    """Whether the store holds the recorded tasks."""
    stores = (outcome.home / "jobs.json", outcome.home / ".openclaw/cron/jobs.json")
    path = next(path for path in stores if path.exists())
    document: Any = json.loads(path.read_text())
    rows = document if isinstance(document, list) else document["jobs"]
    wanted = json.loads(case.expected("stdout"))["jobs"]
    return subset(wanted, rows, "store", {"store[].id"} if _adds(case) else set())
