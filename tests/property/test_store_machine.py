"""A store under writers, resets, deletions, cleanups and crashes in any order."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from openclaw_cli.config.load import load
from openclaw_cli.sessions import cleanup, discovery, removal, store, transaction, write_path
from openclaw_cli.sessions.discovery import TranscriptFinder
from openclaw_cli.sessions.maintenance_settings import Settings, Upkeep
from openclaw_cli.sessions.write_path import Draft
from openclaw_cli.state.clock import DAY_MS, HOUR_MS
from openclaw_cli.state.paths import Paths

START = 1_795_143_600_000
FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
KEYS = ["agent:main:main", *(f"agent:main:direct:{n}" for n in range(4))]
keys = st.sampled_from(KEYS)
# After how many file operations the process dies; None lets it finish.
crashes = st.one_of(st.none(), st.integers(0, 12))


class Crash(BaseException):
    """The process is gone."""


class Stores(RuleBasedStateMachine):
    """Every conversation ever written stays readable, live or archived, whatever happens."""

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp(dir=FAST))
        self.paths = Paths.from_env({"HOME": str(self.home)})
        self.path = self.paths.sessions_dir("main") / "sessions.json"
        self.now_ms = START
        self.written: set[str] = set()
        self.config = load(self.paths, environ={"HOME": str(self.home)})
        self.upkeep = Upkeep(settings=Settings(mode="enforce", max_entries=4, rotate_bytes=400))

    def teardown(self) -> None:
        if hasattr(self, "home"):
            shutil.rmtree(self.home)

    @rule(hours=st.integers(0, 24 * 5))
    def time_passes(self, hours: int) -> None:
        self.now_ms += hours * HOUR_MS

    @rule(key=keys, crash=crashes)
    def message(self, key: str, crash: int | None) -> None:
        """A turn: the transcript grows by a line, the row is touched."""
        text = f"{len(self.written)}\n"

        def change(draft: Draft) -> None:
            row = draft.rows.setdefault(key, {"sessionId": f"s{self.now_ms}-{len(self.written)}"})
            row["updatedAt"] = self.now_ms
            transcript = self.path.parent / f"{row['sessionId']}.jsonl"
            with transcript.open("a") as out:
                out.write(text)

        def run() -> None:
            write_path.update(
                self.path, change, paths=self.paths, now_ms=self.now_ms, command="test",
                upkeep=self.upkeep, active_keys=[key],
            )  # fmt: skip

        self.written.add(text)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._do(run, crash)

    @rule(crash=crashes, fix=st.booleans())
    def clean(self, crash: int | None, fix: bool) -> None:
        options = cleanup.Options(enforce=True, fix_missing=fix)
        targets = discovery.targets(self.config, self.paths)
        self._do(
            lambda: cleanup.run(self.config, self.paths, targets, options, now_ms=self.now_ms),
            crash,
        )

    @rule(key=keys, operation=st.sampled_from(["delete", "reset"]), crash=crashes)
    def remove(self, key: str, operation: str, crash: int | None) -> None:
        one = removal.Removal(self.config, self.paths, operation, self.now_ms)
        self._do(lambda: one.run([key]), crash)

    @rule()
    def recover(self) -> None:
        transaction.recover(self.path, paths=self.paths, now_ms=self.now_ms)
        assert not self.path.with_name("sessions.json.maintenance").exists()

    @invariant()
    def the_store_is_whole(self) -> None:
        if not hasattr(self, "path"):
            return
        found = store.load(self.path)
        finder = TranscriptFinder(self.path.parent)
        if self.path.with_name("sessions.json.maintenance").exists():
            return  # a row may point at a file that the open change is about to move back
        for key, row in found.rows.items():
            resolved = finder.resolve(row).path
            if row.get("compactionCount") != 0:  # a reset session has no transcript yet
                assert resolved is not None, key
                assert resolved.exists(), key

    @invariant()
    def no_conversation_is_lost(self) -> None:
        if not hasattr(self, "path") or not self.written:
            return
        kept: set[str] = set()
        for path in self.path.parent.glob("*.jsonl*"):
            kept |= set(path.read_text().splitlines(keepends=True))
        expired = self.now_ms - START > 29 * DAY_MS  # archives have run out by then
        assert expired or self.written - self._unsaid <= kept

    # Texts whose turn died before its transcript was written.
    _unsaid: frozenset[str] = frozenset()

    def _do(self, run: Any, crash: int | None) -> None:
        """Run, dying at file operation number ``crash``."""
        if crash is None:
            run()
            return
        left = crash

        def counted(real: Any) -> Any:
            def call(*args: Any, **how: Any) -> Any:
                nonlocal left
                if left == 0:
                    raise Crash
                left -= 1
                return real(*args, **how)

            return call

        patches = [
            mock.patch.object(os, name, counted(getattr(os, name)))
            for name in ("rename", "replace", "unlink", "fsync")
        ]
        texts = set(self.written)
        try:
            for patch in patches:
                patch.start()
            run()
        except Crash:
            pass
        finally:
            for patch in patches:
                patch.stop()
        for lock in self.home.rglob("*.lock"):
            lock.unlink()  # its owner is dead
        self._unsaid |= {text for text in texts if not self._is_said(text)}

    def _is_said(self, text: str) -> bool:
        files = self.path.parent.glob("*.jsonl*") if self.path.parent.is_dir() else ()
        return any(text in path.read_text().splitlines(keepends=True) for path in files)


TestStores = Stores.TestCase
TestStores.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
