"""REM sleep: recurring themes and candidate truths (``dreaming.md`` 4, 12.12).

Pure: entries in, a preview out. ``memory rem-harness`` shows the same preview.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.dreaming.light import average
from openclaw_cli.dreaming.merging import merge_alike
from openclaw_cli.dreaming.settings import Rem
from openclaw_cli.memory.collation import collation_key
from openclaw_cli.memory.concepts import is_theme
from openclaw_cli.memory.entries import Entry, clamp, stamp_ms
from openclaw_cli.memory.text import fixed, strip_list_marker
from openclaw_cli.state.tuples import NamedTuple

TRUTH_SIMILARITY = 0.88
LEAST_CONFIDENCE = 0.45
MOST_TRUTHS = 3
PLACES_SHOWN = 3
NO_THEMES = "- No strong patterns surfaced."
NO_TRUTHS = "- No strong candidate truths surfaced."
ROLE_TAGS = frozenset({"assistant", "user", "system", "subagent", "the"})


class Theme(NamedTuple):
    """A tag that recurs: in how many entries, how strongly (0..1), and where.

    ``notes`` is the number of distinct files; one note alone is no pattern for the diary.
    """

    tag: str
    entries: int
    strength: float
    places: list[str]
    notes: int

    @property
    def is_solid(self) -> bool:
        """Whether at least two entries from two notes carry the theme."""
        return self.entries >= 2 and self.notes >= 2

    @property
    def line(self) -> str:
        """The theme in one sentence."""
        return f"- Theme: `{self.tag}` kept surfacing across {self.entries} memories."

    def lines(self) -> list[str]:
        """The lines that report the theme."""
        return [
            self.line,
            f"  - confidence: {fixed(self.strength, 2)}",
            f"  - evidence: {', '.join(self.places[:PLACES_SHOWN])}",
            "  - note: reflection",
        ]


class Truth(NamedTuple):
    """A statement that may be lasting. ``entry`` is a copy; ``confidence`` 0..1."""

    entry: Entry
    confidence: float

    @property
    def evidence(self) -> str:
        """Where it stands."""
        return f"{self.entry['path']}:{self.entry['startLine']}-{self.entry['endLine']}"

    @property
    def line(self) -> str:
        """The line that reports the truth."""
        return (
            f"- {strip_list_marker(self.entry['snippet'])} "
            f"[confidence={fixed(self.confidence, 2)} evidence={self.evidence}]"
        )


@dataclass
class Preview:
    """What REM sleep makes of some entries."""

    entries: list[Entry]
    themes: list[Theme] = field(default_factory=list)
    truths: list[Truth] = field(default_factory=list)

    @property
    def reflections(self) -> list[str]:
        """The lines about themes."""
        return [line for theme in self.themes for line in theme.lines()] or [NO_THEMES]

    @property
    def body(self) -> list[str]:
        """All lines."""
        truths = [truth.line for truth in self.truths] or [NO_TRUTHS]
        return [
            "### Reflections",
            *self.reflections,
            "",
            "### Possible Lasting Truths",
            *truths,
        ]


def preview(entries: Sequence[Entry], settings: Rem) -> Preview:
    """Themes and truths of ``entries``, in their order."""
    return Preview(list(entries), _themes(entries, settings), _truths(entries, settings.limit))


def pending(entries: Iterable[Entry], signals: Mapping[str, dict[str, Any]]) -> list[Entry]:
    """The entries that light sleep met and REM sleep has not looked at since."""
    return [entry for entry in entries if _is_pending(signals.get(entry["key"]))]


def to_json(seen: Preview) -> dict[str, Any]:
    """Themes and truths for reports; ``solid`` themes stand in two notes or more."""
    return {
        "themes": [
            {"tag": t.tag, "entries": t.entries, "strength": t.strength, "solid": t.is_solid}
            for t in seen.themes
        ],
        "truths": [
            {
                "key": truth.entry["key"],
                "snippet": truth.entry["snippet"],
                "confidence": truth.confidence,
                "evidence": truth.evidence,
            }
            for truth in seen.truths
        ],
    }


def _is_pending(row: dict[str, Any] | None) -> bool:
    if row is None or not row["lightHits"]:
        return False
    light = _time(row, "lastLightAt")
    if light is None:
        return _time(row, "lastRemAt") is None
    looked = (_time(row, "lastRemAt"), _time(row, "lastRemConsideredAt"))
    return all(at is None or light > at for at in looked)


def _time(row: dict[str, Any], name: str) -> int | None:
    value = row.get(name)
    return stamp_ms(value) if isinstance(value, str) else None


def _themes(entries: Sequence[Entry], settings: Rem) -> list[Theme]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        for tag in dict.fromkeys(entry["conceptTags"]):
            if tag not in ROLE_TAGS and is_theme(tag):
                found.setdefault(tag, []).append(entry)
    themes = [_theme(tag, carriers, len(entries)) for tag, carriers in found.items()]
    strong = [theme for theme in themes if theme.strength >= settings.min_pattern_strength]
    strong.sort(key=lambda theme: (-theme.strength, -theme.entries, collation_key(theme.tag)))
    return strong[: settings.limit]


def _theme(tag: str, carriers: list[Entry], of: int) -> Theme:
    places = [f"{e['path']}:{e['startLine']}-{e['endLine']}" for e in carriers]
    notes = len({entry["path"] for entry in carriers})
    strength = min(1.0, 2 * len(carriers) / max(1, of))
    return Theme(tag, len(carriers), strength, list(dict.fromkeys(places)), notes)


def _truths(entries: Iterable[Entry], limit: int) -> list[Truth]:
    if limit <= 0:
        return []
    distinct = merge_alike((e for e in entries if "promotedAt" not in e), TRUTH_SIMILARITY)
    rated = [Truth(entry, _confidence(entry)) for entry in distinct]
    likely = [truth for truth in rated if truth.confidence >= LEAST_CONFIDENCE]
    likely.sort(key=lambda truth: (-truth.confidence, collation_key(truth.entry["snippet"])))
    return likely[: max(1, min(MOST_TRUTHS, limit))]


def _confidence(entry: Entry) -> float:
    recalls = min(1.0, math.log1p(entry["recallCount"]) / math.log(7))
    days = min(1.0, len(entry["recallDays"]) / 3)
    tagged = min(1.0, len(entry["conceptTags"]) / 6)
    return clamp(0.45 * average(entry) + 0.25 * recalls + 0.20 * days + 0.10 * tagged)
