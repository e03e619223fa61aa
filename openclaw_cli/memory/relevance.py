"""Ranking windows for a question: BM25 with a sense of place and time (``memory.md`` 12.20).

A window counts by the rare words it has; a little by the same words in the windows around
it, in the heading above it and in its note as a whole; and by how near its day is to the
days that the question names. A score is the square root of a window's share of what an
average window would get that has everything asked for, so that scores compare across
questions and one word of six is still worth showing: 0 nothing .. 1 all.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from openclaw_cli.memory.dates import DayRange
from openclaw_cli.memory.questions import Question, variants
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    import sqlite3

# BM25 of windows, and of notes as bags of windows.
WINDOW_K1, WINDOW_B = 0.8, 0.25
NOTE_K1, NOTE_B = 1.2, 0.5
NOTE_SHARE = 1.0
NEIGHBOUR_SHARE = 0.4
HEADING_SHARE = 0.3
REACH = 2
# A question passes more of what it is about to the line behind it, which answers.
ANSWER_SHARE = 1.5
DAY_WEIGHT = 2.5
# What a word counts inside a window when it is the label of others: "Ann: ..." is Ann's
# own word, "Bob: ask Ann" only speaks of her.
MENTION_SHARE = 0.3
# Where the question names somebody whose lines have a label, what is of others: "What has
# Ann planted?" is answered by Ann.
OTHERS_SHARE = 0.75
# What dreaming wrote repeats the notes: the note itself is to be found first.
DERIVED_SHARE = 0.5
# Of several languages in the notes, how often the words of one are met at least.
SECOND_LANGUAGE = 0.25
LATER_HALF_LIFE = 4.0  # people write about a day in the days after it
EARLIER_HALF_LIFE = 1.0


class Row(NamedTuple):
    """A window that has a term of the question; ``asks``: it is a question itself."""

    id: int
    note: int
    words: int
    heading: int | None
    day: str | None
    label: str | None
    derived: int
    asks: int


@dataclass
class Ranking:
    """Windows by score, best first, and what was looked for.

    ``forms`` maps each term to the words of the index that stood for it.
    """

    scores: list[tuple[int, float]] = field(default_factory=list)
    forms: dict[str, list[str]] = field(default_factory=dict)


class _Totals(NamedTuple):
    """How large the index is, for inverse frequencies and average lengths.

    ``notes`` maps a note's number to its day and how many windows it has.
    """

    notes: dict[int, tuple[str | None, int]]
    windows: int
    words: float
    per_note: float


def rank_windows(db: sqlite3.Connection, question: Question, limit: int) -> Ranking:
    """The best ``limit`` windows for ``question``; without terms those of its days."""
    board = _Board(_totals(db))
    ranking = Ranking()
    if not board.totals.windows:
        return ranking
    vocabulary = _Words(db)
    languages = question.languages or _languages_of_notes(db)
    for term in question.terms:
        words = variants(term, vocabulary, languages)
        ranking.forms[term.word] = sorted(words)
        board.add_term(term.weight, _matches(db, words, board))
    if question.days and (question.only_days or not board.rows):
        _take_days(db, question.days, board.rows)
    nearness = _Nearness(question.days)
    day_weight = _day_weight(nearness, board.totals)
    notes = board.totals.notes
    scored = (
        (row.id, board.score(row) + day_weight * nearness.of(row.day or notes[row.note][0]))
        for row in board.rows.values()
    )
    best = heapq.nlargest(limit, scored, key=lambda pair: (pair[1], -pair[0]))
    full = board.full or day_weight  # a question of nothing but days
    ranking.scores = [(window, sqrt(min(1.0, score / full))) for window, score in best if full]
    return ranking


class _Board:
    """Adds up what the terms of a question give to windows and notes.

    ``rows`` are the windows met so far; ``full`` is what all terms so far would give to an
    average window that has every one of them. ``asked`` are the labels that terms name.
    """

    def __init__(self, totals: _Totals) -> None:
        self.totals = totals
        self.rows: dict[int, Row] = {}
        self.full = 0.0
        self.asked: set[str] = set()
        self._windows: defaultdict[int, float] = defaultdict(float)
        self._notes: defaultdict[int, float] = defaultdict(float)

    def add_term(self, weight: float, strengths: dict[int, float]) -> None:
        """Add what one term gives to the windows that have it (``rows`` knows them)."""
        totals = self.totals
        rarity = weight * _inverse(totals.windows, len(strengths))
        counts: defaultdict[int, float] = defaultdict(float)
        for window, strength in strengths.items():
            row = self.rows[window]
            counts[row.note] += strength
            length = 1 - WINDOW_B + WINDOW_B * row.words / totals.words
            self._windows[window] += (
                rarity * strength * (WINDOW_K1 + 1) / (strength + WINDOW_K1 * length)
            )
        note_rarity = weight * _inverse(len(totals.notes), len(counts))
        for note, count in counts.items():
            length = 1 - NOTE_B + NOTE_B * totals.notes[note][1] / totals.per_note
            self._notes[note] += note_rarity * count * (NOTE_K1 + 1) / (count + NOTE_K1 * length)
        self.full += rarity + NOTE_SHARE * note_rarity

    def score(self, row: Row) -> float:
        """A window's own score, with its shares of what is around it and of its note."""
        scores = self._windows
        around = 0.0
        for distance in range(1, REACH + 1):
            for near in (row.id - distance, row.id + distance):
                other = self.rows.get(near)
                if other is not None and other.note == row.note:
                    answers = other.asks and near == row.id - 1
                    around += scores[near] / distance * (ANSWER_SHARE if answers else 1.0)
        heading = scores.get(row.heading, 0.0) if row.heading is not None else 0.0
        own = scores[row.id] + NEIGHBOUR_SHARE * around + HEADING_SHARE * heading
        share = DERIVED_SHARE if row.derived else 1.0
        if self.asked and row.label and row.label not in self.asked:
            share *= OTHERS_SHARE
        return share * (own + NOTE_SHARE * self._notes[row.note])


def _languages_of_notes(db: sqlite3.Connection) -> list[str]:
    """The languages that the notes are in: a query of bare keywords does not tell its own."""
    from openclaw_cli.memory import stopwords
    from openclaw_cli.memory.stems import has_endings

    met = {
        language: sum(
            db.execute("SELECT total(doc) FROM windows_vocab WHERE term = ?", (word,)).fetchone()[0]
            for word in stopwords.telling_words(language)
        )
        for language in filter(has_endings, stopwords.LANGUAGES)
    }
    least = max(1, max(met.values()) * SECOND_LANGUAGE)
    return [language for language, count in met.items() if count >= least]


def _totals(db: sqlite3.Connection) -> _Totals:
    sizes = db.execute("SELECT sum(windows), sum(words) FROM notes").fetchone()
    windows, words = (count or 0 for count in sizes)
    notes = {
        number: (day, count)
        for number, day, count in db.execute("SELECT id, day, windows FROM notes")
    }
    return _Totals(notes, windows, words / max(1, windows), windows / max(1, len(notes)))


def _matches(db: sqlite3.Connection, words: dict[str, float], board: _Board) -> dict[int, float]:
    """The windows that have one of ``words``, with the best strength; told to ``board``."""
    rows = board.rows
    found: dict[int, float] = {}
    by_strength: defaultdict[float, list[str]] = defaultdict(list)
    for word, strength in words.items():
        by_strength[strength].append(word)
    for strength in sorted(by_strength):
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in by_strength[strength])
        for values in db.execute(_MATCHING, (match,)):
            window = values[0]
            if window not in rows:
                rows[window] = Row._make(values)
            found[window] = strength
    labelled = [
        window
        for window in found
        if (label := rows[window].label) and not words.keys().isdisjoint(label.split())
    ]
    if labelled:
        found = {window: strength * MENTION_SHARE for window, strength in found.items()}
        found |= dict.fromkeys(labelled, 1.0)
        board.asked.update(label for window in labelled if (label := rows[window].label))
    return found


_ROW = """
SELECT w.id, w.note, w.words, w.heading, w.day, w.label, w.derived,
  substr(rtrim(w.text, ' "*_)]»”'), -1) IN ('?', '？', '؟')"""
_MATCHING = f"""{_ROW}
FROM windows_fts f CROSS JOIN windows w ON w.id = f.rowid WHERE windows_fts MATCH ?"""
_OF_DAYS = f"""{_ROW}
FROM windows w JOIN notes n ON n.id = w.note
WHERE NOT w.is_heading AND coalesce(w.day, n.day) BETWEEN ? AND ?"""


def _take_days(db: sqlite3.Connection, days: Iterable[DayRange], rows: dict[int, Row]) -> None:
    for first, last in days:
        for row in map(Row._make, db.execute(_OF_DAYS, (first.isoformat(), last.isoformat()))):
            rows[row.id] = row


class _Words:
    """Looks words up in the index's vocabulary by their beginning."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __call__(self, start: str) -> list[tuple[str, int]]:
        return self._db.execute(
            "SELECT term, doc FROM windows_vocab WHERE term >= ? AND term < ?",
            (start, start + "\U0010ffff"),
        ).fetchall()


class _Nearness:
    """How near a day is to the days that a question names: 1 among them, less around them."""

    def __init__(self, days: list[DayRange]) -> None:
        self.days = days
        self.of = lru_cache(maxsize=None)(self._of)

    def _of(self, day: str | None) -> float:
        at = _date(day)
        if at is None or not self.days:
            return 0.0
        return max(_closeness(at, days) for days in self.days)


def _closeness(at: date, days: DayRange) -> float:
    if at > days.last:
        away, half_life = at - days.last, LATER_HALF_LIFE
    elif at < days.first:
        away, half_life = days.first - at, EARLIER_HALF_LIFE
    else:
        return 1.0
    return float(0.5 ** (away / timedelta(1) / half_life))


def _day_weight(nearness: _Nearness, totals: _Totals) -> float:
    if not nearness.days:
        return 0.0
    near = sum(nearness.of(day) for day, _windows in totals.notes.values())
    return DAY_WEIGHT * _inverse(len(totals.notes), near)


def _date(day: str | None) -> date | None:
    if day is None:
        return None
    try:
        return date.fromisoformat(day)
    except ValueError:  # digits like a date's that name none
        return None


def _inverse(total: int, having: float) -> float:
    return log(1 + (total - having + 0.5) / (having + 0.5))
