"""When a sweep is due, and the record that says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.config.load import load
from openclaw_cli.dreaming import run_record, slots
from openclaw_cli.dreaming.settings import resolve
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state.clock import parse_iso
from openclaw_cli.state.paths import Paths

HOUR = 3_600_000


def at(text: str) -> int:
    ms = parse_iso(text)
    assert ms is not None
    return ms


def test_slots_follow_the_owners_zone(tree: Any) -> None:
    tree.dreaming(frequency="30 2 * * *", timezone="America/New_York")
    settings = resolve(load(Paths.from_env()))
    night = at("2026-03-07T12:00:00Z")
    first = slots.next_run_ms(settings, night)
    assert first == at("2026-03-08T07:30:00Z")  # 03:30: there is no half past two that night
    assert slots.next_run_ms(settings, first) == at("2026-03-09T06:30:00Z")
    assert slots.latest_ms(settings, first) == first


def test_no_next_run_while_dreaming_is_off(tree: Any) -> None:
    tree.dreaming(enabled=False)
    assert slots.next_run_ms(resolve(load(Paths.from_env())), at("2026-03-07T12:00:00Z")) is None


@pytest.mark.parametrize(
    ("slot", "swept", "now", "due"),
    [(None, None, 0, False), (1000, 999, 1000, True), (1000, 1000, 9000, False),
     (1000, None, 1000 + 23 * HOUR, True), (1000, None, 1000 + 24 * HOUR, False),
     (9000, 1000, 9000 + 99 * HOUR, True)],
)  # fmt: skip
def test_due(slot: int | None, swept: int | None, now: int, due: bool) -> None:
    assert slots.is_due(slot, swept, now) is due


def test_record_keeps_the_rows_of_others(home: Path) -> None:
    paths, one, two = Paths.from_env(), Workspace(home / "one"), Workspace(home / "two")
    assert run_record.load(paths) == {}
    run_record.save(paths, one, {"slotMs": 5})
    run_record.save(paths, two, {"slotMs": 6})
    records = run_record.load(paths)
    assert run_record.slot_of(run_record.row_of(records, one)) == 5
    assert run_record.slot_of(run_record.row_of(records, two)) == 6
    assert run_record.slot_of({}) is None
    assert run_record.slot_of({"slotMs": True}) is None


def test_a_workspace_has_one_record_however_it_is_reached(home: Path) -> None:
    paths, real = Paths.from_env(), home / "real"
    real.mkdir()
    (home / "link").symlink_to(real)
    run_record.save(paths, Workspace(home / "link"), {"slotMs": 5})
    records = run_record.load(paths)
    assert run_record.slot_of(run_record.row_of(records, Workspace(real))) == 5
    run_record.save(paths, Workspace(real), {"slotMs": 6})
    records = run_record.load(paths)
    assert list(records) == [str(real)]
    assert run_record.slot_of(run_record.row_of(records, Workspace(home / "link"))) == 6


def test_a_record_under_a_path_with_links_is_still_found(home: Path) -> None:
    paths, link = Paths.from_env(), home / "link"
    (home / "real").mkdir()
    link.symlink_to(home / "real")
    path = paths.job("dreaming.json")
    path.parent.mkdir(parents=True)
    path.write_text(f'{{"{link}": {{"slotMs": 5}}}}')
    found = run_record.row_of(run_record.load(paths), Workspace(link))
    assert run_record.slot_of(found) == 5
    run_record.save(paths, Workspace(link), {"slotMs": 6})
    assert list(run_record.load(paths)) == [str(home / "real")]


@pytest.mark.parametrize("broken", ["", "{", "[]", '"x"'])
def test_broken_record_counts_as_none_and_is_kept(home: Path, broken: str) -> None:
    paths = Paths.from_env()
    path = paths.job("dreaming.json")
    path.parent.mkdir(parents=True)
    path.write_text(broken)
    assert run_record.load(paths) == {}
    run_record.save(paths, Workspace(home / "w"), {"slotMs": 1, "finishedAtMs": 1_795_143_600_000})
    assert list(run_record.load(paths)) == [str(home / "w")]
    assert [p.read_text() for p in path.parent.glob("dreaming.json.corrupt-*")] == [broken]
