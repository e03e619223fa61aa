"""Heartbeats and the follow-ups that they deliver."""

from __future__ import annotations

from collections.abc import Iterator

from openclaw_cli.commitments import blocking, cursors, settings, store
from openclaw_cli.commitments.record import Row, is_active
from openclaw_cli.config import agents
from openclaw_cli.doctor.finding import ERROR, INFO, WARN, Finding, Patient, of_error
from openclaw_cli.errors import OpenClawError
from openclaw_cli.heartbeat import followups, report, state
from openclaw_cli.state.amounts import counted


def check_heartbeat(patient: Patient) -> Iterator[Finding]:
    """The heartbeat's memory, and its warnings for each agent."""
    try:
        state.read(patient.paths)
    except OpenClawError as error:
        fix = "correct the file, or move it aside: then every heartbeat counts as never run"
        yield of_error("heartbeat-state-unreadable", ERROR, error, fix)
        return
    for agent_id in patient.agent_ids:
        document = report.status(patient.config, agent_id, now_ms=patient.now_ms)
        for row in document["agents"]:
            for text in row["warnings"]:
                words, fix = _split(text, "openclaw heartbeat status")
                message = f"agent {row['agentId']}: {words}"
                yield Finding("heartbeat-warning", WARN, message, fix=fix)


def check_commitments(patient: Patient) -> Iterator[Finding]:
    """The store of follow-ups, and what keeps them from being delivered."""
    on = settings.enabled(patient.config)
    if not on and not store.path_of(patient.paths).exists():
        return
    try:
        found = store.load(patient.paths)
    except OpenClawError as error:
        yield of_error("commitments-unreadable", ERROR, error)
        return
    if found.invalid:
        message = f"{counted(len(found.invalid), 'follow-up')} cannot be read; kept as they are"
        fix = "openclaw commitments export --all shows them"
        yield Finding("commitments-invalid-rows", WARN, message, str(found.path), fix)
    active = [row for row in found.valid if is_active(row)]
    yield from _strangers(patient, active, str(found.path))
    rows = [row for row in active if row["agentId"] in patient.agent_ids]
    names = sorted({row["agentId"] for row in rows}) or patient.agent_ids[:1]
    facts = [
        followups.facts(patient.config, patient.paths, name, now_ms=patient.now_ms)
        for name in names
    ]
    hints = blocking.delivery_hints(
        rows,
        facts,
        feature_on=on,
        max_per_day=settings.max_per_day(patient.config),
        now_ms=patient.now_ms,
    )
    severity = WARN if rows else INFO
    for hint in hints:
        message, fix = _split(hint.message, "openclaw commitments due")
        yield Finding(f"commitments-{hint.reason}", severity, message, fix=fix)


def check_cursors(patient: Patient) -> Iterator[Finding]:
    """How far extraction has read."""
    try:
        cursors.load(patient.paths)
    except OpenClawError as error:
        yield of_error("cursors-unreadable", WARN, error)


CHECKS = (check_heartbeat, check_commitments, check_cursors)


def _split(text: str, usual_fix: str) -> tuple[str, str]:
    """A message and the command at its end in brackets; ``usual_fix`` where it has none."""
    words, mark, command = text.partition(" (openclaw ")
    if not mark or not command.endswith(")"):
        return text, usual_fix
    return words, f"openclaw {command[:-1]}"


def _strangers(patient: Patient, rows: list[Row], where: str) -> Iterator[Finding]:
    """Follow-ups of agents that the configuration does not have: no heartbeat tells them."""
    known = agents.agent_ids(patient.config)
    names = sorted({row["agentId"] for row in rows} - set(known))
    if names and patient.agent is None:
        number = sum(row["agentId"] in names for row in rows)
        message = f"{counted(number, 'follow-up')} of agents that are not configured"
        message += f" ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"
        fix = f"openclaw commitments --agent {names[0]}"
        yield Finding("commitments-agent-unknown", WARN, message, where, fix)
