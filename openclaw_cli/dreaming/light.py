"""Light sleep: which recent entries are staged, and how (``dreaming.md`` 3.5, 3.6, 6.1).

Pure: entries in, staged copies and lines of text out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from openclaw_cli.dreaming.days import Lookback
from openclaw_cli.dreaming.merging import merge_alike
from openclaw_cli.dreaming.settings import Light
from openclaw_cli.memory.entries import Entry, clamp, signal_count, stamp_ms
from openclaw_cli.memory.similarity import similarity
from openclaw_cli.memory.text import collapse, fixed

NOTHING = "- No notable updates."
NO_SNIPPET = "(no snippet captured)"
COVERED = 0.35
DIARY_ENTRIES = 4


def select(
    entries: Iterable[Entry], settings: Light, lookback: Lookback, diary: Sequence[str] = ()
) -> list[Entry]:
    """The entries to stage, newest first, look-alikes of one note folded.

    ``entries`` are those whose source exists. What the last entries of the ``diary`` speak
    of already comes behind the rest.
    """
    recent = [entry for entry in entries if lookback.has_entry(entry)]
    recent.sort(
        key=lambda entry: (-(stamp_ms(entry["lastRecalledAt"]) or 0), -entry["recallCount"])
    )
    staged = merge_alike(recent, settings.dedupe_similarity)
    told = [collapse(text).lower() for text in diary[-DIARY_ENTRIES:]]
    if told:
        staged.sort(key=lambda entry: _is_covered(entry["snippet"], told))
    return staged[: settings.limit]


def average(entry: Entry) -> float:
    """The mean score of an entry's signals, 0 without any."""
    count = signal_count(entry)
    return clamp(entry["totalScore"] / count) if count else 0.0


def body(staged: Iterable[Entry]) -> list[str]:
    """The lines that light sleep writes about the staged entries."""
    lines = []
    for entry in staged:
        place = f"{entry['path']}:{entry['startLine']}-{entry['endLine']}"
        lines += [
            f"- Candidate: {entry['snippet'] or NO_SNIPPET}",
            f"  - confidence: {fixed(average(entry), 2)}",
            f"  - evidence: {place}",
            f"  - recalls: {entry['recallCount']}",
            "  - status: staged",
        ]
    return lines or [NOTHING]


def tags(staged: Iterable[Entry]) -> list[str]:
    """The concept tags of the staged entries, each once."""
    return list(dict.fromkeys(tag for entry in staged for tag in entry["conceptTags"]))


def _is_covered(snippet: str, told: Sequence[str]) -> bool:
    lowered = collapse(snippet).lower()
    return any(lowered in text or similarity(lowered, text) >= COVERED for text in told)
