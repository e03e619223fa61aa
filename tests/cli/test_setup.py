"""``openclaw setup`` (``sessions.md`` 16)."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders import Tree

from openclaw_cli.heartbeat import checklist

Run = Callable[..., Any]


def _snapshot(home: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_a_first_tree_is_private_and_commented(tree: Tree, openclaw_inproc: Run) -> None:
    document = openclaw_inproc("setup", "--json").json()
    config = tree.state / "openclaw.json"
    assert document["kept"] == []
    assert document["configPath"] == str(config)
    assert document["workspaceDir"] == str(tree.workspace)
    assert document["dmScope"] == "per-channel-peer"
    for folder in (tree.state, tree.workspace / "memory", tree.state / "agents/main/sessions"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert config.read_text().count("//") >= 4
    assert openclaw_inproc("config", "validate").exit == 0
    assert openclaw_inproc("config", "get", "session.dmScope").out.strip() == "per-channel-peer"
    assert openclaw_inproc("config", "get", "agents.defaults.workspace").out.strip() == (
        "~/.openclaw/workspace"
    )


def test_the_first_heartbeat_file_costs_nothing(tree: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("setup")
    text = (tree.workspace / "HEARTBEAT.md").read_text()
    parsed = checklist.parse(text)
    assert parsed.is_empty
    assert not parsed.tasks


def test_a_second_run_changes_nothing(tree: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("setup")
    before = _snapshot(tree.home)
    document = openclaw_inproc("setup", "--json").json()
    assert document["created"] == []
    assert len(document["kept"]) == 6
    assert _snapshot(tree.home) == before


def test_a_dry_run_creates_nothing_and_tells_the_truth(tree: Tree, openclaw_inproc: Run) -> None:
    planned = openclaw_inproc("setup", "--dry-run", "--exit-code", "--json")
    assert planned.exit == 3
    assert not tree.state.exists()
    assert openclaw_inproc("setup", "--json").json()["created"] == planned.json()["created"]
    assert openclaw_inproc("setup", "--dry-run", "--exit-code").exit == 0


def test_an_existing_config_gets_the_scope_only(tree: Tree, openclaw_inproc: Run) -> None:
    text = "{\n  // mine\n  agents: { defaults: { workspace: '~/w' } },\n}\n"
    config = tree.file(".openclaw/openclaw.json", text)
    run = openclaw_inproc("setup", "--workspace", "~/other", "--json")
    document = run.json()
    assert f"{config}: session.dmScope" in document["created"]
    assert document["workspaceDir"] == str(tree.home / "w")
    assert "// mine" in config.read_text()
    assert "workspace: '~/w'" in config.read_text()
    assert openclaw_inproc("config", "get", "session.dmScope").out.strip() == "per-channel-peer"
    assert "stays" in run.err
    assert not (tree.home / "other").exists()


def test_an_explicit_scope_stays(tree: Tree, openclaw_inproc: Run) -> None:
    config = tree.config(session={"dmScope": "main"})
    before = config.read_bytes()
    assert openclaw_inproc("setup", "--json").json()["dmScope"] == "main"
    assert config.read_bytes() == before


def test_a_workspace_of_ones_own(tree: Tree, openclaw_inproc: Run) -> None:
    run = openclaw_inproc("setup", "--workspace", 'my "notes"', "--json")
    assert run.json()["workspaceDir"] == str(tree.home / 'my "notes"')
    got = openclaw_inproc("config", "get", "agents.defaults.workspace").out.strip()
    assert got == '~/my "notes"'
    assert (tree.home / 'my "notes"' / "HEARTBEAT.md").is_file()


def test_a_file_in_the_way_stops_before_anything_is_made(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file(".openclaw/workspace", "a file")
    run = openclaw_inproc("setup")
    assert run.exit == 1
    assert "in the way" in run.err
    assert not (tree.state / "openclaw.json").exists()


def test_a_broken_config_is_left_alone(tree: Tree, openclaw_inproc: Run) -> None:
    config = tree.file(".openclaw/openclaw.json", "{ agents: ")
    run = openclaw_inproc("setup")
    assert run.exit == 1
    assert config.read_text() == "{ agents: "
    assert not tree.workspace.exists()


def test_flags_of_the_reference_are_accepted(tree: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("setup", "--baseline", "--non-interactive").exit == 0


def test_a_config_that_is_wrong_already_is_left_alone(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file(".openclaw/openclaw.json", '{session: {dmScop: "main"}}')
    before = _snapshot(tree.home)
    done = openclaw_inproc("setup", "--json")
    assert (done.exit, done.out, done.error["code"]) == (1, "", "config-invalid")
    assert _snapshot(tree.home) == before
