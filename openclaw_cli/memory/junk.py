"""What is never a memory: our own output, transport wrappers, bare scaffolding.

``memory.md`` 4.5 and 12.16. All functions look at normalised text (white space collapsed).
*Artefacts* make a stored row invalid; *scaffolding* and *transcript lines* only keep an
entry from being recorded, offered or written.
"""

from __future__ import annotations

import re

from openclaw_cli.memory.workspace import is_corpus

MARKER_OPENING = "<!-- openclaw-memory-promotion:"
DIARY_PROMPT = "write a dream diary entry from these memory fragments"
FLUSH_PROMPT = "save important context from this session to the daily memory file. strict rules:"

_NARRATIVE = rf"\[[^\]]*dreaming-narrative[^\]]*\]\s*(?:user|assistant):\s*{DIARY_PROMPT}"
_SESSION_PAIR = r"(?s)session key(?=.{0,260}session id)|session id(?=.{0,260}session key)"
_SUMMARY = r"(?:(?:[-*+]|\d+[.)])\s+)?conversation summary:"
_SUFFIX = r"\[score=\S+ recalls=\S+ avg=\S+ source=memory/"
_LABEL = r"(?:^|[\s\[(<{>*+-])(?:candidate|reflections?):"
_LABEL_REACH = 200
_STAGED_FIELDS = (
    r"confidence:\s*\d",
    r"evidence:\s*memory/",
    r"status:\s*staged",
    r"recalls:\s*\d",
)
_WRAPPER_KEYS = ("message_id", "sender_id", "chat_id")
_HEADING_PIECE = r"(?:^| )#{1,6}(?= |$)"
_EMPTY_MARKS = r"(?:[-*+>]|\d{1,9}[.)]|\[[ xX]?\]|#{1,6}|[-*_]{3,}|\|[\s|:-]*)(?: |$)"
_SENTENCE = r"[.!?;。！？](?:\s|$)"
_COLON_HEADING_WORDS = 6
_HEADING_WORDS = 4


def is_artefact(text: str) -> bool:
    """Whether the text is output of dreaming or promotion, or a prompt of the program."""
    lowered = text.lower()
    if ":" not in lowered and "session" not in lowered and "[score=" not in lowered:
        return False  # every shape has one of them; most snippets end here
    if MARKER_OPENING in lowered or FLUSH_PROMPT in lowered:
        return True
    if "dreaming-narrative" in lowered and re.search(_NARRATIVE, lowered):
        return True
    if "session key" in lowered and re.search(_SESSION_PAIR, lowered):
        return True
    if "conversation summary:" in lowered and re.match(_SUMMARY, lowered):
        return True
    if "[score=" in lowered and re.search(_SUFFIX, lowered):
        return True
    return _staged_fields(lowered) == len(_STAGED_FIELDS)


def is_scaffolding(text: str, line_count: int = 1) -> bool:
    """Whether the text holds no statement: headings, markers, wrappers, a staged stub.

    ``line_count`` is the length of the range that the text was taken from.
    """
    if not text:
        return False
    lowered = text.lower()
    if "(untrusted metadata)" in lowered or _has_wrapper_key(lowered):
        return True
    return _staged_fields(lowered) > 0 or _is_bare(text, line_count)


def is_transcript_line(text: str) -> bool:
    """Whether the text is a turn of a conversation, ``User: ...``."""
    role, colon, rest = text[:12].lower().partition(":")
    return bool(colon) and role in ("user", "assistant") and rest[:1].isspace()


def refusal(text: str, path: str, *, line_count: int = 1) -> str | None:
    """Why a snippet at a normalised path is not offered, or None: one stable word.

    Lines of the session corpus are turns by nature and may begin with a role.
    """
    if is_artefact(text):
        return "artefact"
    if is_scaffolding(text, line_count):
        return "scaffolding"
    if is_transcript_line(text) and not is_corpus(path):
        return "transcript"
    return None


def _staged_fields(lowered: str) -> int:
    """How many fields of a staged candidate follow its label; 0 without the label."""
    if "candidate:" not in lowered and "reflection" not in lowered:
        return 0
    if re.search(_LABEL, lowered[:_LABEL_REACH]) is None:
        return 0
    return sum(1 for shape in _STAGED_FIELDS if re.search(shape, lowered))


def _has_wrapper_key(lowered: str) -> bool:
    if "_id" not in lowered:
        return False
    return any(
        re.search(rf"[\"']{key}[\"']\s*:", lowered) for key in _WRAPPER_KEYS if key in lowered
    )


def _is_bare(text: str, line_count: int) -> bool:
    if text[0] == "#" and _is_only_headings(text, line_count):
        return True
    if text[0].isalpha() and text[-1] not in ":：":
        return False
    rest = text
    while found := re.match(_EMPTY_MARKS, rest):
        rest = rest[found.end() :]
    if not rest:
        return True
    return rest[-1] in ":：" and _is_colon_heading(rest)


def _is_only_headings(text: str, line_count: int) -> bool:
    """Whether every line of the collapsed text was a heading.

    The line ends are gone: as many headings as lines settle it, and so do short headings
    with one blank line between each.
    """
    pieces = [piece.strip() for piece in re.split(_HEADING_PIECE, text)][1:]
    if len(pieces) >= line_count:
        return True
    spaced = len(pieces) > 1 and len(pieces) * 2 - 1 >= line_count
    return spaced and all(
        len(piece.split()) <= _HEADING_WORDS and not re.search(_SENTENCE, piece) for piece in pieces
    )


def _is_colon_heading(text: str) -> bool:
    return len(text.split()) <= _COLON_HEADING_WORDS and not re.search(_SENTENCE, text)
