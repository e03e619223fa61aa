"""Renaming and deleting below a sessions folder, and nothing outside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from openclaw_cli.sessions import file_actions
from openclaw_cli.sessions.effects import Move
from openclaw_cli.state import lock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sessions"
    place.mkdir()
    for name in ("a", "b", "c"):
        (place / name).write_text(name)
    return place


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_actions_may_run_twice(folder: Path) -> None:
    moves, removals = [Move("a", "a2"), Move("gone", "g2")], ["b", "gone"]
    for _ in range(2):
        acted = file_actions.act(str(folder), moves, removals)
        assert acted.failures == []
        assert names(folder) == ["a2", "c"]


def test_a_taken_archive_name_moves_on_and_so_does_its_deletion(folder: Path) -> None:
    first, second = (f"a.deleted.2026-11-20T03-00-00.99{n}Z" for n in (8, 9))
    (folder / first).write_text("earlier")
    acted = file_actions.act(str(folder), [Move("a", first)], [])
    assert acted.renamed == {first: second}
    assert (folder / first).read_text() == "earlier"
    acted = file_actions.act(str(folder), [Move("b", first)], [first])
    assert acted.renamed[first].endswith("T03-00-01.000Z")
    assert names(folder) == sorted([first, second, "c"])


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("x.jsonl.reset.2026-12-31T23-59-59.999Z", "x.jsonl.reset.2027-01-01T00-00-00.000Z"),
        ("sessions.json.bak.99", "sessions.json.bak.100"),
    ],
)
def test_the_next_free_name(name: str, following: str) -> None:
    assert file_actions.next_name(name) == following


def test_another_taken_name_is_a_failure(folder: Path) -> None:
    (acted,) = file_actions.act(str(folder), [Move("a", "b")], ["b"]).failures
    assert acted.text() == "cannot archive a: b exists already"
    assert names(folder) == ["a", "b", "c"], "what it should have become is not deleted either"


def test_files_that_a_row_needs_stay(folder: Path) -> None:
    wanted = {str(folder / "a"), str(folder / "b")}
    file_actions.act(str(folder), [Move("a", "a2")], ["a2", "b", "c"], wanted=wanted)
    assert names(folder) == ["a", "b"]


def test_links_folders_and_what_is_outside_are_refused(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("precious")
    (folder / "link").symlink_to(outside / "x")
    (folder / "away").symlink_to(outside)
    (folder / "dir").mkdir()
    acted = file_actions.act(
        str(folder), [Move("link", "l2"), Move("away/x", "away/y")], ["link", "dir", "away/x"]
    )
    reasons = [failure.reason for failure in acted.failures]
    assert reasons == [
        "it is not a regular file", "it is outside the sessions folder",
        "it is not a regular file", "it is not a regular file",
        "it is outside the sessions folder",
    ]  # fmt: skip
    assert (outside / "x").read_text() == "precious"


def test_a_lock_needs_no_unnamed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    with lock.file_lock(tmp_path / "x"):
        assert names(tmp_path) == ["x.lock"]
    assert names(tmp_path) == []
