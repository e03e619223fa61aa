"""JSON Lines: offsets, bad lines, torn tails, appends."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.errors import NotAllowed, UnreadableFile
from openclaw_cli.state import jsonl


def test_bad_lines_are_handed_out_without_a_value(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n\nnot json\n\xff\n{"b":2}\r\n{"c":')
    lines = list(jsonl.read(path))
    assert [line.value for line in lines] == [{"a": 1}, None, None, None, {"b": 2}, None]
    assert [line.offset for line in lines] == [0, 8, 9, 18, 20, 29]
    assert [line.torn for line in lines] == [False] * 5 + [True]
    assert list(jsonl.read_objects(path)) == [{"a": 1}, {"b": 2}]


def test_missing_file_has_no_lines_and_a_folder_is_an_error(tmp_path: Path) -> None:
    assert list(jsonl.read(tmp_path / "none")) == []
    with pytest.raises(UnreadableFile):
        list(jsonl.read(tmp_path))


def test_append_closes_a_torn_line_first(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "log.jsonl"
    jsonl.append(path, [{"a": "ä"}])
    assert path.stat().st_mode & 0o777 == 0o600
    with path.open("a") as out:
        out.write('{"torn":')
    jsonl.append(path, [{"b": 2}, {"c": 3}])
    assert path.read_text() == '{"a":"ä"}\n{"torn":\n{"b":2}\n{"c":3}\n'


def test_append_refuses_a_link_and_writes_nothing_for_nothing(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotAllowed):
        jsonl.append(link, [{"a": 1}])
    jsonl.append(tmp_path / "nothing.jsonl", [])
    assert not (tmp_path / "nothing.jsonl").exists()


def test_rotate_keeps_one_generation(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    assert jsonl.rotate(path, 10) is False
    path.write_text("x" * 11)
    (tmp_path / "log.jsonl.1").write_text("older")
    assert jsonl.rotate(path, 10) is True
    assert (path.exists(), (tmp_path / "log.jsonl.1").read_text()) == (False, "x" * 11)


@given(st.lists(st.dictionaries(st.text(), st.integers() | st.text())), st.integers(0, 200))
def test_a_truncated_file_loses_at_most_its_last_line(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "log.jsonl"
    jsonl.append(path, rows)
    data = path.read_bytes() if path.exists() else b""
    kept = data[: max(0, len(data) - cut)]
    path.write_bytes(kept)
    read = [line.value for line in jsonl.read(path) if line.value is not None]
    assert read == rows[: len(read)]
    assert len(read) >= kept.count(b"\n")
