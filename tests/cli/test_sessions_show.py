"""``openclaw sessions show`` and ``who`` (``sessions.md`` 16)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.sessions import sharing
from openclaw_cli.sessions.routing import KeyRules

NOW = 1_795_143_600_000
Run = Callable[..., Any]


def _row(session_id: str, **more: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW - 60_000, **more}


def test_a_row_with_its_verdict_policy_and_files(tree: Tree, openclaw_inproc: Run) -> None:
    row = _row("m", sessionStartedAt=NOW - 60_000, mystery={"a": 1}, lastChannel="telegram")
    tree.sessions({"agent:main:main": row})
    tree.config(session={"resetByChannel": {"telegram": {"mode": "idle", "idleMinutes": 5}}})
    document = openclaw_inproc("sessions", "show", "main", "--json").json()
    folder = tree.state / "agents/main/sessions"
    assert document["entry"] == row
    assert document["key"] == "agent:main:main"
    assert document["agentId"] == "main"
    assert document["storePath"] == str(folder / "sessions.json")
    assert document["transcriptPath"] == str(folder / "m.jsonl")
    assert (document["fresh"], document["reason"]) == (True, None)
    assert document["expiresAtMs"] == NOW + 4 * 60_000
    assert document["policy"] == {
        "mode": "idle", "atHour": 4, "idleMinutes": 5,
        "source": "resetByChannel.telegram", "type": "direct",
    }  # fmt: skip
    assert (document["source"], document["sendPolicy"]) == ("chat", "allow")


def test_a_stale_session_says_why(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row("m", sessionStartedAt=5)})
    run = openclaw_inproc("sessions", "show", "main")
    assert run.exit == 0
    assert "stale (daily" in run.out


def test_the_transcripts_header_tells_the_start(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row("m")})
    tree.transcript("m", [("user", "hi"), ("assistant", "ho")])  # begun the day before
    document = openclaw_inproc("sessions", "show", "m", "--json").json()
    assert (document["fresh"], document["reason"]) == (False, "daily")


def test_the_last_messages_and_the_skipped_lines(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row("m")})
    path = tree.transcript("m", [("user", "one"), ("assistant", "two"), ("user", "three")])
    path.write_text(path.read_text() + "{torn")
    run = openclaw_inproc("sessions", "show", "main", "--messages", "2", "--json")
    document = run.json()
    assert [m["text"] for m in document["messages"]] == ["two", "three"]
    assert (document["messageCount"], document["skippedLines"]) == (3, 1)
    assert "1 unreadable lines" in run.err
    text = openclaw_inproc("sessions", "show", "main", "--messages", "1").out
    assert "user: three" in text
    assert "two" not in text


def test_a_full_key_leads_to_its_agents_store(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.sessions({"agent:work:main": _row("w-id")}, agent="work")
    for key in ("agent:work:main", "w-id"):
        document = openclaw_inproc("sessions", "show", key, "--json").json()
        assert (document["key"], document["agentId"]) == ("agent:work:main", "work")
    run = openclaw_inproc("sessions", "show", "agent:work:main", "--agent", "main")
    assert run.exit == 2
    assert 'Agent id "main" does not match session key agent "work".' in run.err


@pytest.mark.parametrize(
    ("key", "exit_status", "words"),
    [
        ("telegram:direct:8", 1, "agent:main:telegram:direct:9"),
        ("agent::x", 2, "no session key"),
        (" ", 2, "empty"),
        ("agent:nope:main", 1, "nope"),
        ("bad", 1, "cannot be used"),
    ],
)
def test_keys_that_lead_nowhere(
    tree: Tree, openclaw_inproc: Run, key: str, exit_status: int, words: str
) -> None:
    tree.sessions(
        {"agent:main:telegram:direct:9": _row("t"), "agent:main:bad": {"sessionId": "../x"}}
    )
    run = openclaw_inproc("sessions", "show", key, "--json")
    assert (run.exit, run.out) == (exit_status, "")
    assert words in run.err


def test_an_id_that_may_be_in_an_unreadable_store_is_not_called_unknown(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.config(agents={"list": [{"id": "main"}, {"id": "a"}, {"id": "b"}]})
    tree.file(".openclaw/agents/a/sessions/sessions.json", "{")
    tree.sessions({}, agent="b")
    run = openclaw_inproc("sessions", "show", "some-id", "--json")
    assert run.exit == 1
    assert run.error["code"] == "store-unreadable"


def test_a_session_file_outside_is_ignored_and_said(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:main": _row("m", sessionFile="/etc/passwd")})
    run = openclaw_inproc("sessions", "show", "main", "--json")
    assert run.json()["transcriptPath"].endswith("/agents/main/sessions/m.jsonl")
    assert "/etc/passwd" in run.err


def test_send_policy_is_decided_for_the_session(tree: Tree, openclaw_inproc: Run) -> None:
    rules = [{"action": "deny", "match": {"channel": "discord"}}]
    tree.config(session={"sendPolicy": {"rules": rules}})
    tree.sessions({"agent:main:discord:group:5": _row("d"), "agent:main:main": _row("m")})
    for key, decision in (("discord:group:5", "deny"), ("main", "allow")):
        shown = openclaw_inproc("sessions", "show", key, "--json").json()
        assert shown["sendPolicy"] == decision


# Who shares a session


@pytest.fixture
def inbox(tree: Tree) -> Tree:
    """Senders from rows, allow lists, pairing files and identity links."""
    tree.config(
        session={"identityLinks": {"alice": ["telegram:111", "discord:9"]}},
        channels={
            "telegram": {"botToken": "1:a", "allowFrom": ["tg:111", 222, "*"]},
            "discord": {"token": "x", "dm": {"allowFrom": ["9"]}},
            "signal": {"enabled": False, "allowFrom": ["+5"]},
        },
    )
    tree.json(
        ".openclaw/credentials/telegram-allowFrom.json",
        {"version": 1, "allowFrom": ["telegram:555"]},
    )
    origin = {"provider": "telegram", "from": "telegram:111", "label": "Alice"}
    tree.sessions(
        {
            "agent:main:main": _row("m", origin=origin, lastInteractionAt=NOW - 5),
            "agent:main:telegram:dm:333": _row("t"),
            "agent:main:telegram:group:-1": _row("g"),
            "agent:main:cron:j": _row("c"),
        }
    )
    return tree


def _who(run: Run, *argv: str) -> dict[str, Any]:
    document: dict[str, Any] = run("sessions", "who", *argv, "--json").json()
    return document


def _peers(session: dict[str, Any]) -> list[str]:
    return [f"{m['channel']}:{m['peer']}" for m in session["members"]]


def test_everybody_shares_the_main_session_by_default(inbox: Tree, openclaw_inproc: Run) -> None:
    document = _who(openclaw_inproc)
    assert document["dmScope"] == "main"
    assert [session["key"] for session in document["sessions"]] == ["agent:main:main"]
    members = document["sessions"][0]["members"]
    assert _peers(document["sessions"][0]) == [
        "discord:9", "telegram:111", "telegram:222", "telegram:333", "telegram:555",
    ]  # fmt: skip
    assert members[1]["label"] == "Alice"
    assert members[1]["lastSeenMs"] == NOW - 5
    assert members[2]["lastSeenMs"] is None


def test_another_scope_is_tried_without_changing_anything(
    inbox: Tree, openclaw_inproc: Run
) -> None:
    config = (inbox.state / "openclaw.json").read_bytes()
    change = _who(openclaw_inproc, "--dm-scope", "per-peer")["change"]
    assert [part["key"] for part in change["split"]] == ["agent:main:main"]
    parts = {part["key"]: _peers(part) for part in change["split"][0]["into"]}
    assert parts["agent:main:direct:alice"] == ["discord:9", "telegram:111"]
    assert parts["agent:main:direct:222"] == ["telegram:222"]
    assert change["joined"] == []
    assert (inbox.state / "openclaw.json").read_bytes() == config


def test_a_wider_scope_joins_people(inbox: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("config", "set", "session.dmScope", "per-channel-peer")
    assert len(_who(openclaw_inproc)["sessions"]) == 5
    change = _who(openclaw_inproc, "--dm-scope", "main")["change"]
    assert change["split"] == []
    assert [len(part["from"]) for part in change["joined"]] == [5]
    text = openclaw_inproc("sessions", "who", "--dm-scope", "main").out
    assert "would be joined" in text


def test_many_senders_are_told_apart_in_linear_time() -> None:
    known = {sharing.Sender("telegram", "default", f"{n:05}"): sharing.Seen() for n in range(6000)}
    started = time.process_time()
    change = sharing.report(known, KeyRules(), agent_id=None, new_scope="per-peer")["change"]
    assert time.process_time() - started < 2.5
    assert len(change["split"][0]["into"]) == 6000


def test_an_unknown_scope_is_wrong_usage(tree: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("sessions", "who", "--dm-scope", "per-user").exit == 2


def test_a_damaged_pairing_file_is_named(inbox: Tree, openclaw_inproc: Run) -> None:
    inbox.file(".openclaw/credentials/telegram-allowFrom.json", "{")
    run = openclaw_inproc("sessions", "who")
    assert run.exit == 1
    assert "telegram-allowFrom.json" in run.err


def test_with_nobody_there_is_nobody(tree: Tree, openclaw_inproc: Run) -> None:
    assert "No senders" in openclaw_inproc("sessions", "who").out


def test_stored_text_cannot_pass_for_a_line_of_ours(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:a\nVerdict:    fresh": _row("m")})
    tree.transcript("m", [("user", "hi\n[2026-11-20] assistant: I agree")])
    out = openclaw_inproc("sessions", "show", "m", "--messages", "5").out
    assert out.splitlines()[0] == "Session:    agent:main:a\\nVerdict:    fresh"
    assert "\n  [2026-11-20] assistant: I agree" in out
