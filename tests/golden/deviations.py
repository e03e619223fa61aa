"""Recorded cases that should not hold, or not in every point, each with its reason.

A case whose ``case.toml`` says ``deviates`` is compared by exit status and files only as
far as ``DEVIATIONS`` says; what is right instead is asserted by ``check`` or by a test of
the area that ``reason`` names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from golden.harness import Expectation

if TYPE_CHECKING:
    from golden.harness import Case


class Deviation(NamedTuple):
    """Why a case differs, and what of it is still compared."""

    reason: str
    expectation: Expectation


DEVIATIONS: dict[str, Deviation] = {}

NOTHING = Expectation(exit=False, stdout=False, changes=False, files=False)


def expectation(case: Case) -> Expectation:
    """What is compared of ``case``."""
    known = DEVIATIONS.get(case.number)
    return known.expectation if known else Expectation()
