"""Asking a model for the diary of a sweep: which model, what a failure means.

Best effort (``dreaming.md`` 7): one entry per phase, one retry when the configured model is
not there, a neutral fallback when a run gave no text, nothing at all when it was refused.
A sweep never fails because of its diary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.config.load import Config
from openclaw_cli.dreaming import diary
from openclaw_cli.model import client, failures, refs
from openclaw_cli.model.failures import BudgetSpent, ModelFailure, NoModel, Refused
from openclaw_cli.state import redact
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.dreaming.phase_result import PhaseResult

TIMEOUT_S = 60.0
WRITTEN, FALLBACK, SKIPPED = "written", "fallback", "skipped"
NO_MODEL, REFUSED, BUDGET = "no-model", "refused", "budget"


class Written(NamedTuple):
    """What becomes of the diary of one phase; ``text`` None writes nothing."""

    phase: str
    status: str
    text: str | None = None
    reason: str | None = None
    model: str | None = None
    warning: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The phase's part of the sweep's ``diary`` object."""
        shown = {"status": self.status, "reason": self.reason, "model": self.model}
        return {name: value for name, value in shown.items() if value is not None}


@dataclass
class Writer:
    """Writes the entries of one workspace's sweep; each prompt is asked at most once."""

    config: Config
    agent_id: str
    models: dict[str, str | None]
    now_ms: int
    _asked: dict[str, Written] = field(default_factory=dict)

    def write(self, result: PhaseResult, *, day: str, recent: Sequence[str]) -> Written:
        """The entry for one phase, or why there is none."""
        prompt = diary.prompt(result, day=day, recent=recent)
        if prompt not in self._asked:
            self._asked[prompt] = self._ask(result, prompt)
        return self._asked[prompt]

    def _ask(self, result: PhaseResult, prompt: str) -> Written:
        phase = result.phase
        wanted = self.models.get(phase)
        problem = distrust(self.config, wanted) if wanted else None
        if problem is not None:
            return Written(phase, SKIPPED, reason=REFUSED, warning=f"{phase} diary: {problem}")
        try:
            return self._spoken(phase, prompt, wanted)
        except ModelFailure as failure:
            if wanted and failures.says_unknown_model(failure.message):
                try:
                    return self._spoken(phase, prompt, None)
                except ModelFailure as second:
                    failure = second
            return self._failed(result, failure)

    def _spoken(self, phase: str, prompt: str, model: str | None) -> Written:
        completion = client.complete(
            self.config,
            client.Request(
                agent_id=self.agent_id,
                purpose="diary",
                messages=[{"role": "user", "content": prompt}],
                model=model,
                timeout_s=TIMEOUT_S,
                retries=1,
            ),
            now_ms=self.now_ms,
        )
        text = redact.secrets(diary.neutral(completion.text))
        name = str(completion.ref)
        if not text:
            warning = f"{phase} diary: {name} gave no text"
            return Written(phase, FALLBACK, _fallback(), "empty", name, warning)
        return Written(phase, WRITTEN, text, model=name)

    def _failed(self, result: PhaseResult, failure: ModelFailure) -> Written:
        phase = result.phase
        warning = f"{phase} diary: {failure.message}"
        if isinstance(failure, NoModel):
            # Without any model only what was promoted deserves a line.
            if phase == "deep" and result.promotions:
                return Written(phase, FALLBACK, _fallback(), NO_MODEL)
            return Written(phase, SKIPPED, reason=NO_MODEL)
        if isinstance(failure, BudgetSpent):
            return Written(phase, SKIPPED, reason=BUDGET, warning=warning)
        if isinstance(failure, Refused):
            return Written(phase, SKIPPED, reason=REFUSED, warning=warning)
        return Written(phase, FALLBACK, _fallback(), failure.kind, warning=warning)


def distrust(config: Config, model: str) -> str | None:
    """Why a configured diary model may not be used; None when it may.

    A model of the settings needs ``plugins.entries.memory-core.subagent.allowModelOverride``,
    and where ``allowedModels`` is set, a place on it.
    """
    where = "plugins.entries.memory-core.subagent"
    block = config.get("plugins", "entries", "memory-core", "subagent")
    settings = block if isinstance(block, dict) else {}
    if settings.get("allowModelOverride") is not True:
        return f"model {model} is not trusted ({where}.allowModelOverride is not true)"
    listed = settings.get("allowedModels")
    if not isinstance(listed, list) or not listed:
        return None
    names = [item.strip() for item in listed if isinstance(item, str) and item.strip()]
    if "*" in names:
        return None
    allowed = {name.lower() for name in names if "/" in name.strip("/")}
    if "/" in model and str(refs.parse_ref(config, model)).lower() in allowed:
        return None
    return f"model {model} is not in {where}.allowedModels"


def _fallback() -> str:
    return f"{diary.FALLBACK_MARK}\n\n{diary.FALLBACK}"
