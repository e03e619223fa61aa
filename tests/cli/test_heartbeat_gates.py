"""The gates of a heartbeat in their order, what shows on a channel, and where it runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Result, Tree
from model_server import ModelServer

from openclaw_cli.state import lock
from openclaw_cli.state.lock import start_ticks

Run = Callable[..., Result]
SESSIONS = ".openclaw/agents/main/sessions"
STATE = ".openclaw/heartbeat/state.json"
CHECKLIST = ".openclaw/workspace/HEARTBEAT.md"
NOW_MS = 1_795_143_600_000
MAIN = "agent:main:main"
SID = "11111111-1111-4111-8111-111111111111"
DIRECT = "agent:main:telegram:direct:77"


@pytest.fixture
def alive(tree: Tree, model_server: ModelServer) -> Callable[..., None]:
    def write(
        *, heartbeat: dict[str, Any] | None = None, row: dict[str, Any] | None = None,
        rows: dict[str, Any] | None = None, **blocks: Any,
    ) -> None:  # fmt: skip
        config = model_server.config()
        config["agents"]["defaults"]["heartbeat"] = {"target": "last"} | (heartbeat or {})
        config["agents"] |= blocks.pop("agents", {})
        tree.config(**config, **blocks)
        stored = {
            "sessionId": SID, "updatedAt": NOW_MS - 3_600_000, "chatType": "direct",
            "deliveryContext": {"channel": "telegram", "to": "123"}, **(row or {}),
        }  # fmt: skip
        tree.sessions({MAIN: stored, **(rows or {})})

    write()
    return write


def _run(run: Run, *argv: str, **how: Any) -> dict[str, Any]:
    found = run("heartbeat", "run", "--json", *argv, **how)
    assert found.exit in (0, 1), found.err
    agent: dict[str, Any] = found.json()["agents"][0]
    return agent


def _last_event(run: Run) -> Any:
    return json.loads(run("heartbeat", "last").out)


def _slot(tree: Tree) -> Any:
    if not (tree.home / STATE).exists():
        return None
    known = tree.read(STATE).get("agents", {})
    return known.get("main", {}).get("lastRunStartedAtMs")


# What keeps a run back


def test_a_running_task_is_waited_for_and_the_slot_stays(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    job = {
        "id": "j", "agentId": "main", "name": "j", "enabled": True, "createdAtMs": 1,
        "updatedAtMs": 1, "schedule": {"kind": "every", "everyMs": 60_000},
        "sessionTarget": "main", "wakeMode": "now",
        "payload": {"kind": "systemEvent", "text": "x"}, "state": {"runningAtMs": NOW_MS - 1000},
    }  # fmt: skip
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [job]})
    found = _run(openclaw_inproc)
    assert (found["reason"], found["event"]["status"]) == ("cron-in-progress", "skipped")
    assert found["nextDueAtMs"] == NOW_MS
    assert (_slot(tree), model_server.requests) == (None, [])
    written = tree.read(STATE)
    assert _run(openclaw_inproc, now="2026-11-20T03:00:01Z")["event"] == found["event"]
    assert tree.read(STATE) == written


def test_own_subagents_keep_it_back_only_when_asked_to(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw: Run
) -> None:
    child = {"agent:main:subagent:1": {"sessionId": "child", "updatedAt": NOW_MS}}
    model_server.default = "HEARTBEAT_OK"
    alive(heartbeat={"skipWhenBusy": True}, rows=child)
    with lock.run_lock(tree.home / SESSIONS / "child.jsonl.lock"):
        assert _run(openclaw)["reason"] == "lanes-busy"
        assert _last_event(openclaw)["reason"] == "lanes-busy"
        alive(rows=child)
        assert _run(openclaw)["reason"] == "ok-token"


def test_a_busy_isolated_session_counts_like_its_base(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw: Run
) -> None:
    row = {f"{MAIN}:heartbeat": {"sessionId": "apart", "updatedAt": NOW_MS}}
    alive(heartbeat={"isolatedSession": True}, rows=row)
    with lock.run_lock(tree.home / SESSIONS / "apart.jsonl.lock"):
        assert _run(openclaw)["reason"] == "requests-in-flight"
    assert model_server.requests == []


@pytest.mark.parametrize(
    ("text", "age_s", "reason"),
    [
        ("An answer.", 29, "requests-in-flight"), ("An answer.", 31, "ok-token"),
        ("HEARTBEAT_OK", 5, "ok-token"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("where", ["outbox", "row"])
def test_an_answer_on_its_way_is_waited_for(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run, text: str, age_s: int,
    reason: str, where: str,
) -> None:  # fmt: skip
    at = NOW_MS - age_s * 1000
    if where == "row":
        pending = {"pendingFinalDelivery": True, "pendingFinalDeliveryText": text}
        alive(row=pending | {"updatedAt": at})
    else:
        record = {
            "id": "ob_1", "ts": at, "sessionKey": MAIN, "channel": "telegram", "to": "1",
            "text": text, "source": "agent", "status": "pending", "pid": os.getpid(),
            "starttime": start_ticks(os.getpid()),
        }  # fmt: skip
        tree.jsonl(".openclaw/outbox/outbox.jsonl", [record])
    model_server.default = "HEARTBEAT_OK"
    found = _run(openclaw_inproc)
    assert found["reason"] == reason
    if reason == "requests-in-flight":
        assert (found["event"], _slot(tree)) == (None, None)


@pytest.mark.parametrize(
    ("text", "hidden", "reason", "event", "slot"),
    [
        ("# Nothing\n", False, "empty-heartbeat-file", True, NOW_MS),
        ("tasks:\n- name: a\n  interval: 1h\n  prompt: p\n", False, "no-tasks-due", False, NOW_MS),
        ("Look.\n", True, "alerts-disabled", True, NOW_MS),
    ],
)
def test_skips_that_use_up_the_slot(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run, text: str,
    hidden: bool, reason: str, event: bool, slot: int,
) -> None:  # fmt: skip
    shown = {"showOk": False, "showAlerts": False, "useIndicator": False}
    channels = {"channels": {"telegram": {"heartbeat": shown}}} if hidden else {}
    alive(row={"heartbeatTaskState": {"a": NOW_MS - 1}}, **channels)
    tree.file(CHECKLIST, text)
    found = _run(openclaw_inproc)
    assert (found["status"], found["reason"]) == ("skipped", reason)
    assert (found["event"] is not None, _slot(tree)) == (event, slot)
    assert model_server.requests == []
    assert _run(openclaw_inproc, now="2026-11-20T03:01:00Z")["reason"] == "not-due"


def test_hours_over_the_night_of_a_clock_change(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    hours = {"start": "02:30", "end": "05:00", "timezone": "Europe/Paris"}
    alive(heartbeat={"activeHours": hours})
    model_server.default = "HEARTBEAT_OK"
    early = _run(openclaw_inproc, now="2027-03-28T00:59:59Z")
    assert (early["reason"], early["nextDueAtMs"]) == ("quiet-hours", 1_806_195_600_000)
    assert _run(openclaw_inproc, now="2027-03-28T01:00:00Z")["reason"] == "ok-token"


# What shows


def test_an_acknowledgement_is_shown_where_wanted_with_the_prefix(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(
        channels={"defaults": {"heartbeat": {"showOk": True}},
                  "telegram": {"heartbeat": {"useIndicator": False}}},
        messages={"responsePrefix": "[bot]"},
    )  # fmt: skip
    model_server.reply("[bot] HEARTBEAT_OK")
    found = _run(openclaw_inproc)
    assert [d["text"] for d in found["deliveries"]] == ["[bot] HEARTBEAT_OK"]
    assert found["event"] | {"ts": 0, "durationMs": 0} == {
        "ts": 0, "status": "ok-token", "to": "123", "durationMs": 0, "hasMedia": False,
        "channel": "telegram", "silent": False,
    }  # fmt: skip
    assert found["sent"] is False


def test_hidden_alerts_ask_and_keep_quiet(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    accounts = {"bot": {"botToken": "1:x", "heartbeat": {"showAlerts": False}}}
    alive(
        row={"deliveryContext": {"channel": "telegram", "to": "123", "accountId": "bot"}},
        channels={"telegram": {"accounts": accounts, "heartbeat": {"showAlerts": True}}},
    )
    model_server.reply("The cellar is wet.")
    found = _run(openclaw_inproc)
    assert (found["status"], found["reason"], found["deliveries"]) == ("ran", "alerts-disabled", [])
    assert found["event"]["indicatorType"] == "alert"
    assert _last_event(openclaw_inproc)["preview"] == "The cellar is wet."


@pytest.mark.parametrize(
    ("answer", "text"),
    [("Wet.", "[bot] Wet."), ("[bot] Wet.", "[bot] Wet."), ("HEARTBEAT_OK", None)],
)
def test_the_prefix_is_taken_off_and_put_back(
    alive: Any, model_server: ModelServer, openclaw_inproc: Run, answer: str, text: str | None
) -> None:
    alive(messages={"responsePrefix": "[bot]"})
    model_server.reply(answer)
    assert [d["text"] for d in _run(openclaw_inproc)["deliveries"]] == ([text] if text else [])


def test_the_prefix_stands_before_a_structured_alert(
    alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(messages={"responsePrefix": "[bot]"})
    answer = {"outcome": "done", "notify": True, "summary": "Wet."}
    model_server.call_tool("heartbeat_respond", answer)
    assert _run(openclaw_inproc)["deliveries"][0]["text"] == "[bot] Wet."


@pytest.mark.parametrize(
    ("wanted", "answer", "texts"),
    [
        (True, "Wet.", ["Reasoning:\nThe pump is off.", "Wet."]),
        (False, "Wet.", ["Wet."]),
        (True, "HEARTBEAT_OK", []),
    ],
)
def test_reasoning_goes_before_an_alert_where_wanted(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run, wanted: bool,
    answer: str, texts: list[str],
) -> None:  # fmt: skip
    alive(heartbeat={"includeReasoning": wanted})
    model_server.reply(answer, reasoning="The pump is off.")
    found = _run(openclaw_inproc)
    assert [delivery["text"] for delivery in found["deliveries"]] == texts
    if texts:
        row = tree.read(f"{SESSIONS}/sessions.json")[MAIN]
        assert row["lastHeartbeatText"] == "Wet."


def test_a_failed_send_repeats_the_tasks_next_time(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    own = {"openclaw-cli": {"config": {"channels": {"telegram": {"command": ["false"]}}}}}
    alive(plugins={"entries": own})
    tree.file(CHECKLIST, "tasks:\n- name: a\n  interval: 1h\n  prompt: p\n")
    model_server.default = "Wet."
    found = openclaw_inproc("heartbeat", "run", "--json")
    agent = found.json()["agents"][0]
    assert (found.exit, agent["status"], agent["tasks"][0]["ran"]) == (1, "failed", False)
    assert "text" not in agent["deliveries"][0]
    row = tree.read(f"{SESSIONS}/sessions.json")[MAIN]
    assert row.keys().isdisjoint({"heartbeatTaskState", "lastHeartbeatText"})
    assert _run(openclaw_inproc, now="2026-11-20T03:30:00Z")["tasks"][0]["due"] is True


def test_the_same_words_to_another_recipient_are_no_repeat(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Wet."
    assert _run(openclaw_inproc)["sent"] is True
    rows = tree.read(f"{SESSIONS}/sessions.json")
    rows[MAIN]["deliveryContext"] = {"channel": "telegram", "to": "telegram:123"}
    rows[MAIN] |= {"lastTo": "telegram:123"}
    tree.sessions(rows)
    assert _run(openclaw_inproc, "--force")["reason"] == "duplicate"
    rows[MAIN] |= {"deliveryContext": {"channel": "telegram", "to": "9"}, "lastTo": "9"}
    tree.sessions(rows)
    assert _run(openclaw_inproc, "--force")["sent"] is True


# Where it runs


def test_tasks_and_alerts_are_remembered_without_a_session(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    (tree.home / SESSIONS / "sessions.json").unlink()
    alive_config = tree.read(".openclaw/openclaw.json")
    alive_config["agents"]["defaults"]["heartbeat"] = {"target": "telegram", "to": "5"}
    tree.config(**alive_config)
    tree.file(CHECKLIST, "tasks:\n- name: a\n  interval: 1h\n  prompt: p\n")
    model_server.reply("HEARTBEAT_OK")
    assert _run(openclaw_inproc)["tasks"] == [{"name": "a", "due": True, "ran": True}]
    assert not (tree.home / SESSIONS / "sessions.json").exists()
    later = _run(openclaw_inproc, "--force", now="2026-11-20T03:30:00Z")
    assert (later["reason"], len(model_server.requests)) == ("no-tasks-due", 1)
    model_server.reply("Wet.", "Wet.")
    for hour, reason in ((4, None), (5, "duplicate")):
        found = _run(openclaw_inproc, "--force", now=f"2026-11-20T0{hour}:30:00Z")
        assert found["reason"] == reason


def test_the_one_global_session_is_the_default_agents(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    listed = [{"id": "main", "default": True}, {"id": "work", "heartbeat": {}}]
    alive(agents={"list": listed}, session={"scope": "global"})
    row = {"sessionId": SID, "updatedAt": 1, "deliveryContext": {"channel": "irc", "to": "#a"}}
    tree.sessions({"global": row})
    model_server.reply("Wet.")
    found = _run(openclaw_inproc)
    assert [(d["channel"], d["to"]) for d in found["deliveries"]] == [("irc", "#a")]
    assert tree.read(f"{SESSIONS}/sessions.json")["global"]["lastHeartbeatText"] == "Wet."
    assert not (tree.home / ".openclaw/agents/work").exists()


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        ("main", MAIN), ("  ", MAIN), ("desk", "agent:main:desk"), ("agent:work:x", MAIN),
        ("agent:main:subagent:1", MAIN), ("agent::x", MAIN),
    ],
)  # fmt: skip
def test_the_session_may_be_named(alive: Any, openclaw_inproc: Run, wanted: str, key: str) -> None:
    alive(heartbeat={"session": wanted})
    found = openclaw_inproc("heartbeat", "run", "--dry-run", "--json").json()["agents"][0]
    assert found["sessionKey"] == key


def test_a_run_touches_neither_routing_nor_clocks_and_rolls_nothing(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    old = {"sessionStartedAt": 1, "lastInteractionAt": 2, "updatedAt": 3, "sendPolicy": "allow"}
    alive(row=old)
    model_server.reply("Wet.")
    _run(openclaw_inproc)
    row = tree.read(f"{SESSIONS}/sessions.json")[MAIN]
    assert {name: row[name] for name in old} == old
    assert (row["sessionId"], row["deliveryContext"]["to"]) == (SID, "123")


# Events


def test_an_event_of_another_session_is_dealt_with_there(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    where = {"channel": "telegram", "to": "77"}
    row = {"sessionId": "s77", "updatedAt": NOW_MS, "deliveryContext": where}
    alive(rows={DIRECT: row})
    tree.file(CHECKLIST, "tasks:\n- name: a\n  interval: 1h\n  prompt: water plants\n")
    model_server.reply("Your parcel is here.")
    found = openclaw_inproc("system", "event", "Parcel", "--session-key", DIRECT)
    assert (found.exit, found.err) == (0, "")
    prompt = model_server.prompts()[0]
    assert "System: Parcel" in prompt
    assert "- a: water plants" not in prompt
    sent = tree.lines(".openclaw/outbox/outbox.jsonl")[-1]
    assert (sent["to"], sent["sessionKey"]) == ("77", DIRECT)
    assert tree.read(STATE)["events"] == {}
    soon = openclaw_inproc("system", "event", "Again", "--session-key", DIRECT,
                           now="2026-11-20T03:00:29Z")  # fmt: skip
    assert "min-spacing" in soon.err
    assert [e["text"] for e in tree.read(STATE)["events"][DIRECT]] == ["Again"]


def test_an_event_keeps_to_the_active_hours(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(heartbeat={"activeHours": {"start": "08:00", "end": "22:00"}})
    found = openclaw_inproc("system", "event", "Backup failed", "--mode", "now")
    assert (found.exit, "quiet-hours" in found.err) == (0, True)
    assert model_server.requests == []
    model_server.default = "HEARTBEAT_OK"
    _run(openclaw_inproc, now="2026-11-20T08:00:00Z")
    assert "System: Backup failed" in model_server.prompts()[0]


def test_tasks_do_not_swallow_a_reminder(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.file(CHECKLIST, "tasks:\n- name: a\n  interval: 1h\n  prompt: look around\n")
    event = {"text": "Call Ilse", "contextKey": "cron:1", "queuedAtMs": NOW_MS}
    tree.json(STATE, {"version": 1, "events": {MAIN: [event]}})
    model_server.reply("Call Ilse!")
    _run(openclaw_inproc)
    prompt = model_server.requests[0].body["messages"][-1]["content"]
    assert "- a: look around" in prompt
    assert "Call Ilse" in prompt
    assert tree.read(STATE)["events"] == {}


def test_an_own_prompt_is_used_and_its_stale_times_are_replaced(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    stale = "Current time: long ago (UTC)\nReference UTC: 1999-01-01 00:00 UTC"
    alive(heartbeat={"prompt": f"Check HEARTBEAT.md.\n{stale}"})
    tree.file(CHECKLIST, "# List\nWater the plants.\n")
    model_server.reply("HEARTBEAT_OK")
    _run(openclaw_inproc)
    prompt = model_server.requests[0].body["messages"][-1]["content"]
    assert prompt.startswith("Check HEARTBEAT.md.")
    assert str(tree.home / CHECKLIST) in prompt
    assert "Water the plants." in prompt
    assert prompt.count("Current time:") == 1
    assert "1999" not in prompt


# Follow-ups in it


def _promise(tree: Tree, **changes: Any) -> None:
    row = {
        "id": "cm_1", "agentId": "main", "sessionKey": DIRECT, "channel": "telegram",
        "accountId": "default", "to": "77", "kind": "event_check_in", "sensitivity": "routine",
        "source": "inferred_user_context", "status": "pending", "reason": "r",
        "suggestedText": "How was it?", "dedupeKey": "k", "confidence": 0.9,
        "dueWindow": {"earliestMs": NOW_MS - 1, "latestMs": NOW_MS + 10**7, "timezone": "UTC"},
        "createdAtMs": NOW_MS - 10**7, "updatedAtMs": NOW_MS - 10**7, "attempts": 0, **changes,
    }  # fmt: skip
    tree.file(CHECKLIST, "# Nothing\n")
    tree.json(".openclaw/commitments/commitments.json", {"version": 1, "commitments": [row]})


ON: dict[str, Any] = {"commitments": {"enabled": True}}


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ("How was it?", "sent", None), ("HEARTBEAT_OK", "ok-token", None),
        ("", "ok-empty", None), ("Told before.", "skipped", "duplicate"),
    ],
)  # fmt: skip
def test_a_follow_up_is_an_event_of_its_own_place(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run, answer: str,
    status: str, reason: str | None,
) -> None:  # fmt: skip
    told = {"lastHeartbeatText": "Told before.", "lastHeartbeatSentAt": NOW_MS - 1000}
    alive(rows={DIRECT: {"sessionId": "s77", "updatedAt": 1, **told}}, **ON)
    _promise(tree)
    model_server.reply(answer)
    found = _run(openclaw_inproc)
    event = _last_event(openclaw_inproc)
    assert (event["status"], event.get("reason"), event["to"]) == (status, reason, "77")
    assert found["status"] == "ran"
    row = tree.read(f"{SESSIONS}/sessions.json")[DIRECT]
    wanted = answer if status == "sent" else "Told before."
    assert row["lastHeartbeatText"] == wanted
    assert row["updatedAt"] == 1


def test_a_follow_up_uses_the_heartbeats_model_and_prefix(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(heartbeat={"model": "scripted/small"}, messages={"responsePrefix": "[bot]"}, **ON)
    _promise(tree)
    model_server.reply("How was it?")
    assert _run(openclaw_inproc)["deliveries"][0]["text"] == "[bot] How was it?"
    assert model_server.requests[0].body["model"] == "small"


def test_a_follow_up_waits_while_somebody_speaks_there(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw: Run
) -> None:
    alive(rows={DIRECT: {"sessionId": "s77", "updatedAt": 1}}, **ON)
    _promise(tree)
    with lock.run_lock(tree.home / SESSIONS / "s77.jsonl.lock"):
        found = _run(openclaw)
    assert [(c["outcome"], c["reason"]) for c in found["commitments"]] == [
        ("skipped", "requests-in-flight")
    ]
    rows = tree.read(".openclaw/commitments/commitments.json")["commitments"]
    assert (rows[0]["attempts"], model_server.requests) == (0, [])


def test_a_row_that_names_another_agents_session_is_never_told(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(**ON)
    _promise(tree, sessionKey="agent:work:telegram:direct:77")
    found = _run(openclaw_inproc)
    assert found["commitments"][0]["reason"] == "session-of-another-agent"
    assert model_server.requests == []


def test_what_may_have_arrived_counts_against_the_day(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(commitments={"enabled": True, "maxPerDay": 1})
    _promise(tree, lastAttemptAtMs=NOW_MS - 10**6, attempts=1)
    store = tree.read(".openclaw/commitments/commitments.json")
    other = store["commitments"][0] | {"id": "cm_2", "dedupeKey": "k2", "attempts": 0}
    del other["lastAttemptAtMs"]
    store["commitments"].append(other)
    tree.json(".openclaw/commitments/commitments.json", store)
    lost = {
        "id": "ob_1", "ts": NOW_MS - 10**6, "channel": "telegram", "to": "77", "text": "x",
        "source": "commitment", "sourceId": "cm_1", "status": "uncertain",
    }  # fmt: skip
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [lost])
    _run(openclaw_inproc)
    assert model_server.requests == []


def test_quiet_hours_hold_follow_ups_back(
    tree: Tree, alive: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    alive(heartbeat={"activeHours": {"start": "08:00", "end": "22:00"}}, **ON)
    _promise(tree)
    assert _run(openclaw_inproc)["commitments"] == []
    assert model_server.requests == []
