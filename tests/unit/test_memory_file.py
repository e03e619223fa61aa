"""``MEMORY.md``: format, markers, making room."""

from __future__ import annotations

from typing import Any

import pytest

from openclaw_cli.memory import memory_file
from openclaw_cli.memory.text import utf16_length

MARKER = "<!-- openclaw-memory-promotion:memory:memory/2026-10-01.md:9:9 -->"
BULLET = "- The sweep comes in October. [score=0.801 recalls=3 avg=0.700 source=memory/a.md:9-9]"


def candidate(snippet: str, **changes: Any) -> dict[str, Any]:
    return {
        "key": "k", "path": "memory/2026-11-17.md", "startLine": 3, "endLine": 4,
        "snippet": snippet, "score": 0.91282, "recallCount": 6, "avgScore": 0.92, **changes,
    }  # fmt: skip


def test_a_new_file_gets_its_title_and_two_empty_lines() -> None:
    lines = memory_file.bullet_lines(candidate("- Router moved."), 160)
    text = memory_file.append("", memory_file.section("2026-11-20", lines))
    assert text == (
        "# Long-Term Memory\n\n\n"
        "## Promoted From Short-Term Memory (2026-11-20)\n\n"
        "<!-- openclaw-memory-promotion:k -->\n"
        "- Router moved. [score=0.913 recalls=6 avg=0.920 source=memory/2026-11-17.md:3-4]\n"
    )


@pytest.mark.parametrize("existing", ["own text", "own text\n"])
def test_existing_text_is_completed_and_kept(existing: str) -> None:
    assert memory_file.append(existing, "\n## S\n") == "own text\n\n## S\n"


def test_a_blank_file_counts_as_new() -> None:
    assert memory_file.append(" \n\n", "\n## S\n").startswith("# Long-Term Memory\n\n\n## S")


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ("", "(no snippet captured)"),
        ("- ", "(no snippet captured)"),
        ("1.  one\n two", "one two"),
        ("word " * 300, "word " * 127 + "word..."),
    ],
)
def test_a_bullet_is_one_line_within_its_budget(snippet: str, text: str) -> None:
    assert memory_file.bullet_text(snippet, 160) == text


def test_markers_and_statements_of_a_file_are_found() -> None:
    text = f"x\n{MARKER}\n{BULLET}\n<!--openclaw-memory-promotion: other -->\n* Own  Fact\ntext\n"
    assert memory_file.marker_keys(text) == {"memory:memory/2026-10-01.md:9:9", "other"}
    assert memory_file.claims(text) == {"the sweep comes in october.", "own fact"}


# -- making room -----------------------------------------------------------------------------


def room(*parts: str, needed: int = 0) -> memory_file.Compaction:
    """What is left of a file of these parts that is far over its budget."""
    return memory_file.make_room("".join(parts), memory_file.BUDGET + needed)


def section(date: str, *lines: str) -> str:
    body = "\n".join(lines)
    return f"## Promoted From Short-Term Memory ({date})\n\n{body}\n"


def test_a_file_within_the_budget_is_left_alone() -> None:
    text = "own\r\n\r\n" + section("2026-10-01", MARKER, BULLET)
    assert memory_file.make_room(text, 100) == (text, [], [])


def test_the_oldest_section_goes_first_and_only_as_many_as_needed() -> None:
    filler = "# Long-Term Memory\n\n" + "- own note\n" * 545 + "\n"
    old = section("2026-09-01", *(f"- a {n} " + "x" * 40 for n in range(40))) + "\n"
    newer = section("2026-10-01", *(f"- b {n} " + "x" * 40 for n in range(40))) + "\n"
    text = filler + newer + old
    made = memory_file.make_room(text, 300)
    assert made.dates == ["2026-09-01"]
    assert made.text == filler + newer.rstrip() + "\n"
    assert utf16_length(made.text) + 300 <= memory_file.BUDGET
    assert made.removed[0] == "## Promoted From Short-Term Memory (2026-09-01)"
    assert len([line for line in made.removed if line.startswith("- a ")]) == 40


@pytest.mark.parametrize(
    "own",
    [
        "# House rules\n\nNever delete this line.\n",
        "### Meters (mine)\n- Water meter ends in 4417.\n",
        "Own paragraph right below.\n",
        "> quoted\n",
        "```\ncode\n```\n",
    ],
)
def test_text_of_the_owner_below_a_section_survives(own: str) -> None:
    made = room("top\n\n", section("2026-10-01", MARKER, BULLET), "\n", own)
    assert made.text == f"top\n\n{own}"
    assert made.dates == ["2026-10-01"]


def test_own_bullets_between_promoted_ones_survive_under_a_plain_heading() -> None:
    own = "- Water meter number ends in 4417."
    made = room("top\n\n", section("2026-10-01", MARKER, BULLET, own, "", "- another of mine"))
    kept = f"{own}\n\n- another of mine\n"
    assert made.text == f"top\n\n## Notes kept from 2026-10-01\n\n{kept}"
    assert made.removed == [
        "## Promoted From Short-Term Memory (2026-10-01)",
        MARKER,
        BULLET,
    ]
    assert room(made.text).text == made.text


def test_a_section_in_the_middle_leaves_one_empty_line() -> None:
    made = room("top\n\n", section("2026-10-01", MARKER, BULLET), "\n## Next\n- own\n")
    assert made.text == "top\n\n## Next\n- own\n"
    close = room("top\n", section("2026-10-01", MARKER, BULLET), "\n## Next\n")
    assert close.text == "top\n\n## Next\n"


def test_the_owner_s_line_ends_stay() -> None:
    made = room("top\r\n\r\nown\r\n\r\n", section("2026-10-01", MARKER, BULLET))
    assert made.text == "top\r\n\r\nown\n"


def test_every_droppable_section_goes_before_giving_up() -> None:
    own = "own " * 4000
    made = room(own + "\n\n", section("2026-10-02", MARKER, BULLET), "\n",
                section("2026-10-01", MARKER, BULLET))  # fmt: skip
    assert made.dates == ["2026-10-01", "2026-10-02"]
    assert made.text == own + "\n"
