"""What of recorded memory cases is ours by rule (``memory.md`` 12), and how it is checked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from golden import search_rules
from golden.harness import Expectation

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden.harness import Outcome

MEMORY = ".openclaw/workspace/MEMORY.md"
STORE = ".openclaw/workspace/memory/.dreams/short-term-recall.json"
NOTHING = Expectation(exit=False, stdout=False, changes=False, files=False)


def _checked(check: Callable[[Outcome], list[str]]) -> Expectation:
    """Only ``check`` counts."""
    return Expectation(exit=False, stdout=False, changes=False, files=False, check=check)


def _memory(outcome: Outcome) -> str:
    return outcome.after.get(MEMORY, b"").decode()


def _document(outcome: Outcome) -> Any:
    return json.loads(outcome.out)


def _says(fine: bool, outcome: Outcome) -> list[str]:
    if fine:
        return []
    shown = f"exit {outcome.exit}: {outcome.out[:600]} {outcome.err[:300]}"
    return [f"{shown}\nMEMORY.md: {_memory(outcome)[-600:]}"]


def _refused_as_usage(outcome: Outcome) -> list[str]:
    return _says(outcome.exit == 2 and not outcome.out, outcome)


def _fragment_is_skipped(outcome: Outcome) -> list[str]:
    applied = _document(outcome)["apply"]
    reasons = [skip["reason"] for skip in applied["skipped"]]
    untouched = outcome.before == outcome.after
    return _says(applied["applied"] == 0 and reasons == ["no-match"] and untouched, outcome)


def _age_is_told(outcome: Outcome) -> list[str]:
    fine = outcome.exit == 0 and "FAILS: age" in outcome.out and "maxAgeDays=30" in outcome.out
    return _says(fine, outcome)


def _gates_agree(outcome: Outcome) -> list[str]:
    passes = _document(outcome)["passes"]
    return _says(passes["recallCount"] is passes["uniqueQueries"] is True, outcome)


def _own_text_survives(outcome: Outcome) -> list[str]:
    text = _memory(outcome)
    kept = "# House rules\n\nNever delete this line.\n" in text
    return _says(kept and "(2026-09-01)" not in text and "VLAN 20" in text, outcome)


def _is_moved_aside(outcome: Outcome) -> list[str]:
    repair = _document(outcome)[0]["repair"]
    aside = [path for path in outcome.after if path.startswith(f"{STORE}.corrupt-")]
    fine = (
        outcome.exit == 0
        and len(aside) == 1
        and outcome.after[aside[0]] == outcome.before[STORE]
        and json.loads(outcome.after[STORE])["entries"] == {}
        and repair["movedAside"].endswith(aside[0])
    )
    return _says(fine, outcome)


def _still_ranks(outcome: Outcome) -> list[str]:
    keys = [candidate["key"] for candidate in _document(outcome)["candidates"]]
    fine = outcome.exit == 0 and keys[:1] == ["memory:memory/2026-11-17.md:3:3"]
    return _says(fine and outcome.before == outcome.after, outcome)


def _probe_is_shown(outcome: Outcome) -> list[str]:
    fine = outcome.exit == 0 and "Embeddings: unavailable" in outcome.out
    return _says(fine, outcome)


def _heading_is_found(outcome: Outcome) -> list[str]:
    bullet = "\n- Network: Router moved to VLAN 20 [score="
    return _says(outcome.exit == 0 and _memory(outcome).count(bullet) == 1, outcome)


def _written_once(outcome: Outcome) -> list[str]:
    applied = _document(outcome)["apply"]
    entries = json.loads(outcome.after[STORE])["entries"].values()
    fine = (
        (applied["applied"], applied["appended"], applied["reconciledExisting"]) == (2, 1, 1)
        and _memory(outcome).count("Router moved to VLAN 20.") == 1
        and all("promotedAt" in entry for entry in entries)
    )
    return _says(fine, outcome)


RULES: dict[str, tuple[str, Expectation]] = {
    "memory/009": ("scores outside 0..1 are refused", _checked(_refused_as_usage)),
    "memory/039": ("a stray word is not the statement", _checked(_fragment_is_skipped)),
    "memory/044": ("too old is reported as failing", _checked(_age_is_told)),
    "memory/046": (
        "the explanation compares what the gates compare",
        Expectation(json_ignore=["passes.recallCount", "passes.uniqueQueries"], check=_gates_agree),
    ),
    "memory/049": (
        "the owner's text outlives a dropped section",
        Expectation(ignore=["*/MEMORY.md"], check=_own_text_survives),
    ),
    "memory/061": ("a broken store is moved aside", _checked(_is_moved_aside)),
    "memory/064": ("promotion needs no search", _checked(_still_ranks)),
    "memory/065": ("a failed probe is shown", _checked(_probe_is_shown)),
    "memory/101": ("a staged heading is found again", _checked(_heading_is_found)),
    "memory/102": ("equal text is written once", _checked(_written_once)),
}

RULES |= search_rules.RULES
