"""Which candidates are written, and which say what is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recall_rows import NOW_MS, row, store

from openclaw_cli.memory import memory_file, promotion
from openclaw_cli.memory.entries import ASKED_DAYS, SUPERSEDES
from openclaw_cli.memory.ranking import rank
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.workspace import Workspace

KEY = "- The spare key hangs behind the fuse box in the hall"
AGAIN = "- told Ole: spare key is behind the fuse box, as ever"
CHESS = "- Chess club meets Tuesday evening in the library"
MOVED = "- Chess club in the library moved from Tuesday to Friday evening"
GATES = DeepSettings(min_score=0.1, min_recall_count=1, min_unique_queries=1, max_age_days=None)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "memory").mkdir()
    return Workspace(tmp_path)


def noted(workspace: Workspace, day: str, *lines: str) -> None:
    (workspace.memory_dir / f"{day}.md").write_text("\n".join(lines) + "\n")


def plan(workspace: Workspace, *rows: dict[str, Any]) -> promotion.PromotionPlan:
    held = store(workspace, *rows)
    ranked = rank(held.entries.values(), {}, settings=GATES, now_ms=NOW_MS)
    terms = promotion.Terms("2026-11-20", 160)
    return promotion.plan(workspace, held, ranked.candidates, terms)


def skipped(made: promotion.PromotionPlan) -> list[tuple[str, str]]:
    return [(one.reason, one.detail) for one in made.skipped]


def test_a_lasting_claim_is_written(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", KEY)
    made = plan(workspace, row(KEY, day="2026-11-02", line=1))
    assert (made.appended, skipped(made)) == (1, [])


@pytest.mark.parametrize(
    ("line", "detail"),
    [("- [x] new key made", "todo"), ("- Backup status: 12 files, 0 errors", "report")],
)
def test_what_is_no_claim_is_not_written_and_says_why(
    workspace: Workspace, line: str, detail: str
) -> None:
    noted(workspace, "2026-11-02", line)
    made = plan(workspace, row(line, day="2026-11-02", line=1))
    assert (made.promoted, skipped(made)) == ([], [("no-claim", detail)])


def test_code_is_not_written_however_many_lines_it_has(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", "```", "set the key", "turn the lock", "```")
    text = "set the key turn the lock"
    made = plan(workspace, row(text, day="2026-11-02", line=2, endLine=3))
    assert skipped(made) == [("no-claim", "code")]


def test_one_of_a_series_is_not_written(workspace: Workspace) -> None:
    lines = [f"- greenhouse at dawn had {degrees} degrees again" for degrees in (7, 9, 12)]
    for day, line in zip(("2026-11-02", "2026-11-03", "2026-11-04"), lines, strict=True):
        noted(workspace, day, line)
    made = plan(workspace, row(lines[0], day="2026-11-02", line=1))
    assert skipped(made) == [("no-claim", "series")]


def test_several_claims_on_daily_signals_alone_are_not_written(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", KEY, CHESS)
    both = {"day": "2026-11-02", "line": 1, "endLine": 2}
    text = "The spare key hangs behind the fuse box in the hall; Chess club meets Tuesday evening in the library"  # noqa: E501
    made = plan(workspace, row(text, recallCount=0, dailyCount=6, **both))
    assert [reason for reason, _ in skipped(made)] == ["several-claims"]
    assert plan(workspace, row(f"{KEY} {CHESS}", **both)).appended == 1, "searched for as one"


def test_what_was_asked_for_only_at_first_has_not_lasted(workspace: Workspace) -> None:
    noted(workspace, "2026-11-16", KEY)
    young = {"firstRecalledAt": "2026-11-16T09:00:00.000Z", "day": "2026-11-16", "line": 1}
    days = ["2026-11-16", "2026-11-17", "2026-11-18"]
    early = row(KEY, recallDays=days, askedDays=days, **young)
    ((reason, detail),) = skipped(plan(workspace, early))
    assert reason == "not-lasting"
    assert "noted on 2026-11-16" in detail
    told = [*days, "2026-11-21", "2026-11-22"]
    held = row(KEY, recallDays=told, **young) | {ASKED_DAYS: days}
    assert skipped(plan(workspace, held))[0][0] == "not-lasting", "nobody asked on these days"
    asked = row(KEY, recallDays=told, **young) | {ASKED_DAYS: told}
    assert plan(workspace, asked).appended == 1
    foreign = row(KEY, recallDays=days, **young)
    assert plan(workspace, foreign).appended == 1, "who knows which of its days were asked for"


def test_two_phrasings_are_written_once(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", KEY)
    noted(workspace, "2026-11-05", AGAIN)
    made = plan(workspace, row(KEY, day="2026-11-02", line=1), row(AGAIN, day="2026-11-05", line=1))
    assert (made.appended, len(made.promoted)) == (1, 2)
    (told,) = made.to_json()["reconciled"]
    assert told["reason"] == "same-claim"


def test_a_phrasing_of_an_owners_bullet_is_not_written(workspace: Workspace) -> None:
    workspace.memory_file.write_text(f"# Mine\n\n{AGAIN}\n")
    noted(workspace, "2026-11-02", KEY)
    made = plan(workspace, row(KEY, day="2026-11-02", line=1))
    assert (made.appended, made.memory_text) == (0, None)


def test_of_two_values_the_newer_one_is_written(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", CHESS)
    noted(workspace, "2026-11-05", MOVED)
    rows = [row(CHESS, day="2026-11-02", line=1), row(MOVED, day="2026-11-05", line=1)]
    made = plan(workspace, *rows)
    assert [one.candidate["snippet"] for one in made.promoted] == [MOVED]
    assert skipped(made) == [("superseded", f"{rows[1]['key']} has a newer value")]


def test_a_newer_value_marks_the_older_bullet(workspace: Workspace) -> None:
    noted(workspace, "2026-11-02", CHESS)
    noted(workspace, "2026-11-05", MOVED)
    old = row(CHESS, day="2026-11-02", line=1, promotedAt="2026-11-04T01:00:00.000Z")
    bullet = "- Chess club meets Tuesday evening in the library [score=0.9 recalls=6 avg=0.9 source=memory/2026-11-02.md:1-1]"  # noqa: E501
    before = f"# Mine\n\n<!-- openclaw-memory-promotion:{old['key']} -->\n{bullet}\n- my own\n"
    workspace.memory_file.write_text(before)
    new = row(MOVED, day="2026-11-05", line=1) | {SUPERSEDES: old["key"]}
    made = plan(workspace, old, new)
    mark = "[superseded by memory/2026-11-05.md:1-1 on 2026-11-20]"
    assert made.memory_text is not None
    assert f"{bullet} {mark}\n- my own\n" in made.memory_text
    assert MOVED[2:] in made.memory_text
    assert made.to_json()["superseded"] == [{"key": old["key"], "by": new["key"]}]


def test_marking_leaves_everything_else_and_is_done_once() -> None:
    text = "a\n<!-- openclaw-memory-promotion:k -->\n- fact\r\nb"
    once = memory_file.mark_superseded(text, "k", "x on 2026-01-01")
    assert once == text.replace("fact", "fact [superseded by x on 2026-01-01]")
    assert memory_file.mark_superseded(once, "k", "y on 2026-02-02") == once
    assert memory_file.mark_superseded(text, "other", "y") == text
