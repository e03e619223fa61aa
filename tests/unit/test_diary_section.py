"""Rewriting the diary section: what goes, what comes, what stays byte for byte."""

from __future__ import annotations

import pytest

from openclaw_cli.dreaming.blocks import DIARY_END, DIARY_START
from openclaw_cli.dreaming.diary_section import (
    blocks_of,
    fingerprint,
    is_backfill,
    long_date,
    normal_form,
    render_backfill,
    split_blocks,
    stamp_of,
    with_backfill,
    without,
)

ORDINARY = "*November 12, 2026 at 3:00 AM UTC*\n\nThe router hummed."
OLD = render_backfill("2026-11-09", "memory/2026-11-09.md", "What Happened\n1. Old.")
NEW = render_backfill("2026-11-10", "/notes/2026-11-10.md", "What Happened\n1. New.")
DEEP = "\n".join(
    ["## Deep Sleep", "<!-- openclaw:dreaming:deep:start -->", "- x",
     "<!-- openclaw:dreaming:deep:end -->", ""]
)  # fmt: skip


def section(*blocks: str) -> str:
    body = "\n\n".join(f"---\n\n{block}" for block in blocks)
    return f"{DIARY_START}\n{body}\n{DIARY_END}"


def diary(*blocks: str) -> str:
    return f"# Dream Diary\n\n{section(*blocks)}\n"


def test_a_block_names_day_and_source() -> None:
    assert NEW == (
        "*November 10, 2026*\n\n"
        "<!-- openclaw:dreaming:backfill-entry day=2026-11-10 source=/notes/2026-11-10.md -->\n\n"
        "What Happened\n1. New."
    )


def test_markers_in_text_and_source_cannot_break_out() -> None:
    block = render_backfill("2026-11-10", "/a-->b\n.md", f"said {DIARY_END}")
    assert blocks_of(diary(block)) == [block]
    assert block.count("-->") == 2
    assert block.splitlines()[2].endswith(" -->")


def test_a_new_file_gets_heading_and_section() -> None:
    assert with_backfill("", [NEW]) == (diary(NEW), [])


def test_own_text_gets_the_section_in_front() -> None:
    own = "# Mine\n\nHello.\n"
    assert with_backfill(own, [NEW])[0] == f"{diary(NEW)}\n{own}"


def test_backfills_go_behind_ordinary_entries_and_replace_earlier_ones() -> None:
    text = f"# Mine\n\n{diary(ORDINARY, OLD)}\n{DEEP}\nClosing words.\n"
    wanted = f"# Mine\n\n{diary(ORDINARY, NEW)}\n{DEEP}\nClosing words.\n"
    assert with_backfill(text, [NEW]) == (wanted, [OLD])
    assert with_backfill(wanted, [NEW]) == (wanted, [NEW])


def test_blank_lines_of_appended_entries_are_normalised() -> None:
    loose = f"{DIARY_START}\n\n---\n\n{ORDINARY}\n\n\n---\n\n{OLD}\n\n{DIARY_END}\n"
    assert without(loose, is_backfill) == (f"{section(ORDINARY)}\n", [OLD])


def test_without_a_match_the_text_is_untouched() -> None:
    loose = f"{DIARY_START}\n\n---\n\n{ORDINARY}\n\n{DIARY_END}"
    assert without(loose, is_backfill) == (loose, [])
    assert without("no section at all", is_backfill) == ("no section at all", [])


def test_a_missing_end_marker_is_put_before_the_next_managed_block() -> None:
    text = f"{DIARY_START}\n---\n\n{OLD}\n\n---\n\n{ORDINARY}\n\n{DEEP}"
    assert without(text, is_backfill)[0] == f"{section(ORDINARY)}\n\n{DEEP}"
    open_end = f"# Dream Diary\n\n{DIARY_START}\n---\n\n{ORDINARY}\n"
    assert with_backfill(open_end, [NEW])[0] == diary(ORDINARY, NEW)


def test_of_several_end_markers_the_last_counts() -> None:
    text = f"{DIARY_START}\n---\n\n{ORDINARY}\n{DIARY_END}\n---\n\n{OLD}\n{DIARY_END}\n"
    assert without(text, is_backfill) == (f"{section(ORDINARY)}\n", [OLD])


def test_two_sections_are_both_cleaned_and_the_text_between_stays() -> None:
    text = f"{section(OLD)}\n\nBetween.\n\n{section(ORDINARY, OLD)}\n"
    cleaned, gone = without(text, is_backfill)
    assert cleaned == f"{DIARY_START}\n\n{DIARY_END}\n\nBetween.\n\n{section(ORDINARY)}\n"
    assert gone == [OLD, OLD]
    assert with_backfill(text, [NEW])[0].endswith(f"{section(ORDINARY, NEW)}\n")


def test_windows_line_ends_are_understood() -> None:
    text = diary(ORDINARY, OLD).replace("\n", "\r\n")
    cleaned, gone = without(text, is_backfill)
    assert len(gone) == 1
    assert "backfill-entry" not in cleaned
    assert "The router hummed." in cleaned


def test_the_normal_form_is_stable() -> None:
    text = f"a\n{DIARY_START}\nloose words\n---\n{ORDINARY}\n---\n\n{DIARY_END}\nb"
    once = normal_form(text)
    assert normal_form(once) == once
    assert "loose words" in once


def test_the_file_ends_with_a_newline() -> None:
    assert with_backfill("own words", [NEW])[0].endswith("own words\n")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("*May 1, 2026*\n\nText.", "*May 1,   2026*\n<!-- x -->\nText.", True),
        ("*May 1, 2026*\n\nText.", "*May 1, 2026*\n\n## Head\n\n  Text.  ", True),
        ("*May 1, 2026*\n\nText.", "*May 2, 2026*\n\nText.", False),
        ("*May 1, 2026*\n\nText.", "*May 1, 2026*\n\nOther.", False),
    ],
)
def test_copies_of_an_entry_share_a_fingerprint(one: str, other: str, same: bool) -> None:
    assert (fingerprint(one) == fingerprint(other)) is same


def test_a_block_without_a_date_is_no_copy_of_anything() -> None:
    assert fingerprint("just words") is None


def test_yearly_files_hold_blocks_under_a_heading() -> None:
    assert split_blocks(f"# Dream Diary 2025\n\n---\n\n{ORDINARY}\n\n---\n\n{OLD}\n") == [
        ORDINARY,
        OLD,
    ]


@pytest.mark.parametrize(
    ("line", "stamp"),
    [
        ("November 20, 2026 at 3:00 AM UTC", "2026-11-20T03:00"),
        ("November 2, 2026 at 12:05 PM GMT+5:30", "2026-11-02T12:05"),
        ("November 2, 2026  at 12:05 AM PST", "2026-11-02T00:05"),
        ("May 1, 2026", "2026-05-01T00:00"),
        ("some day", None),
    ],
)
def test_date_lines_sort_by_time(line: str, stamp: str | None) -> None:
    assert stamp_of(line) == stamp


def test_days_are_written_out() -> None:
    assert long_date("2026-11-01") == "November 1, 2026"
