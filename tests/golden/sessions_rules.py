"""What of recorded session lists is ours by rule, for any case of the kind (``sessions.md`` 11)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from golden.harness import Expectation

if TYPE_CHECKING:
    from golden.harness import Case, Outcome

AREA = "sessions-list"
OLDER = "2026.3.13"
# Bare cron, group and WhatsApp group keys are what they are, not "direct".
TRUE_KINDS = {
    "group:77": "group",
    "cron:j2": "cron",
    "agent:main:whatsapp:120363@g.us": "group",
}


def expectation(case: Case) -> Expectation | None:
    """The rules for a recorded list, None for other cases."""
    argv = [str(word) for word in case.spec["argv"]]
    if argv[:2] == ["security", "audit"]:
        return Expectation(stdout=False, check=lambda outcome: _same_dm_findings(case, outcome))
    if case.folder.parent.name != AREA or argv[:1] != ["sessions"]:
        return None
    ignored: list[str] = []
    if "--json" in argv and "--limit" not in argv:
        ignored.append("limitApplied")  # every entry is listed
    if case.spec["reference"] == OLDER:
        ignored += ["sessions[].kind", "sessions[].totalTokens"]
    return Expectation(json_ignore=ignored)


def true_kinds(outcome: Outcome) -> list[str]:
    """The rows of every odd shape, with kinds that tell the truth."""
    document = json.loads(outcome.out)
    kinds = {row["key"]: row["kind"] for row in document["sessions"]}
    wrong = {key: kinds.get(key) for key, kind in TRUE_KINDS.items() if kinds.get(key) != kind}
    return [f"kinds {wrong}, expected {TRUE_KINDS}"] if wrong else []


def unusable_are_counted(outcome: Outcome) -> list[str]:
    """Rows that cannot be used are counted and not listed; the others are listed."""
    document = json.loads(outcome.out)
    fine = document["invalidRows"] == 4 and document["count"] == len(document["sessions"]) == 17
    return true_kinds(outcome) if fine else [f"counts: {document!r}"[:300]]


def _same_dm_findings(case: Case, outcome: Outcome) -> list[str]:
    """The findings about direct messages, each once per account; the rest is of other areas."""
    wanted, got = (
        {
            (finding["checkId"], finding["severity"])
            for finding in json.loads(text)["findings"]
            if ".dm." in finding["checkId"]
        }
        for text in (case.expected("stdout"), outcome.out)
    )
    return [] if wanted == got else [f"DM findings {sorted(got)}, recorded {sorted(wanted)}"]
