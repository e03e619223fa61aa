"""``openclaw sessions cleanup``: what goes, what stays, and what is said about it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.state.clock import DAY_MS

NOW = 1_795_143_600_000
FOLDER = ".openclaw/agents/main/sessions"
STAMP = "2026-11-20T03-00-00.000Z"
OLD = (NOW - 40 * DAY_MS) / 1000  # a modification time past the default retention
Run = Callable[..., Any]


def row(session_id: str, days: float = 0, **fields: Any) -> dict[str, Any]:
    return {"sessionId": session_id, "updatedAt": int(NOW - 1000 - days * DAY_MS), **fields}


def names(home: Path, folder: str = FOLDER) -> list[str]:
    return sorted(os.listdir(home / folder))


def stored(tree: Tree, agent: str = "main") -> dict[str, Any]:
    found: dict[str, Any] = tree.read(f".openclaw/agents/{agent}/sessions/sessions.json")
    return found


def limits(tree: Tree, **settings: Any) -> None:
    tree.config(session={"maintenance": {"mode": "enforce", **settings}})


@pytest.fixture
def clean(openclaw_inproc: Run) -> Run:
    """Run cleanup with --json and hand out its document, after checking the exit status."""

    def run(*argv: str, exit: int = 0) -> dict[str, Any]:  # noqa: A002 - as in Result
        done = openclaw_inproc("sessions", "cleanup", "--json", *argv)
        assert done.exit == exit, done.err
        document: dict[str, Any] = done.json()
        return document

    return run


# Dry run and modes


def test_a_dry_run_writes_nothing_and_needs_no_lock(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:b": row("b")})
    tree.transcript("a", [("user", "hello")])
    tree.json(f"{FOLDER}/sessions.json.lock", {"pid": os.getppid(), "createdAt": "2026-11-20"})
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    found = clean("--dry-run")
    assert (found["pruned"], found["afterCount"], found["mode"]) == (1, 1, "warn")
    assert found["wouldMutate"]
    assert "applied" not in found
    assert before == {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_the_exit_code_of_a_dry_run_tells_whether_there_is_work(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.sessions({"agent:main:a": row("a", 40)})
    argv = ["sessions", "cleanup", "--dry-run", "--exit-code"]
    assert openclaw_inproc(*argv).exit == 3
    assert openclaw_inproc(*argv[:-1]).exit == 0
    tree.sessions({"agent:main:a": row("a", 4)})
    assert openclaw_inproc(*argv).exit == 0


def test_warn_mode_rewrites_the_store_and_names_what_is_past_the_limits(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.file(f"{FOLDER}/sessions.json", json.dumps({"agent:main:a": row("a", 40, model=" m ")}))
    tree.transcript("a", [("user", "hello")])
    tree.file(f"{FOLDER}/x.jsonl.deleted.2020-01-01T00-00-00.000Z", "x")
    done = openclaw_inproc("sessions", "cleanup", "--json")
    assert done.exit == 0
    assert done.json()["appliedCount"] == 1
    assert "rows past the limits: 1 (1 older than pruneAfter" in done.err
    assert "sessions cleanup --enforce" in done.err
    text = (home / FOLDER / "sessions.json").read_text()
    assert text == json.dumps({"agent:main:a": row("a", 40, model="m")}, indent=2)
    assert len(names(home)) == 3


def test_enforce_by_flag_beats_the_configured_mode(tree: Tree, clean: Run) -> None:
    tree.config(session={"maintenance": {"mode": "warn"}})
    tree.sessions({"agent:main:a": row("a", 40)})
    assert clean("--enforce")["mode"] == "enforce"
    assert stored(tree) == {}


def test_a_second_run_changes_nothing(tree: Tree, clean: Run, home: Path) -> None:
    limits(tree, maxEntries=2, rotateBytes="200b", maxDiskBytes=6000)
    tree.sessions({f"agent:main:{n}": row(str(n), n * 10) for n in range(6)})
    for n in range(6):
        tree.transcript(str(n), [("user", "hello")])
    clean()
    before = {p: (p.stat().st_ino, p.read_bytes()) for p in (home / FOLDER).iterdir()}
    again = clean()
    assert not again["wouldMutate"]
    assert before == {p: (p.stat().st_ino, p.read_bytes()) for p in (home / FOLDER).iterdir()}


@pytest.mark.parametrize("mode", ["enforce", "warn"])
def test_a_missing_store_is_nothing_to_do(tree: Tree, clean: Run, home: Path, mode: str) -> None:
    tree.config(session={"maintenance": {"mode": mode}})
    found = clean()
    assert (found["beforeCount"], found["appliedCount"], found["applied"]) == (0, 0, True)
    assert os.listdir(home / ".openclaw") == ["openclaw.json"]


# Transcripts of removed rows


def test_archiving_follows_ids_and_files(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions(
        {
            "agent:main:main": row("kept"),
            "agent:main:same-id": row("kept", 40),
            "agent:main:other-file": row("x", 40, sessionFile="kept.jsonl"),
            "agent:main:topic": row("topic", 40, sessionFile="topic-topic-7.jsonl"),
            "agent:main:outside": row("out", 40, sessionFile="/etc/hosts"),
            "agent:main:no-id": {"updatedAt": 5, "sessionFile": "lonely.jsonl"},
            "agent:main:deep": row("deep", 40, sessionFile="sub/deep.jsonl"),
            "agent:main:unsafe": row("../../etc/passwd", 40),
        }
    )
    for name in ("kept", "x", "topic", "topic-topic-7", "out", "lonely", "sub/deep"):
        tree.transcript(name, [("user", "hello")])
    found = clean("--enforce")
    assert (found["pruned"], found["archivedTranscripts"]) == (7, 6)
    archived = {n.removesuffix(f".deleted.{STAMP}") for n in names(home) if n.endswith("Z")}
    assert archived == {f"{n}.jsonl" for n in ("x", "topic", "topic-topic-7", "out", "lonely")}
    assert names(home, FOLDER + "/sub") == [f"deep.jsonl.deleted.{STAMP}"]
    assert (home / FOLDER / "kept.jsonl").is_file()


def test_an_archive_is_never_replaced(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions({"agent:main:a": row("a", 40)})
    tree.transcript("a", [("user", "hello")])
    tree.file(f"{FOLDER}/a.jsonl.deleted.{STAMP}", "earlier")
    clean("--enforce")
    assert (home / FOLDER / f"a.jsonl.deleted.{STAMP}").read_text() == "earlier"
    assert (home / FOLDER / "a.jsonl.deleted.2026-11-20T03-00-00.001Z").is_file()


def test_trajectory_files_go_with_their_transcript(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:b": row("b")})
    for name in ("a", "b"):
        tree.transcript(name, [("user", "hello")])
        tree.file(f"{FOLDER}/{name}.trajectory.jsonl", "{}\n")
        tree.file(f"{FOLDER}/{name}.trajectory-path.json", "{}\n")
    clean("--enforce")
    left = [name for name in names(home) if "trajectory" in name]
    assert left == ["b.trajectory-path.json", "b.trajectory.jsonl"]


def test_links_are_neither_followed_nor_removed(tree: Tree, clean: Run, home: Path) -> None:
    outside = tree.file("outside.jsonl", "precious\n")
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:main": row("main")})
    for name in ("a.jsonl", "z.jsonl.deleted.2020-01-01T00-00-00.000Z", "orphan.jsonl"):
        (home / FOLDER / name).symlink_to(outside)
        os.utime(home / FOLDER / name, (OLD, OLD), follow_symlinks=False)
    found = clean("--enforce")
    assert (found["archivedTranscripts"], found["purgedArchives"]) == (0, 0)
    assert outside.read_text() == "precious\n"
    assert sum((home / FOLDER / name).is_symlink() for name in names(home)) == 3


def test_a_transcript_behind_a_link_is_not_ours_to_archive(
    tree: Tree, clean: Run, home: Path
) -> None:
    limits(tree, maxDiskBytes=1500, highWaterBytes=1)
    tree.sessions(
        {"agent:main:a": row("a", 40, sessionFile="link.jsonl"), "agent:main:b": row("b"),
         "agent:main:c": row("c", sessionFile="other.jsonl")}
    )  # fmt: skip
    for name in ("real", "seen"):
        tree.file(f"{FOLDER}/{name}.jsonl.kept", "x" * 1000)
    (home / FOLDER / "link.jsonl").symlink_to("real.jsonl.kept")
    (home / FOLDER / "other.jsonl").symlink_to("seen.jsonl.kept")
    found = clean()
    assert (found["pruned"], found["diskBudget"]["removedEntries"]) == (1, 2)
    assert {"real.jsonl.kept", "seen.jsonl.kept"} <= set(names(home))
    assert (home / FOLDER / "link.jsonl").is_symlink()


def test_a_session_in_use_keeps_row_and_transcript(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    limits(tree, maxDiskBytes=10, highWaterBytes=1)
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:b": row("b", 40)})
    for name in ("a", "b"):
        tree.transcript(name, [("user", "hello")])
    tree.json(f"{FOLDER}/a.jsonl.lock", {"pid": os.getppid(), "createdAt": "2026-11-20T02:59:00Z"})
    tree.json(f"{FOLDER}/b.jsonl.lock", {"pid": 2**22 + 5, "createdAt": "2026-11-20T02:59:00Z"})
    done = openclaw_inproc("sessions", "cleanup", "--json", "--fix-missing")
    assert done.exit == 0
    assert list(stored(tree)) == ["agent:main:a"]
    assert (home / FOLDER / "a.jsonl").exists()
    assert "sessions in use right now, which are left alone: 1" in done.err


def test_a_file_that_cannot_be_renamed_keeps_its_row_and_fails_the_run(
    tree: Tree, openclaw_inproc: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:b": row("b", 40)})
    for name in ("a", "b"):
        tree.transcript(name, [("user", "hello")])
    rename = os.rename

    def refuse(source: str, target: str) -> None:
        if source.endswith("/a.jsonl"):
            raise PermissionError(13, "Permission denied")
        rename(source, target)

    monkeypatch.setattr("openclaw_cli.sessions.file_actions.os.rename", refuse)
    done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json")
    assert done.exit == 1
    found = done.json()
    assert (found["pruned"], found["afterCount"], found["appliedCount"]) == (1, 1, 1)
    assert found["warnings"] == ["cannot archive a.jsonl: Permission denied"]
    assert "cannot archive a.jsonl" in done.err
    assert list(stored(tree)) == ["agent:main:a"]
    (line,) = tree.lines(".openclaw/logs/changes.jsonl")
    assert line["key"] == "agent:main:b"


def test_the_trail_tells_rule_row_archive_and_undo(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions({"agent:main:a": row("a", 40, label="L"), "discord:x": row("b", 41)})
    tree.transcript("a", [("user", "hello")])
    tree.file(f"{FOLDER}/old.jsonl.reset.2020-01-01T00-00-00.000Z", "x")
    clean("--enforce")
    first, second, third = tree.lines(".openclaw/logs/changes.jsonl")
    assert (first["command"], first["rule"], first["what"]) == (
        "sessions cleanup", "stale", "session",
    )  # fmt: skip
    assert first["row"] == row("a", 40, label="L")
    assert first["movedTo"] == str(home / FOLDER / f"a.jsonl.deleted.{STAMP}")
    assert first["undo"] == "openclaw sessions restore agent:main:a"
    assert second["undo"] == "openclaw sessions restore discord:x --agent main"
    assert (third["what"], third["rule"], third["undo"]) == ("archive", "expired-reset", None)


# Archives


def test_archives_are_judged_by_the_time_in_their_names(tree: Tree, clean: Run, home: Path) -> None:
    limits(tree, pruneAfter="30d", resetArchiveRetention="14d")
    tree.sessions({"agent:main:main": row("a")})
    gone = [
        "a.jsonl.deleted.2026-10-21T02-59-59.999Z",
        "b.jsonl.reset.2026-11-06T02-59-59.999Z",
        "c.jsonl.deleted.2020-01-01T00-00-00Z",
        "d.deleted.2020-02-30T24-00-00.000Z",
        "e.jsonl.bak.2026-11-19T00-00-00.000Z.deleted.2020-01-01T00-00-00.000Z",
    ]
    stay = [
        "f.jsonl.deleted.2026-10-21T03-00-00.000Z",
        "g.jsonl.reset.2026-11-06T03-00-00.000Z",
        "h.jsonl.bak.2020-01-01T00-00-00.000Z",
        "i.jsonl.deleted.2020-01-01T00-00-00.000Z.zst",
        "j.jsonl.deleted.2020-01-01",
        "k.jsonl.deleted.2020-13-01T00-00-00.000Z",
        "l.jsonl.deleted.2020-01-01T00-00-00.000",
    ]
    for name in gone + stay:
        tree.file(f"{FOLDER}/{name}", "x")
    assert clean("--dry-run")["wouldMutate"]
    found = clean()
    assert (found["purgedArchives"], found["wouldMutate"]) == (5, False)
    assert names(home) == sorted([*stay, "sessions.json"])


def test_false_keeps_reset_archives_for_ever(tree: Tree, clean: Run, home: Path) -> None:
    limits(tree, resetArchiveRetention=False)
    tree.sessions({"agent:main:main": row("a")})
    tree.file(f"{FOLDER}/a.jsonl.reset.2020-01-01T00-00-00.000Z", "x")
    tree.file(f"{FOLDER}/a.jsonl.deleted.2020-01-01T00-00-00.000Z", "x")
    assert clean()["purgedArchives"] == 1
    assert names(home) == ["a.jsonl.reset.2020-01-01T00-00-00.000Z", "sessions.json"]


# Rotation


def test_a_large_store_is_backed_up_and_never_missing(tree: Tree, clean: Run, home: Path) -> None:
    limits(tree, rotateBytes="100b")
    path = tree.file(
        f"{FOLDER}/sessions.json", json.dumps({"agent:main:main": row("a", x="y" * 99)})
    )
    before = path.read_bytes()
    for name in ("1", "2", "30", "mine"):
        tree.file(f"{FOLDER}/sessions.json.bak.{name}", "{}")
    backup = f"sessions.json.bak.{NOW}"
    assert clean("--dry-run")["rotatedTo"] == str(home / FOLDER / backup)
    found = clean()
    assert found["rotatedTo"] == str(home / FOLDER / backup)
    assert (home / FOLDER / backup).read_bytes() == before
    assert len(stored(tree)) == 1
    kept = [name.rpartition(".")[2] for name in names(home) if ".bak." in name]
    assert kept == [str(NOW), "2", "30", "mine"]
    # Now it is two-space text and still too large: one backup of that, then no more.
    assert clean()["rotatedTo"] == str(home / FOLDER / f"sessions.json.bak.{NOW + 1}")
    assert clean()["rotatedTo"] is None


def test_a_store_at_the_limit_is_not_rotated(tree: Tree, clean: Run) -> None:
    path = tree.sessions({"agent:main:main": row("a")})
    limits(tree, rotateBytes=path.stat().st_size)
    assert clean()["rotatedTo"] is None


# Disk budget


def crowded(tree: Tree, *, rows: int = 4) -> None:
    """Transcripts of 1000 bytes each for rows that are one minute older one by one."""
    tree.sessions({f"agent:main:{n}": row(str(n), n / 1440) for n in range(rows)})
    for n in range(rows):
        tree.file(f"{FOLDER}/{n}.jsonl", "x" * 1000, mtime=NOW / 1000)


def test_artifacts_go_before_rows_and_only_until_the_target(
    tree: Tree, clean: Run, home: Path
) -> None:
    crowded(tree)
    tree.file(
        f"{FOLDER}/new.jsonl.reset.2026-11-19T00-00-00.000Z", "x" * 1000, mtime=NOW / 1000 - 1
    )
    tree.file(f"{FOLDER}/orphan.jsonl", "x" * 1000, mtime=NOW / 1000 - 2)
    tree.file(f"{FOLDER}/sessions.json.bak.5", "x" * 1000, mtime=NOW / 1000 - 3)
    tree.file(f"{FOLDER}/notes.txt", "x" * 1000)
    limits(tree, maxDiskBytes=7000, highWaterBytes=4000)
    size = (home / FOLDER / "sessions.json").stat().st_size
    dry = clean("--dry-run")
    found = clean()
    assert found["diskBudget"] == dry["diskBudget"]
    budget = found["diskBudget"]
    assert budget["totalBytesBefore"] == 8000 + size
    assert (budget["removedFiles"], budget["removedEntries"], budget["freedBytes"]) == (5, 2, 5000)
    left = sum((home / FOLDER / name).stat().st_size for name in names(home))
    assert budget["totalBytesAfter"] == left
    assert list(stored(tree)) == ["agent:main:0", "agent:main:1"]
    assert names(home) == ["0.jsonl", "1.jsonl", "notes.txt", "sessions.json"]
    lines = tree.lines(".openclaw/logs/changes.jsonl")
    assert {line["rule"] for line in lines} == {"budget"}
    assert [line["key"] for line in lines if line["what"] == "session"] == [
        "agent:main:3", "agent:main:2",
    ]  # fmt: skip
    assert all(line["undo"] is None for line in lines)


def test_what_the_budget_cannot_reclaim_does_not_count(tree: Tree, clean: Run, home: Path) -> None:
    crowded(tree)
    for name in ("sessions.json.migrated", "x.jsonl.migrated.2", "sessions.json.lock"):
        tree.file(f"{FOLDER}/{name}", "")
    (home / FOLDER / "sessions.json.lock").unlink()
    tree.file(f"{FOLDER}/sessions.json.migrated", "x" * 90000)
    tree.file(f"{FOLDER}/sub/big.jsonl", "x" * 90000)
    (home / FOLDER / "big").symlink_to(home / FOLDER / "sub/big.jsonl")
    limits(tree, maxDiskBytes=6000)
    assert clean()["diskBudget"]["overBudget"] is False
    assert len(stored(tree)) == 4


def test_protected_active_and_running_rows_outlive_the_budget(
    tree: Tree, openclaw_inproc: Run
) -> None:
    tree.sessions(
        {
            "agent:main:telegram:group:1": row("1", 9),
            "agent:main:Active": row("2", 9),
            "agent:main:running": row("3", 0.001, status="running"),
            "agent:main:other": row("4"),
        }
    )
    for n in range(1, 5):
        tree.file(f"{FOLDER}/{n}.jsonl", "x" * 1000)
    limits(tree, maxDiskBytes=100, highWaterBytes=1)
    done = openclaw_inproc("sessions", "cleanup", "--json", "--active-key", "agent:main:ACTIVE")
    assert done.json()["diskBudget"]["removedEntries"] == 1
    assert "agent:main:other" not in stored(tree)
    assert "above the target of 1" in done.err


def test_an_active_key_that_spares_nothing_is_pointed_out(
    two_agents: Tree, openclaw_inproc: Run
) -> None:
    argv = ["sessions", "cleanup", "--dry-run", "--json", "--all-agents"]
    for key, spares in (("AGENT:work:b", True), ("b", False), (" ", True)):
        document = openclaw_inproc(*argv, "--active-key", key).json()
        warnings = [text for store in document["stores"] for text in store["warnings"]]
        assert any("--active-key spares nothing" in text for text in warnings) is not spares, key


def test_the_newest_of_a_job_stay_and_the_rest_is_archived(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    keep = {"report": 1, "*": 2}
    tree.config(plugins={"entries": {"openclaw-cli": {"config": {"sessions": {"keepLast": keep}}}}})
    tree.sessions(
        {f"agent:main:cron:{job}:run:{n}": row(f"{job}{n}", n) for job in ("report", "x")
         for n in range(3)}
    )  # fmt: skip
    tree.transcript("report1", [("user", "hello")])
    dry = openclaw_inproc("sessions", "cleanup", "--dry-run")
    assert "Would prune surplus of jobs and labels: 3" in dry.out
    assert dry.out.count("prune-surplus") == 3
    warned = openclaw_inproc("sessions", "cleanup", "--json")
    assert (warned.json()["surplus"], warned.json()["afterCount"]) == (0, 6)
    assert "3 over cli.sessions.keepLast" in warned.err
    done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json", "--verbose").json()
    assert (done["surplus"], done["afterCount"], done["wouldMutate"]) == (3, 3, True)
    assert {a["rule"] for a in done["actions"] if "key" in a} == {"keep-last"}
    assert f"report1.jsonl.deleted.{STAMP}" in os.listdir(home / FOLDER)
    assert openclaw_inproc("sessions", "restore", "agent:main:cron:report:run:1").exit == 0


@pytest.mark.parametrize("keep", [{"a": 0}, {"a": "2"}, {"a": 1.5}, ["a"], 3])
def test_a_number_to_keep_that_is_none_is_refused(
    tree: Tree, openclaw_inproc: Run, keep: object
) -> None:
    tree.config(plugins={"entries": {"openclaw-cli": {"config": {"sessions": {"keepLast": keep}}}}})
    done = openclaw_inproc("sessions", "cleanup", "--json")
    assert (done.exit, done.out, done.error["code"]) == (1, "", "config-invalid")
    assert "keepLast" in done.error["message"]


NO_TRANSCRIPTS = [
    "sessions.json", "sessions.json.lock", "sessions.json.maintenance", "other.json", "notes.txt",
    "sessions.json.bak.5", ".", "..", "sub", "m.jsonl.lock",
    "x.jsonl.deleted.2026-11-19T00-00-00.000Z",
]  # fmt: skip


@pytest.mark.parametrize("command", ["enforce", "budget", "delete", "reset"])
def test_what_is_no_transcript_is_never_taken_for_one(
    tree: Tree, openclaw_inproc: Run, home: Path, command: str
) -> None:
    """A row may name the store itself, its lock, or anything else in the folder."""
    rows = {
        f"agent:main:x:{n}": row(f"x{n}", 40 if command != "budget" else n, sessionFile=name)
        for n, name in enumerate(NO_TRANSCRIPTS)
    }
    tree.sessions(rows | {"agent:main:main": row("m")})
    tree.file(f"{FOLDER}/sub/y.jsonl", "{}\n")
    for name in ("other.json", "notes.txt", "x.jsonl.deleted.2026-11-19T00-00-00.000Z"):
        tree.file(f"{FOLDER}/{name}", "mine\n")
    tree.config(session={"maintenance": {"maxDiskBytes": 100}} if command == "budget" else {})
    if command in ("enforce", "budget"):
        done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json")
    else:
        done = openclaw_inproc("sessions", command, *rows, "--json")
    assert done.exit == 0, done.err
    left = set(names(home))
    assert {"sessions.json", "other.json", "notes.txt", "sub"} <= left
    assert not [name for name in left if name.endswith((".lock", ".maintenance"))]
    assert not [
        n for n in left if n.startswith("sessions.json.") and not n.startswith("sessions.json.bak")
    ]
    assert "agent:main:main" in stored(tree) or command == "budget"


def test_a_store_that_is_named_like_a_transcript_is_none(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    rows = {"agent:main:x": row("main", 40), "agent:main:telegram:group:1": row("g", 40)}
    store = tree.json("data/main.jsonl", rows)
    os.utime(store, (OLD, OLD))
    tree.config(session={"store": "~/data/{agentId}.jsonl", "maintenance": {"mode": "enforce"}})
    for now in ("2026-11-20T03:00:00Z", "2027-03-20T03:00:00Z"):
        assert openclaw_inproc("sessions", "cleanup", now=now).exit == 0
        assert list(json.loads(store.read_text())) == ["agent:main:telegram:group:1"]
        assert os.listdir(home / "data") == ["main.jsonl"]


def test_a_label_is_told_on_one_line(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:a": row("a", label="one\ntwo"), "x\ny": row("b", 99)})
    text = openclaw_inproc("sessions", "cleanup", "--dry-run", "--verbose").out.splitlines()
    assert "one\\ntwo     1 kept, 0 removed" in text
    assert any("prune-stale: x\\ny [stale]" in line for line in text)


def test_an_evicted_row_leaves_a_transcript_that_another_row_needs(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.sessions(
        {
            "agent:main:telegram:group:1": row("kept", 5),
            "agent:main:same-id": row("kept", 6),
            "agent:main:same-file": row("x", 7, sessionFile="kept.jsonl"),
        }
    )
    tree.file(f"{FOLDER}/kept.jsonl", "x" * 1000)
    limits(tree, maxDiskBytes=100, highWaterBytes=1)
    found = clean()["diskBudget"]
    assert (found["removedEntries"], found["removedFiles"]) == (2, 0)
    assert (home / FOLDER / "kept.jsonl").exists()


def test_a_budget_never_acts_on_a_store_that_is_missing_or_empty(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.file(f"{FOLDER}/a.jsonl", "x" * 1000, mtime=OLD)
    limits(tree, maxDiskBytes=100, highWaterBytes=1)
    for text in (None, "{}"):
        if text is not None:
            tree.file(f"{FOLDER}/sessions.json", text)
        found = clean()
        assert found["unreferencedArtifacts"]["removedFiles"] == 0
        assert found["diskBudget"]["removedFiles"] == 0
        assert (home / FOLDER / "a.jsonl").exists()


def test_prompt_blobs_that_no_row_needs_go_first(tree: Tree, clean: Run, home: Path) -> None:
    crowded(tree, rows=1)
    used, unused, fresh = "a" * 64, "b" * 64, "c" * 64
    rows = stored(tree)
    rows["agent:main:0"]["skillsSnapshot"] = {"promptRef": f"sha256:{used}"}
    tree.sessions(rows)
    blobs = f"{FOLDER}/skills-prompts/sha256"
    for digest in (used, unused, fresh):
        at = NOW / 1000 - (10 if digest == fresh else 900)
        tree.file(f"{blobs}/{digest[:2]}/{digest}.txt", "x" * 1000, mtime=at)
    limits(tree, maxDiskBytes=4000, highWaterBytes=3900)
    found = clean()["diskBudget"]
    assert (found["removedFiles"], found["removedEntries"], found["freedBytes"]) == (1, 0, 1000)
    assert not (home / blobs / "bb" / f"{unused}.txt").exists()


def test_warn_mode_only_measures(tree: Tree, openclaw_inproc: Run, home: Path) -> None:
    crowded(tree)
    tree.config(session={"maintenance": {"maxDiskBytes": 100}})
    done = openclaw_inproc("sessions", "cleanup", "--json")
    budget = done.json()["diskBudget"]
    assert budget["overBudget"]
    assert budget["totalBytesAfter"] == budget["totalBytesBefore"]
    assert "more than maxDiskBytes" in done.err
    assert len(names(home)) == 5


# Unreferenced files


def test_the_sweep_archives_conversations_and_deletes_the_rest(
    tree: Tree, clean: Run, home: Path
) -> None:
    limits(tree, pruneAfter="1d")
    uuid = "12345678-1234-4234-8234-123456789012"
    checkpoint = f"a.checkpoint.{uuid}.jsonl"
    other = checkpoint.replace("1234567890", "2234567890")
    point = {"preCompaction": {"sessionFile": f"{home}/{FOLDER}/{checkpoint}"}}
    tree.sessions({"agent:main:main": row("a", compactionCheckpoints=[point, 7, {}])})
    cutoff = NOW / 1000 - 86400
    swept = {
        "orphan.jsonl": "{}\n", other: "{}\n", "x-topic-4.jsonl": "{}\n", "empty.jsonl": "",
        "o.trajectory.jsonl": "{}", "o.trajectory-path.json": "{}",
    }  # fmt: skip
    stay = {
        "a.jsonl": "{}\n", "a.trajectory.jsonl": "{}", "a.trajectory-path.json": "{}",
        checkpoint: "{}\n", "z.jsonl.bak.2020-01-01T00-00-00.000Z": "x", "notes.txt": "x",
        "sessions.json.bak.3": "{}", "x.json": "{}", "old.jsonl.lock": "", "sub/in.jsonl": "x",
    }  # fmt: skip
    for name, text in (swept | stay).items():
        tree.file(f"{FOLDER}/{name}", text, mtime=cutoff)
    tree.file(f"{FOLDER}/newer.jsonl", "{}\n", mtime=cutoff + 1)
    before = len(names(home)) - 1  # without the subfolder
    dry, found = clean("--dry-run"), clean()
    assert found["unreferencedArtifacts"] == dry["unreferencedArtifacts"]
    assert found["unreferencedArtifacts"] == {
        "scannedFiles": before, "removedFiles": 6, "freedBytes": 13, "olderThanMs": DAY_MS,
    }  # fmt: skip
    archived = {name for name, text in swept.items() if text and "trajectory" not in name}
    left = {f"{name}.deleted.{STAMP}" for name in archived}
    left |= {name for name in stay if "/" not in name} | {"sub", "newer.jsonl", "sessions.json"}
    assert set(names(home)) == left


def test_temporary_files_of_a_dead_write_go_after_five_minutes(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.sessions({"agent:main:main": row("a")})
    uuid = "11111111-1111-4111-8111-111111111111"
    old = [
        f"sessions.json.{uuid}.tmp", f"sessions.json.42.{uuid}.tmp",
        "sessions.json.42.0123456789ab.tmp", "sessions.json.maintenance.42.0123456789ab.tmp",
    ]  # fmt: skip
    for name in old:
        tree.file(f"{FOLDER}/{name}", "{}", mtime=NOW / 1000 - 300)
    fresh = f"sessions.json.43.{uuid}.tmp"
    tree.file(f"{FOLDER}/{fresh}", "{}", mtime=NOW / 1000 - 299)
    tree.file(f"{FOLDER}/other.{uuid}.tmp", "{}", mtime=OLD)
    assert clean("--enforce")["unreferencedArtifacts"]["removedFiles"] == 4
    assert names(home) == [f"other.{uuid}.tmp", "sessions.json", fresh]


def test_files_of_rows_dropped_in_this_run_wait_for_the_next(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.sessions({"agent:main:main": row("a"), "agent:main:empty": row("e")})
    header = '{"type":"session","id":"e"}\n'
    tree.file(f"{FOLDER}/e.jsonl", header, mtime=OLD)
    tree.transcript("a", [("user", "hello")])
    first = clean("--enforce", "--fix-missing")
    assert (first["missing"], first["unreferencedArtifacts"]["removedFiles"]) == (1, 0)
    assert (home / FOLDER / "e.jsonl").exists()
    assert clean("--enforce")["unreferencedArtifacts"]["removedFiles"] == 1
    assert (home / FOLDER / f"e.jsonl.deleted.{STAMP}").read_text() == header


# --fix-missing

U1, U2 = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
HEADER = '{"type":"session","id":"x"}\n'
MESSAGE = HEADER + '{"type":"message","message":{"role":"user","content":"hi"}}\n'


@pytest.mark.parametrize(
    ("key", "fields", "files", "outcome"),
    [
        ("agent:main:no-file", {"sessionId": U1}, {}, "missing"),
        ("agent:main:header", {"sessionId": U1}, {U1: HEADER}, "missing"),
        ("agent:main:empty", {"sessionId": U1}, {U1: ""}, "missing"),
        ("agent:main:blank", {"sessionId": U1}, {U1: "\n\n"}, "missing"),
        ("agent:main:message", {"sessionId": U1}, {U1: MESSAGE}, "stays"),
        ("agent:main:old", {"sessionId": U1}, {U1: '{"role":"user","content":"x"}\n'}, "stays"),
        ("agent:main:tool", {"sessionId": U1}, {U1: '{"message":{"role":"toolResult"}}'}, "stays"),
        ("agent:main:role", {"sessionId": U1}, {U1: '{"role":"robot"}\n'}, "missing"),
        ("agent:main:typed", {"sessionId": U1}, {U1: '{"type":"x","role":"user"}\n'}, "missing"),
        ("agent:main:compaction", {"sessionId": U1}, {U1: '{"type":"compaction"}\n'}, "stays"),
        ("agent:main:garbage", {"sessionId": U1}, {U1: "not json\n"}, "stays"),
        ("agent:main:large", {"sessionId": U1}, {U1: HEADER + " " * 4096}, "stays"),
        ("agent:main:group:1", {"sessionId": U1}, {}, "missing"),
        ("agent:main:no-id", {}, {}, "stays"),
        ("bare", {}, {}, "missing"),
        ("bare", {"sessionFile": "own.jsonl"}, {"own": MESSAGE}, "stays"),
        ("agent:main:unsafe", {"sessionId": "../../x"}, {}, "missing"),
        ("agent:main:away", {"sessionId": U1, "sessionFile": "/nowhere/x.jsonl"}, {}, "missing"),
        ("agent:main:away", {"sessionId": U1, "sessionFile": "/no/x"}, {U1: MESSAGE}, "stays"),
        ("agent:main:wrong", {"sessionId": U1, "sessionFile": f"{U2}.jsonl"},
         {U1: MESSAGE, U2: MESSAGE}, "repaired"),
        ("agent:main:lost", {"sessionId": U1, "sessionFile": "custom.jsonl"}, {U1: MESSAGE},
         "repaired"),
        ("agent:main:hollow", {"sessionId": U1, "sessionFile": "custom.jsonl"},
         {U1: MESSAGE, "custom": HEADER}, "repaired"),
        ("agent:main:custom", {"sessionId": U1, "sessionFile": "custom.jsonl"},
         {U1: MESSAGE, "custom": MESSAGE}, "stays"),
        ("agent:main:both", {"sessionId": U1, "sessionFile": f"{U2}.jsonl"},
         {U1: HEADER, U2: MESSAGE}, "stays"),
    ],
)  # fmt: skip
def test_which_rows_have_no_conversation(
    tree: Tree, clean: Run, home: Path,
    key: str, fields: dict[str, Any], files: dict[str, str], outcome: str,
) -> None:  # fmt: skip
    rows = {"agent:main:main": row("m"), key: {"updatedAt": NOW, **fields}}
    tree.sessions(rows)
    tree.file(f"{FOLDER}/m.jsonl", MESSAGE)
    for name, text in files.items():
        tree.file(f"{FOLDER}/{name}.jsonl", text)
    found = clean("--fix-missing")
    assert found["missing"] == (outcome == "missing")
    assert found["repaired"] == (outcome == "repaired")
    if outcome == "repaired":
        assert stored(tree)[key]["sessionFile"] == str(home / FOLDER / f"{U1}.jsonl")
    elif outcome == "stays":
        assert stored(tree)[key] == rows[key]
    assert sorted(files) == [n[:-6] for n in names(home) if n.endswith("l") and n != "m.jsonl"]


def test_a_conversation_in_the_old_place_is_not_missing(tree: Tree, clean: Run) -> None:
    tree.sessions({"agent:main:main": row("a")})
    tree.file(".openclaw/sessions/a.jsonl", MESSAGE)
    assert clean("--fix-missing")["missing"] == 0


def test_a_folder_in_the_place_of_a_transcript_counts_as_content(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.sessions({"agent:main:main": row("a")})
    (home / FOLDER / "a.jsonl").mkdir()
    assert clean("--fix-missing", "--enforce")["missing"] == 0


# --fix-dm-scope


def test_retired_chats_become_archives_in_warn_mode_too(tree: Tree, clean: Run, home: Path) -> None:
    tree.sessions({"agent:main:main": row("a"), "agent:main:telegram:direct:1": row("b")})
    tree.transcript("b", [("user", "hello")])
    found = clean("--fix-dm-scope")
    assert (found["mode"], found["dmScopeRetired"], found["appliedCount"]) == ("warn", 1, 1)
    assert (home / FOLDER / f"b.jsonl.deleted.{STAMP}").exists()


# Several stores


@pytest.fixture
def two_agents(tree: Tree) -> Tree:
    tree.config(agents={"list": [{"id": "main", "default": True}, {"id": "work"}]})
    tree.sessions({"agent:main:a": row("a", 40)})
    tree.sessions({"agent:work:b": row("b", 40), "agent:work:c": row("c")}, agent="work")
    return tree


def test_one_damaged_store_does_not_keep_the_others_from_being_done(
    two_agents: Tree, openclaw_inproc: Run, home: Path
) -> None:
    damaged = two_agents.file(f"{FOLDER}/sessions.json", '{"agent:main:a": {"ses')
    orphan = two_agents.file(f"{FOLDER}/orphan.jsonl", "{}\n", mtime=OLD)
    argv = ["sessions", "cleanup", "--all-agents", "--enforce", "--fix-missing", "--json"]
    done = openclaw_inproc(*argv)
    assert done.exit == 1
    first, second = done.json()["stores"]
    assert (first["agentId"], first["applied"]) == ("main", False)
    assert "is not JSON" in first["error"]
    assert (second["applied"], second["appliedCount"]) == (True, 0)
    assert damaged.read_text() == '{"agent:main:a": {"ses'
    assert orphan.exists()
    assert names(home) == ["orphan.jsonl", "sessions.json"]
    assert "sessions rebuild" in done.err


def test_text_of_several_stores(two_agents: Tree, openclaw_inproc: Run) -> None:
    out = openclaw_inproc("sessions", "cleanup", "--all-agents", "--dry-run").out
    blocks = out.split("\n\nAgent: work\n")
    assert len(blocks) == 2
    assert blocks[0].startswith("Agent: main\nSession store: ")
    assert "Entries: 1 -> 0 (remove 1)" in blocks[0]
    assert "Would prune stale: 1" in blocks[1]
    out = openclaw_inproc("sessions", "cleanup", "--all-agents", "--enforce").out
    assert out.count("Maintenance applied (mode enforce)") == 2
    assert "Entries now: 1" in out


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["--agent", "nope"], 1),
        (["--agent", "main", "--all-agents"], 2),
        (["--store", "x.json", "--agent", "main"], 2),
        (["--store", "x.json", "--all-agents"], 2),
        (["--frobnicate"], 2),
        (["surplus"], 2),
    ],
)
def test_errors_change_nothing_and_print_nothing(
    two_agents: Tree, openclaw_inproc: Run, home: Path, argv: list[str], status: int
) -> None:
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json", *argv)
    assert (done.exit, done.out) == (status, "")
    assert done.error["code"] in ("usage", "unknown-agent")
    assert before == {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_options_may_stand_before_the_command(two_agents: Tree, openclaw_inproc: Run) -> None:
    done = openclaw_inproc("sessions", "--agent", "WORK", "--json", "cleanup", "--dry-run")
    assert done.json()["agentId"] == "work"
    done = openclaw_inproc(
        "sessions", "--agent", "work", "cleanup", "--dry-run", "--json", "--agent", "main"
    )
    assert done.json()["agentId"] == "main"


def test_a_store_by_path_is_the_default_agents_and_its_undo_names_it(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.json("my/{agentId}.json".replace("{agentId}", "main"), {"agent:x:a": row("a", 40)})
    found = clean("--store", "~/my/{agentId}.json", "--enforce")
    assert (found["agentId"], found["storePath"]) == ("main", str(home / "my/main.json"))
    (line,) = tree.lines(".openclaw/logs/changes.jsonl")
    assert line["undo"].endswith(f"--store {home}/my/main.json")


def test_invalid_limits_stop_the_run(tree: Tree, openclaw_inproc: Run) -> None:
    tree.config(session={"maintenance": {"mode": "enforce", "pruneAfter": "soon"}})
    tree.sessions({"agent:main:a": row("a", 40)})
    done = openclaw_inproc("sessions", "cleanup", "--json")
    assert (done.exit, done.out) == (1, "")
    assert "session.maintenance.pruneAfter" in done.err
    assert len(stored(tree)) == 1


def test_a_held_lock_is_busy(tree: Tree, openclaw_inproc: Run) -> None:
    tree.sessions({"agent:main:a": row("a", 40)})
    tree.json(f"{FOLDER}/sessions.json.lock", {"pid": os.getppid(), "createdAt": "2026-11-20"})
    done = openclaw_inproc(
        "sessions", "cleanup", "--enforce", "--json", env={"OPENCLAW_LOCK_TIMEOUT": "0.1"}
    )
    assert (done.exit, done.out) == (75, "")
    assert done.error["code"] == "locked"
    assert len(stored(tree)) == 1


# Text


def test_the_planned_actions_as_a_table(tree: Tree, openclaw_inproc: Run) -> None:
    limits(tree, maxEntries=1)
    tree.sessions(
        {
            "agent:main:telegram:direct:111111": row("s1", 2, model="m1", label=" Bee "),
            "agent:main:main": row("s2", 0, model="m2", thinkingLevel="high", systemSent=True),
            "agent:main:old": row("s3", 31, model="m3", abortedLastRun=True),
            "agent:main:odd": None,
        }
    )
    lines = openclaw_inproc("sessions", "cleanup", "--dry-run").out.splitlines()
    start = lines.index("Planned actions:")
    assert lines[start + 1 : start + 6] == [
        "Action              Key                        Age       Model          Flags",
        "keep                agent:main:main            just now  m2             "
        "think:high system id:s2",
        "cap-overflow        agent:main:teleg...111111  2d ago    m1             id:s1",
        "prune-stale         agent:main:old             31d ago   m3             aborted id:s3",
        "cap-overflow        agent:main:odd             unknown   -",
    ]
    assert lines[start + 7 :] == [
        "Summary by Label:",
        "(unlabeled)  1 kept, 2 removed",
        "Bee          0 kept, 1 removed",
        "Total: 1 kept, 3 removed",
    ]


@pytest.mark.parametrize("flag", ["--dry-run", "--enforce"])
def test_the_report_tells_that_protected_rows_keep_the_store_above_its_cap(
    tree: Tree, openclaw_inproc: Run, flag: str
) -> None:
    tree.sessions({f"agent:main:telegram:group:{n}": row(str(n)) for n in range(3)})
    limits(tree, maxEntries=2)
    done = openclaw_inproc("sessions", "cleanup", flag)
    assert "3 protected rows" in done.out
    assert "at 3 rows, above its cap of 2" in done.out
    assert "protected" not in done.err
    done = openclaw_inproc("sessions", "cleanup", flag, "--json")
    assert any("3 protected rows" in text for text in done.json()["warnings"])
    assert "3 protected rows" in done.err


def test_verbose_gives_every_action_its_rule_and_reason(tree: Tree, clean: Run) -> None:
    limits(tree, maxEntries=1)
    tree.sessions({"agent:main:a": row("a", 40), "agent:main:main": row("m"), "x": row("b", 1)})
    tree.transcript("a", [("user", "hello")])
    tree.file(f"{FOLDER}/x.jsonl.deleted.2020-01-01T00-00-00.000Z", "x")
    actions = clean("--verbose", "--dry-run")["actions"]
    assert [(a["what"], a.get("key") or a["path"], a["rule"]) for a in actions] == [
        ("prune-stale", "agent:main:a", "stale"),
        ("cap-overflow", "x", "cap"),
        ("archive-file", "a.jsonl", "deleted"),
        ("delete-file", "x.jsonl.deleted.2020-01-01T00-00-00.000Z", "expired-deleted"),
    ]
    assert all(action["reason"] for action in actions)
    assert clean("--verbose")["actions"] == actions


# Several stores in one folder


def test_stores_that_share_a_folder_spare_each_others_files(
    tree: Tree, openclaw_inproc: Run, home: Path
) -> None:
    tree.config(
        agents={"list": [{"id": "main"}, {"id": "work"}]},
        session={"store": "~/all/{agentId}.json", "maintenance": {"maxDiskBytes": 100}},
    )
    tree.json("all/main.json", {"agent:main:a": row("a"), "agent:main:same": row("w", 40)})
    work = tree.json("all/work.json", {"agent:work:w": row("w"), "agent:work:x": row("x")})
    for name in ("a", "w", "x", "orphan"):
        tree.file(f"all/{name}.jsonl", "{}\n", mtime=OLD)
    done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json", "--agent", "main")
    assert done.exit == 0
    assert {"w.jsonl", "x.jsonl"} <= set(names(home, "all"))
    assert "orphan.jsonl" not in names(home, "all")
    work.write_text("{")
    tree.json("all/main.json", {"agent:main:a": row("a")})
    done = openclaw_inproc("sessions", "cleanup", "--enforce", "--json", "--agent", "main")
    assert {"w.jsonl", "x.jsonl"} <= set(names(home, "all"))
    assert "cannot be read; files without a row stay" in done.err


def test_another_store_by_path_spares_the_files_of_the_usual_one(
    tree: Tree, clean: Run, home: Path
) -> None:
    tree.sessions({"agent:main:a": row("a")})
    tree.file(f"{FOLDER}/a.jsonl", "{}\n", mtime=OLD)
    tree.json(f"{FOLDER}/copy.json", {"agent:main:b": row("b")})
    clean("--enforce", "--store", str(home / FOLDER / "copy.json"))
    assert (home / FOLDER / "a.jsonl").exists()
