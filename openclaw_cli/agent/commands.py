"""The slash commands that are answered by the program itself (``sessions.md`` 10).

Each takes the place, the command and who asks, and returns the reply to send. Changing
what concerns the owner (``/send``, ``/dreaming on|off``) needs the owner.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from openclaw_cli.agent import condense, session, stop
from openclaw_cli.agent.message import COMMAND, IGNORED, Reply
from openclaw_cli.agent.session import patch
from openclaw_cli.model.failures import ModelFailure
from openclaw_cli.sessions import entry

if TYPE_CHECKING:
    from openclaw_cli.agent.authority import Standing
    from openclaw_cli.agent.message import Message
    from openclaw_cli.agent.phrases import Command
    from openclaw_cli.agent.session import Place
    from openclaw_cli.sessions.entry import Row

_SEND_WORDS = {
    "on": "allow", "allow": "allow", "off": "deny", "deny": "deny",
    "inherit": None, "default": None, "reset": None,
}  # fmt: skip
_SEND_SAID = {"allow": "on", "deny": "off", None: "inherit"}
HELP = [
    "/status - model, tokens, context and session at a glance",
    "/context list|detail|json - what goes into the context, by size",
    "/new [model] [text], /reset [text] - begin a new session",
    "/compact [what to keep in view] - condense the conversation",
    "/send on|off|inherit - whether answers are sent here (owner)",
    "/stop - stop the running answer",
    "/dreaming status|on|off|help - the nightly sweep (on and off: owner)",
    "/help - this list",
]


def run(place: Place, command: Command, standing: Standing, message: Message) -> Reply:
    """Carry out ``command``; a sender who may not gets no answer and changes nothing."""
    if command.name == "send" and not standing.owner:
        return Reply(IGNORED, place.key, reason="only an owner may use /send")
    text, reason = _answer(place, command, standing, message)
    return Reply(COMMAND, place.key, text, reason=reason, row=place.row())


def _answer(
    place: Place, command: Command, standing: Standing, message: Message
) -> tuple[str, str | None]:
    """What to say, and why something was not done."""
    if command.name == "stop":
        mark = message.inbound.message_id
        return stop.stop(place, by_ms=place.now_ms, message_id=mark), None
    if command.name == "help":
        return "\n".join(HELP), None
    if command.name == "send":
        return _send(place, command), None
    if command.name == "dreaming":
        return _dreaming(place, command, standing)
    if command.name == "compact":
        return _compact(place, command.rest, message), None
    if command.name == "context":
        from openclaw_cli.agent import context_report

        return context_report.text(place, place.row(), command.words), None
    from openclaw_cli.agent import status_report

    return status_report.text(place, place.row()), None


def _send(place: Place, command: Command) -> str:
    word = command.words[0].lower() if command.words else ""
    if word not in _SEND_WORDS:
        return "⚙️ Usage: /send on|off|inherit"
    policy = _SEND_WORDS[word]

    def edit(row: Row | None) -> Row:
        new_id = place.new_id()
        known = row or entry.merged(None, {}, now_ms=place.now_ms, new_id=new_id)
        return patch(known, {"sendPolicy": policy})

    place.change(lambda found, _draft: edit(found))
    return f"⚙️ Send policy set to {_SEND_SAID[policy]}."


def _dreaming(place: Place, command: Command, standing: Standing) -> tuple[str, str | None]:
    from openclaw_cli.dreaming import control

    word = command.words[0].lower() if command.words else ""
    if word in ("on", "off"):
        if not standing.owner:
            return "⚠️ Only an owner may switch dreaming on or off.", "not-owner"
        control.switch(place.paths, enabled=word == "on", now_ms=place.now_ms)
        from openclaw_cli.config.load import load

        said = f"Dreaming {'enabled' if word == 'on' else 'disabled'}."
        shown = control.settings_lines(control.settings_document(load(place.paths)))
        return "\n".join([said, "", *shown]), None
    if word == "status":
        shown = control.settings_lines(control.settings_document(place.config))
    else:
        shown = control.help_lines(place.config, "/dreaming")
    return "\n".join(shown), None


def _compact(place: Place, focus: str, message: Message) -> str:
    row = place.row()
    if row is None or not session.usable(row):
        return "⚙️ Compaction unavailable (missing session id)."
    window = condense.window_of(place.config, message.model, place.agent_id)
    with contextlib.ExitStack() as held:
        row, path = held.enter_context(session.turn(place, row, wait_s=message.timeout_s))
        until = time.monotonic() + message.timeout_s
        subject = condense.Subject(place, row, path, message.model, window, until=until)
        try:
            done = condense.condense(subject, focus=focus)
        except ModelFailure as failure:
            return f"⚙️ Compaction failed: {failure.message}"
    row = place.row() or row
    from openclaw_cli.agent.status_report import context_share

    share = context_share(row, window)
    if not done.done:
        return f"⚙️ Compaction skipped: {done.reason} • Context {share}"
    sizes = f"{_short(done.tokens_before)} → {_short(done.tokens_after)}"
    return f"⚙️ Compacted ({sizes}) • Context {share}"


def _short(tokens: int | None) -> str:
    from openclaw_cli.sessions.listing import thousands

    return "?" if tokens is None else thousands(tokens)
