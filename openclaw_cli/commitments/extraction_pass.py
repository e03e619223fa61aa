"""The extraction pass: new exchanges to the model, candidates to the store, cursors moved.

Hidden and on its own: nothing is added to a transcript, a session row or the agent's
prompt, and the call has no tools (``commitments.md`` 4, 5 and 11). One batch holds one
agent; a turn that failed before goes alone, and after three failures is passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openclaw_cli.commitments import candidates, cursors, extraction, store
from openclaw_cli.commitments.candidates import Item, Result
from openclaw_cli.commitments.reading import GIVEN_UP, MAX_FAILURES, Reader, Session, Turn
from openclaw_cli.commitments.settings import MIN_AGE_MS
from openclaw_cli.config import agents
from openclaw_cli.errors import ModelUnavailable
from openclaw_cli.state.clock import MINUTE_MS

if TYPE_CHECKING:
    from openclaw_cli.commitments.store import Step, Store
    from openclaw_cli.config.load import Config
    from openclaw_cli.delivery.targets import Route
    from openclaw_cli.state.paths import Paths

COMMAND = "commitments extract"
CALL_TIMEOUT_S = 45.0
TURNS_PER_PASS = 64
COOLDOWN_MS = 15 * MINUTE_MS

COOLDOWN, BUDGET, NO_MODEL, UNREACHABLE = "cooldown", "budget", "no-model", "unreachable"

# Kinds of model failure: those that end the agent's pass without being a fault of a turn.
_NORMAL = {"unconfigured": NO_MODEL, "budget": BUDGET, "unreachable": UNREACHABLE}
_TERMINAL_KINDS = ("auth", "unknown-model")
_TERMINAL_WORDS = (
    "no api key", "unknown model", "missing_api_key", "invalid_grant", "credentials expired",
    "expired credentials", "missing credentials", "oauth token refresh failed",
)  # fmt: skip


@dataclass
class Scope:
    """What a pass covers. ``spacing_ms`` is the heartbeat interval of an agent.

    ``session_key`` limits it to one session; ``route`` is then the one of the turn that has
    just ended, ``min_age_ms`` 0, since that turn is over.
    """

    agent_ids: Sequence[str]
    spacing_ms: Callable[[str], int]
    session_key: str | None = None
    route: Route | None = None
    min_age_ms: int = MIN_AGE_MS
    dry_run: bool = False


@dataclass
class Report:
    """What a pass did; ``reasons`` say per agent why it stopped early."""

    turns: int = 0
    candidates: int = 0
    created: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    new_sessions: int = 0
    reasons: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    failed: bool = False

    def to_json(self) -> dict[str, Any]:
        """The document of ``commitments extract``."""
        usage = {
            "calls": self.calls,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
        }
        return {
            "turns": self.turns,
            "candidates": self.candidates,
            "created": len(self.created),
            "merged": len(self.merged),
            "skipped": dict(self.skipped),
            "usage": usage,
            "createdIds": self.created,
            "mergedIds": self.merged,
            "newSessions": self.new_sessions,
            "reasons": self.reasons,
            "warnings": self.warnings,
        }


def run(config: Config, paths: Paths, scope: Scope, *, now_ms: int) -> Report:
    """Do the pass. The caller holds the job's run lock and knows that the feature is on.

    Failures of the model are in the report; a damaged store or cursor file raises.
    """
    store.load(paths)  # a store that must not be written stops the pass before it costs anything
    report = Report()
    known = cursors.load(paths)
    zone_name = agents.user_zone(config).key
    for agent_id in scope.agent_ids:
        until = known["cooldowns"].get(agent_id)
        if isinstance(until, int | float) and until > now_ms:
            report.reasons[agent_id] = COOLDOWN
            continue
        reader = Reader(
            config, paths, known, now_ms, zone_name, min_age_ms=scope.min_age_ms, route=scope.route
        )
        _Agent(config, paths, scope, agent_id, now_ms, report).work(reader)
    return report


@dataclass
class _Agent:
    """The pass over one agent's sessions."""

    config: Config
    paths: Paths
    scope: Scope
    agent_id: str
    now_ms: int
    report: Report

    def work(self, reader: Reader) -> None:
        sessions, all_seen = self._collect(reader)
        turns = [turn for session in sessions for turn in session.turns]
        self._count(sessions, turns)
        if self.scope.dry_run:
            return
        done, failure = self._handle(turns)
        self._move_cursors(sessions, turns[:done], all_seen=all_seen and failure is None)
        if failure is not None:
            self._note_failure(failure, turns[done : _next_batch(turns, done)])

    def _collect(self, reader: Reader) -> tuple[list[Session], bool]:
        """The sessions with something new, and whether none was left for a later pass."""
        sessions: list[Session] = []
        room = TURNS_PER_PASS
        for session in reader.sessions(self.agent_id, self.scope.session_key):
            if not room:
                return sessions, False
            sessions.append(session)
            if len(session.turns) > room:
                session.turns = session.turns[:room]
                session.cursor = None  # the rest of it waits for the next pass
            room -= len(session.turns)
        if reader.busy:
            self.report.skipped["busy"] += len(reader.busy)
        return sessions, self.scope.session_key is None and not reader.busy

    def _count(self, sessions: Sequence[Session], turns: Sequence[Turn]) -> None:
        self.report.new_sessions += sum(session.is_new for session in sessions)
        self.report.turns += sum(turn.item is not None for turn in turns)
        self.report.skipped.update(turn.skip for turn in turns if turn.skip is not None)
        self.report.warnings += [
            f"an exchange of {turn.session_key} is passed over: extraction failed "
            f"{MAX_FAILURES} times"
            for turn in turns
            if turn.skip == GIVEN_UP
        ]

    def _handle(self, turns: Sequence[Turn]) -> tuple[int, ModelUnavailable | None]:
        """Work through ``turns`` in order: how many are done with, and what stopped it."""
        done = 0
        while done < len(turns):
            end = _next_batch(turns, done)
            items = [turn.item for turn in turns[done:end] if turn.item is not None]
            failure = self._call(items) if items else None
            if failure is not None:
                return done, failure
            done = end
        return done, None

    def _call(self, items: list[Item]) -> ModelUnavailable | None:
        """One call and what it makes of the store; the failure when there is no answer."""
        from openclaw_cli.model import client

        rows = store.load(self.paths).valid
        request = client.Request(
            self.agent_id,
            "extraction",
            extraction.messages(items, rows),
            timeout_s=CALL_TIMEOUT_S,
            session_key=items[0].scope["sessionKey"],
        )
        try:
            answer = client.complete(self.config, request, now_ms=self.now_ms)
        except ModelUnavailable as failure:
            return failure
        self.report.calls += 1
        self.report.input_tokens += answer.usage.input_tokens
        self.report.output_tokens += answer.usage.output_tokens
        found = extraction.parse_reply(answer.text)
        self.report.candidates += len(found)
        if found:
            self._store(found, items)
        return None

    def _store(self, found: Sequence[Mapping[str, Any]], items: Sequence[Item]) -> None:
        results: list[Result] = []

        def decide(seen: Store) -> list[Step]:
            results[:] = [
                candidates.upsert(
                    seen,
                    found,
                    items,
                    spacing_ms=self.scope.spacing_ms(self.agent_id),
                    now_ms=self.now_ms,
                )
            ]
            return results[0].steps

        store.update(self.paths, decide, command=COMMAND, now_ms=self.now_ms)
        self.report.created += results[0].created
        self.report.merged += results[0].merged
        self.report.skipped.update(results[0].skipped)

    def _note_failure(self, failure: ModelUnavailable, turns: Sequence[Turn]) -> None:
        kind = str(getattr(failure, "kind", "failed"))
        self.report.reasons[self.agent_id] = _NORMAL.get(kind, kind)
        self.report.warnings.append(failure.message)
        if kind in _NORMAL:
            return
        self.report.failed = True
        terminal = kind in _TERMINAL_KINDS or is_terminal(failure.message)

        def edit(document: dict[str, Any]) -> None:
            if terminal:
                document["cooldowns"][self.agent_id] = self.now_ms + COOLDOWN_MS
                return
            first = {turn.session_key: turn for turn in reversed(turns) if turn.item is not None}
            for key, turn in first.items():
                cursor = document["sessions"].setdefault(key, {})
                cursor |= {"failedId": turn.exchange.user_id, "failures": turn.failures + 1}

        cursors.change(self.paths, edit)

    def _move_cursors(
        self, sessions: Sequence[Session], handled: Sequence[Turn], *, all_seen: bool
    ) -> None:
        last = {turn.session_key: turn for turn in handled}
        counts = Counter(turn.session_key for turn in handled)

        def edit(document: dict[str, Any]) -> None:
            for session in sessions:
                turn = last.get(session.key)
                if session.cursor is not None and counts[session.key] == len(session.turns):
                    moved = session.cursor
                elif turn is not None:
                    moved = {
                        "transcript": turn.transcript,
                        "messageId": turn.exchange.end_id,
                        "atMs": turn.exchange.at_ms,
                    }
                else:
                    continue
                document["sessions"][session.key] = moved | {"route": session.route}
            if all_seen:
                document["lastPassMs"][self.agent_id] = self.now_ms

        if sessions or all_seen:
            cursors.change(self.paths, edit)


def is_terminal(message: str) -> bool:
    """Whether a failure is about the account or the model, so that a repeat is no use."""
    lowered = message.lower()
    return any(words in lowered for words in _TERMINAL_WORDS)


def _next_batch(turns: Sequence[Turn], start: int) -> int:
    """Index after the batch that begins at ``start``; a turn that failed before is alone."""
    if turns[start].failures:
        return start + 1
    end = start
    while end < len(turns) and end - start < extraction.BATCH_SIZE and not turns[end].failures:
        end += 1
    return end
