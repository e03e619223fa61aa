"""The dreaming block: defaults, leniency behind the schema, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config.load import load
from openclaw_cli.dreaming.settings import Dreaming, resolve
from openclaw_cli.errors import InvalidConfig
from openclaw_cli.state.paths import Paths


def resolved(tree: Any, **block: Any) -> Dreaming:
    tree.dreaming(**block)
    return resolve(load(Paths.from_env(), validate=False))


def test_defaults_are_those_of_the_specification(home: Path) -> None:
    found = resolve(load(Paths.from_env()))
    assert (found.enabled, found.frequency, found.timezone) == (False, "0 3 * * *", None)
    assert (found.storage_mode, found.inline, found.reports) == ("separate", False, True)
    assert found.light[:4] == (True, 2, 100, 0.9)
    assert found.rem[:4] == (True, 7, 10, 0.75)
    assert (found.deep.enabled, found.deep.limit) == (True, 10)
    assert found.deep.gates[:6] == (0.8, 3, 3, 14, 30, 160)


def test_model_of_a_phase_falls_back_in_order(tree: Any) -> None:
    found = resolved(
        tree,
        model="a/one",
        execution={"defaults": {"model": "b/two"}},
        phases={"light": {"execution": {"model": "c/three"}}, "rem": {"execution": {"model": " "}}},
    )
    assert (found.light.model, found.rem.model, found.deep.model) == ("c/three", "b/two", "b/two")


@pytest.mark.parametrize(
    ("mode", "separate", "inline", "reports"),
    [("inline", False, True, False), ("inline", True, True, True), ("both", False, True, True),
     ("separate", False, False, True), (" Both ", False, True, True), ("x", False, False, True)],
)  # fmt: skip
def test_storage_decides_blocks_and_reports(
    tree: Any, mode: str, separate: bool, inline: bool, reports: bool
) -> None:
    found = resolved(tree, storage={"mode": mode, "separateReports": separate})
    assert (found.inline, found.reports) == (inline, reports)


@pytest.mark.parametrize(
    ("value", "limit"), [("7", 7), (3.9, 3), (-1, 100), ("x", 100), (None, 100), (True, 100)]
)
def test_counts_are_read_leniently(tree: Any, value: object, limit: int) -> None:
    assert resolved(tree, phases={"light": {"limit": value}}).light.limit == limit


def test_limit_zero_skips_a_phase(tree: Any) -> None:
    found = resolved(tree, phases={"light": {"limit": 0}, "rem": {"enabled": "FALSE"}})
    assert (found.light.runs, found.rem.runs, found.deep.runs) == (False, False, True)


def test_zone_comes_from_dreaming_then_the_user_then_the_host(tree: Any) -> None:
    tree.config(agents={"defaults": {"userTimezone": "Asia/Tokyo"}})
    found = resolve(load(Paths.from_env()))
    assert (found.timezone, str(found.zone)) == ("Asia/Tokyo", "Asia/Tokyo")
    assert resolved(tree, timezone="Europe/Warsaw").timezone == "Europe/Warsaw"
    assert str(resolved(tree).zone) == "UTC"


@pytest.mark.parametrize(
    ("key", "value"),
    [("timezone", "Mars/Olympus"), ("frequency", "0 9 * *"), ("frequency", "soon")],
)
def test_bad_zone_and_cadence_are_named(tree: Any, key: str, value: str) -> None:
    with pytest.raises(InvalidConfig, match=f"dreaming.{key}") as caught:
        resolved(tree, **{key: value})
    assert caught.value.hint
