"""Amounts as people read them."""

from __future__ import annotations

import pytest

from openclaw_cli.state.amounts import counted, size_label


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes"), (11, "11 notes")]
)
def test_one_is_single(number: int, shown: str) -> None:
    assert counted(number, "note") == shown


def test_a_plural_of_its_own() -> None:
    assert (counted(1, "entry", "entries"), counted(3, "entry", "entries")) == (
        "1 entry", "3 entries",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0b"), (1023, "1023b"), (1024, "1.0kb"), (1536, "1.5kb"), (10_188, "9.9kb"),
        (10_189, "10kb"), (1_048_575, "1.0mb"), (24 * 2**20, "24mb"), (3 * 2**40, "3.0tb"),
        (5000 * 2**40, "5000tb"),
    ],
)  # fmt: skip
def test_sizes_are_in_the_units_of_the_settings(size: int, shown: str) -> None:
    assert size_label(size) == shown
