"""The report of a shadow trial: what an answer gains or loses by a candidate (``dreaming.md`` 9).

A report is for review. It lies apart from memory, and recording one promotes nothing and
changes neither ``MEMORY.md`` nor the recall store.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_cli.errors import NotAllowed, OpenClawError
from openclaw_cli.memory.shadow_trials import NO_FLAGS, NO_REFS, TITLE, VERDICTS, parse_report
from openclaw_cli.memory.text import collapse, encode_like_javascript
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import files
from openclaw_cli.state.jsonnum import dumps
from openclaw_cli.state.tuples import NamedTuple

ACTION = "report-only"
WHAT = "shadow trial report"
HASH_LENGTH = 12

_FIELDS = ("candidate", "trialPrompt", "baselineOutcome", "candidateOutcome", "verdict", "reason")
_LABELS = {
    "candidate": "candidate",
    "trialPrompt": "trial prompt",
    "baselineOutcome": "baseline outcome",
    "candidateOutcome": "candidate outcome",
    "verdict": "verdict",
}

Row = dict[str, Any]


class InvalidTrial(OpenClawError):
    """Inputs that make no report."""

    code = "invalid-trial"


class Trial(NamedTuple):
    """A trial in its normal form: ``fields`` by their names in files, and two lists."""

    fields: dict[str, str]
    risk_flags: list[str]
    evidence_refs: list[str]

    @property
    def recommendation(self) -> str:
        """What the verdict speaks for: ``promote``, ``defer`` or ``reject``."""
        return VERDICTS[self.fields["verdict"]]


def normalize(inputs: Mapping[str, Any]) -> Trial:
    """The trial of an object of inputs; ``InvalidTrial`` names the field that is wrong."""
    fields = {}
    for name in _FIELDS:
        value = inputs.get(name)
        fields[name] = collapse(value) if isinstance(value, str) else ""
        if not fields[name]:
            raise InvalidTrial(
                f"dreaming shadow trial requires {name}",
                hint="needed are " + ", ".join(_FIELDS),
            )
    fields["verdict"] = fields["verdict"].lower()
    if fields["verdict"] not in VERDICTS:
        raise InvalidTrial(
            f"dreaming shadow trial: verdict must be {', '.join(VERDICTS)}, "
            f"not {fields['verdict']!r}"
        )
    return Trial(fields, _texts(inputs, "riskFlags"), _texts(inputs, "evidenceRefs"))


def markdown(trial: Trial) -> str:
    """The report's text."""
    lines = [TITLE, ""]
    lines += [f"{label}: {trial.fields[name]}" for name, label in _LABELS.items()]
    lines += [
        f"recommendation: {trial.recommendation}",
        f"reason: {trial.fields['reason']}",
        "risk flags:",
        *(f"- {collapse(flag)}" for flag in trial.risk_flags or [NO_FLAGS]),
        "evidence refs:",
        *(f"- {collapse(ref)}" for ref in trial.evidence_refs or [NO_REFS]),
        f"promotion action: {ACTION}",
    ]
    return "\n".join(lines) + "\n"


def report_path(workspace: Workspace, trial: Trial, day: str, wanted: str | None = None) -> Path:
    """Where the report goes: ``wanted`` (relative to the workspace), else by day and content."""
    if wanted is not None:
        return Path(os.path.normpath(workspace.root / wanted))
    folder = workspace.memory_dir / "dreaming" / "shadow-trials" / day
    return folder / f"{_content_hash(trial)}.md"


def record(workspace: Workspace, trial: Trial, path: Path, *, dry_run: bool = False) -> Row:
    """Write the report to ``path``; the result object.

    Raises ``NotAllowed`` where something else than a report is or belongs, and
    ``NotWritable``.
    """
    _refuse(workspace, path)
    text = markdown(trial)
    if not dry_run:
        files.write_if_changed(path, text)
    return {
        **{name: trial.fields[name] for name in _FIELDS if name != "reason"},
        "recommendation": trial.recommendation,
        "reason": trial.fields["reason"],
        "riskFlags": trial.risk_flags,
        "evidenceRefs": trial.evidence_refs,
        "promotionAction": ACTION,
        "reportPath": str(path),
        "markdown": text,
    }


def _texts(inputs: Mapping[str, Any], name: str) -> list[str]:
    value = inputs.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidTrial(f"dreaming shadow trial: {name} must be a list of texts")
    return [item.strip() for item in value if item.strip()]


def _content_hash(trial: Trial) -> str:
    from hashlib import sha256

    content = [*(trial.fields[name] for name in _FIELDS), trial.risk_flags, trial.evidence_refs]
    text = dumps(content, indent=None)
    return sha256(encode_like_javascript(text)).hexdigest()[:HASH_LENGTH]


def _refuse(workspace: Workspace, path: Path) -> None:
    real = Path(os.path.realpath(path))
    state = Path(os.path.realpath(workspace.dreams_dir))
    if real == Path(os.path.realpath(workspace.memory_file)) or real.is_relative_to(state):
        raise NotAllowed(f"{path} holds memory; a trial writes its report elsewhere", path=path)
    files.refuse_link(path, what=WHAT)
    present = files.read_text(path, what=WHAT)
    if present is not None and parse_report(present) is None:
        raise NotAllowed(f"{path} is no shadow trial report; it is not replaced", path=path)
