"""The managed task of the nightly sweep: what is one, and what reconciling does."""

from __future__ import annotations

from typing import Any

from openclaw_cli.schedule import managed
from openclaw_cli.schedule.managed import Limits

WANTED = managed.wanted_job(
    Limits(10, 0.8, 3, 3, 14, 30), frequency="0 3 * * *", timezone="Europe/Warsaw"
)
USER = {"id": "u", "name": "Backup", "payload": {"kind": "systemEvent", "text": "x"}}
LEGACY = {
    "id": "l",
    "name": "Memory Light Dreaming",
    "payload": {"kind": "systemEvent", "text": "__openclaw_memory_core_light_sleep__"},
}


def kept(task_id: str, created: int | None, **change: Any) -> dict[str, Any]:
    stamp = {} if created is None else {"createdAtMs": created}
    return {"id": task_id, **stamp, **WANTED, **change}


def test_what_is_managed() -> None:
    assert managed.is_managed({"description": f"x {managed.TAG} y"})
    for kind, field in (("systemEvent", "text"), ("AGENTTURN", "message")):
        row = {"name": managed.NAME, "payload": {"kind": kind, field: managed.TOKEN}}
        assert managed.is_managed(row)
    assert not managed.is_managed({"name": managed.NAME, "payload": {"kind": "agentTurn"}})
    assert not managed.is_managed("text")


def test_what_is_legacy() -> None:
    assert managed.is_legacy(LEGACY)
    assert managed.is_legacy({"description": f"{managed.LEGACY_TAGS[1]} x"})
    assert not managed.is_legacy(USER)


def test_the_first_one_is_added_and_predecessors_go() -> None:
    result = managed.reconcile([USER, LEGACY], WANTED)
    assert (result.status, result.removed, result.rows) == ("added", ["l"], [USER, WANTED])


def test_the_oldest_is_kept_and_patched() -> None:
    rows = [kept("c", None), kept("b", 20, enabled=False), kept("a", 30), USER]
    result = managed.reconcile(rows, WANTED)
    assert (result.status, result.kept_id, result.patch) == ("updated", "b", {"enabled": True})
    assert result.removed == ["a", "c"]
    assert result.rows == [kept("b", 20), USER]


def test_a_removed_zone_goes_with_the_whole_schedule() -> None:
    wanted = managed.wanted_job(Limits(1, 0.5, 1, 1, 1, None), frequency="0 4 * * *", timezone=None)
    result = managed.reconcile([kept("a", 1)], wanted)
    assert result.patch["schedule"] == {"kind": "cron", "expr": "0 4 * * *"}
    assert "maxAgeDays=none)." in result.patch["description"]
    assert "minScore=0.500" in result.patch["description"]


def test_a_task_that_matches_is_left_alone() -> None:
    row = kept("a", 1)
    result = managed.reconcile([row], WANTED)
    assert (result.status, result.removed, result.patch) == ("noop", [], {})
    assert result.rows[0] is row


def test_switched_off_all_of_them_go() -> None:
    result = managed.reconcile([kept("a", 1), USER, LEGACY, kept("b", 2)], None)
    assert (result.status, result.removed, result.rows) == ("disabled", ["l", "a", "b"], [USER])
