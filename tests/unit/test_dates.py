"""Days that questions name."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory.dates import find_days

TODAY = date(2026, 11, 20)  # a Friday


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("what happened last May?", "2026-05-01", "2026-05-31"),
        ("last November", "2025-11-01", "2025-11-30"),
        ("in November", "2026-11-01", "2026-11-30"),
        ("notes of 2026-05", "2026-05-01", "2026-05-31"),
        ("2026-05-07", "2026-05-07", "2026-05-07"),
        ("on 1 May, 2022", "2022-05-01", "2022-05-01"),
        ("May 3rd 2023", "2023-05-03", "2023-05-03"),
        ("Sep 9", "2026-09-09", "2026-09-09"),
        ("24 December", "2025-12-24", "2025-12-24"),
        ("yesterday", "2026-11-19", "2026-11-19"),
        ("last week", "2026-11-09", "2026-11-15"),
        ("3 days ago", "2026-11-17", "2026-11-17"),
        ("two weeks ago", "2026-11-02", "2026-11-08"),
        ("last Monday", "2026-11-16", "2026-11-16"),
        ("on Friday", "2026-11-13", "2026-11-13"),
        ("plans of 2025", "2025-01-01", "2025-12-31"),
        ("am 3.5.2024", "2024-05-03", "2024-05-03"),
        ("vor 3 Tagen", "2026-11-17", "2026-11-17"),
        ("il y a deux semaines", "2026-11-02", "2026-11-08"),
        ("w zeszłym tygodniu", "2026-11-09", "2026-11-15"),
        ("в мае 2025", "2025-05-01", "2025-05-31"),
        ("la semana pasada", "2026-11-09", "2026-11-15"),
        ("2026年5月3日", "2026-05-03", "2026-05-03"),
        ("3天前", "2026-11-17", "2026-11-17"),
        ("昨日の会議", "2026-11-19", "2026-11-19"),
        ("어제 회의", "2026-11-19", "2026-11-19"),
    ],
)
def test_days_are_understood(question: str, first: str, last: str) -> None:
    assert [(str(a), str(b)) for a, b in find_days(question, TODAY)] == [(first, last)]


@pytest.mark.parametrize(
    "question",
    ["may I ask", "you may march on", "port 2222", "the router", "31 February",
     "1000000 days ago", "version 1.2.3", "999999999 years ago"],
)  # fmt: skip
def test_other_words_are_no_days(question: str) -> None:
    assert find_days(question, TODAY) == []


def test_hier_is_yesterday_in_french_only() -> None:
    assert find_days("was ist hier", TODAY, ["de"]) == []
    assert find_days("et hier", TODAY, ["fr"]) != []


@given(st.text(), st.dates())
def test_any_text_is_read(text: str, today: date) -> None:
    for days in find_days(text, today):
        assert days.first <= days.last
