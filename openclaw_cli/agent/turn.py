"""One turn of an agent: a message in, an answer out, the state left as documented.

``speak`` is what messages, heartbeats and scheduled tasks share: repair, flush, context,
pruning, model, transcript lines, counters, compaction (``sessions.md`` 14.2). Routing,
resets and delivery are ``inbound``'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, chat_format, condense, exchange, opening, tools
from openclaw_cli.agent.session import Place, patch
from openclaw_cli.config import agents
from openclaw_cli.errors import Interrupted
from openclaw_cli.model import prompts, refs
from openclaw_cli.model.failures import ModelFailure, NoModel, Overflow
from openclaw_cli.sessions import context, entry, pruning, repair, transcript
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.sessions.entry import Row

DEFAULT_TIMEOUT_S = 600.0


@dataclass
class Speech:
    """What ``speak`` says to the model and how.

    ``text`` is the user message of the transcript, unless ``record`` is False; ``prompt``
    replaces it in the request (hidden instructions). ``record_first`` writes it before the
    call, so that a crash cannot lose it; else it is written with the answer, and only when
    ``keep`` says so of the answer. ``sections`` go into the system prompt; ``only_files``
    limits the bootstrap files. ``offer`` are the tools, of which ``extra_tools`` runs those
    that are not memory's. ``is_person`` tells a person's message from a turn of the
    system, which touches neither the idle clock nor routing.
    """

    text: str
    purpose: str = "agent"
    prompt: str | None = None
    record: bool = True
    record_first: bool = True
    message_fields: dict[str, Any] = field(default_factory=dict)
    sections: Sequence[str] = ()
    only_files: Sequence[str] = bootstrap.NAMES
    with_history: bool = True
    offer: Sequence[dict[str, Any]] = tuple(tools.DEFINITIONS)
    extra_tools: dict[str, Callable[[dict[str, Any]], str]] = field(default_factory=dict)
    model: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    stream: Callable[[str], None] | None = None
    is_person: bool = True
    keep: Callable[[Answer], bool] = lambda _answer: True


@dataclass
class Spoken:
    """What came of it: the answer, the row as written, and remarks for people."""

    answer: Answer
    row: Row
    path: Path
    window: int
    notes: list[str] = field(default_factory=list)
    compacted: bool = False


def speak(place: Place, row: Row, path: Path, speech: Speech) -> Spoken:
    """Hold one exchange in the session whose turn the caller holds.

    Flush check, context, pruning, the user line, the model, its lines, the counters; then
    a compaction when the window is nearly full. A failed or aborted call leaves the user
    line with an assistant line of stop reason ``error`` or ``aborted``, never half a line.
    Raises the ``ModelFailure``.
    """
    model = speech.model or _pinned(place, row)
    window = condense.window_of(place.config, model, place.agent_id)
    notes = _repaired(place, row, path)
    subject = condense.Subject(place, row, path, model, window)
    if speech.record and speech.is_person and condense.flush_is_due(subject, speech.text):
        warning = condense.flush(subject)
        notes += [warning] if warning else []
    draft = _Draft(place, row, path, speech, model)
    draft.begin()
    try:
        answer = _asked(draft, subject, window)
    except ModelFailure as failure:
        draft.fail("error", failure.message)
        raise
    except (Interrupted, KeyboardInterrupt):
        draft.fail("aborted", "the run was stopped")
        raise
    written = draft.finish(answer, window)
    spoken = Spoken(answer, written, path, window, notes)
    if speech.record and answer.prompt_tokens is not None:
        _compact_if_due(spoken, subject, notes)
    return spoken


def system_prompt(
    place: Place, *, only_files: Sequence[str], sections: Sequence[str]
) -> bootstrap.SystemPrompt:
    """The system prompt of a run in this place."""
    workspace = agents.workspace_dir(place.config, place.paths, place.agent_id)
    found = bootstrap.load(workspace, only=only_files)
    return bootstrap.system_prompt(
        place.agent_id, found, workspace=workspace, sections=[_time_line(place), *sections]
    )


def conversation_section(facts: dict[str, str]) -> list[str]:
    """What the model should know about where a message comes from; labels are data."""
    told = {name: value for name, value in facts.items() if value}
    if not told:
        return []
    listed = "\n".join(f"{name}: {' '.join(value.split())}" for name, value in told.items())
    return [prompts.with_untrusted("Where this conversation takes place:", conversation=listed)]


def _asked(draft: _Draft, subject: condense.Subject, window: int) -> Answer:
    """The answer; a context that overflows is condensed once and asked again."""
    try:
        return exchange.hold(draft.place.config, draft.ask(window), now_ms=draft.place.now_ms)
    except Overflow:
        if not draft.speech.with_history or not subject.path.exists():
            raise
        condensed = condense.condense(subject, keep_tokens=window // 8)
        if not condensed.done:
            raise
        return exchange.hold(draft.place.config, draft.ask(window), now_ms=draft.place.now_ms)


def _compact_if_due(spoken: Spoken, subject: condense.Subject, notes: list[str]) -> None:
    total = (spoken.answer.prompt_tokens or 0) + spoken.answer.last_output_tokens
    from openclaw_cli.sessions import compaction

    if not compaction.is_due(total, spoken.window, subject.settings):
        return
    subject.row = spoken.row
    try:
        condensed = condense.condense(subject)
    except ModelFailure as failure:
        # The turn is done and answered; the next one tries again.
        notes.append(f"the conversation could not be condensed: {failure.message}")
        return
    if condensed.done:
        spoken.compacted = True
        spoken.row = subject.place.row() or spoken.row


@dataclass
class _Draft:
    """The lines of one exchange on their way into the transcript."""

    place: Place
    row: Row
    path: Path
    speech: Speech
    model: str | None
    _parent: str | None = None
    _taken: set[str] = field(default_factory=set)
    _prompt: bootstrap.SystemPrompt | None = None
    _memory: pruning.Memory | None = None
    _waiting: list[dict[str, Any]] = field(default_factory=list)

    def begin(self) -> None:
        """Write what comes before the answer: the first lines of a new file, the user line."""
        if not self.speech.record:
            return
        lines: list[dict[str, Any]] = []
        found = transcript.read(self.path)
        self._taken = {str(line.get("id")) for line in found.entries}
        self._parent = transcript.active_leaf(found.entries)
        if not found.exists or found.header is None:
            provider, model = self._model_in_use()
            lines = opening.first_lines(
                self.place, self.row, self.path, provider=provider, model=model
            )
            self._taken |= {str(line["id"]) for line in lines}
            self._parent = str(lines[-1]["id"])
        message = {
            "role": "user",
            "content": [{"type": "text", "text": self.speech.text}],
            "timestamp": self.place.now_ms,
            **self.speech.message_fields,
        }
        lines.append(self._line("message", {"message": message}))
        if self.speech.record_first:
            transcript.append(self.path, lines)
        else:
            self._waiting = lines

    def ask(self, window: int) -> exchange.Ask:
        """The request: system prompt, what the transcript holds, the hidden prompt if any."""
        speech, place = self.speech, self.place
        self._prompt = system_prompt(place, only_files=speech.only_files, sections=speech.sections)
        workspace = agents.workspace_dir(place.config, place.paths, place.agent_id)
        names = [tool["function"]["name"] for tool in speech.offer]
        toolbox = tools.Toolbox(
            place.config, place.agent_id, workspace, place.now_ms, allowed=names,
            extra=speech.extra_tools,
        )  # fmt: skip
        return exchange.Ask(
            agent_id=place.agent_id,
            purpose=speech.purpose,
            system=self._prompt.text,
            messages=self._messages(window),
            session_key=place.key,
            model=self.model,
            tools=speech.offer,
            toolbox=toolbox if speech.offer else None,
            timeout_s=speech.timeout_s,
            stream=speech.stream,
        )

    def fail(self, reason: str, text: str) -> None:
        """Close the user line with an assistant line that says why there is no answer."""
        if not self.speech.record or not self.speech.record_first:
            return
        provider, model = self._model_in_use()
        message = chat_format.failed_message(
            reason=reason, text=text, provider=provider, model=model, now_ms=clock.now_ms()
        )
        transcript.append(self.path, [self._line("message", {"message": message})])
        aborted = reason == "aborted"
        self.place.change(
            lambda row, _draft: None if row is None else patch(row, {"abortedLastRun": aborted})
        )

    def finish(self, answer: Answer, window: int) -> Row:
        """Write the answer's lines and the counters; the row as it is now."""
        if not self.speech.record or not self.speech.keep(answer):
            return self.row
        lines = [self._line("message", {"message": message}) for message in answer.messages]
        if self._memory is not None:
            data = {"customType": pruning.CUSTOM_TYPE, "data": self._memory.to_data()}
            lines.append(self._line("custom", data))
        transcript.append(self.path, [*self._waiting, *lines])
        written = self.place.change(
            lambda row, _draft: self._counted(row or self.row, answer, window)
        )
        return written or self.row

    def _counted(self, row: Row, answer: Answer, window: int) -> Row:
        counted = entry.with_usage(
            row, run=answer.usage, prompt_tokens=answer.prompt_tokens, window=window
        )
        now_ms = clock.now_ms()
        changes: dict[str, Any] = {
            "modelProvider": answer.ref.provider,
            "model": answer.ref.model,
            "systemSent": True,
            "abortedLastRun": False,
        }
        if self._prompt is not None:
            changes["systemPromptReport"] = self._prompt.report(now_ms)
        if self.speech.is_person:
            changes["lastInteractionAt"] = self.place.now_ms
        changed = patch(counted, changes)
        if not self.speech.is_person:
            return changed
        return entry.merged(changed, {}, now_ms=now_ms, new_id=str(row.get("sessionId")))

    def _messages(self, window: int) -> list[dict[str, Any]]:
        speech = self.speech
        hidden = {"role": "user", "content": speech.prompt or speech.text}
        if not speech.with_history:
            return [hidden]
        found = transcript.read(self.path)
        built = context.build(found.entries).messages
        path = transcript.active_path(found.entries)
        block = agents.agent_block(self.place.config, self.place.agent_id, "contextPruning")
        pruned = pruning.prune(
            built,
            pruning.memory_of(path),
            pruning.settings_of(block),
            window_tokens=window,
            touched_ms=_last_answer_ms(built),
            now_ms=self.place.now_ms,
        )
        self._memory = pruned.memory
        messages = pruned.messages
        if not speech.record or not speech.record_first:
            return [*messages, hidden]
        if speech.prompt is not None and messages and messages[-1].get("role") == "user":
            return [*messages[:-1], hidden]
        return messages

    def _line(self, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
        line = transcript.make_entry(
            kind, fields, parent_id=self._parent, now_ms=clock.now_ms(), taken=self._taken
        )
        self._parent = str(line["id"])
        return line

    def _model_in_use(self) -> tuple[str | None, str | None]:
        config = self.place.config
        if self.model is not None:
            ref = refs.parse_ref(config, self.model)
            return ref.provider, ref.model
        found = ModelResolver(config).default(self.place.agent_id)
        return found.provider, found.name


def _pinned(place: Place, row: Row) -> str | None:
    """The model that the row pins, as a name for the model layer; None for the default."""
    if not entry.text(row, "modelOverride"):
        return None
    pinned = ModelResolver(place.config).in_use(row, place.agent_id)
    return str(pinned) if pinned.name else None


def _repaired(place: Place, row: Row, path: Path) -> list[str]:
    """Put a damaged transcript right before writing to it; what was done, for people."""
    plan = repair.plan(
        path, session_id=str(row.get("sessionId")), now_ms=place.now_ms, cwd=str(path.parent)
    )
    if plan is None:
        return []
    kept = repair.apply(path, plan, now_ms=place.now_ms)
    return [f"the transcript was damaged and has been put right; the old file is {kept}"]


def _last_answer_ms(messages: Sequence[context.ContextMessage]) -> int | None:
    """When a provider last saw this context: the time of the last answer in it."""
    for item in reversed(messages):
        if item.message.get("role") == "assistant":
            at = item.message.get("timestamp")
            return int(at) if isinstance(at, int | float) else None
    return None


def _time_line(place: Place) -> str:
    zone = agents.user_zone(place.config)
    at = clock.local(place.now_ms, zone)
    return f"Current time: {at:%A, %Y-%m-%d %H:%M} ({zone.key})."


def require_model(place: Place, asked: str | None) -> None:
    """Raise ``NoModel`` before anything is written when no model is configured at all."""
    choice = (
        refs.choose(place.config, place.agent_id, asked)
        if asked
        else refs.default_choice(place.config, place.agent_id)
    )
    if not choice.refs:
        raise NoModel(
            f"no model is configured for agent {place.agent_id}",
            hint="openclaw config set agents.defaults.model provider/model",
        )
