"""Finding daily notes of the past."""

from __future__ import annotations

from pathlib import Path

import pytest

from openclaw_cli.dreaming import history
from openclaw_cli.errors import UnreadableFile


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-11-10.md", "2026-11-10"),
        ("2026-11-10-stand-up.md", "2026-11-10"),
        ("2026-11-10.MD", "2026-11-10"),
        ("2026-11-10-A.Md", "2026-11-10"),
        ("2026-11-31.md", None),
        ("2026-11-10.txt", None),
        ("2026-11-10-.md", None),
        ("x2026-11-10.md", None),
        ("2026-11-10 note.md", None),
        ("MEMORY.md", None),
    ],
)
def test_names_of_daily_notes(name: str, day: str | None) -> None:
    assert history.day_of(name) == day


def test_a_folder_yields_its_own_notes_by_name(tmp_path: Path) -> None:
    for name in ("2026-11-10.md", "2026-11-10-b.md", "2026-11-09.md", "other.md"):
        (tmp_path / name).write_text("x")
    (tmp_path / "2026-11-08.md").mkdir()
    (tmp_path / "2026-11-07.md").symlink_to(tmp_path / "2026-11-09.md")
    assert [source.path.name for source in history.find(tmp_path)] == [
        "2026-11-09.md",
        "2026-11-10-b.md",
        "2026-11-10.md",
    ]


def test_a_file_is_taken_for_its_name_also_as_a_link(tmp_path: Path) -> None:
    (tmp_path / "2026-11-09.md").write_text("x")
    link = tmp_path / "2026-11-07.md"
    link.symlink_to(tmp_path / "2026-11-09.md")
    (source,) = history.find(link)
    assert (source.day, source.key) == ("2026-11-07", "memory/2026-11-07.md")
    assert history.find(tmp_path / "nowhere.md") == []


def test_a_note_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    source = history.Source(tmp_path / "2026-11-09.md", "2026-11-09")
    with pytest.raises(UnreadableFile, match=r"2026-11-09\.md"):
        history.read(source)


def test_odd_bytes_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "2026-11-09.md"
    path.write_bytes(b"\xef\xbb\xbf## A\n- Prefers \xff tea in the morning\n")
    (source,) = history.find(path)
    found = history.ground(history.read(source), source.key)
    assert found.facts[0].text == "Prefers \ufffd tea in the morning"
    assert found.facts[0].refs == ["memory/2026-11-09.md:2"]


def test_what_dreaming_wrote_into_a_note_is_not_its_own() -> None:
    text = (
        "## Tea\n- Prefers tea in the morning.\n\n## REM Sleep\n"
        "<!-- openclaw:dreaming:rem:start -->\n### Reflections\n- always repeat this line\n"
        "<!-- openclaw:dreaming:rem:end -->\n## Mail\n- Always answer on Mondays.\n"
    )
    found = history.ground(text, "memory/2026-11-09.md")
    assert [(item.text, item.refs) for item in found.facts] == [
        ("Prefers tea in the morning.", ["memory/2026-11-09.md:2"]),
        ("Always answer on Mondays.", ["memory/2026-11-09.md:10"]),
    ]
