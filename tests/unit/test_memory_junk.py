"""What is never a memory."""

from __future__ import annotations

import pytest

from openclaw_cli.memory.junk import is_artefact, is_scaffolding, refusal

NOTE = "memory/2026-11-17.md"
CORPUS = "memory/.dreams/session-corpus/2026-11-17.txt"

STAGED = (
    "- Candidate: likes tea - confidence: 0.8 - evidence: memory/2026-11-17.md:3-3 "
    "- recalls: 2 - status: staged"
)


@pytest.mark.parametrize(
    "text",
    [
        "text <!-- OpenClaw-Memory-Promotion:memory:memory/2026-11-17.md:3:3 --> more",
        "[agent:main:dreaming-narrative-light-1] User: Write a dream diary entry from these "
        "memory fragments: x",
        STAGED,
        "@@ -1,3 - " + STAGED,
        "[x] Reflections: tea confidence: 1 evidence: memory/a recalls: 1 status: staged",
        "Session Key: agent:main:main - Session ID: 4f",
        "session id 4f and the session key",
        "- Conversation Summary: we talked",
        "Save important context from this session to the daily memory file. STRICT RULES: none",
        "Fact [score=0.9 recalls=3 avg=0.8 source=memory/2026-11-17.md:3-3]",
    ],
)
def test_output_of_the_program_is_an_artefact(text: str) -> None:
    assert is_artefact(text)
    assert refusal(text, NOTE) == "artefact"


@pytest.mark.parametrize(
    "text",
    [
        "Candidate: likes tea without the rest",
        "the session key is in the drawer",
        "Session Key" + " x" * 200 + " Session ID",
        "We wrote a Conversation Summary: it was long",
        "[score=1] is what the referee said",
        "dreaming-narrative is a word",
        "- Router moved to VLAN 20; the gateway answers on 10.0.20.1.",
        "",
    ],
)
def test_plain_statements_are_none(text: str) -> None:
    assert not is_artefact(text)
    assert refusal(text, NOTE) is None


@pytest.mark.parametrize(
    "text",
    [
        # a staged label with any one of its fields, wherever the record was cut off
        "- Candidate: likes tea - confidence: 0.62",
        "Reflection: tea evidence: memory/2026-11-17.md:3-3",
        "Candidate: tea recalls: 0",
        "Candidate: tea status: staged",
        "Conversation info (untrusted metadata): { a }",
        '{ "message_id": "41", "text": "hi" }',
        "{'chat_id' : 7}",
        "-",
        "- [ ]",
        "[ ]",
        "---",
        "***",
        "1.",
        "> -",
        "| --- | :-- |",
        "## Tagesnotizen",
        "#",
        "## Offene Punkte:",
        "- Open points:",
        "**Decisions:",
        "決定事項：",
    ],
)
def test_scaffolding_holds_no_statement(text: str) -> None:
    assert is_scaffolding(text)
    assert refusal(text, NOTE) == "scaffolding"


@pytest.mark.parametrize(
    ("text", "lines", "scaffolding"),
    [
        ("## Tagesnotizen ## Entscheidungen", 2, True),
        ("## Tagesnotizen ## Entscheidungen", 3, True),
        ("# 2026-11-18 Discussed the quarterly plan. - Prefers short updates.", 6, False),
        ("# 2026-11-18 Discussed the quarterly plan.", 1, True),
        ("## Backups They run at night. ## Router It moved to VLAN 20.", 5, False),
        ("#hashtag says something", 1, False),
    ],
)
def test_only_headings_are_scaffolding_as_far_as_the_range_shows(
    text: str, lines: int, scaffolding: bool
) -> None:
    assert is_scaffolding(text, lines) is scaffolding


@pytest.mark.parametrize(
    "text",
    [
        "[x] paid the rent",
        "- Use the blue door: it is open",
        "The code of the safe is: 4",
        "He said that the meeting about the new house is at nine:",
        "message_id is a column of the table",
        "Candidate: Anna starts in May",
        "slug",
    ],
)
def test_short_statements_stay(text: str) -> None:
    assert refusal(text, NOTE) is None


def test_turns_of_a_conversation_are_refused_in_notes_but_not_in_the_corpus() -> None:
    assert refusal("User: I prefer tea", NOTE) == "transcript"
    assert refusal("assistant: noted", NOTE) == "transcript"
    assert refusal("User:no space", NOTE) is None
    assert refusal("Users: many", NOTE) is None
    assert refusal("User: I prefer tea", CORPUS) is None
    assert refusal("User: " + STAGED, CORPUS) == "artefact"
