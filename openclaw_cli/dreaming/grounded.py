"""What one daily note says, without a model: facts, reflections, candidates, updates. Pure.

Follows ``dreaming.md`` 8.3. English word patterns decide; every item names the lines that it
stands on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from openclaw_cli.dreaming import grounded_words as words
from openclaw_cli.dreaming.grounded_scores import (
    Summary,
    compacted,
    is_noise,
    prefix,
    score,
    summary,
)
from openclaw_cli.dreaming.grounded_sections import Section, Snippet, monitor_hits, read_sections
from openclaw_cli.memory.text import utf16_length
from openclaw_cli.state.tuples import NamedTuple

# Our own sentences for what a day looked like, by token.
REFLECTIONS = {
    "exhaust": "The day left mostly the exhaust of monitoring; little of it is worth keeping.",
    "rule": "A way of working was put into words, and should hold beyond this day.",
    "people": "Several people were described; what lasts about them deserves care.",
    "routing": "Much went into deciding where things belong and who takes them.",
    "external": "Knowledge was moved out of heads and into places where it can be found.",
    "build": "Something was built or changed that later days will rest on.",
    "retry": "The same failure came back; its cause deserves more than another try.",
    "friction": "Things broke more than once and set the pace of the day.",
    "logistics": "Arrangements and times shaped the day.",
    "tasks": "The note is chiefly a list of things still to be done.",
}
DURABLE, UNCLEAR, SITUATIONAL = "likely_durable", "unclear", "likely_situational"

_MIN_CLAIM, _MIN_FACT = 12, 18
_FACT_SCORE, _CLAIM_SCORE, _UPDATE_SCORE, _DURABLE_SCORE = 1.4, 1.8, 2.2, 4.0
_MAX = 4


class Item(NamedTuple):
    """A statement with the places it stands on; ``lean`` only for candidates."""

    text: str
    refs: list[str]
    lean: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The item in the JSON of ``rem-harness``."""
        shown: dict[str, Any] = {"text": self.text, "refs": self.refs}
        return shown | ({"lean": self.lean} if self.lean else {})


class Claim(NamedTuple):
    """A candidate before it becomes an item."""

    text: str
    score: float
    lean: str
    line: int


@dataclass
class Grounded:
    """What one note says."""

    facts: list[Item]
    reflections: list[Item]
    candidates: list[Item]
    updates: list[Item]

    def to_json(self, path: str) -> dict[str, Any]:
        """The note's object in the JSON of ``rem-harness``."""
        return {
            "path": path,
            "facts": [item.to_json() for item in self.facts],
            "reflections": [item.to_json() for item in self.reflections],
            "memoryImplications": [item.to_json() for item in self.updates],
            "candidates": [item.to_json() for item in self.candidates],
            "renderedMarkdown": render(self),
        }


def extract(text: str, path: str) -> Grounded:
    """Read the note ``text``; references are ``path:line``."""
    sections = read_sections(text)
    kept = [section for section in sections if not section.blocked]
    summaries = [told for section in kept if (told := summary(section)) is not None]
    claims = _claims(kept)
    updates = _updates(claims, summaries, path)
    facts = _facts(kept, sections, summaries, path)
    return Grounded(
        facts,
        _reflections(sections, summaries, facts, updates, path),
        [Item(c.text, [f"{path}:{c.line}"], c.lean) for c in claims[:_MAX]],
        updates,
    )


def render(found: Grounded) -> str:
    """The note's Markdown."""
    lines = ["## What Happened", *_numbered(found.facts, "1. No grounded facts were extracted.")]
    empty = "1. No grounded reflections emerged from this note yet."
    lines += ["", "## Reflections", *_numbered(found.reflections, empty)]
    if found.candidates:
        lines += ["", "## Candidates"]
        lines += [f"- [{c.lean}] {c.text} [{', '.join(c.refs)}]" for c in found.candidates]
    if found.updates:
        lines += ["", "## Possible Lasting Updates"]
        lines += [f"- {item.text} [{', '.join(item.refs)}]" for item in found.updates]
    return "\n".join(lines)


def _numbered(items: Sequence[Item], empty: str) -> list[str]:
    rows = [f"{n}. {item.text} [{', '.join(item.refs)}]" for n, item in enumerate(items, 1)]
    return rows or [empty]


def _facts(
    kept: Sequence[Section], sections: Sequence[Section], summaries: Sequence[Summary], path: str
) -> list[Item]:
    scored: list[tuple[float, Item]] = []
    for section in kept:
        own: list[tuple[float, Item]] = []
        for snippet in section.snippets:
            text = compacted(snippet.text, section.title)
            if is_noise(text, section.title) or utf16_length(text) < _MIN_FACT:
                continue
            value = score(text, section.title) + (0.6 if words.MEMORY.search(text) else 0.0)
            if value >= _FACT_SCORE:
                item = Item(prefix(section.title) + text, [f"{path}:{snippet.line}"])
                own.append((value, item))
        scored += sorted(own, key=lambda pair: -pair[0])[:2]
    ranked = [item for _, item in sorted(scored, key=lambda pair: -pair[0])]
    if ranked:
        return _distinct(ranked, _MAX)
    if monitor_hits(sections) >= 3:
        return []
    return _fallback(summaries, path)


def _fallback(summaries: Sequence[Summary], path: str) -> list[Item]:
    """Summaries in place of facts: the best by each of three measures, then the rest."""
    order: list[Summary] = []
    by_overall = sorted(summaries, key=lambda s: -s.section.overall())
    for family in (words.MEMORY, words.ROUTING, words.EXTERNAL):
        rated = [(s.section.metric(family), s) for s in by_overall if s.section.metric(family)]
        if rated:
            order.append(max(rated, key=lambda pair: pair[0])[1])
    items = [Item(s.text, [f"{path}:{n}" for n in s.lines]) for s in [*order, *by_overall]]
    return _distinct(items, _MAX)


def _claims(kept: Sequence[Section]) -> list[Claim]:
    found: list[Claim] = []
    for section in kept:
        rated: list[tuple[float, Snippet, list[str]]] = []
        for snippet in section.snippets:
            text = compacted(snippet.text, section.title)
            if is_noise(text, section.title) or utf16_length(text) < _MIN_FACT:
                continue
            parts = _split_claims(text)
            best = max(score(part, section.title) for part in [text, *parts])
            if best >= _CLAIM_SCORE:
                rated.append((best, snippet, parts))
        for _, snippet, parts in sorted(rated, key=lambda entry: -entry[0])[:2]:
            found += _claims_of(section, snippet, parts)
    order = {DURABLE: 0, UNCLEAR: 1, SITUATIONAL: 2}
    found.sort(key=lambda claim: (order[claim.lean], -claim.score))
    distinct: dict[str, Claim] = {}
    for claim in found:
        distinct.setdefault(claim.text.lower(), claim)
    return list(distinct.values())


def _claims_of(section: Section, snippet: Snippet, parts: Sequence[str]) -> list[Claim]:
    claims = []
    for part in parts[:3]:
        value = score(part, section.title)
        text = prefix(section.title) + part
        if utf16_length(text) >= _MIN_CLAIM and value >= _CLAIM_SCORE:
            claims.append(Claim(text, value, _lean(part, value), snippet.line))
    return claims


def _lean(text: str, value: float) -> str:
    if value >= _DURABLE_SCORE:
        return DURABLE
    passing = words.SITUATIONAL.search(text) or words.TRANSIENT.search(text)
    return SITUATIONAL if value <= 0.25 or passing else UNCLEAR


def _split_claims(text: str) -> list[str]:
    """At most three claims: at ``;``, then ``subject — a, b`` at its first comma."""
    parts: list[str] = []
    for piece in _split_top(text, ";"):
        head, dash, tail = piece.partition(" — ")
        halves = _split_top(tail, ",", once=True) if dash else []
        if len(halves) == 2 and len(halves[0]) >= 3 and len(halves[1]) >= 6:
            parts += [f"{head} — {half}" for half in halves]
        else:
            parts.append(piece)
    return parts[:3]


def _split_top(text: str, mark: str, *, once: bool = False) -> list[str]:
    """Split outside brackets."""
    parts: list[str] = []
    depth = start = 0
    for place, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
        elif char == mark and depth == 0 and not (once and parts):
            parts.append(text[start:place].strip())
            start = place + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _updates(claims: Sequence[Claim], summaries: Sequence[Summary], path: str) -> list[Item]:
    durable = sorted(
        (c for c in claims if c.lean == DURABLE or c.score >= _DURABLE_SCORE),
        key=lambda c: -c.score,
    )
    chosen = durable or [c for c in claims if c.lean != SITUATIONAL and c.score >= _UPDATE_SCORE]
    if chosen:
        return _distinct([Item(c.text, [f"{path}:{c.line}"]) for c in chosen], 3)
    ruled = [
        s
        for s in summaries
        if s.section.metric(words.MEMORY)
        or words.OPERATOR_TITLE.fullmatch(s.section.title)
        or words.RULE.search(s.bare)
    ]
    return _distinct([Item(s.bare, [f"{path}:{n}" for n in s.lines]) for s in ruled], 3)


def _reflections(
    sections: Sequence[Section],
    summaries: Sequence[Summary],
    facts: Sequence[Item],
    updates: Sequence[Item],
    path: str,
) -> list[Item]:
    def total(family: re.Pattern[str]) -> int:
        return sum(told.section.metric(family) for told in summaries)

    def strongest(family: re.Pattern[str]) -> list[str]:
        rated = [s for s in summaries if s.section.metric(family)]
        best = max(rated, key=lambda s: s.section.overall(), default=None)
        return [f"{path}:{n}" for n in best.lines] if best else []

    def of(family: re.Pattern[str]) -> list[Item]:
        return [fact for fact in facts if family.search(fact.text)]

    span = [f"{path}:{sections[0].start}-{sections[-1].end}"] if sections else []
    found: list[tuple[str, list[str]]] = []
    people = of(words.PERSON)
    multi = len(people) >= 2
    single = bool(facts) and not multi
    incidents = total(words.INCIDENT)
    if not facts and monitor_hits(sections) >= 3:
        found.append(("exhaust", span))
    if updates:
        found.append(("rule", _refs(updates)))
    if multi:
        found.append(("people", _refs(people)))
    if single and total(words.ROUTING) >= 2 and total(words.BUILD) >= incidents:
        found.append(("routing", strongest(words.ROUTING)))
    if single and total(words.EXTERNAL) >= 2:
        found.append(("external", strongest(words.EXTERNAL)))
    if single and total(words.BUILD) >= 2 and of(words.BUILD):
        found.append(("build", _refs(of(words.BUILD))))
    if facts and incidents >= 2:
        token = "retry" if total(words.RETRY) >= 2 else "friction"
        found.append((token, strongest(words.INCIDENT)))
    if single and total(words.LOGISTICS) >= 2 and of(words.LOGISTICS):
        found.append(("logistics", _refs(of(words.LOGISTICS))))
    if not found and sum(section.metric(words.TASK) for section in sections) >= 3:
        found.append(("tasks", span))
    shown = 1 if not facts else 2 if len(facts) == 1 else min(_MAX, len(facts) + 1)
    return [Item(REFLECTIONS[token], refs) for token, refs in found[:shown]]


def _refs(items: Iterable[Item]) -> list[str]:
    return [ref for item in items for ref in item.refs][:3]


def _distinct(items: Iterable[Item], most: int) -> list[Item]:
    seen: dict[str, Item] = {}
    for item in items:
        seen.setdefault(item.text.lower(), item)
    return list(seen.values())[:most]
