"""Two programs that change the follow-up store at the same time lose nothing."""

from __future__ import annotations

import os
import subprocess

import pytest
from builders import Tree
from conftest import PROGRAM
from followups import PATH, document, row

from openclaw_cli.delivery import outbox
from openclaw_cli.state.paths import Paths

pytestmark = pytest.mark.system


def test_every_dismissal_of_many_processes_arrives(tree: Tree) -> None:
    ids = [f"cm_{n}" for n in range(6)]
    tree.json(PATH, document(*(row(row_id) for row_id in ids)))
    children = [
        subprocess.Popen(
            [str(PROGRAM), "commitments", "dismiss", row_id],
            cwd=tree.home, env=dict(os.environ), stdout=subprocess.DEVNULL,
        )
        for row_id in ids
    ]  # fmt: skip
    assert [child.wait(60) for child in children] == [0] * 6
    assert {r["status"] for r in tree.read(PATH)["commitments"]} == {"dismissed"}
    assert len(tree.lines(".openclaw/logs/changes.jsonl")) == 6
    assert os.listdir(tree.state / "commitments") == ["commitments.json"]


def test_every_queued_message_of_many_processes_is_recorded(tree: Tree) -> None:
    children = [
        subprocess.Popen(
            [str(PROGRAM), "channels", "test", "telegram", "--to", str(n)],
            cwd=tree.home, env=dict(os.environ), stdout=subprocess.DEVNULL,
        )
        for n in range(6)
    ]  # fmt: skip
    assert [child.wait(60) for child in children] == [0] * 6
    found = outbox.load(Paths.from_env())
    assert sorted(record["to"] for record in found) == [str(n) for n in range(6)]
    assert len({record["id"] for record in found}) == 6


def test_of_two_retries_at_once_only_one_sends(tree: Tree) -> None:
    body = "#!/bin/sh\ncat >/dev/null\nsleep 0.5\necho x >> carried\n"
    script = tree.file("carry.sh", body)
    script.chmod(0o755)
    own = {"entries": {"openclaw-cli": {"config": {"channels": {"pager": {
        "command": [str(script)]}}}}}}  # fmt: skip
    tree.config(plugins=own)
    failed = {"id": "ob_f", "ts": 1, "channel": "pager", "to": "ann", "text": "x",
              "source": "agent", "status": "failed", "attempts": 1}  # fmt: skip
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [failed])
    children = [
        subprocess.Popen(
            [str(PROGRAM), "outbox", "retry", "ob_f"],
            cwd=tree.home, env=dict(os.environ), stdout=subprocess.DEVNULL,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert sorted(child.wait(60) for child in children) in ([0, 0], [0, 1])
    assert (tree.home / "carried").read_text() == "x\n"
