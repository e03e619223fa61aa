"""The index follows the notes, survives damage, and is rebuilt only when it must be."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.errors import Busy
from openclaw_cli.memory import index, index_build, index_notes, index_schema
from openclaw_cli.memory.search import Memory, Query, search
from openclaw_cli.state import lock
from openclaw_cli.state.paths import Paths

NOW_MS = 1_795_143_600_000
Found = Callable[[str], list[str]]


def memory(**settings: object) -> Memory:
    paths = Paths.from_env()
    found = Memory(load(paths, validate=False), paths, "main", NOW_MS)
    if settings:
        found.settings = found.settings._replace(**settings)
    return found


@pytest.fixture
def notes(tree: Tree) -> Tree:
    tree.config(agents={"defaults": {"memorySearch": {"provider": "none"}}})
    tree.note("2026-11-17", "# 2026-11-17\n\n- Router moved to VLAN 20.\n")
    tree.note("2026-11-18", "# 2026-11-18\n\n- Backups land in the glacier bucket.\n")
    return tree


def paths_of(query: str, **settings: object) -> list[str]:
    return [hit.path for hit in search(memory(**settings), Query(query)).hits]


def stamp() -> tuple[int, int]:
    info = memory().index_path.stat()
    return info.st_mtime_ns, info.st_ino


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as older than the file system's tick."""
    monkeypatch.setattr(index, "FINE_TICK_MS", -10_000)
    monkeypatch.setattr(index, "COARSE_TICK_MS", -10_000)


def test_a_search_sees_every_edit(notes: Tree) -> None:
    assert paths_of("router") == ["memory/2026-11-17.md"]
    note = notes.note("2026-11-17", "# 2026-11-17\n\n- Switch moved to VLAN 20.\n")
    assert paths_of("router") == []
    assert paths_of("switch") == ["memory/2026-11-17.md"]
    note.unlink()
    assert paths_of("switch") == []
    notes.note("2026-11-19", "switch again\n")
    assert paths_of("switch") == ["memory/2026-11-19.md"]


def test_an_edit_of_the_same_size_and_time_is_seen(notes: Tree) -> None:
    note = notes.note("2026-11-17", "- alpha\n")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    assert paths_of("alpha") == ["memory/2026-11-17.md"]
    note.write_text("- gamma\n")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    assert paths_of("gamma") == ["memory/2026-11-17.md"]


def test_nothing_is_written_when_nothing_changed(
    notes: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths_of("router")
    settle(monkeypatch)
    before = stamp()
    paths_of("glacier")
    assert stamp() == before


def test_a_touched_note_is_not_indexed_again(notes: Tree) -> None:
    paths_of("router")
    os.utime(notes.workspace / "memory/2026-11-17.md")
    place = memory()
    with place.opened(None) as (_db, report):
        assert (report.changed, report.removed, report.rebuilt) == (0, 0, None)


def test_every_table_forgets_a_note(notes: Tree) -> None:
    paths_of("router")
    (notes.workspace / "memory/2026-11-17.md").unlink()
    paths_of("router")
    with contextlib.closing(sqlite3.connect(memory().index_path)) as db:
        for table in ("files", "chunks", "chunks_fts", "notes", "windows"):
            (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert count == {"windows": 2}.get(table, 1), table
        words = [row[0] for row in db.execute("SELECT term FROM windows_vocab")]
    assert "router" not in words
    assert "glacier" in words


def test_changed_settings_rebuild_a_keyword_index_at_once(notes: Tree) -> None:
    paths_of("router")
    assert paths_of("router", chunk_tokens=50, chunk_overlap=0) == ["memory/2026-11-17.md"]
    assert paths_of("oute", tokenizer="trigram") == ["memory/2026-11-17.md"]
    assert paths_of("router", tokenizer="trigram") == ["memory/2026-11-17.md"]


def test_a_new_extra_path_needs_no_rebuild(notes: Tree) -> None:
    notes.file(".openclaw/workspace/extra/team.md", "The vendor contract ends in May.\n")
    paths_of("router")
    before = stamp()[1]
    assert paths_of("vendor", extra_paths=("extra",)) == ["extra/team.md"]
    assert stamp()[1] == before
    assert paths_of("vendor") == []


@pytest.mark.parametrize(
    "content", [b"", b"no database at all", b"SQLite format 3\0" + b"x" * 9000]
)
def test_a_damaged_index_is_built_anew(notes: Tree, content: bytes) -> None:
    place = memory().index_path
    place.parent.mkdir()
    place.write_bytes(content)
    assert paths_of("router") == ["memory/2026-11-17.md"]


def test_damage_inside_is_noticed(notes: Tree) -> None:
    for number in range(60):
        notes.note(f"2026-01-{number:02d}", f"- filler router {number}\n" * 40)
    paths_of("router")
    place = memory().index_path
    data = bytearray(place.read_bytes())
    data[8192:-4096:3] = b"\xff" * len(data[8192:-4096:3])
    place.write_bytes(data)
    assert "memory/2026-11-18.md" in paths_of("glacier")


def test_a_table_of_another_shape_is_as_good_as_damage(notes: Tree) -> None:
    paths_of("router")
    with contextlib.closing(sqlite3.connect(memory().index_path)) as db:
        db.execute("ALTER TABLE windows DROP COLUMN label")
        db.commit()
    assert paths_of("what is with the zebra and the router") == ["memory/2026-11-17.md"]


@pytest.mark.parametrize("column", ["label", "derived"])
def test_an_index_with_fewer_columns_is_built_anew(notes: Tree, column: str) -> None:
    paths_of("kettle")
    path = memory().index_path
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"ALTER TABLE windows DROP COLUMN {column}")
        db.commit()
    tree_note = notes.note("2026-11-19", "The zebra is a new line.\n")
    assert paths_of("zebra") == [f"memory/{tree_note.name}"]
    with contextlib.closing(sqlite3.connect(path)) as db:
        shape = [row[1] for row in db.execute("PRAGMA table_info(windows)")]
    assert column in shape


def test_a_table_of_another_program_beside_ours_changes_nothing(notes: Tree) -> None:
    paths_of("kettle")
    with contextlib.closing(sqlite3.connect(memory().index_path)) as db:
        db.execute("CREATE TABLE chunks_vec (id TEXT)")
        db.commit()
    paths_of("kettle")
    with contextlib.closing(sqlite3.connect(memory().index_path)) as db:
        assert db.execute("SELECT count(*) FROM chunks_vec").fetchone() == (0,)


def test_an_index_of_another_program_is_replaced(notes: Tree) -> None:
    place = memory().index_path
    place.parent.mkdir()
    with contextlib.closing(sqlite3.connect(place)) as db:
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        db.execute("INSERT INTO meta VALUES ('memory_index_meta_v1', '{\"model\":\"fts-only\"}')")
        db.execute(
            "CREATE TABLE embedding_cache (provider TEXT, model TEXT, provider_key TEXT,"
            " hash TEXT, embedding TEXT, dims INTEGER, updated_at INTEGER)"
        )
        db.execute("INSERT INTO embedding_cache VALUES ('p', 'm', 'k', 'h', '[1]', 1, 5)")
        db.commit()
    assert paths_of("router") == ["memory/2026-11-17.md"]
    with contextlib.closing(sqlite3.connect(place)) as db:
        assert db.execute("SELECT hash FROM embedding_cache").fetchall() == [("h",)]


def test_the_file_is_private(notes: Tree) -> None:
    paths_of("router")
    place = memory().index_path
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in place.parent.iterdir()) == ["main.sqlite"]


def test_what_cannot_be_written_is_searched_in_memory(
    notes: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes.state / "memory").write_text("a file where the folder should be")
    outcome = search(memory(), Query("router"))
    assert [hit.path for hit in outcome.hits] == ["memory/2026-11-17.md"]
    assert "searched without the index file" in outcome.warnings[0]


def test_a_busy_index_answers_with_what_it_has(
    notes: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths_of("router")
    notes.note("2026-11-17", "- Switch.\n")
    place = memory().index_path
    monkeypatch.setenv("OPENCLAW_LOCK_TIMEOUT", "0")
    foreign = place.with_name("main.sqlite.lock")
    foreign.write_text('{"pid": 1, "createdAt": "2026-11-20T03:00:00.000Z"}')
    outcome = search(memory(), Query("router"))
    assert [hit.path for hit in outcome.hits] == ["memory/2026-11-17.md"]
    assert "newest edits" in outcome.warnings[0]


def test_busy_without_any_index_is_told(notes: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    place = memory().index_path
    place.parent.mkdir()
    monkeypatch.setenv("OPENCLAW_LOCK_TIMEOUT", "0")
    place.with_name("main.sqlite.lock").write_text('{"pid": 1}')
    with pytest.raises(Busy):
        search(memory(), Query("router"))


def test_an_unreadable_note_is_reported_and_the_rest_found(
    notes: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *how: str) -> object:
        if str(path).endswith("2026-11-17.md"):
            raise PermissionError(13, "Permission denied")
        return open(path, *how)

    monkeypatch.setattr(index_notes, "open", refuse, raising=False)
    outcome = search(memory(), Query("glacier"))
    assert [hit.path for hit in outcome.hits] == ["memory/2026-11-18.md"]
    assert "could not read" in outcome.warnings[0]


def test_sync_can_be_left_to_the_index_command(notes: Tree) -> None:
    assert paths_of("router", sync_on_search=False) == ["memory/2026-11-17.md"]
    notes.note("2026-11-17", "- Switch.\n")
    assert paths_of("router", sync_on_search=False) == ["memory/2026-11-17.md"]


def test_leftovers_of_killed_rebuilds_are_swept(notes: Tree) -> None:
    place = memory().index_path
    place.parent.mkdir()
    leftover = place.with_name("main.sqlite.123.abcd.tmp")
    leftover.write_bytes(b"half")
    paths_of("router")
    assert not leftover.exists()


def test_missing_full_text_search_is_explained(notes: Tree) -> None:
    error = index.explain(sqlite3.OperationalError("no such module: fts5"), Path("x"))
    assert error.code == "search-unavailable"
    assert error.hint is not None


def test_the_lock_is_held_while_writing(notes: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    rebuild = index_build.rebuild

    def watch(*arguments: object) -> None:
        seen.append(lock.is_held(memory().index_path.with_name("main.sqlite.lock")))
        rebuild(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(index_build, "rebuild", watch)
    paths_of("router")
    assert seen == [True]


def test_meta_row_is_that_of_the_reference(notes: Tree) -> None:
    paths_of("router")
    with contextlib.closing(sqlite3.connect(memory().index_path)) as db:
        stored = index_schema.stored_identity(index_schema.read_meta(db))
    assert stored == {
        "model": "fts-only", "provider": "none", "providerKey": "none", "sources": ["memory"],
        "scopeHash": "", "chunkTokens": 400, "chunkOverlap": 80, "ftsTokenizer": "unicode61",
    }  # fmt: skip
