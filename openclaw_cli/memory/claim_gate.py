"""Which candidates are fit to be written, and which say what is known (``memory.md`` 12.21).

The gates of ranking count evidence; this one reads. Reasons are stable words, with a
detail for people. Entries of several claims that were searched for as one keep the old
way: they are not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from openclaw_cli.memory import claim_matching, memory_file
from openclaw_cli.memory.claim_days import missing_days, named_day
from openclaw_cli.memory.claim_matching import Said, Weights
from openclaw_cli.memory.claim_places import (
    Series,
    is_fenced,
    is_one_claim,
    noted_day,
    refusal_at,
    windows_within,
)
from openclaw_cli.memory.entries import ASKED_DAYS, RESTATED, SUPERSEDES, Entry
from openclaw_cli.memory.notes import Note, NoteReader
from openclaw_cli.memory.rehydration import Live, NotLive
from openclaw_cli.memory.workspace import Workspace
from openclaw_cli.state import redact
from openclaw_cli.state.amounts import counted
from openclaw_cli.state.tuples import NamedTuple

SECRET = "secret"  # noqa: S105 - a reason, no secret
NO_CLAIM = "no-claim"
SEVERAL = "several-claims"
NOT_LASTING = "not-lasting"
SUPERSEDED = "superseded"
SAME_CLAIM = "same-claim"
SAME_QUESTIONS = "same-questions"

SHARED_QUERIES = 2
QUERY_SHARE = 0.5


class Known(NamedTuple):
    """What ``MEMORY.md`` has, or had, of a claim: its key (None: the owner's), its day."""

    key: str | None
    said: Said
    day: date | None
    queries: frozenset[str] = frozenset()


class Verdict(NamedTuple):
    """What to do with a claim that may be written.

    ``reason`` None: write it. ``same-claim`` or ``same-questions``: it is there, as ``key``
    says. ``superseded``: ``key`` has the newer value. ``corrects`` is the promoted entry
    whose bullet the new one replaces.
    """

    reason: str | None = None
    key: str | None = None
    corrects: str | None = None


class Gate:
    """Judges the candidates of one promotion."""

    def __init__(
        self,
        workspace: Workspace,
        entries: Mapping[str, Entry],
        memory_text: str,
        reader: NoteReader,
    ) -> None:
        self._entries = entries
        self._memory_text = memory_text
        self._reader = reader
        self._series = Series(workspace, reader)
        self._known: list[Known] | None = None
        self._weights = Weights([])

    def unfit(self, entry: Entry, live: Live) -> NotLive | None:
        """Why the live text of an entry is not to be written, whatever its evidence."""
        note = self._reader.read(entry["path"])
        if not isinstance(note, Note):
            return None
        if is_fenced(note, live.start_line, live.end_line):
            return NotLive(NO_CLAIM, "code")
        windows = windows_within(note, entry["path"], live.start_line, live.end_line)
        staged = bool(entry["groundedCount"])
        if len(windows) > 1:
            return None if staged or entry["recallCount"] else NotLive(SEVERAL)
        refused = refusal_at(note, live.start_line, live.end_line, live.text)
        if refused is None and self._series.has(live.text):
            refused = "series"
        if refused is not None:
            return NotLive(NO_CLAIM, refused)
        return None if staged else _over(entry, live)

    def judge(self, entry: Entry, live: Live) -> Verdict:
        """Whether the claim is known in other words, or has another value since."""
        if not is_one_claim(entry):
            return Verdict()
        said = claim_matching.read(live.text)
        day = noted_day(entry["path"])
        corrects = entry.get(SUPERSEDES)
        for known in self._all_known():
            if known.key == entry["key"]:
                continue
            verdict = self._against(known, entry, said, day)
            if verdict is None or (known.key is not None and known.key == corrects):
                continue
            if verdict.corrects:
                corrects = corrects or verdict.corrects
            else:
                return verdict
        newer = self._newer_value(entry, said, day)
        if newer is not None:
            return Verdict(SUPERSEDED, newer)
        return Verdict(corrects=corrects if corrects in self._entries else None)

    def note(self, entry: Entry, live: Live) -> None:
        """A claim is written: further ones are compared with it."""
        self._all_known().append(_known(entry, live.text))

    def _against(self, known: Known, entry: Entry, said: Said, day: date | None) -> Verdict | None:
        is_older = day is not None and known.day is not None and day < known.day
        pair = (said, known.said) if is_older else (known.said, said)
        likeness = claim_matching.compare(*pair, self._weights)
        if likeness is None:
            if claim_matching.is_close(known.said, said):
                return Verdict(SAME_CLAIM, known.key)
            same = _answers_the_same(known, entry, said)
            return Verdict(SAME_QUESTIONS, known.key) if same else None
        if likeness.relation == "same":
            return Verdict(SAME_CLAIM, known.key)
        if is_older:
            return Verdict(SUPERSEDED, known.key)
        return Verdict(corrects=known.key) if known.key else None

    def _newer_value(self, entry: Entry, said: Said, day: date | None) -> str | None:
        """The unpromoted entry of a later note that gives another value for the same."""
        if day is None:
            return None
        for key, other in self._entries.items():
            if key == entry["key"] or "promotedAt" in other or not other["recallCount"]:
                continue
            later = noted_day(other["path"])
            if later is None or later <= day or not is_one_claim(other):
                continue
            likeness = claim_matching.compare(
                said, claim_matching.read(other["snippet"]), self._weights
            )
            if likeness is not None and likeness.relation == "other-value":
                return key
        return None

    def _all_known(self) -> list[Known]:
        if self._known is None:
            promoted = [e for e in self._entries.values() if "promotedAt" in e and e["snippet"]]
            self._known = [_known(entry, entry["snippet"]) for entry in promoted]
            ours = {known.said for known in self._known}
            for text in memory_file.bullets(self._memory_text):
                said = claim_matching.read(text)
                if said.size and said not in ours:
                    self._known.append(Known(None, said, None))
            self._weights = Weights(entry["snippet"] for entry in self._entries.values())
        return self._known


def holds_secret(entry: Entry, live: Live | NotLive) -> bool:
    """Whether a credential stands in what would be written, or was masked in the entry."""
    text = live.text if isinstance(live, Live) else entry["snippet"]
    return redact.holds_secret(text) or redact.MASK in entry["snippet"]


def _known(entry: Entry, text: str) -> Known:
    queries = frozenset(entry["queryHashes"]) if entry["recallCount"] else frozenset()
    return Known(entry["key"], claim_matching.read(text), noted_day(entry["path"]), queries)


def _answers_the_same(known: Known, entry: Entry, said: Said) -> bool:
    """Whether a claim answered most of the questions that the known one answered, about the
    same thing; or one of them, and is mostly in it."""
    mine = entry["queryHashes"]
    shared = len(known.queries.intersection(mine))
    if shared >= SHARED_QUERIES and shared >= QUERY_SHARE * len(mine):
        return claim_matching.share_a_word(known.said, said)
    return shared > 0 and claim_matching.is_covered(known.said, said)


def _over(entry: Entry, live: Live) -> NotLive | None:
    """Whether a claim is over with its days, as far as it is known when it was asked for.

    Entries of other programs do not tell; their gates have decided.
    """
    asked = sorted(filter(None, (_date(day) for day in entry.get(ASKED_DAYS, ()))))
    places = [entry["path"], *(row["path"] for row in entry.get(RESTATED, ()))]
    stamps = [noted_day(path) for path in places]
    began = min([*filter(None, stamps), *asked, *_first_met(entry)], default=None)
    noted = noted_day(entry["path"])
    if began is None or not asked:
        return None
    names = named_day(live.text, noted) if noted else None
    missing = missing_days(began, asked, names)
    if missing is None:
        return None
    why = f"noted on {began}" if names is None else f"it names {names.day}"
    met = f"asked for from {missing.after} on: {counted(missing.late, 'day')}"
    return NotLive(NOT_LASTING, f"{why}; {met}, needed {missing.needed}")


def _first_met(entry: Entry) -> Iterable[date]:
    found = _date(entry["firstRecalledAt"][:10])
    return [found] if found else []


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
