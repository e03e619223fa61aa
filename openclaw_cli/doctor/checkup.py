"""Running all checks, putting right what is safe, and the document of ``openclaw doctor``.

A check that fails becomes a finding; the others go on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from openclaw_cli.doctor import remedies, settings
from openclaw_cli.doctor.finding import ERROR, SEVERITIES, Finding, Patient
from openclaw_cli.errors import OpenClawError
from openclaw_cli.state.paths import Paths
from openclaw_cli.state.tuples import NamedTuple


class Area(NamedTuple):
    """A part of the tree: its word, its heading, and the module whose ``CHECKS`` look at it."""

    name: str
    title: str
    module: str


AREAS = (
    Area("config", "Configuration", "settings"),
    Area("sessions", "Sessions", "conversations"),
    Area("memory", "Memory", "memories"),
    Area("dreaming", "Dreaming", "sleep"),
    Area("followups", "Heartbeat and follow-ups", "followups"),
    Area("cron", "Scheduled tasks", "tasks"),
    Area("jobs", "Background jobs", "background"),
    Area("delivery", "Delivery", "carriers"),
    Area("models", "Models", "models"),
    Area("locks", "Locks", "locks"),
    Area("logs", "Logs", "logs"),
    Area("modes", "Permissions", "modes"),
    Area("leftovers", "Leftovers", "leftovers"),
)
TITLES = {area.name: area.title for area in AREAS}


class Wishes(NamedTuple):
    """How the doctor is asked; ``dry_run`` shows what ``fix`` would do."""

    agent: str | None = None
    fix: bool = False
    dry_run: bool = False


def examine(
    paths: Paths, environ: Mapping[str, str], wishes: Wishes, *, now_ms: int
) -> dict[str, Any]:
    """The document: ``findings``, ``fixed`` and ``summary``.

    With ``fix`` the findings are those that are left. Raises ``UnknownName`` for an agent
    that the configuration does not have.
    """
    patient = settings.patient(paths, environ, wishes.agent, now_ms=now_ms)
    findings = look(patient)
    fixed: list[dict[str, Any]] = []
    failures: dict[tuple[str, str | None], str] = {}
    if wishes.fix and not wishes.dry_run:
        for finding in findings:
            try:
                fixed += remedies.apply(patient, finding)
            except (OpenClawError, OSError) as error:
                failures[finding.id, finding.path] = str(error)
        patient = settings.patient(paths, environ, wishes.agent, now_ms=now_ms)
        findings = look(patient)
    elif wishes.fix:
        fixed = [remedies.planned(finding) for finding in findings if finding.remedy]
    rows = [_row(finding, failures) for finding in findings]
    counts = {name: sum(row["severity"] == name for row in rows) for name in SEVERITIES}
    summary = {**counts, "fixable": sum(row["fixable"] for row in rows), "fixed": len(fixed)}
    document: dict[str, Any] = {"findings": rows, "fixed": fixed, "summary": summary}
    return document | {"dryRun": True} if wishes.dry_run else document


def look(patient: Patient) -> list[Finding]:
    """What every check finds, by area, the worst first. Reads only."""
    found: dict[tuple[str | None, ...], Finding] = {}
    for area in AREAS:
        checks = importlib.import_module(f"openclaw_cli.doctor.{area.module}").CHECKS
        own = [finding for check in checks for finding in _guarded(check, patient)]
        for finding in sorted(own, key=lambda one: SEVERITIES.index(one.severity)):
            # What stops one check may stop another; the area that it belongs to comes first.
            same = finding.id, finding.path, finding.message
            found.setdefault(same, finding._replace(area=area.name))
    return list(found.values())


def _guarded(check: Callable[[Patient], Iterator[Finding]], patient: Patient) -> Iterator[Finding]:
    """What ``check`` finds; its own failure is one more finding."""
    try:
        yield from check(patient)
    except OpenClawError as error:
        yield Finding(error.code, ERROR, error.message, error.path, error.hint)
    except Exception as error:  # noqa: BLE001 - one check that fails must not hide the others
        what = (check.__doc__ or check.__name__).strip().splitlines()[0].rstrip(".")
        message = f"could not be checked ({what}): {type(error).__name__}: {error}"
        yield Finding("check-failed", ERROR, message, fix="please report it")


def _row(finding: Finding, failures: dict[tuple[str, str | None], str]) -> dict[str, Any]:
    row = finding.to_json()
    failure = failures.get((finding.id, finding.path))
    return row if failure is None else row | {"fixError": failure}
