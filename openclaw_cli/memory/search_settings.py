"""The settings of search and index: ``memorySearch`` (``memory.md`` 2.1).

Defaults of ``agents.defaults.memorySearch`` with the agent's own block laid over it key by
key. Values are clamped as the reference does; the schema has refused wrong types before.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from openclaw_cli.config import agents
from openclaw_cli.config.load import Config
from openclaw_cli.memory.workspace import CONVERSATIONS, NOTES
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple

KEYWORD_ONLY = "none"
DEFAULT_PROVIDER = "openai"
DEFAULT_MODELS = {"openai": "text-embedding-3-small"}
MOST_CANDIDATES = 200


class QuerySettings(NamedTuple):
    """How hits are scored and chosen. Weights sum to one; ages are days."""

    max_results: int = 6
    min_score: float = 0.35
    hybrid: bool = True
    vector_weight: float = 0.7
    text_weight: float = 0.3
    candidate_multiplier: int = 4
    mmr: bool = False
    mmr_lambda: float = 0.7
    decay: bool = False
    half_life_days: int = 30

    def candidates(self) -> int:
        """How many rows each side of a search may bring."""
        return min(MOST_CANDIDATES, max(1, self.max_results * self.candidate_multiplier))


class SearchSettings(NamedTuple):
    """What an agent's ``memorySearch`` says.

    ``provider`` is ``none`` for keyword-only search; ``explicit`` tells whether a person
    named it (an unusable provider then fails the search instead of falling back).
    ``extra_paths`` are as written.
    """

    enabled: bool
    requested_provider: str
    provider: str
    explicit: bool
    model: str | None
    remote: dict[str, Any]
    sources: tuple[str, ...]
    extra_paths: tuple[str, ...]
    chunk_tokens: int
    chunk_overlap: int
    tokenizer: str
    sync_on_search: bool
    cache_enabled: bool
    cache_limit: int | None
    vectors_enabled: bool
    batch_timeout_s: float
    input_types: tuple[str | None, str | None]
    query: QuerySettings

    @property
    def keyword_only(self) -> bool:
        """Whether no embeddings are wanted at all."""
        return self.provider == KEYWORD_ONLY or not self.vectors_enabled

    def extra_dirs(self, workspace: Path, paths: Paths) -> list[Path]:
        """The extra paths, absolute: ``~`` expanded, relative ones below the workspace."""
        found = []
        for text in self.extra_paths:
            whole = text if text.startswith(("~", "/")) else f"{workspace}/{text}"
            found.append(paths.expand(whole))
        return found


def search_settings(config: Config, agent_id: str) -> SearchSettings:
    """Resolve the settings of one agent (its normalised id)."""
    raw = _Block(_merged(config, agent_id))
    requested = raw.text("provider") or DEFAULT_PROVIDER
    provider = DEFAULT_PROVIDER if requested == "auto" else requested
    named = raw.text("provider")
    tokens = max(1, math.floor(raw.number("chunking", "tokens", default=400)))
    overlap = math.floor(raw.number("chunking", "overlap", default=80))
    remote = raw.value("remote")
    return SearchSettings(
        enabled=raw.flag("enabled", default=True),
        requested_provider=requested,
        provider=provider,
        explicit=bool(named) and named != "auto",
        model=raw.text("model") or DEFAULT_MODELS.get(provider),
        remote=remote if isinstance(remote, dict) else {},
        sources=_sources(raw),
        extra_paths=tuple(raw.texts("extraPaths")),
        chunk_tokens=tokens,
        chunk_overlap=max(0, min(overlap, tokens - 1)),
        tokenizer="trigram" if raw.text("store", "fts", "tokenizer") == "trigram" else "unicode61",
        sync_on_search=raw.flag("sync", "onSearch", default=True),
        cache_enabled=raw.flag("cache", "enabled", default=True),
        cache_limit=_positive(raw.value("cache", "maxEntries")),
        vectors_enabled=raw.flag("store", "vector", "enabled", default=True),
        batch_timeout_s=max(1.0, raw.number("sync", "embeddingBatchTimeoutSeconds", default=120)),
        input_types=_input_types(raw),
        query=_query(raw),
    )


def _query(raw: _Block) -> QuerySettings:
    usual = QuerySettings()
    vector = _clamp(raw.number("query", "hybrid", "vectorWeight", default=usual.vector_weight))
    text = _clamp(raw.number("query", "hybrid", "textWeight", default=usual.text_weight))
    total = vector + text
    if total <= 0:
        vector, text, total = usual.vector_weight, usual.text_weight, 1.0
    multiplier = raw.number("query", "hybrid", "candidateMultiplier", default=4)
    half_life = raw.number("query", "hybrid", "temporalDecay", "halfLifeDays", default=30)
    lam = raw.number("query", "hybrid", "mmr", "lambda", default=usual.mmr_lambda)
    return QuerySettings(
        max_results=max(1, math.floor(raw.number("query", "maxResults", default=6))),
        min_score=_clamp(raw.number("query", "minScore", default=usual.min_score)),
        hybrid=raw.flag("query", "hybrid", "enabled", default=True),
        vector_weight=vector / total,
        text_weight=text / total,
        candidate_multiplier=max(1, min(20, math.floor(multiplier))),
        mmr=raw.flag("query", "hybrid", "mmr", "enabled", default=False),
        mmr_lambda=_clamp(lam),
        decay=raw.flag("query", "hybrid", "temporalDecay", "enabled", default=False),
        half_life_days=max(1, math.floor(half_life)),
    )


def _sources(raw: _Block) -> tuple[str, ...]:
    sessions = raw.flag("experimental", "sessionMemory", default=False)
    allowed = (NOTES, CONVERSATIONS) if sessions else (NOTES,)
    listed = [source for source in raw.texts("sources") if source in allowed]
    return tuple(dict.fromkeys(listed)) or (NOTES,)


def _input_types(raw: _Block) -> tuple[str | None, str | None]:
    """What to send as ``input_type`` with a query and with documents."""
    both = raw.text("inputType") or None
    return raw.text("queryInputType") or both, raw.text("documentInputType") or both


def _merged(config: Config, agent_id: str) -> dict[str, Any]:
    shared = config.get("agents", "defaults", "memorySearch")
    own = agents.agent_entry(config, agent_id).get("memorySearch")
    shared = shared if isinstance(shared, dict) else {}
    own = own if isinstance(own, dict) else {}
    merged = _overlay(shared, own)
    extra = [*_list(shared.get("extraPaths")), *_list(own.get("extraPaths"))]
    merged["extraPaths"] = list(dict.fromkeys(extra))
    return merged


def _overlay(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        if isinstance(value, dict) and isinstance(under, dict):
            result[key] = _overlay(under, value)
        elif value is not None:
            result[key] = value
    return result


def _list(value: Any) -> list[str]:
    items = value if isinstance(value, list) else []
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def _positive(value: Any) -> int | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and value >= 1
    return math.floor(value) if usable else None


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


class _Block:
    """A settings object read leniently: a missing or unusable value is its default."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data

    def value(self, *keys: str) -> Any:
        found: Any = self.data
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def flag(self, *keys: str, default: bool) -> bool:
        found = self.value(*keys)
        return found if isinstance(found, bool) else default

    def number(self, *keys: str, default: float) -> float:
        found = self.value(*keys)
        usable = isinstance(found, int | float) and not isinstance(found, bool)
        return found if usable and math.isfinite(found) else default

    def text(self, *keys: str) -> str:
        found = self.value(*keys)
        return found.strip() if isinstance(found, str) else ""

    def texts(self, *keys: str) -> list[str]:
        return _list(self.value(*keys))
