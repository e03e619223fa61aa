"""Reading notes, and finding a stored snippet again in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import recall_rows
from recall_rows import ROUTER, row

from openclaw_cli.memory.notes import (
    NoteReader,
    heading_text,
    is_topic,
    managed_lines,
    parse_note,
    split_lines,
)
from openclaw_cli.memory.rehydration import Live, NotLive, find_live
from openclaw_cli.memory.workspace import Workspace

DAY = "2026-11-17"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def live(workspace: Workspace, *lines: str, **changes: Any) -> Live | NotLive:
    """Where a stored row stands in the note of these lines."""
    recall_rows.note(workspace, DAY, *lines)
    return find_live(row(**changes), NoteReader(workspace))


# -- reading ---------------------------------------------------------------------------------


def test_lines_end_at_lf_and_crlf() -> None:
    assert split_lines("a\r\nb\nc\rd\n") == ["a", "b", "c\rd", ""]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("## Network ##", "Network"),
        ("#  a   b", "a b"),
        ("   ###### x", "x"),
        ("#", ""),
        ("#tag", None),
        ("####### seven", None),
        ("text", None),
        ("    # code", None),
    ],
)
def test_headings(line: str, text: str | None) -> None:
    assert heading_text(line) == text


@pytest.mark.parametrize(
    "heading",
    ["2026-11-17", "Tuesday, November 17", "Nov 17th, 2026", "17 November", "17/11/2026", "Mon",
     "today", "Morning", "Light Sleep", "2026-11-17-standup.md", ""],
)  # fmt: skip
def test_days_and_parts_of_them_are_no_topics(heading: str) -> None:
    assert not is_topic(heading)


@pytest.mark.parametrize("heading", ["Network", "March plans", "Monday blues", "Night shift"])
def test_subjects_are_topics(heading: str) -> None:
    assert is_topic(heading)


def _managed(text: str) -> str:
    return "".join("M" if one else "." for one in managed_lines(text.split("\n")))


@pytest.mark.parametrize(
    ("text", "managed"),
    [
        ("a\n## Light Sleep\n<!-- openclaw:dreaming:light:start -->\n- x\n"
         "<!-- openclaw:dreaming:light:end -->\nb", ".MMMM."),
        ("## REM Sleep\n\n<!-- openclaw:dreaming:rem:start -->\n### Reflections\n- x\n"
         "<!-- openclaw:dreaming:rem:end -->", "MMMMMM"),
        ("## Mine\n<!-- openclaw:dreaming:light:start -->\nx\n"
         "<!-- openclaw:dreaming:light:end -->", ".MMM"),
        ("<!-- openclaw:dreaming:light:start -->\nx\n### deeper\n## Mine\ny", "MMM.."),
        ("<!-- openclaw:dreaming:light:start -->\nx\ny", "MMM"),
        ("x\n<!-- openclaw:dreaming:light:end -->\ny", ".M."),
        ("plain\ntext", ".."),
    ],
)  # fmt: skip
def test_managed_lines_are_the_block_with_heading_and_markers(text: str, managed: str) -> None:
    assert _managed(text) == managed


def test_the_topic_of_a_line_is_the_nearest_heading_that_names_one() -> None:
    note = parse_note("# Network\n## 2026-11-17\n- a\n<!-- openclaw:dreaming:rem:end -->\n- b")
    assert note.heading_above(3) == "Network"
    assert note.heading_above(5) == ""


def test_only_files_inside_the_workspace_are_read(workspace: Workspace, tmp_path: Path) -> None:
    recall_rows.note(workspace, DAY, "text")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-11-16.md").write_text("secret")
    reader = NoteReader(workspace)
    assert reader.read("../memory/2026-11-16.md") is None
    assert reader.read(str(tmp_path / "memory/2026-11-16.md")) is None
    linked = workspace.memory_dir / "2026-11-16.md"
    linked.symlink_to(tmp_path / "memory/2026-11-16.md")
    assert reader.read("memory/2026-11-16.md") is None
    loop = workspace.memory_dir / "2026-11-15.md"
    loop.symlink_to(loop.name)
    assert reader.read("memory/2026-11-15.md") is None


def test_bytes_that_are_no_text_do_not_stop_reading(workspace: Workspace) -> None:
    workspace.memory_dir.mkdir(parents=True)
    (workspace.memory_dir / f"{DAY}.md").write_bytes(b"\x00\xff\n" + ROUTER.encode() + b"\n")
    note = NoteReader(workspace).read(f"memory/{DAY}.md")
    assert not isinstance(note, str)
    assert note is not None
    assert note.lines[1] == ROUTER


# -- finding again ---------------------------------------------------------------------------


def test_an_unchanged_range_is_taken_as_it_is(workspace: Workspace) -> None:
    assert live(workspace, "# day", "", ROUTER) == Live(3, 3, ROUTER)


def test_a_moved_line_is_found_where_it_is_now(workspace: Workspace) -> None:
    found = live(workspace, "# day", "", "- new", "- lines", ROUTER)
    assert found == Live(5, 5, ROUTER)


def test_an_extended_line_is_taken_whole(workspace: Workspace) -> None:
    longer = ROUTER + " Confirmed by the admin."
    assert live(workspace, "# day", "", longer) == Live(3, 3, longer)


def test_a_shortened_line_that_still_says_it_is_taken(workspace: Workspace) -> None:
    stored = "- Backups run at 02:00 and land in the glacier bucket."
    short = "- Backups run at 02:00"
    assert live(workspace, "", "", short, snippet=stored) == Live(3, 3, short)


@pytest.mark.parametrize("rest", ["- Prefers", "-", "- Prefers short", "morning."])
def test_a_stray_word_of_it_is_not_the_statement(workspace: Workspace, rest: str) -> None:
    stored = "- Prefers short status updates in the morning."
    found = live(workspace, "", "", rest, snippet=stored)
    assert isinstance(found, NotLive)
    assert found.reason == "no-match"


def test_a_fragment_of_chinese_text_is_measured_by_characters(workspace: Workspace) -> None:
    stored = "路由器搬到机房，网关地址已经改变。"
    assert live(workspace, "", "", "路由器搬到机房", snippet=stored) == Live(3, 3, "路由器搬到机房")
    assert isinstance(live(workspace, "", "", "路由器", snippet=stored), NotLive)


def test_a_range_of_several_lines_is_joined(workspace: Workspace) -> None:
    stored = "# day First line. - Second   line.".replace("   ", " ")
    found = live(
        workspace, "# day", "First line.", "", "- Second line.", snippet=stored, line=1, endLine=4
    )
    assert found == Live(1, 4, stored)


def test_lines_that_were_merged_are_found_across_their_new_break(workspace: Workspace) -> None:
    stored = "- The dentist moved to the second floor of the office."
    found = live(workspace, "", "", "- The dentist moved to", "  the second floor of the office.",
                 snippet=stored)  # fmt: skip
    assert found == Live(3, 4, stored)


def test_the_nearest_of_equal_places_wins(workspace: Workspace) -> None:
    lines = [ROUTER, *["x"] * 5, ROUTER, *["x"] * 9, ROUTER]
    assert live(workspace, *lines, line=9) == Live(7, 7, ROUTER)


def test_only_the_moved_line_is_taken_not_its_new_neighbour(workspace: Workspace) -> None:
    stored = "Router vlan 20 carries the backup traffic to the gateway host."
    found = live(workspace, "", "", "## Network", "- Filler line that was added later.",
                 f"- {stored}", snippet=stored, line=4)  # fmt: skip
    assert found == Live(5, 5, f"- {stored}")


def test_a_staged_heading_is_recognised_and_written_as_it_is_now(workspace: Workspace) -> None:
    found = live(workspace, "# 2026-11-17", "## Networking", "- other", "- Router moved to VLAN 20",
                 snippet="Network: Router moved to VLAN 20", line=4)  # fmt: skip
    assert found == Live(4, 4, "Networking: Router moved to VLAN 20")


def test_a_staged_heading_without_any_in_the_note_gives_the_line(workspace: Workspace) -> None:
    found = live(workspace, "# 2026-11-17", "- Router moved to VLAN 20",
                 snippet="Network: Router moved to VLAN 20")  # fmt: skip
    assert found == Live(2, 2, "- Router moved to VLAN 20")


def test_a_staged_list_is_found_by_its_items(workspace: Workspace) -> None:
    stored = "Network: Router moved.; Gateway answers again."
    lines = ["## Network", "- Router moved.", "2. Gateway answers again."]
    found = live(workspace, *lines, snippet=stored, line=2, endLine=3)
    assert found == Live(2, 3, stored)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("- **Alice** prefers [short calls](https://example.org/a_b)",
         "- **Alice** prefers [short calls](https://example.org/a_b)"),
        ("- [x] Alice prefers `short` calls", "- [x] Alice prefers `short` calls"),
        ("1. Alice *prefers* short calls, and tea", "1. Alice *prefers* short calls, and tea"),
    ],
)  # fmt: skip
def test_a_claim_without_markdown_is_found_in_the_line_that_has_it(
    workspace: Workspace, line: str, found: str
) -> None:
    told = live(workspace, "# Day", "", line, snippet="Alice prefers short calls", startLine=3)
    assert told == Live(3, 3, found)


def test_a_claim_under_its_heading_is_found_in_bold(workspace: Workspace) -> None:
    told = live(workspace, "## Alice", "- prefers **short** calls", "- Alice: prefers",
                snippet="Alice: prefers short calls", startLine=2)  # fmt: skip
    assert told == Live(2, 2, "Alice: prefers **short** calls")


def test_a_text_inside_a_managed_block_is_refused(workspace: Workspace) -> None:
    block = [
        "<!-- openclaw:dreaming:light:start -->",
        ROUTER,
        "<!-- openclaw:dreaming:light:end -->",
    ]
    found = live(workspace, "", *block)
    assert isinstance(found, NotLive)
    assert found.reason == "fenced"


def test_the_owner_s_line_is_preferred_to_the_block_s(workspace: Workspace) -> None:
    block = [
        "<!-- openclaw:dreaming:light:start -->",
        ROUTER,
        "<!-- openclaw:dreaming:light:end -->",
    ]
    assert live(workspace, "", *block, *["x"] * 20, ROUTER) == Live(25, 25, ROUTER)


@pytest.mark.parametrize(
    ("lines", "snippet", "end"),
    [
        (["## A", "", "## B"], "## A ## B", 5),
        (["- Candidate: tea", "  - confidence: 0.62"], "tea confidence: 0.62", 4),
    ],
)
def test_live_text_without_a_statement_is_junk(
    workspace: Workspace, lines: list[str], snippet: str, end: int
) -> None:
    found = live(workspace, "", "", *lines, snippet=snippet, endLine=end)
    assert isinstance(found, NotLive)
    assert found.reason in ("junk", "no-match")


def test_missing_and_unreadable_notes_have_their_own_reasons(workspace: Workspace) -> None:
    reader = NoteReader(workspace)
    missing = find_live(row(), reader)
    assert isinstance(missing, NotLive)
    assert missing.reason == "missing-file"


def test_a_note_that_cannot_be_read_has_a_reason_of_its_own(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    recall_rows.note(workspace, DAY, ROUTER)

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    found = find_live(row(), NoteReader(workspace))
    assert isinstance(found, NotLive)
    assert found.reason == "unreadable-file"
    assert "Permission denied" in found.detail


def test_an_empty_snippet_takes_its_stored_range(workspace: Workspace) -> None:
    assert live(workspace, "", "", "- whatever stands here", snippet="") == Live(
        3, 3, "- whatever stands here"
    )
    assert isinstance(live(workspace, "x", snippet=""), NotLive)


def test_paths_without_memory_are_found_there_by_name(workspace: Workspace) -> None:
    recall_rows.note(workspace, DAY, "", "", ROUTER)
    assert find_live(row(path=f"{DAY}.md"), NoteReader(workspace)) == Live(3, 3, ROUTER)
    elsewhere = row(path=f"old/memory/{DAY}.md")
    assert find_live(elsewhere, NoteReader(workspace)) == Live(3, 3, ROUTER)


def test_corpus_lines_lose_their_source(workspace: Workspace) -> None:
    workspace.corpus_dir.mkdir(parents=True)
    line = "[main/sessions/main/s1.jsonl#L2] User: I prefer tea in the morning."
    (workspace.corpus_dir / f"{DAY}.txt").write_text(line + "\n")
    path = f"memory/.dreams/session-corpus/{DAY}.txt"
    stored = row("User: I prefer tea in the morning.", path=path, line=1)
    found = find_live(stored, NoteReader(workspace))
    assert found == Live(1, 1, "User: I prefer tea in the morning.")


@pytest.mark.parametrize("place", [(0, 0), (-5, 2), (900, 901), (3, 1)])
def test_ranges_out_of_the_note_are_searched_for(
    workspace: Workspace, place: tuple[int, int]
) -> None:
    found = live(workspace, "# day", ROUTER, line=place[0], endLine=place[1])
    assert isinstance(found, Live)
    assert (found.start_line, found.text) == (2, ROUTER)


def test_a_huge_note_is_searched_in_reasonable_time(workspace: Workspace) -> None:
    import time

    lines = [f"- line number {n} about nothing in particular" for n in range(400_000)]
    lines[300_000] = ROUTER
    started = time.process_time()
    assert live(workspace, *lines) == Live(300_001, 300_001, ROUTER)
    assert time.process_time() - started < 5


def test_a_byte_order_mark_hides_no_heading() -> None:
    note = parse_note("\ufeff# Router\n- It is new")
    assert note.heading_above(2) == "Router"
