"""Durations and sizes: the tables of sessions-maintenance.md 1.1 and 1.2."""

from __future__ import annotations

import pytest

from openclaw_cli.config.units import parse_duration_ms, parse_size

DAY = 86_400_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("30d", 30 * DAY),
        ("30", 30 * DAY),
        (" 30D ", 30 * DAY),
        (30, 30 * DAY),
        (30.0, 30 * DAY),
        ("1.5d", 129_600_000),
        ("1.5", 129_600_000),
        (1.5, 129_600_000),
        ("1d12h", 129_600_000),
        ("12h1d", 129_600_000),
        ("1h30m", 5_400_000),
        ("1h1h", 7_200_000),
        ("45m", 2_700_000),
        ("90s", 90_000),
        ("500ms", 500),
        ("0", 0),
        (0, 0),
        ("0.4ms", 0),
        ("0.5ms", 1),
        ("1.5ms", 2),
    ],
)
def test_durations_that_are_read(text: object, ms: int) -> None:
    assert parse_duration_ms(text, "d") == ms


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "soon", "1w", "2mo", "-1d", ".5d", "1.d", "1e3", "1d 2h", "1d12", "d", "١d",
        1e21, 10**21, -1, True, None, [], float("inf"), float("nan"), "1d\n2h",
        "99999999999999999d",
    ],
)  # fmt: skip
def test_durations_that_are_refused(text: object) -> None:
    with pytest.raises(ValueError):
        parse_duration_ms(text, "d")


def test_the_unit_of_a_bare_number_is_the_settings_own() -> None:
    assert parse_duration_ms("5", "m") == 300_000
    assert parse_duration_ms(5, "h") == 18_000_000
    assert parse_duration_ms("5", "ms") == 5


def test_a_unit_can_be_wanted() -> None:
    with pytest.raises(ValueError, match="needs a unit"):
        parse_duration_ms("5", None)
    assert parse_duration_ms("5s", None) == 5000


def test_a_chain_can_be_refused() -> None:
    assert parse_duration_ms("90m", None, chain=False) == 5_400_000
    with pytest.raises(ValueError):
        parse_duration_ms("1h30m", None, chain=False)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10mb", 10_485_760),
        ("1.6gb", 1_717_986_918),
        ("1.5", 2),
        ("0.5", 1),
        ("24KB", 24_576),
        (" 1k ", 1024),
        ("2b", 2),
        ("1tb", 2**40),
        ("1t", 2**40),
        (1_000_000, 1_000_000),
        (0, 0),
    ],
)
def test_sizes_that_are_read(text: object, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["1 mb", "1kib", "1pb", "1e6", "-5", "", "mb", True, None, -1])
def test_sizes_that_are_refused(text: object) -> None:
    with pytest.raises(ValueError):
        parse_size(text)
