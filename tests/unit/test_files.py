"""Atomic writes, tolerant reads, refused links."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_cli.errors import NotAllowed, NotWritable, UnreadableFile
from openclaw_cli.state import files


def test_new_file_is_private_in_a_private_folder(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "state.json"
    files.write_atomic(path, "{}\n")
    assert path.read_text() == "{}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [p.name for p in path.parent.iterdir()] == ["state.json"]


def test_existing_mode_is_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("old")
    path.chmod(0o640)
    files.write_atomic(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640
    files.write_atomic(path, "newer", force_mode=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_replaced_unless_it_is_to_be_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    files.write_atomic(link, "through", follow_link=True)
    assert (link.is_symlink(), target.read_text()) == (True, "through")
    files.write_atomic(link, "own")
    assert (link.is_symlink(), target.read_text(), link.read_text()) == (False, "through", "own")


def test_a_failed_write_leaves_the_old_content_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    path.write_text("old")

    def refuse(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(NotWritable, match="No space left"):
        files.write_atomic(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_unchanged_content_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    assert files.write_if_changed(path, "ä") is True
    before = path.stat().st_ino
    assert files.write_if_changed(path, "ä") is False
    assert path.stat().st_ino == before
    assert files.write_if_changed(path, "ö") is True


def test_missing_files_read_as_none(tmp_path: Path) -> None:
    assert files.read_text(tmp_path / "none") is None
    assert files.load_json(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b'{"a": 1,}', r"line 1, column [89]"),
        (b'{"a"\n: tru', r"line 2"),
        (b"\xff{}", "not UTF-8 \\(byte 0\\)"),
        (b"[" * 100_000, "nested too deeply"),
    ],
    ids=["empty", "blank", "comma", "cut", "bytes", "deep"],
)
def test_bad_json_names_file_and_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=reason) as caught:
        files.load_json(path, what="session store")
    assert "session store" in caught.value.message
    assert caught.value.path == str(path)


def test_a_folder_in_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="Is a directory"):
        files.load_json(tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    real, soft, hard = tmp_path / "real", tmp_path / "soft", tmp_path / "hard"
    real.write_text("x")
    soft.symlink_to(real)
    files.refuse_link(real)
    files.refuse_link(tmp_path / "missing")
    with pytest.raises(NotAllowed, match="symbolic link"):
        files.refuse_link(soft)
    with pytest.raises(NotAllowed, match="not a regular file"):
        files.refuse_link(tmp_path)
    hard.hardlink_to(real)
    files.refuse_link(real)
    with pytest.raises(NotAllowed, match="hard link"):
        files.refuse_link(real, hard=True)


def test_rename_never_replaces(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("1")
    two.write_text("2")
    with pytest.raises(FileExistsError):
        files.rename_durable(one, two)
    files.rename_durable(one, tmp_path / "three")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["three", "two"]
