"""A person's message: routed, judged, reset where due, answered or obeyed.

The order of ``sessions.md`` 14.2. An unauthorised sender changes nothing. Commands and
abort phrases never reach the model; everything else is one ``turn.speak``.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openclaw_cli.agent import authority, instructions, opening, phrases, session, turn
from openclaw_cli.agent.message import ANSWERED, COMMAND, DROPPED, IGNORED, RECORDED, Message, Reply
from openclaw_cli.agent.session import Place
from openclaw_cli.agent.speech import Speech
from openclaw_cli.agent.turn import Spoken
from openclaw_cli.config import agents
from openclaw_cli.errors import NotAllowed
from openclaw_cli.heartbeat import events, reply, settings
from openclaw_cli.sessions import (
    compaction,
    entry,
    lifecycle,
    rollover,
    routing,
    send_policy,
    silence,
    triggers,
)
from openclaw_cli.sessions import transcript as transcripts
from openclaw_cli.state import clock, lock

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.sessions.entry import Row
    from openclaw_cli.sessions.triggers import Trigger

_BRACKETS = re.compile(r"[\[\]\x00-\x1f\x7f]+")
_CONDENSED = "🧹 The conversation was condensed: a summary stands for its older part."
GREETING = (
    "The owner has just begun a new session. Do what your files ask for at the start of one, "
    "then greet in your own manner in one to three sentences and ask what to do. {model}Do not "
    "speak of files, tools or anything internal."
)


def take(config: Config, message: Message, *, now_ms: int) -> Reply:
    """Handle one message; raises ``ModelFailure`` when no answer could be had, ``Busy``."""
    standing = _standing(config, message)
    place = Place(config, message.agent_id, message.key, now_ms)
    if not standing.authorised:
        return Reply(IGNORED, place.key, reason=standing.reason)
    body = triggers.command_text(message.text, _mentions(config))
    command = phrases.parse_command(body)
    if phrases.is_abort(body):
        command = phrases.Command("stop", [], "")
    elif command is not None and command.name in phrases.RESETS:
        body = f"/{command.name} {command.rest}"  # /new: text and /new@bot text as well
    trigger = triggers.match_trigger(body, _extra_triggers(config))
    if trigger is None and command is not None:
        from openclaw_cli.agent import commands

        return commands.run(place, command, standing, message)
    return _converse(place, message, trigger)


def record_only(config: Config, message: Message, *, now_ms: int) -> Reply:
    """Refresh origin and routing of the session; no turn, ``updatedAt`` stays."""
    standing = _standing(config, message)
    place = Place(config, message.agent_id, message.key, now_ms)
    if not standing.authorised:
        return Reply(IGNORED, place.key, reason=standing.reason)
    row = opening.received(place, message.inbound)
    return Reply(RECORDED, place.key, row=row)


def _standing(config: Config, message: Message) -> authority.Standing:
    standing = authority.standing_of(config, config.paths, message.inbound)
    return standing._replace(owner=standing.owner and not message.by_program)


def _converse(place: Place, message: Message, trigger: Trigger | None) -> Reply:
    """The turn of an ordinary message or of a reset trigger."""
    choice = _chosen_model(place, trigger)
    bare = trigger is not None and not choice.rest
    if not bare:
        turn.require_model(place, message.model or choice.pin)
    row = opening.received(place, message.inbound)
    if entry.timestamp(row.get("archivedAt")):
        raise NotAllowed(
            f"session {place.key} is archived and takes no messages",
            hint="openclaw gateway call sessions.patch --params "
            f'\'{{"key": "{place.key}", "archived": false}}\'',
        )
    if not session.usable(row):
        row = opening.renew(place, row, place.new_id(), rule="unusable-id", pin=None)
    earlier = row
    with contextlib.ExitStack() as held:
        row, path = held.enter_context(session.turn(place, row, wait_s=message.timeout_s))
        if _was_stopped(earlier, row, message):
            return Reply(DROPPED, place.key, reason="stopped while it waited", row=row)
        why = _reset_reason(place, row, path, message, trigger)
        if why is not None and not _is_unused(row, path):
            row, path = _renewed(place, row, held, rule=why, pin=choice.pin_fields)
        elif choice.pin_fields is not None:
            pins = choice.pin_fields
            row = place.change(lambda found, _draft: (found or row) | pins) or row
        if trigger is not None and trigger.soft:
            row = place.change(lambda found, _draft: rollover.refreshed(found or row)) or row
        if trigger is not None and bare and not _has_model(place, message.model or choice.pin):
            done = "✅ New session started." if trigger.word == "/new" else "✅ Session reset."
            return Reply(COMMAND, place.key, done, row=row, path=path, reset=why)
        row = _with_levels(place, row, message)
        spoken = turn.speak(place, row, path, _speech(place, message, trigger, choice))
    return _reply(place, message, spoken, reset=why)


def _with_levels(place: Place, row: Row, message: Message) -> Row:
    """The row with the levels that the caller sets for the session."""
    wanted = {"thinkingLevel": message.thinking, "verboseLevel": message.verbose}
    levels = {name: level for name, level in wanted.items() if level is not None}
    if not levels:
        return row
    return place.change(lambda found, _draft: (found or row) | levels) or row


def _speech(place: Place, message: Message, trigger: Trigger | None, choice: _Choice) -> Speech:
    text = message.text if trigger is None else choice.rest or message.text.strip()
    fields: dict[str, Any] = {}
    if message.inbound.message_id:
        fields["idempotencyKey"] = message.inbound.message_id
    group = routing.group_of(message.inbound)
    if group is not None:
        text = _with_sender(text, message.inbound.sender_name)
    sections = instructions.conversation_section(
        {
            "channel": message.inbound.origin_channel or "",
            "chat": group.kind if group else "direct",
            "subject": message.inbound.group_subject or message.inbound.group_channel or "",
        }
        if message.inbound.channel
        else {}
    )
    sections = [*instructions.heartbeat_section(place), *sections]
    if trigger is not None and not choice.rest:
        named = f"Tell them that you now run on {choice.pin}. " if choice.pin else ""
        sections = [*sections, GREETING.format(model=named)]
    return Speech(
        text=text,
        message_fields=fields,
        events=_waiting(place),
        sections=sections,
        model=message.model or choice.pin,
        timeout_s=message.timeout_s,
        stream=message.stream,
    )


def _waiting(place: Place) -> list[events.Event]:
    """What waits for the session; scheduled reminders are the heartbeat's, where that runs."""
    has_heartbeat = settings.of_agent(place.config, place.agent_id).enabled
    waiting = events.waiting(place.paths, place.key)
    return [line for line in waiting if not (line.is_cron and has_heartbeat)]


def _with_sender(text: str, name: str | None) -> str:
    """A group's message with the name of who wrote it before it, as an envelope."""
    told = " ".join(_BRACKETS.sub(" ", name or "").split())
    return f"[{told}] {text}" if told else text


def _reply(place: Place, message: Message, spoken: Spoken, *, reset: str | None) -> Reply:
    text = spoken.answer.text
    shown = "" if silence.is_silent(text) else reply.spoken(silence.without_token(text))
    policy = place.config.get("session", "sendPolicy")
    inbound = message.inbound
    decision = send_policy.decide(
        policy, place.key, spoken.row, channel=inbound.origin_channel, chat_type=inbound.chat_type
    )
    denied = decision == "deny"
    return Reply(
        ANSWERED,
        place.key,
        shown,
        reason="send-policy" if denied else None,
        deliverable=not denied and bool(shown),
        row=spoken.row,
        path=spoken.path,
        spoken=spoken,
        reset=reset,
        notice=_CONDENSED if spoken.compacted and _tells_of_compaction(place) else "",
        notes=list(spoken.notes),
    )


def _tells_of_compaction(place: Place) -> bool:
    block = agents.agent_block(place.config, place.agent_id, "compaction")
    return compaction.settings_of(block).notify


# Resets


@dataclass
class _Choice:
    """A model that a message after ``/new`` names, and what it says besides."""

    pin: str | None
    rest: str

    @property
    def pin_fields(self) -> dict[str, Any] | None:
        """The fields of the row that pin the model."""
        if self.pin is None:
            return None
        provider, _, model = self.pin.partition("/")
        return {
            "providerOverride": provider,
            "modelOverride": model,
            "modelOverrideSource": "user",
        }


def _chosen_model(place: Place, trigger: Trigger | None) -> _Choice:
    if trigger is None:
        return _Choice(None, "")
    if trigger.word != "/new" or not trigger.rest:
        return _Choice(None, trigger.rest)
    from openclaw_cli.model import refs

    def ref(provider: str, model: str) -> triggers.ModelRef:
        return triggers.ModelRef(provider, model)

    config = place.config
    listed = [ref(provider, model) for provider, model in refs.listed_models(config)]
    names = {
        alias: ref(*refs.parse_ref(config, target))
        for alias, target in refs.aliases(config).items()
    }
    usual = [ref(*found) for found in refs.default_choice(config, place.agent_id).refs]
    allowed = list(dict.fromkeys([*listed, *usual]))
    known = triggers.Models(allowed, names, usual[0] if usual else None)
    chosen = triggers.choose_model(trigger.rest, known)
    pin = f"{chosen.model.provider}/{chosen.model.model}" if chosen.model else None
    return _Choice(pin, chosen.rest)


def _reset_reason(
    place: Place, row: Row, path: Path, message: Message, trigger: Trigger | None
) -> str | None:
    """Why the session begins anew with this message, None when it goes on."""
    if trigger is not None:
        return None if trigger.soft else trigger.word.lstrip("/")
    configured = place.config.get("session")
    block = configured if isinstance(configured, dict) else {}
    inbound = message.inbound
    kind = lifecycle.reset_type(
        place.key, chat_type=entry.text(row, "chatType"), threaded=routing.is_thread(inbound)
    )
    channel = inbound.origin_channel or lifecycle.channel_for(place.key, row)
    policy = lifecycle.policy_for(block, kind=kind, channel=channel)
    header = None
    if lifecycle.needs_header(row, place.now_ms):
        header = transcripts.started_at(path)
    verdict = lifecycle.judge(
        row, policy, now_ms=place.now_ms, zone=clock.host_zone(), header_ms=header
    )
    return None if verdict.fresh else verdict.reason


def _is_unused(row: Row, path: Path) -> bool:
    """Whether nothing was ever said in a session, so that it is as new as one can be."""
    return not path.exists() and "model" not in row and "lastInteractionAt" not in row


def _renewed(
    place: Place,
    row: Row,
    held: contextlib.ExitStack,
    *,
    rule: str,
    pin: dict[str, Any] | None,
) -> tuple[Row, Path]:
    """Begin anew under a new id whose turn lock is taken before the old one's is given up."""
    new_id = place.new_id()
    probe = rollover.renewed(row, new_id=new_id, now_ms=place.now_ms)
    path = place.transcript_path(probe)
    new_lock = session.turn_lock_path(path)
    held.enter_context(lock.run_lock(new_lock, extra=session.RUN_MARK))
    return opening.renew(place, row, new_id, rule=rule, pin=pin), path


def _was_stopped(earlier: Row, row: Row, message: Message) -> bool:
    """Whether a stop came while the message waited for its turn."""
    cutoff = entry.timestamp(row.get("abortCutoffTimestamp"))
    if cutoff is None or cutoff == entry.timestamp(earlier.get("abortCutoffTimestamp")):
        return False
    return cutoff >= message.received_ms


def _has_model(place: Place, asked: str | None) -> bool:
    from openclaw_cli.model import refs

    return asked is not None or bool(refs.default_choice(place.config, place.agent_id).refs)


def _extra_triggers(config: Config) -> list[str]:
    listed = config.get("session", "resetTriggers")
    return [word for word in listed if isinstance(word, str)] if isinstance(listed, list) else []


def _mentions(config: Config) -> list[str]:
    """The names under which groups mention the agents."""
    found = []
    for agent in config.get("agents", "list") or []:
        identity = agent.get("identity") if isinstance(agent, dict) else None
        name = identity.get("name") if isinstance(identity, dict) else None
        if isinstance(name, str) and name.strip():
            found.append(f"@{name.strip()}")
    return [*found, "@openclaw"]
