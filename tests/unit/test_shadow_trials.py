"""Reports of shadow trials as an order for candidates."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from recall_rows import NOW_MS, row

from openclaw_cli.memory import shadow_trials
from openclaw_cli.memory.ranking import Candidate, score_entry
from openclaw_cli.memory.shadow_trials import UNTRIED, Trial, parse_report, weigh
from openclaw_cli.memory.workspace import Workspace

REPORT = """# Dreaming Shadow Trial Report

candidate: {candidate}
trial prompt: Prepare a release note.
baseline outcome: Says tests passed.
candidate outcome: Names the exact command.
verdict: {verdict}
recommendation: {recommendation}
reason: More useful: without private data.
risk flags:
- {flag}
evidence refs:
- none supplied
promotion action: report-only
"""


def report(candidate: str, verdict: str = "helpful", flag: str = "none recorded") -> str:
    recommendation = shadow_trials.VERDICTS[verdict]
    return REPORT.format(
        candidate=candidate, verdict=verdict, recommendation=recommendation, flag=flag
    )


def trial(verdict: str, recommendation: str | None = None) -> Trial:
    word = recommendation or shadow_trials.VERDICTS[verdict]
    return Trial("x", verdict, word, [], [])


def candidate(snippet: str, score: float) -> Candidate:
    scored = score_entry(row(snippet), None, half_life=14, now_ms=NOW_MS)
    scored.score = score
    return scored


def test_a_report_is_read_back() -> None:
    found = parse_report(report("Prefers notes: with commands.", "harmful", "leaks a name"))
    assert found == Trial(
        "Prefers notes: with commands.", "harmful", "reject", ["leaks a name"], []
    )
    assert parse_report(report("x")) == Trial("x", "helpful", "promote", [], [])


@pytest.mark.parametrize("text", ["", "# Other\n", "# Dreaming Shadow Trial Report\nverdict: x\n"])
def test_other_texts_are_no_reports(text: str) -> None:
    assert parse_report(text) is None


@pytest.mark.parametrize(
    ("score", "found", "after", "delta"),
    [
        (0.98, trial("helpful"), 1, 0.04),
        (0.74, trial("helpful"), 0.78, 0.04),
        (0.76, UNTRIED, 0.76, 0),
        (0.99, trial("harmful"), 0, -1),
        (0.99, trial("neutral", "reject"), 0, -1),
    ],
)
def test_scores_after_a_trial(score: float, found: Trial, after: float, delta: float) -> None:
    review = weigh(score, found)
    assert review["scoreBeforeShadowTrial"] == score
    assert review["scoreAfterShadowTrial"] == pytest.approx(after, abs=1e-12)
    assert review["shadowTrialScoreDelta"] == delta
    assert review["scoringAction"] == "report-only"


def test_a_candidate_without_a_trial_counts_as_neutral_and_says_so() -> None:
    review = weigh(0.5, UNTRIED)
    assert review["shadowTrialVerdict"] == "neutral"
    assert review["shadowTrialRecommendation"] == "defer"
    assert review["shadowTrialRiskFlags"] == ["not shadow-trialed"]


def test_order_is_by_the_score_after_the_trial_rejected_last() -> None:
    candidates = [candidate("bad", 0.99), candidate("untried", 0.76), candidate("good", 0.74)]
    trials = {"bad": trial("harmful"), "good": trial("helpful")}
    order = [c.entry["snippet"] for c, _ in shadow_trials.reorder(candidates, trials)]
    assert order == ["good", "untried", "bad"]


def test_the_newest_report_of_a_text_counts_and_others_are_told(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    folder = tmp_path / "memory/dreaming/shadow-trials"
    for day, name, text in (
        ("2026-11-18", "b", report("- Same   Fact", "harmful")),
        ("2026-11-19", "a", report("same fact", "helpful")),
        ("2026-11-19", "c", "no report"),
    ):
        (folder / day).mkdir(parents=True, exist_ok=True)
        (folder / day / f"{name}.md").write_text(text)
    os.utime(folder / "2026-11-18/b.md")
    (folder / "2026-11-19/linked.md").symlink_to("nowhere")
    (folder / "2026-11-19/d.md").write_bytes(b"\xff")
    trials, problems = shadow_trials.read_trials(workspace)
    assert {form: found.verdict for form, found in trials.items()} == {"same fact": "helpful"}
    assert len(problems) == 2
