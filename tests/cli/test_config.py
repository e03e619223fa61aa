"""``openclaw config``: get, set, unset, file, schema, validate."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyjson5
import pytest
from builders import Tree

from openclaw_cli import __version__

Run = Callable[..., Any]

BY_HAND = """\
// household assistant, edited by hand
{
  agents: {
    defaults: { workspace: "~/.openclaw/workspace" },
    list: [ { id: "main", default: true }, { id: "work" }, { id: "garden" } ],
  },
  // three weeks: the accountant asks for invoices late
  session: { maintenance: { pruneAfter: "21d", /* not less than 200 */ maxEntries: 250 } },
}
"""
STAMP = (
    f'  meta: {{\n    lastTouchedVersion: "{__version__}",\n'
    '    lastTouchedAt: "2026-11-20T03:00:00.000Z"\n  },\n'
)


@pytest.fixture
def path(tree: Tree) -> Path:
    return tree.file(".openclaw/openclaw.json", BY_HAND)


def data(path: Path) -> Any:
    return pyjson5.decode(path.read_text())


def test_get_prints_text_bare_and_the_rest_as_json(openclaw_inproc: Run, path: Path) -> None:
    assert openclaw_inproc("config", "get", "agents.list[1].id").out == "work\n"
    assert openclaw_inproc("config", "get", "agents.list[0].default").out == "true\n"
    shown = openclaw_inproc("config", "get", "session")
    assert shown.json() == {"maintenance": {"pruneAfter": "21d", "maxEntries": 250}}
    assert openclaw_inproc("config", "get", "session.maintenance.pruneAfter", "--json").out == (
        '"21d"\n'
    )


@pytest.mark.parametrize("key", ["session.dmScope", "agents.list[3]", "agents.list.1", "a.b.c"])
def test_get_of_what_is_not_there_is_exit_1(openclaw_inproc: Run, path: Path, key: str) -> None:
    done = openclaw_inproc("config", "get", key, "--json")
    assert (done.exit, done.out) == (1, "")
    assert done.error["code"] == "unknown-name"
    assert f"config path not found: {key}" in done.err


@pytest.mark.parametrize(
    "key", ["", "a..b", ".a", "a.", "a[", "a[x]", "a[-1]", "a[01]", "a[0]b", "[0]", 'a["b"]']
)
def test_anything_else_is_no_path(openclaw_inproc: Run, path: Path, key: str) -> None:
    for argv in (["get", key], ["set", key, "1"], ["unset", key]):
        done = openclaw_inproc("config", *argv)
        assert (done.exit, done.out) == (2, "")
    assert path.read_text() == BY_HAND


def test_set_changes_one_value_and_the_stamps(openclaw_inproc: Run, path: Path) -> None:
    path.chmod(0o644)
    done = openclaw_inproc("config", "set", "session.maintenance.maxEntries", "300")
    assert done.exit == 0
    assert "Updated session.maintenance.maxEntries" in done.out
    changed = BY_HAND.replace("maxEntries: 250", "maxEntries: 300")
    assert path.read_text() == changed.replace("\n}\n", "\n" + STAMP + "}\n")
    assert path.with_name("openclaw.json.bak").read_text() == BY_HAND
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.with_name("openclaw.json.bak").stat().st_mode) == 0o600
    assert sorted(p.name for p in path.parent.iterdir()) == ["openclaw.json", "openclaw.json.bak"]


def test_set_twice_writes_once(openclaw_inproc: Run, path: Path) -> None:
    openclaw_inproc("config", "set", "session.dmScope", "main")
    before = path.read_text()
    done = openclaw_inproc("config", "set", "session.dmScope", "main", now="2026-12-01T00:00:00Z")
    assert done.exit == 0
    assert "nothing was written" in done.out
    assert path.read_text() == before
    assert path.with_name("openclaw.json.bak").read_text() == BY_HAND


def test_set_creates_the_file(openclaw_inproc: Run, home: Path) -> None:
    done = openclaw_inproc("config", "set", "commitments.enabled", "true", "--json")
    path = home / ".openclaw/openclaw.json"
    assert done.json() == {
        "action": "set",
        "key": "commitments.enabled",
        "path": str(path),
        "changed": True,
        "before": None,
        "after": True,
        "backup": None,
        "dryRun": False,
    }
    assert data(path)["commitments"] == {"enabled": True}
    assert set(data(path)["meta"]) == {"lastTouchedVersion", "lastTouchedAt"}
    assert not path.with_name("openclaw.json.bak").exists()


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("commitments.enabled", "true", True),
        ("commitments.maxPerDay", "3", 3),
        ("session.reset", "{mode:'daily',atHour:4}", {"mode": "daily", "atHour": 4}),
        ("session.mainKey", "123", "123"),
        ("session.mainKey", "true", "true"),
        ("session.mainKey", "'quoted'", "quoted"),
        ("session.mainKey", "null", "null"),
        ("session.maintenance.pruneAfter", "30", 30),
        ("session.maintenance.pruneAfter", "30d", "30d"),
        ("session.maintenance.resetArchiveRetention", "false", False),
        ("session.resetTriggers", '["/x"]', ["/x"]),
        ("session.identityLinks.alice", "['telegram:1']", ["telegram:1"]),
        ("agents.defaults.workspace", "~/ws", "~/ws"),
        ("agents.defaults.model", "ollama/llama3.2", "ollama/llama3.2"),
        ("agents.defaults.model", "{primary: 'a/b'}", {"primary": "a/b"}),
        ("agents.list[1].id", "5", "5"),
        ("agents.list[3]", "{id: 'new'}", {"id": "new"}),
        ("channels.discord.guilds.123456789012345678.requireMention", "true", True),
        ("channels.telegram.allowFrom[0]", "123456789012345678", "123456789012345678"),
        ("channels.telegram.limit", "5", 5),
        ("gateway.port", "18789", 18789),
        ("gateway.note", "two words", "two words"),
        ("gateway.nothing", "null", None),
        ("cli.budget.maxTokensPerDay", "1000", 1000),
    ],
)
def test_values_are_read_by_what_the_key_takes(
    openclaw_inproc: Run, path: Path, key: str, text: str, value: Any
) -> None:
    done = openclaw_inproc("config", "set", key, text)
    assert (done.exit, done.err) == (0, "")
    found = data(path)
    for part in key.replace("[", ".[").split("."):
        if part == "cli":
            found = found["plugins"]["entries"]["openclaw-cli"]["config"]
        else:
            found = found[int(part[1:-1])] if part.startswith("[") else found[part]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("commitments.enabled", "ture", "commitments.enabled: expected true or false, not 'ture'"),
        ("commitments.maxPerDay", "1e400", "expected a whole number of at least 1, not '1e400'"),
        ("commitments.maxPerDay", "NaN", "expected a whole number of at least 1, not 'NaN'"),
        ("commitments.maxPerDay", "many", "a whole number"),
        ("session.dmScope", "per-user", "one of main, per-peer, per-channel-peer"),
        ("session.reset", "{mode:'daily',atHour:24}", "session.reset.atHour: expected a whole"),
        ("session.resetTriggers", "/x", "session.resetTriggers: expected a list of text values"),
        ("session.dmScop", "main", "did you mean dmScope"),
        ("session.maintenance.pruneAfter", "soon", "'soon' is no duration"),
        ("agents.list[0].default", "yes", "agents.list[0].default: expected true or false"),
        ("agents.defaults.session", "{}", "move agents.defaults.session to session"),
        ("agents.defaults.userTimezone", "Mars/X", "is no known time zone"),
        ("agents.list.1.workspace", "x", "agents.list is a list: address its items as"),
        ("agents.list[9].id", "x", "3 item(s)"),
        ("session.maintenance.mode.x", "1", "session.maintenance.mode: expected one of"),
        ("session.maintenance.pruneAfter.x", "1", "is a single value, not an object"),
        ("cli.bugdet.maxTokensPerDay", "1", "did you mean budget"),
    ],
)
def test_what_breaks_the_schema_is_refused_and_nothing_is_written(
    openclaw_inproc: Run, path: Path, key: str, text: str, expected: str
) -> None:
    done = openclaw_inproc("config", "set", key, text)
    assert (done.exit, done.out) == (1, "")
    assert expected in done.err
    assert path.read_text() == BY_HAND
    assert os.listdir(path.parent) == ["openclaw.json"]


def test_strict_json_wants_json(openclaw_inproc: Run, path: Path) -> None:
    for flag in ("--strict-json", "--json"):
        refused = openclaw_inproc("config", "set", "session.mainKey", "bare", flag)
        assert (refused.exit, refused.out) == (2, "")
        done = openclaw_inproc("config", "set", "session.mainKey", f'"{flag[2:]}"', flag)
        assert done.exit == 0
        assert data(path)["session"]["mainKey"] == flag[2:]
    refused = openclaw_inproc("config", "set", "gateway.x", "NaN", "--strict-json")
    assert refused.exit == 2


def test_an_old_fault_does_not_stop_a_repair(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.file(".openclaw/openclaw.json", "{ session: { dmScop: 'main', idleMinutes: -1 } }")
    assert openclaw_inproc("config", "set", "session.idleMinutes", "5").exit == 0
    assert openclaw_inproc("config", "unset", "session.dmScop").exit == 0
    assert data(path)["session"] == {"idleMinutes": 5}
    assert openclaw_inproc("config", "validate").exit == 0


def test_unset_removes_one_list_item(openclaw_inproc: Run, path: Path) -> None:
    done = openclaw_inproc("config", "unset", "agents.list[1]")
    assert done.exit == 0
    assert [entry["id"] for entry in data(path)["agents"]["list"]] == ["main", "garden"]
    assert "// three weeks" in path.read_text()
    before = path.read_text()
    missing = openclaw_inproc("config", "unset", "agents.list[7]")
    assert (missing.exit, missing.out) == (1, "")
    assert "config path not found: agents.list[7]" in missing.err
    assert path.read_text() == before


def test_unset_of_nothing_creates_nothing(openclaw_inproc: Run, home: Path) -> None:
    assert openclaw_inproc("config", "unset", "session").exit == 1
    assert not (home / ".openclaw/openclaw.json").exists()


def test_dry_runs_change_nothing(openclaw_inproc: Run, path: Path) -> None:
    done = openclaw_inproc("config", "set", "session.mainKey", "x", "--dry-run", "--exit-code")
    assert done.exit == 3
    assert done.out.startswith("Would set session.mainKey")
    done = openclaw_inproc("config", "unset", "session", "--dry-run")
    assert done.exit == 0
    assert done.out.startswith("Would remove session")
    same = ("config", "set", "session.maintenance.maxEntries", "250", "--dry-run", "--exit-code")
    assert openclaw_inproc(*same).exit == 0
    assert openclaw_inproc("config", "set", "session.dmScope", "no", "--dry-run").exit == 1
    assert path.read_text() == BY_HAND
    assert os.listdir(path.parent) == ["openclaw.json"]


def test_secrets_are_never_printed(openclaw_inproc: Run, path: Path) -> None:
    key = "models.providers.openai.apiKey"
    for argv in (
        ["config", "set", key, "sk-hunter2"],
        ["config", "get", key],
        ["config", "get", "models", "--json"],
        ["config", "set", key, '"sk-hunter2-new"', "--json"],
        ["config", "unset", key],
    ):
        done = openclaw_inproc(*argv)
        assert done.exit == 0
        assert "hunter2" not in done.out + done.err
    refused = openclaw_inproc("config", "set", key, "__OPENCLAW_REDACTED__")
    assert refused.exit == 2


def test_a_reference_is_shown_unresolved(openclaw_inproc: Run, path: Path) -> None:
    key = "models.providers.openai.apiKey"
    openclaw_inproc("config", "set", key, "${OPENAI_API_KEY}")
    shown = openclaw_inproc("config", "get", key, env={"OPENAI_API_KEY": "sk-hunter2"})
    assert shown.out == "${OPENAI_API_KEY}\n"


def test_a_linked_file_is_changed_where_it_is(openclaw_inproc: Run, tree: Tree, home: Path) -> None:
    target = tree.file("dotfiles/openclaw.json", "{}\n")
    link = home / ".openclaw/openclaw.json"
    link.parent.mkdir()
    link.symlink_to(target)
    assert openclaw_inproc("config", "set", "session.mainKey", "x").exit == 0
    assert link.is_symlink()
    assert data(target)["session"] == {"mainKey": "x"}
    assert link.with_name("openclaw.json.bak").read_text() == "{}\n"


def test_toml_is_edited_in_place(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.file(".openclaw/openclaw.toml", "# mine\n[session]\nidleMinutes = 60 # hour\n")
    assert openclaw_inproc("config", "set", "session.idleMinutes", "90").exit == 0
    assert path.read_text() == (
        "# mine\n[session]\nidleMinutes = 90 # hour\n\n[meta]\n"
        f'lastTouchedVersion = "{__version__}"\nlastTouchedAt = "2026-11-20T03:00:00.000Z"\n'
    )
    assert openclaw_inproc("config", "get", "session.idleMinutes").out == "90\n"
    assert openclaw_inproc("config", "set", "session.dmScope", "x").exit == 1
    assert openclaw_inproc("config", "set", "gateway.x", "null").exit == 1
    assert openclaw_inproc("config", "unset", "session").exit == 0
    assert "session" not in path.read_text()


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("agents.list.1.id", "agents.list is a list: address its items as agents.list[0]"),
        ("session[0]", "session is no list"),
        ("session.dmScope.x", "session.dmScope is a single value, not an object"),
        ("agents.list[5].id", "the list has 1 item(s), so there is no [5]"),
    ],
)
def test_a_path_that_does_not_fit_is_explained_for_both_formats(
    openclaw_inproc: Run, tree: Tree, key: str, reason: str
) -> None:
    tree.file(".openclaw/openclaw.json", '{agents: {list: [{}]}, session: {dmScope: "main"}}')
    assert reason in openclaw_inproc("config", "set", key, "x").err
    (tree.state / "openclaw.json").unlink()
    tree.file(".openclaw/openclaw.toml", '[[agents.list]]\n[session]\ndmScope = "main"\n')
    done = openclaw_inproc("config", "set", key, "x")
    assert (done.exit, reason in done.err) == (1, True), done.err


def test_the_last_dotted_key_of_a_toml_table_can_go(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.file(".openclaw/openclaw.toml", 'session.reset.mode = "idle"\nx = 1\n')
    assert openclaw_inproc("config", "unset", "session.reset.mode").exit == 0
    assert path.read_text().startswith("x = 1\n")


def test_a_lock_of_somebody_else_is_waited_for_and_reported(
    openclaw_inproc: Run, path: Path
) -> None:
    path.with_name("openclaw.json.lock").write_text(
        f'{{"pid": {os.getppid()}, "createdAt": "2026-11-20T02:59:59.000Z"}}'
    )
    done = openclaw_inproc(
        "config", "set", "session.mainKey", "x", env={"OPENCLAW_LOCK_TIMEOUT": "0.1"}
    )
    assert done.exit == 75
    assert path.read_text() == BY_HAND


def test_file_prints_where_it_is(openclaw_inproc: Run, home: Path) -> None:
    expected = home / ".openclaw/openclaw.json"
    assert openclaw_inproc("config", "file").out == f"{expected}\n"
    assert openclaw_inproc("config", "file", "--json").json() == {
        "path": str(expected),
        "exists": False,
    }
    named = openclaw_inproc("config", "file", env={"OPENCLAW_CONFIG_PATH": "/etc/x.toml"})
    assert named.out == "/etc/x.toml\n"


def test_schema_is_one_document(openclaw_inproc: Run) -> None:
    schema = openclaw_inproc("config", "schema").json()
    assert schema["properties"]["session"]["additionalProperties"] is False
    assert schema["properties"]["session"]["properties"]["dmScope"]["enum"][0] == "main"


def test_validate_valid(openclaw_inproc: Run, path: Path) -> None:
    assert openclaw_inproc("config", "validate").exit == 0
    assert openclaw_inproc("config", "validate", "--json").json() == {
        "valid": True,
        "path": str(path),
        "warnings": [],
    }


def test_validate_invalid(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.config(session={"dmScop": "main"}, agents={"defaults": {"session": {}}})
    done = openclaw_inproc("config", "validate", "--json")
    assert done.exit == 1
    document = done.json()
    assert (document["valid"], document["path"], document["warnings"]) == (False, str(path), [])
    assert [issue["path"] for issue in document["issues"]] == [
        "session.dmScop",
        "agents.defaults.session",
    ]
    text = openclaw_inproc("config", "validate")
    assert text.exit == 1
    assert "error: session.dmScop: unknown key; did you mean dmScope" in text.out


@pytest.mark.parametrize("text", ["{ session: ", "[]", None])
def test_validate_of_what_cannot_be_read(
    openclaw_inproc: Run, tree: Tree, text: str | None
) -> None:
    if text is not None:
        tree.file(".openclaw/openclaw.json", text)
    done = openclaw_inproc("config", "validate", "--json")
    assert done.exit == 1
    document = done.json()
    assert document["valid"] is False
    assert document["path"].endswith("openclaw.json")
    assert len(document["issues"]) == 1


def test_two_files_are_invalid(openclaw_inproc: Run, tree: Tree) -> None:
    tree.file(".openclaw/openclaw.json", "{}")
    tree.file(".openclaw/openclaw.toml", "")
    for argv in (["get", "x"], ["set", "x", "1"], ["unset", "x"], ["file"]):
        assert openclaw_inproc("config", *argv).exit == 1
    document = openclaw_inproc("config", "validate", "--json").json()
    assert "openclaw.toml" in document["issues"][0]["message"]


def test_damaged_text_is_left_alone(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.file(".openclaw/openclaw.json", '{ session: { a: 1 "b" } }')
    done = openclaw_inproc("config", "set", "session.mainKey", "x")
    assert done.exit == 1
    assert "openclaw.json:1:19" in done.err
    assert path.read_text() == '{ session: { a: 1 "b" } }'


@pytest.mark.parametrize("argv", [["get"], ["set", "x"], ["unset"], ["get", "a", "b"], ["purge"]])
def test_wrong_usage_is_exit_2(openclaw_inproc: Run, argv: list[str]) -> None:
    done = openclaw_inproc("config", *argv)
    assert (done.exit, done.out) == (2, "")


def test_reading_and_checking_imports_no_heavy_library(openclaw: Run, tree: Tree) -> None:
    import subprocess
    import sys

    tree.file(".openclaw/openclaw.json", BY_HAND)
    code = (
        "import sys\n"
        "from openclaw_cli.config.load import load\n"
        "from openclaw_cli.state.paths import Paths\n"
        "load(Paths.from_env())\n"
        "print(*sorted(sys.modules))\n"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"tomlkit", "tomllib", "difflib", "zoneinfo", "openai", "subprocess", "logging"}
    assert not heavy & set(loaded.stdout.split())
