"""The thresholds of promotion, and whose day counts."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import Config, load
from openclaw_cli.memory.settings import (
    DEFAULTS,
    deep_limit,
    deep_settings,
    dreaming_enabled,
    dreaming_zone,
)
from openclaw_cli.state.paths import Paths


def config(tree: Tree, **dreaming: Any) -> Config:
    tree.dreaming(**dreaming)
    return load(Paths.from_env(), validate=False)


def test_defaults_are_those_of_the_sweep(tree: Tree) -> None:
    assert deep_settings(load(Paths.from_env())) == DEFAULTS == (0.8, 3, 3, 14, 30, 160, None)
    assert deep_limit(config(tree)) == 10


@pytest.mark.parametrize(
    ("key", "value", "field", "wanted"),
    [
        ("minScore", 0, "min_score", 0),
        ("minScore", "0.6", "min_score", 0.6),
        ("minScore", 1.5, "min_score", 0.8),
        ("minScore", True, "min_score", 0.8),
        ("minScore", "high", "min_score", 0.8),
        ("minRecallCount", 2.9, "min_recall_count", 2),
        ("minRecallCount", 0, "min_recall_count", 0),
        ("minRecallCount", -1, "min_recall_count", 3),
        ("minUniqueQueries", "4", "min_unique_queries", 4),
        ("minUniqueQueries", [], "min_unique_queries", 3),
        ("recencyHalfLifeDays", 0, "half_life_days", 14),
        ("recencyHalfLifeDays", 7, "half_life_days", 7),
        ("maxAgeDays", 0, "max_age_days", 30),
        ("maxAgeDays", 90, "max_age_days", 90),
        ("maxAgeDays", "inf", "max_age_days", 30),
        ("maxPromotedSnippetTokens", 0, "max_snippet_tokens", 160),
        ("maxPromotedSnippetTokens", 10, "max_snippet_tokens", 10),
        ("limit", 3, "limit", None),
    ],
)
def test_each_threshold_falls_back_to_its_default(
    tree: Tree, key: str, value: Any, field: str, wanted: Any
) -> None:
    found = deep_settings(config(tree, phases={"deep": {key: value}}))
    assert getattr(found, field) == wanted


@pytest.mark.parametrize("block", [5, [], "deep", {"deep": 5}])
def test_blocks_of_another_shape_mean_defaults(tree: Tree, block: Any) -> None:
    assert deep_settings(config(tree, phases=block)) == DEFAULTS


@pytest.mark.parametrize(
    ("value", "enabled"),
    [(True, True), (False, False), (" TRUE ", True), ("false", False), ("yes", False), (1, False)],
)
def test_dreaming_is_on_only_when_it_says_so(tree: Tree, value: Any, enabled: bool) -> None:
    assert dreaming_enabled(config(tree, enabled=value)) is enabled


@pytest.mark.parametrize(
    ("own", "user", "zone"),
    [
        ("Asia/Tokyo", "Europe/Berlin", "Asia/Tokyo"),
        ("Nowhere/Land", "Europe/Berlin", "Europe/Berlin"),
        (" ", "Europe/Berlin", "Europe/Berlin"),
        (None, "Nowhere/Land", "UTC"),
        (None, None, "UTC"),
    ],
)
def test_the_day_is_dreaming_s_then_the_user_s_then_the_host_s(
    tree: Tree, own: str | None, user: str | None, zone: str
) -> None:
    tree.config(
        agents={"defaults": {"userTimezone": user}},
        plugins={"entries": {"memory-core": {"config": {"dreaming": {"timezone": own}}}}},
    )
    assert dreaming_zone(load(Paths.from_env(), validate=False)).key == zone
