"""Due follow-ups from the store to the person, by real heartbeats (``commitments.md`` 7-11)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import PROGRAM, Result
from followups import HOUR_MS, KEY, NOW_MS, PATH, document, row
from model_server import ModelServer

from openclaw_cli.state.clock import iso

pytestmark = pytest.mark.system

Run = Callable[..., Result]
OTHER = "agent:main:telegram:direct:9"


def configure(tree: Tree, server: ModelServer, own: Any = None, **more: Any) -> None:
    blocks = server.config()
    blocks["agents"]["defaults"]["heartbeat"] = {"target": "last"}
    plugins = {"entries": {"openclaw-cli": {"config": {"channels": own or {}}}}}
    tree.config(commitments={"enabled": True, "maxPerDay": 2}, plugins=plugins, **blocks, **more)
    # A checklist without content: the ordinary run has nothing to do and asks no model.
    tree.file(".openclaw/workspace/HEARTBEAT.md", "# nothing\n")


def deliveries(tree: Tree) -> list[tuple[str, str, str]]:
    path = tree.home / ".openclaw/outbox/outbox.jsonl"
    lines = tree.lines(".openclaw/outbox/outbox.jsonl") if path.exists() else []
    return [(line["to"], line["text"], line["status"]) for line in lines]


def stored(tree: Tree) -> dict[str, tuple[str, int]]:
    return {r["id"]: (r["status"], r["attempts"]) for r in tree.read(PATH)["commitments"]}


def beat(openclaw: Run, **how: Any) -> dict[str, str]:
    """One forced heartbeat; what it says about each follow-up."""
    result = openclaw("heartbeat", "run", "--force", "--json", **how)
    (agent,) = result.json()["agents"]
    return {c["id"]: c["outcome"] for c in agent["commitments"]}


def test_each_goes_to_its_own_person_and_only_once(
    tree: Tree, openclaw: Run, model_server: ModelServer
) -> None:
    configure(tree, model_server)
    tree.json(
        PATH,
        document(
            row("cm_a"), row("cm_b", due_in_h=-0.5), row("cm_c", due_in_h=-0.4),
            row("cm_x", to="telegram:9", sessionKey=OTHER), row("cm_later", due_in_h=2),
            row("cm_work", agentId="work", sessionKey="agent:work:main"),
        ),
    )  # fmt: skip
    model_server.reply("A?", "B?", "X?")
    assert beat(openclaw) == {"cm_a": "sent", "cm_b": "sent", "cm_x": "sent"}
    assert deliveries(tree) == [
        ("telegram:123", "A?", "queued"), ("telegram:123", "B?", "queued"),
        ("telegram:9", "X?", "queued"),
    ]  # fmt: skip
    assert stored(tree) == {
        "cm_a": ("sent", 1), "cm_b": ("sent", 1), "cm_c": ("pending", 0), "cm_x": ("sent", 1),
        "cm_later": ("pending", 0), "cm_work": ("pending", 0),
    }  # fmt: skip
    assert beat(openclaw) == {}  # the cap of two a day holds cm_c back
    assert len(model_server.requests) == 3
    assert all("tools" not in request.body for request in model_server.requests)


def test_an_acknowledgement_drops_it_without_a_word(
    tree: Tree, openclaw: Run, model_server: ModelServer
) -> None:
    configure(tree, model_server)
    tree.json(PATH, document(row("cm_a")))
    model_server.reply("HEARTBEAT_OK")
    assert beat(openclaw) == {"cm_a": "dismissed"}
    assert (stored(tree), deliveries(tree)) == ({"cm_a": ("dismissed", 1)}, [])


@pytest.mark.parametrize(
    ("change", "session", "reason"),
    [
        ({}, {"sendPolicy": "deny"}, "send-policy"),
        ({"channels": {"telegram": {"heartbeat": {"showAlerts": False}}}}, {}, "alerts-disabled"),
        ({"session": {"sendPolicy": {"default": "deny"}}}, {}, "send-policy"),
    ],
)
def test_what_the_owner_switched_off_costs_neither_a_call_nor_an_attempt(
    tree: Tree, openclaw: Run, model_server: ModelServer, change: Any, session: Any, reason: str
) -> None:
    configure(tree, model_server, **change)
    tree.sessions({KEY: {"sessionId": "s1", "updatedAt": NOW_MS, **session}})
    tree.json(PATH, document(row("cm_a")))
    result = openclaw("heartbeat", "run", "--force", "--json").json()
    (told,) = result["agents"][0]["commitments"]
    assert (told["outcome"], told["reason"]) == ("skipped", reason)
    assert (stored(tree), deliveries(tree)) == ({"cm_a": ("pending", 0)}, [])
    assert model_server.requests == []


@pytest.mark.parametrize(
    ("own", "channels", "fields"),
    [
        ({}, {"telegram": {"enabled": False}}, {}),
        ({}, {"telegram": {"accounts": {"b": {"botToken": "1:a"}}}}, {}),
        ({}, {}, {"to": None, "channel": "slack"}),
    ],
    ids=["switched-off", "unknown-account", "no-recipient"],
)
def test_what_cannot_be_delivered_costs_an_attempt_but_no_call_and_ends(
    tree: Tree, openclaw: Run, model_server: ModelServer, own: Any, channels: Any, fields: Any
) -> None:
    configure(tree, model_server, own, channels=channels)
    tree.json(PATH, document(row("cm_a", width_h=100, **fields)))
    waits = [0, 0.5, 1, 2, 4]
    at_ms = NOW_MS
    for number, hours in enumerate(waits, 1):
        at_ms += int(hours * HOUR_MS)
        assert beat(openclaw, now=iso(at_ms - 1)) == (
            {} if number > 1 else {"cm_a": "undeliverable"}
        )
        if number > 1:
            assert beat(openclaw, now=iso(at_ms)) == {"cm_a": "undeliverable"}
        else:
            at_ms -= 1
    assert stored(tree) == {"cm_a": ("expired", 5)}
    assert (model_server.requests, deliveries(tree)) == ([], [])


def test_a_failed_delivery_is_tried_again_only_after_its_rest(
    tree: Tree, openclaw: Run, model_server: ModelServer
) -> None:
    configure(tree, model_server, {"telegram": {"command": ["false"]}})
    tree.json(PATH, document(row("cm_a")))
    model_server.default = "How was it?"
    assert beat(openclaw) == {"cm_a": "failed"}
    assert beat(openclaw, now=iso(NOW_MS + HOUR_MS // 2 - 1)) == {}
    configure(tree, model_server, {"telegram": {"command": ["true"]}})
    assert beat(openclaw, now=iso(NOW_MS + HOUR_MS // 2)) == {"cm_a": "sent"}
    assert stored(tree) == {"cm_a": ("sent", 2)}


def test_killed_after_the_message_went_out_it_is_never_sent_again(
    tree: Tree, openclaw: Run, model_server: ModelServer
) -> None:
    """The channel's program takes the message and kills the heartbeat that waits for it."""
    body = (
        "import os, signal, sys\n"
        "open('went-out', 'a').write('x')\n"
        "os.kill(os.getppid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, str(tree.file("deadly.py", body))]
    configure(tree, model_server, {"telegram": {"command": command}})
    tree.json(PATH, document(row("cm_a")))
    model_server.default = "How was it?"
    done = subprocess.run(
        [str(PROGRAM), "heartbeat", "run", "--force"],
        cwd=tree.home, env=dict(os.environ), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert stored(tree) == {"cm_a": ("pending", 1)}
    for hours in (1, 2, 10):
        beat(openclaw, now=iso(NOW_MS + hours * HOUR_MS))
    assert (tree.home / "went-out").read_text() == "x"
    (listed,) = openclaw("outbox", "--json").json()["deliveries"]
    assert (listed["status"], listed["sourceId"]) == ("uncertain", "cm_a")
    openclaw("outbox", "done", listed["id"])
    beat(openclaw, now=iso(NOW_MS + 11 * HOUR_MS))
    assert stored(tree) == {"cm_a": ("sent", 1)}
    assert (tree.home / "went-out").read_text() == "x"


def test_killed_between_the_outbox_and_the_store_the_row_catches_up(
    tree: Tree, openclaw: Run, model_server: ModelServer
) -> None:
    configure(tree, model_server)
    tree.json(PATH, document(row("cm_a", attempts=1, lastAttemptAtMs=NOW_MS - 2 * HOUR_MS)))
    handed_over = {
        "id": "ob_1", "ts": NOW_MS - HOUR_MS, "channel": "telegram", "to": "telegram:123",
        "text": "x", "source": "commitment", "sourceId": "cm_a", "status": "sent",
    }  # fmt: skip
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [handed_over])
    assert beat(openclaw) == {}
    assert stored(tree) == {"cm_a": ("sent", 1)}
    assert model_server.requests == []
