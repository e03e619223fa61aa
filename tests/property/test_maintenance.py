"""Whatever is in a store and its folder: a dry run is the truth, and nothing needed is touched."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.config.load import load
from openclaw_cli.sessions import cleanup, discovery, entry, store, store_text
from openclaw_cli.sessions.discovery import TranscriptFinder
from openclaw_cli.state.clock import DAY_MS
from openclaw_cli.state.paths import Paths

NOW = 1_795_143_600_000
IDS = [f"s{n}" for n in range(6)]
KEYS = [
    "agent:main:main", "agent:main:telegram:direct:1", "agent:main:TELEGRAM:direct:2",
    "agent:main:direct:3", "agent:main:telegram:group:4", "agent:main:cron:job", "discord:group:7",
    "agent:main:explicit:model-run-00000001-1111-4111-8111-111111111111", "agent:work:direct:5",
    "agent:main:subagent:x", "main", "2", "global", "agent:main:x:thread:9",
]  # fmt: skip
FILES = [
    *(f"{i}.jsonl" for i in IDS), "s1-topic-7.jsonl", "sub/s2.jsonl", "s0.trajectory.jsonl",
    "s3.trajectory-path.json", "orphan.jsonl", "s4.jsonl.deleted.2026-11-20T03-00-00.000Z",
    "old.jsonl.deleted.2020-01-01T00-00-00.000Z", "old.jsonl.reset.2026-11-01T00-00-00.000Z",
    "x.jsonl.bak.2026-11-01T00-00-00.000Z", "sessions.json.bak.5", "sessions.json.bak.77",
    "sessions.json.bak.mine", "notes.txt", "x.json.migrated", "s5.jsonl.corrupt-2026",
    "a.checkpoint.12345678-1234-4234-8234-123456789012.jsonl",
    "sessions.json.11111111-1111-4111-8111-111111111111.tmp",
]  # fmt: skip

FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of flushes

ages = st.one_of(
    st.integers(-DAY_MS, 90 * DAY_MS).map(lambda age: NOW - age),
    st.sampled_from([None, 0, -1, "yesterday", NOW, NOW - 30 * DAY_MS, 1.5, 10**20]),
)
anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**25), 10**25), st.text(max_size=5),
        st.sampled_from(["\ud800", "é\u2028", ":1.5,", "\x1f"]), st.floats(-1e15, 1e15),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)  # fmt: skip
rows_of_sessions = st.fixed_dictionaries(
    {"sessionId": st.sampled_from([*IDS, "../../escape", ""]), "updatedAt": ages},
    optional={
        "sessionFile": st.sampled_from(
            [*FILES[:8], "../x.jsonl", "/etc/hosts", "sub/../s1.jsonl", "", "gone.jsonl"]
        ),
        "status": st.sampled_from(["running", "done"]),
        "chatType": st.sampled_from(["group", "direct"]),
        "label": st.just("L"),
        "x-unknown": anything,
    },
)
stores = st.dictionaries(
    st.sampled_from(KEYS),
    st.one_of(rows_of_sessions, rows_of_sessions, st.sampled_from([None, 7, [1]])),
    min_size=1,
    max_size=10,
).filter(lambda rows: any(isinstance(row, dict) for row in rows.values()))
folders = st.dictionaries(
    st.sampled_from(FILES), st.tuples(st.integers(0, 900), st.integers(0, 60)), max_size=14
)
settings = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["warn", "enforce"]),
        "pruneAfter": st.sampled_from(["0", "1d", "30d", "400d"]),
        "maxEntries": st.integers(1, 8),
        "rotateBytes": st.sampled_from(["100b", "10mb"]),
        "resetArchiveRetention": st.sampled_from(["5d", False]),
        "maxDiskBytes": st.integers(0, 6000),
        "highWaterBytes": st.integers(0, 6000),
    },
)
requests = st.builds(
    cleanup.Options,
    enforce=st.booleans(),
    fix_missing=st.booleans(),
    fix_dm_scope=st.booleans(),
    active_key=st.sampled_from([None, *KEYS[:5]]),
    verbose=st.just(True),
)


@contextmanager
def laid_out(
    rows: dict[str, Any], files: dict[str, tuple[int, int]], maintenance: dict[str, Any]
) -> Iterator[Path]:
    """A home directory with this store, these files (size, age in days) and these settings."""
    with tempfile.TemporaryDirectory(dir=FAST) as name:
        folder = Path(name, ".openclaw/agents/main/sessions")
        folder.mkdir(parents=True)
        config = {"session": {"maintenance": maintenance}}
        Path(name, ".openclaw/openclaw.json").write_text(json.dumps(config))
        (folder / "sessions.json").write_bytes(store_text.render(rows))
        for file, (size, days) in files.items():
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_text("x" * size)
            os.utime(path, (NOW / 1000 - days * 86400,) * 2)
        yield Path(name)


def run(home: Path, options: cleanup.Options, *, dry_run: bool) -> dict[str, Any]:
    paths = Paths.from_env({"HOME": str(home)})
    config = load(paths, environ={"HOME": str(home)})
    asked = cleanup.Options(**{**vars(options), "dry_run": dry_run})
    result = cleanup.run(config, paths, discovery.targets(config, paths), asked, now_ms=NOW)
    assert not result.failed
    return result.document


def snapshot(home: Path) -> dict[str, bytes]:
    folder = home / ".openclaw/agents"
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@given(stores, folders, settings, requests)
def test_a_dry_run_is_the_truth(
    rows: dict[str, Any], files: dict[str, tuple[int, int]], maintenance: dict[str, Any],
    options: cleanup.Options,
) -> None:  # fmt: skip
    enforced = cleanup.Options(**{**vars(options), "enforce": True})
    with laid_out(rows, files, maintenance) as home:
        before = snapshot(home)
        shown = run(home, enforced, dry_run=True)
        assert snapshot(home) == before
        done = run(home, enforced, dry_run=False)
        for field in shown.keys() - {"dryRun", "wouldMutate", "warnings"}:
            assert done[field] == shown[field], field
        after = snapshot(home)
        rows_after = json.loads(after[".openclaw/agents/main/sessions/sessions.json"])
        assert len(rows_after) == shown["afterCount"] == done["appliedCount"]
        removed = sum(done[f] for f in ("missing", "dmScopeRetired", "modelRunPruned", "pruned",
                                        "capped"))  # fmt: skip
        removed += done["diskBudget"]["removedEntries"] if done["diskBudget"] else 0
        assert done["beforeCount"] - done["afterCount"] == removed
        if done["diskBudget"]:
            assert_measured(home, done)


def assert_measured(home: Path, done: dict[str, Any]) -> None:
    """The projected total is what is really there, sweep and foreign files aside."""
    folder = home / ".openclaw/agents/main/sessions"
    total = sum(p.stat().st_size for p in folder.iterdir() if p.is_file())
    migrated = folder / "x.json.migrated"
    total -= migrated.stat().st_size if migrated.exists() else 0
    swept = done["unreferencedArtifacts"]["removedFiles"]
    if not swept and not (folder / FILES[-1]).exists():
        assert done["diskBudget"]["totalBytesAfter"] == total


@given(stores, folders, settings, requests)
def test_nothing_that_a_row_needs_is_touched_and_rows_survive_whole(
    rows: dict[str, Any], files: dict[str, tuple[int, int]], maintenance: dict[str, Any],
    options: cleanup.Options,
) -> None:  # fmt: skip
    with laid_out(rows, files, maintenance) as home:
        folder = home / ".openclaw/agents/main/sessions"
        finder = TranscriptFinder(folder, home / ".openclaw")
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        done = run(home, options, dry_run=False)
        left = store.load(folder / "sessions.json").rows
        repaired = {a["key"] for a in done["actions"] if a["what"] == "repair-session-file"}
        expected = [key for key in rows if key in left]
        assert list(left) == expected, "the order is kept"
        for key in expected:
            row = rows[key]
            if key not in repaired:
                wanted = entry.normalized(row) if isinstance(row, dict) else row
                assert left[key] == json.loads(json.dumps(wanted))
            if not isinstance(row, dict):
                continue
            path = finder.resolve(left[key]).path
            if path in before and path is not None and path.is_relative_to(folder):
                assert path.read_bytes() == before[path], "its transcript is as it was"
        # Conversations never vanish without a budget: each is live or archived.
        if not done["diskBudget"]:
            texts = sorted(
                data for p, data in before.items()
                if data and p.suffix == ".jsonl" and "trajectory" not in p.name
            )  # fmt: skip
            now = [p.read_bytes() for p in folder.rglob("*") if p.is_file()]
            for text in texts:
                assert text in now
                now.remove(text)


@given(stores, folders, settings, requests)
def test_runs_settle(
    rows: dict[str, Any], files: dict[str, tuple[int, int]], maintenance: dict[str, Any],
    options: cleanup.Options,
) -> None:  # fmt: skip
    """The second run does at most what waited for it, the third nothing at all."""
    with laid_out(rows, files, maintenance) as home:
        run(home, options, dry_run=False)
        second = run(home, options, dry_run=False)
        counts = ("repaired", "missing", "dmScopeRetired", "modelRunPruned", "pruned", "capped")
        assert not any(second[field] for field in counts)
        before = snapshot(home)
        third = run(home, options, dry_run=False)
        assert not third["wouldMutate"]
        assert snapshot(home) == before


@given(stores)
def test_reading_and_writing_is_the_identity(rows: dict[str, Any]) -> None:
    text = store_text.render(rows)
    assert store_text.render(store_text.parse(text)) == text
    compact = json.dumps(rows).encode()
    assert list(store_text.parse(compact)) == list(rows)
