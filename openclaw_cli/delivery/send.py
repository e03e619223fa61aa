"""Handing a message to its transport, recorded before and after.

The only importer of apprise. Whatever happens in between is told as it is: a transport
that took the message makes it ``sent``, the outbox ``queued``, everything else ``failed``;
a process that dies leaves ``uncertain`` behind (``outbox``). Nothing is ever repeated here
except what a program asked to have repeated.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openclaw_cli.delivery import channels, outbox, transports
from openclaw_cli.delivery.outbox import FAILED, QUEUED, SENT, Message, Record
from openclaw_cli.delivery.transports import ACCOUNT, COMMAND, OFF, OUTBOX, URL, Transport
from openclaw_cli.state import clock
from openclaw_cli.state.tuples import NamedTuple

if TYPE_CHECKING:
    from openclaw_cli.config.load import Config
    from openclaw_cli.state.paths import Paths

TRY_AGAIN = 75  # exit status of a channel program
ERROR_LENGTH = 300
_RECIPIENT_LISTS = ("targets", "channels", "rooms", "users")  # of apprise's services
DAMAGED = "its record names no channel, recipient or text"
NO_APPRISE = "apprise is not installed: pip install 'openclaw-cli[notify]'"


class Handover(NamedTuple):
    """What a transport said."""

    status: str
    error: str | None = None
    retry: bool = False


def deliver(paths: Paths, config: Config, message: Message, *, now_ms: int) -> Record:
    """Deliver ``message`` once; the record of it, with ``status`` and perhaps ``error``."""
    outbox.recover(paths, now_ms)
    transport = transports.choose(config, message.channel, message.account_id)
    problem = problem_of(transport)
    if transport.kind == OUTBOX or problem:
        status = FAILED if problem else QUEUED
        line = outbox.new_record(message, status, now_ms)
        line = outbox.settled(line, status, now_ms, error=problem)
        outbox.append(paths, [line])
        return line
    pending = outbox.new_record(message, outbox.PENDING, now_ms)
    outbox.append(paths, [pending])
    return _attempt(paths, config, transport, pending)


def repeat(paths: Paths, config: Config, pending: Record) -> Record:
    """Hand a record that ``outbox.again`` made pending to its transport once more."""
    if not all(isinstance(pending.get(name), str) for name in ("channel", "to", "text")):
        line = outbox.settled(pending, FAILED, clock.now_ms(), error=DAMAGED)
        outbox.append(paths, [line])
        return line
    transport = transports.choose(config, pending["channel"], pending.get("accountId"))
    problem = problem_of(transport)
    if transport.kind == OUTBOX or problem:
        status = FAILED if problem else QUEUED
        line = outbox.settled(pending, status, clock.now_ms(), error=problem)
        outbox.append(paths, [line])
        return line
    return _attempt(paths, config, transport, pending)


def retry_due(paths: Paths, config: Config, *, now_ms: int) -> list[Record]:
    """Repeat what a channel program asked to have repeated; for the tick."""
    outbox.recover(paths, now_ms)
    wanted = [record["id"] for record in outbox.load(paths) if outbox.wants_retry(record)]
    taken = outbox.change(
        paths,
        wanted,
        lambda found: outbox.again(found, now_ms) if outbox.wants_retry(found) else None,
    )
    return [repeat(paths, config, line) for _, line in taken.values() if line is not None]


def problem_of(transport: Transport) -> str | None:
    """Why nothing can be handed to ``transport``, known without trying; None when it can."""
    if transport.kind == OFF:
        return transport.reason
    if transport.kind in (ACCOUNT, URL):
        from importlib.util import find_spec

        return None if find_spec("apprise") else NO_APPRISE
    return None


def check(config: Config, channel: str, account_id: str | None) -> str | None:
    """What is wrong with the settings of an account, without sending; None when nothing."""
    if not channels.has_account(config, channel, account_id):
        known = ", ".join(channels.account_ids(config, channel))
        return f"unknown account {account_id!r}; channels.{channel} has: {known}"
    transport = transports.choose(config, channel, account_id)
    problem = problem_of(transport)
    if problem or transport.kind in (OUTBOX, COMMAND):
        return problem or _missing_program(transport)
    example = {"channel": channel, "to": "1", "accountId": account_id}
    with _quiet_logs() as said:
        return None if _service(transport, example) else _explain(said, transport)


def _attempt(paths: Paths, config: Config, transport: Transport, pending: Record) -> Record:
    """Hand over and record the outcome. A crash on the way leaves the pending line."""
    by = _by_program if transport.kind == COMMAND else _by_apprise
    result = by(transport, pending, config)
    line = outbox.settled(
        pending, result.status, clock.now_ms(), error=result.error, retry=result.retry
    )
    outbox.append(paths, [line])
    return line


# apprise


def _by_apprise(transport: Transport, record: Record, _config: Config) -> Handover:
    with _quiet_logs() as said:
        service = _service(transport, record)
        if service is None:
            return Handover(FAILED, _explain(said, transport))
        if not _goes_to_one(service, transport, record):
            return Handover(FAILED, f"{record['to']!r} is no recipient of {record['channel']}")
        if service.notify(body=record["text"], body_format="text"):
            return Handover(SENT)
    return Handover(FAILED, _explain(said, transport))


def _service(transport: Transport, record: Mapping[str, Any]) -> Any:
    """The apprise object for one message, None when it refuses the URL."""
    from apprise import Apprise, AppriseAsset

    url = transports.fill(
        transport.template,
        str(record["channel"]),
        to=str(record["to"]),
        account_id=record.get("accountId") or "",
        thread_id=record.get("threadId"),
    )
    asset = AppriseAsset(app_id="OpenClaw", app_desc="OpenClaw", async_mode=False)
    service = Apprise(asset=asset)
    return service if service.add(transports.with_limits(url, transport.timeout_s)) else None


def _goes_to_one(service: Any, transport: Transport, record: Mapping[str, Any]) -> bool:
    """Whether the message reaches its recipient and nobody else.

    Without a recipient that they understand, services fall back to the owner of a bot, a
    general channel or the sender; a text with separators would be taken for several.
    """
    if not transports.names_recipient(transport):
        return True  # a URL of the owner's own that leads where it leads
    if any(mark in str(record["to"]) for mark in ", ;\t\r\n"):
        return False
    lists = [getattr(service[0], name, None) for name in _RECIPIENT_LISTS]
    known = [found for found in lists if found is not None]
    total = sum(len(found) for found in known)
    return not known or (total == 1 if transport.kind == ACCOUNT else total >= 1)


@contextlib.contextmanager
def _quiet_logs() -> Iterator[list[str]]:
    """Collect apprise's warnings; let nothing more through, since debug lines hold tokens."""
    import logging

    said: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    collector = Collector(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("apprise", "urllib3", "requests", "markdown")]
    before = [(log.level, log.propagate) for log in loggers]
    for log in loggers:
        log.setLevel(logging.WARNING)
        log.propagate = False
        log.addHandler(collector)
    try:
        yield said
    finally:
        for log, (level, propagate) in zip(loggers, before, strict=True):
            log.removeHandler(collector)
            log.setLevel(level)
            log.propagate = propagate


def _explain(said: Sequence[str], transport: Transport) -> str:
    """The last thing that went wrong, in one line without any secret."""
    text = " ".join(said[-1].split()) if said else "the transport refused the message"
    for value in sorted(transport.secret_values, key=len, reverse=True):
        text = text.replace(value, "***")
    return text[:ERROR_LENGTH]


# A program


def _by_program(transport: Transport, record: Record, config: Config) -> Handover:
    """Run the channel's program with the record as JSON on its standard input."""
    import signal
    import subprocess

    document = json.dumps(outbox.public(record), ensure_ascii=False) + "\n"
    try:
        child = subprocess.Popen(
            list(transport.words), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=dict(config.environ), start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        reason = f"cannot start {transport.words[0]}: {error.strerror or error}"
        return Handover(FAILED, reason[:ERROR_LENGTH])
    with child:
        try:
            _, complaint = child.communicate(
                document.encode("utf-8", "backslashreplace"), timeout=transport.timeout_s
            )
        except BaseException as error:  # out of time, or we are told to stop
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            reason = f"{transport.words[0]} gave no answer within {transport.timeout_s:g} s"
            return Handover(FAILED, reason)
    if child.returncode == 0:
        return Handover(SENT)
    lines = complaint.decode("utf-8", "replace").strip().splitlines()
    reason = f"{transport.words[0]} exited {child.returncode}" + (f": {lines[-1]}" if lines else "")
    again = child.returncode == TRY_AGAIN and record["attempts"] <= outbox.MAX_RETRIES
    return Handover(FAILED, reason[:ERROR_LENGTH], again)


def _missing_program(transport: Transport) -> str | None:
    import shutil

    if transport.kind != COMMAND or shutil.which(transport.words[0]):
        return None
    return f"no such program: {transport.words[0]}"
