"""Evidence follows the text, not the line (12.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openclaw_cli.dreaming.evidence import settle
from openclaw_cli.dreaming.snippets import cut_note
from openclaw_cli.memory.notes import NoteReader
from openclaw_cli.memory.recall_store import RecallStore
from openclaw_cli.memory.workspace import Workspace

PATH = "memory/2026-11-19.md"
ROUTER = "Router vlan 20 carries the backup traffic to the gateway host."
KETTLE = "The kettle stands on the left shelf of the pantry."


def entry(snippet: str, line: int, **fields: Any) -> dict[str, Any]:
    return {
        "key": f"memory:{PATH}:{line}:{line}", "path": PATH, "startLine": line, "endLine": line,
        "source": "memory", "snippet": snippet, "recallCount": 4, "dailyCount": 1,
        "groundedCount": 0, "totalScore": 4.0, "maxScore": 0.9,
        "firstRecalledAt": "2026-11-19T10:00:00.000Z", "lastRecalledAt": "2026-11-19T10:00:00.000Z",
        "queryHashes": ["q1", "s1"], "recallDays": ["2026-11-19"], "conceptTags": [],
    } | fields  # fmt: skip


class Note:
    """A note with entries that point into it."""

    def __init__(self, home: Path, text: str, *entries: dict[str, Any]) -> None:
        self.workspace = Workspace(home / "w")
        self.workspace.memory_dir.mkdir(parents=True)
        (self.workspace.root / PATH).write_text(text)
        self.text = text
        self.store = RecallStore()
        self.store.entries = {row["key"]: row for row in entries}
        self.signals: dict[str, Any] = {
            row["key"]: {"key": row["key"], "lightHits": 2, "remHits": 0} for row in entries
        }

    def settle(self) -> dict[str, Any]:
        return settle(
            self.store, self.signals, PATH,
            snippets=cut_note(self.text, 99), reader=NoteReader(self.workspace),
        )  # fmt: skip

    def lines(self) -> dict[str, tuple[int, str, int]]:
        return {
            key.removeprefix(f"memory:{PATH}:"): (
                row["startLine"],
                row["snippet"],
                row["recallCount"],
            )
            for key, row in self.store.entries.items()
        }


def test_unchanged_note_changes_nothing(home: Path) -> None:
    note = Note(home, f"- {ROUTER}\n\n- {KETTLE}\n", entry(ROUTER, 1), entry(KETTLE, 3))
    assert note.settle() == {}
    assert note.lines() == {"1:1": (1, ROUTER, 4), "3:3": (3, KETTLE, 4)}


def test_moved_text_takes_its_evidence_along(home: Path) -> None:
    note = Note(home, f"- Something new came in here.\n\n- {ROUTER}\n", entry(ROUTER, 1))
    assert note.settle() == {}
    assert note.lines() == {"3:3": (3, ROUTER, 4)}
    assert note.signals == {
        f"memory:{PATH}:3:3": {"key": f"memory:{PATH}:3:3", "lightHits": 2, "remHits": 0}
    }


def test_lines_that_changed_places_change_keys(home: Path) -> None:
    note = Note(
        home, f"- {KETTLE}\n\n- {ROUTER}\n", entry(ROUTER, 1), entry(KETTLE, 3, recallCount=1)
    )
    assert note.settle() == {}
    assert note.lines() == {"3:3": (3, ROUTER, 4), "1:1": (1, KETTLE, 1)}


def test_rewritten_line_starts_afresh(home: Path) -> None:
    note = Note(home, f"- {KETTLE}\n", entry(ROUTER, 1))
    gone = note.settle()
    assert [row["snippet"] for row in gone.values()] == [ROUTER]
    assert note.lines() == {}
    assert note.signals == {}


def test_edited_line_keeps_its_evidence(home: Path) -> None:
    note = Note(home, f"- {KETTLE.replace('left', 'right')}\n", entry(KETTLE, 1))
    assert note.settle() == {}
    assert list(note.lines()) == ["1:1"]


def test_vanished_text_stays_until_its_place_is_taken(home: Path) -> None:
    note = Note(home, "# Empty\n", entry(ROUTER, 3))
    assert note.settle() == {}
    assert list(note.lines()) == ["3:3"]


def test_two_entries_of_one_statement_become_one(home: Path) -> None:
    note = Note(home, f"## New\n\n- {ROUTER}\n", entry(ROUTER, 1), entry(ROUTER, 3, recallCount=1))
    assert note.settle() == {}
    assert note.lines() == {"3:3": (3, ROUTER, 5)}
    (row,) = note.store.entries.values()
    assert row["dailyCount"] == 1


@pytest.mark.parametrize("text", [f"- {KETTLE}\n", f"- x\n\n- {ROUTER}\n"])
def test_promoted_entries_keep_their_key(home: Path, text: str) -> None:
    note = Note(home, text, entry(ROUTER, 1, promotedAt="2026-11-19T12:00:00.000Z"))
    assert note.settle() == {}
    assert list(note.lines()) == ["1:1"]


def test_entries_of_other_notes_are_not_looked_at(home: Path) -> None:
    other = entry(ROUTER, 1, path="memory/2026-11-18.md", key="memory:memory/2026-11-18.md:1:1")
    note = Note(home, f"- {KETTLE}\n", other)
    assert note.settle() == {}
    assert list(note.store.entries) == ["memory:memory/2026-11-18.md:1:1"]
