"""Scores, gates and order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_MS, ROUTER, row

from openclaw_cli.memory import ranking
from openclaw_cli.memory.ranking import OPEN_GATES, rank
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.workspace import Workspace

WORKSPACE = Workspace(Path("/ws"))
DEFAULTS = DeepSettings()


def ranked(
    *rows: dict[str, Any], signals: dict[str, Any] | None = None, **settings: Any
) -> ranking.Ranking:
    store = recall_rows.store(WORKSPACE, *rows)
    promoted = settings.pop("include_promoted", False)
    wanted = DeepSettings(**(DEFAULTS._asdict() | settings))
    return rank(
        store.kept().values(),
        signals or {},
        settings=wanted,
        now_ms=NOW_MS,
        include_promoted=promoted,
    )


def test_the_score_is_the_weighted_sum_of_six_parts() -> None:
    (candidate,) = ranked(
        row(recallCount=6, dailyCount=2, totalScore=7.36, maxScore=0.97,
            conceptTags=["a", "b", "c", "d", "e", "f"])
    ).candidates  # fmt: skip
    parts = candidate.components
    assert parts.frequency == pytest.approx(math.log(9) / math.log(11), abs=1e-12)
    assert parts.relevance == pytest.approx(0.92, abs=1e-12)
    assert parts.diversity == 0.8
    assert parts.recency == pytest.approx(0.5 ** (0.75 / 14), abs=1e-12)
    assert parts.consolidation == pytest.approx(
        0.55 * math.log(4) / math.log(5) + 0.45 * 1, abs=1e-12
    )
    assert parts.conceptual == 1
    assert candidate.score == pytest.approx(0.9128219510942828, abs=1e-12)
    assert candidate.age_days == 0.75


@pytest.mark.parametrize(
    ("days", "grounded", "consolidation"),
    [
        ([], 0, 0),
        (["2026-11-01"], 0, 0.2),
        (["2026-11-01", "2026-99-99"], 0, 0.2),
        (["2026-11-01", "2026-11-02"], 0, 0.55 * math.log(2) / math.log(5) + 0.45 / 7),
        (["2026-11-08", "2026-11-01", "2026-11-03", "2026-11-04", "2026-11-05"], 0, 1),
        ([], 1, 1 / 3),
        ([], 9, 1),
    ],
)
def test_consolidation_grows_with_spread_out_days_or_backfill(
    days: list[str], grounded: int, consolidation: float
) -> None:
    (candidate,) = ranked(row(recallDays=days, groundedCount=grounded), **_open()).candidates
    assert candidate.components.consolidation == pytest.approx(consolidation, abs=1e-12)


def test_an_unreadable_time_counts_as_now_and_a_future_one_too() -> None:
    for stamp in ("some day", "2027-01-01T00:00:00.000Z"):
        (candidate,) = ranked(row(lastRecalledAt=stamp)).candidates
        assert candidate.age_days == 0
        assert candidate.components.recency == 1


def test_phase_hits_add_a_boost_outside_the_parts_that_fades() -> None:
    key = row()["key"]
    plain = ranked(row()).candidates[0]
    fresh = {"lightHits": 6, "remHits": 99, "lastLightAt": _ago(0), "lastRemAt": _ago(14)}
    (boosted,) = ranked(row(), signals={key: fresh}).candidates
    assert boosted.total - plain.total == pytest.approx(0.06 * 1 + 0.09 * 0.5, abs=1e-12)
    assert boosted.components == plain.components
    undated = {"lightHits": 6, "remHits": 6, "lastLightAt": "soon"}
    assert ranked(row(), signals={key: undated}).candidates[0].total == plain.total


def test_a_boost_can_lift_the_total_over_one_while_the_score_stays_within() -> None:
    best = row(totalScore=20, recallCount=20, lastRecalledAt=_ago(0),
               queryHashes=list("abcde"), conceptTags=list("abcdef"))  # fmt: skip
    signals = {best["key"]: {"lightHits": 9, "remHits": 9, "lastLightAt": _ago(0)}}
    (candidate,) = ranked(best, signals=signals, min_score=1).candidates
    assert candidate.total > 1
    assert candidate.score == 1


@pytest.mark.parametrize(
    ("changes", "settings", "gate", "actual", "needed"),
    [
        ({"path": "MEMORY.md"}, {}, "path", None, None),
        ({"path": "memory/dreaming/deep/2026-11-17.md"}, {}, "path", None, None),
        ({"snippet": "## Only a heading"}, {}, "scaffolding", None, None),
        ({"snippet": "User: said this"}, {}, "transcript", None, None),
        ({"promotedAt": "2026-11-01T00:00:00.000Z"}, {}, "promoted", None, None),
        ({"recallCount": 0}, {"min_recall_count": 0}, "signals", 0, 1),
        ({"recallCount": 1, "dailyCount": 1}, {}, "recallCount", 2, 3),
        ({"queryHashes": ["a", "b"], "recallDays": ["2026-11-01"]}, {}, "uniqueQueries", 2, 3),
        ({"lastRecalledAt": "2026-10-20T03:00:00.000Z"}, {}, "maxAge", 31, 30),
        ({"totalScore": 0.1, "recallDays": []}, {}, "score", None, 0.8),
    ],
)
def test_each_gate_reports_what_it_stopped_and_by_how_much(
    changes: dict[str, Any],
    settings: dict[str, Any],
    gate: str,
    actual: float | None,
    needed: float | None,
) -> None:
    result = ranked(row(**changes), **settings)
    assert result.candidates == []
    (rejection,) = result.rejected
    assert (rejection.gate, rejection.needed) == (gate, needed)
    if actual is not None:
        assert rejection.actual == actual
    if gate == "score":
        assert rejection.actual is not None
        assert 0 < rejection.actual < 0.8


def test_all_signals_and_days_count_for_the_gates() -> None:
    result = ranked(row(recallCount=0, dailyCount=2, groundedCount=1, queryHashes=[]), min_score=0)
    assert len(result.candidates) == 1


def test_the_age_gate_can_be_off() -> None:
    old = row(lastRecalledAt="2020-01-01T00:00:00.000Z")
    assert ranked(old, max_age_days=None, min_score=0).candidates


def test_promoted_rows_come_with_their_stamp_on_request() -> None:
    stamp = "2026-11-01T00:00:00.000Z"
    (candidate,) = ranked(row(promotedAt=stamp, claimHash="ab"), include_promoted=True).candidates
    shown = candidate.to_json()
    assert shown["promotedAt"] == stamp
    assert list(shown) == [
        "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount",
        "groundedCount", "signalCount", "avgScore", "maxScore", "uniqueQueries", "claimHash",
        "promotedAt", "firstRecalledAt", "lastRecalledAt", "ageDays", "score", "recallDays",
        "conceptTags", "components",
    ]  # fmt: skip
    assert list(shown["components"]) == [
        "frequency", "relevance", "diversity", "recency", "consolidation", "conceptual",
    ]  # fmt: skip


def test_order_is_score_then_recalls_then_path_then_store_order() -> None:
    rows = [
        row("c", day="2026-11-18", line=9, recallCount=4, totalScore=2),
        row("b", day="2026-11-18", line=2, recallCount=4, totalScore=2),
        row("a", day="2026-11-17", line=1, recallCount=4, totalScore=2),
        row("d", line=5, recallCount=3, dailyCount=1, totalScore=2),
        row("best", line=7, totalScore=6),
    ]
    order = [c.entry["snippet"] for c in ranked(*rows, **_open()).candidates]
    assert order == ["best", "a", "c", "b", "d"]


def test_a_limit_cuts_the_list_and_says_what_it_cut() -> None:
    result = ranked(row("one", line=1), row("two", line=2), limit=1)
    assert len(result.candidates) == 1
    assert [one.gate for one in result.rejected] == ["limit"]


def _open() -> dict[str, Any]:
    return OPEN_GATES._asdict()


def _ago(days: float) -> str:
    from openclaw_cli.state.clock import iso

    return iso(NOW_MS - int(days * 86_400_000))


def test_the_router_row_is_a_plain_statement() -> None:
    assert ranked(row(ROUTER)).candidates
