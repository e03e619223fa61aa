"""Why a model gave no answer, as one kind each that callers can act on.

Messages name the model, the provider and the setting to look at, never a key. ``fallback``
tells whether another model may do better.
"""

from __future__ import annotations

from openclaw_cli.errors import ModelUnavailable


class ModelFailure(ModelUnavailable):
    """No usable answer; ``kind`` says why in one stable word."""

    kind = "failed"
    fallback = True

    def __init__(self, message: str, *, model: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint, code=f"model-{self.kind}")
        self.model = model


class NoModel(ModelFailure):
    """No model is configured for this, a normal state."""

    kind = "unconfigured"


class BudgetSpent(ModelFailure):
    """The tokens of the day are used up; only background calls are stopped by it."""

    kind = "budget"
    fallback = False


class Refused(ModelFailure):
    """The key is missing, wrong or not allowed to do this (401, 403)."""

    kind = "auth"


class UnknownModel(ModelFailure):
    """The provider does not have this model."""

    kind = "unknown-model"


class Overloaded(ModelFailure):
    """The provider is out of capacity or of the account's quota (429, 5xx)."""

    kind = "overloaded"


class TimedOut(ModelFailure):
    """No answer in time."""

    kind = "timeout"


class Unreachable(ModelFailure):
    """No connection: no network, nothing listening, a certificate that is not trusted."""

    kind = "unreachable"


class Malformed(ModelFailure):
    """An answer without usable content, or that is not what the protocol says."""

    kind = "malformed"


class Overflow(ModelFailure):
    """The messages do not fit into the model's window; another model is no remedy."""

    kind = "overflow"
    fallback = False


class Rejected(ModelFailure):
    """The provider does not accept the request for another reason (4xx)."""

    kind = "rejected"


_UNKNOWN_MODEL = (
    "requested model may be unavailable", "model unavailable", "model is unavailable",
    "no endpoints found", "unknown model", "model not found", "model_not_found",
    "not_found_error", "unsupported model", "not a valid model id",
)  # fmt: skip
_OVERFLOW = (
    "context_length_exceeded", "context length", "context window", "maximum context",
    "prompt is too long", "too many tokens", "input is too long", "request too large",
)  # fmt: skip


def says_unknown_model(text: str) -> bool:
    """Whether a provider's message means that it does not have the model (``dreaming.md`` 7)."""
    lowered = text.lower()
    if any(phrase in lowered for phrase in _UNKNOWN_MODEL):
        return True
    about_model = "model" in lowered and ("does not exist" in lowered or "not found" in lowered)
    is_missing_path = "models/" in lowered and "is not found" in lowered
    return about_model or is_missing_path or ("404" in lowered and "not found" in lowered)


def says_overflow(text: str) -> bool:
    """Whether a provider's message means that the messages are too long."""
    lowered = text.lower()
    return any(phrase in lowered for phrase in _OVERFLOW)


def of_status(status: int, text: str) -> type[ModelFailure]:
    """The kind of an HTTP error from its status and the provider's message."""
    if status in (401, 403):
        return Refused
    if says_overflow(text):
        return Overflow
    if status == 404 or says_unknown_model(text):
        return UnknownModel
    if status == 408:
        return TimedOut
    if status == 429 or status >= 500:
        return Overloaded
    return Rejected
