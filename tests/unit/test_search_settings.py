"""The settings of search: defaults, clamps, layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import Tree

from openclaw_cli.config.load import load
from openclaw_cli.memory.search_settings import SearchSettings, search_settings
from openclaw_cli.state.paths import Paths


def settings(
    tree: Tree, shared: dict[str, Any], own: dict[str, Any] | None = None
) -> SearchSettings:
    agent: dict[str, Any] = {"id": "main"} | ({"memorySearch": own} if own is not None else {})
    tree.config(agents={"defaults": {"memorySearch": shared}, "list": [agent]})
    return search_settings(load(Paths.from_env(), validate=False), "main")


def test_defaults(tree: Tree) -> None:
    found = settings(tree, {})
    assert (found.enabled, found.provider, found.explicit) == (True, "openai", False)
    assert (found.chunk_tokens, found.chunk_overlap, found.tokenizer) == (400, 80, "unicode61")
    assert found.query == (6, 0.35, True, 0.7, 0.3, 4, False, 0.7, False, 30)
    assert (found.sources, found.sync_on_search, found.cache_limit) == (("memory",), True, None)
    assert found.query.candidates() == 24


@pytest.mark.parametrize(
    ("block", "attribute", "value"),
    [
        ({"chunking": {"tokens": 10, "overlap": 99}}, "chunk_overlap", 9),
        ({"chunking": {"tokens": 0, "overlap": -1}}, "chunk_tokens", 1),
        ({"provider": "none"}, "keyword_only", True),
        ({"store": {"vector": {"enabled": False}}}, "keyword_only", True),
        ({"provider": "auto"}, "explicit", False),
        ({"provider": "openai"}, "explicit", True),
        ({"sources": ["sessions"]}, "sources", ("memory",)),
        ({"cache": {"maxEntries": 5}}, "cache_limit", 5),
        ({"store": {"fts": {"tokenizer": "trigram"}}}, "tokenizer", "trigram"),
        ({"inputType": "a", "queryInputType": "q"}, "input_types", ("q", "a")),
        ({"sync": {"embeddingBatchTimeoutSeconds": 7}}, "batch_timeout_s", 7),
    ],
)  # fmt: skip
def test_single_settings(tree: Tree, block: dict[str, Any], attribute: str, value: object) -> None:
    assert getattr(settings(tree, block), attribute) == value


@pytest.mark.parametrize(
    ("hybrid", "attribute", "value"),
    [
        ({"vectorWeight": 1, "textWeight": 1}, "vector_weight", 0.5),
        ({"vectorWeight": 5, "textWeight": -1}, "vector_weight", 1.0),
        ({"vectorWeight": 0, "textWeight": 0}, "text_weight", 0.3),
        ({"candidateMultiplier": 99}, "candidate_multiplier", 20),
        ({"candidateMultiplier": 0}, "candidate_multiplier", 1),
        ({"mmr": {"enabled": True, "lambda": 7}}, "mmr_lambda", 1.0),
        ({"temporalDecay": {"enabled": True, "halfLifeDays": 0}}, "half_life_days", 1),
    ],
)
def test_hybrid_settings_are_clamped(
    tree: Tree, hybrid: dict[str, Any], attribute: str, value: object
) -> None:
    query = settings(tree, {"query": {"hybrid": hybrid}}).query
    assert getattr(query, attribute) == value


def test_candidates_are_at_most_200(tree: Tree) -> None:
    found = settings(tree, {"query": {"maxResults": 50, "hybrid": {"candidateMultiplier": 20}}})
    assert found.query.candidates() == 200


def test_an_agent_overrides_key_by_key(tree: Tree) -> None:
    shared = {"provider": "none", "query": {"maxResults": 3, "minScore": 0.5}, "extraPaths": ["a"]}
    found = settings(tree, shared, {"query": {"minScore": 0.1}, "extraPaths": ["b", "a"]})
    assert (found.provider, found.query.max_results, found.query.min_score) == ("none", 3, 0.1)
    assert found.extra_paths == ("a", "b")


def test_extra_paths_are_relative_to_the_workspace(tree: Tree) -> None:
    found = settings(tree, {"extraPaths": ["../x", "~/y", "/z"]})
    dirs = found.extra_dirs(Path("/w/space"), Paths.from_env())
    assert [str(place) for place in dirs] == ["/w/x", f"{tree.home}/y", "/z"]
