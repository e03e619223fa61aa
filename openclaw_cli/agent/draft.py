"""The lines of one exchange: what is asked, and what of it gets into the transcript.

The order of lines, the parents, and the fields are those of ``sessions.md`` 3.2; counters
and clocks of the row those of 2.5. The caller holds the turn lock.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import bootstrap, chat_format, exchange, instructions, opening, tools
from openclaw_cli.agent.session import Place, patch
from openclaw_cli.agent.speech import Speech
from openclaw_cli.config import agents
from openclaw_cli.heartbeat import events, history
from openclaw_cli.model import refs
from openclaw_cli.sessions import compaction, context, entry, pruning, transcript
from openclaw_cli.sessions.model_in_use import ModelResolver
from openclaw_cli.state import clock

if TYPE_CHECKING:
    from openclaw_cli.agent.exchange import Answer
    from openclaw_cli.sessions.entry import Row


@dataclass
class Draft:
    """The lines of one exchange on their way into the transcript.

    The exchange is over at ``until`` (of the monotonic clock). ``is_kept`` tells after
    ``finish`` whether the lines got there, ``follows`` whether a compaction was made amid.
    ``checks_room`` lets ``midTurnPrecheck`` look at the window between calls.
    """

    place: Place
    row: Row
    path: Path
    speech: Speech
    model: str | None
    until: float
    _parent: str | None = None
    _taken: set[str] = field(default_factory=set)
    _prompt: bootstrap.SystemPrompt | None = None
    _memory: pruning.Memory | None = None
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _begun: bool = False
    is_kept: bool = False
    follows: bool = False
    checks_room: bool = True

    def begin(self) -> None:
        """Write what comes before the answer: the first lines of a new file, the user line."""
        if self._begun or not self.speech.record:
            return
        self._begun = True
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
        else:
            lines = self._changed_settings(found.entries)
        if self.speech.events:
            told = "\n".join(f"System: {event.text}" for event in self.speech.events)
            shown = {"customType": "system-event", "content": told, "display": False}
            lines.append(self._line("custom_message", shown))
        message = {
            "role": "user",
            "content": [{"type": "text", "text": self.speech.text}],
            "timestamp": self.place.now_ms,
            **self.speech.message_fields,
        }
        lines.append(self._line("message", {"message": message}))
        if self.speech.record_first:
            transcript.append(self.path, lines)
            events.consume(self.place.paths, self.place.key, self.speech.events)
        else:
            self._waiting = lines

    def ask(self, window: int) -> exchange.Ask:
        """The request: system prompt, what the transcript holds, the hidden prompt if any."""
        speech, place = self.speech, self.place
        self._prompt = instructions.system_prompt(
            place, only_files=speech.only_files, sections=speech.sections
        )
        workspace = agents.workspace_dir(place.config, place.paths, place.agent_id)
        names = [tool["function"]["name"] for tool in speech.offer]
        block = agents.agent_block(place.config, place.agent_id, "compaction")
        settings = compaction.settings_of(block)
        checks = settings.precheck and self.checks_room
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
            timeout_s=self.until - time.monotonic(),
            stream=speech.stream,
            is_over=speech.is_over,
            room_tokens=compaction.room(window, settings) if checks else None,
        )

    def follow_compaction(self) -> None:
        """Hang what is still to be written below the compaction that was just made."""
        self.follows = True
        found = transcript.read(self.path)
        self._taken |= {str(line.get("id")) for line in found.entries}
        leaf = transcript.active_leaf(found.entries)
        if self._waiting:
            self._waiting[0] = self._waiting[0] | {"parentId": leaf}
        else:
            self._parent = leaf

    def fail(self, reason: str, text: str) -> None:
        """Close the user line with an assistant line that says why there is no answer."""
        if not self.speech.record or not self.speech.record_first:
            return
        self.begin()
        provider, model = self._model_in_use()
        message = chat_format.failed_message(
            reason=reason, text=text, provider=provider, model=model, now_ms=clock.now_ms()
        )
        transcript.append(self.path, [self._line("message", {"message": message})])
        changes: dict[str, Any] = {"abortedLastRun": reason == "aborted"}
        if self.speech.is_person:
            changes["lastInteractionAt"] = self.place.now_ms
        self.place.change(lambda row, _draft: None if row is None else patch(row, changes))

    def finish(self, answer: Answer, window: int) -> Row:
        """Write the answer's lines and the counters; the row as it is now."""
        if not self.speech.record or not self.speech.keep(answer):
            return self.row
        lines = [self._line("message", {"message": message}) for message in answer.messages]
        if self._memory is not None:
            data = {"customType": pruning.CUSTOM_TYPE, "data": self._memory.to_data()}
            lines.append(self._line("custom", data))
        transcript.append(self.path, [*self._waiting, *lines])
        self.is_kept = True
        written = self.place.change(
            lambda row, _draft: self._counted(row or self.row, answer, window)
        )
        return written or self.row

    def _changed_settings(self, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Lines that tell of another model or thinking level than the branch knows."""
        known = context.build(entries)
        provider, model = self._model_in_use()
        lines = []
        if model and known.model and (provider, model) != (known.provider, known.model):
            lines.append(self._line("model_change", {"provider": provider, "modelId": model}))
        level = entry.text(self.row, "thinkingLevel") or "off"
        if known.thinking and level != known.thinking:
            lines.append(self._line("thinking_level_change", {"thinkingLevel": level}))
        return lines

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
        heartbeat = agents.agent_block(self.place.config, self.place.agent_id, "heartbeat")
        own_prompt = str(heartbeat.get("prompt") or "").strip()
        pruned = pruning.prune(
            history.without_idle_polls(built, own_prompt=own_prompt),
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


def _last_answer_ms(messages: Sequence[context.ContextMessage]) -> int | None:
    """When a provider last saw this context: the time of the last answer in it."""
    for item in reversed(messages):
        if item.message.get("role") == "assistant":
            return entry.timestamp(item.message.get("timestamp"))
    return None
