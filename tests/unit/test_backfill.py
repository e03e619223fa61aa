"""Backfilling diary and store, and taking it back: plans, files, the record of what was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import NOW_MS, row

from openclaw_cli.dreaming import backfill, diary_section, history
from openclaw_cli.dreaming.rewriting import Place
from openclaw_cli.dreaming.staging import Grounding
from openclaw_cli.errors import NotAllowed, UnreadableFile
from openclaw_cli.memory.entries import claim_hash
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import changes
from openclaw_cli.state.paths import Paths

LATER_MS = NOW_MS + 86_400_000
PREFERS = "Prefers short status updates."
METRIC = "Always use the metric system."
NOTE = f"# day\n\n## Preferences\n- {PREFERS}\n- {METRIC}\n"
KEY = f"memory:memory/2026-11-10.md:4:4:{claim_hash(PREFERS)}"
DIARY = """# Mine

# Dream Diary

<!-- openclaw:dreaming:diary:start -->

---

*November 12, 2026 at 3:00 AM UTC*

The router hummed.

<!-- openclaw:dreaming:diary:end -->

Closing words.
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    workspace = Workspace(tmp_path / "workspace")
    workspace.memory_dir.mkdir(parents=True)
    return Place(workspace, Paths(tmp_path, tmp_path / "state"), NOW_MS, "memory rem-backfill")


def notes(
    place: Place, *days: str, text: str = NOTE, folder: Path | None = None
) -> list[Grounding]:
    folder = folder or place.workspace.memory_dir
    folder.mkdir(parents=True, exist_ok=True)
    for day in days or ("2026-11-10",):
        (folder / f"{day}.md").write_text(text)
    return history.ground_all(history.find(folder), [])


def tree(place: Place) -> dict[str, bytes | None]:
    """Files and folders of the workspace."""
    root = place.workspace.root
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
    }


def entries(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place.workspace.recall_path.read_text())["entries"]
    return found


def log(place: Place) -> list[tuple[str, str | None]]:
    return [(line["rule"], line["key"]) for line in changes.read(place.paths)]


def all_back(place: Place) -> None:
    backfill.roll_back(place._replace(now_ms=LATER_MS), diary=True, store=True)


# The round trip


def none_before(place: Place) -> None:
    del place


def own_words(place: Place) -> None:
    place.diary.write_text("My own words, without a final newline")


def a_loose_diary(place: Place) -> None:
    place.diary.write_text(DIARY)


def a_lower_case_diary(place: Place) -> None:
    (place.workspace.root / "dreams.md").write_text(DIARY)


def a_live_store(place: Place) -> None:
    known = row(PREFERS, key=KEY, path="memory/2026-11-10.md", line=4, endLine=4)
    recall_rows.write(place.workspace, known, row(), extra={"kept": 1})
    hits = {known["key"]: {"key": known["key"], "lightHits": 1, "remHits": 0}}
    document = {"version": 1, "updatedAt": "2026-11-19T03:00:00.000Z", "entries": hits}
    place.workspace.signals_path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    "prepare", [none_before, own_words, a_loose_diary, a_lower_case_diary, a_live_store]
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_rollback_puts_every_byte_back(
    place: Place, prepare: Callable[[Place], None], times: int
) -> None:
    found = notes(place, "2026-11-10", "2026-11-11")
    prepare(place)
    before = tree(place)
    for number in range(times):
        backfill.backfill(place._replace(now_ms=NOW_MS + number), found, stage=True)
    assert tree(place) != before
    all_back(place)
    assert tree(place) == before
    assert not list(place.paths.under("jobs").glob("backfill-*"))


def test_what_happened_since_stays(place: Place) -> None:
    found = notes(place)
    place.diary.write_text(DIARY)
    backfill.backfill(place, found, stage=True)
    text = place.diary.read_text()
    later = "\n---\n\n*November 21, 2026 at 3:00 AM UTC*\n\nLater.\n\n"
    end = text.index("<!-- openclaw:dreaming:diary:end")
    place.diary.write_text(text[:end] + later + text[end:])
    all_back(place)
    blocks = diary_section.blocks_of(place.diary.read_text())
    assert [block.splitlines()[-1] for block in blocks] == ["The router hummed.", "Later."]
    assert place.diary.read_text().startswith("# Mine\n")
    assert place.diary.read_text().endswith("Closing words.\n")


def test_the_rollbacks_undo_each_their_part(place: Place) -> None:
    found = notes(place)
    before = tree(place)
    backfill.backfill(place, found, stage=True)
    backfill.roll_back(place, diary=True, store=False)
    assert not place.diary.exists()
    assert KEY in entries(place)
    backfill.roll_back(place, diary=False, store=True)
    assert tree(place) == before


def test_a_rollback_without_anything_to_undo_writes_nothing(place: Place) -> None:
    a_loose_diary(place)
    a_live_store(place)
    before = tree(place)
    plan = backfill.roll_back(place, diary=True, store=True)
    assert plan.writes == []
    assert (plan.counts["removedEntries"], plan.counts["removedShortTermEntries"]) == (0, 0)
    assert tree(place) == before


def test_a_rollback_makes_no_diary_section(place: Place) -> None:
    own_words(place)
    backfill.roll_back(place, diary=True, store=False)
    assert place.diary.read_text() == "My own words, without a final newline"


def test_without_a_record_the_rules_decide_alone(place: Place) -> None:
    found = notes(place)
    backfill.backfill(place, found, stage=True)
    next(place.paths.under("jobs").glob("backfill-*")).write_text("broken")
    all_back(place)
    assert place.diary.read_text() == diary_section.bare_section()
    assert entries(place) == {}


# The diary


def test_a_backfill_names_its_notes_absolutely_or_as_the_workspace_does(place: Place) -> None:
    found = notes(place)
    backfill.backfill(place, found)
    assert f"source={place.workspace.root}/memory/2026-11-10.md -->" in place.diary.read_text()
    backfill.backfill(place, found, relative=True)
    assert "source=memory/2026-11-10.md -->" in place.diary.read_text()


def test_replaced_entries_are_in_the_change_log(place: Place) -> None:
    backfill.backfill(place, notes(place))
    backfill.backfill(place, notes(place, "2026-11-10", text="## A\n- Prefers tea in bed.\n"))
    backfill.roll_back(place, diary=True, store=False)
    rows = [(line["rule"], line["row"]["text"]) for line in changes.read(place.paths)]
    assert [rule for rule, _ in rows] == ["backfill-replaced", "backfill-rollback"]
    assert METRIC in rows[0][1]
    assert "tea" in rows[1][1]


def test_the_same_again_changes_nothing(place: Place) -> None:
    found = notes(place)
    backfill.backfill(place, found, stage=True)
    before = tree(place)
    plan = backfill.backfill(place, found)
    assert plan.writes == []
    assert plan.counts["replacedEntries"] == 1
    assert tree(place) == before


def test_a_linked_diary_is_refused_before_anything_is_staged(place: Place, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("x")
    place.diary.symlink_to(tmp_path / "elsewhere.md")
    before = tree(place)
    with pytest.raises(NotAllowed):
        backfill.backfill(place, notes(place), stage=True)
    assert {k: v for k, v in tree(place).items() if not k.startswith("memory/2026")} == before


def test_a_diary_that_is_no_text_is_left_alone(place: Place) -> None:
    place.diary.write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableFile):
        backfill.backfill(place, notes(place))
    assert place.diary.read_bytes() == b"\xff\xfe"


def test_the_mode_of_the_diary_stays(place: Place) -> None:
    place.diary.write_text(DIARY)
    place.diary.chmod(0o644)
    backfill.backfill(place, notes(place))
    assert place.diary.stat().st_mode & 0o777 == 0o644
    place.diary.unlink()
    backfill.backfill(place, notes(place))
    assert place.diary.stat().st_mode & 0o777 == 0o600


def test_a_dry_run_writes_nothing(place: Place) -> None:
    found = notes(place)
    before = tree(place)
    plan = backfill.backfill(place, found, stage=True, dry_run=True)
    assert plan.writes
    assert plan.counts["writtenEntries"] == 1
    assert tree(place) == before
    assert not place.paths.state_dir.exists()


def test_secrets_and_our_own_blocks_of_a_note_stay_out(place: Place) -> None:
    text = (
        "## Preferences\n- Prefers the token sk-proj-abcdefghijklmnop1234567890 for the mail.\n\n"
        "## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n"
        "- Candidate: prefers something staged\n<!-- openclaw:dreaming:light:end -->\n"
    )
    backfill.backfill(place, notes(place, text=text), stage=True)
    written = place.diary.read_text() + place.workspace.recall_path.read_text()
    assert "sk-proj-abc" not in written
    assert "something staged" not in written
    assert "Prefers the token" in written


def test_dedupe_keeps_the_first_of_equal_entries(place: Place) -> None:
    one = "*May 1, 2026*\n\nSame."
    text = diary_section.with_backfill("own\n", [one, one, "*May 2, 2026*\n\nSame."])[0]
    place.diary.write_text(text)
    plan = backfill.dedupe(place)
    assert (plan.counts["removed"], plan.counts["kept"]) == (1, 2)
    assert diary_section.blocks_of(place.diary.read_text()) == [one, "*May 2, 2026*\n\nSame."]
    assert log(place) == [("duplicate-entry", None)]
    assert backfill.dedupe(place).writes == []


# The store


def test_updates_and_durable_candidates_are_staged_once_per_claim(place: Place) -> None:
    plan = backfill.backfill(place, notes(place), stage=True)
    assert plan.counts["stagedShortTermEntries"] == 4  # two statements, each met twice
    entry = entries(place)[KEY]
    assert (entry["groundedCount"], entry["recallCount"], entry["dailyCount"]) == (3, 0, 0)
    assert entry["totalScore"] == pytest.approx(2.66)
    assert entry["maxScore"] == 0.92
    assert entry["recallDays"] == ["2026-11-10"]
    assert entry["claimHash"] == claim_hash(PREFERS)
    assert not place.workspace.events_path.exists()


def test_staging_replaces_what_an_earlier_one_left(place: Place) -> None:
    backfill.backfill(place, notes(place), stage=True)
    other = notes(place, text="## Tea\n- Prefers tea in the morning.\n")
    plan = backfill.backfill(place, other, stage=True)
    assert plan.counts["replacedShortTermEntries"] == 2
    assert [entry["snippet"] for entry in entries(place).values()] == [
        "Prefers tea in the morning."
    ]
    gone = [key for rule, key in log(place) if rule == "staging-replaced"]
    assert KEY in gone


def test_a_promoted_staged_entry_keeps_its_mark(place: Place) -> None:
    found = notes(place)
    backfill.backfill(place, found, stage=True)
    document = json.loads(place.workspace.recall_path.read_text())
    document["entries"][KEY]["promotedAt"] = "2026-11-21T03:00:00.000Z"
    place.workspace.recall_path.write_text(json.dumps(document))
    plan = backfill.roll_back(place, diary=False, store=True)
    assert plan.counts["removedShortTermEntries"] == 2
    left = entries(place)
    assert list(left) == [KEY]
    assert (left[KEY]["groundedCount"], left[KEY]["totalScore"]) == (0, 0)
    assert left[KEY]["promotedAt"] == "2026-11-21T03:00:00.000Z"
    backfill.backfill(place, found, stage=True)
    assert entries(place)[KEY]["promotedAt"] == "2026-11-21T03:00:00.000Z"
    assert backfill.roll_back(place, diary=False, store=True).counts["removedShortTermEntries"] == 2


def test_rows_of_signals_go_with_their_entries(place: Place) -> None:
    a_live_store(place)
    backfill.backfill(place, notes(place), stage=True)
    other = next(key for key in entries(place) if key.endswith(claim_hash(METRIC)))
    document = json.loads(place.workspace.signals_path.read_text())
    document["entries"][other] = {"key": other, "lightHits": 1, "remHits": 0}
    place.workspace.signals_path.write_text(json.dumps(document))
    backfill.roll_back(place, diary=False, store=True)
    assert list(json.loads(place.workspace.signals_path.read_text())["entries"]) == [KEY]


def test_broken_signals_stay_as_they_are(place: Place) -> None:
    backfill.backfill(place, notes(place), stage=True)
    place.workspace.signals_path.write_text("broken")
    backfill.roll_back(place, diary=False, store=True)
    assert place.workspace.signals_path.read_text() == "broken"


def test_a_broken_store_stops_the_backfill_whole(place: Place) -> None:
    place.workspace.dreams_dir.mkdir()
    place.workspace.recall_path.write_text("{")
    with pytest.raises(UnreadableFile):
        backfill.backfill(place, notes(place), stage=True)
    assert not place.diary.exists()


def test_notes_from_elsewhere_count_under_the_name_they_would_have(
    place: Place, tmp_path: Path
) -> None:
    plan = backfill.backfill(place, notes(place, folder=tmp_path / "old"), stage=True)
    assert plan.refused == []
    assert KEY in entries(place)


def test_where_the_workspace_has_a_note_of_that_name_only_what_it_says_counts(
    place: Place, tmp_path: Path
) -> None:
    notes(place, text=f"# own\n\n\n## Likes\n- {METRIC}\n")
    plan = backfill.backfill(place, notes(place, folder=tmp_path / "old"), stage=True)
    assert {(signal.snippet, why) for signal, why in plan.refused} == {(PREFERS, "other-note")}
    (entry,) = entries(place).values()
    assert (entry["snippet"], entry["startLine"]) == (METRIC, 5)


def test_surplus_entries_are_told(place: Place) -> None:
    lines = "\n".join(f"## S{n}\n- Prefers thing number {n} most.\n" for n in range(4))
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 7) for day in range(1, 29)]
    found = notes(place, *days, text=lines)
    plan = backfill.backfill(place, found, stage=True)
    assert len(entries(place)) == 512
    assert plan.counts["surplusShortTermEntries"] == len(days) * 4 - 512
