"""A later sweep of a day takes nothing from its report."""

from __future__ import annotations

from openclaw_cli.dreaming.report import report_text

ONE = ["- Candidate: a", "  - status: staged"]
TWO = ["- Candidate: b", "  - status: staged"]
FIRST = "# Light Sleep\n\n- Candidate: a\n  - status: staged\n"


def test_first_report_of_a_day() -> None:
    assert report_text("light", ONE, None, "03:00") == FIRST
    assert report_text("deep", [], None, "03:00") == "# Deep Sleep\n\n- No durable changes.\n"


def test_report_that_holds_the_earlier_one_replaces_it() -> None:
    both = report_text("light", [*TWO, *ONE], FIRST, "15:00")
    assert both == "# Light Sleep\n\n- Candidate: b\n  - status: staged\n" + FIRST[15:]


def test_nothing_new_leaves_it_alone() -> None:
    assert report_text("light", ["- No notable updates."], FIRST, "15:00") == FIRST
    assert report_text("light", ONE, FIRST, "15:00") == FIRST


def test_other_content_gets_a_part_of_its_own() -> None:
    parts = report_text("light", TWO, FIRST, "15:00")
    assert parts == FIRST + "\n## 15:00\n\n- Candidate: b\n  - status: staged\n"
    again = report_text("light", TWO, parts, "18:00")
    assert again == parts


def test_an_empty_report_is_replaced() -> None:
    empty = report_text("light", ["- No notable updates."], None, "03:00")
    assert report_text("light", ONE, empty, "15:00") == FIRST
