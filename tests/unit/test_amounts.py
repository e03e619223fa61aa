"""Amounts as people read them."""

from __future__ import annotations

import pytest

from openclaw_cli.state.amounts import counted


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes"), (11, "11 notes")]
)
def test_one_is_single(number: int, shown: str) -> None:
    assert counted(number, "note") == shown


def test_a_plural_of_its_own() -> None:
    assert (counted(1, "entry", "entries"), counted(3, "entry", "entries")) == (
        "1 entry", "3 entries",
    )  # fmt: skip
