"""``openclaw report``: every part, from files of the tree, and nothing written."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Tree

NOW_MS = 1_795_143_600_000  # 2026-11-20T03:00:00Z
HOUR = 3_600_000
PARTS = {
    "sinceMs", "untilMs", "promoted", "notPromoted", "removed", "changed", "sent", "undelivered",
    "dueSoon", "failures", "usage", "warnings",
}  # fmt: skip


def entry(key: str, **change: Any) -> dict[str, Any]:
    return {
        "key": key, "path": "memory/2026-11-19.md", "startLine": 3, "endLine": 4,
        "source": "memory", "snippet": f"text of {key}", "recallCount": 1, "dailyCount": 0,
        "groundedCount": 0, "totalScore": 0.9, "maxScore": 0.9,
        "firstRecalledAt": "2026-11-19T10:00:00.000Z", "lastRecalledAt": "2026-11-19T20:00:00.000Z",
        "queryHashes": ["aaaaaaaaaaaa"], "recallDays": ["2026-11-19"], "conceptTags": [], **change,
    }  # fmt: skip


@pytest.fixture
def eventful(tree: Tree) -> Tree:
    """A tree after a night in which everything happened."""
    tree.config(commitments={"enabled": True})
    dreams = ".openclaw/workspace/memory/.dreams"
    promoted = entry("k1", promotedAt="2026-11-20T02:00:00.000Z")
    entries = {"k1": promoted, "k2": entry("k2"), "old": entry(
        "old", lastRecalledAt="2026-11-10T20:00:00.000Z")}  # fmt: skip
    tree.json(f"{dreams}/short-term-recall.json", {
        "version": 1, "updatedAt": "2026-11-20T02:00:00.000Z", "entries": entries})  # fmt: skip
    applied = {"key": "k1", "path": "memory/2026-11-19.md", "startLine": 3, "endLine": 4,
               "score": 0.91, "recallCount": 4}  # fmt: skip
    tree.jsonl(f"{dreams}/events.jsonl", [
        {"type": "memory.promotion.applied", "timestamp": stamp, "memoryPath": "x", "applied": 1,
         "candidates": [applied]}
        for stamp in ("2026-11-18T02:00:00.000Z", "2026-11-20T02:00:00.000Z")])  # fmt: skip
    tree.jsonl(".openclaw/logs/changes.jsonl", [
        {"ts": "2026-11-20T01:00:00.000Z", "command": "sessions cleanup", "rule": "prune",
         "what": "session", "key": "agent:main:x", "undo": "openclaw sessions restore x"},
        {"ts": "2026-11-01T01:00:00.000Z", "command": "old", "rule": "r", "what": "w"},
    ])  # fmt: skip
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [
        {"id": f"ob_{status}", "ts": NOW_MS - HOUR, "channel": "telegram", "to": "44",
         "text": f"was {status}", "source": "cron", "status": status, "agentId": "main"}
        for status in ("sent", "queued", "failed", "uncertain")])  # fmt: skip
    tree.json(".openclaw/commitments/commitments.json", {"version": 1, "commitments": [{
        "id": "cm_1", "agentId": "main", "sessionKey": "agent:main:main", "channel": "telegram",
        "kind": "event_check_in", "sensitivity": "routine", "source": "inferred_user_context",
        "status": "pending", "reason": "r", "suggestedText": "How did it go?", "dedupeKey": "d",
        "confidence": 0.9, "attempts": 0, "createdAtMs": 1, "updatedAtMs": 1,
        "dueWindow": {"earliestMs": NOW_MS + HOUR, "latestMs": NOW_MS + 9 * HOUR,
                      "timezone": "UTC"}}]})  # fmt: skip
    task = {"payload": {"kind": "agentTurn", "message": "m"}, "state": {}}
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": [
        {"id": "t1", "name": "soon", "schedule": {"kind": "cron", "expr": "30 3 * * *"}, **task},
        {"id": "t2", "name": "later", "schedule": {"kind": "at", "at": "2026-12-24"}, **task},
    ]})  # fmt: skip
    tree.jsonl(".openclaw/cron/runs/t1.jsonl", [
        {"ts": NOW_MS - HOUR, "jobId": "t1", "action": "finished", "status": "error",
         "error": "no model"},
        {"ts": NOW_MS - HOUR + 1, "jobId": "t1", "action": "finished", "status": "skipped",
         "error": "missed: found 30 hours after its time", "errorReason": "missed"},
        {"ts": NOW_MS - HOUR + 2, "jobId": "t1", "action": "finished", "status": "skipped",
         "error": "no model", "errorReason": "no-model"}])  # fmt: skip
    tree.jsonl(".openclaw/logs/jobs.jsonl", [
        {"ts": "2026-11-20T02:30:00.000Z", "job": "sweep", "outcome": "failed", "error": "disk"},
        {"ts": "2026-11-20T02:31:00.000Z", "job": "cron", "outcome": "ok"}])  # fmt: skip
    tree.jsonl(".openclaw/logs/usage.jsonl", [
        {"ts": "2026-11-20T02:00:00.000Z", "purpose": "diary", "model": "a/b", "inputTokens": 10,
         "outputTokens": 5, "outcome": "ok"}])  # fmt: skip
    return tree


def test_every_part(openclaw_inproc: Any, eventful: Tree) -> None:
    before = {p: p.read_bytes() for p in eventful.home.rglob("*") if p.is_file()}
    document = openclaw_inproc("report", "--json").json()
    assert set(document) == PARTS
    assert (document["sinceMs"], document["untilMs"]) == (NOW_MS - 24 * HOUR, NOW_MS)
    [promoted] = document["promoted"]
    assert (promoted["text"], promoted["source"], promoted["score"]) == (
        "text of k1", "memory/2026-11-19.md:3-4", 0.91,
    )  # fmt: skip
    [held] = document["notPromoted"]
    assert (held["text"], held["gate"], held["actual"], held["needed"], held["missing"]) == (
        "text of k2", "recallCount", 1, 3, 2,
    )  # fmt: skip
    assert [row["undo"] for row in document["removed"]] == ["openclaw sessions restore x"]
    assert [row["status"] for row in document["sent"]] == ["sent", "queued"]
    assert [row["status"] for row in document["undelivered"]] == ["failed", "uncertain"]
    assert [(row["kind"], row["id"]) for row in document["dueSoon"]] == [
        ("task", "t1"), ("commitment", "cm_1"),
    ]  # fmt: skip
    assert [(row["kind"], row["error"]) for row in document["failures"]] == [
        ("task", "no model"), ("task", "missed: found 30 hours after its time"), ("job", "disk"),
    ]  # fmt: skip
    assert document["usage"]["totals"]["inputTokens"] == 10
    assert any("ob_uncertain" in warning for warning in document["warnings"])
    assert any("jobs install" in warning for warning in document["warnings"])
    assert {p: p.read_bytes() for p in eventful.home.rglob("*") if p.is_file()} == before


def test_since_reaches_further_back(openclaw_inproc: Any, eventful: Tree) -> None:
    document = openclaw_inproc("report", "--since", "30d", "--json").json()
    assert (len(document["promoted"]), len(document["removed"])) == (2, 2)
    assert len(openclaw_inproc("report", "--since", "10m", "--json").json()["sent"]) == 0


def test_the_text(openclaw_inproc: Any, eventful: Tree) -> None:
    text = openclaw_inproc("report").out
    assert "text of k1 (memory/2026-11-19.md:3-4, score 0.910)" in text
    assert "text of k2 (memory/2026-11-19.md:3-4: recallCount 1 of 3)" in text
    assert "undo: openclaw sessions restore x" in text
    assert "2026-11-20 03:30 task: soon" in text
    assert "1 call, 10 tokens in, 5 out" in text


def test_empty_parts_are_one_line_each(openclaw_inproc: Any) -> None:
    lines = openclaw_inproc("report").out.splitlines()
    assert lines[1:8] == [
        "Nothing was promoted.", "No candidate was held back.", "Nothing was removed.",
        "Nothing else was changed.", "Nothing was sent.", "Nothing is due within a day.",
        "Nothing failed.",
    ]  # fmt: skip
    markdown = openclaw_inproc("report", "--markdown").out
    assert ("## Sent" in markdown, "## Not delivered" in markdown) == (True, False)


def test_all_is_delivered_only_where_something_was_sent(openclaw_inproc: Any, tree: Tree) -> None:
    row = {"id": "ob_1", "ts": NOW_MS - HOUR, "channel": "telegram", "to": "44", "text": "hello",
           "source": "cron", "status": "sent", "agentId": "main"}  # fmt: skip
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [row])
    lines = openclaw_inproc("report").out.splitlines()
    assert lines[lines.index("Sent:") + 2] == "Everything was delivered."
    tree.jsonl(".openclaw/outbox/outbox.jsonl", [row | {"status": "failed"}])
    lines = openclaw_inproc("report").out.splitlines()
    assert lines[lines.index("Nothing was sent.") + 1] == "Not delivered:"


def test_what_goes_on_or_came_back_is_not_among_the_removed(
    openclaw_inproc: Any, tree: Tree
) -> None:
    rules = {
        "snoozed: until 2026-11-22": "commitment", "edited: text": "commitment",
        "dismissed: by you": "commitment", "expired: its time passed": "commitment",
        "restore": "session", "prune": "session", "open-file": "mode",
    }  # fmt: skip
    tree.jsonl(".openclaw/logs/changes.jsonl", [
        {"ts": "2026-11-20T01:00:00.000Z", "command": "c", "rule": rule, "what": what, "key": "k"}
        for rule, what in rules.items()])  # fmt: skip
    document = openclaw_inproc("report", "--json").json()
    told = {part: [row["rule"].split(":")[0] for row in document[part]]
            for part in ("removed", "changed")}  # fmt: skip
    assert told == {
        "removed": ["dismissed", "expired", "prune"],
        "changed": ["snoozed", "edited", "restore", "open-file"],
    }  # fmt: skip
    lines = openclaw_inproc("report").out.splitlines()
    assert "snoozed" in lines[lines.index("Changed:") + 1]


def test_markdown(openclaw_inproc: Any, eventful: Tree) -> None:
    text = openclaw_inproc("report", "--markdown").out
    assert text.startswith("# Report since 2026-11-19 03:00\n\n## Promoted\n\n- text of k1")
    assert openclaw_inproc("report", "--markdown", "--json").exit == 2


def test_a_list_marker_is_not_doubled(openclaw_inproc: Any, eventful: Tree) -> None:
    path = ".openclaw/workspace/memory/.dreams/short-term-recall.json"
    document = eventful.read(path)
    for key, row in document["entries"].items():
        row["snippet"] = f"- text of {key}"
    eventful.json(path, document)
    lines = openclaw_inproc("report", "--markdown").out.splitlines()
    assert "- text of k1 (memory/2026-11-19.md:3-4, score 0.910)" in lines
    assert "- text of k2 (memory/2026-11-19.md:3-4: recallCount 1 of 3)" in lines


def test_one_agent(openclaw_inproc: Any, eventful: Tree) -> None:
    eventful.config(agents={"list": [{"id": "main", "default": True}, {"id": "work"}]},
                    commitments={"enabled": True})  # fmt: skip
    document = openclaw_inproc("report", "--agent", "work", "--json").json()
    assert document["promoted"] == document["sent"] == document["removed"] == []
    assert openclaw_inproc("report", "--agent", "nobody").exit == 1


def test_delivering_it(openclaw_inproc: Any, eventful: Tree) -> None:
    document = openclaw_inproc("report", "--deliver", "telegram:44", "--json").json()
    assert document["delivery"]["status"] == "queued"
    sent = eventful.lines(".openclaw/outbox/outbox.jsonl")[-1]
    assert (sent["source"], sent["to"], "text of k1" in sent["text"]) == ("report", "44", True)
    assert openclaw_inproc("report", "--deliver", "telegram").exit == 2
    unknown = openclaw_inproc("report", "--deliver", "telegrm:44")
    assert (unknown.exit, unknown.out) == (1, "")


def test_a_part_that_cannot_be_read_is_a_warning(openclaw_inproc: Any, eventful: Tree) -> None:
    eventful.file(".openclaw/cron/jobs.json", "{")
    result = openclaw_inproc("report", "--json")
    document = result.json()
    assert result.exit == 0
    assert any(warning.startswith("tasks: task list") for warning in document["warnings"])
    assert len(document["promoted"]) == 1


def test_stores_past_their_limits_are_a_warning(openclaw_inproc: Any, eventful: Tree) -> None:
    eventful.sessions({"agent:main:old": {"sessionId": "old", "updatedAt": 1}})
    (warning,) = [
        text
        for text in openclaw_inproc("report", "--json").json()["warnings"]
        if "past the limits" in text
    ]
    assert warning.startswith("sessions of main: ")
    assert "openclaw sessions cleanup --enforce" in warning
    eventful.config(session={"maintenance": {"mode": "enforce"}}, commitments={"enabled": True})
    assert "past the limits" not in str(openclaw_inproc("report", "--json").json()["warnings"])
