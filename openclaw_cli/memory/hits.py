"""A search hit and its forms: in results, in explanations, as a recall (``memory.md`` 2.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from openclaw_cli.memory.text import cut_utf16
from openclaw_cli.memory.workspace import is_short_term, source_of

SNIPPET_LENGTH = 700


@dataclass
class Answer:
    """The line or small window of a note that answered a query."""

    start: int
    end: int
    text: str


@dataclass
class Hit:
    """A place in a note. Scores are 0..1; ``vector_score`` None: keyword-only search.

    ``text`` is that of the range. ``keyword`` tells whether the keyword side found it and
    ``boosted`` what it gave; ``answer`` is what a recall is recorded for (None: unknown).
    """

    chunk_id: str
    path: str
    start: int
    end: int
    text: str
    score: float
    text_score: float = 0.0
    vector_score: float | None = None
    keyword: bool = True
    boosted: float = 0.0
    answer: Answer | None = None
    explain: dict[str, Any] = field(default_factory=dict)
    duplicates: list[dict[str, Any]] = field(default_factory=list)

    @property
    def source(self) -> str:
        """``memory`` for a note, ``sessions`` for a conversation."""
        return source_of(self.path)

    @property
    def snippet(self) -> str:
        """What is shown of the text."""
        return cut_utf16(self.text, SNIPPET_LENGTH)

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """The hit as in the results of ``memory search --json``."""
        place = {"path": self.path, "startLine": self.start, "endLine": self.end}
        if self.vector_score is None:
            found = {"id": self.chunk_id, **place, "score": self.score}
        else:
            found = {**place, "score": self.score, "vectorScore": self.vector_score}
        found |= {"textScore": self.text_score, "snippet": self.snippet, "source": self.source}
        if self.duplicates:
            found["duplicates"] = self.duplicates
        if explain:
            found["explain"] = {"chunkId": self.chunk_id, **self.explain}
        return found

    def to_recall(self) -> dict[str, Any]:
        """The hit as a recall of the window that answered; its chunk where none is known.

        Hits on files that are not tracked are only logged, as they were shown.
        With vectors a hit that only words found has at most the weight of the keyword
        side; its relevance is then the score that the words alone give.
        """
        shown = Answer(self.start, self.end, self.text)
        answer = self.answer if self.answer and is_short_term(self.path) else shown
        return {
            "path": self.path,
            "startLine": answer.start,
            "endLine": answer.end,
            "score": max(self.score, self.boosted),
            "snippet": answer.text,
            "source": self.source,
        }
