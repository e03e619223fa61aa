"""Managed blocks are replaced in place; what people wrote around them stays."""

from __future__ import annotations

import pytest

from openclaw_cli.dreaming.blocks import block_of, put_block

LIGHT = block_of("light")
START, END = (f"<!-- openclaw:dreaming:light:{word} -->" for word in ("start", "end"))
BLOCK = "## Light Sleep\n" + START + "\n{}\n" + END


def test_titles_of_the_phases() -> None:
    titles = [block_of(phase).heading for phase in ("light", "rem", "deep")]
    assert titles == ["## Light Sleep", "## REM Sleep", "## Deep Sleep"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", BLOCK + "\n"),
        ("  \n", BLOCK + "\n"),
        ("# Note\n\ntext\n\n\n", "# Note\n\ntext\n\n" + BLOCK + "\n"),
        ("a\n" + BLOCK.format("old") + "\n\n## Next\nb", "a\n" + BLOCK + "\n\n## Next\nb\n"),
        (BLOCK.format("1") + "\nmine\n" + BLOCK.format("2") + "\nend\n", BLOCK + "\nmine\n\nend\n"),
        (BLOCK.format("1") + "\n\n" + BLOCK.format("2") + "\nend\n", BLOCK + "\nend\n"),
    ],
    ids=["empty", "blank", "appended", "replaced", "text between kept", "blank between dropped"],
)
def test_block_is_put(before: str, after: str) -> None:
    assert put_block(before, LIGHT, ["- new"]) == after.format("- new")


def test_block_without_its_heading_is_not_ours() -> None:
    foreign = "<!-- openclaw:dreaming:light:start -->\nx\n<!-- openclaw:dreaming:light:end -->\n"
    assert put_block(foreign, LIGHT, ["- new"]) == foreign + "\n" + BLOCK.format("- new") + "\n"


def test_block_of_another_phase_stays() -> None:
    rem = put_block("", block_of("rem"), ["- r"])
    both = put_block(rem, LIGHT, ["- l"])
    assert put_block(both, LIGHT, ["- l"]) == both
    assert rem.strip() in both


def test_line_ends_of_windows_are_kept_around_the_block() -> None:
    text = "a\r\n" + BLOCK.format("old").replace("\n", "\r\n") + "\r\nb\r\n"
    assert put_block(text, LIGHT, ["- n"]) == "a\r\n" + BLOCK.format("- n") + "\r\nb\r\n"
