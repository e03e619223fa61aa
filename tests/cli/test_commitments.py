"""``openclaw commitments`` and its subcommands (``commitments.md`` 10, 10.1, 11)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import NOW, PROGRAM, Result
from followups import HOUR_MS, KEY, NOW_MS, PATH, document, row

from openclaw_cli.state.clock import iso

Run = Callable[..., Result]


@pytest.fixture
def stored(tree: Tree) -> Tree:
    """One row of each kind that matters, and a heartbeat that would deliver."""
    tree.config(
        commitments={"enabled": True}, agents={"defaults": {"heartbeat": {"target": "last"}}}
    )
    tree.json(
        PATH,
        document(
            row("cm_due"),
            row("cm_later", due_in_h=5),
            row("cm_asleep", status="snoozed", snoozedUntilMs=NOW_MS + HOUR_MS),
            row("cm_sent", status="sent", sentAtMs=NOW_MS - HOUR_MS, attempts=1),
            row("cm_work", agentId="work", sessionKey="agent:work:main", channel="discord"),
            {"id": "cm_odd", "kind": "reminder"},
        ),
    )
    return tree


def statuses(tree: Tree) -> dict[str, str]:
    return {r["id"]: r.get("status", "-") for r in tree.read(PATH)["commitments"]}


# Listing


def test_the_list_document(stored: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("commitments", "--json")
    found = result.json()
    assert list(found)[:5] == ["count", "status", "agentId", "store", "commitments"]
    assert [r["id"] for r in found["commitments"]] == ["cm_due", "cm_work", "cm_later"]
    assert (found["status"], found["agentId"], found["invalidRows"]) == ("pending", None, 1)
    assert "not valid" in result.err


@pytest.mark.parametrize(
    ("argv", "status", "ids"),
    [
        (["--status", "snoozed"], "snoozed", ["cm_asleep"]),
        (["--status", " sent "], "sent", ["cm_sent"]),
        (["--status", ""], "pending", ["cm_due", "cm_asleep", "cm_work", "cm_later"]),
        (["--all", "--status", "nonsense"], None,
         ["cm_due", "cm_asleep", "cm_sent", "cm_work", "cm_later"]),
        (["--agent", " work "], "pending", ["cm_work"]),
        (["--status", "sent", "list", "--status", "snoozed"], "snoozed", ["cm_asleep"]),
        (["--all", "list", "--agent", "work"], None, ["cm_work"]),
        (["--agent", "ghost"], "pending", []),
    ],
)  # fmt: skip
def test_filters_before_and_after_the_subcommand(
    stored: Tree, openclaw_inproc: Run, argv: list[str], status: str | None, ids: list[str]
) -> None:
    found = openclaw_inproc("commitments", *argv, "--json").json()
    assert (found["status"], [r["id"] for r in found["commitments"]]) == (status, ids)


@pytest.mark.parametrize("word", ["done", "Pending", "all"])
def test_an_unknown_status_is_exit_1_and_lists_the_words(
    stored: Tree, openclaw_inproc: Run, word: str
) -> None:
    result = openclaw_inproc("commitments", "--status", word, "--json")
    assert (result.exit, result.out, result.error["code"]) == (1, "", "unknown-status")
    assert all(
        w in result.err for w in (word, "pending", "sent", "dismissed", "snoozed", "expired")
    )


def test_an_invalid_config_stops_before_the_store_is_touched(
    stored: Tree, openclaw_inproc: Run
) -> None:
    stored.config(commitments={"maxPerDay": 0})
    stored.json(PATH, document(row("cm_over", due_in_h=-300)))
    for argv in (["--all"], ["dismiss", "cm_over"], ["due"], ["snooze", "cm_over", "--for", "1h"]):
        result = openclaw_inproc("commitments", *argv)
        assert (result.exit, result.out) == (1, "")
        assert "commitments.maxPerDay" in result.err
    assert statuses(stored) == {"cm_over": "pending"}


def test_a_damaged_store_is_an_error_with_a_stable_word(tree: Tree, openclaw_inproc: Run) -> None:
    path = tree.file(PATH, '{"version": 1, "commit')
    for argv in ([], ["dismiss", "cm_a"], ["due"], ["export"], ["history"], ["extract"]):
        result = openclaw_inproc("commitments", *argv, "--json")
        if argv != ["extract"]:  # which the switched-off feature ends before
            assert (result.exit, result.out, result.error["code"]) == (1, "", "store-unreadable")
            assert result.error["path"] == str(path)
    assert path.read_text() == '{"version": 1, "commit'


def test_the_table_cuts_cells_and_cleans_them(tree: Tree, openclaw_inproc: Run) -> None:
    bad = "line\none\x1b[31m red\x07\x9b " + "x" * 200
    emoji = "y" * 88 + "😀😀"
    tree.json(
        PATH,
        document(
            row("cm_1", suggestedText=bad), row("cm_2", suggestedText=emoji, due_in_h=-0.5),
            row("cm_1234567890123456", due_in_h=0, to=None, sessionKey="agent:main:" + "k" * 40),
        ),
    )  # fmt: skip
    lines = openclaw_inproc("commitments").out.splitlines()
    assert lines[0] == "Commitments: 3"
    assert lines[3].startswith("ID               Status     Kind             Due ")
    first, second, third = lines[4:7]
    assert first.startswith(
        "cm_1             pending    event_check_in   2026-11-20T02:00:00.000Z "
    )
    text = first[99:]
    assert text.startswith("line\\none red x")
    assert (len(text), text[-1]) == (90, "…")
    assert second[99:] == "y" * 88 + "…"  # a pair that would be split goes whole
    assert third.startswith("cm_123456789012… ")
    assert "main/telegram/agent:main:kk…" in third
    assert lines[7].startswith("Ids are cut")


def test_an_empty_listing_says_why(tree: Tree, openclaw_inproc: Run) -> None:
    tree.json(PATH, document(row("cm_s", status="sent", sentAtMs=1)))
    result = openclaw_inproc("commitments")
    for words in ("commitments are off", "1 sent", "cron list", "target"):
        assert words in result.out
    found = openclaw_inproc("commitments", "--json").json()
    assert [h["reason"] for h in found["hints"]] == [
        "feature-off", "target-none", "no-scheduler", "other-status", "reminders",
    ]  # fmt: skip


def test_the_list_says_that_due_rows_are_held_back_by_the_target(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.config(commitments={"enabled": True}, agents={"defaults": {"heartbeat": {}}})
    tree.json(PATH, document(row("cm_a"), row("cm_b"), row("cm_c", due_in_h=3)))
    assert (
        "target of agent main is none: 2 due now are held back"
        in openclaw_inproc("commitments").out
    )
    tree.json(PATH, document(row("cm_c", due_in_h=3)))
    assert "held back" not in openclaw_inproc("commitments").out


def test_an_agent_that_is_not_configured_is_told_so(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(commitments={"enabled": True})
    assert "agent ghost is not configured" in openclaw_inproc("commitments", "--agent", "ghost").out


def test_listing_marks_expiry_and_records_it(tree: Tree, openclaw_inproc: Run) -> None:
    tree.json(PATH, document(row("cm_over", due_in_h=-84.1), row("cm_edge", due_in_h=-84)))
    assert openclaw_inproc("commitments", "--json").json()["count"] == 1
    assert statuses(tree) == {"cm_over": "expired", "cm_edge": "pending"}
    (change,) = tree.lines(".openclaw/logs/changes.jsonl")
    assert (change["command"], change["what"], change["key"]) == (
        "commitments list", "commitment", "cm_over",
    )  # fmt: skip


# Dismiss


def test_dismiss_names_each_group(stored: Tree, openclaw_inproc: Run) -> None:
    argv = ["dismiss", " cm_due ", "cm_sent", "cm_nope", "", "cm_due"]
    result = openclaw_inproc("commitments", *argv, "--json")
    assert result.exit == 1
    assert result.json() == {
        "dismissed": ["cm_due", "cm_sent", "cm_nope", "cm_due"], "changed": ["cm_due"],
        "unchanged": {"cm_sent": "sent"}, "unknown": ["cm_nope"], "dryRun": False,
    }  # fmt: skip
    text = openclaw_inproc("commitments", "dismiss", "cm_later", "cm_due", "cm_nope").out
    assert text.splitlines() == [
        "Dismissed commitments: cm_later",
        "Not changed, already dismissed: cm_due",
        "Unknown ids: cm_nope",
    ]


def test_dismissing_what_is_over_is_exit_0(stored: Tree, openclaw_inproc: Run) -> None:
    before = (stored.home / PATH).read_bytes()
    assert openclaw_inproc("commitments", "dismiss", "cm_sent").exit == 0
    assert (stored.home / PATH).read_bytes() == before


@pytest.mark.parametrize("argv", [["dismiss"], ["dismiss", " "], ["snooze"], ["purge"], ["show"]])
def test_wrong_usage_is_exit_2(stored: Tree, openclaw_inproc: Run, argv: list[str]) -> None:
    result = openclaw_inproc("commitments", *argv)
    assert (result.exit, result.out) == (2, "")


def test_a_dry_run_changes_nothing_and_can_tell(stored: Tree, openclaw_inproc: Run) -> None:
    before = (stored.home / PATH).read_bytes()
    dry = openclaw_inproc("commitments", "dismiss", "cm_due", "--dry-run")
    assert (dry.exit, dry.out) == (0, "Would dismiss commitments: cm_due\n")
    for argv in (["dismiss", "cm_due"], ["snooze", "cm_due", "--for", "2h"],
                 ["edit", "cm_due", "--text", "x"]):  # fmt: skip
        assert openclaw_inproc("commitments", *argv, "--dry-run", "--exit-code").exit == 3
    for argv in (["dismiss", "cm_sent"], ["edit", "cm_due", "--text", "How did it go?"]):
        assert openclaw_inproc("commitments", *argv, "--dry-run", "--exit-code").exit == 0
    assert (stored.home / PATH).read_bytes() == before
    assert not (stored.state / "logs").exists()


# Show and due


def test_show_says_what_holds_a_row_back(stored: Tree, openclaw_inproc: Run) -> None:
    def shown(row_id: str) -> Any:
        return openclaw_inproc("commitments", "show", row_id, "--json").json()

    found = shown("cm_due")
    assert list(found) == ["commitment", "due", "heldBy", "blocked", "expiresAtMs"]
    assert (found["due"], found["heldBy"], found["blocked"]) == (True, None, None)
    assert found["expiresAtMs"] == found["commitment"]["dueWindow"]["latestMs"] + 72 * HOUR_MS
    assert [shown(i)["heldBy"] for i in ("cm_later", "cm_asleep", "cm_sent")] == [
        "not-yet", "snoozed", "sent",
    ]  # fmt: skip
    assert openclaw_inproc("commitments", "show", "cm_nope").exit == 1
    assert openclaw_inproc("commitments", "show", "cm_odd").exit == 1


def test_due_is_a_pure_read(stored: Tree, openclaw_inproc: Run) -> None:
    stored.json(PATH, document(row("cm_over", due_in_h=-300), row("cm_due"), row("cm_x")))
    before = (stored.home / PATH).read_bytes()
    found = openclaw_inproc("commitments", "due", "--json").json()
    assert [r["id"] for r in found["commitments"]] == ["cm_due", "cm_x"]
    assert found["held"] == {
        "not-yet": 0, "snoozed": 0, "daily-cap": 0, "batch-limit": 0, "attempts": 0,
    }  # fmt: skip
    assert (found["count"], found["blocked"]) == (2, None)
    assert (stored.home / PATH).read_bytes() == before
    assert os.listdir(stored.state / "commitments") == ["commitments.json"]


def test_due_counts_what_is_held_and_keeps_to_one_session(
    stored: Tree, openclaw_inproc: Run
) -> None:
    found = openclaw_inproc("commitments", "due", "--json").json()
    assert {r["id"] for r in found["commitments"]} == {"cm_due", "cm_work"}
    assert found["held"] | {} == found["held"]
    assert (found["held"]["not-yet"], found["held"]["snoozed"]) == (1, 1)
    only = openclaw_inproc("commitments", "due", "--session-key", KEY, "--json").json()
    assert [r["id"] for r in only["commitments"]] == ["cm_due"]
    assert openclaw_inproc("commitments", "due", "--agent", "work", "--json").json()["count"] == 1


@pytest.mark.parametrize(
    ("heartbeat", "expected"),
    [
        ({}, "target-none"),
        ({"target": "none"}, "target-none"),
        ({"target": "last", "every": "0m"}, "heartbeat-off"),
        ({"target": "last", "activeHours": {"start": "09:00", "end": "10:00"}}, "quiet-hours"),
        ({"target": "last"}, None),
    ],
)
def test_due_says_what_blocks_delivery(
    stored: Tree, openclaw_inproc: Run, heartbeat: dict[str, Any], expected: str | None
) -> None:
    stored.config(commitments={"enabled": True}, agents={"defaults": {"heartbeat": heartbeat}})
    found = openclaw_inproc("commitments", "due", "--agent", "main", "--json").json()
    assert (found["blocked"], found["count"]) == (expected, 1)
    stored.config(agents={"defaults": {"heartbeat": heartbeat}})
    off = openclaw_inproc("commitments", "due", "--agent", "main", "--json").json()
    assert off["blocked"] == "feature-off"


def test_a_row_whose_delivery_is_uncertain_is_held(stored: Tree, openclaw_inproc: Run) -> None:
    record = {"id": "ob_1", "ts": NOW_MS, "channel": "telegram", "to": "1", "text": "x",
              "source": "commitment", "sourceId": "cm_due", "status": "uncertain"}  # fmt: skip
    stored.jsonl(".openclaw/outbox/outbox.jsonl", [record])
    found = openclaw_inproc("commitments", "due", "--agent", "main", "--json").json()
    assert (found["count"], found["held"]["uncertain"]) == (0, 1)
    assert (
        openclaw_inproc("commitments", "show", "cm_due", "--json").json()["heldBy"] == "uncertain"
    )


def test_a_row_that_was_sent_counts_against_the_cap_whatever_the_outbox_says(
    stored: Tree, openclaw_inproc: Run
) -> None:
    stored.config(
        commitments={"enabled": True, "maxPerDay": 1},
        agents={"defaults": {"heartbeat": {"target": "last"}}},
    )
    record = {"id": "ob_1", "ts": NOW_MS, "channel": "telegram", "to": "1", "text": "x",
              "source": "commitment", "sourceId": "cm_sent", "status": "sent"}  # fmt: skip
    stored.jsonl(".openclaw/outbox/outbox.jsonl", [record])
    found = openclaw_inproc("commitments", "due", "--agent", "main", "--json").json()
    assert (found["count"], found["held"]["daily-cap"]) == (0, 1)


# Snooze and edit


def test_snooze_reports_each_id(stored: Tree, openclaw_inproc: Run) -> None:
    argv = ["snooze", "cm_due", "cm_sent", "cm_nope", "--for", "1d12h"]
    result = openclaw_inproc("commitments", *argv, "--json")
    found = result.json()
    assert result.exit == 1
    assert (found["snoozed"], found["unchanged"], found["unknown"]) == (
        ["cm_due"], {"cm_sent": "sent"}, ["cm_nope"],
    )  # fmt: skip
    kept = next(r for r in stored.read(PATH)["commitments"] if r["id"] == "cm_due")
    assert (kept["status"], kept["snoozedUntilMs"]) == ("snoozed", NOW_MS + 36 * HOUR_MS)
    assert kept["dueWindow"]["latestMs"] == NOW_MS + 48 * HOUR_MS


def test_a_snoozed_row_sleeps_wakes_and_does_not_expire_asleep(
    stored: Tree, openclaw_inproc: Run
) -> None:
    openclaw_inproc("commitments", "snooze", "cm_due", "--for", "10d")

    def held(now_ms: int) -> Any:
        return openclaw_inproc("commitments", "show", "cm_due", "--json", now=iso(now_ms)).json()

    asleep = held(NOW_MS + 9 * 24 * HOUR_MS)
    assert (asleep["due"], asleep["heldBy"]) == (False, "snoozed")
    awake = held(NOW_MS + 240 * HOUR_MS)
    assert (awake["due"], awake["commitment"]["status"]) == (True, "snoozed")
    later = iso(NOW_MS + 300 * HOUR_MS)
    openclaw_inproc("commitments", "--all", now=later)
    assert statuses(stored)["cm_due"] == "snoozed"


@pytest.mark.parametrize(
    ("until", "zone", "expected"),
    [
        ("2026-11-21T10:00:00", [], "2026-11-21T09:00:00.000Z"),
        ("2026-11-21T10:00:00", ["--tz", "Asia/Seoul"], "2026-11-21T01:00:00.000Z"),
        ("2026-11-21T10:00:00Z", [], "2026-11-21T10:00:00.000Z"),
        ("2026-11-21", [], "2026-11-21T00:00:00.000Z"),
        ("+20m", [], "2026-11-20T03:20:00.000Z"),
    ],
)
def test_snooze_until_reads_times_in_the_rows_zone(
    tree: Tree, openclaw_inproc: Run, until: str, zone: list[str], expected: str
) -> None:
    found = row("cm_1")
    found["dueWindow"]["timezone"] = "Europe/Warsaw"
    tree.json(PATH, document(found))
    openclaw_inproc("commitments", "snooze", "cm_1", "--until", until, *zone)
    (kept,) = tree.read(PATH)["commitments"]
    assert iso(kept["snoozedUntilMs"]) == expected


@pytest.mark.parametrize(
    "argv",
    [
        [], ["--for", "2h", "--until", "2026-11-21"], ["--for", "0m"], ["--for", "soon"],
        ["--for", "90"], ["--until", "2026-11-19T10:00:00Z"], ["--until", "tomorrow"],
        ["--for", "1h", "--tz", "UTC"], ["--until", "2026-11-21T10:00", "--tz", "Mars"],
        ["--until", NOW],
    ],
)  # fmt: skip
def test_a_snooze_that_makes_no_sense_is_a_usage_error(
    stored: Tree, openclaw_inproc: Run, argv: list[str]
) -> None:
    before = (stored.home / PATH).read_bytes()
    assert openclaw_inproc("commitments", "snooze", "cm_due", *argv).exit == 2
    assert (stored.home / PATH).read_bytes() == before


def test_edit_changes_text_and_window_and_can_be_undone(stored: Tree, openclaw_inproc: Run) -> None:
    argv = ["edit", "cm_later", "--text", "New\nwords", "--earliest", "2026-11-19T12:00:00"]
    found = openclaw_inproc("commitments", *argv, "--json").json()["commitment"]
    assert found["suggestedText"] == "New words"
    assert iso(found["dueWindow"]["earliestMs"]) == "2026-11-19T12:00:00.000Z"
    due = openclaw_inproc("commitments", "due", "--agent", "main", "--json").json()
    assert "cm_later" in [r["id"] for r in due["commitments"]]
    change = stored.lines(".openclaw/logs/changes.jsonl")[-1]
    before = row("cm_later", due_in_h=5)
    assert change["row"]["suggestedText"] == before["suggestedText"]
    undo = subprocess.run(
        change["undo"].replace("openclaw", str(PROGRAM), 1), shell=True, check=True,
        capture_output=True, env=dict(os.environ),
    )  # fmt: skip
    assert undo.returncode == 0
    kept = next(r for r in stored.read(PATH)["commitments"] if r["id"] == "cm_later")
    assert kept["suggestedText"] == before["suggestedText"]
    assert kept["dueWindow"] == before["dueWindow"]


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["cm_due"], 2),
        (["cm_due", "--text", " \n"], 2),
        (["cm_due", "--latest", "2026-11-19T00:00:00Z"], 2),
        (["cm_due", "--earliest", "2026-10-01", "--latest", "2026-10-02"], 2),
        (["cm_due", "--earliest", "whenever"], 2),
        (["cm_sent", "--text", "x"], 1),
        (["cm_nope", "--text", "x"], 1),
    ],
)
def test_edits_that_are_refused(
    stored: Tree, openclaw_inproc: Run, argv: list[str], status: int
) -> None:
    before = (stored.home / PATH).read_bytes()
    assert openclaw_inproc("commitments", "edit", *argv).exit == status
    assert (stored.home / PATH).read_bytes() == before


def test_an_earliest_past_the_end_gives_a_new_half_day(stored: Tree, openclaw_inproc: Run) -> None:
    argv = ["edit", "cm_due", "--earliest", "2026-11-25T10:00:00Z", "--json"]
    window = openclaw_inproc("commitments", *argv).json()["commitment"]["dueWindow"]
    assert iso(window["latestMs"]) == "2026-11-25T22:00:00.000Z"


# Export and history


def test_export_prints_rows_as_stored_unreadable_ones_included(
    stored: Tree, openclaw_inproc: Run
) -> None:
    everything = stored.read(PATH)["commitments"]
    out = openclaw_inproc("commitments", "export", "--all").out
    assert [json.loads(line) for line in out.splitlines()] == everything
    open_ids = [json.loads(line)["id"] for line in
                openclaw_inproc("commitments", "export").out.splitlines()]  # fmt: skip
    assert open_ids == ["cm_due", "cm_later", "cm_asleep", "cm_work", "cm_odd"]
    work = openclaw_inproc("commitments", "export", "--agent", "work", "--json").json()
    assert [r["id"] for r in work] == ["cm_work", "cm_odd"]
    sent = openclaw_inproc("commitments", "--status", "sent", "export").out
    assert [json.loads(line)["id"] for line in sent.splitlines()] == ["cm_sent", "cm_odd"]


def test_history_tells_from_the_trail_else_from_stamps(stored: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("commitments", "snooze", "cm_due", "--for", "1h")
    openclaw_inproc("commitments", "dismiss", "cm_due", now=iso(NOW_MS + 5000))
    found = openclaw_inproc("commitments", "history", "cm_due", "--json").json()
    assert [(e["event"], e["ts"]) for e in found["events"]] == [
        ("created", NOW_MS - 48 * HOUR_MS), ("snoozed", NOW_MS), ("dismissed", NOW_MS + 5000),
    ]  # fmt: skip
    assert (found["count"], found["events"][2]["command"]) == (3, "commitments dismiss")
    lately = openclaw_inproc("commitments", "history", "--since", "2h", "--json").json()
    assert {e["event"] for e in lately["events"]} == {"sent", "snoozed", "dismissed"}
    assert openclaw_inproc("commitments", "history", "cm_nope").exit == 1


# Locks


def test_a_held_lock_is_busy_and_a_pure_read_does_not_need_it(
    stored: Tree, openclaw_inproc: Run
) -> None:
    lock = {"pid": os.getppid(), "createdAt": iso(int(time.time() * 1000))}
    path = stored.json(PATH + ".lock", lock)
    env = {"OPENCLAW_LOCK_TIMEOUT": "0.1"}
    for argv in ([], ["dismiss", "cm_due"]):
        result = openclaw_inproc("commitments", *argv, "--json", env=env)
        assert (result.exit, result.out, result.error["code"]) == (75, "", "locked")
    assert openclaw_inproc("commitments", "due", env=env).exit == 0
    assert path.exists()


@pytest.mark.parametrize("content", ["", "{", "{}"])
def test_a_lock_without_an_owner_is_taken_over_after_a_minute(
    stored: Tree, openclaw_inproc: Run, content: str
) -> None:
    path = stored.file(PATH + ".lock", content, mtime=NOW_MS / 1000 - 61)
    assert openclaw_inproc("commitments").exit == 0
    assert not path.exists()
    stored.file(PATH + ".lock", content, mtime=NOW_MS / 1000 - 59)
    assert openclaw_inproc("commitments", env={"OPENCLAW_LOCK_TIMEOUT": "0.1"}).exit == 75
