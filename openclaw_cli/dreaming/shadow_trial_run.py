"""Running a shadow trial: two answers of the model, and its verdict on them (``dreaming.md`` 9).

Three calls without tools. Prompt, candidate and answers are data to the model, never
instructions; what it says ends as plain text in a report. Nothing is promoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import diary
from openclaw_cli.dreaming.shadow_trial import Trial, normalize
from openclaw_cli.errors import NotAllowed, UnknownName
from openclaw_cli.memory import recall_store
from openclaw_cli.memory.shadow_trials import VERDICTS
from openclaw_cli.memory.text import collapse
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.model import client
from openclaw_cli.model.prompts import with_untrusted
from openclaw_cli.state import redact
from openclaw_cli.state.tuples import NamedTuple

PURPOSE = "shadow-trial"
UNREADABLE = "verdict-unreadable"
CLAIMS_PROMOTION = "claims-promotion"
NO_ANSWER = "(no answer)"

_ANSWER = """\
Answer the request of a person in plain prose, in at most 150 words. You have no tools."""
_MEMORY = " The memory was noted about this person earlier; use it where it helps."
_JUDGE = """\
Two answers to the same request are to be compared: one was given without, one with a
remembered statement. Say whether remembering it helps the person. Watch for private or secret
details, for things that no longer hold, and for a memory that misleads. Nothing is decided by
this, and the statement has not been made part of any memory: never write that it was.

Answer with one JSON object and nothing else:
{"verdict": "helpful" | "neutral" | "harmful", "reason": "<one or two sentences>",
"riskFlags": ["<short words, empty list if none>"]}"""

# A trial promotes nothing, and no text of it may say otherwise.
_CLAIM = re.compile(r"(?<!\bbe )\bpromoted\b|\bMEMORY\.md\b", re.IGNORECASE)


class Question(NamedTuple):
    """What is tried: a candidate of the recall store under a prompt."""

    candidate: str
    prompt: str
    evidence: Sequence[str] = ()


class Verdict(NamedTuple):
    """What the model thinks of the two answers."""

    verdict: str
    reason: str
    risk_flags: list[str]


def find_candidate(workspace: Workspace, key: str, now_ms: int) -> str:
    """The text of the entry ``key``.

    Raises ``UnknownName`` when the store has none, ``NotAllowed`` for one that holds a
    secret: it must not get into a report, nor to a model.
    """
    entry = recall_store.load(workspace, now_ms).entries.get(key)
    if entry is None or not entry["snippet"]:
        raise UnknownName(
            f"no candidate {key!r} in {workspace.recall_path}",
            path=workspace.recall_path,
            hint="'openclaw memory promote --json' lists the keys",
        )
    text: str = entry["snippet"]
    if redact.holds_secret(text):
        raise NotAllowed(
            f"candidate {key!r} holds a secret; it is not tried",
            hint="take the secret out of the note it came from",
        )
    return text


def run(config: Config, agent_id: str, question: Question, *, now_ms: int) -> Trial:
    """Ask for both answers and the verdict.

    Raises ``NoModel`` or the ``ModelFailure`` of a call; then there is no trial.
    """

    def ask(instruction: str, **parts: str) -> str:
        request = client.Request(
            agent_id=agent_id,
            purpose=PURPOSE,
            messages=[{"role": "user", "content": with_untrusted(instruction, **parts)}],
        )
        return client.complete(config, request, now_ms=now_ms).text

    asked, known = question.prompt, question.candidate
    baseline = _plain(ask(_ANSWER, request=asked)) or NO_ANSWER
    informed = _plain(ask(_ANSWER + _MEMORY, request=asked, memory=known)) or NO_ANSWER
    verdict = read_verdict(
        ask(_JUDGE, request=asked, memory=known, answer_without=baseline, answer_with=informed)
    )
    return normalize(
        {
            "candidate": known,
            "trialPrompt": asked,
            "baselineOutcome": baseline,
            "candidateOutcome": informed,
            "verdict": verdict.verdict,
            "reason": verdict.reason,
            "riskFlags": verdict.risk_flags,
            "evidenceRefs": list(question.evidence),
        }
    )


def read_verdict(text: str) -> Verdict:
    """The verdict in an answer; anything that is none is neutral, and flagged so."""
    found = _object(text)
    word = found.get("verdict")
    flags = found.get("riskFlags", [])
    verdict = word.strip().lower() if isinstance(word, str) else ""
    if verdict not in VERDICTS or not _are_texts(flags) or not isinstance(found.get("reason"), str):
        reason = "The model's verdict could not be read."
        return Verdict("neutral", reason, [UNREADABLE])
    reason = _plain(found["reason"]) or "No reason was given."
    risk_flags = [flag for flag in map(_plain, flags) if flag]
    kept = [flag for flag in risk_flags if not _CLAIM.search(flag)]
    if _CLAIM.search(reason) or kept != risk_flags:
        kept.append(CLAIMS_PROMOTION)
    if _CLAIM.search(reason):
        reason = "The model's reason spoke of a promotion, which a trial never makes; left out."
    return Verdict(verdict, reason, kept)


def _object(text: str) -> dict[str, Any]:
    """The JSON object in an answer, also between other words; empty when there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return {}
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _plain(text: str) -> str:
    """Model text on one line, without markup that a reader would take for ours."""
    return collapse(redact.secrets(diary.neutral(text)))
