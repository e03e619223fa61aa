"""Files nested beyond reason: refused in one line, by name, and left as they are."""

from __future__ import annotations

from typing import Any

import pytest

DEEP = "[" * 700 + "]" * 700
FILES = {
    ".openclaw/agents/main/sessions/sessions.json": f'{{"agent:main:x": {{"x": {DEEP}}}}}',
    ".openclaw/cron/jobs.json": f'{{"version": 1, "jobs": [{{"id": "a", "x": {DEEP}}}]}}',
    ".openclaw/commitments/commitments.json": f'{{"version": 1, "commitments": [{DEEP}]}}',
    ".openclaw/workspace/memory/.dreams/short-term-recall.json": f'{{"entries": {{"a": {DEEP}}}}}',
    ".openclaw/openclaw.json": f'{{"a": {DEEP}}}',
}  # fmt: skip
COMMANDS = {
    ".openclaw/agents/main/sessions/sessions.json": [
        ("sessions", "--json"), ("sessions", "cleanup", "--enforce"), ("sessions", "reset", "x"),
    ],
    ".openclaw/cron/jobs.json": [("cron", "list", "--json"), ("cron", "run-due")],
    ".openclaw/commitments/commitments.json": [("commitments", "--json"),
                                               ("commitments", "dismiss", "a")],
    ".openclaw/workspace/memory/.dreams/short-term-recall.json": [("memory", "promote", "--json")],
    ".openclaw/openclaw.json": [("status",), ("config", "set", "session.dmScope", "main")],
}  # fmt: skip


def test_deep_parameters_and_trials_are_wrong_input(openclaw_inproc: Any, tree: Any) -> None:
    tree.config()
    done = openclaw_inproc("gateway", "call", "status", "--params", DEEP)
    assert (done.exit, done.out) == (1, "")
    assert "--params is no JSON" in done.err
    trial = tree.home / "trial.json"
    trial.write_text(DEEP)
    done = openclaw_inproc("dreaming", "shadow-trial", "record", str(trial))
    assert (done.exit, done.out) == (1, "")
    assert "is not JSON" in done.err


@pytest.mark.parametrize("path", FILES)
def test_every_command_refuses_a_deep_file_in_one_line_and_leaves_it(
    tree: Any, openclaw_inproc: Any, path: str
) -> None:
    if path != ".openclaw/openclaw.json":
        tree.config()
    target = tree.home / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(FILES[path])
    for argv in COMMANDS[path]:
        done = openclaw_inproc(*argv)
        assert (done.exit, done.out) == (1, ""), argv
        line = done.err.splitlines()[0]
        assert "nested too deeply" in line, argv
        assert target.name in line
    assert target.read_text() == FILES[path]
    assert openclaw_inproc("doctor").exit == 1
