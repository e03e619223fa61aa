"""Reports of shadow trials as an order for candidates (``memory.md`` 5.4, ``dreaming.md`` 9).

A trial compared an answer without a candidate to one with it. Its report may move the
candidate in the list or keep it from being written; it never lets anything pass a gate,
and promotes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from openclaw_cli.memory.entries import clamp
from openclaw_cli.memory.ranking import Candidate
from openclaw_cli.memory.text import same_claim_form
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.tuples import NamedTuple

TITLE = "# Dreaming Shadow Trial Report"
VERDICTS = {"helpful": "promote", "neutral": "defer", "harmful": "reject"}
HELPFUL_BOOST = 0.04
HARMFUL_PENALTY = -1.0
NO_FLAGS = "none recorded"
NO_REFS = "none supplied"


class Trial(NamedTuple):
    """What a report says about one candidate text."""

    candidate: str
    verdict: str
    recommendation: str
    risk_flags: list[str]
    evidence_refs: list[str]


UNTRIED = Trial("", "neutral", "defer", ["not shadow-trialed"], [])


def parse_report(text: str) -> Trial | None:
    """The trial in a report's text; None when it is no such report."""
    lines = text.split("\n")
    if not lines or lines[0].strip() != TITLE:
        return None
    fields: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines[1:]:
        if line.startswith("- "):
            current.append(line[2:].strip())
            continue
        name, colon, value = line.partition(":")
        if colon and not value.strip():
            current = lists.setdefault(name.strip(), [])
        elif colon:
            fields[name.strip()] = value.strip()
    verdict = fields.get("verdict", "").lower()
    if not fields.get("candidate") or verdict not in VERDICTS:
        return None
    return Trial(
        fields["candidate"],
        verdict,
        fields.get("recommendation", VERDICTS[verdict]),
        [flag for flag in lists.get("risk flags", []) if flag != NO_FLAGS],
        [ref for ref in lists.get("evidence refs", []) if ref != NO_REFS],
    )


def read_trials(workspace: Workspace) -> tuple[dict[str, Trial], list[str]]:
    """The newest trial of each candidate text (by ``same_claim_form``), and what was no report."""
    found: dict[str, Trial] = {}
    problems: list[str] = []
    for path in _reports(workspace.memory_dir / "dreaming" / "shadow-trials"):
        try:
            trial = parse_report(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"shadow trial {path} cannot be read: {error}")
            continue
        if trial is None:
            problems.append(f"{path} is no shadow trial report")
        else:
            found[same_claim_form(trial.candidate)] = trial
    return found, problems


def weigh(score: float, trial: Trial) -> dict[str, Any]:
    """The review metadata of a candidate with ``score`` under ``trial``."""
    rejected = trial.verdict == "harmful" or trial.recommendation == "reject"
    before = clamp(score)
    boost = HELPFUL_BOOST if trial.verdict == "helpful" else 0.0
    return {
        "scoreBeforeShadowTrial": before,
        "scoreAfterShadowTrial": 0 if rejected else clamp(before + boost),
        "shadowTrialScoreDelta": HARMFUL_PENALTY if rejected else boost,
        "shadowTrialVerdict": trial.verdict,
        "shadowTrialRecommendation": trial.recommendation,
        "shadowTrialRiskFlags": trial.risk_flags,
        "shadowTrialEvidenceRefs": trial.evidence_refs,
        "rejectedByShadowTrial": rejected,
        "scoringAction": "report-only",
    }


def reorder(
    candidates: list[Candidate], trials: dict[str, Trial]
) -> list[tuple[Candidate, dict[str, Any]]]:
    """The candidates with their metadata: best after the trial first, rejected ones last."""
    weighed = [
        (one, weigh(one.score, trials.get(same_claim_form(one.entry["snippet"]), UNTRIED)))
        for one in candidates
    ]
    weighed.sort(
        key=lambda pair: (pair[1]["rejectedByShadowTrial"], -pair[1]["scoreAfterShadowTrial"])
    )
    return weighed


def _reports(folder: Path) -> Iterator[Path]:
    """Report files, oldest first: by day, then by the time they were written."""
    paths = [path for path in folder.glob("*/*.md") if path.is_file() and not path.is_symlink()]
    return iter(sorted(paths, key=lambda path: (path.parent.name, path.stat().st_mtime_ns)))
