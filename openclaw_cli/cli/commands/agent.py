"""``openclaw agent``: one message in, one answer out; ``--interactive`` is a small chat."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openclaw_cli.cli.app import App
from openclaw_cli.cli.options import command, completed, option
from openclaw_cli.errors import UnreadableFile, UsageProblem

if TYPE_CHECKING:
    from openclaw_cli.agent.choosing import Chosen
    from openclaw_cli.agent.message import Message, Reply
    from openclaw_cli.sessions.routing import Inbound
    from openclaw_cli.sessions.silence import TokenFilter

CHAT_TYPES = ("direct", "group", "channel")
THINKING = ("off", "minimal", "low", "medium", "high", "xhigh")


class SecondsType(click.ParamType[float]):
    """A positive number of seconds."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            seconds = float(value)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < math.inf:  # false for NaN as well
            self.fail(f"{value!r} is no positive number of seconds", param, ctx)
        return seconds


@command("agent")
@option("-m", "--message", metavar="TEXT", help="The message; '-' reads standard input.")
@option(
    "--message-file",
    metavar="FILE",
    shell_complete=completed("files"),
    help="Read the message from a file.",
)
@option(
    "--agent",
    metavar="ID",
    shell_complete=completed("agent_ids"),
    help="The agent to talk to; alone: its main session.",
)
@option(
    "--session-key",
    metavar="KEY",
    shell_complete=completed("session_keys"),
    help="Talk in exactly this session.",
)
@option("--session-id", metavar="ID", help="Talk in the session that has this id.")
@option("-t", "--to", metavar="RECIPIENT", help="Whom the conversation is with.")
@option(
    "--channel",
    metavar="NAME",
    shell_complete=completed("channel_names"),
    help="The channel the message came through.",
)
@option("--from", "sender", metavar="ID", help="Who sent it; without it: you, the owner.")
@option("--account", metavar="ID", help="The channel account that received it.")
@option("--chat-type", type=click.Choice(CHAT_TYPES), help="What kind of chat it came from.")
@option("--group", metavar="ID", help="The group it was written in.")
@option("--thread", metavar="ID", help="The thread or topic it was written in.")
@option("--sender-name", metavar="NAME", help="How the sender is called.")
@option("--conversation-label", metavar="TEXT", help="How people call the conversation.")
@option("--group-subject", metavar="TEXT", help="The subject of the group.")
@option("--group-channel", metavar="NAME", help="The channel inside a group space.")
@option("--group-space", metavar="NAME", help="The space, guild or team of the group.")
@option("--message-id", metavar="ID", help="The channel's id of the message.")
@option("--hook", is_flag=True, help="The message comes from a webhook: a session of its own.")
@option("--node", metavar="ID", help="The message comes from this node.")
@option("--model", metavar="MODEL", help="Answer with this model.")
@option("--thinking", type=click.Choice(THINKING), help="Thinking level of the session.")
@option(
    "--verbose",
    "verbose_level",
    type=click.Choice(["on", "full", "off"]),
    help="Verbose level of the session.",
)
@option(
    "--timeout",
    "timeout_s",
    type=SecondsType(),
    default="600",
    show_default=True,
    metavar="SECONDS",
    help="Wait so long for the session's turn, then for the answer.",
)
@option("--deliver", is_flag=True, help="Send the answer where the session's answers go.")
@option(
    "--reply-channel",
    metavar="NAME",
    shell_complete=completed("channel_names"),
    help="Deliver through this channel instead.",
)
@option("--reply-to", metavar="RECIPIENT", help="Deliver to this recipient instead.")
@option("--reply-account", metavar="ID", help="Deliver from this account instead.")
@option("--record-only", is_flag=True, help="Only note where the conversation takes place.")
@option("--no-extract", is_flag=True, help="Do not look for follow-ups afterwards.")
@option("--interactive", is_flag=True, help="Chat: one message a line until end of input.")
@option("--local", is_flag=True, hidden=True, help="Accepted; every turn is local.")
@click.pass_obj
def cli(app: App, /, as_json: bool, **given: Any) -> None:
    """Answer one message in the right session and leave the state that it deserves.

    The session is chosen by --session-key, --session-id, the sender and the channel, or
    --agent. Expired sessions begin anew; /new, /reset, /status, /send, /compact, /stop and
    other commands are obeyed, not answered.

    \b
    Examples:
      openclaw agent --agent main -m "What is on my list?"
      echo "Ping" | openclaw agent --channel telegram --from 123 -m - --deliver
      openclaw agent --agent main --interactive
    """
    if given["interactive"]:
        excluded = [n for n in ("message", "message_file", "record_only") if given[n]]
        if as_json or excluded:
            name = "json" if as_json else excluded[0].replace("_", "-")
            raise UsageProblem(f"--interactive and --{name} exclude each other")
        _chat(app, given)
        return
    if given["reply_channel"] is not None:
        from openclaw_cli.delivery import channels

        channels.require_known(app.config, given["reply_channel"])
    text = "" if given["record_only"] else _text(given)
    inbound = _inbound(given)
    chosen = _chosen(app, given, inbound)
    if given["record_only"]:
        _record_only(app, given, inbound, chosen, as_json=as_json)
        return
    _refuse_terminal_compact(text, given)
    _one_turn(app, given, _message(app, given, inbound, chosen, text), as_json=as_json)


def _one_turn(app: App, given: dict[str, Any], message: Message, *, as_json: bool) -> None:
    from openclaw_cli.agent import inbound as agent_inbound
    from openclaw_cli.agent import report, sending
    from openclaw_cli.agent.message import ANSWERED

    screen = _stream_to_terminal(app, message) if not as_json else None
    began = time.monotonic()
    try:
        reply = agent_inbound.take(app.config, message, now_ms=app.now_ms())
    finally:
        if screen is not None and screen.close():
            app.out.raw("\n")
    delivery = None
    if given["deliver"]:
        wish = sending.Destination(
            given["reply_channel"], given["reply_to"], given["reply_account"]
        )
        delivery = sending.deliver(app.config, reply, message, wish, now_ms=app.now_ms())
    duration_ms = int((time.monotonic() - began) * 1000)
    found = report.document(reply, duration_ms=duration_ms, delivery=delivery)
    if screen is not None and screen.has_shown:
        found["payloads"] = [said for said in found["payloads"] if said["text"] != reply.text]
    app.emit(found, as_json=as_json, render=_render)
    _say_what_else(app, reply, found)
    if reply.status == ANSWERED and not given["no_extract"]:
        _extract(app, message, reply)
    app.finish(failed=delivery is not None and delivery["status"] == "failed")


def _render(found: dict[str, Any]) -> Iterable[str]:
    return [payload["text"] for payload in found["payloads"]]


def _say_what_else(app: App, reply: Reply, found: dict[str, Any]) -> None:
    for note in reply.notes:
        app.warn(note)
    if reply.status in ("ignored", "dropped"):
        app.warn(f"{reply.status}: {reply.reason}")
    elif reply.reason == "send-policy":
        app.warn("not delivered: the send policy of this session denies it")
    elif reply.reason == "no-target":
        app.warn("not delivered: the session knows no recipient (use --reply-channel, --reply-to)")
    delivery = found.get("delivery")
    if delivery and delivery["status"] == "failed":
        app.warn(f"delivery {delivery['id']} failed: {delivery['error']}")


def _extract(app: App, message: Message, reply: Reply) -> None:
    """Look for follow-ups in what was just said; its failure never changes the exit status."""
    from openclaw_cli.commitments import settings

    if not settings.enabled(app.config):
        return
    from openclaw_cli.agent import sending
    from openclaw_cli.commitments import extraction_pass
    from openclaw_cli.errors import OpenClawError
    from openclaw_cli.heartbeat.settings import spacing_ms
    from openclaw_cli.state import lock

    scope = extraction_pass.Scope(
        [message.agent_id],
        lambda agent_id: spacing_ms(app.config, agent_id),
        session_key=reply.key,
        route=sending.route_of(reply, message.inbound),
        min_age_ms=0,
    )
    try:
        with lock.run_lock(app.paths.job("extract.lock")):
            report = extraction_pass.run(app.config, app.paths, scope, now_ms=app.now_ms())
    except OpenClawError as error:
        app.warn(f"follow-ups were not looked for: {error.message}")
        return
    for warning in report.warnings:
        app.warn(warning)


def _chosen(app: App, given: dict[str, Any], inbound: Inbound) -> Chosen:
    from openclaw_cli.agent import choosing

    selectors = choosing.Selectors(
        given["agent"], given["session_key"], given["session_id"], given["to"], given["hook"],
        given["node"],
    )  # fmt: skip
    return choosing.choose(app.config, selectors, inbound)


def _inbound(given: dict[str, Any]) -> Inbound:
    from openclaw_cli.sessions.routing import Inbound

    to = given["to"]
    is_key = to is not None and to.strip().lower().startswith("agent:")
    return Inbound(
        channel=given["channel"],
        sender=given["sender"],
        recipient=None if is_key else to,
        account_id=given["account"],
        chat_type=given["chat_type"],
        group_id=given["group"],
        thread_id=given["thread"],
        sender_name=given["sender_name"],
        conversation_label=given["conversation_label"],
        group_subject=given["group_subject"],
        group_channel=given["group_channel"],
        group_space=given["group_space"],
        message_id=given["message_id"],
    )


def _message(
    app: App, given: dict[str, Any], inbound: Inbound, chosen: Chosen, text: str
) -> Message:
    from openclaw_cli.agent.message import Message

    return Message(
        text=text,
        inbound=inbound,
        agent_id=chosen.agent_id,
        key=chosen.key,
        received_ms=app.now_ms(),
        model=given["model"],
        thinking=given["thinking"],
        verbose=given["verbose_level"],
        timeout_s=given["timeout_s"],
        by_program=given["hook"] or given["node"] is not None,
    )


def _text(given: dict[str, Any]) -> str:
    message, path = given["message"], given["message_file"]
    if message is not None and path is not None:
        raise UsageProblem("--message and --message-file exclude each other")
    if path is not None:
        message = _of_file(Path(path))
    elif message == "-":
        message = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    if message is None or not message.strip():
        raise UsageProblem(
            "Missing message", hint="give one with --message TEXT, --message - or --message-file"
        )
    return str(message).strip()


def _of_file(path: Path) -> str:
    from openclaw_cli.state import files

    text = files.read_text(path, what="message file")
    if text is None:
        raise UnreadableFile(f"message file {path} does not exist", path=path)
    return text.removeprefix("\ufeff")


def _refuse_terminal_compact(text: str, given: dict[str, Any]) -> None:
    """At the terminal there is a command for it that says more."""
    if given["sender"] is None and given["channel"] is None:
        words = text.split()
        if words and words[0].rstrip(":").lower() == "/compact":
            raise UsageProblem(
                "/compact is a chat command", hint="use: openclaw sessions compact KEY"
            )


def _record_only(
    app: App, given: dict[str, Any], inbound: Inbound, chosen: Chosen, *, as_json: bool
) -> None:
    from openclaw_cli.agent import inbound as agent_inbound

    message = _message(app, given, inbound, chosen, "")
    reply = agent_inbound.record_only(app.config, message, now_ms=app.now_ms())
    found = {"status": reply.status, "sessionKey": reply.key, "reason": reply.reason}
    app.emit(found, as_json=as_json, render=lambda doc: [f"{doc['status']}: {doc['sessionKey']}"])


def _stream_to_terminal(app: App, message: Message) -> TokenFilter | None:
    """Show the answer as it comes, on a terminal; what is shown there."""
    if not sys.stdout.isatty():
        return None
    from openclaw_cli.cli.output import clean
    from openclaw_cli.sessions.silence import TokenFilter

    screen = TokenFilter(lambda piece: app.out.raw(clean(piece)))
    message.stream = screen.write
    return screen


def _chat(app: App, given: dict[str, Any]) -> None:
    """Read messages line by line; an error is told and the chat goes on."""
    from openclaw_cli.errors import OpenClawError

    inbound = _inbound(given)
    chosen = _chosen(app, given, inbound)
    is_terminal = sys.stdin.isatty()
    while True:
        if is_terminal:
            app.out.raw("> ")
        line = sys.stdin.buffer.readline().decode("utf-8", "replace")
        if not line:
            return
        text = line.strip()
        if text in ("/quit", "/exit"):
            return
        if not text:
            continue
        turn_app = App()
        turn_app.no_color = app.no_color
        try:
            message = _message(turn_app, given, inbound, chosen, text)
            _one_turn(turn_app, given, message, as_json=False)
        except OpenClawError as error:
            app.out.error(error, as_json=False)
        except click.exceptions.Exit:
            continue  # a failed delivery was told already
