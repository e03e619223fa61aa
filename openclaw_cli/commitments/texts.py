"""Free text of a row made safe and short: reason, suggested text, dedupe key. Pure."""

from __future__ import annotations

import re

REASON_LENGTH = 500
SUGGESTED_LENGTH = 500
KEY_LENGTH = 120

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")


def clean(text: str, limit: int) -> str:
    """One line without control and direction characters, at most ``limit`` characters."""
    shown = " ".join(_CONTROL.sub(" ", text).split())
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"
