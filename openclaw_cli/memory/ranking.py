"""How entries of the recall store are scored, gated and ordered (``memory.md`` 5).

Pure: a store, phase signals, thresholds and the time in, candidates out. Each entry that
does not pass is reported with the gate that stopped it and the numbers it compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from openclaw_cli.memory import junk
from openclaw_cli.memory.entries import (
    Entry,
    clamp,
    day_number,
    line_count,
    signal_count,
    stamp_ms,
)
from openclaw_cli.memory.settings import DeepSettings
from openclaw_cli.memory.workspace import is_short_term
from openclaw_cli.state.tuples import NamedTuple

DAY_MS = 86_400_000
PHASE_HALF_LIFE_DAYS = 14
WEIGHTS = {
    "frequency": 0.24,
    "relevance": 0.30,
    "diversity": 0.15,
    "recency": 0.15,
    "consolidation": 0.10,
    "conceptual": 0.06,
}
LIGHT_BOOST = 0.06
REM_BOOST = 0.09

Signals = dict[str, dict[str, Any]]

OPEN_GATES = DeepSettings(min_score=0, min_recall_count=0, min_unique_queries=0, max_age_days=None)


class Components(NamedTuple):
    """The six parts of a score, each 0..1."""

    frequency: float
    relevance: float
    diversity: float
    recency: float
    consolidation: float
    conceptual: float


class Candidate:
    """An entry with its score. ``total`` is what the score gate looks at.

    ``score`` is the total within 0..1; ``signals`` all its meetings; ``diversity_count``
    the larger of distinct queries and distinct days; ``age_days`` a fraction.
    """

    def __init__(
        self, entry: Entry, components: Components, *, total: float, age_days: float
    ) -> None:
        self.entry = entry
        self.components = components
        self.total = total
        self.score = clamp(total)
        self.age_days = age_days
        self.signals = signal_count(entry)
        self.diversity_count = max(len(entry["queryHashes"]), len(entry["recallDays"]))

    @property
    def key(self) -> str:
        """The key of the entry."""
        key: str = self.entry["key"]
        return key

    def to_json(self, **live: Any) -> dict[str, Any]:
        """The candidate as reports show it; ``live`` overrides fields of the entry."""
        entry = self.entry | live
        shown = {name: entry[name] for name in _SHOWN_FIRST}
        shown["signalCount"] = self.signals
        shown["avgScore"] = self.components.relevance
        shown["maxScore"] = entry["maxScore"]
        shown["uniqueQueries"] = len(entry["queryHashes"])
        shown.update((name, entry[name]) for name in ("claimHash", "promotedAt") if name in entry)
        shown["firstRecalledAt"] = entry["firstRecalledAt"]
        shown["lastRecalledAt"] = entry["lastRecalledAt"]
        shown["ageDays"] = self.age_days
        shown["score"] = self.score
        shown["recallDays"] = entry["recallDays"]
        shown["conceptTags"] = entry["conceptTags"]
        shown["components"] = self.components._asdict()
        return shown


_SHOWN_FIRST = (
    "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount",
    "groundedCount",
)  # fmt: skip


class Rejection(NamedTuple):
    """Why an entry is no candidate. ``actual`` and ``needed`` are None where none apply.

    ``gate``: ``path``, ``artefact``, ``scaffolding``, ``transcript``, ``promoted``,
    ``signals``, ``recallCount``, ``uniqueQueries``, ``maxAge``, ``score`` or ``limit``.
    """

    key: str
    gate: str
    actual: float | None = None
    needed: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The rejection for reports."""
        report: dict[str, Any] = {"key": self.key, "reason": self.gate}
        if self.needed is not None:
            report |= {"actual": self.actual, "needed": self.needed}
        return report


class Ranking:
    """The candidates, best first, and everything that is none, in store order."""

    def __init__(self, candidates: list[Candidate], rejected: list[Rejection]) -> None:
        self.candidates = candidates
        self.rejected = rejected


def rank(
    entries: Iterable[Entry],
    signals: Signals,
    *,
    settings: DeepSettings,
    now_ms: int,
    include_promoted: bool = False,
) -> Ranking:
    """Score ``entries`` and keep those that pass every gate, best first.

    ``entries`` are what retention keeps (``RecallStore.kept``), ``signals`` the rows of
    the phase signals by key. A limit in ``settings`` cuts the list at its end.
    """
    passed: list[Candidate] = []
    rejected: list[Rejection] = []
    for entry in entries:
        stopped = _stopped_before_scoring(entry, settings, include_promoted)
        if stopped is None:
            candidate = score_entry(
                entry, signals.get(entry["key"]), half_life=settings.half_life_days, now_ms=now_ms
            )
            stopped = _stopped_by_numbers(candidate, settings)
            if stopped is None:
                passed.append(candidate)
                continue
        rejected.append(stopped)
    order(passed)
    if settings.limit is not None:
        rejected += [Rejection(c.key, "limit") for c in passed[settings.limit :]]
        del passed[settings.limit :]
    return Ranking(passed, rejected)


def order(candidates: list[Candidate]) -> None:
    """Sort in place: score, recalls, path; what is equal in all keeps its order."""
    if len(candidates) < 2:
        return
    from openclaw_cli.memory.collation import collation_key

    candidates.sort(
        key=lambda c: (-c.score, -c.entry["recallCount"], collation_key(c.entry["path"]))
    )


def score_entry(
    entry: Entry, signals: dict[str, Any] | None, *, half_life: float, now_ms: int
) -> Candidate:
    """The score of one entry, gates aside."""
    count = signal_count(entry)
    days = entry["recallDays"]
    age = _age_days(entry["lastRecalledAt"], now_ms)
    components = Components(
        frequency=clamp(math.log1p(count) / math.log1p(10)),
        relevance=clamp(entry["totalScore"] / max(1, count)),
        diversity=clamp(max(len(entry["queryHashes"]), len(days)) / 5),
        recency=_decay(age, half_life),
        consolidation=max(_spacing(days), clamp(entry["groundedCount"] / 3)),
        conceptual=clamp(len(entry["conceptTags"]) / 6),
    )
    total = sum(
        weight * part for weight, part in zip(WEIGHTS.values(), components, strict=True)
    ) + phase_boost(signals, now_ms)
    return Candidate(entry, components, total=total, age_days=age)


def phase_boost(signals: dict[str, Any] | None, now_ms: int) -> float:
    """What light and REM hits add to a score; fades with a half-life of 14 days."""
    if not signals:
        return 0
    light = _hits(signals["lightHits"]) * _freshness(signals.get("lastLightAt"), now_ms)
    rem = _hits(signals["remHits"]) * _freshness(signals.get("lastRemAt"), now_ms)
    return clamp(LIGHT_BOOST * light + REM_BOOST * rem)


def _stopped_before_scoring(
    entry: Entry, settings: DeepSettings, include_promoted: bool
) -> Rejection | None:
    key, path = entry["key"], entry["path"]
    if not is_short_term(path):
        return Rejection(key, "path")
    refused = junk.refusal(entry["snippet"], path, line_count=line_count(entry))
    if refused:
        return Rejection(key, refused)
    if "promotedAt" in entry and not include_promoted:
        return Rejection(key, "promoted")
    count = signal_count(entry)
    if count == 0:
        return Rejection(key, "signals", 0, 1)
    if count < settings.min_recall_count:
        return Rejection(key, "recallCount", count, settings.min_recall_count)
    return None


def _stopped_by_numbers(candidate: Candidate, settings: DeepSettings) -> Rejection | None:
    key = candidate.key
    if candidate.diversity_count < settings.min_unique_queries:
        actual = candidate.diversity_count
        return Rejection(key, "uniqueQueries", actual, settings.min_unique_queries)
    if settings.max_age_days is not None and candidate.age_days > settings.max_age_days:
        return Rejection(key, "maxAge", candidate.age_days, settings.max_age_days)
    if candidate.total < settings.min_score:
        return Rejection(key, "score", candidate.total, settings.min_score)
    return None


def _age_days(stamp: str, now_ms: int) -> float:
    at = stamp_ms(stamp)
    return 0 if at is None else max(0, now_ms - at) / DAY_MS


def _decay(age_days: float, half_life_days: float) -> float:
    return math.exp(-math.log(2) / half_life_days * age_days)


def _freshness(stamp: Any, now_ms: int) -> float:
    at = stamp_ms(stamp) if isinstance(stamp, str) else None
    return 0 if at is None else _decay(max(0, now_ms - at) / DAY_MS, PHASE_HALF_LIFE_DAYS)


def _hits(count: int) -> float:
    return clamp(math.log1p(count) / math.log(7))


def _spacing(days: list[str]) -> float:
    if not days:
        return 0
    numbers = [number for day in days if (number := day_number(day)) is not None]
    if len(numbers) <= 1:
        return 0.2
    spread = clamp(math.log(len(numbers)) / math.log(5))
    return clamp(0.55 * spread + 0.45 * clamp((max(numbers) - min(numbers)) / 7))
