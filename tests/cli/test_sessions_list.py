"""``openclaw sessions``: the list (``sessions.md`` 11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.cli.commands import sessions
from openclaw_cli.config.load import load
from openclaw_cli.sessions import listing
from openclaw_cli.sessions.discovery import Source, Target
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
Run = Callable[..., Any]


def _row(session_id: str, age_ms: int = 0, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - age_ms, **more}


@pytest.fixture
def two_agents(tree: Tree) -> Tree:
    """Two agents with a session each, and a store of an agent that nobody configured."""
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.sessions({"agent:main:main": _row("m", 60_000)})
    tree.sessions({"agent:work:main": _row("w", 0)}, agent="work")
    tree.sessions({"agent:ghost:main": _row("g")}, agent="ghost")
    return tree


def test_the_table_has_the_columns_of_the_reference(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions(
        {
            "agent:main:main": _row("m", 60_000, model="gpt-5", totalTokens=12345, systemSent=True),
            "agent:main:telegram:direct:123456789": _row("t", 7_200_000),
        }
    )
    run = openclaw_inproc("sessions")
    store = tree.state / "agents/main/sessions/sessions.json"
    assert run.exit == 0
    assert run.out.splitlines() == [
        f"Session store: {store}",
        "Sessions listed: 2",
        "Kind        Key                        Age       Model          Runtime            "
        "Tokens (ctx %)       Flags",
        "direct      agent:main:main            1m ago    gpt-5          OpenClaw Default   "
        "12k/200k (6%)        system id:m",
        "direct      agent:main:teleg...456789  2h ago    -              OpenClaw Default   "
        "unknown/200k (?%)    id:t",
    ]


def test_verbose_adds_exact_times_and_names(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row("m", label="home")})
    out = openclaw_inproc("sessions", "--verbose").out
    assert "2026-11-20T03:00:00.000Z home" in out


def test_all_agents_adds_their_column_and_names_other_stores(
    two_agents: Tree, openclaw_inproc: Run
) -> None:
    run = openclaw_inproc("sessions", "--all-agents")
    lines = run.out.splitlines()
    assert lines[0] == "Session stores: 2 (main, work)"
    assert lines[2].startswith("Agent      Kind")
    assert [line.split()[0] for line in lines[3:]] == ["work", "main"]
    assert "agents/ghost/sessions/sessions.json" in run.err
    assert "--store" in run.err


def test_one_damaged_store_of_several_is_reported_and_fails(
    two_agents: Tree, openclaw_inproc: Run
) -> None:
    two_agents.file(".openclaw/agents/work/sessions/sessions.json", "{")
    run = openclaw_inproc("sessions", "--all-agents", "--json")
    document = run.json()
    assert run.exit == 1
    assert [row["sessionId"] for row in document["sessions"]] == ["m"]
    assert "error" not in document["stores"][0]
    assert "not JSON" in document["stores"][1]["error"]


def test_a_damaged_store_is_an_error_and_no_list(tree: Tree, openclaw_inproc: Run) -> None:
    tree.file(".openclaw/agents/main/sessions/sessions.json", '{"agent:main:main": {')
    run = openclaw_inproc("sessions", "--json")
    assert (run.exit, run.out) == (1, "")
    assert run.error["code"] == "store-unreadable"
    assert "sessions.json" in run.error["message"]


def test_json_holds_every_row_and_text_a_hundred(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({f"agent:main:s{n}": _row(f"s{n}", n) for n in range(130)})
    document = openclaw_inproc("sessions", "--json").json()
    assert (document["count"], document["limitApplied"], document["hasMore"]) == (130, None, False)
    text = openclaw_inproc("sessions").out
    assert "Sessions listed: 100 of 130 (limit 100)" in text
    assert "Sessions listed: 130\n" in openclaw_inproc("sessions", "--limit", "all").out
    limited = openclaw_inproc("sessions", "--limit", "2", "--json").json()
    assert (limited["count"], limited["totalCount"], limited["limitApplied"]) == (2, 130, 2)
    lines = openclaw_inproc("sessions", "--jsonl").out.splitlines()
    assert len(lines) == 130
    assert json.loads(lines[0])["sessionId"] == "s0"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--active", "0"], "--active must be a positive number of minutes"),
        (["--active", "30x"], "for example --active 30"),
        (["--limit", "0"], '--limit must be a positive integer or "all"'),
        (["--limit", "-1"], "--limit"),
        (["--agent", "main", "--all-agents"], "--agent and --all-agents cannot be used together"),
        (["--store", "x", "--agent", "main"], "--store cannot be combined"),
        (["--bogus"], "--bogus"),
        (["extra"], "extra"),
        (["--active", "5", "show", "main"], "--active belongs to 'sessions list'"),
        (["--limit", "5", "who"], "--limit belongs to 'sessions list'"),
    ],
)
def test_wrong_usage_exits_2_with_one_line(
    tree: Tree, openclaw_inproc: Run, argv: list[str], words: str
) -> None:
    run = openclaw_inproc("sessions", *argv)
    assert (run.exit, run.out) == (2, "")
    assert words in run.err
    assert len(run.err.splitlines()) == 1


def test_an_unknown_agent_exits_1_with_an_error_object(tree: Tree, openclaw_inproc: Run) -> None:
    run = openclaw_inproc("sessions", "--agent", "nope", "--json")
    assert (run.exit, run.out) == (1, "")
    assert "nope" in run.error["message"]


def test_options_before_the_subcommand_count_and_the_inner_one_wins(
    two_agents: Tree, openclaw_inproc: Run
) -> None:
    outer = openclaw_inproc("sessions", "--agent", "work", "list", "--json").json()
    assert outer["sessions"][0]["sessionId"] == "w"
    inner = openclaw_inproc("sessions", "--agent", "work", "list", "--agent", "main", "--json")
    assert inner.json()["sessions"][0]["sessionId"] == "m"
    assert openclaw_inproc("sessions", "--json", "list").json()["count"] == 1


def test_rows_left_out_are_counted_on_the_side(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:a": None, "agent:main:b": _row("b")})
    run = openclaw_inproc("sessions", "--json")
    assert run.json()["invalidRows"] == 1
    assert "1 row that cannot be used is left out" in run.err


def test_control_characters_of_a_store_never_reach_the_terminal(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.sessions({"agent:main:\x1b[31mred\x07": _row("r", model="m\x1b]0;t\x07\nx")})
    out = openclaw_inproc("sessions", "--verbose").out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert len(out.splitlines()) == 4


def test_colour_only_where_it_is_wanted(
    tree: Tree, openclaw_inproc: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.sessions(
        {
            f"agent:main:{n}": _row(f"s{n}", n, totalTokens=n, contextTokens=100)
            for n in (96, 85, 65, 10)
        }
    )
    assert "\x1b" not in openclaw_inproc("sessions").out
    monkeypatch.delenv("NO_COLOR")
    out = openclaw_inproc("sessions", env={"FORCE_COLOR": "1"}).out
    codes = {line.split("\x1b[")[1].split("m")[0] for line in out.splitlines() if "(" in line}
    assert {"31", "33", "32", "2"} <= codes


def test_a_remote_gateway_is_mentioned_once(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(gateway={"mode": "remote"})
    run = openclaw_inproc("sessions", "--json")
    assert run.json()["count"] == 0
    assert run.err.count("remote") == 1


def test_reading_changes_nothing(tree: Tree, openclaw_inproc: Run) -> None:
    path = tree.sessions({"agent:main:main": {"sessionId": "m", "room": "r", "model": " x "}})
    before = path.read_bytes()
    assert openclaw_inproc("sessions").exit == 0
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["sessions.json"]


@pytest.mark.parametrize("room", [60, 80, 100, 160])
def test_on_a_terminal_the_table_is_cut_to_fit(tree: Tree, room: int) -> None:
    rows = {
        f"agent:main:telegram:direct:{n:012}": _row(f"{n:036}", model="a-model-with-a-long-name")
        for n in range(3)
    }
    source = Source(Target("main", tree.state / "sessions.json"), rows)
    models = ModelResolver(load(Paths.from_env()))
    document = listing.build(
        [source], listing.Selection(all_agents=True), models=models, now_ms=NOW
    )
    uncut = sessions.render(document, room=None)
    lines = sessions.render(document, room=room)[2:]
    assert max(len(line) for line in uncut[2:]) > 130
    assert max(len(line) for line in lines) <= room
    assert all(word in lines[0] for word in ("Kind", "Key", "Age", "Tokens"))
    assert ("Flags" in lines[0]) is (room > 80)
    assert ("Runtime" in lines[0]) is (room > 100)


@pytest.fixture
def mixed(tree: Tree) -> Tree:
    """Rows of several kinds, ages and sizes; two share a label."""
    day = 86_400_000
    tree.sessions(
        {
            "agent:main:main": _row("m", 60_000),
            "agent:main:cron:night": _row("n", 9 * day, label=" nightly "),
            "agent:main:cron:day": _row("d", 2 * day, label="nightly"),
            "agent:main:telegram:group:1": _row("g", 40 * day),
            "agent:main:telegram:direct:1": {"sessionId": "t"},
        }
    )
    tree.file(".openclaw/agents/main/sessions/m.jsonl", "x" * 2000)
    tree.file(".openclaw/agents/main/sessions/g.jsonl", "x" * 1024)
    return tree


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        ("--kind cron", ["cron:day", "cron:night"]),
        ("--kind group --older-than 1d", ["telegram:group:1"]),
        ("--label nightly", ["cron:day", "cron:night"]),
        ("--label night", []),
        ("--older-than 2d", ["cron:night", "telegram:group:1"]),
        ("--older-than 1d12h --active 20000", ["cron:day", "cron:night"]),
        ("--larger-than 1kb", ["main"]),
        ("--larger-than 0", ["main", "telegram:group:1"]),
        ("--kind cron --limit 1", ["cron:day"]),
    ],
)
def test_conditions_choose_rows(
    mixed: Tree, openclaw_inproc: Run, argv: str, found: list[str]
) -> None:
    document = openclaw_inproc("sessions", *argv.split(), "--json").json()
    keys = [row["key"].removeprefix("agent:main:") for row in document["sessions"]]
    assert keys == found
    assert document["hasMore"] is ("--limit" in argv)
    assert document["totalCount"] == (2 if "--limit" in argv else len(found))


def test_conditions_are_told_and_sizes_shown(mixed: Tree, openclaw_inproc: Run) -> None:
    argv = ["sessions", "--kind", "direct", "--older-than", "30s", "--larger-than", "1kb"]
    document = openclaw_inproc(*argv, "--json").json()
    assert document["filters"] == {
        "kind": "direct", "olderThanMs": 30_000, "largerThanBytes": 1024,
    }  # fmt: skip
    assert [row["transcriptBytes"] for row in document["sessions"]] == [2000]
    text = openclaw_inproc(*argv).out
    assert "Filtered to kind direct, older than 30s, larger than 1.0kb" in text
    assert "2.0kb id:m" in text
    assert "filters" not in openclaw_inproc("sessions", "--json").json()
    assert "transcriptBytes" not in openclaw_inproc("sessions", "--json").out
    verbose = openclaw_inproc("sessions", "--verbose", "--json").json()["sessions"]
    assert {row["sessionId"]: row["transcriptBytes"] for row in verbose} == {
        "m": 2000, "d": None, "n": None, "g": 1024, "t": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--older-than", "5"), "needs a unit"),
        (("--older-than", "soon"), "no duration"),
        (("--larger-than", "1 mb"), "no size"),
        (("--kind", "dm"), "not one of"),
        (("--kind", "cron", "cleanup"), "belongs to 'sessions list'"),
    ],
)
def test_conditions_that_are_none(
    tree: Tree, openclaw_inproc: Run, argv: tuple[str, ...], words: str
) -> None:
    done = openclaw_inproc("sessions", *argv)
    assert (done.exit, done.out) == (2, "")
    assert words in done.err


def test_away_from_a_terminal_nothing_is_cut(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row(f"{1:036}", model="a-model-with-a-long-name")})
    for argv in (["sessions", "--verbose"], ["sessions", "cleanup", "--dry-run"]):
        out = openclaw_inproc(*argv, env={"COLUMNS": "40"}).out
        assert f"id:{1:036}" in out
        assert "a-model-with-a-long-name" in out
