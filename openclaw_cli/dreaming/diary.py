"""The dream diary as text: what is asked for, how an entry is written, how the file stays small.

Pure (``dreaming.md`` 6.3, 7, 7.1). The file is the owner's; only the diary section between
its markers is managed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_cli.dreaming import diary_section
from openclaw_cli.dreaming.blocks import DIARY_END, DIARY_HEADING, DIARY_START
from openclaw_cli.memory.text import cut_utf16, utf16_length
from openclaw_cli.model import prompts
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from openclaw_cli.dreaming.phase_result import PhaseResult

PROMPT_LEAD = "Write a dream diary entry from these memory fragments"
FALLBACK = "The night passed without words; what was gathered rests in the notes."
FALLBACK_MARK = "<!-- openclaw:dreaming:fallback -->"
MAX_FRAGMENTS, MAX_THEMES, MAX_PROMOTIONS = 12, 6, 5
MAX_RECENT, RECENT_CHARS = 3, 360
ROTATE_BYTES, KEEP_BYTES = 64 * 1024, 32 * 1024
SEPARATOR_BYTES = 6  # the rule and the blank lines around an entry

_INSTRUCTION = """\
{lead}. One entry of 80 to 180 words, in the first person: the warm, slightly whimsical prose
of somebody who knows machines and likes them. Weave the fragments together instead of listing
them. No headings, no lists, no mention of dreaming or of being a model. Answer with the entry
only."""
_ANEW = "The latest entries are below too; look at things from another angle than they did."

# Zones whose short names are letters in American English; all others are told as GMT+n.
_LETTERED = frozenset(
    ["EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST", "UTC", "GMT"]
)
_AMERICAN = ("America/", "US/", "Pacific/Honolulu", "UTC", "GMT", "Etc/UTC", "Etc/GMT")
_DATE = re.compile(r"(?m)^\*([^*\n]+)\*[ \t]*\r?$")
_YEAR = re.compile(r"\b(\d{4})\b")


class Entry(NamedTuple):
    """A block of the diary as it stands between two rules, and what kind it is."""

    raw: str
    date: str
    text: str
    kind: str

    @property
    def year(self) -> str | None:
        """The year that the date line names."""
        found = _YEAR.search(self.date)
        return found[1] if found else None


class Rotation(NamedTuple):
    """What is left in the file, and the blocks that move, by year."""

    text: str
    moved: dict[str, list[str]]


def has_material(result: PhaseResult) -> bool:
    """Whether a phase has something to tell."""
    return bool(result.fragments or result.promotions)


def prompt(result: PhaseResult, *, day: str, recent: Sequence[str]) -> str:
    """The question for one phase; everything from notes is fenced data."""
    parts = {"fragments": _bullets(result.fragments[:MAX_FRAGMENTS])}
    if result.themes:
        parts["themes"] = _bullets(result.themes[:MAX_THEMES])
    if result.promotions:
        parts["kept_for_good"] = _bullets(result.promotions[:MAX_PROMOTIONS])
    instruction = _INSTRUCTION.format(lead=PROMPT_LEAD)
    if result.phase == "light":
        instruction += f"\nThe day is {day}."
        if recent:
            instruction += f" {_ANEW}"
            shown = [_shortened(entry) for entry in recent[-MAX_RECENT:]]
            parts["recent_entries"] = "\n\n".join(shown)
    return prompts.with_untrusted(instruction, **parts)


def neutral(text: str) -> str:
    """Model text as plain prose: no markers, headings, rules, lists or control characters."""
    plain = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07?|.)", "", text)
    plain = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", plain.replace("\r\n", "\n"))
    plain = plain.replace("<!--", "&lt;!--").replace("-->", "--&gt;")
    lines = []
    for line in plain.strip().splitlines():
        stripped = line.strip()
        if re.fullmatch(r"(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,}", stripped):
            continue
        stripped = re.sub(r"^(?:#{1,6}\s+|>\s*)+", "", stripped)
        # A line in single asterisks would read as the date of another entry.
        stripped = re.sub(r"^\*([^*]+)\*$", r"\1", stripped)
        lines.append(stripped)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def date_line(now_ms: int, zone: ZoneInfo) -> str:
    """``November 20, 2026 at 3:00 AM UTC``: long American form with a short zone name."""
    at = clock.local(now_ms, zone)
    hour = at.hour % 12 or 12
    half = "AM" if at.hour < 12 else "PM"
    name = zone_name(now_ms, zone)
    return f"{at:%B} {at.day}, {at.year} at {hour}:{at:%M} {half} {name}"


def zone_name(now_ms: int, zone: ZoneInfo) -> str:
    """The short name of a zone at an instant: letters in America, else ``GMT+5:30``."""
    at = clock.local(now_ms, zone)
    letters = at.tzname() or ""
    if letters in _LETTERED and zone.key.startswith(_AMERICAN):
        return letters
    offset = at.utcoffset()
    minutes = int(offset.total_seconds() // 60) if offset else 0
    if not minutes:
        return "UTC" if zone.key in ("UTC", "Etc/UTC") else "GMT"
    sign = "+" if minutes > 0 else "-"
    hours, rest = divmod(abs(minutes), 60)
    return f"GMT{sign}{hours}" + (f":{rest:02d}" if rest else "")


def with_entry(text: str, date: str, body: str) -> str:
    """The file ``text`` with an ordinary entry at the end of its diary section.

    A section is made where there is none, in front of everything else.
    """
    block = f"\n---\n\n*{date}*\n\n{body}\n"
    end = text.rfind(DIARY_END)
    start = text.find(DIARY_START)
    if end >= 0 and end > start >= 0:
        return _ended(text[:end] + block + "\n" + text[end:])
    if start >= 0:
        place = start + len(DIARY_START)
        return _ended(text[:place] + block + "\n" + DIARY_END + text[place:])
    section = f"{DIARY_HEADING}\n\n{DIARY_START}{block}\n{DIARY_END}\n"
    rest = text.lstrip("\n")
    return _ended(section + (f"\n{rest}" if rest.strip() else ""))


def has_entry(text: str, date: str, body: str) -> bool:
    """Whether an ordinary entry with this date line and text is there."""
    wanted = _without_comments(body)
    return any(entry.date == date and entry.text == wanted for entry in entries(text))


def entries(text: str) -> list[Entry]:
    """The entries of the diary section, in file order."""
    return [parse_entry(block) for block in diary_section.blocks_of(text)]


def parse_entry(block: str) -> Entry:
    """One block of a section; ``date`` is empty when it has no date line."""
    date = _DATE.search(block)
    body = block[date.end() :] if date else block
    kind = "diary"
    if diary_section.is_backfill(block):
        kind = "backfill"
    elif FALLBACK_MARK in block:
        kind = "fallback"
    return Entry(block, date[1].strip() if date else "", _without_comments(body), kind)


def rotation(text: str) -> Rotation | None:
    """Which entries move into yearly files; None while the file is small enough.

    The oldest ordinary and fallback entries, whole, until at most 32 KiB remain. Backfill
    entries, the deep block and the owner's own text stay.
    """
    size = len(text.encode())
    if size <= ROTATE_BYTES:
        return None
    moved: dict[str, list[str]] = {}
    over = size - KEEP_BYTES

    def is_moved(block: str) -> bool:
        nonlocal over
        entry = parse_entry(block)
        if over <= 0 or entry.kind == "backfill" or entry.year is None:
            return False
        moved.setdefault(entry.year, []).append(block)
        over -= len(block.encode()) + SEPARATOR_BYTES
        return True

    rest, gone = diary_section.without(text, is_moved)
    return Rotation(rest, moved) if gone else None


def with_moved(text: str, year: str, blocks: Sequence[str]) -> str:
    """The yearly file ``text`` with blocks added; those it has already are left out."""
    known = set(diary_section.split_blocks(text))
    fresh = "".join(f"\n---\n\n{block}\n" for block in blocks if block not in known)
    base = text if text.strip() else f"# Dream Diary {year}\n"
    return _ended(_ended(base) + fresh) if fresh else text


def _without_comments(body: str) -> str:
    lines = [line for line in body.strip().splitlines() if not line.strip().startswith("<!--")]
    return "\n".join(lines).strip()


def _bullets(texts: Sequence[str]) -> str:
    return "\n".join(f"- {' '.join(text.split())}" for text in texts)


def _shortened(entry: str) -> str:
    return entry if utf16_length(entry) <= RECENT_CHARS else cut_utf16(entry, RECENT_CHARS) + "..."


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"
