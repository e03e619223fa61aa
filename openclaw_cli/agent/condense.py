"""Compaction and the memory flush before it, with their model calls (``sessions.md`` 9).

The summary is one ``compaction`` line behind the conversation; nothing is removed from the
transcript unless ``truncateAfterCompaction`` is set. The caller holds the session's turn lock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import exchange, tools
from openclaw_cli.agent.session import Place, patch
from openclaw_cli.config import agents
from openclaw_cli.model import client, prompts, refs
from openclaw_cli.sessions import compaction, context, entry, transcript, truncation
from openclaw_cli.sessions.work import Work
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.context import ContextMessage
    from openclaw_cli.sessions.entry import Row

MAX_FLUSH_FAILURES = 3
_CHUNK_SHARE = 0.6  # of the window, so that instruction and summary fit besides
_FLUSH_RULES = (
    "This is a silent housekeeping turn before older parts of the conversation are condensed. "
    "Nobody reads your answer. Store what should outlast the conversation in memory/{day}.md "
    "with the tool memory_append: facts, decisions, preferences, promises. Only append. Leave "
    "MEMORY.md, SOUL.md, AGENTS.md, TOOLS.md and the other files of the workspace alone. When "
    "there is nothing to store, answer NO_REPLY."
)
_FLUSH_PROMPT = "Store now what should be remembered from this conversation, then answer NO_REPLY."


class Condensed(NamedTuple):
    """What a compaction did; ``reason`` says why nothing was done."""

    done: bool
    tokens_before: int | None = None
    tokens_after: int | None = None
    reason: str | None = None
    summary: str = ""


@dataclass
class Subject:
    """The conversation to work on: its place, row and transcript, and the model's window.

    ``timeout_s`` limits each call of the summariser (None: the settings'), ``until`` all of
    them together (of the monotonic clock; None: no limit).
    """

    place: Place
    row: Row
    path: Path
    model: str | None
    window: int
    timeout_s: float | None = None
    until: float | None = None

    @property
    def config(self) -> Config:
        """The configuration of the place."""
        return self.place.config

    @property
    def settings(self) -> compaction.Settings:
        """The compaction settings of the agent."""
        return compaction.settings_of(
            agents.agent_block(self.config, self.place.agent_id, "compaction")
        )

    def within(self, limit_s: float) -> float:
        """``limit_s``, or what is left of the time if that is less."""
        return limit_s if self.until is None else min(limit_s, self.until - time.monotonic())


def condense(subject: Subject, *, focus: str = "", keep_tokens: int | None = None) -> Condensed:
    """Summarise all but the recent part of the conversation.

    ``focus`` is what to keep in view. The recent part is ``keepRecentTokens``, but at most
    a third of the window and half of the conversation, or ``keep_tokens``. Raises
    ``ModelFailure`` when the summariser gives no answer; nothing is written then.
    """
    found = transcript.read(subject.path)
    messages = context.build(found.entries).messages
    if not messages:
        return Condensed(False, reason="nothing to compact")
    settings = subject.settings
    total = compaction.estimate_tokens([item.message for item in messages])
    wanted = min(settings.keep_recent_tokens, subject.window // 3, total // 2)
    cut = compaction.cut(
        messages,
        max(1, wanted if keep_tokens is None else keep_tokens),
        keep_turns=settings.keep_recent_turns if keep_tokens is None else 0,
    )
    if cut is None or not (cut.old or cut.split_turn):
        return Condensed(False, reason="the conversation is short enough")
    before = _tokens(subject.row, messages)
    summary = _summarise(subject, [*cut.old], focus=focus) if cut.old else ""
    if cut.split_turn:
        started = _summarise(subject, cut.split_turn, focus=focus)
        summary = f"{summary}\n\n## Turn in progress\n\n{started}".strip()
    everything = [*cut.old, *cut.split_turn]
    summary = compaction.summary_of(summary, everything, settings)
    kept = messages[len(everything) :]
    after = compaction.estimate_tokens([{"content": summary}, *(item.message for item in kept)])
    read, changed = compaction.files_of(everything)
    fields = {
        "summary": summary,
        "firstKeptEntryId": cut.first_kept_id,
        "tokensBefore": before,
        "details": {"readFiles": read, "modifiedFiles": changed},
        "fromHook": False,
    }
    line = transcript.make_entry(
        "compaction",
        fields,
        parent_id=transcript.active_leaf(found.entries),
        now_ms=clock.now_ms(),
        taken={str(old.get("id")) for old in found.entries},
    )
    transcript.append(subject.path, [line])
    place = subject.place
    place.change(
        lambda row, _draft: None if row is None else entry.after_compaction(row, tokens_after=after)
    )
    if settings.shorten:
        work = Work(subject.config, place.paths, place.command, place.now_ms)
        truncation.drop_summarised(place.key, subject.path, work)
    return Condensed(True, before, after, summary=summary)


def has_outgrown(subject: Subject) -> bool:
    """Whether the transcript is condensed before the next turn for its size on disk.

    Only where a compaction makes it smaller, or every turn would condense it again.
    """
    settings = subject.settings
    if not settings.shorten or not settings.max_bytes or not subject.path.exists():
        return False
    return subject.path.stat().st_size >= settings.max_bytes


def flush_is_due(subject: Subject, prompt_text: str) -> bool:
    """Whether the silent memory flush runs before a turn that begins with ``prompt_text``."""
    row = subject.row
    if any(row.get(name) for name in ("cliSessionIds", "cliSessionBindings", "claudeCliSessionId")):
        return False
    if not _is_writable(subject):
        return False
    known = entry.total_tokens(row) if entry.is_fresh(row) else None
    said = entry.number(row.get("outputTokens")) or 0
    fresh = -(-len(prompt_text) // compaction.CHARS_PER_TOKEN)
    size = subject.path.stat().st_size if subject.path.exists() else 0
    return size > 0 and compaction.flush_is_due(
        row,
        subject.settings,
        tokens=int((known or 0) + said + fresh),
        window_tokens=subject.window,
        transcript_bytes=size,
    )


def flush(subject: Subject) -> str | None:
    """Let the model store durable notes; a warning for people, None when all went well.

    A failure never stops the turn. After three in one cycle the cycle counts as done.
    """
    settings, place = subject.settings, subject.place
    workspace = agents.workspace_dir(subject.config, place.paths, place.agent_id)
    day = clock.day_in(place.now_ms, agents.user_zone(subject.config))
    rules = _FLUSH_RULES.format(day=day)
    system = "\n\n".join(part for part in (settings.flush_system_prompt, rules) if part)
    asked = (settings.flush_prompt or _FLUSH_PROMPT).replace("YYYY-MM-DD", day)
    messages = [
        item.message for item in context.build(transcript.read(subject.path).entries).messages
    ]
    ask = exchange.Ask(
        agent_id=place.agent_id,
        purpose="compaction",
        system=system,
        messages=[*messages, {"role": "user", "content": asked}],
        session_key=place.key,
        model=settings.flush_model or subject.model,
        timeout_s=subject.within(settings.timeout_s),
        tools=tools.APPEND_ONLY,
        toolbox=tools.Toolbox(
            subject.config, place.agent_id, workspace, place.now_ms, allowed=(tools.APPEND,)
        ),
    )
    from openclaw_cli.model.failures import ModelFailure

    try:
        exchange.hold(subject.config, ask, now_ms=place.now_ms)
    except ModelFailure as failure:
        return _note_failed_flush(subject, failure.message)
    count = int(entry.number(subject.row.get("compactionCount")) or 0)
    done = {
        "memoryFlushAt": place.now_ms,
        "memoryFlushCompactionCount": count,
        "memoryFlushFailureCount": None,
        "memoryFlushLastFailedAt": None,
        "memoryFlushLastFailureError": None,
    }
    place.change(lambda row, _draft: None if row is None else patch(row, done))
    return None


def _note_failed_flush(subject: Subject, reason: str) -> str | None:
    place = subject.place
    count = int(entry.number(subject.row.get("memoryFlushFailureCount")) or 0) + 1
    changes: dict[str, Any] = {
        "memoryFlushFailureCount": count,
        "memoryFlushLastFailedAt": place.now_ms,
        "memoryFlushLastFailureError": reason[:300],
    }
    given_up = count >= MAX_FLUSH_FAILURES
    if given_up:
        cycle = int(entry.number(subject.row.get("compactionCount")) or 0)
        changes |= {"memoryFlushCompactionCount": cycle, "memoryFlushFailureCount": None}
    place.change(lambda row, _draft: None if row is None else patch(row, changes))
    if not given_up:
        return None
    return f"notes were not saved before compaction, three tries failed: {reason}"


def _summarise(subject: Subject, messages: Sequence[ContextMessage], *, focus: str) -> str:
    """One summary of ``messages``; what does not fit into a request is folded in by parts."""
    limit = int(subject.window * _CHUNK_SHARE) * compaction.CHARS_PER_TOKEN
    summary = ""
    for chunk in _chunks(messages, limit):
        text = compaction.transcript_text(chunk)
        if summary:
            text = f"[earlier summary]: {summary}\n\n{text}"
        summary = _ask(subject, text, focus=focus, previous=bool(summary) or _has_summary(chunk))
    return summary


def _ask(subject: Subject, text: str, *, focus: str, previous: bool) -> str:
    settings = subject.settings
    instruction = compaction.prompt(previous=previous, focus=focus, settings=settings)
    asked = prompts.with_untrusted(instruction, conversation=text)
    for attempt in range(settings.quality_retries + 1):
        completion = client.complete(
            subject.config,
            client.Request(
                agent_id=subject.place.agent_id,
                purpose="compaction",
                messages=[{"role": "user", "content": asked}],
                model=settings.model or subject.model,
                timeout_s=subject.within(subject.timeout_s or settings.timeout_s),
                session_key=subject.place.key,
            ),
            now_ms=subject.place.now_ms,
        )
        summary = completion.text.strip()
        missing = compaction.missing_sections(summary)
        if summary and (not missing or attempt == settings.quality_retries):
            return summary
        asked += f"\n\nYour summary lacked: {', '.join(missing)}. Write it again, complete."
    from openclaw_cli.model.failures import Malformed

    raise Malformed("the summariser gave an empty answer", model=str(subject.model or ""))


def _chunks(messages: Sequence[ContextMessage], limit_chars: int) -> list[list[ContextMessage]]:
    chunks: list[list[ContextMessage]] = [[]]
    size = 0
    for item in messages:
        length = len(compaction.transcript_text([item]))
        if chunks[-1] and size + length > limit_chars:
            chunks.append([])
            size = 0
        chunks[-1].append(item)
        size += length
    return chunks


def _has_summary(messages: Sequence[ContextMessage]) -> bool:
    return any("<summary>" in transcript.text_of(item.message) for item in messages)


def _tokens(row: Row, messages: Sequence[ContextMessage]) -> int:
    known = entry.total_tokens(row) if entry.is_fresh(row) else None
    return int(known) if known else compaction.estimate_tokens([m.message for m in messages])


def _is_writable(subject: Subject) -> bool:
    sandbox = agents.agent_block(subject.config, subject.place.agent_id, "sandbox")
    if sandbox.get("mode") not in (None, "off") and sandbox.get("workspaceAccess") != "rw":
        return False
    workspace = agents.workspace_dir(subject.config, subject.place.paths, subject.place.agent_id)
    existing = workspace if workspace.exists() else workspace.parent
    return os.access(existing, os.W_OK)


def window_of(config: Config, model: str | None, agent_id: str) -> int:
    """The context window of the model of a turn, in tokens."""
    choice = (
        refs.choose(config, agent_id, model) if model else refs.default_choice(config, agent_id)
    )
    return refs.context_tokens(config, choice.refs[0] if choice.refs else None)
