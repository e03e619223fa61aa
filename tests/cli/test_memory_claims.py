"""One bullet is one claim, seen from the command line: search, sweep, explain, promote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OLD = "- Chess club meets Tuesday evening in the library"
NEW = "- Chess club in the library moved from Tuesday to Friday evening"
KEY = "- The spare key hangs behind the fuse box in the hall"
AGAIN = "- Ole asked: the spare key hangs behind the fuse box, where else"
CONFIG = {
    "agents": {"defaults": {"memorySearch": {"provider": "none"}}},
    "plugins": {
        "entries": {"memory-core": {"config": {"dreaming": {"enabled": True, "timezone": "UTC"}}}}
    },
}


@pytest.fixture
def notes(home: Path) -> Path:
    folder = home / ".openclaw/workspace/memory"
    folder.mkdir(parents=True)
    (home / ".openclaw/openclaw.json").write_text(json.dumps(CONFIG))
    return folder


def ask(openclaw: Callable[..., Any], *questions: tuple[str, str]) -> None:
    for day, query in questions:
        result = openclaw("memory", "search", query, "--json", now=f"{day}T10:00:00Z")
        assert result.exit == 0, result.err


def store(notes: Path) -> dict[str, Any]:
    document = json.loads((notes / ".dreams/short-term-recall.json").read_text())
    entries: dict[str, Any] = document["entries"]
    return entries


def test_a_fact_said_twice_is_promoted_once_without_its_surroundings(
    notes: Path, openclaw_inproc: Callable[..., Any]
) -> None:
    (notes / "2026-11-01.md").write_text(
        f"# Day\n\n{KEY}\n- [ ] buy a new fuse box\n- where is the spare key?\n- rain, cold\n"
    )
    (notes / "2026-11-06.md").write_text(f"{AGAIN}\n- the fuse box is quiet\n")
    ask(
        openclaw_inproc,
        ("2026-11-02", "spare key"),
        ("2026-11-05", "spare key fuse box"),
        ("2026-11-08", "where does the spare key hang"),
        ("2026-11-12", "key behind the fuse box"),
        ("2026-11-15", "spare key hall"),
    )
    swept = openclaw_inproc("dreaming", "sweep", "--json", now="2026-11-16T03:00:00Z")
    assert swept.exit == 0, swept.err
    memory = (notes.parent / "MEMORY.md").read_text()
    bullets = [line for line in memory.splitlines() if line.startswith("- ")]
    assert len(bullets) == 1
    assert "spare key hangs behind the fuse box" in bullets[0]
    for other in ("[ ]", "rain", "?"):
        assert other not in bullets[0]


def test_a_newer_value_is_shown_beside_the_older_bullet_which_is_marked(
    notes: Path, openclaw_inproc: Callable[..., Any]
) -> None:
    (notes / "2026-11-01.md").write_text(f"{OLD}\n")
    ask(
        openclaw_inproc,
        *(
            (f"2026-11-{day:02d}", query)
            for day, query in (
                (2, "chess club"), (6, "chess club library"), (9, "when is chess club"),
                (12, "chess club evening"), (13, "chess library"),
            )
        ),
    )  # fmt: skip
    openclaw_inproc("dreaming", "sweep", "--json", now="2026-11-14T03:00:00Z")
    memory = notes.parent / "MEMORY.md"
    assert OLD in memory.read_text()
    (notes / "2026-11-14.md").write_text(f"{NEW}\n")
    ask(openclaw_inproc, ("2026-11-19", "chess club day"), ("2026-11-21", "chess club now"))
    swept = openclaw_inproc("dreaming", "sweep", "--json", now="2026-11-22T03:00:00Z")
    old, new = (line for line in memory.read_text().splitlines() if line.startswith("- Chess club"))
    assert old.startswith(OLD)
    assert old.endswith("[superseded by memory/2026-11-14.md:1-1 on 2026-11-22]")
    assert new.startswith(NEW)
    assert "superseded" not in new
    assert swept.exit == 0


def test_explain_says_where_the_evidence_came_from_and_what_is_missing(
    notes: Path, openclaw_inproc: Callable[..., Any]
) -> None:
    (notes / "2026-11-17.md").write_text(f"{KEY}\n")
    (notes / "2026-11-18.md").write_text(f"{AGAIN}\n")
    ask(openclaw_inproc, ("2026-11-17", "spare key hall"), ("2026-11-18", "Ole spare key"))
    assert len(store(notes)) == 1
    told = openclaw_inproc("memory", "promote-explain", "spare key", now="2026-11-19T08:00:00Z")
    assert told.exit == 0
    assert "FAILS: not-lasting (noted on 2026-11-17" in told.out
    assert "also said in memory/2026-11-18.md:1-1" in told.out
    shown = openclaw_inproc(
        "memory", "promote-explain", "spare key", "--json", now="2026-11-19T08:00:00Z"
    ).json()
    assert shown["claim"]["fit"] is False
    assert shown["claim"]["restated"][0]["path"] == "memory/2026-11-18.md"


def test_promote_lists_what_it_leaves_out_with_a_reason(
    notes: Path, openclaw_inproc: Callable[..., Any]
) -> None:
    (notes / "2026-11-17.md").write_text(f"{KEY}\n")
    ask(openclaw_inproc, ("2026-11-17", "spare key"), ("2026-11-18", "spare key hall"))
    done = openclaw_inproc(
        "memory", "promote", "--apply", "--min-score", "0", "--min-recall-count", "1",
        "--min-unique-queries", "1", now="2026-11-19T08:00:00Z",
    )  # fmt: skip
    assert "not-lasting (noted on 2026-11-17" in done.out
    assert not (notes.parent / "MEMORY.md").exists()
