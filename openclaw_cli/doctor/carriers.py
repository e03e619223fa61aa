"""Delivery: channels that nothing carries, senders unknown, messages that did not arrive."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_cli.delivery import channels, outbox, send, transports
from openclaw_cli.doctor.finding import INFO, WARN, Finding, Patient, of_error
from openclaw_cli.errors import OpenClawError
from openclaw_cli.sessions import senders
from openclaw_cli.state import clock
from openclaw_cli.state.amounts import counted

OLD_MS = clock.DAY_MS


def check_channels(patient: Patient) -> Iterator[Finding]:
    """What carries each channel of the configuration."""
    config = patient.config
    for name in channels.configured(config):
        transport = transports.choose(config, name, None)
        problem = send.problem_of(transport)
        unused = transports.unused_setting(config, name, transport)
        if problem:
            severity = INFO if transport.kind == transports.OFF else WARN
            fix = f"openclaw channels test {name}"
            yield Finding("channel-undeliverable", severity, f"{name}: {problem}", fix=fix)
        elif transport.kind == transports.OUTBOX and name != transports.OUTBOX:
            why = f" ({transport.reason})" if transport.reason else ""
            message = f"nothing carries {name}: its messages wait in the outbox{why}"
            fix = f"openclaw config set cli.channels.{name}.url URL"
            yield Finding("channel-without-transport", WARN, message, fix=fix)
        if unused:
            yield Finding("channel-setting-unused", INFO, unused, fix="openclaw channels list")


def check_pairing(patient: Patient) -> Iterator[Finding]:
    """The files of approved senders."""
    for account in senders.accounts(patient.config):
        try:
            senders.paired(account, patient.paths)
        except OpenClawError as error:
            yield of_error("pairing-unreadable", WARN, error)


def check_outbox(patient: Patient) -> Iterator[Finding]:
    """Deliveries that failed, whose end nobody knows, or that wait for long."""
    by_status: dict[str, list[outbox.Record]] = {}
    for record in outbox.load(patient.paths):
        by_status.setdefault(record["status"], []).append(record)
    where = str(outbox.path_of(patient.paths))
    for status, severity, words in (
        (outbox.UNCERTAIN, WARN, "may or may not have been sent"),
        (outbox.FAILED, WARN, "could not be sent"),
    ):
        number = len(by_status.get(status, []))
        if number:
            message = f"{counted(number, 'message')} {words}"
            fix = f"openclaw outbox list --status {status}"
            yield Finding(f"delivery-{status}", severity, message, where, fix)
    waiting = [r for r in by_status.get(outbox.QUEUED, []) if _age_ms(r, patient) > OLD_MS]
    if waiting:
        message = f"{counted(len(waiting), 'message')} in the outbox for more than a day"
        fix = "openclaw outbox list --status queued"
        yield Finding("delivery-queued", INFO, message, where, fix)


CHECKS = (check_channels, check_pairing, check_outbox)


def _age_ms(record: outbox.Record, patient: Patient) -> float:
    at = record.get("updatedAtMs") or record.get("ts")
    return patient.now_ms - at if isinstance(at, int | float) else 0
