"""Names of the files in a sessions folder (``sessions.md`` 3.1)."""

from __future__ import annotations

import pytest

from openclaw_cli.sessions import names
from openclaw_cli.state import clock

DAY = clock.parse_iso("2026-11-20T03:00:00Z") or 0
UUID = "11111111-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("session_id", "thread", "name"),
    [
        ("abc", None, "abc.jsonl"),
        ("A.b_c-1", None, "A.b_c-1.jsonl"),
        ("abc", "5", "abc-topic-5.jsonl"),
        ("abc", "a/b c:d", "abc-topic-a%2Fb%20c%3Ad.jsonl"),
        ("../x", None, None),
        (".hidden", None, None),
        ("a/b", None, None),
        ("a:b", None, None),
        ("", None, None),
        ("a" * 129, None, None),
    ],
)
def test_only_safe_ids_become_file_names(
    session_id: str, thread: str | None, name: str | None
) -> None:
    assert names.transcript_name(session_id, thread) == name


@pytest.mark.parametrize(
    ("value", "usable"),
    [("a:b@c", True), ("a" * 255, True), ("a" * 256, False), ("../x", False), ("a/b", False),
     ("", False), (None, False), (7, False)],
)  # fmt: skip
def test_row_ids_may_hold_more_than_file_ids(value: object, usable: bool) -> None:
    assert names.is_row_id(value) is usable


@pytest.mark.parametrize(
    ("name", "archive"),
    [
        ("a.jsonl.reset.2026-11-20T03-00-00.000Z", ("a.jsonl", "reset", DAY)),
        ("a.jsonl.deleted.2026-11-20T03-00-00Z", ("a.jsonl", "deleted", DAY)),
        ("a.jsonl.bak.2026-11-20T03-00-00.250Z", ("a.jsonl", "bak", DAY + 250)),
        ("k.deleted.2026-11-20T03-00-00.000Z", ("k", "deleted", DAY)),
        (
            "m.jsonl.reset.2020-01-01T00-00-00.000Z.deleted.2026-11-20T03-00-00.000Z",
            ("m.jsonl.reset.2020-01-01T00-00-00.000Z", "deleted", DAY),
        ),
        ("h.jsonl.deleted.2026-11-20", None),
        ("l.jsonl.deleted.2026-11-20T03-00-00.000Z.zst", None),
        ("x.jsonl.deleted.2026-11-20T03-00-00.000", None),
        ("x.jsonl.deleted.2026-13-20T03-00-00.000Z", None),
        ("x.jsonl.deleted.2026-11-32T03-00-00.000Z", None),
        ("x.jsonl.deleted.2026-11-20T25-00-00.000Z", None),
        ("x.jsonl.deleted.2026-11-20T24-00-01.000Z", None),
        (".deleted.2026-11-20T03-00-00.000Z", None),
        ("a.jsonl", None),
        ("sessions.json.bak.1795143600000", None),
    ],
)
def test_archive_names_tell_what_why_and_when(
    name: str, archive: tuple[str, str, int] | None
) -> None:
    assert names.parse_archive(name) == archive


@pytest.mark.parametrize(
    ("stamp", "day"),
    [
        ("2024-02-30T00-00-00Z", "2024-03-01T00:00:00.000Z"),
        ("2026-02-30T00-00-00Z", "2026-03-02T00:00:00.000Z"),
        ("2026-11-20T24-00-00.000Z", "2026-11-21T00:00:00.000Z"),
    ],
)
def test_days_that_run_over_are_read_as_the_reference_reads_them(stamp: str, day: str) -> None:
    at = names.parse_stamp(stamp)
    assert at is not None
    assert clock.iso(at) == day


def test_an_archive_name_reads_back() -> None:
    name = names.archive_name("a.jsonl", "reset", DAY + 7)
    assert names.parse_archive(name) == ("a.jsonl", "reset", DAY + 7)


@pytest.mark.parametrize(
    ("name", "live", "session_id", "thread"),
    [
        ("abc.jsonl", True, "abc", None),
        ("abc-topic-a%2Fb.jsonl", True, "abc", "a/b"),
        ("2026-11-20T03-00-00-000Z_abc.jsonl", True, "abc", None),
        ("abc.jsonl.reset.2026-11-20T03-00-00.000Z", False, "abc", None),
        ("abc-topic-5.jsonl.deleted.2026-11-20T03-00-00.000Z", False, "abc", "5"),
        (f"abc.checkpoint.{UUID}.jsonl", False, None, None),
        ("abc.trajectory.jsonl", False, None, None),
        ("abc.trajectory-path.json", False, None, None),
        ("abc.jsonl.corrupt-2026-11-20T03-00-00.000Z", False, None, None),
        ("abc.jsonl.corrupt-2026-11-20T03-00-00.000Z-0a1b2c3d.jsonl", False, None, None),
        ("abc.jsonl.bak-123-1795143600000", False, None, None),
        ("sessions.json", False, None, None),
        ("notes.txt", False, None, None),
    ],
)
def test_live_transcripts_are_told_from_everything_else(
    name: str, live: bool, session_id: str | None, thread: str | None
) -> None:
    assert names.is_live(name) is live
    assert names.session_id_of(name) == session_id
    if session_id is not None:
        assert names.thread_id_of(name) == thread


@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("old.jsonl", "new.jsonl"),
        ("old-topic-5.jsonl", "new-topic-5.jsonl"),
        ("2026-11-20T03-00-00-000Z_old.jsonl", "2026-11-20T03-00-00-000Z_new.jsonl"),
        ("strange.txt", "new.jsonl"),
    ],
)
def test_a_file_keeps_its_form_for_a_new_id(name: str, renamed: str) -> None:
    assert names.renamed_for(name, "new") == renamed
    assert names.renamed_for(name, "../new") is None
