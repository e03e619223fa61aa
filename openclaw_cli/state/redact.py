"""Masks text before it is stored a second time (``dreaming.md`` 3.4.1).

Transcripts are copied into the corpus and the recall store without what gives access
(``secrets``) and without what identifies a person (``everything``). A value is replaced as a
whole by ``***``; the words around it stay, so that the sentence keeps its meaning. The forms
that are looked for are data, in ``redact_forms``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from openclaw_cli.state import redact_forms
from openclaw_cli.state.redact_forms import MASK, Form

Pattern = re.Pattern[str]
__all__ = ["MASK", "compile_patterns", "everything", "holds_secret", "secrets"]


def everything(text: str, extra: Sequence[Pattern] = ()) -> str:
    """``text`` without secrets and personal data; ``extra`` are the owner's own patterns."""
    masked = secrets(text, extra)
    if masked != text:  # an address beside the credentials for it
        masked = _apply(redact_forms.ADDRESSES, masked)
    return _apply(redact_forms.PERSONAL, masked)


def secrets(text: str, extra: Sequence[Pattern] = ()) -> str:
    """``text`` without credentials; names, numbers and addresses of people stay."""
    for pattern in extra:
        text = pattern.sub(redact_forms.mask_last_group, text)
    return _apply(redact_forms.SECRETS, text)


def holds_secret(text: str) -> bool:
    """Whether ``text`` has something that ``secrets`` would mask."""
    return secrets(text) != text


def compile_patterns(patterns: object) -> list[Pattern]:
    """``logging.redactPatterns`` as regular expressions: ``/body/flags`` or a bare body.

    Case does not count unless flags are given without ``i``. Raises ``ValueError`` with
    the position and the reason: a pattern that is passed over would let a secret through.
    """
    if patterns is None:
        return []
    if not isinstance(patterns, list):
        raise ValueError("expected a list of patterns")
    return [_compile(number, item) for number, item in enumerate(patterns) if item != ""]


def _compile(number: int, item: object) -> Pattern:
    if not isinstance(item, str):
        raise ValueError(f"[{number}]: expected a text")
    slashed = re.fullmatch(r"/(.+)/([a-z]*)", item, re.DOTALL)
    body, letters = (slashed[1], slashed[2]) if slashed else (item, "i")
    flags = 0
    for letter, flag in {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}.items():
        flags |= flag if letter in letters else 0
    try:
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", body), flags)
    except re.error as error:
        raise ValueError(f"[{number}]: no regular expression: {error}") from error


def _apply(forms: Sequence[Form], text: str) -> str:
    lowered = text.lower()
    for form in forms:
        if _may_match(form.needles, lowered):
            changed = re.compile(form.find, form.flags | re.VERBOSE).sub(form.replace, text)
            if changed != text:
                text, lowered = changed, changed.lower()
    return text


def _may_match(needles: Sequence[str], lowered: str) -> bool:
    for needle in needles:  # noqa: SIM110 - any() over a generator takes ten times as long
        if needle in lowered:
            return True
    return False
