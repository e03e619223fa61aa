"""``openclaw gateway call cron.*``: the commands under the protocol's words."""

from __future__ import annotations

import json
from typing import Any

from builders import Tree

NOW_MS = 1_795_143_600_000
TASK = {
    "name": "inbox",
    "schedule": {"kind": "cron", "expr": "0 9 * * *", "tz": "UTC"},
    "payload": {"kind": "agentTurn", "message": "Sum up"},
}


def call(openclaw: Any, method: str, **params: Any) -> Any:
    return openclaw("gateway", "call", f"cron.{method}", "--params", json.dumps(params))


def test_a_task_from_its_making_to_its_end(openclaw_inproc: Any, tree: Tree) -> None:
    row = call(openclaw_inproc, "add", **TASK).json()
    assert (row["sessionTarget"], row["delivery"]) == ("isolated", {"mode": "announce"})
    assert row["state"]["nextRunAtMs"] == NOW_MS + 6 * 3_600_000
    assert call(openclaw_inproc, "status").json()["jobs"] == 1
    assert call(openclaw_inproc, "get", id=row["id"]).json()["name"] == "inbox"
    patch = {"payload": {"model": "a/b"}, "enabled": False, "delivery": None}
    changed = call(openclaw_inproc, "update", jobId=row["id"], patch=patch).json()
    assert changed["payload"] == {**TASK["payload"], "model": "a/b"}
    assert (changed["status"], "delivery" in changed) == ("disabled", False)
    assert call(openclaw_inproc, "list").json()["jobs"] == []
    assert call(openclaw_inproc, "list", includeDisabled=True).json()["total"] == 1
    assert call(openclaw_inproc, "run", id=row["id"], mode="due").json()["reason"] == "disabled"
    assert call(openclaw_inproc, "run", id=row["id"]).json()["status"] == "skipped"
    assert call(openclaw_inproc, "runs", id=row["id"]).json()["total"] == 1
    assert call(openclaw_inproc, "remove", id=row["id"]).json() == {"ok": True, "removed": True}
    assert tree.read(".openclaw/cron/jobs.json")["jobs"] == []


def test_definitions_are_held_to_the_same_rules(openclaw_inproc: Any, tree: Tree) -> None:
    for change in (
        {"schedule": {"kind": "cron", "expr": "61 * * * *"}},
        {"schedule": {"kind": "moon"}},
        {"payload": {"kind": "systemEvent", "text": "x"}, "sessionTarget": "isolated"},
        {"delivery": {"mode": "webhook", "to": "nowhere"}},
        {"name": " "},
        {"schedule": {"kind": "at", "at": "2026-11-19T00:00:00Z"}},
        {"schedule": {"kind": "at", "at": "2037-11-19T00:00:00Z"}},
    ):
        done = openclaw_inproc(
            "gateway", "call", "cron.add", "--params", json.dumps({**TASK, **change}), "--json"
        )
        assert (done.exit, done.out, done.error["code"]) == (1, "", "INVALID_REQUEST"), change
    assert call(openclaw_inproc, "add", name="x").exit != 0
    assert call(openclaw_inproc, "get", id="nobody").exit == 1
    assert call(openclaw_inproc, "get").exit != 0
    assert not (tree.state / "cron").exists()
