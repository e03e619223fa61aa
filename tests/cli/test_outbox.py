"""``openclaw outbox`` and ``openclaw channels`` (``commands.md``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest
from builders import Tree
from conftest import Result
from followups import NOW_MS

from openclaw_cli.delivery import outbox
from openclaw_cli.delivery.outbox import Message
from openclaw_cli.state.paths import Paths

Run = Callable[..., Result]
PATH = ".openclaw/outbox/outbox.jsonl"
MESSAGE = Message("Hello", "telegram", "telegram:1", "heartbeat", agent_id="main")


def record(row_id: str, status: str, **more: Any) -> dict[str, Any]:
    return {
        "id": row_id, "ts": NOW_MS, "channel": "telegram", "to": "1", "text": f"text {row_id}",
        "source": "agent", "status": status, "attempts": 1, **more,
    }  # fmt: skip


@pytest.fixture
def recorded(tree: Tree) -> Tree:
    """One delivery of each status; ``ob_a`` failed once and was sent then."""
    tree.jsonl(
        PATH,
        [
            record("ob_a", "failed", error="no"),
            record("ob_q", "queued", ts=NOW_MS + 1),
            record("ob_a", "sent", attempts=2),
            record("ob_f", "failed", ts=NOW_MS + 2, error="refused"),
            record("ob_u", "uncertain", ts=NOW_MS + 3, channel="slack"),
            {"id": 5, "status": "sent"},
            "no object",
        ],
    )
    return tree


def own_channels(tree: Tree, own: dict[str, Any], **channels: Any) -> None:
    plugins = {"entries": {"openclaw-cli": {"config": {"channels": own}}}}
    tree.config(channels=channels, plugins=plugins)


# The record


def test_the_last_line_of_an_id_counts() -> None:
    lines = [record("a", "pending"), record("b", "queued"), record("a", "sent")]
    assert [(r["id"], r["status"]) for r in outbox.fold(lines)] == [("a", "sent"), ("b", "queued")]


def test_a_pending_record_of_a_living_process_stays_pending_of_a_dead_one_is_uncertain(
    tree: Tree,
) -> None:
    mine = outbox.new_record(MESSAGE, outbox.PENDING, NOW_MS)
    dead = {**outbox.new_record(MESSAGE, outbox.PENDING, NOW_MS), "pid": 2**22 + 1}
    reused = {**outbox.new_record(MESSAGE, outbox.PENDING, NOW_MS), "starttime": 1}
    nobody = record("ob_x", "pending")
    paths = Paths.from_env()
    outbox.append(paths, [mine, dead, reused, nobody])
    assert [r["status"] for r in outbox.load(paths)] == [
        "pending", "uncertain", "uncertain", "uncertain",
    ]  # fmt: skip
    assert len(outbox.recover(paths, NOW_MS)) == 3
    assert outbox.recover(paths, NOW_MS) == []
    assert len(tree.lines(PATH)) == 7
    assert all("pid" not in line for line in tree.lines(PATH)[4:])


def test_a_torn_last_line_is_repaired_by_the_next_append(recorded: Tree) -> None:
    path = recorded.home / PATH
    path.write_text(path.read_text() + '{"id": "ob_torn", "sta')
    paths = Paths.from_env()
    before = len(outbox.load(paths))
    outbox.append(paths, [record("ob_new", "queued")])
    assert [r["id"] for r in outbox.load(paths)][before:] == ["ob_new"]


def test_ids_and_order_of_fields() -> None:
    made = outbox.new_record(MESSAGE, outbox.QUEUED, 1_795_143_600_000)
    assert made["id"].startswith("ob_mwoe5eo0_")
    assert len(made["id"]) == len("ob_mwoe5eo0_1e989e0a77")
    assert list(made)[:13] == [
        "id", "ts", "agentId", "sessionKey", "channel", "to", "accountId", "threadId", "text",
        "source", "sourceId", "status", "attempts",
    ]  # fmt: skip


# outbox list and show


def test_the_list_is_newest_first(recorded: Tree, openclaw_inproc: Run) -> None:
    found = openclaw_inproc("outbox", "list", "--json").json()
    assert found["count"] == 4
    assert [(r["id"], r["status"]) for r in found["deliveries"]] == [
        ("ob_u", "uncertain"), ("ob_f", "failed"), ("ob_q", "queued"), ("ob_a", "sent"),
    ]  # fmt: skip
    text = openclaw_inproc("outbox").out
    assert "ob_f" in text
    assert "text ob_f" in text


@pytest.mark.parametrize(
    ("argv", "ids"),
    [
        (["--status", "queued"], ["ob_q"]),
        (["--channel", "Slack"], ["ob_u"]),
        (["--limit", "2"], ["ob_u", "ob_f"]),
        (["--status", "pending"], []),
    ],
)
def test_filters(recorded: Tree, openclaw_inproc: Run, argv: list[str], ids: list[str]) -> None:
    found = openclaw_inproc("outbox", "list", *argv, "--json").json()
    assert [r["id"] for r in found["deliveries"]] == ids
    lines = openclaw_inproc("outbox", *argv, "list", "--jsonl").out.splitlines()
    assert len(lines) == len(ids)


def test_an_unknown_status_is_exit_1(recorded: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("outbox", "--status", "lost", "--json")
    assert (result.exit, result.out, result.error["code"]) == (1, "", "unknown-status")


def test_show(recorded: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("outbox", "show", "ob_f", "--json").json()["error"] == "refused"
    assert "error: refused" in openclaw_inproc("outbox", "show", "ob_f").out
    assert openclaw_inproc("outbox", "show", "ob_none").exit == 1


def test_an_empty_outbox(tree: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("outbox", "--json").json() == {
        "count": 0, "totalCount": 0, "deliveries": [],
    }  # fmt: skip
    assert openclaw_inproc("outbox", "retry", "ob_none").exit == 1
    assert not tree.state.exists()


# retry and done


def test_retry_sends_failed_ones_again(recorded: Tree, openclaw_inproc: Run) -> None:
    own_channels(recorded, {"telegram": {"command": ["true"]}})
    argv = ["retry", "ob_f", "ob_q", "ob_u", "ob_none", "--json"]
    result = openclaw_inproc("outbox", *argv)
    found = {r["id"]: (r["status"], r["changed"], r["ok"]) for r in result.json()["results"]}
    assert result.exit == 1
    assert found == {
        "ob_f": ("sent", True, True), "ob_q": ("queued", False, False),
        "ob_u": ("uncertain", False, False), "ob_none": ("unknown", False, False),
    }  # fmt: skip
    sent = openclaw_inproc("outbox", "show", "ob_f", "--json").json()
    assert (sent["attempts"], "error" in sent) == (2, False)


def test_damaged_records_are_shown_and_never_sent(tree: Tree, openclaw_inproc: Run) -> None:
    broken = {"id": "ob_1", "ts": "today", "channel": 5, "text": None, "status": "failed",
              "attempts": "three", "agentId": [1]}  # fmt: skip
    tree.jsonl(PATH, [broken, {"id": "ob_2", "ts": NOW_MS, "status": "failed", "retry": True}])
    for argv in (("outbox",), ("outbox", "show", "ob_1"), ("report",), ("status",)):
        assert openclaw_inproc(*argv).exit == 0, argv
    found = openclaw_inproc("outbox", "retry", "ob_1", "ob_2", "--json")
    assert found.exit == 1
    errors = {result["error"] for result in found.json()["results"]}
    assert errors == {"its record names no channel, recipient or text"}


def test_retry_of_a_channel_that_still_fails_is_exit_1(
    recorded: Tree, openclaw_inproc: Run
) -> None:
    own_channels(recorded, {"telegram": {"command": ["false"]}})
    result = openclaw_inproc("outbox", "retry", "ob_f", "--json")
    assert (result.exit, result.json()["results"][0]["status"]) == (1, "failed")


def test_done_settles_queued_and_uncertain_ones(recorded: Tree, openclaw_inproc: Run) -> None:
    result = openclaw_inproc("outbox", "done", "ob_q", "ob_u", "ob_a", "--json")
    assert result.exit == 0
    assert [r["status"] for r in result.json()["results"]] == ["sent"] * 3
    refused = openclaw_inproc("outbox", "done", "ob_f", "--json")
    assert (refused.exit, refused.json()["results"][0]["changed"]) == (1, False)


def test_dry_runs_write_nothing(recorded: Tree, openclaw_inproc: Run) -> None:
    before = (recorded.home / PATH).read_bytes()
    for argv, status in ((["retry", "ob_f"], 3), (["done", "ob_q"], 3), (["done", "ob_f"], 0)):
        result = openclaw_inproc("outbox", *argv, "--dry-run", "--exit-code")
        assert result.exit == status
    assert (recorded.home / PATH).read_bytes() == before


@pytest.mark.parametrize("argv", [["retry"], ["done", " "], ["show"], ["lost"], ["--limit", "0"]])
def test_wrong_usage(recorded: Tree, openclaw_inproc: Run, argv: list[str]) -> None:
    assert openclaw_inproc("outbox", *argv).exit == 2


# channels


def test_channels_list(tree: Tree, openclaw_inproc: Run) -> None:
    own_channels(
        tree, {"pager": {"command": [sys.executable]}, "mail": {"url": "mailto://h"}},
        telegram={"botToken": "1:a", "accounts": {"work": {"botToken": "2:b"}}},
        discord={"token": "t"}, slack={"enabled": False}, defaults={"heartbeat": {}},
    )  # fmt: skip
    found = openclaw_inproc("channels", "list", "--json").json()["chat"]
    shown = {name: (c["accounts"], c["transport"], c["deliverable"]) for name, c in found.items()}
    assert shown == {
        "discord": (["default"], "outbox", True),
        "mail": ([], "url", True),
        "pager": ([], "command", True),
        "slack": ([], "off", False),
        "telegram": (["default", "work"], "account", True),
    }
    assert "webhook" in found["discord"]["reason"]
    text = openclaw_inproc("channels").out
    assert "telegram" in text
    assert "1:a" not in text


def test_channels_list_without_any(tree: Tree, openclaw_inproc: Run) -> None:
    assert openclaw_inproc("channels", "--json").json() == {"chat": {}}
    assert "outbox" in openclaw_inproc("channels").out


def test_a_test_without_a_recipient_only_checks(tree: Tree, openclaw_inproc: Run) -> None:
    own_channels(tree, {"pager": {"command": ["true"]}, "bad": {"command": ["/no/such"]}})
    good = openclaw_inproc("channels", "test", "pager", "--json")
    assert (good.exit, good.json()) == (
        0, {"channel": "pager", "account": "default", "transport": "command", "status": "ready"},
    )  # fmt: skip
    bad = openclaw_inproc("channels", "test", "bad", "--json")
    assert (bad.exit, bad.json()["status"], "/no/such" in bad.json()["error"]) == (
        1,
        "failed",
        True,
    )
    assert not (tree.home / PATH).exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_settings_that_apprise_refuses_are_found_without_sending(
    tree: Tree, openclaw_inproc: Run
) -> None:
    own_channels(tree, {"x": {"url": "nosuch://secretword"}}, telegram={"botToken": "nonsense"})
    for name in ("x", "telegram"):
        result = openclaw_inproc("channels", "test", name, "--json")
        assert (result.exit, result.json()["status"]) == (1, "failed")
        assert "secretword" not in result.out + result.err


def test_a_test_with_a_recipient_sends(tree: Tree, openclaw_inproc: Run) -> None:
    own_channels(tree, {"pager": {"command": ["true"]}})
    argv = ["test", "pager", "--to", "ann", "--text", "Hi"]
    dry = openclaw_inproc("channels", *argv, "--dry-run", "--exit-code")
    assert (dry.exit, (tree.home / PATH).exists()) == (3, False)
    result = openclaw_inproc("channels", *argv, "--json")
    assert (result.exit, result.json()["status"]) == (0, "sent")
    assert [line["status"] for line in tree.lines(PATH)] == ["pending", "sent"]
    assert tree.lines(PATH)[-1]["text"] == "Hi"


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["test", "nosuch"], 1),
        (["test", "telegram", "--account", "nope"], 1),
        (["test", "telegram", "--to", " "], 2),
        (["test"], 2),
    ],
)
def test_tests_that_cannot_be(
    tree: Tree, openclaw_inproc: Run, argv: list[str], status: int
) -> None:
    own_channels(tree, {}, telegram={"accounts": {"work": {"botToken": "1:a"}}})
    assert openclaw_inproc("channels", *argv).exit == status


def test_the_outbox_is_private(tree: Tree, openclaw_inproc: Run) -> None:
    openclaw_inproc("channels", "test", "telegram", "--to", "1")
    path = tree.home / PATH
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.stat(path.parent).st_mode & 0o777 == 0o700
