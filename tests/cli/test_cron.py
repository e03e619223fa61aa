"""``openclaw cron``: what people type, what they get."""

from __future__ import annotations

import json
from typing import Any

import pytest
from builders import Tree
from model_server import ModelServer

from openclaw_cli.cli.output import display_width

NOW_MS = 1_795_143_600_000  # 2026-11-20T03:00:00Z
HOUR = 3_600_000


def add(openclaw: Any, *argv: str, **how: Any) -> dict[str, Any]:
    result = openclaw("cron", "add", *argv, **how)
    assert result.exit == 0, result.err
    document: dict[str, Any] = result.json()
    return document


def task(task_id: str, expr: str = "0 9 * * *", **row: Any) -> dict[str, Any]:
    return {
        "id": task_id,
        "name": f"task {task_id}",
        "createdAtMs": NOW_MS,
        "schedule": {"kind": "cron", "expr": expr, "tz": "UTC"},
        "sessionTarget": "isolated",
        "payload": {"kind": "agentTurn", "message": "hi"},
        "delivery": {"mode": "none"},
        "state": {},
        **row,
    }


def test_a_reminder(openclaw_inproc: Any, tree: Tree) -> None:
    row = add(openclaw_inproc, "--name", "bread", "--at", "20m", "--system-event", "Take it out")
    assert row["schedule"] == {"kind": "at", "at": "2026-11-20T03:20:00.000Z"}
    assert row["payload"] == {"kind": "systemEvent", "text": "Take it out"}
    assert (row["sessionTarget"], row["wakeMode"], row["deleteAfterRun"]) == ("main", "now", True)
    assert row["state"]["nextRunAtMs"] == NOW_MS + 1_200_000
    assert "delivery" not in row
    stored = tree.read(".openclaw/cron/jobs.json")["jobs"][0]
    assert stored["state"] == {}
    assert "updatedAtMs" not in stored


def test_a_schedule_that_never_comes_due_is_pointed_out(openclaw_inproc: Any) -> None:
    rest = ("never", "--name", "n", "--agent", "main")
    assert "never comes due" in openclaw_inproc("cron", "add", "0 9 31 2 *", *rest).err
    assert "never" not in openclaw_inproc("cron", "add", "0 9 29 2 *", *rest).err


@pytest.mark.parametrize(
    ("defaults", "payload", "said"),
    [
        ({}, ("--message", "m"), "no model is configured for agent main"),
        ({}, ("--message", "m", "--model", "a/b"), None),
        ({"model": "a/b"}, ("--message", "m"), None),
        ({}, ("--system-event", "e"), "no model is configured for agent main"),
        ({"model": "a/b"}, ("--system-event", "e"), None),
        ({"model": "a/b", "heartbeat": {"every": "0m"}}, ("--system-event", "e"), "is off"),
        ({"model": "a/b", "heartbeat": {"every": "0m"}}, ("--message", "m"), None),
    ],
)
def test_what_would_keep_a_task_silent_is_said_when_it_is_made(
    openclaw_inproc: Any, tree: Tree, defaults: dict[str, Any], payload: tuple[str, ...],
    said: str | None,
) -> None:  # fmt: skip
    tree.config(agents={"defaults": defaults})
    done = openclaw_inproc("cron", "add", "--name", "n", "--at", "1h", "--agent", "main", *payload)
    assert done.exit == 0
    assert said in done.err if said else done.err == ""


def test_an_agents_turn_announces_to_the_last_route(openclaw_inproc: Any) -> None:
    result = openclaw_inproc("cron", "add", "0 9 * * 1-5", "Sum up", "--name", "inbox", "--tz",
                             "Europe/Warsaw")  # fmt: skip
    row = result.json()
    assert row["schedule"] == {"kind": "cron", "expr": "0 9 * * 1-5", "tz": "Europe/Warsaw"}
    assert (row["sessionTarget"], row["payload"]["message"]) == ("isolated", "Sum up")
    assert row["delivery"] == {"mode": "announce", "channel": "last"}
    assert row["state"]["nextRunAtMs"] == NOW_MS + 5 * HOUR
    assert "--agent" in result.err


def test_positional_forms(openclaw_inproc: Any) -> None:
    every = add(openclaw_inproc, "every 2h", "Look", "--name", "orders")
    assert every["schedule"] == {"kind": "every", "everyMs": 2 * HOUR, "anchorMs": NOW_MS}
    named = add(openclaw_inproc, "orders", "Look", "--every", "1h")
    assert (named["name"], named["payload"]["message"]) == ("orders", "Look")
    once = add(openclaw_inproc, "2026-11-21T10:00:00", "Look", "--name", "x", "--tz",
               "Europe/Warsaw")  # fmt: skip
    assert once["schedule"]["at"] == "2026-11-21T09:00:00.000Z"


def test_tasks_of_the_full_hour_are_spread_unless_exact(openclaw_inproc: Any) -> None:
    usual = add(openclaw_inproc, "--cron", "0 * * * *", "--message", "x", "--name", "a")
    assert usual["schedule"]["staggerMs"] == 300_000
    exact = add(openclaw_inproc, "--cron", "0 * * * *", "--message", "x", "--name", "b", "--exact")
    assert exact["schedule"]["staggerMs"] == 0
    own = add(openclaw_inproc, "--cron", "5 3 * * *", "--message", "x", "--name", "c",
              "--stagger", "2m")  # fmt: skip
    assert own["schedule"]["staggerMs"] == 120_000


def test_all_options_of_a_turn(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(agents={"list": [{"id": "main", "default": True}, {"id": "shop"}]})
    row = add(
        openclaw_inproc, "--name", "n", "--description", "d", "--every", "1h", "--message", "m",
        "--agent", "Shop", "--session", "session:orders", "--session-key", "agent:shop:main",
        "--model", "a/b", "--thinking", "low", "--timeout-seconds", "90", "--light-context",
        "--tools", "memory_search, memory_get", "--channel", "telegram", "--to", "44",
        "--thread-id", "7", "--account", "work", "--best-effort-deliver", "--wake",
        "next-heartbeat", "--disabled",
    )  # fmt: skip
    assert row["payload"] == {
        "kind": "agentTurn", "message": "m", "model": "a/b", "thinking": "low",
        "timeoutSeconds": 90, "lightContext": True, "toolsAllow": ["memory_search", "memory_get"],
    }  # fmt: skip
    assert row["delivery"] == {
        "mode": "announce", "channel": "telegram", "to": "44", "threadId": 7, "accountId": "work",
        "bestEffort": True,
    }  # fmt: skip
    assert (row["agentId"], row["sessionTarget"], row["enabled"]) == (
        "shop", "session:orders", False,
    )  # fmt: skip
    assert (row["wakeMode"], row["status"]) == ("next-heartbeat", "disabled")
    assert row["state"] == {}


def test_the_current_session_is_resolved_when_it_is_made(openclaw_inproc: Any) -> None:
    with_key = add(openclaw_inproc, "--name", "a", "--every", "1h", "--message", "m", "--session",
                   "current", "--session-key", "agent:main:x")  # fmt: skip
    assert with_key["sessionTarget"] == "session:agent:main:x"
    without = add(openclaw_inproc, "--name", "b", "--every", "1h", "--message", "m", "--session",
                  "current")  # fmt: skip
    assert without["sessionTarget"] == "isolated"


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["--name", "a", "--message", "m"], "exactly one schedule; given: none"),
        (["--name", "a", "--at", "1h", "--every", "1h", "--message", "m"], "--at and --every"),
        (["--name", "a", "--at", "1h"], "--system-event or --message"),
        (["--name", "a", "--at", "1h", "--message", "m", "--system-event", "e"], "--message"),
        (["--at", "1h", "--message", "m"], "needs a name"),
        (["--name", "a", "--every", "1h", "--tz", "UTC", "--message", "m"], "--tz"),
        (["--name", "a", "--every", "1h", "--exact", "--message", "m"], "--cron only"),
        (["--name", "a", "--at", "1h", "--stagger", "1m", "--message", "m"], "--cron only"),
        (["--name", "a", "--cron", "5-1 * * * *", "--message", "m"], "minute"),
        (["--name", "a", "--cron", "0 9 * * *", "--tz", "Mars", "--message", "m"], "Mars"),
        (["--name", "a", "--at", "1h", "--message", "m", "--session", "main"], "--system-event"),
        (["--name", "a", "--at", "1h", "--system-event", "e", "--session", "isolated"],
         "takes a --message"),
        (["--name", "a", "--at", "1h", "--message", "m", "--session", "moon"], "--session"),
        (["--name", "a", "--at", "1h", "--system-event", "e", "--model", "x"], "--model"),
        (["--name", "a", "--at", "1h", "--system-event", "e", "--announce"], "delivers nothing"),
        (["--name", "a", "--at", "1h", "--message", "m", "--webhook", "ftp://x"], "http"),
        (["--name", "a", "--at", "1h", "--message", "m", "--webhook", "http://x", "--to", "y"],
         "--webhook"),
        (["--name", "a", "--at", "1h", "--message", "m", "--announce", "--no-deliver"],
         "--announce and --no-deliver"),
        (["--name", "a", "--at", "1h", "--message", "m", "--no-deliver", "--to", "y"],
         "--no-deliver"),
        (["--name", "a", "--at", "1h", "--message", "m", "--thread-id", "0"], "thread-id"),
        (["0 9 * *", "m", "--name", "a"], "4 fields"),
        (["tomorrow", "m", "--name", "a"], "'tomorrow' is no schedule"),
        (["tomorrow", "m", "--name", "a"], "'every 2h', a cron expression"),
        (["x", "every 5x"], "'x' is no schedule"),
        (["every 5x", "m"], "--every"),
        (["every 5x", "m"], "5x"),
        (["--name", "a", "--at", "tomorrow", "--message", "m"], "'tomorrow' is no time"),
        (["--name", "a", "--at", "2026-11-19", "--message", "m"], "in the past"),
        (["--name", "a", "--at", "1h", "--message", "  "], "empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)  # fmt: skip
def test_wrong_usage_is_named_and_nothing_is_stored(
    argv: list[str], reason: str, openclaw_inproc: Any, tree: Tree
) -> None:
    result = openclaw_inproc("cron", "add", *argv)
    assert result.exit == 2
    assert reason in result.err
    assert result.out == ""
    assert not (tree.state / "cron").exists()


def test_main_is_for_the_default_agent(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(agents={"list": [{"id": "main", "default": True}, {"id": "shop"}]})
    argv = ("cron", "add", "--name", "a", "--at", "1h", "--system-event", "e", "--agent")
    assert openclaw_inproc(*argv, "shop").exit == 2
    assert openclaw_inproc(*argv, "main").exit == 0
    assert openclaw_inproc(*argv, "nobody").exit == 1


def test_a_dry_run_stores_nothing(openclaw_inproc: Any, tree: Tree) -> None:
    argv = ("cron", "add", "--name", "a", "--at", "1h", "--system-event", "e", "--dry-run")
    document = openclaw_inproc(*argv).json()
    assert (document["name"], document["dryRun"]) == ("a", True)
    assert openclaw_inproc(*argv, "--exit-code").exit == 3
    assert not (tree.state / "cron").exists()


@pytest.mark.parametrize(
    "argv", [("edit", "a", "--name", "b"), ("disable", "a"), ("enable", "off"), ("rm", "a")]
)
def test_a_dry_run_says_that_it_is_one(
    argv: tuple[str, ...], openclaw_inproc: Any, tree: Tree
) -> None:
    rows = [task("a"), task("off", enabled=False)]
    path = tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    before = path.read_bytes()
    assert openclaw_inproc("cron", *argv, "--dry-run", "--json").json()["dryRun"] is True
    assert path.read_bytes() == before
    assert "dryRun" not in openclaw_inproc("cron", *argv, "--json").json()
    assert path.read_bytes() != before


def test_a_dry_run_of_one_task_runs_nothing(openclaw_inproc: Any, tree: Tree) -> None:
    rows = [task("a"), task("off", enabled=False)]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    argv = ("cron", "run", "a", "--dry-run")
    assert openclaw_inproc(*argv).json() == {
        "ok": True, "ran": False, "dryRun": True, "wouldRun": True,
    }  # fmt: skip
    assert openclaw_inproc(*argv, "--exit-code").exit == 3
    held = openclaw_inproc(*argv, "--due", "--exit-code")
    assert (held.exit, held.json()["reason"]) == (0, "not-due")
    off = openclaw_inproc("cron", "run", "off", "--due", "--dry-run").json()
    assert (off["wouldRun"], off["reason"]) == (False, "disabled")
    assert openclaw_inproc("cron", "run", "none", "--dry-run").exit == 1
    assert [p.name for p in (tree.state / "cron").iterdir()] == ["jobs.json"]
    assert not (tree.state / "jobs").exists()


def test_editing_changes_what_is_named_only(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a", color="red")]})
    row = openclaw_inproc("cron", "edit", "a", "--cron", "0 8 * * *", "--model", "x/y").json()
    assert row["schedule"] == {"kind": "cron", "expr": "0 8 * * *", "tz": "UTC"}
    assert row["payload"] == {"kind": "agentTurn", "message": "hi", "model": "x/y"}
    assert row["color"] == "red"
    assert row["updatedAtMs"] == NOW_MS
    assert row["state"]["nextRunAtMs"] == NOW_MS + 5 * HOUR
    row = openclaw_inproc("cron", "edit", "a", "--tz", "Europe/Warsaw").json()
    assert row["state"]["nextRunAtMs"] == NOW_MS + 4 * HOUR


def test_editing_cannot_make_what_add_refuses(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    before = (tree.state / "cron/jobs.json").read_bytes()
    assert openclaw_inproc("cron", "edit", "a", "--session", "main").exit == 2
    assert openclaw_inproc("cron", "edit", "a", "--webhook", "nowhere").exit == 2
    assert openclaw_inproc("cron", "edit", "a", "--name", " ").exit == 2
    assert openclaw_inproc("cron", "edit", "nobody", "--name", "b").exit == 1
    assert (tree.state / "cron/jobs.json").read_bytes() == before


def test_a_turn_becomes_a_reminder(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    row = openclaw_inproc("cron", "edit", "a", "--system-event", "Tea").json()
    assert (row["sessionTarget"], row["payload"]) == (
        "main", {"kind": "systemEvent", "text": "Tea"},
    )  # fmt: skip
    assert "delivery" not in row


def test_clearing_fields(openclaw_inproc: Any, tree: Tree) -> None:
    payload = {"kind": "agentTurn", "message": "hi", "toolsAllow": ["x"]}
    row = task("a", agentId="main", sessionKey="k", payload=payload)
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [row]})
    argv = ("--clear-agent", "--clear-session-key", "--clear-tools")
    after = openclaw_inproc("cron", "edit", "a", *argv).json()
    assert {"agentId", "sessionKey"} & after.keys() == set()
    assert "toolsAllow" not in after["payload"]


def test_failure_alerts(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    row = openclaw_inproc("cron", "edit", "a", "--failure-alert-after", "3",
                          "--failure-alert-cooldown", "2h").json()  # fmt: skip
    assert row["failureAlert"] == {"after": 3, "cooldownMs": 2 * HOUR}
    row = openclaw_inproc("cron", "edit", "a", "--no-failure-alert").json()
    assert row["failureAlert"] is False


def test_enable_and_disable(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    off = openclaw_inproc("cron", "disable", "a").json()
    assert (off["enabled"], off["status"], off["state"]) == (False, "disabled", {})
    on = openclaw_inproc("cron", "enable", "a").json()
    assert on["state"]["nextRunAtMs"] == NOW_MS + 6 * HOUR
    assert openclaw_inproc("cron", "enable", "nobody").exit == 1


@pytest.mark.parametrize("word", ["rm", "remove", "delete"])
def test_removing(word: str, openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a"), task("b")]})
    assert openclaw_inproc("cron", word, "a", "--dry-run", "--exit-code").exit == 3
    result = openclaw_inproc("cron", word, "a")
    assert (result.exit, result.json()) == (0, {"ok": True, "removed": True})
    again = openclaw_inproc("cron", word, "a")
    assert (again.exit, again.json()) == (1, {"ok": True, "removed": False})
    assert [row["id"] for row in tree.read(".openclaw/cron/jobs.json")["jobs"]] == ["b"]
    trail = tree.lines(".openclaw/logs/changes.jsonl")
    assert (trail[0]["key"], trail[0]["row"]["name"]) == ("a", "task a")


def test_the_list(openclaw_inproc: Any, tree: Tree) -> None:
    rows = [task("b"), task("a"), task("c", "0 4 * * *"), task("off", enabled=False),
            task("never", "0 9 31 2 *", agentId="Work")]  # fmt: skip
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    document = openclaw_inproc("cron", "list", "--json").json()
    assert [row["id"] for row in document["jobs"]] == ["c", "a", "b", "never"]
    assert {k: v for k, v in document.items() if k != "jobs"} == {
        "total": 4, "offset": 0, "limit": None, "hasMore": False, "nextOffset": None,
    }  # fmt: skip
    everything = openclaw_inproc("cron", "list", "--all", "--json").json()
    assert {row["id"]: row["status"] for row in everything["jobs"]}["off"] == "disabled"
    work = openclaw_inproc("cron", "--agent", "work", "list", "--json")
    assert work.exit == 2  # the group takes no --agent
    work = openclaw_inproc("cron", "list", "--agent", "work", "--json").json()
    assert [row["id"] for row in work["jobs"]] == ["never"]
    assert not (tree.state / "cron/jobs-state.json").exists()


def test_pages_of_the_list(openclaw_inproc: Any, tree: Tree) -> None:
    rows = [task(name) for name in "abc"]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    page = openclaw_inproc("cron", "list", "--limit", "2", "--json").json()
    assert [row["id"] for row in page["jobs"]] == ["a", "b"]
    assert (page["total"], page["hasMore"], page["nextOffset"]) == (3, True, 2)
    lines = openclaw_inproc("cron", "list", "--offset", "2", "--jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["c"]


def test_the_table(openclaw_inproc: Any, tree: Tree) -> None:
    row = task("0c0f7a54-6c0e-4a52-8f2e-6f8f5b8b1d11", "0 * * * *", name="x" * 40,
               delivery={"mode": "announce", "channel": "telegram", "to": "44"})  # fmt: skip
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [row]})
    head, line = openclaw_inproc("cron", "list").out.splitlines()
    assert head.split() == [
        "ID", "Name", "Schedule", "Next", "Last", "Status", "Target", "Delivery", "Agent", "ID",
        "Model",
    ]  # fmt: skip
    assert f"{'x' * 21}..." in line
    assert "cron 0 * * * * @ UTC (stagger 5m)" not in line  # cut to 32 characters
    assert "cron 0 * * * * @ UTC (stagger..." in line
    assert "announce telegram 44" in line
    assert line == line.rstrip()


@pytest.mark.parametrize("room", [80, 100, 130, 160])
def test_the_table_fits_the_terminal(room: int, openclaw_inproc: Any, tree: Tree) -> None:
    ids = ("0c0f7a54-6c0e-4a52-8f2e-6f8f5b8b1d11", "0c0f7a54-6c0e-4a52-8f2e-6f8f5b8b1d12")
    to = {"mode": "announce", "channel": "telegram", "to": "-100123456789012345678901234567890"}
    rows = [
        task(ids[0], "0 9 1-7 * 1-5", name="Sum up the inbox of the shop", delivery=to),
        task(ids[1], name="备份" * 10, agentId="work", state={"lastRunAtMs": NOW_MS - HOUR}),
    ]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    lines = openclaw_inproc("cron", "list", env={"COLUMNS": str(room)}).out.splitlines()
    wide = [display_width(line) for line in lines]
    assert max(wide) <= room
    assert {line.split()[0] for line in lines[1:]} == set(ids)
    assert all("..." in line for line in lines[1:])
    assert {"Name", "Schedule", "Next", "Status"} <= set(lines[0].split())
    assert all((title in lines[0]) == (room > 100) for title in ("Delivery", "Model"))


TELEGRAM = {"channel": "telegram", "to": "44"}


@pytest.mark.parametrize(
    ("heartbeat", "last", "sent_to"),
    [
        ({}, TELEGRAM, ("telegram", "44")),
        ({"target": "discord", "to": "user:9"}, TELEGRAM, ("telegram", "44")),
        ({"target": "discord", "to": "user:9"}, None, ("discord", "user:9")),
        ({}, None, None),
        ({"target": "last"}, None, None),
        ({"target": "none"}, None, None),
    ],
    ids=str,
)
def test_a_reminder_goes_where_the_last_conversation_was_or_is_dealt_with_silently(
    openclaw_inproc: Any, tree: Tree, model_server: ModelServer, heartbeat: dict[str, Any],
    last: dict[str, str] | None, sent_to: tuple[str, str] | None,
) -> None:  # fmt: skip
    config = model_server.config()
    config["agents"]["defaults"]["heartbeat"] = heartbeat
    tree.config(**config, channels={"telegram": {}, "discord": {}})
    if last is not None:
        row = {"sessionId": "s1", "updatedAt": NOW_MS - 60_000, "deliveryContext": last}
        tree.sessions({"agent:main:main": row})
    add(openclaw_inproc, "--name", "bread", "--at", "1m", "--system-event", "Take it out")
    model_server.default = "The bread wants out."
    done = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:01:00Z")
    assert [row["status"] for row in done.json()["ran"]] == ["ok"], done.out
    assert "Take it out" in model_server.prompts()[0]
    sent = openclaw_inproc("outbox", "list", "--json").json()["deliveries"]
    assert [(row["channel"], row["to"]) for row in sent] == ([] if sent_to is None else [sent_to])


def test_an_empty_list_says_so(openclaw_inproc: Any) -> None:
    assert "No scheduled tasks." in openclaw_inproc("cron", "list").out


def test_show_by_id_or_name(openclaw_inproc: Any, tree: Tree) -> None:
    rows = [task("a", name="inbox"), task("b", name="twin"), task("c", name="twin")]
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": rows})
    text = openclaw_inproc("cron", "show", "Inbox").out
    assert "2026-11-20T09:00:00.000Z (in 6h)" in text
    assert openclaw_inproc("cron", "show", "a", "--json").json()["name"] == "inbox"
    assert openclaw_inproc("cron", "get", "a").json()["name"] == "inbox"
    twins = openclaw_inproc("cron", "show", "twin")
    assert (twins.exit, "b, c" in twins.err) == (1, True)
    assert openclaw_inproc("cron", "get", "inbox").exit == 1


def test_status(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    document = openclaw_inproc("cron", "status").json()
    assert document == {
        "enabled": True, "storePath": str(tree.state / "cron/jobs.json"), "jobs": 1,
        "nextWakeAtMs": NOW_MS + 6 * HOUR,
    }  # fmt: skip


def test_switched_off_is_said_and_nothing_runs(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    off = {"OPENCLAW_SKIP_CRON": "1"}
    result = openclaw_inproc("cron", "run", "a", env=off)
    assert (result.exit, result.json()["reason"]) == (1, "disabled")
    result = openclaw_inproc("cron", "run-due", "--json", env=off, now="2026-11-21T10:00:00Z")
    assert (result.exit, result.json()["ran"]) == (0, [])
    assert "switched off" in result.err


def test_rows_that_cannot_be_used_are_said_and_stay_when_listing(
    openclaw_inproc: Any, tree: Tree
) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [{"id": "x"}, task("a")]})
    before = (tree.state / "cron/jobs.json").read_bytes()
    result = openclaw_inproc("cron", "list", "--json")
    assert "missing-schedule" in result.err
    assert len(result.json()["jobs"]) == 1
    assert (tree.state / "cron/jobs.json").read_bytes() == before


def test_a_damaged_list_is_an_error(openclaw_inproc: Any, tree: Tree) -> None:
    tree.file(".openclaw/cron/jobs.json", "{")
    result = openclaw_inproc("cron", "list", "--json")
    assert (result.exit, result.out, result.error["code"]) == (1, "", "file-unreadable")


def test_the_store_can_be_elsewhere(openclaw_inproc: Any, tree: Tree) -> None:
    tree.config(cron={"store": "~/tasks.json"})
    add(openclaw_inproc, "--name", "a", "--at", "1h", "--system-event", "e")
    assert tree.read("tasks.json")["jobs"][0]["name"] == "a"
    assert (tree.home / "tasks-state.json").exists()


def test_flags_of_the_gateway_client(openclaw_inproc: Any) -> None:
    assert openclaw_inproc("cron", "list", "--timeout", "5", "--expect-final").exit == 0
    ignored = openclaw_inproc("cron", "list", "--token", "t")
    assert (ignored.exit, "ignored" in ignored.err) == (0, True)
    remote = openclaw_inproc("cron", "list", "--url", "ws://x")
    assert (remote.exit, "ssh" in remote.err) == (1, True)


def test_a_turn_without_a_model_is_skipped_and_said(openclaw_inproc: Any, tree: Tree) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a")]})
    result = openclaw_inproc("cron", "run", "a")
    document = result.json()
    assert (result.exit, document["status"], document["ran"]) == (1, "skipped", True)
    assert "no model is configured" in document["error"]
    runs = openclaw_inproc("cron", "runs", "--id", "a").json()
    assert (runs["total"], runs["entries"][0]["status"]) == (1, "skipped")
    assert openclaw_inproc("cron", "runs", "--id", "nobody").exit == 1


def test_run_due_reports_what_ran(
    openclaw_inproc: Any, tree: Tree, model_server: Any
) -> None:  # fmt: skip
    tree.config(**model_server.config())
    model_server.reply("Three mails, none urgent.")
    place = {"mode": "announce", "channel": "telegram", "to": "44"}
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a", delivery=place)]})
    openclaw_inproc("cron", "run-due")
    preview = openclaw_inproc("cron", "run-due", "--dry-run", "--exit-code",
                              now="2026-11-20T09:00:10Z")  # fmt: skip
    assert preview.exit == 3
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T09:00:10Z")
    assert result.exit == 0, result.err
    [row] = result.json()["ran"]
    assert (row["id"], row["status"], row["deliveryStatus"]) == ("a", "ok", "delivered")
    assert row["runId"] == f"cron:a:{NOW_MS + 6 * HOUR + 10_000}"
    sent = tree.lines(".openclaw/outbox/outbox.jsonl")[-1]
    assert (sent["text"], sent["status"]) == ("Three mails, none urgent.", "queued")
    rows = tree.read(".openclaw/agents/main/sessions/sessions.json")
    base = rows["agent:main:cron:a"]
    assert f"agent:main:cron:a:run:{base['sessionId']}" in rows
    entry = openclaw_inproc("cron", "runs", "--id", "a").json()["entries"][0]
    assert entry["sessionKey"] == "agent:main:cron:a"
    assert entry["usage"]["total_tokens"] > 0
    prompt = json.dumps(model_server.requests[-1].body)
    assert "[cron:a task a] hi" in prompt


def test_an_answer_that_says_nothing_is_not_delivered(
    openclaw_inproc: Any, tree: Tree, model_server: Any
) -> None:
    tree.config(**model_server.config())
    model_server.reply("NO_REPLY", "HEARTBEAT_OK")
    place = {"mode": "announce", "channel": "telegram", "to": "44"}
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [task("a", delivery=place)]})
    for _ in range(2):
        document = openclaw_inproc("cron", "run", "a").json()
        assert (document["status"], document["deliveryStatus"]) == ("ok", "not-delivered")
    assert not (tree.state / "outbox").exists()


def test_a_reminder_is_told_by_the_heartbeat(
    openclaw_inproc: Any, tree: Tree, model_server: Any
) -> None:
    config = model_server.config()
    config["agents"]["defaults"]["heartbeat"] = {"every": "30m"}
    tree.config(**config)
    context = {"channel": "telegram", "to": "44"}
    row = {"sessionId": "5c1e00cb-7d2b-4e5a-9c31-5a0f2e288785", "updatedAt": NOW_MS}
    tree.sessions({"agent:main:main": {**row, "deliveryContext": context}})
    add(openclaw_inproc, "--name", "bread", "--at", "20m", "--system-event", "Take the bread out")
    model_server.reply("The bread wants out of the oven.")
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:20:00Z")
    assert [row["status"] for row in result.json()["ran"]] == ["ok"], result.out
    sent = tree.lines(".openclaw/outbox/outbox.jsonl")[-1]
    assert (sent["text"], sent["to"]) == ("The bread wants out of the oven.", "44")
    assert "Take the bread out" in json.dumps(model_server.requests[-1].body)
    assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []


def test_a_busy_session_is_waited_for_then_left_to_the_next_heartbeat(
    openclaw_inproc: Any, tree: Tree, model_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openclaw_cli.jobs import reminders

    monkeypatch.setattr(reminders, "BUSY_WAIT_S", 0.3)
    monkeypatch.setattr(reminders, "BUSY_PAUSE_S", 0.05)
    tree.config(**model_server.config())
    session_id = "5c1e00cb-7d2b-4e5a-9c31-5a0f2e288785"
    tree.sessions({"agent:main:main": {"sessionId": session_id, "updatedAt": NOW_MS}})
    tree.json(f".openclaw/agents/main/sessions/{session_id}.jsonl.lock", {"pid": 1})
    add(openclaw_inproc, "--name", "t", "--at", "20m", "--system-event", "Tea")
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:20:00Z")
    assert [row["status"] for row in result.json()["ran"]] == ["ok"]
    assert model_server.requests == []
    waiting = tree.read(".openclaw/heartbeat/state.json")["events"]["agent:main:main"]
    assert waiting[0]["text"] == "Tea"


def test_a_reminder_that_no_heartbeat_tells_is_skipped_and_kept(
    openclaw_inproc: Any, tree: Tree
) -> None:
    tree.config(agents={"defaults": {"heartbeat": {"every": "0m"}}})
    add(openclaw_inproc, "--name", "t", "--at", "20m", "--system-event", "Tea")
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:20:00Z")
    assert (result.exit, result.json()["ran"][0]["status"]) == (0, "skipped")
    [row] = openclaw_inproc("cron", "list", "--all", "--json").json()["jobs"]
    assert (row["enabled"], row["state"]["lastError"]) == (False, "heartbeat: disabled")


def test_a_reminder_for_the_next_heartbeat_is_only_queued(
    openclaw_inproc: Any, tree: Tree
) -> None:  # fmt: skip
    add(openclaw_inproc, "--name", "t", "--at", "20m", "--system-event", "Tea", "--wake",
        "next-heartbeat")  # fmt: skip
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:20:00Z")
    assert [row["status"] for row in result.json()["ran"]] == ["ok"]
    waiting = tree.read(".openclaw/heartbeat/state.json")["events"]["agent:main:main"]
    assert waiting[0]["text"] == "Tea"
    assert waiting[0]["contextKey"].startswith("cron:")


def test_the_managed_task_sweeps_and_never_asks_a_model(
    openclaw_inproc: Any, tree: Tree, model_server: Any
) -> None:
    tree.dreaming()
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T02:00:00Z")
    assert result.json()["ran"] == []
    [row] = tree.read(".openclaw/cron/jobs.json")["jobs"]
    assert row["name"] == "Memory Dreaming Promotion"
    result = openclaw_inproc("cron", "run-due", "--json", now="2026-11-20T03:00:00Z")
    assert [r["status"] for r in result.json()["ran"]] == ["ok"], result.out
    swept = openclaw_inproc("dreaming", "sweep", "--if-due", "--json", now="2026-11-20T03:01:00Z")
    assert swept.json()["reason"] == "not-due"
    assert model_server.requests == []


@pytest.mark.parametrize("odd", ["x", 7, [1]])
def test_a_delivery_that_is_none_does_not_stop_an_edit(
    openclaw_inproc: Any, tree: Tree, odd: Any
) -> None:
    tree.json(".openclaw/cron/jobs.json", {"jobs": [task("a", delivery=odd)]})
    assert openclaw_inproc("cron", "edit", "a", "--name", "n").json()["delivery"] == odd
    edited = openclaw_inproc("cron", "edit", "a", "--channel", "telegram", "--to", "5").json()
    assert edited["delivery"] == {"mode": "announce", "channel": "telegram", "to": "5"}
