"""``openclaw doctor``: one test for each kind of finding, and what ``--fix`` does."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from builders import Tree

from openclaw_cli.dreaming.draft import Action, Step, digest
from openclaw_cli.dreaming.journal import Journal
from openclaw_cli.dreaming.journal import write as write_sweep_journal
from openclaw_cli.memory.artifacts import NARRATIVE_MARK
from openclaw_cli.memory.junk import DIARY_PROMPT
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.clock import parse_iso

Run = Callable[..., Any]
Sickness = Callable[[Tree], object]

NOW_MS = parse_iso("2026-11-20T03:00:00Z") or 0
DAY_MS = 86_400_000
GONE = 2**22 + 7  # above the largest pid
DREAMS = ".openclaw/workspace/memory/.dreams"
SESSIONS = ".openclaw/agents/main/sessions"
TORN = '{"ts": "2026-11-19T04:30:00.000Z", "jo'


@pytest.fixture
def tree(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    """A healthy tree: private, with a recent tick, and no scheduler on the host."""
    bin_dir = home.parent / f"{home.name}-bin"
    bin_dir.mkdir()
    fake = bin_dir / "crontab"
    fake.write_text("#!/bin/sh\necho 'no crontab for you' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_dir}:/usr/bin:/bin")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    old = os.umask(0o077)
    tree = Tree(home)
    settings(tree)
    tree.note("2026-11-19", "# day\n\nwatered the plants\n")
    tick(tree, NOW_MS)
    yield tree
    os.umask(old)


def settings(tree: Tree, **blocks: Any) -> None:
    defaults = {"model": "openai/gpt-test", "heartbeat": {"every": "0m"}}
    tree.config(**{"agents": {"defaults": defaults}, **blocks})


def tick(tree: Tree, at_ms: int) -> None:
    tree.file(".openclaw/jobs/last-tick", "", mtime=at_ms / 1000)


def examine(run: Run, *options: str) -> dict[str, Any]:
    document: dict[str, Any] = run("doctor", "--json", *options).json()
    return document


def ids(document: dict[str, Any]) -> list[str]:
    return [finding["id"] for finding in document["findings"]]


def only(document: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [finding for finding in document["findings"] if finding["id"] == name]
    return found  # type: ignore[no-any-return]


def row(session_id: str = "a1", *, age_days: float = 1, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": NOW_MS - int(age_days * DAY_MS), **fields}


def lock(pid: int) -> str:
    return json.dumps({"pid": pid, "createdAt": "2026-11-19T03:00:00.000Z"})


def task(task_id: str = "t1", **fields: Any) -> dict[str, Any]:
    return {
        "id": task_id, "name": "water", "enabled": True, "createdAtMs": NOW_MS,
        "schedule": {"kind": "every", "everyMs": 3_600_000},
        "payload": {"kind": "agentTurn", "message": "water"}, **fields,
    }  # fmt: skip


def tasks(tree: Tree, *rows: Any) -> None:
    tree.json(".openclaw/cron/jobs.json", {"version": 1, "jobs": list(rows)})


def commitments(tree: Tree, *rows: Any) -> None:
    tree.json(".openclaw/commitments/commitments.json", {"version": 1, "commitments": list(rows)})


def follow_up(**fields: Any) -> dict[str, Any]:
    window = {"earliestMs": NOW_MS - 1000, "latestMs": NOW_MS + DAY_MS, "timezone": "UTC"}
    return {
        "id": "cm_1", "agentId": "main", "sessionKey": "agent:main:main", "channel": "telegram",
        "to": "1", "kind": "open_loop", "sensitivity": "routine", "source": "inferred_user_context",
        "status": "pending", "reason": "asked", "suggestedText": "How did it go?",
        "dedupeKey": "k", "confidence": 0.9, "dueWindow": window, "createdAtMs": NOW_MS - DAY_MS,
        "updatedAtMs": NOW_MS - DAY_MS, "attempts": 0, **fields,
    }  # fmt: skip


def delivery(status: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"ob_{status}", "ts": NOW_MS - 2 * DAY_MS, "channel": "telegram", "to": "1",
        "text": "hello", "source": "agent", "status": status, "attempts": 1, **fields,
    }  # fmt: skip


def job_record(tree: Tree, **fields: Any) -> None:
    record = {"startedAtMs": NOW_MS - 60_000, **fields}
    tree.json(".openclaw/jobs/state.json", {"version": 1, "jobs": {"cleanup": record}})


def corpus(tree: Tree) -> None:
    line = f"[main] User: {DIARY_PROMPT} {NARRATIVE_MARK.decode()}1\n"
    tree.file(f"{DREAMS}/session-corpus/2026-11-19.txt", line)


def sweep_journal(tree: Tree) -> Path:
    """The journal of a sweep that was killed before it wrote the diary."""
    diary = tree.workspace / "DREAMS.md"
    action = Action(step=Step.DIARY, path=str(diary), text="# Dream Diary\n", before=digest(None))
    record = {"slotMs": NOW_MS - DAY_MS, "finishedAtMs": NOW_MS - DAY_MS, "outcome": "ok"}
    write_sweep_journal(Workspace(tree.workspace), Journal(NOW_MS, {}, record, [action]))
    return diary


def store_journal(tree: Tree) -> None:
    """The journal of a change whose store was written, but whose transcript was not moved."""
    tree.sessions({})
    tree.transcript("a1", [("user", "hello")])
    head = {
        "version": 1, "before": None, "rewrites": False, "backup": None, "removals": [],
        "moves": [["a1.jsonl", "a1.jsonl.deleted.2026-11-19T04-30-00.000Z", ["agent:main:x"]]],
    }  # fmt: skip
    tree.jsonl(f"{SESSIONS}/sessions.json.maintenance", [head])


def many_archives(tree: Tree) -> None:
    tree.sessions({})
    for number in range(1001):
        tree.file(f"{SESSIONS}/s{number}.jsonl.deleted.2026-11-19T04-30-00.000Z", "{}\n")


SICKNESSES: dict[str, Sickness] = {
    "config-invalid": lambda t: t.config(session={"reset": {"mode": "sometimes"}}),
    "config-warning": lambda t: settings(
        t, session={"maintenance": {"maxDiskBytes": 1000, "highWaterBytes": 999}}
    ),
    "config-missing": lambda t: (t.state / "openclaw.json").unlink(),
    "gateway-remote": lambda t: settings(t, gateway={"mode": "remote"}),
    "store-unreadable": lambda t: t.file(f"{SESSIONS}/sessions.json", "{"),
    "store-missing": lambda t: t.transcript("a1", [("user", "hello")]),
    "store-journal-open": store_journal,
    "store-journal-unreadable": lambda t: (
        t.sessions({}), t.file(f"{SESSIONS}/sessions.json.maintenance", "what\n"),
    ),
    "store-rows-unreadable": lambda t: t.sessions({"agent:main:x": 7}),
    "store-unconfigured": lambda t: t.sessions({}, agent="ghost"),
    "transcript-missing": lambda t: t.sessions({"agent:main:x": row()}),
    "transcript-misnamed": lambda t: (
        t.sessions({"agent:main:x": row(sessionFile="lost.jsonl")}),
        t.transcript("a1", [("user", "hello")]),
    ),
    "session-file-outside": lambda t: t.sessions({"agent:main:x": row(sessionFile="/etc/x.jsonl")}),
    "store-over-limits": lambda t: (
        t.sessions({"agent:main:x": row(age_days=40)}), t.transcript("a1", [("user", "hello")]),
    ),
    "store-large": lambda t: (
        settings(t, session={"maintenance": {"rotateBytes": 50}}),
        t.sessions({"agent:main:x": row()}),
    ),
    "archives-many": many_archives,
    "limits-wide": lambda t: (
        settings(t, session={"maintenance": {"maxEntries": 9000}}),
        t.sessions({f"agent:main:x{n}": row(f"s{n}") for n in range(2600)}),
    ),
    "files-unreferenced": lambda t: (
        t.sessions({"agent:main:x": row()}), t.transcript("a1", [("user", "hello")]),
        os.utime(t.transcript("old", [("user", "hello")]), (1e9, 1e9)),
    ),
    "disk-over-budget": lambda t: (
        settings(t, session={"maintenance": {"maxDiskBytes": 100}}),
        t.sessions({"agent:main:main": row()}), t.transcript("a1", [("user", "x" * 500)]),
    ),
    "transcripts-orphaned": lambda t: (t.sessions({}), t.transcript("a1", [("user", "hello")])),
    "transcript-torn": lambda t: (
        t.sessions({"agent:main:x": row()}),
        append(t.transcript("a1", [("user", "hello")]), '{"type": "mess'),
    ),
    "transcript-damaged": lambda t: (
        t.sessions({"agent:main:x": row()}),
        append(t.transcript("a1", [("user", "hello")]), "what\nis this\n"),
    ),
    "recall-store-empty": lambda t: t.file(f"{DREAMS}/short-term-recall.json", ""),
    "recall-store-unreadable": lambda t: t.file(f"{DREAMS}/short-term-recall.json", "{"),
    "recall-store-invalid": lambda t: t.json(
        f"{DREAMS}/short-term-recall.json", {"version": 1, "entries": {"k": 7}}
    ),
    "recall-lock-stale": lambda t: t.file(f"{DREAMS}/short-term-promotion.lock", f"{GONE}:1\n"),
    "dreaming-session-corpus-self-ingested": corpus,
    "phase-signals-unreadable": lambda t: t.file(f"{DREAMS}/phase-signals.json", "{"),
    "workspace-missing": lambda t: settings(
        t, agents={"list": [{"id": "main"}, {"id": "work", "workspace": "~/nowhere"}]}
    ),
    "memory-scan": lambda t: (t.workspace / "memory/2026-11-19.md").unlink(),
    "memory-file-large": lambda t: t.file(".openclaw/workspace/MEMORY.md", "word " * 5000),
    "memory-file-over-budget": lambda t: t.file(".openclaw/workspace/MEMORY.md", "word " * 2500),
    "memory-file-unreadable": lambda t: (t.workspace / "MEMORY.md").mkdir(),
    "index-outdated": lambda t: t.file(".openclaw/memory/main.sqlite", "no database " * 100),
    "dreaming-no-scheduler": lambda t: (t.dreaming(), (t.state / "jobs/last-tick").unlink()),
    "dreaming-last-sweep-failed": lambda t: (
        t.dreaming(),
        t.json(".openclaw/jobs/dreaming.json", {str(t.workspace): {"outcome": "failed"}}),
    ),
    "dreaming-overdue": lambda t: (
        t.dreaming(),
        t.json(
            ".openclaw/jobs/dreaming.json",
            {str(t.workspace): {"outcome": "ok", "slotMs": NOW_MS - 9 * DAY_MS}},
        ),
    ),
    "dreaming-task-outdated": lambda t: tasks(
        t, task(name="x", description="[managed-by=memory-core.short-term-promotion] old")
    ),
    "sweep-interrupted": sweep_journal,
    "sweep-journal-unreadable": lambda t: t.file(f"{DREAMS}/sweep-journal.json", "{"),
    "diary-large": lambda t: t.file(".openclaw/workspace/DREAMS.md", "word\n" * 10_000),
    "sweep-record-unreadable": lambda t: t.file(".openclaw/jobs/dreaming.json", "["),
    "ingestion-unreadable": lambda t: t.file(f"{DREAMS}/daily-ingestion.json", "{"),
    "heartbeat-state-unreadable": lambda t: t.file(".openclaw/heartbeat/state.json", "{"),
    "heartbeat-warning": lambda t: t.config(
        agents={"defaults": {"heartbeat": {"activeHours": {"start": "08:00", "end": "08:00"}}}}
    ),
    "commitments-unreadable": lambda t: t.file(".openclaw/commitments/commitments.json", "{"),
    "commitments-invalid-rows": lambda t: commitments(t, {"id": "x"}),
    "commitments-agent-unknown": lambda t: (
        settings(t, commitments={"enabled": True}), commitments(t, follow_up(agentId="ghost")),
    ),
    "commitments-feature-off": lambda t: commitments(t, follow_up()),
    "commitments-heartbeat-off": lambda t: (
        settings(t, commitments={"enabled": True}), commitments(t, follow_up()),
    ),
    "cursors-unreadable": lambda t: t.file(".openclaw/commitments/cursors.json", "[]"),
    "tasks-unreadable": lambda t: t.file(".openclaw/cron/jobs.json", "{"),
    "tasks-unusable": lambda t: tasks(t, {"id": "t1"}),
    "tasks-state-unreadable": lambda t: t.file(".openclaw/cron/jobs-state.json", "{"),
    "tasks-quarantined": lambda t: t.json(
        ".openclaw/cron/jobs-quarantine.json", {"version": 1, "jobs": [{"job": {}}]}
    ),
    "tasks-quarantine-unreadable": lambda t: t.file(".openclaw/cron/jobs-quarantine.json", "{"),
    "task-id-twice": lambda t: tasks(t, task(), task()),
    "task-foreign": lambda t: tasks(t, task(payload={"kind": "command", "command": "ls"})),
    "task-failing": lambda t: tasks(t, task(state={"consecutiveErrors": 4, "lastError": "no"})),
    "task-overdue": lambda t: tasks(t, task(state={"nextRunAtMs": NOW_MS - DAY_MS})),
    "task-interrupted": lambda t: tasks(
        t, task(state={"runningAtMs": NOW_MS - 60_000, "runningPid": GONE})
    ),
    "task-schedule-unusable": lambda t: tasks(
        t, task(schedule={"kind": "cron", "expr": "61 * * * *"})
    ),
    "task-never-due": lambda t: tasks(t, task(schedule={"kind": "cron", "expr": "0 9 31 2 *"})),
    "task-agent-unknown": lambda t: tasks(t, task(agentId="ghost")),
    "task-undeliverable": lambda t: tasks(
        t, task(delivery={"mode": "announce", "channel": "telegram"})
    ),
    "pairing-unreadable": lambda t: (
        settings(t, channels={"telegram": {"botToken": "1:a"}}),
        t.file(".openclaw/credentials/telegram-allowFrom.json", "{"),
    ),
    "env-unreadable-lines": lambda t: t.file(".openclaw/.env", "A=1\n# fine\n\nno line\n"),
    "cron-off": lambda t: (settings(t, cron={"enabled": False}), tasks(t, task())),
    "scheduler-missing": lambda t: (t.state / "jobs/last-tick").unlink(),
    "job-records-unreadable": lambda t: t.file(".openclaw/jobs/state.json", "{"),
    "job-interrupted": lambda t: job_record(t, pid=GONE),
    "job-failed": lambda t: job_record(t, finishedAtMs=NOW_MS, outcome="failed", error="disk"),
    "job-unclear": lambda t: t.file(".openclaw/cron/jobs.json", "{"),
    "budget-spent": lambda t: (
        t.config(
            agents={"defaults": {"heartbeat": {"every": "30m"}}},
            plugins={"entries": {"openclaw-cli": {"config": {"budget": {"maxTokensPerDay": 5}}}}},
        ),
        t.jsonl(
            ".openclaw/logs/usage.jsonl",
            [{"ts": "2026-11-20T02:00:00.000Z", "purpose": "agent", "inputTokens": 9,
              "outputTokens": 1, "outcome": "ok"}],
        ),
    ),
    "channel-without-transport": lambda t: settings(t, channels={"whatsapp": {"enabled": True}}),
    "channel-undeliverable": lambda t: settings(
        t, channels={"telegram": {"botToken": "${NO_SUCH_VARIABLE}"}}
    ),
    "channel-setting-unused": lambda t: settings(
        t,
        channels={"telegram": {"botToken": "1:a"}},
        plugins={"entries": {"openclaw-cli": {"config": {"channels": {
            "telegram": {"command": ["true"]}}}}}},
    ),
    "delivery-failed": lambda t: t.jsonl(".openclaw/outbox/outbox.jsonl", [delivery("failed")]),
    "delivery-uncertain": lambda t: t.jsonl(
        ".openclaw/outbox/outbox.jsonl", [delivery("pending", pid=GONE)]
    ),
    "delivery-queued": lambda t: t.jsonl(".openclaw/outbox/outbox.jsonl", [delivery("queued")]),
    "model-missing": lambda t: t.config(agents={"defaults": {"heartbeat": {"every": "0m"}}}),
    "model-key-missing": lambda t: t.config(
        agents={"defaults": {"model": "groq/x", "heartbeat": {"every": "0m"}}}
    ),
    "model-key-unresolved": lambda t: settings(
        t, models={"providers": {"openai": {"apiKey": "${NO_SUCH_VARIABLE}"}}}
    ),
    "model-provider-unknown": lambda t: t.config(agents={"defaults": {"model": "nobody/x"}}),
    "lock-stale": lambda t: t.file(f"{SESSIONS}/sessions.json.lock", lock(GONE)),
    "lock-held": lambda t: t.file(".openclaw/jobs/sweep.lock", lock(os.getpid())),
    "log-torn": lambda t: t.file(".openclaw/logs/jobs.jsonl", '{"a": 1}\n' + TORN),
    "log-lines-unreadable": lambda t: t.file(".openclaw/logs/jobs.jsonl", "what\n"),
    "log-unreadable": lambda t: (t.state / "logs/jobs.jsonl").mkdir(parents=True),
    "fs.state_dir.perms_readable": lambda t: t.state.chmod(0o755),
    "fs.config.perms_world_writable": lambda t: (t.state / "openclaw.json").chmod(0o666),
    "session.transcripts.perms_readable": lambda t: (
        t.sessions({"agent:main:x": row()}),
        t.transcript("a1", [("user", "hello")]).chmod(0o644),
    ),
    "state-open": lambda t: t.file(".openclaw/logs/jobs.jsonl", "{}\n").chmod(0o644),
    "migrated-state": lambda t: t.file(f"{DREAMS}/short-term-recall.json.migrated", "{}"),
    "kept-aside": lambda t: t.file(
        f"{SESSIONS}/sessions.json.corrupt-2026-11-19T04-30-00.000Z", "{"
    ),
    "temporary-files": lambda t: t.file(
        f"{SESSIONS}/sessions.json.42.0123456789ab.tmp", "{", mtime=NOW_MS / 1000 - 7200
    ),
}  # fmt: skip


def append(path: Path, text: str) -> Path:
    with path.open("a") as out:
        out.write(text)
    return path


def snapshot(home: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(home)): (path.stat().st_mode, path.read_bytes())
        for path in home.rglob("*")
        if path.is_file()
    }


def test_a_healthy_tree_has_no_findings(openclaw_inproc: Run, tree: Tree) -> None:
    done = openclaw_inproc("doctor", "--json")
    counts = {"error": 0, "warn": 0, "info": 0, "fixable": 0, "fixed": 0}
    assert done.json() == {"findings": [], "fixed": [], "summary": counts}
    assert done.exit == 0
    assert "Nothing to report." in openclaw_inproc("doctor").out


@pytest.mark.parametrize("name", SICKNESSES)
def test_finds(openclaw_inproc: Run, tree: Tree, home: Path, name: str) -> None:
    SICKNESSES[name](tree)
    before = snapshot(home)
    done = openclaw_inproc("doctor", "--json")
    document = done.json()
    assert name in ids(document)
    assert all(row.get("fix") for row in document["findings"] if row["id"] == name)
    assert "check-failed" not in ids(document)
    assert done.exit == (1 if document["summary"]["error"] else 0)
    assert snapshot(home) == before, "a check changed something"


FIXED = [
    "store-journal-open", "sweep-interrupted", "transcript-torn", "recall-store-empty",
    "recall-store-unreadable", "recall-store-invalid", "recall-lock-stale",
    "dreaming-session-corpus-self-ingested", "lock-stale", "log-torn",
    "fs.state_dir.perms_readable", "fs.config.perms_world_writable",
    "session.transcripts.perms_readable", "state-open",
]  # fmt: skip


@pytest.mark.parametrize("name", FIXED)
def test_fix_puts_right_and_tells_the_trail(openclaw_inproc: Run, tree: Tree, name: str) -> None:
    SICKNESSES[name](tree)
    planned = examine(openclaw_inproc, "--dry-run")
    assert name in [done["id"] for done in planned["fixed"]]
    assert name in ids(examine(openclaw_inproc)), "a dry run fixed it"
    document = examine(openclaw_inproc, "--fix")
    assert name in [done["id"] for done in document["fixed"]]
    assert name not in ids(document)
    trail = openclaw_inproc("changes", "--json").json()["changes"]
    assert any(line["command"] == "doctor" and line["rule"] == name for line in trail)
    assert examine(openclaw_inproc, "--fix")["fixed"] == []


@pytest.mark.parametrize("name", sorted(set(SICKNESSES) - set(FIXED)))
def test_fix_leaves_alone_what_is_not_safe(
    openclaw_inproc: Run, tree: Tree, home: Path, name: str
) -> None:
    SICKNESSES[name](tree)
    if (
        "fixable" in str(examine(openclaw_inproc))
        and examine(openclaw_inproc)["summary"]["fixable"]
    ):
        pytest.skip("the tree has something else to fix")
    before = snapshot(home)
    assert examine(openclaw_inproc, "--fix")["fixed"] == []
    assert snapshot(home) == before


def test_every_kind_of_remedy_is_tried() -> None:
    from openclaw_cli.doctor.remedies import KINDS

    kinds = {
        "modes": "state-open", "lock": "lock-stale", "store-journal": "store-journal-open",
        "sweep-journal": "sweep-interrupted", "transcript": "transcript-torn",
        "torn-line": "log-torn", "recall-store": "recall-store-empty",
        "session-corpus": "dreaming-session-corpus-self-ingested",
    }  # fmt: skip
    assert set(kinds) == set(KINDS)
    assert set(kinds.values()) <= set(FIXED)


def test_the_fix_of_a_heartbeat_without_a_target_is_the_setting(
    openclaw_inproc: Run, tree: Tree
) -> None:
    tree.config(agents={"defaults": {"model": "openai/x", "heartbeat": {"every": "30m"}}})
    found = only(examine(openclaw_inproc), "heartbeat-warning")
    assert "target is none" in found["message"]
    assert "(" not in found["message"]
    assert found["fix"] == "openclaw config set agents.defaults.heartbeat.target last"


def test_a_torn_line_is_kept_beside_the_log(openclaw_inproc: Run, tree: Tree) -> None:
    SICKNESSES["log-torn"](tree)
    (done,) = examine(openclaw_inproc, "--fix")["fixed"]
    assert Path(done["movedTo"]).read_text() == TORN
    assert (tree.state / "logs/jobs.jsonl").read_text() == '{"a": 1}\n'


def test_a_whole_last_line_without_a_line_end_is_no_finding(
    openclaw_inproc: Run, tree: Tree
) -> None:
    tree.file(".openclaw/logs/jobs.jsonl", '{"a": 1}\n{"b": 2}')
    assert ids(examine(openclaw_inproc)) == []


def test_an_interrupted_sweep_is_finished(openclaw_inproc: Run, tree: Tree) -> None:
    diary = sweep_journal(tree)
    examine(openclaw_inproc, "--fix")
    assert diary.read_text() == "# Dream Diary\n"
    assert tree.read(".openclaw/jobs/dreaming.json")[str(tree.workspace)]["outcome"] == "ok"


def test_an_interrupted_change_of_the_store_is_finished(openclaw_inproc: Run, tree: Tree) -> None:
    store_journal(tree)
    examine(openclaw_inproc, "--fix")
    folder = tree.home / SESSIONS
    assert not (folder / "a1.jsonl").exists()
    assert (folder / "a1.jsonl.deleted.2026-11-19T04-30-00.000Z").is_file()


def test_a_live_lock_is_left_alone(openclaw_inproc: Run, tree: Tree) -> None:
    path = tree.file(".openclaw/jobs/sweep.lock", lock(os.getpid()))
    assert examine(openclaw_inproc, "--fix")["fixed"] == []
    assert path.exists()


def test_a_mode_is_undone_by_the_command_in_the_trail(openclaw_inproc: Run, tree: Tree) -> None:
    SICKNESSES["state-open"](tree)
    examine(openclaw_inproc, "--fix")
    path = tree.state / "logs/jobs.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    (line,) = openclaw_inproc("changes", "--json").json()["changes"]
    assert line["undo"] == f"chmod 644 {path}"


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"session": {"reset": 7}, "agents": {"list": [7, {"id": "work"}]}}']
)
def test_an_unusable_configuration_does_not_hide_the_rest(
    openclaw_inproc: Run, tree: Tree, text: str
) -> None:
    tree.file(".openclaw/openclaw.json", text)
    tree.file(f"{DREAMS}/short-term-recall.json", "{")
    done = openclaw_inproc("doctor", "--json")
    assert done.exit == 1
    found = ids(done.json())
    assert "config-invalid" in found
    assert "recall-store-unreadable" in found
    assert "check-failed" not in found


def test_two_configurations_are_named(openclaw_inproc: Run, tree: Tree) -> None:
    tree.file(".openclaw/openclaw.toml", "")
    assert "two configurations" in only(examine(openclaw_inproc), "config-invalid")["message"]


def test_valid_settings_beside_an_invalid_one_count(openclaw_inproc: Run, tree: Tree) -> None:
    tree.config(
        agents={"list": [{"id": "work", "default": True}]}, session={"reset": {"mode": "never"}}
    )
    tree.sessions({"agent:work:x": 7}, agent="work")
    found = only(examine(openclaw_inproc), "store-rows-unreadable")
    assert "/agents/work/" in found["path"]


def test_an_agent_limits_what_is_looked_at(openclaw_inproc: Run, tree: Tree) -> None:
    settings(tree, agents={"list": [{"id": "main"}, {"id": "work"}]})
    tree.sessions({"agent:work:x": 7}, agent="work")
    assert "store-rows-unreadable" in ids(examine(openclaw_inproc, "--agent", "work"))
    assert "store-rows-unreadable" not in ids(examine(openclaw_inproc, "--agent", "main"))
    unknown = openclaw_inproc("doctor", "--agent", "ghost", "--json")
    assert unknown.exit == 1
    assert unknown.error["code"] == "unknown-agent"


def test_a_late_tick_of_an_installed_scheduler(
    openclaw_inproc: Run, tree: Tree, home: Path
) -> None:
    units = home / ".config/systemd/user"
    units.mkdir(parents=True)
    for name in ("openclaw-jobs.service", "openclaw-jobs.timer"):
        (units / name).write_text("# Owned by openclaw-cli: x\n")
    tick(tree, NOW_MS - 3_600_000)
    found = only(examine(openclaw_inproc), "tick-late")
    assert "2026-11-20T02:00:00" in found["message"]


def test_a_dry_run_exits_by_what_there_is_to_do(openclaw_inproc: Run, tree: Tree) -> None:
    assert openclaw_inproc("doctor", "--dry-run", "--exit-code").exit == 0
    SICKNESSES["lock-stale"](tree)
    assert openclaw_inproc("doctor", "--fix", "--dry-run").exit == 0
    assert openclaw_inproc("doctor", "--fix", "--dry-run", "--exit-code").exit == 3


def test_people_read_findings_by_area_with_the_command_that_helps(
    openclaw_inproc: Run, tree: Tree
) -> None:
    SICKNESSES["store-unreadable"](tree)
    SICKNESSES["lock-stale"](tree)
    done = openclaw_inproc("doctor")
    lines = done.out.splitlines()
    assert lines[0] == "Summary: 1 error · 1 warning · 0 remarks"
    assert lines.index("Sessions") < lines.index("Locks")
    assert "fix: openclaw sessions rebuild" in done.out
    assert "'openclaw doctor --fix' can put 1 of these right." in done.out
    assert done.exit == 1
    fixed = openclaw_inproc("doctor", "--fix")
    assert "Fixed" in fixed.out.splitlines()


def test_stored_text_does_not_reach_the_terminal_raw(openclaw_inproc: Run, tree: Tree) -> None:
    tasks(tree, task(name="a\x1b[31mb", state={"consecutiveErrors": 9, "lastError": "x\ny"}))
    out = openclaw_inproc("doctor").out
    assert "\x1b" not in out
    assert "x\\ny" in out


def test_a_check_that_fails_does_not_hide_the_others(
    openclaw_inproc: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openclaw_cli.doctor import conversations

    def broken(_patient: Any) -> Iterator[Any]:
        """The broken one."""
        raise ValueError("boom")

    monkeypatch.setattr(conversations, "CHECKS", (broken,))
    SICKNESSES["log-torn"](tree)
    document = examine(openclaw_inproc)
    assert "ValueError: boom" in only(document, "check-failed")["message"]
    assert "log-torn" in ids(document)


def test_a_remedy_that_fails_is_told(openclaw_inproc: Run, tree: Tree) -> None:
    SICKNESSES["log-torn"](tree)
    tree.file(".openclaw/logs/jobs.jsonl.lock", lock(os.getpid()))
    done = openclaw_inproc("doctor", "--fix", "--json", env={"OPENCLAW_LOCK_TIMEOUT": "0"})
    assert "locked" in only(done.json(), "log-torn")["fixError"]


def test_lint_is_accepted(openclaw_inproc: Run, tree: Tree) -> None:
    assert openclaw_inproc("doctor", "--lint", "--json").exit == 0


def test_every_workspace_is_examined(openclaw_inproc: Run, tree: Tree) -> None:
    settings(tree, agents={"list": [{"id": "main"}, {"id": "work", "workspace": "~/work"}]})
    recall_rows.note(Workspace(tree.home / "work"), "2026-11-19", "# day")
    tree.file("work/memory/.dreams/short-term-recall.json", "")
    assert only(examine(openclaw_inproc), "recall-store-empty")["path"].endswith(
        "work/memory/.dreams/short-term-recall.json"
    )


def test_a_missing_tree_is_a_remark(openclaw_inproc: Run, home: Path) -> None:
    done = openclaw_inproc("doctor", "--json")
    assert done.exit == 0
    assert only(done.json(), "tree-missing")["fix"] == "openclaw setup"
    assert list(home.iterdir()) == []


def test_a_large_log_is_named(
    openclaw_inproc: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_cli.doctor.logs.LARGE_BYTES", 3)
    tree.file(".openclaw/logs/jobs.jsonl", "{}\n{}\n")
    assert "6 bytes" in only(examine(openclaw_inproc), "log-large")["message"]


def test_a_python_without_text_search_is_named(
    openclaw_inproc: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_cli.memory.index_status._missing_search", lambda: "no fts5")
    assert "no fts5" in only(examine(openclaw_inproc), "search-unavailable")["message"]


def test_a_lock_that_cannot_be_inspected_is_named(
    openclaw_inproc: Run, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openclaw_cli.errors import NotWritable
    from openclaw_cli.state import lock as locks

    def refused(path: Path) -> None:
        raise NotWritable(f"lock {path} cannot be inspected: no", path=path)

    tree.file(".openclaw/jobs/sweep.lock", "")
    monkeypatch.setattr(locks, "owner", refused)
    assert "lock-unreadable" in ids(examine(openclaw_inproc))


def test_a_disabled_task_of_the_sweep_blocks_it(openclaw_inproc: Run, tree: Tree) -> None:
    tree.dreaming()
    (tree.state / "jobs/last-tick").unlink()
    managed = task(description="[managed-by=memory-core.short-term-promotion] x", enabled=False)
    tasks(tree, managed)
    found = only(examine(openclaw_inproc), "dreaming-job-disabled")
    assert found["fix"] == "openclaw dreaming reconcile"
