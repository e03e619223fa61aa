"""Chat commands, routing and delivery of ``openclaw agent``, flag by flag."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import Result, Tree
from model_server import ModelServer

from openclaw_cli.sessions import transcript

Run = Callable[..., Result]
SESSIONS = ".openclaw/agents/main/sessions"
STORE = f"{SESSIONS}/sessions.json"
MAIN = "agent:main:main"
ALICE = ("agent", "--channel", "telegram", "--from", "1", "--sender-name", "Alice")
BOB = ("agent", "--channel", "discord", "--from", "2")
NOW_MS = 1_795_143_600_000


@pytest.fixture
def configured(tree: Tree, model_server: ModelServer) -> Callable[..., None]:
    def write(agents: dict[str, Any] | None = None, **blocks: Any) -> None:
        config = model_server.config()
        config["agents"]["defaults"] |= (agents or {}).pop("defaults", {})
        config["agents"] |= agents or {}
        tree.config(**config, **blocks)

    write()
    return write


def _rows(tree: Tree) -> dict[str, Any]:
    rows: dict[str, Any] = tree.read(STORE)
    return rows


def _deliveries(tree: Tree) -> list[tuple[str, str, str]]:
    lines = tree.lines(".openclaw/outbox/outbox.jsonl")
    return [(line["channel"], line["to"], line["text"]) for line in lines]


# Resets


@pytest.mark.parametrize("text", ["/new@mybot Hello", "/new: Hello", "/NEW Hello", "/reset Hello"])
def test_every_spelling_of_a_reset_begins_anew_with_the_rest(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, text: str
) -> None:
    model_server.reply("One.", "Two.")
    openclaw_inproc("agent", "--agent", "main", "-m", "first")
    before = _rows(tree)[MAIN]["sessionId"]
    found = openclaw_inproc("agent", "--agent", "main", "-m", text)
    assert found.out == "Two.\n"
    assert _rows(tree)[MAIN]["sessionId"] != before
    assert [m["content"] for m in model_server.requests[1].body["messages"][1:]] == ["Hello"]


@pytest.mark.parametrize("text", ["/reset soft Go on", "/reset SOFT\nGo on"])
def test_a_soft_reset_keeps_the_conversation_and_tells_the_files_anew(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, text: str
) -> None:
    model_server.reply("One.", "Two.")
    openclaw_inproc("agent", "--agent", "main", "-m", "first")
    before = _rows(tree)[MAIN]["sessionId"]
    tree.file(".openclaw/workspace/SOUL.md", "Speak like a pirate.")
    found = openclaw_inproc("agent", "--agent", "main", "-m", text, "--json").json()
    assert (found["reset"], _rows(tree)[MAIN]["sessionId"]) == (None, before)
    messages = model_server.requests[1].body["messages"]
    assert [m["content"] for m in messages[1:]] == ["first", "One.", "Go on"]
    assert "pirate" in messages[0]["content"]
    assert not list((tree.home / SESSIONS).glob("*.reset.*"))


@pytest.mark.parametrize(
    "text", ["/new scripted the weather in Rome", "/new gpt what", "/new modelling clay, please"]
)
def test_words_that_only_resemble_a_model_pin_none(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, text: str
) -> None:
    configured({"defaults": {"models": {"scripted/model-large": {}, "scripted/other": {}}}})
    model_server.reply("Fine.")
    openclaw_inproc("agent", "--agent", "main", "-m", text)
    assert "modelOverride" not in _rows(tree)[MAIN]
    asked = model_server.requests[0].body["messages"][-1]["content"]
    assert asked == text.removeprefix("/new ")


def test_a_reset_keeps_what_the_owner_chose_and_forgets_the_run(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    kept = {
        "thinkingLevel": "high", "sendPolicy": "deny", "queueMode": "collect", "label": "Home",
        "elevatedLevel": "on", "execHost": "node", "responseUsage": "full", "pinnedAt": 5,
        "groupActivation": "always", "spawnedBy": "agent:main:x", "somethingNew": {"a": 1},
        "modelOverride": "other", "providerOverride": "scripted", "modelOverrideSource": "user",
    }  # fmt: skip
    gone = {
        "memoryFlushAt": 1, "memoryFlushCompactionCount": 3, "goal": {}, "status": "done",
        "cacheRead": 9, "skillsSnapshot": {},
        "authProfileOverride": "x", "authProfileOverrideSource": "auto",
    }  # fmt: skip
    session = {"sessionId": "old", "updatedAt": 1, "compactionCount": 3, **kept, **gone}
    tree.sessions({MAIN: session})
    tree.transcript("old", [("user", "hi")])
    openclaw_inproc("agent", "--agent", "main", "-m", "/new")
    row = _rows(tree)[MAIN]
    assert {name: row.get(name) for name in kept} == kept
    assert gone.keys() & row.keys() <= {"cacheRead"}
    assert (row["compactionCount"], row["usageFamilySessionIds"]) == (0, ["old"])


# Delivery


def test_an_answer_goes_where_its_message_came_from(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    """Alice and Bob share the main session; commands are answered like messages."""
    model_server.reply("Hi Alice.")
    openclaw_inproc(*ALICE, "-m", "Hello", "--deliver")
    for text in ("/help", "/status", "/context", "/stop", "/compact", "stop"):
        found = openclaw_inproc(*BOB, "-m", text, "--deliver", "--json")
        assert found.json()["deliveryStatus"] == "queued", text
    places = [(channel, to) for channel, to, _ in _deliveries(tree)]
    assert places == [("telegram", "1"), *[("discord", "2")] * 6]
    assert tree.read(STORE)[MAIN]["deliveryContext"]["to"] == "1"


def test_an_answer_can_be_sent_elsewhere_and_never_with_foreign_parts(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Hi."
    argv = (*ALICE, "--account", "bot", "--thread", "7", "-m", "Hello", "--deliver", "--json")
    openclaw_inproc(*argv)
    openclaw_inproc(*argv, "--reply-to", "9")
    elsewhere = openclaw_inproc(*argv, "--reply-channel", "slack").json()
    openclaw_inproc(*argv, "--reply-channel", "slack", "--reply-to", "C1")
    lines = tree.lines(".openclaw/outbox/outbox.jsonl")
    assert [(r["channel"], r["to"], r["accountId"], r["threadId"]) for r in lines] == [
        ("telegram", "1", "bot", "7"), ("telegram", "9", "bot", None), ("slack", "C1", None, None),
    ]  # fmt: skip
    assert elsewhere["reason"] == "no-target"


def test_a_channel_that_does_not_exist_is_refused_before_the_turn(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    found = openclaw_inproc(*ALICE, "-m", "Hi", "--deliver", "--reply-channel", "telegrm")
    assert (found.exit, found.out, model_server.requests) == (1, "", [])
    assert "unknown channel 'telegrm'" in found.err


def test_a_denied_session_still_answers_its_owners_commands(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured(session={"sendPolicy": {"default": "deny"}}, commands={"ownerAllowFrom": ["1"]})
    model_server.default = "Secret."
    owner = (*ALICE, "--deliver", "--json", "-m")
    assert openclaw_inproc(*owner, "Hi").json()["reason"] == "send-policy"
    assert openclaw_inproc(*owner, "/send on").json()["deliveryStatus"] == "queued"
    assert openclaw_inproc(*owner, "Hi").json()["deliveryStatus"] == "queued"
    assert [text for _, _, text in _deliveries(tree)] == ["⚙️ Send policy set to on.", "Secret."]
    deny = {"action": "deny", "match": {"channel": "slack"}}
    tree.sessions({})
    configured(session={"sendPolicy": {"rules": [deny]}})
    redirected = (*owner, "Hi", "--reply-channel", "slack", "--reply-to", "C1")
    assert openclaw_inproc(*redirected).json()["reason"] == "send-policy"


@pytest.mark.parametrize("text", ["NO_REPLY", "no_reply.", '"NO_REPLY"', '{"action":"NO_REPLY"}'])
def test_a_silent_answer_is_recorded_and_neither_shown_nor_sent(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, text: str
) -> None:
    model_server.reply(text)
    found = openclaw_inproc(*ALICE, "-m", "Hi", "--deliver")
    assert (found.exit, found.out, found.err) == (0, "", "")
    assert not (tree.home / ".openclaw/outbox").exists()
    row = _rows(tree)[MAIN]
    lines = tree.lines(f"{SESSIONS}/{row['sessionId']}.jsonl")
    assert lines[-1]["message"]["content"][0]["text"] == text


def test_a_last_word_that_asks_for_silence_is_cut_off(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.reply("Done. NO_REPLY")
    openclaw_inproc(*ALICE, "-m", "Hi", "--deliver")
    assert _deliveries(tree) == [("telegram", "1", "Done.")]


@pytest.mark.parametrize(
    ("answer", "sent"),
    [
        ("HEARTBEAT_OK", []),
        ("<b>HEARTBEAT_OK</b>", []),
        ("HEARTBEAT_OK all\ngood", ["all good"]),
        ("one HEARTBEAT_OK two", ["one HEARTBEAT_OK two"]),
        ("heartbeat_ok", ["heartbeat_ok"]),
        ("Two\nlines", ["Two\nlines"]),
    ],
)
def test_the_word_that_answers_a_poll_reaches_nobody(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run, answer: str,
    sent: list[str],
) -> None:  # fmt: skip
    model_server.reply(answer)
    found = openclaw_inproc(*ALICE, "-m", "Hi", "--deliver", "--json").json()
    assert [payload["text"] for payload in found["payloads"]] == sent
    recorded = (tree.home / ".openclaw/outbox").exists()
    assert [text for *_, text in (_deliveries(tree) if recorded else [])] == sent


# Who may


def test_a_webhook_and_a_blank_sender_are_nobody_of_importance(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    for source in (("--hook",), ("--node", "n1"), ("--agent", "main", "--from", "")):
        found = openclaw_inproc("agent", *source, "-m", "/send off", "--json").json()
        assert found["status"] == "ignored", source
    refused = openclaw_inproc("agent", "--hook", "-m", "/dreaming on", "--json").json()
    assert refused["reason"] == "not-owner"
    assert "plugins" not in tree.read(".openclaw/openclaw.json")


def test_an_archived_session_takes_no_messages(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    tree.sessions({MAIN: {"sessionId": "a", "updatedAt": 1, "archivedAt": 5}})
    found = openclaw_inproc("agent", "--agent", "main", "-m", "Hi")
    assert (found.exit, "archived" in found.err) == (1, True)
    assert model_server.requests == []
    params = json.dumps({"key": MAIN, "archived": False})
    openclaw_inproc("gateway", "call", "sessions.patch", "--params", params)
    model_server.reply("Back.")
    assert openclaw_inproc("agent", "--agent", "main", "-m", "Hi").out == "Back.\n"


# Routing


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (["--agent", "main"], MAIN),
        (["--agent", "Work"], "agent:work:main"),
        (["--session-key", "Agent:MAIN:Desk"], "agent:main:desk"),
        (["--session-key", "desk", "--agent", "work"], "agent:work:desk"),
        (["--to", "agent:work:x"], "agent:work:x"),
        (["--to", "+49", "--channel", "whatsapp"], "agent:main:whatsapp:direct:+49"),
        (["--from", "dm:7", "--channel", "tg-like"], "agent:main:tg-like:direct:7"),
        (["--session-id", "Abc"], "agent:main:explicit:abc"),
        (["--session-id", "known"], "agent:work:stored"),
        (["--node", "Pi"], "agent:main:node-pi"),
        (["--channel", "telegram", "--from", "5", "--group", "-100"],
         "agent:main:telegram:group:-100"),
        (["--channel", "telegram", "--from", "5", "--group", "-100", "--thread", "3"],
         "agent:main:telegram:group:-100:topic:3"),
        (["--channel", "slack", "--from", "u", "--group", "C1", "--chat-type", "channel",
          "--thread", "9"], "agent:main:slack:channel:c1:thread:9"),
        (["--agent", "main", "--thread", "9"], "agent:main:main:thread:9"),
        (["--channel", "whatsapp", "--from", "123@g.us"], "agent:main:whatsapp:group:123@g.us"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_flags_choose_the_session(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run,
    flags: list[str], key: str,
) -> None:  # fmt: skip
    listed = [{"id": "main", "default": True}, {"id": "work"}]
    configured({"list": listed}, session={"dmScope": "per-channel-peer"})
    tree.sessions({"agent:work:stored": {"sessionId": "known", "updatedAt": NOW_MS}}, agent="work")
    model_server.reply("Hi.")
    found = openclaw_inproc("agent", *flags, "-m", "Hello", "--json")
    assert (found.exit, found.json()["sessionKey"]) == (0, key), found.err
    owner = key.split(":")[1]
    rows = tree.read(f".openclaw/agents/{owner}/sessions/sessions.json")
    assert key in rows


def test_a_hook_gets_a_session_of_its_own_each_time(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Hi."
    for _ in range(2):
        openclaw_inproc("agent", "--hook", "-m", "ping")
    openclaw_inproc("agent", "--hook", "--session-key", "hook:ci", "-m", "ping")
    keys = sorted(_rows(tree))
    assert len([key for key in keys if key.startswith("agent:main:hook:")]) == 3
    assert "agent:main:hook:ci" in keys


def test_agents_that_share_a_store_keep_their_own_sessions(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured({"list": [{"id": "main"}, {"id": "work"}]}, session={"store": "~/all.json"})
    row = {"sessionId": "known", "updatedAt": NOW_MS}
    tree.json("all.json", {"agent:work:x": row})
    model_server.default = "Hi."
    other = openclaw_inproc(
        "agent", "--session-id", "known", "--agent", "main", "-m", "a", "--json"
    )
    own = openclaw_inproc("agent", "--session-id", "known", "-m", "a", "--json")
    assert other.json()["sessionKey"] == "agent:main:explicit:known"
    assert own.json()["sessionKey"] == "agent:work:x"


# Threads and groups


def test_a_new_thread_starts_from_its_parent_while_that_is_small(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Hi."
    group = ("agent", "--channel", "slack", "--from", "u", "--group", "c1")
    openclaw_inproc(*group, "-m", "in the channel")
    openclaw_inproc(*group, "--thread", "1", "-m", "in the thread")
    messages = model_server.requests[1].body["messages"][1:]
    assert [m["content"] for m in messages] == ["in the channel", "Hi.", "in the thread"]
    key = "agent:main:slack:group:c1"
    rows = _rows(tree)
    fork = rows[f"{key}:thread:1"]
    assert fork["forkedFromParent"] is True
    header = tree.lines(f"{SESSIONS}/{fork['sessionFile']}")[0]
    assert header["parentSession"].endswith(f"{rows[key]['sessionId']}.jsonl")
    openclaw_inproc(*group, "--thread", "1", "-m", "/new Again")
    assert [m["content"] for m in model_server.requests[2].body["messages"][1:]] == ["Again"]
    rows[key]["totalTokens"] = 100_001
    tree.sessions(rows)
    openclaw_inproc(*group, "--thread", "2", "-m", "elsewhere")
    assert [m["content"] for m in model_server.requests[3].body["messages"][1:]] == ["elsewhere"]


def test_in_a_group_the_model_sees_who_spoke(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Hi."
    group = ("agent", "--channel", "telegram", "--group", "-1", "--from")
    openclaw_inproc(*group, "1", "--sender-name", "Ada]\n[Owner", "-m", "one")
    openclaw_inproc(*group, "2", "-m", "two")
    contents = [m["content"] for m in model_server.requests[1].body["messages"][1:]]
    assert contents == ["[Ada Owner] one", "Hi.", "two"]


# What people are told


def test_status_tells_what_is_known_and_nothing_else(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    configured({"defaults": {"model": {"primary": "scripted/model", "fallbacks": ["scripted/b"]}}})
    say = ("agent", "--agent", "main", "-m")
    lines = openclaw_inproc(*say, "/status").out.splitlines()
    assert not [line for line in lines if line.startswith(("🧮", "📡", "👥", "🪢", "📱", "🧑"))]
    assert "📚 Context: ?/200k · 🧹 Compactions: 0" in lines
    model_server.reply("Hi.")
    openclaw_inproc(*say, "Hello")
    rows = _rows(tree)
    rows[MAIN] |= {"groupActivation": "mention", "fastMode": True, "queueMode": "steer"}
    rows["agent:main:subagent:1"] = {"sessionId": "s", "updatedAt": NOW_MS, "spawnedBy": MAIN}
    tree.sessions(rows)
    tree.file(
        ".openclaw/credentials/whatsapp/home/creds.json", "{}", mtime=NOW_MS / 1000 - 3 * 86400
    )
    text = openclaw_inproc(*say, "/status", now="2026-11-20T03:00:47Z").out
    for wanted in (
        "Reference UTC: 2026-11-20T03:00Z", "🧠 Model: scripted/model · 🔑 present",
        "↪️ Fallbacks: scripted/b", "📡 Last call: ok 1m ago (scripted/model)",
        "🧮 Tokens: 11 in / 7 out", "📚 Context: 0.0k/200k (0%)",
        f"🧵 Session: {MAIN} • duration 47s • updated 1m ago", "Sub-agents: 1", "Fast: on",
        "👥 Activation: mention", "🪢 Queue: steer",
        "📱 WhatsApp home: credentials refreshed 3d ago",
    ):  # fmt: skip
        assert wanted in text, (wanted, text)


def test_context_names_files_and_sizes(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    say = ("agent", "--agent", "main", "-m")
    tree.file(".openclaw/workspace/AGENTS.md", "a" * 25_000)
    tree.file(".openclaw/workspace/USER.md", "u" * 10)
    text = openclaw_inproc(*say, "/context list").out
    assert "estimate" in text
    assert "- AGENTS.md: TRUNCATED | raw 25000 chars (~6250 tok) | injected 20000 chars" in text
    assert "- USER.md: OK | raw 10 chars (~3 tok)" in text
    assert "- SOUL.md: MISSING" in text
    assert text.splitlines()[-1] == "Session tokens (cached): ? total / ctx=200000"
    model_server.reply("Hi.")
    openclaw_inproc(*say, "Hello")
    detail = openclaw_inproc(*say, "/context deep").out
    assert "last run" in detail
    assert detail.index("Tools by size:") < detail.index("Tool schemas by size:")
    assert detail.splitlines()[-1] == "Session tokens (cached): 11 total / ctx=200000"


def test_bootstrap_files_share_sixty_thousand_characters(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"):
        tree.file(f".openclaw/workspace/{name}", f"begin {name} " + "x" * 30_000)
    model_server.reply("Hi.")
    openclaw_inproc("agent", "--agent", "main", "-m", "Hello")
    files = _rows(tree)[MAIN]["systemPromptReport"]["injectedWorkspaceFiles"]
    sizes = [(f["name"], f["injectedChars"], f["truncated"]) for f in files[:4]]
    assert sizes == [
        ("AGENTS.md", 20_000, True), ("SOUL.md", 20_000, True), ("TOOLS.md", 20_000, True),
        ("IDENTITY.md", 0, True),
    ]  # fmt: skip
    system = model_server.requests[0].body["messages"][0]["content"]
    assert "begin TOOLS.md" in system
    assert "begin IDENTITY.md" not in system


def test_another_model_or_level_is_a_line_of_the_transcript(
    tree: Tree, configured: Any, model_server: ModelServer, openclaw_inproc: Run
) -> None:
    model_server.default = "Hi."
    say = ("agent", "--agent", "main", "-m", "Hello")
    openclaw_inproc(*say)
    openclaw_inproc(*say, "--model", "scripted/other", "--thinking", "high")
    row = _rows(tree)[MAIN]
    lines = transcript.read(tree.home / SESSIONS / f"{row['sessionId']}.jsonl").entries
    changes = [line["type"] for line in lines if line["type"].endswith("_change")]
    assert changes == ["model_change", "thinking_level_change"] * 2
    assert row["thinkingLevel"] == "high"


def test_interactive_excludes_what_makes_no_sense_there(openclaw_inproc: Run) -> None:
    for extra in (["--json"], ["-m", "x"], ["--record-only"]):
        assert openclaw_inproc("agent", "--agent", "main", "--interactive", *extra).exit == 2
