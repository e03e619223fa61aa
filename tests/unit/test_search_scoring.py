"""Scores of search hits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_cli.memory import scoring

NOW_MS = 1_795_143_600_000  # 2026-11-20T03:00Z


@pytest.mark.parametrize(
    ("rank", "score"),
    [(-1.0, 0.5), (-1.1285034377e-06, 1.1285021642e-06), (0.0, 1.0), (3.0, 0.25),
     (math.nan, 0.001), (math.inf, 0.001)],
)  # fmt: skip
def test_text_scores(rank: float, score: float) -> None:
    assert scoring.text_score(rank) == pytest.approx(score, abs=1e-12)


def test_boost_counts_coverage_density_path_and_size() -> None:
    boost = scoring.boost(["Router", "router", "vlan"], "The router, the switch", "memory/vlan.md")
    assert boost == pytest.approx((0.45 / 2, 0.2 / 3, 0.18, 22 / 160))
    assert boost.on(0.1) == pytest.approx(0.1 + 0.225 + 0.2 / 3 + 0.18 + 22 / 160)
    assert boost.on(0.9) == 1.0


def test_boost_for_size_is_capped() -> None:
    assert scoring.boost(["x"], "y" * 500, "p").size == 0.18


def test_query_tokens_are_runs_of_letters_digits_and_underscores() -> None:
    assert scoring.query_tokens('a_b "c-d" 备份?é') == ["a_b", "c", "d", "备份", "é"]


@pytest.mark.parametrize(
    ("path", "factor"),
    [
        ("memory/2026-11-18.md", 0.5 ** (2.125 / 2)), ("memory/2026-12-01.md", 1.0),
        ("memory/2026-02-31.md", 1.0), ("memory/2026-11-18-trip.md", 1.0), ("MEMORY.md", 1.0),
        ("memory/projects.md", 1.0), ("../shared/team.md", 0.5 ** (10 / 2)),
    ],
)  # fmt: skip
def test_decay(path: str, factor: float) -> None:
    mtime = NOW_MS - 10 * scoring.DAY_MS
    assert scoring.decay(path, mtime, NOW_MS, 2) == pytest.approx(factor)


def test_diverse_hits_come_before_repetitions() -> None:
    texts = ["router vlan lab", "router vlan lab", "glacier backup"]
    assert scoring.pick_diverse([0.9, 0.8, 0.5], texts, 0.5) == [0, 2, 1]
    assert scoring.pick_diverse([0.9, 0.8, 0.5], texts, 1.0) == [0, 1, 2]


def test_similarity_of_unspaced_text_is_by_characters_and_pairs() -> None:
    texts = ["备份方案", "备份计划", "完全不同的"]
    assert scoring.pick_diverse([1.0, 0.9, 0.85], texts, 0.3) == [0, 2, 1]


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1))
def test_every_hit_is_picked_once(scores: list[float], lam: float) -> None:
    texts = [f"text {n % 3}" for n in range(len(scores))]
    assert sorted(scoring.pick_diverse(scores, texts, lam)) == list(range(len(scores)))
