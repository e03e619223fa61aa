"""Whatever store, configuration and clock: follow-ups of real runs keep to their own place.

Whole heartbeats run in this process over trees made up by hypothesis, with a model that
answers something new each time.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from builders import Tree
from conftest import NOW
from followups import HOUR_MS, NOW_MS, PATH, document, row
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openclaw_cli.config.load import load
from openclaw_cli.delivery import outbox, recipients
from openclaw_cli.heartbeat import run
from openclaw_cli.heartbeat.look import Wish
from openclaw_cli.model import client
from openclaw_cli.model.budget import Usage
from openclaw_cli.model.failures import Unreachable
from openclaw_cli.model.refs import ModelRef
from openclaw_cli.state import files
from openclaw_cli.state.clock import iso
from openclaw_cli.state.paths import Paths

MAIN, ALICE = "agent:main:main", "agent:main:telegram:direct:1"
KEYS = [
    *[ALICE] * 6,
    MAIN,
    "agent:work:main",
    "agent:work:telegram:direct:1",
    "global",
    "telegram:9",
]
ROWS = st.builds(
    dict,
    agentId=st.sampled_from([*["main"] * 6, "work", "ghost"]),
    sessionKey=st.sampled_from(KEYS),
    channel=st.sampled_from([*["telegram"] * 5, "Discord", "webchat"]),
    to=st.sampled_from(["1", "telegram:1", "2", None]),
    accountId=st.sampled_from([*["default"] * 4, "bot", "nobody", None]),
    threadId=st.sampled_from(["7", None]),
    senderId=st.sampled_from(["1", None]),
    status=st.sampled_from([*["pending"] * 6, "snoozed", "sent", "dismissed"]),
    snoozedUntilMs=st.sampled_from([None, NOW_MS + HOUR_MS]),
    sentAtMs=st.sampled_from([None, None, NOW_MS - HOUR_MS]),
    attempts=st.sampled_from([0, 0, 1, 5]),
    due_in_h=st.sampled_from([-200, -5, -4, -3, -2, -1, -0.1, 0.4, 30]),
    width_h=st.sampled_from([0, 1, 12]),
)
BEATS = st.lists(
    st.tuples(
        st.integers(-30, 2000),  # minutes since the last one: clocks also jump back
        st.sampled_from([*["alert"] * 6, "ok", "fails"]),
    ),
    min_size=2,
    max_size=5,
)
HEARTBEAT = st.fixed_dictionaries(
    {"target": st.sampled_from([*["last"] * 6, "none", "telegram"])},
    optional={
        "directPolicy": st.sampled_from(["allow", "allow", "block"]),
        "to": st.just("2"),
        "activeHours": st.just({"start": "02:00", "end": "23:00"}),
        "isolatedSession": st.booleans(),
    },
)
CHANNELS = st.sampled_from(
    [{}, {"telegram": {"accounts": {"default": {}, "bot": {"heartbeat": {"showAlerts": False}}}}}]
)


class Model:
    """Answers something new each time, fails or acknowledges when told to."""

    def __init__(self) -> None:
        self.mood = "alert"
        self._numbers = itertools.count()

    def complete(self, _config: Any, request: Any, *, now_ms: int) -> client.Completion:
        if self.mood == "fails":
            raise Unreachable("no connection", model="m")
        text = "HEARTBEAT_OK" if self.mood == "ok" else f"Message {next(self._numbers)}"
        return client.Completion(text, (), "stop", ModelRef("p", "m"), Usage(1, 1), 1)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    found = Model()
    monkeypatch.setattr(client, "complete", found.complete)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(files, "sync_dir", lambda _path: None)
    return found


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(ROWS, min_size=3, max_size=8), HEARTBEAT, CHANNELS, BEATS, st.integers(1, 3),
    st.sampled_from(["per-sender", "global"]),
)  # fmt: skip
def test_no_follow_up_leaves_its_place_its_day_or_its_turn(
    model: Model, made: list[dict[str, Any]], heartbeat: dict[str, Any],
    channels: dict[str, Any], beats: list[tuple[int, str]], cap: int, scope: str,
) -> None:  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", folder)
        patch.setenv("OPENCLAW_NOW", NOW)
        tree = Tree(Path(folder))
        listed = [{"id": "main", "heartbeat": heartbeat}, {"id": "work", "heartbeat": heartbeat}]
        tree.config(
            agents={"defaults": {"model": "p/m"}, "list": listed}, channels=channels,
            commitments={"enabled": True, "maxPerDay": cap}, session={"scope": scope},
        )  # fmt: skip
        tree.file(".openclaw/workspace/HEARTBEAT.md", "# nothing\n")
        tree.file(".openclaw/workspace-work/HEARTBEAT.md", "# nothing\n")
        for agent in ("main", "work"):
            context = {"channel": "telegram", "to": "1"}
            tree.sessions(
                {f"agent:{agent}:main": {"sessionId": agent, "updatedAt": 1,
                                         "deliveryContext": context}}, agent=agent,
            )  # fmt: skip
        stored = {f"cm_{n}": row(f"cm_{n}", **fields) for n, fields in enumerate(made)}
        tree.json(PATH, document(*stored.values()))
        at_ms = NOW_MS
        for minutes, mood in beats:
            at_ms += minutes * 60_000
            patch.setenv("OPENCLAW_NOW", iso(at_ms))
            model.mood = mood
            config = load(Paths.from_env())
            run.run_agents(config, ["main", "work"], Wish(force=minutes % 5 > 0))
        _check(tree, stored, heartbeat, cap)


def _check(tree: Tree, stored: dict[str, Any], heartbeat: dict[str, Any], cap: int) -> None:
    records = [r for r in outbox.load(Paths.from_env()) if r["source"] == "commitment"]
    told = [r["sourceId"] for r in records if r["status"] in outbox.HANDED_OVER]
    assert len(told) == len(set(told)), "one follow-up was told twice"
    for record in records:
        own = stored[record["sourceId"]]
        assert own["status"] in ("pending", "snoozed")
        assert record["agentId"] == own["agentId"] in ("main", "work")
        assert record["sessionKey"] == own["sessionKey"]
        named = own["sessionKey"].split(":")
        assert named[0] != "agent" or named[1] == own["agentId"]
        assert record["channel"] == own["channel"].lower()
        assert record["accountId"] == own.get("accountId")
        assert record["threadId"] == own.get("threadId")
        # Without a recipient of its own only the session's last one counts.
        wanted = own.get("to") or "1"
        assert recipients.same(record["channel"], record["to"], wanted)
        assert record["ts"] >= own["dueWindow"]["earliestMs"]
        assert heartbeat["target"] != "none"
        place = (record["channel"], record["accountId"])
        assert place != ("telegram", "bot") or not _hides_alerts(tree)
        same_day = [
            other
            for other in records
            if (other["agentId"], other["sessionKey"]) == (record["agentId"], record["sessionKey"])
            and other["status"] in outbox.HANDED_OVER
            and record["ts"] - 24 * HOUR_MS <= other["ts"] <= record["ts"]
        ]
        assert len(same_day) <= cap, "more than the cap in a day"


def _hides_alerts(tree: Tree) -> bool:
    return bool(tree.read(".openclaw/openclaw.json")["channels"])
