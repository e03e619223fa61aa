"""How durable a statement of a note is, and a section in one sentence (``dreaming.md`` 8.3).

Sums of weights over the word families; nothing else is judged here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from openclaw_cli.dreaming import grounded_words as words
from openclaw_cli.dreaming.grounded_sections import Section, Snippet
from openclaw_cli.state.tuples import NamedTuple

_SENTENCE = re.compile(r"(.*?[.!?])\s+\S")
_PROVENANCE = re.compile(r"\s*\([^)]*\)")
_STATE = re.compile(
    r"\s*[—–-]\s*(?:in progress|booked|done|pending|confirmed|complete[d]?)\s*$", re.I
)
_PREFERENCE = re.compile(r"^preference:\s*", re.I)
_EMPTY_TITLES = ("preferences learned", "candidate facts")


class Summary(NamedTuple):
    """A section in one sentence, with and without its title."""

    section: Section
    text: str
    bare: str
    lines: list[int]


@lru_cache(maxsize=4096)  # a line is asked about as a fact, as a claim, and as its only part
def score(text: str, title: str) -> float:
    """How durable a text under a title is."""

    def has(family: re.Pattern[str]) -> bool:
        return family.search(text) is not None

    memory, person = has(words.MEMORY), has(words.PERSON)
    title_for = words.TITLE_FOR.search(title) is not None

    def either(family: re.Pattern[str]) -> bool:
        return has(family) or family.search(title) is not None

    parts = (
        (has(words.PERSISTENT), 3.2),
        (memory, 2.4),
        (has(words.EXPLICIT), 1.8),
        (has(words.PERSON_PATTERN), 2.3),
        (has(words.RULE), 1.6),
        (title_for, 1.2),
        (person, 1.5),
        (has(words.METADATA), -2.4),
        (either(words.PROJECT), -2.2),
        (has(words.PROCESS), -2.4),
        (has(words.TOOLING) and not person, -2.1),
        (either(words.MONITOR) and not memory, -4.2),
        (has(words.TRAVEL), -2.6),
        (has(words.SPECIFIC) and not person, -1.2),
        (has(words.SITUATIONAL), -2.8),
        (has(words.TRANSIENT), -2.0),
        (has(words.INCIDENT), -1.6),
        (has(words.TASK), -1.2),
        (has(words.LOGISTICS) and not memory, -1.4),
        (has(words.BUILD) and not memory, -0.8),
        (words.TITLE_AGAINST.search(title) is not None and not title_for, -1.2),
        (re.search(r"`|/|https?:", text) is not None, -0.8),
    )
    return sum(weight for holds, weight in parts if holds)


def is_noise(text: str, title: str) -> bool:
    """Whether a text is monitoring output rather than something to keep."""
    if not (words.MONITOR.search(text) or words.MONITOR.search(title)):
        return False
    durable = (words.MEMORY, words.PERSISTENT, words.EXPLICIT, words.PERSON_PATTERN)
    if any(family.search(text) for family in durable):
        return False
    return not (title and words.PERSON.search(text))


def compacted(text: str, title: str) -> str:
    """The text without monitoring clauses, and only its first sentence about a person."""
    if words.MONITOR.search(text):
        clauses = re.split(r"(?<=[.;])\s+", text)
        kept = [clause for clause in clauses if not words.MONITOR.search(clause)]
        text = " ".join(kept) or text
    if words.PERSON.search(text) or words.PERSON.search(title):
        sentence = _SENTENCE.match(text)
        text = sentence[1] if sentence else text
    return text


def prefix(title: str) -> str:
    """The compacted title as a prefix, where it says whom or what the text is about."""
    compact = _STATE.sub("", _PROVENANCE.sub("", title)).strip()
    compact = _PREFERENCE.sub("", compact)
    if compact.lower() in _EMPTY_TITLES or not compact:
        return ""
    telling = (words.TITLE_FOR, words.PERSON, words.PEOPLE_TITLE)
    return f"{compact}: " if any(family.search(compact) for family in telling) else ""


def _summary_score(snippet: Snippet, section: Section) -> float:
    def has(family: re.Pattern[str]) -> bool:
        return family.search(snippet.text) is not None

    parts = (
        (has(words.MEMORY), 2.2),
        (has(words.BUILD), 1.2),
        (has(words.INCIDENT), 1.2),
        (has(words.LOGISTICS), 0.9),
        (has(words.ROUTING), 1.4),
        (has(words.EXTERNAL), 1.1),
        (has(words.RETRY), 0.9),
        (has(words.TASK) and not has(words.BUILD), -0.8),
        (bool(section.title) and not section.generic, 0.25),
    )
    return 1.0 + sum(weight for holds, weight in parts if holds)


def summary(section: Section) -> Summary | None:
    """The best snippets of a section in their order; None when it has none."""
    if not section.snippets:
        return None
    ranked = sorted(section.snippets, key=lambda s: (-_summary_score(s, section), s.line))
    best = sorted(ranked[: 2 if section.generic else 3], key=lambda s: s.line)
    bare = _joined([snippet.text for snippet in best])
    text = bare if section.generic or not section.title else f"{section.title}: {bare}"
    return Summary(section, text, bare, [snippet.line for snippet in best])


def _joined(texts: Sequence[str]) -> str:
    if len(texts) < 3:
        return " and ".join(texts)
    return f"{texts[0]}; {texts[1]}; and {texts[2]}"
