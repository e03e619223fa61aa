"""A year of turns around the daily reset, in zones with and without changes of the clocks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from builders import Tree
from freezegun import freeze_time

from openclaw_cli.agent.inbound import take
from openclaw_cli.agent.message import Message
from openclaw_cli.config.load import load
from openclaw_cli.model import client
from openclaw_cli.model.budget import Usage
from openclaw_cli.model.refs import ModelRef
from openclaw_cli.sessions.routing import Inbound
from openclaw_cli.state import clock, files
from openclaw_cli.state.paths import Paths

MAIN = "agent:main:main"
FIRST_DAY = date(2026, 10, 1)


def _answer(_config: Any, _request: Any, *, now_ms: int) -> client.Completion:
    return client.Completion("Fine.", (), "stop", ModelRef("p", "m"), Usage(1, 1), 1)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.setattr(client, "complete", _answer)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    monkeypatch.setattr(files, "sync_dir", lambda _path: None)
    monkeypatch.delenv("OPENCLAW_NOW")
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


def _is_real(wall: datetime, zone: ZoneInfo) -> bool:
    """Whether the clocks of the zone show this time at all on its day."""
    back = wall.replace(tzinfo=zone).astimezone(ZoneInfo("UTC")).astimezone(zone)
    return back.replace(tzinfo=None) == wall


def _session_at(tree: Tree, at: datetime) -> str:
    """The session that a message at this instant ends up in."""
    with freeze_time(at.astimezone(ZoneInfo("UTC"))):
        now_ms = clock.now_ms()
        message = Message("Hi", Inbound(), "main", MAIN, now_ms)
        reply = take(load(Paths.from_env()), message, now_ms=now_ms)
    assert reply.status == "ok"
    row: dict[str, Any] = tree.read(".openclaw/agents/main/sessions/sessions.json")[MAIN]
    return str(row["sessionId"])


@pytest.mark.parametrize(
    ("name", "hour"), [("Europe/Paris", 2), ("America/New_York", 4), ("Asia/Kolkata", 4)]
)
def test_every_day_of_a_year_begins_one_session(
    tree: Tree, quick: pytest.MonkeyPatch, name: str, hour: int
) -> None:
    """One message a minute before the hour, one at the hour: the second begins the day."""
    quick.setenv("TZ", name)
    time.tzset()
    zone = ZoneInfo(name)
    maintenance = {"mode": "warn"}
    tree.config(
        agents={"defaults": {"model": "p/m"}},
        session={"reset": {"atHour": hour}, "maintenance": maintenance},
    )
    sessions: list[str] = []
    for number in range(366):
        day = FIRST_DAY + timedelta(days=number)
        wall = datetime(day.year, day.month, day.day, hour)
        while not _is_real(wall, zone):
            wall += timedelta(minutes=30)  # an hour that the clocks skip: when they go on
        begins = wall.replace(tzinfo=zone, fold=0)
        before = _session_at(tree, begins.astimezone(ZoneInfo("UTC")) - timedelta(minutes=1))
        after = _session_at(tree, begins)
        assert before != after, day
        assert not sessions or before == sessions[-1], day
        sessions.append(after)
    assert len(set(sessions)) == 366
    folder = tree.home / ".openclaw/agents/main/sessions"
    assert len(list(folder.glob("*.reset.*"))) == 366
    assert len(list(folder.glob("*.jsonl"))) == 1
