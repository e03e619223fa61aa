"""Recorded cases that should not hold, or not in every point, each with its reason.

A case whose ``case.toml`` says ``deviates`` is compared by exit status and files only as
far as ``DEVIATIONS`` says; what is right instead is asserted by ``check`` or by a test of
the area that ``reason`` names.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from golden import (
    cleanup_rules,
    diary_rules,
    dreaming_rules,
    history_rules,
    memory_rules,
    schedule_rules,
    sessions_rules,
)
from golden.harness import Expectation

if TYPE_CHECKING:
    from golden.harness import Case, Outcome


class Deviation(NamedTuple):
    """Why a case differs, and what of it is still compared."""

    reason: str
    expectation: Expectation


NOTHING = Expectation(exit=False, stdout=False, changes=False, files=False)


def _refused(outcome: Outcome) -> list[str]:
    """A store that is not ours to read: exit 1, nothing on stdout, nothing written."""
    clean = outcome.exit == 1 and not outcome.out and outcome.before == outcome.after
    return [] if clean else [f"exit {outcome.exit}, stdout {outcome.out!r}, or files changed"]


def _one_unknown(outcome: Outcome) -> list[str]:
    named = "cm_none" in outcome.out + outcome.err
    return [] if outcome.exit == 1 and named else [f"exit {outcome.exit}: {outcome.out!r}"]


def _store_rows(outcome: Outcome) -> list[Any]:
    path = outcome.home / ".openclaw/commitments/commitments.json"
    rows: list[Any] = json.loads(path.read_text())["commitments"]
    return rows


def _kept_what_is_not_understood(outcome: Outcome) -> list[str]:
    rows = _store_rows(outcome)
    kept = [row.get("kind") for row in rows], rows[0].get("extra"), rows[-1].get("note")
    wanted = ["event_check_in", "reminder", "event_check_in"], "dropped", {"a": 1}
    changed = rows[0]["status"] == "dismissed" and outcome.exit == 0
    return [] if kept == wanted and changed else [f"rows now: {rows!r}"]


def _expired_not_dismissed(outcome: Outcome) -> list[str]:
    statuses = [row["status"] for row in _store_rows(outcome)]
    told = json.loads(outcome.out)["unchanged"] == {"cm_over": "expired"}
    fine = statuses == ["expired", "pending"] and told and outcome.exit == 0
    return [] if fine else [f"statuses {statuses}, {outcome.out!r}"]


REFUSED = Expectation(exit=False, stdout=False, changes=False, files=False, check=_refused)

DEVIATIONS: dict[str, Deviation] = {
    "commitments/013": Deviation(
        "one id is not known, so the exit status is 1; the document holds",
        Expectation(exit=False, check=_one_unknown),
    ),
    "commitments/014": Deviation(
        "an unknown id is told as unknown", Expectation(exit=False, check=_one_unknown)
    ),
    "commitments/018": Deviation("a foreign version is refused, never read as empty", REFUSED),
    "commitments/020": Deviation(
        "what is not understood is written back",
        Expectation(files=False, check=_kept_what_is_not_understood),
    ),
    "commitments/026": Deviation(
        "an overdue row is expired first, and reported so",
        Expectation(files=False, check=_expired_not_dismissed),
    ),
    "commitments/028": Deviation("a list that is none is refused, not read as empty", REFUSED),
    "commitments/029": Deviation("a foreign version is refused, never dismissed in", REFUSED),
    "sessions-list/050": Deviation("a truncated store is refused, not read as empty", REFUSED),
    "sessions-list/051": Deviation("a store with comments is refused, not read as empty", REFUSED),
    "sessions-list/053": Deviation(
        "kinds tell the truth",
        Expectation(
            json_ignore=["limitApplied", *(f"sessions[{n}].kind" for n in (3, 4, 8))],
            check=sessions_rules.true_kinds,
        ),
    ),
    "sessions-list/054": Deviation(
        "rows that cannot be used are counted, not listed",
        Expectation(stdout=False, check=sessions_rules.unusable_are_counted),
    ),
}

for rules in (memory_rules.RULES, dreaming_rules.RULES):
    DEVIATIONS |= {number: Deviation(*rule) for number, rule in rules.items()}
DEVIATIONS |= {number: Deviation(*rule) for number, rule in cleanup_rules.RULES.items()}


def expectation(case: Case) -> Expectation:
    """What is compared of ``case``."""
    known = DEVIATIONS.get(case.number)
    if known:
        return known.expectation
    return (
        schedule_rules.expectation(case)
        or diary_rules.expectation(case)
        or sessions_rules.expectation(case)
        or history_rules.expectation(case)
        or dreaming_rules.expectation(case)
        or Expectation()
    )
