"""What a phase of a sweep hands on: to the report, and to the diary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class PhaseResult:
    """What a phase did. ``report`` are its numbers and paths in JSON form.

    ``fragments``, ``themes`` and ``promotions`` are for the diary, in this order of use;
    all empty means that there is nothing to tell.
    """

    phase: str
    body: list[str]
    report: dict[str, Any]
    fragments: list[str] = field(default_factory=list)
    themes: list[str] = field(default_factory=list)
    promotions: list[str] = field(default_factory=list)
